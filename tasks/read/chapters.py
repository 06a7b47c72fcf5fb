"""Where the chapters of a plain text begin: headings in context.

Contract: ``judge`` gives the heading lines of a book in order, the lines of tables of contents and running heads, and
of every candidate what was decided and why. Shapes come from ``headings``, the context's reasons from ``weigh``; no
single pattern decides. A volume alone in a book becomes its chapters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from tasks.domain import JudgedHeading
from tasks.read.contents import contents, is_contents_word, running_heads, without_page
from tasks.read.headings import MAX_LATIN_CHARS, Heading, shape
from tasks.read.lines import Line
from tasks.read.paragraphs import INVISIBLE
from tasks.read.weigh import THRESHOLD, Candidate, weigh

__all__ = ["THRESHOLD", "Found", "Judged", "find", "is_contents_word", "judge", "without_page"]

Role = Literal["chapter", "volume"]

_STOP = re.compile('[。，；：！？…、“”‘’「」『』,;:!?"]')


@dataclass(frozen=True, slots=True)
class Found:
    """Line ``index`` is a heading; ``title_index`` is the line that holds its title, where that is the next one."""

    index: int
    heading: Heading
    role: Role
    title_index: int | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """``contents`` and ``running_heads`` are line indices; ``verdicts`` are in the order of the lines."""

    found: list[Found]
    contents: set[int]
    running_heads: set[int]
    verdicts: tuple[JudgedHeading, ...]


def find(source: str, lines: Sequence[Line], *, wrapped: bool = False) -> tuple[list[Found], set[int]]:
    """``(headings, lines of a table of contents)`` of a book. ``wrapped``: paragraphs are broken over several lines."""
    judged = judge(source, lines, wrapped=wrapped)
    return judged.found, judged.contents


def judge(source: str, lines: Sequence[Line], *, wrapped: bool = False) -> Judged:
    """Decide which lines are headings."""
    candidates = _candidates(source, lines, wrapped)
    # Doubtful shapes would break the runs that tables of contents are told by.
    plausible = [(one.index, one.heading) for one in candidates if one.score >= (-1.0 if one.heading.sound else 1.0)]
    table = contents(source, lines, plausible)
    heads = running_heads(
        source, lines, [one for one in plausible if one[0] not in table and one[1].kind != "numbered"]
    )
    for one in candidates:
        one.verdict = "contents" if one.index in table else "running head" if one.index in heads else ""
    open_ones = [one for one in candidates if not one.verdict]
    weigh(lines, open_ones)
    kept = [one for one in open_ones if one.believed]
    titles = _next_line_titles(source, lines, [(one.index, one.heading) for one in kept])
    second_lines = set(titles.values())
    kept = [one for one in kept if one.index not in second_lines]
    only_volumes = not any(one.heading.kind in ("chapter", "numbered") for one in kept)
    parents = _parents(kept)
    found = []
    for one in kept:
        outer = one.index in parents or (one.heading.kind == "volume" and not only_volumes)
        role: Role = "volume" if outer else "chapter"
        found.append(Found(one.index, one.heading, role, titles.get(one.index)))
    accepted = {one.index for one in found}
    verdicts = tuple(_verdict(one, lines[one.index].row, one.index in accepted) for one in candidates)
    return Judged(found, table, heads, verdicts)


def _parents(kept: Sequence[Candidate]) -> set[int]:
    """Lines of 章 that hold nothing but 节: each is followed by one at once, nearly all through the book."""
    outer = [one for one in kept if one.heading.unit == "章"]
    first = {one.index for one, after in pairwise(kept) if after.heading.unit == "节" and after.index == one.index + 1}
    parents = {one.index for one in outer} & first
    return parents if len(parents) >= 2 and len(parents) * 10 >= len(outer) * 8 else set()


def _candidates(source: str, lines: Sequence[Line], wrapped: bool) -> list[Candidate]:
    found: list[Candidate] = []
    last = -2
    for index, line in enumerate(lines):
        if line.end - line.start > MAX_LATIN_CHARS:
            continue
        text = source[line.start : line.end]
        if INVISIBLE.search(text):
            text = INVISIBLE.sub("", text).strip()
        heading = shape(text)
        if heading is None or not heading.sound:
            bare = without_page(text)
            heading = (shape(bare) if bare != text else None) or heading
        if heading is None:
            continue
        one = Candidate(index, heading, text)
        inside = wrapped and index > 0 and line.blanks == 0 and last != index - 1
        if inside and line.indent <= lines[index - 1].indent:
            one.say(-5.0, "stands inside a hard-wrapped paragraph")
        else:
            last = index
        found.append(one)
    return found


def _verdict(one: Candidate, row: int, accepted: bool) -> JudgedHeading:
    if one.verdict == "contents":
        reasons: tuple[str, ...] = ("stands in a table of contents: the same headings come again below",)
    elif one.verdict:
        reasons = ("repeats the heading above it as a page's head does",)
    else:
        # The ones that decided come first.
        every = [reason for reason in (*one.heading.reasons, *one.reasons) if reason[0]]
        every.sort(key=lambda reason: -reason[0] if accepted else reason[0])
        reasons = tuple(f"{words} ({weight:+.1f})" for weight, words in every)
    name = one.heading.kind + (f" {one.heading.unit}" if one.heading.kind in ("chapter", "volume") else "")
    return JudgedHeading(row, one.text, name, accepted, round(one.score, 1), one.verdict, reasons)


def _next_line_titles(source: str, lines: Sequence[Line], shapes: list[tuple[int, Heading]]) -> dict[int, int]:
    """Headings such as 第一章 alone whose title stands on the next line; believed when most of them have one."""
    taken = {index for index, heading in shapes if heading.kind != "special"}
    bare = [index for index, heading in shapes if heading.bare]
    numbered = all(heading.kind in ("numbered", "special") for _, heading in shapes)
    titles = {}
    for index, heading in shapes:
        if not heading.bare or (heading.kind == "numbered" and not numbered):
            continue
        following = index + 1
        if following + 1 >= len(lines) or following in taken or following + 1 in taken:
            continue
        line, after = lines[following], lines[following + 1]
        text = source[line.start : line.end]
        limit = 60 if text.isascii() else 20
        if len(text) > limit or _STOP.search(text) or (text.isascii() and text.endswith(".")):
            continue
        set_apart = after.blanks > 0 or after.indent > line.indent
        ordinary = line.indent > 0 and after.indent == line.indent and after.blanks == line.blanks
        if set_apart and not ordinary and not (line.blanks == 0 and after.blanks == 0 and line.indent >= after.indent):
            titles[index] = following
    return titles if len(titles) * 10 >= len(bare) * 6 else {}
