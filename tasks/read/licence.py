"""The frame that a public library puts around a book: its notice on top, its licence below.

Contract: ``frame`` finds the lines outside ``*** START OF … EBOOK … ***`` and ``*** END OF … EBOOK … ***`` and what the
notice says of title and author. Without both marks' wording nothing is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tasks.read.lines import Line

_START = re.compile(r"\*{3}\s?START OF (?:THE|THIS) PROJECT GUTENBERG E(?:BOOK|TEXT)\b", re.IGNORECASE)
_END = re.compile(r"(?:\*{3}\s?)?END OF (?:THE |THIS )?PROJECT GUTENBERG(?:'S)?\b", re.IGNORECASE)
_FIELD = re.compile(r"(?P<name>title|author):\s*(?P<value>\S.{0,120})$", re.IGNORECASE)
_CREDIT = re.compile(r"(?:produced|prepared|transcribed|e-?text prepared) by\b", re.IGNORECASE)
_TOP_LINES = 600
_CREDIT_LINES = 4


@dataclass(frozen=True, slots=True)
class Frame:
    lines: frozenset[int] = field(default_factory=frozenset)
    title: str = ""
    author: str = ""


def frame(source: str, lines: Sequence[Line]) -> Frame:
    """The lines of the frame, as indices, and what it says of the book."""
    top = next(
        (index for index, line in enumerate(lines[:_TOP_LINES]) if _START.match(source, line.start, line.end)), -1
    )
    if top < 0:
        return Frame()
    taken = set(range(top + 1))
    said: dict[str, str] = {}
    for line in lines[:top]:
        if found := _FIELD.match(source, line.start, line.end):
            said.setdefault(found["name"].lower(), found["value"].strip())
    if top + 1 < len(lines) and _CREDIT.match(source, lines[top + 1].start, lines[top + 1].end):
        for index in range(top + 1, min(top + 1 + _CREDIT_LINES, len(lines))):
            if index > top + 1 and lines[index].blanks:
                break
            taken.add(index)
    for index in range(len(lines) - 1, top, -1):
        if _END.match(source, lines[index].start, lines[index].end):
            taken.update(range(index, len(lines)))
    return Frame(frozenset(taken), said.get("title", ""), said.get("author", ""))
