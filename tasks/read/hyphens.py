"""Words cut in two by a hard line end: ``won-`` / ``derful``.

Contract: ``joined_words`` gives the words of the text that some line end cuts and that stand whole elsewhere in it;
only for these is the hyphen taken away, since ``well-`` / ``known`` keeps its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.read.lines import Line
from tasks.read.paragraphs import Piece

_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?")
_LAST = re.compile(r"([A-Za-z]+)[-\u2010]$")
_FIRST = re.compile(r"[a-z]+")
_TAIL_CHARS = 40


def joined_words(source: str, lines: Sequence[Line]) -> frozenset[str]:
    """Words (lower case) that a line end cuts and that stand whole somewhere in ``source``."""
    cut = set()
    for place in range(len(lines) - 1):
        if source[lines[place].end - 1] in "-\u2010":
            word = _across(
                source, (lines[place].start, lines[place].end), (lines[place + 1].start, lines[place + 1].end)
            )
            if word:
                cut.add(word)
    if not cut:
        return frozenset()
    return frozenset(cut & {found.group().lower() for found in _WORD.finditer(source)})


def hyphen_at(source: str, before: Piece, after: Piece, joined: frozenset[str]) -> Piece | None:
    """The hyphen between two pieces that only the line end put there."""
    if source[before[1] - 1] in "-\u2010" and _across(source, before, after) in joined:
        return before[1] - 1, before[1]
    return None


def _across(source: str, before: Piece, after: Piece) -> str:
    head = _LAST.search(source[max(before[0], before[1] - _TAIL_CHARS) : before[1]])
    tail = _FIRST.match(source, after[0], after[1])
    return (head.group(1) + tail.group()).lower() if head and tail else ""
