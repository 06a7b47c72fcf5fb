"""Plain text: lines to chapters.

Contract: ``parse`` reads a decoded text. One line is a paragraph unless the file is hard-wrapped; headings, the table
of contents, adverts, title page, scene marks and matched footnotes are left out with their reason. Text before the
first heading becomes an untitled opening chapter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tasks.domain import Chapter, LeftOut, Span
from tasks.read import chapters, clutter
from tasks.read.blocks import paragraphs_of
from tasks.read.lines import Line, split
from tasks.read.paragraphs import INVISIBLE, Piece, continues, usual_indent, visible, wrap_width
from tasks.read.parsed import Parsed

_TITLE_PAGE_LINES = 30
_MAX_NUMBER_WARNINGS = 10


@dataclass(slots=True)
class _Open:
    """A chapter being filled; an empty block stands for a scene break."""

    title: str = ""
    heading: Span | None = None
    volume: str = ""
    row: int = 1
    blocks: list[list[Piece]] = field(default_factory=list)


def parse(source: str) -> Parsed:
    """Read ``source`` (line ends ``\\n``) as a plain-text book."""
    lines = split(source)
    width = wrap_width(source, lines)
    found, contents = chapters.find(source, lines, wrapped=width > 0)
    heads = {head.index: head for head in found}
    title_indices = {head.title_index for head in found if head.title_index is not None}
    first = found[0].index if found else min(len(lines), 6)
    left_out: list[LeftOut] = []
    title, author, page = _title_page(source, lines[: min(first, _TITLE_PAGE_LINES)])
    scene_blanks = _scene_blanks(lines)
    base = usual_indent(lines) if width else 0

    opened: list[_Open] = [_Open()]
    volume = ""
    previous: Line | None = None
    for index, line in enumerate(lines):
        if index in title_indices:
            continue
        span = Span(line.start, line.end)
        if index in heads:
            head = heads[index]
            if head.title_index is not None:
                span = Span(line.start, lines[head.title_index].end)
            name = _title(source, head, lines)
            if head.role == "volume":
                volume = name
                if not _text_follows(source, lines, head, heads):
                    left_out.append(LeftOut(span, "heading-mark", source[span.start : span.end]))
                    previous = None
                    continue
            volume = head.heading.volume or volume
            opened.append(_Open(name, span, volume, line.row))
            previous = None
            continue
        text = source[line.start : line.end]
        bare = INVISIBLE.sub("", text).strip() if INVISIBLE.search(text) else text
        reason = _reason(bare, index, contents, page)
        if reason:
            left_out.append(LeftOut(span, reason, text))
            if reason == "scene-break" and opened[-1].blocks and opened[-1].blocks[-1]:
                opened[-1].blocks.append([])
            previous = None
            continue
        pieces = visible(source, (line.start, line.end), left_out)
        if not pieces:
            continue
        blocks = opened[-1].blocks
        if previous is not None and continues(source, previous, line, width, base):
            blocks[-1].extend(pieces)
        else:
            if scene_blanks and line.blanks >= scene_blanks and blocks and blocks[-1]:
                blocks.append([])
            blocks.append(pieces)
        previous = line

    done: list[Chapter] = []
    warnings: list[str] = []
    if not opened[0].blocks:
        opened.pop(0)
    for chapter in opened:
        paragraphs = paragraphs_of(source, chapter.blocks, left_out)
        if not paragraphs:
            warnings.append(f"chapter {len(done) + 1} ({chapter.title or 'untitled'}, line {chapter.row}) has no text")
        done.append(Chapter(len(done) + 1, chapter.title, chapter.heading, paragraphs, chapter.volume))
    warnings.extend(_numbering(lines, found))
    left_out.sort(key=lambda entry: entry.span.start)
    return Parsed(source, tuple(done), tuple(left_out), title, author, warnings=tuple(warnings))


def _text_follows(source: str, lines: Sequence[Line], head: chapters.Found, heads: dict[int, chapters.Found]) -> bool:
    """Whether a volume's line has text of its own before the next heading (clutter does not count)."""
    for index in range((head.title_index or head.index) + 1, len(lines)):
        if index in heads:
            return False
        text = source[lines[index].start : lines[index].end]
        if not (clutter.is_scene_break(text) or clutter.is_advert(text)):
            return True
    return True


def _reason(text: str, index: int, contents: set[int], page: set[int]) -> str:
    if not text:
        return "markup"
    if index in contents:
        return "table-of-contents"
    if index in page:
        return "title-page"
    if clutter.is_scene_break(text):
        return "scene-break"
    return "advert" if clutter.is_advert(text) else ""


def _title(source: str, head: chapters.Found, lines: Sequence[Line]) -> str:
    title = head.heading.title
    if head.title_index is not None:
        line = lines[head.title_index]
        title = f"{title} {source[line.start : line.end]}"
    return INVISIBLE.sub("", title)


def _title_page(source: str, lines: Sequence[Line]) -> tuple[str, str, set[int]]:
    """``(title, author, line indices)`` of what is certainly the title page."""
    title = author = ""
    page: set[int] = set()
    for index, line in enumerate(lines):
        said = clutter.title_line(source[line.start : line.end])
        if said is None:
            continue
        page.add(index)
        title = title or said.title
        author = author or said.author
        before = source[lines[0].start : lines[0].end]
        if index == 1 and said.author and not title and clutter.could_be_title(before):
            title = before
            page.add(0)
    return title, author, page


def _scene_blanks(lines: Sequence[Line]) -> int:
    """So many blank lines between two paragraphs stand for a scene break; 0 where the file's blanks say nothing."""
    if len(lines) < 8:
        return 0
    counts = Counter(line.blanks for line in lines[1:])
    usual, times = counts.most_common(1)[0]
    if usual > 1 or times < 0.8 * (len(lines) - 1):
        return 0
    return usual + 2


def _numbering(lines: Sequence[Line], found: Sequence[chapters.Found]) -> list[str]:
    """Jumps in the chapters' numbers: they are not mended, but the user should know."""
    warnings = []
    before = 0
    for head in found:
        number = head.heading.number
        if not number:
            continue
        if before and number != before + 1 and number > 1:
            what = "is there twice" if number == before else f"follows {before}"
            warnings.append(f"chapter number {number} {what} (line {lines[head.index].row})")
        before = number
    more = len(warnings) - _MAX_NUMBER_WARNINGS
    return [*warnings[:_MAX_NUMBER_WARNINGS], f"… and {more} more jumps in the numbering"] if more > 0 else warnings
