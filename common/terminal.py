"""How much room text takes in a terminal."""

from __future__ import annotations

import unicodedata


def width(text: str) -> int:
    """The terminal cells that ``text`` takes: two for wide characters, none for combining ones."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
