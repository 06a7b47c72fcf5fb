"""Tables of contents and running heads: lines that have the shape of headings and are none.

Contract: ``contents`` gives the lines of tables of contents, at the top, after a preface, once or several times, with
or without the word 目录; ``running_heads`` the lines that repeat the heading of the chapter they stand in, as a page's
head does. Both look at candidates in order, in time linear in them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.read.headings import MAX_LATIN_CHARS, Heading
from tasks.read.lines import Line
from tasks.read.numerals import NUM

MIN_CONTENTS = 3
"""So many headings without text between them, coming again below, are a table of contents."""

MIN_REPEATS = 3
"""A heading that stands so often in a row, with no other between, is a page's head."""

_CONTENTS_WORD = re.compile(
    r"^[\s　【\[〔=—\-*]*(?:目[\s　]*[录錄次]|正文目录|章节目录|章節目錄|contents|table of contents)[\s　】\]〕=—\-*：:.]*$",
    re.I,
)
_HEAD_IN_LINE = re.compile(rf"第\s?{NUM}\s?[章回节節话話卷部集篇]")
_HEAD = re.compile(
    rf"^(?:第\s?{NUM}\s?[章回囘节節话話折卷部集篇]|chapter[\s　]*[0-9ivxlc]+|[0-9]+|[一二三四五六七八九十百]+)"
)
_MAX_LINE_CHARS = 20_000
_MAX_STRAY_CHARS = 30
_SENTENCE_END = re.compile("[。！？!?…”」』.\"'）)]$")

Shaped = tuple[int, Heading]


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


def contents(source: str, lines: Sequence[Line], shapes: Sequence[Shaped]) -> set[int]:
    """Lines of tables of contents. ``shapes``: ``(line, heading)`` of whatever may be a heading, in order."""
    keys = [key(source[lines[index].start : lines[index].end]) for index, _ in shapes]
    final: dict[str, int] = {}
    for place, (index, heading) in enumerate(shapes):
        final[keys[place]] = place
        final[_counted(heading)] = place
        if heading.bare and index + 1 < len(lines):
            # The contents have on one line what the text has on two: CHAPTER I. and its title below.
            following = lines[index + 1]
            final[
                keys[place] + key(source[following.start : min(following.end, following.start + MAX_LATIN_CHARS)])
            ] = place
    taken: set[int] = set()
    first = 0
    while first < len(shapes):
        last = first
        while last + 1 < len(shapes) and _adjacent(source, lines, shapes[last][0], shapes[last + 1][0]):
            if keys[last + 1] == keys[first]:
                # The list begins again, or the text begins.
                break
            last += 1
        if last - first + 1 >= MIN_CONTENTS:
            members = [place for place in range(first, last + 1) if _again(place, last, keys, shapes, final)]
            if len(members) >= MIN_CONTENTS and len(members) * 10 >= (last - first) * 7:
                taken.update(range(shapes[first][0], shapes[members[-1]][0] + 1))
                before = shapes[first][0] - 1
                if before >= 0 and is_contents_word(source[lines[before].start : lines[before].end]):
                    taken.add(before)
        first = last + 1
    taken |= _titles_only(source, lines, shapes, keys, taken)
    return taken | _on_one_line(source, lines, final, taken)


def running_heads(source: str, lines: Sequence[Line], shapes: Sequence[Shaped]) -> set[int]:
    """Lines that repeat the heading above them: three times or more, or in the middle of a sentence."""
    heads: set[int] = set()
    first = 0
    keys = [key(source[lines[index].start : lines[index].end]) for index, _ in shapes]
    while first < len(shapes):
        last = first
        while last + 1 < len(shapes) and keys[last + 1] == keys[first] and shapes[last + 1][0] > shapes[last][0] + 1:
            last += 1
        repeats = [index for index, _ in shapes[first + 1 : last + 1]]
        if len(repeats) + 1 >= MIN_REPEATS:
            heads.update(repeats)
        else:
            heads.update(index for index in repeats if _mid_sentence(source, lines[index - 1]))
        first = last + 1
    return heads


def key(text: str) -> str:
    """What two mentions of one heading have in common."""
    return re.sub(r"[\s　:：、.．·【】\[\]]+", "", without_page(text)).lower()


def _counted(heading: Heading) -> str:
    return f"#{heading.unit}{heading.number}" if heading.number and heading.kind != "numbered" else "#"


def _again(place: int, last: int, keys: Sequence[str], shapes: Sequence[Shaped], final: dict[str, int]) -> bool:
    """Whether a heading of a run that ends at ``last`` comes again below: by its words, or its unit and number."""
    if final[keys[place]] > place and final[keys[place]] >= last:
        return True
    counted = _counted(shapes[place][1])
    return counted != "#" and final[counted] > last


def _adjacent(source: str, lines: Sequence[Line], first: int, second: int) -> bool:
    """No text between: nothing, or one short line that is no sentence."""
    if second == first + 1:
        return True
    if second != first + 2:
        return False
    line = lines[first + 1]
    return line.end - line.start <= _MAX_STRAY_CHARS and _SENTENCE_END.search(source, line.start, line.end) is None


def _titles_only(
    source: str, lines: Sequence[Line], shapes: Sequence[Shaped], keys: Sequence[str], taken: set[int]
) -> set[int]:
    """After the word 目录: lines that are the headings below, or their titles without the number."""
    words = [
        index
        for index, line in enumerate(lines)
        if index not in taken and line.end - line.start <= 30 and is_contents_word(source[line.start : line.end])
    ]
    found: set[int] = set()
    names = {}
    for (index, _), whole in zip(shapes, keys, strict=True):
        names[whole] = names[_HEAD.sub("", whole)] = index
    for index in words:
        rows: list[int] = []
        for row in range(index + 1, len(lines)):
            line = lines[row]
            if line.end - line.start > MAX_LATIN_CHARS:
                break
            name = key(source[line.start : line.end])
            if names.get(name, names.get(_HEAD.sub("", name) or "\0", 0)) <= row:
                break
            rows.append(row)
        if len(rows) >= 2:
            found.update((index, *rows))
    return found


def _on_one_line(source: str, lines: Sequence[Line], final: dict[str, int], taken: set[int]) -> set[int]:
    """Lines that hold three headings or more, all of which stand in the book on lines of their own."""
    found: set[int] = set()
    for index, line in enumerate(lines):
        if (
            not 12 <= line.end - line.start <= _MAX_LINE_CHARS
            or index in taken
            or source.find("第", line.start, line.end) < 0
        ):
            continue
        starts = [match.start() for match in _HEAD_IN_LINE.finditer(source, line.start, line.end)]
        if len(starts) < 2 or starts[0] != line.start:
            continue
        pieces = [key(source[low:high]) for low, high in zip(starts, [*starts[1:], line.end], strict=True)]
        known = sum(piece in final for piece in pieces)
        enough = MIN_CONTENTS if index - 1 not in taken and index - 1 not in found else 2
        if known >= enough and known * 10 >= len(pieces) * 8:
            found.add(index)
            if index and is_contents_word(source[lines[index - 1].start : lines[index - 1].end]):
                found.add(index - 1)
    return found


def _mid_sentence(source: str, line: Line) -> bool:
    return line.end - line.start >= 10 and _SENTENCE_END.search(source, line.start, line.end) is None
