"""Plain text: lines to chapters.

Contract: ``parse`` reads a decoded text. One line is a paragraph unless the file is hard-wrapped; tables of contents,
running heads, adverts (also inside a paragraph), authors' notes, title page, licence, scene marks and matched footnotes
are left out with their reason. Text before the first heading becomes an untitled opening chapter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tasks.domain import Chapter, LeftOut, Span
from tasks.read import chapters, clutter
from tasks.read.asides import author_lines
from tasks.read.blocks import paragraphs_of
from tasks.read.hyphens import hyphen_at, joined_words
from tasks.read.licence import Frame, frame
from tasks.read.lines import Line, split
from tasks.read.paragraphs import INVISIBLE, Piece, continues, cut, trim, usual_indent, visible, wrap_width
from tasks.read.parsed import Parsed
from tasks.read.remarks import numbering, unreadable, without_text

_TITLE_PAGE_LINES = 30
_MIN_REPEATED_PARAGRAPH = 20
_MIN_REPEATED_CHARS = 200
_BODY_MARKS = frozenset(("正文", "正文卷", "【正文】", "正文：", "正文开始"))
_MAX_SAME = 5
_ANNOUNCEMENT = re.compile("(?:上架|新书|開書|开书)感言|^请假|^請假|^(?:关于|關於)?(?:更新|上架)")


@dataclass(slots=True)
class _Open:
    """A chapter being filled; an empty block stands for a scene break."""

    title: str = ""
    heading: Span | None = None
    volume: str = ""
    row: int = 1
    blocks: list[list[Piece]] = field(default_factory=list)


def parse(source: str) -> Parsed:
    """Read ``source`` (line ends ``\n``) as a plain-text book."""
    every = split(source)
    framed = frame(source, every)
    left_out = [
        LeftOut(Span(every[index].start, every[index].end), "licence", source[every[index].start : every[index].end])
        for index in sorted(framed.lines)
    ]
    lines = [line for index, line in enumerate(every) if index not in framed.lines] if framed.lines else every
    width = wrap_width(source, lines)
    judged = chapters.judge(source, lines, wrapped=width > 0)
    heads = {head.index: head for head in judged.found}
    title_indices = {head.title_index for head in judged.found if head.title_index is not None}
    first = judged.found[0].index if judged.found else min(len(lines), 6)
    title, author, page = _title_page(source, lines[: min(first, _TITLE_PAGE_LINES)])
    page |= _named(source, lines[: min(first, _TITLE_PAGE_LINES)], framed)
    reasons = dict.fromkeys(page, "title-page") | dict.fromkeys(judged.contents, "table-of-contents")
    reasons |= dict.fromkeys(judged.running_heads, "page-header")
    _sort_out(source, lines, heads, title_indices, reasons)
    scene_blanks = _scene_blanks(lines)
    base = usual_indent(lines) if width else 0
    joined = joined_words(source, lines) if width else None

    opened: list[_Open] = [_Open()]
    volume = ""
    previous: Line | None = None
    repeated: list[int] = []
    for index, line in enumerate(lines):
        if index in title_indices:
            continue
        if index in heads:
            head = heads[index]
            span = Span(line.start, line.end)
            if head.title_index is not None:
                span = Span(line.start, lines[head.title_index].end)
            name = _title(source, head, lines)
            if head.role == "volume":
                volume = name
                if not _text_follows(lines, head, heads, reasons):
                    left_out.append(LeftOut(span, "heading-mark", source[span.start : span.end]))
                    previous = None
                    continue
            volume = head.heading.volume or volume
            opened.append(_Open(name, span, volume, line.row))
            previous = None
            continue
        blocks = opened[-1].blocks
        reason = reasons.get(index, "")
        if reason:
            left_out.append(LeftOut(Span(line.start, line.end), reason, source[line.start : line.end]))
            if reason == "scene-break" and blocks and blocks[-1]:
                blocks.append([])
            if reason not in ("advert", "page-header"):
                # These two were put into the text where they stand: a paragraph may go on after them.
                previous = None
            continue
        pieces = _without_adverts(source, visible(source, (line.start, line.end), left_out), left_out)
        if not pieces:
            continue
        if previous is not None and blocks and blocks[-1] and continues(source, previous, line, width, base):
            if joined is not None and (hyphen := hyphen_at(source, blocks[-1][-1], pieces[0], joined)):
                left_out.append(LeftOut(Span(*hyphen), "markup", source[slice(*hyphen)]))
                blocks[-1][-1] = (blocks[-1][-1][0], hyphen[0])
            blocks[-1].extend(pieces)
        else:
            if scene_blanks and line.blanks >= scene_blanks and blocks and blocks[-1]:
                blocks.append([])
            if previous is not None and _same(source, previous, line):
                repeated.append(line.row)
            blocks.append(pieces)
        previous = line

    done: list[Chapter] = []
    warnings: list[str] = []
    if not opened[0].blocks:
        opened.pop(0)
    texts = 0
    silent: list[str] = []
    same: list[str] = []
    for chapter in opened:
        paragraphs = paragraphs_of(source, chapter.blocks, left_out)
        if not paragraphs:
            silent.append(f"chapter {len(done) + 1} ({chapter.title or 'untitled'}, line {chapter.row})")
        before, texts = texts, hash(tuple(paragraph.text for paragraph in paragraphs))
        if done and texts == before and paragraphs and sum(len(one.text) for one in paragraphs) >= _MIN_REPEATED_CHARS:
            same.append(
                f"chapter {len(done) + 1} ({chapter.title}, line {chapter.row}) has the same text as the one before"
            )
        if _ANNOUNCEMENT.search(chapter.title):
            warnings.append(
                f"chapter {len(done) + 1} ({chapter.title}, line {chapter.row}) looks like the author's announcement; it is read"
            )
        done.append(Chapter(len(done) + 1, chapter.title, chapter.heading, paragraphs, chapter.volume))
    warnings = [*without_text(silent), *warnings, *same[:_MAX_SAME]]
    if len(same) > _MAX_SAME:
        warnings.append(f"… and {len(same) - _MAX_SAME} more chapters with the text of the one before")
    if repeated:
        shown = ", ".join(map(str, repeated[:5])) + (" …" if len(repeated) > 5 else "")
        warnings.append(f"{len(repeated)} paragraphs stand twice in a row; both are read (line {shown})")
    warnings.extend(numbering(lines, judged.found))
    warnings.extend(unreadable(source))
    left_out.sort(key=lambda entry: entry.span.start)
    return Parsed(source, tuple(done), tuple(left_out), framed.title or title, framed.author or author,
                  warnings=tuple(warnings), judged=judged.verdicts)  # fmt: skip


def _sort_out(
    source: str, lines: Sequence[Line], heads: dict[int, chapters.Found], titles: set[int], reasons: dict[int, str]
) -> None:
    """Enter into ``reasons`` which lines are clutter; authors' notes are told chapter by chapter."""
    section: list[int] = []
    texts: list[str] = []
    for index in range(len(lines) + 1):
        if index == len(lines) or index in heads:
            reasons.update((section[place], "author-note") for place in author_lines(texts))
            section, texts = [], []
            continue
        if index in titles or index in reasons:
            continue
        text = source[lines[index].start : lines[index].end]
        bare = INVISIBLE.sub("", text).strip() if INVISIBLE.search(text) else text
        reason = clutter.reason(bare) if bare else "markup"
        if bare in _BODY_MARKS and index + 1 in heads:
            reason = "heading-mark"
        if reason:
            reasons[index] = reason
        else:
            section.append(index)
            texts.append(bare)


