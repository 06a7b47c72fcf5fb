"""Footnote marks and footnotes in plain text.

Contract: ``match`` looks at the paragraphs of one chapter and says which are notes and which characters are their
marks. A mark (①, [1], 〔注1〕, ¹, *) counts only where it stands directly after text and a note begins with the same mark;
the notes must stand at the chapter's end or right after the paragraph that refers to them. Everything else is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.read.paragraphs import Piece

_NUMBER = "[0-9０-９一二三四五六七八九十]"
_MARK = (
    rf"(?:[①-⑳]|[\[［〔]注?[0-9]{{1,3}}[\]］〕]|［注?[0-9０-９]{{1,3}}］|〔注?{_NUMBER}{{0,3}}〕|[（(]注{_NUMBER}{{1,3}}[）)]|\[注\]|"
    r"[¹²³⁴⁵⁶⁷⁸⁹][⁰¹²³⁴⁵⁶⁷⁸⁹]{0,2}|(?<!\*)\*{1,3}(?![*\w])|\[[A-Z]\]|[†‡])"
)
_NOTE_MARK = (
    rf"(?:(?:注释?\s*)?(?P<mark>\*{{1,3}}(?!\*)|{_MARK})|\[Footnote\s(?P<latin>[0-9A-Z]{{1,3}}):|"
    rf"注(?P<plain>{_NUMBER}{{1,2}})[：:、])"
)
_NOTE = re.compile(rf"{_NOTE_MARK}\s*[^\s]")
_MARKS = re.compile(_MARK)


def _sign(mark: str) -> str:
    """What a mark and its note have in common: [1], 〔注1〕 and ``[Footnote 1:`` are the same."""
    return re.sub("[\\[\\]［］〔〕（）()注]", "", mark) or "注"


def match(source: str, blocks: Sequence[Sequence[Piece]]) -> tuple[set[int], dict[int, list[Piece]]]:
    """``(indices of notes, {index of a paragraph: its marks as source pieces})`` for one chapter's paragraphs."""
    heads: dict[int, str] = {}
    for index, pieces in enumerate(blocks):
        if pieces:
            start = pieces[0][0]
            found = _NOTE.match(source, start, min(start + 20, pieces[-1][1]))
            if found:
                heads[index] = _sign(found["mark"] or found["latin"] or found["plain"])
    if not heads:
        return set(), {}
    last = len(blocks) - 1
    while last in heads:
        last -= 1
    notes: set[int] = set()
    marks: dict[int, list[Piece]] = {}
    wanted: dict[str, list[tuple[int, Piece]]] = {}
    signs = set(heads.values())
    group = -1
    for index, pieces in enumerate(blocks):
        sign = heads.get(index)
        if sign is None:
            group = index
        if sign is not None and sign in wanted:
            places = wanted[sign]
            if index > last or places[-1][0] == group:
                notes.add(index)
                for place, piece in wanted.pop(sign):
                    marks.setdefault(place, []).append(piece)
                continue
        for start, end in pieces:
            for found in _MARKS.finditer(source, start, end):
                if (
                    _sign(found.group()) in signs
                    and found.start() > pieces[0][0]
                    and not source[found.start() - 1].isspace()
                ):
                    wanted.setdefault(_sign(found.group()), []).append((index, found.span()))
    for pieces in marks.values():
        pieces.sort()
    return notes, marks
