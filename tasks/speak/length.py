"""How long a text is to say, whatever script it is in."""

from __future__ import annotations

import unicodedata

LETTER = 0.3
"""A Latin letter or a figure, in Han characters: measured over both demo books, 3.9 Han characters or 12.9 letters make
a second of speech."""


def length_of(text: str) -> float:
    """``text`` in Han characters' worth of speech; marks and spaces count nothing."""
    return sum((1.0 if unicodedata.east_asian_width(c) in "WF" else LETTER) for c in text if c.isalnum())