def _without_adverts(source: str, pieces: list[Piece], left_out: list[LeftOut]) -> list[Piece]:
    kept: list[Piece] = []
    for low, high in pieces:
        holes = [(low + start, low + end) for start, end in clutter.inside_adverts(source[low:high])]
        left_out.extend(LeftOut(Span(*hole), "advert", source[slice(*hole)]) for hole in holes)
        kept.extend(cut([(low, high)], holes) if holes else [(low, high)])
    return trim(source, kept) if len(kept) != len(pieces) or kept != pieces else pieces


def _same(source: str, line: Line, after: Line) -> bool:
    size = line.end - line.start
    return size >= _MIN_REPEATED_PARAGRAPH and size == after.end - after.start and (
        source[line.start : line.end] == source[after.start : after.end]
    )  # fmt: skip


def _text_follows(
    lines: Sequence[Line], head: chapters.Found, heads: dict[int, chapters.Found], reasons: dict[int, str]
) -> bool:
    """Whether a volume's line has text of its own before the next heading (clutter does not count)."""
    for index in range((head.title_index or head.index) + 1, len(lines)):
        if index in heads:
            return False
        if index not in reasons:
            return True
    return True


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


def _named(source: str, lines: Sequence[Line], framed: Frame) -> set[int]:
    """Lines that say the title or author once more that the frame around the book has named."""
    said = {framed.title.casefold(), framed.author.casefold(), f"by {framed.author}".casefold()} - {"", "by "}
    return {index for index, line in enumerate(lines) if source[line.start : line.end].casefold() in said}


def _scene_blanks(lines: Sequence[Line]) -> int:
    """So many blank lines between two paragraphs stand for a scene break; 0 where the file's blanks say nothing."""
    if len(lines) < 8:
        return 0
    counts = Counter(line.blanks for line in lines[1:])
    usual, times = counts.most_common(1)[0]
    if usual > 1 or times < 0.8 * (len(lines) - 1):
        return 0
    return usual + 2
