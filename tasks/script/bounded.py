"""Paragraphs without an end, cut for those who look around in them.

Contract: who speaks is told by what stands near. A file whose line ends are lost is one paragraph of a whole book, and
rules that look through their paragraph would take hours over it. ``bounded`` cuts paragraphs longer than ``LONGEST``
between sentences, never inside a quotation; shorter ones stay as they are. ``joined`` puts what was found for the
quotations of the parts back together.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from tasks.script.quotes import Quote

_T = TypeVar("_T")

LONGEST = 2000
"""Characters. No paragraph of a book that somebody has set is so long, quotations apart."""
_END = re.compile("[。！？!?…；.]+[”’」』\"']*\\s*")


def bounded(
    paragraphs: Sequence[str], quotes: Sequence[Sequence[Quote]]
) -> tuple[list[str], list[list[Quote]], list[int]]:
    """The paragraphs in parts, the quotations of each part, and how many parts each paragraph has."""
    texts: list[str] = []
    rows: list[list[Quote]] = []
    counts: list[int] = []
    for text, row in zip(paragraphs, quotes, strict=True):
        cuts = _cuts(text, row) if len(text) > LONGEST else [len(text)]
        counts.append(len(cuts))
        at = start = 0
        for end in cuts:
            texts.append(text[start:end])
            part: list[Quote] = []
            while at < len(row) and (row[at].start < end or end == len(text)):
                part.append(
                    replace(row[at], start=row[at].start - start, end=row[at].end - start) if start else row[at]
                )
                at += 1
            rows.append(part)
            start = end
    return texts, rows, counts


def joined(found: Sequence[list[_T]], counts: Sequence[int]) -> list[list[_T]]:
    """``found``, a list for each part, as one list for each paragraph."""
    rest = iter(found)
    return [list(chain.from_iterable(next(rest) for _ in range(count))) for count in counts]


def _cuts(text: str, row: Sequence[Quote]) -> list[int]:
    """Where the parts end, the last at the end of the text."""
    starts = [quote.start for quote in row]

    def free(place: int) -> int:
        """``place``, or the end of the quotation around it."""
        index = bisect_right(starts, place - 1) - 1
        return row[index].end if index >= 0 and place < row[index].end else place

    closed = {quote.end for quote in row}  # what follows a quotation may say whose it is
    ends = [place for match in _END.finditer(text) if free(place := match.end()) == place and place not in closed]
    cuts: list[int] = []
    start = 0
    while len(text) - start > LONGEST:
        index = bisect_right(ends, start + LONGEST) - 1
        cut = ends[index] if index >= 0 and ends[index] > start else free(start + LONGEST)
        if cut >= len(text):
            break
        cuts.append(cut)
        start = cut
    return [*cuts, len(text)]
