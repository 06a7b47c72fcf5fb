"""Where the chapters of a plain text begin: headings in context.

Contract: ``find`` gives the heading lines of a book in order, each as ``Found(index, heading, role, title_index)``;
``contents`` says which lines are a table of contents on top. Shapes come from ``headings.grade``; here the whole book
decides what to believe: bare numbers only as a counted sequence where nothing stronger exists, weak volume units only
when they recur, a volume alone in a book becomes its chapters, a heading inside a hard-wrapped paragraph is prose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.read.headings import MAX_LATIN_CHARS, Heading, grade
from tasks.read.lines import Line
from tasks.read.paragraphs import INVISIBLE

Role = Literal["chapter", "volume"]

MIN_CONTENTS = 3
"""So many headings without text between them, coming again below, are a table of contents."""

_CONTENTS_WORD = re.compile(
    r"^[\s　【\[〔=—\-*]*(?:目[\s　]*[录錄次]|正文目录|contents|table of contents)[\s　】\]〕=—\-*：:]*$", re.I
)
_STOP = re.compile('[。，；：！？…、“”‘’「」『』,;:!?"]')
_NUMBERED_GAP_CHARS = 150


@dataclass(frozen=True, slots=True)
class Found:
    """Line ``index`` is a heading; ``title_index`` is the line that holds its title, where that is the next one."""

    index: int
    heading: Heading
    role: Role
    title_index: int | None = None


def find(source: str, lines: Sequence[Line], *, wrapped: bool = False) -> tuple[list[Found], set[int]]:
    """``(headings, lines of a table of contents)`` of a book. ``wrapped``: paragraphs are broken over several lines."""
    shapes: list[tuple[int, Heading]] = []
    for index, line in enumerate(lines):
        if line.end - line.start > MAX_LATIN_CHARS:
            continue
        text = INVISIBLE.sub("", source[line.start : line.end]).strip()
        heading = grade(text) or grade(without_page(text))
        if heading is None:
            continue
        inside = wrapped and index > 0 and line.blanks == 0 and not (shapes and shapes[-1][0] == index - 1)
        if not inside or line.indent > lines[index - 1].indent:
            shapes.append((index, heading))
    believed = _believe(source, lines, shapes)
    contents = _contents(source, lines, believed)
    kept = [(index, heading) for index, heading in believed if index not in contents]
    titles = _next_line_titles(source, lines, kept)
    only_volumes = not any(heading.kind in ("chapter", "numbered") for _, heading in kept)
    found = []
    for index, heading in kept:
        role: Role = "volume" if heading.kind == "volume" and not only_volumes else "chapter"
        found.append(Found(index, heading, role, titles.get(index)))
    return found, contents


def without_page(text: str) -> str:
    """A line of a table of contents without its leader and page number (第一章 河边……12)."""
    head = text.rstrip("0123456789")
    bare = head.rstrip(" \t\u3000.…·．")
    gap = head[len(bare) :]
    if not 1 <= len(text) - len(head) <= 4 or not (len(gap) >= 2 or gap in ("\t", "\u3000", "…")):
        return text
    return bare


def is_contents_word(text: str) -> bool:
    """目录, Contents … alone on a line."""
    return len(text) <= 30 and _CONTENTS_WORD.match(text) is not None


def _believe(source: str, lines: Sequence[Line], shapes: list[tuple[int, Heading]]) -> list[tuple[int, Heading]]:
    chapters = sum(heading.kind == "chapter" for _, heading in shapes)
    weak = sum(heading.kind == "volume" and not heading.strong for _, heading in shapes)
    numbered = _sequence(source, lines, [shape for shape in shapes if shape[1].kind == "numbered"])
    kept = []
    for index, heading in shapes:
        if heading.kind == "numbered":
            if chapters < 2 and index in numbered:
                kept.append((index, heading))
        elif heading.kind == "volume" and not heading.strong:
            if weak >= 2 and (chapters >= 2 or heading.bare or weak >= 3):
                kept.append((index, heading))
        else:
            kept.append((index, heading))
    return kept


def _sequence(source: str, lines: Sequence[Line], shapes: list[tuple[int, Heading]]) -> set[int]:
    """Bare numbers that count upwards through the book with text between them."""
    best: list[int] = []
    run: list[int] = []
    last = 0
    for index, heading in shapes:
        if run and 0 < heading.number - last <= 3:
            run.append(index)
        elif heading.number <= 1 or not run:
            best = max(best, run, key=len)
            run = [index]
        else:
            continue
        last = heading.number
    best = max(best, run, key=len)
    if len(best) < 3:
        return set()
    stretch = lines[best[-1]].start - lines[best[0]].start
    return set(best) if stretch / (len(best) - 1) >= _NUMBERED_GAP_CHARS else set()


def _contents(source: str, lines: Sequence[Line], shapes: list[tuple[int, Heading]]) -> set[int]:
    """Lines of a table of contents: a run of headings with no text between that come again below."""
    keys = [_key(source[lines[index].start : lines[index].end]) for index, _ in shapes]
    final: dict[str, int] = {}
    for place, (index, heading) in enumerate(shapes):
        final[keys[place]] = place
        if heading.bare and index + 1 < len(lines):
            # The contents have on one line what the text has on two: CHAPTER I. and its title below.
            following = lines[index + 1]
            final[
                keys[place] + _key(source[following.start : min(following.end, following.start + MAX_LATIN_CHARS)])
            ] = place
    taken: set[int] = set()
    first = 0
    while first < len(shapes):
        last = first
        while last + 1 < len(shapes) and shapes[last + 1][0] == shapes[last][0] + 1:
            last += 1
        if last - first + 1 >= MIN_CONTENTS:
            members = [place for place in range(first, last + 1) if final[keys[place]] > place]
            again = sum(final[keys[place]] >= last for place in members)
            if len(members) >= MIN_CONTENTS and again * 10 >= (last - first) * 7:
                end = shapes[members[-1]][0]
                taken.update(range(shapes[first][0], end + 1))
                before = shapes[first][0] - 1
                if before >= 0 and is_contents_word(source[lines[before].start : lines[before].end]):
                    taken.add(before)
                break
        first = last + 1
    return taken


def _key(text: str) -> str:
    return re.sub(r"[\s　:：、.．·【】\[\]]+", "", without_page(text)).lower()


def _next_line_titles(source: str, lines: Sequence[Line], shapes: list[tuple[int, Heading]]) -> dict[int, int]:
    """Headings such as 第一章 alone whose title stands on the next line; believed when most of them have one."""
    taken = {index for index, _ in shapes}
    bare = [index for index, heading in shapes if heading.bare and heading.kind in ("chapter", "volume")]
    titles = {}
    for index in bare:
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
