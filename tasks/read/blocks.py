"""From blocks to chapters: what Markdown, HTML, EPUB and docx share.

Contract: a reader of a marked-up format gives blocks in reading order; ``assemble`` decides which heading level makes
chapters and which makes volumes, and composes the paragraphs. Deeper headings are read as paragraphs. Where there is
no heading at all, lines that look like headings (第一章 …) are taken, as in plain text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from tasks.domain import Chapter, LeftOut, Paragraph, Span
from tasks.read import chapters, clutter, notes
from tasks.read.asides import author_lines
from tasks.read.headings import grade
from tasks.read.lines import Line
from tasks.read.paragraphs import INVISIBLE, SCENE_BREAK, Piece, compose, cut, trim
from tasks.read.remarks import without_text


@dataclass(slots=True)
class Block:
    """A stretch of text. ``pieces`` are trimmed source spans; a scene break and a heading that only the table of contents
    knows have none. ``level`` 1-9 of a heading; ``title`` overrides its text."""

    kind: Literal["heading", "text", "scene_break"]
    pieces: list[Piece] = field(default_factory=list)
    level: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Assembled:
    chapters: tuple[Chapter, ...]
    title: str
    warnings: tuple[str, ...]


@dataclass(slots=True)
class _Open:
    title: str = ""
    heading: Span | None = None
    volume: str = ""
    blocks: list[list[Piece]] = field(default_factory=list)


def paragraphs_of(source: str, blocks: Sequence[list[Piece]], left_out: list[LeftOut]) -> tuple[Paragraph, ...]:
    """One chapter's paragraphs, matched footnotes cut out. An empty block is a scene break; it stays only between two
    paragraphs."""
    noted, marks = notes.match(source, blocks)
    for index in noted:
        left_out.extend(LeftOut(Span(*piece), "footnote", source[slice(*piece)]) for piece in blocks[index])
    for holes in marks.values():
        left_out.extend(LeftOut(Span(*hole), "footnote-mark", source[slice(*hole)]) for hole in holes)
    made: list[Paragraph] = []
    for index, pieces in enumerate(blocks):
        if index in noted:
            continue
        if not pieces:
            if made and made[-1].kind == "text":
                made.append(SCENE_BREAK)
            continue
        kept = trim(source, cut(pieces, marks[index])) if index in marks else pieces
        if kept:
            made.append(compose(source, kept))
    while made and made[-1].kind == "scene_break":
        made.pop()
    return tuple(made)


def text_of(source: str, pieces: Sequence[Piece]) -> str:
    """The text of ``pieces`` on one line."""
    return re.sub(r"\s+", " ", INVISIBLE.sub("", compose(source, pieces).text)).strip() if pieces else ""


def assemble(source: str, blocks: list[Block], left_out: list[LeftOut], *, title_heading: bool = True) -> Assembled:
    """Chapters of ``blocks``; what is not read is entered into ``left_out`` (sorted in the end).

    ``title_heading``: a single top heading with deeper ones under it is the book's title (Markdown, HTML, docx).
    """
    blocks = _sift(source, blocks, left_out)
    if not any(block.kind == "heading" for block in blocks):
        blocks = _headings_by_shape(source, blocks, left_out)
    title = ""
    if title_heading:
        title, blocks = _book_title(source, blocks, left_out)
    blocks = _two_line_headings(source, blocks)
    top, inner = _levels(source, blocks)
    opened = [_Open()]
    volume = ""
    for index, block in enumerate(blocks):
        if block.kind == "scene_break":
            opened[-1].blocks.append([])
        elif block.kind == "text" or (block.level > inner and block.pieces):
            opened[-1].blocks.append(block.pieces)
        elif block.kind == "heading" and block.level <= inner:
            name = block.title or text_of(source, block.pieces)
            span = Span(block.pieces[0][0], block.pieces[-1][1]) if block.pieces else None
            if top < inner and block.level <= top:
                under = _has_inner(blocks, index, inner)
                volume = name if under else ""
                if under and index + 1 < len(blocks) and blocks[index + 1].kind == "heading":
                    if span is not None:
                        left_out.append(LeftOut(span, "heading-mark", source[span.start : span.end]))
                    continue
            opened.append(_Open(name, span, volume))
    if not opened[0].blocks:
        opened.pop(0)
    done: list[Chapter] = []
    warnings: list[str] = []
    silent: list[str] = []
    for chapter in opened:
        paragraphs = paragraphs_of(source, chapter.blocks, left_out)
        if chapter.heading is None and not paragraphs:
            if chapter.title:
                warnings.append(f"{chapter.title!r} stands in the table of contents but has no text")
            continue
        if not paragraphs:
            silent.append(f"chapter {len(done) + 1} ({chapter.title or 'untitled'})")
        done.append(Chapter(len(done) + 1, chapter.title, chapter.heading, paragraphs, chapter.volume))
    left_out.sort(key=lambda entry: entry.span.start)
    return Assembled(tuple(done), title, (*warnings, *without_text(silent)))


def _sift(source: str, blocks: list[Block], left_out: list[LeftOut]) -> list[Block]:
    """Adverts and authors' notes out, ornaments to scene breaks."""
    asides = _asides(source, blocks)
    kept: list[Block] = []
    for index, block in enumerate(blocks):
        if block.kind == "text" and (index in asides or block.pieces[-1][1] - block.pieces[0][0] <= 200):
            reason = "author-note" if index in asides else clutter.reason(text_of(source, block.pieces))
            if reason:
                left_out.extend(LeftOut(Span(*piece), reason, source[slice(*piece)]) for piece in block.pieces)
                if reason == "scene-break":
                    kept.append(Block("scene_break"))
                continue
        kept.append(block)
    return kept


def _asides(source: str, blocks: Sequence[Block]) -> set[int]:
    """Blocks that are the author's notes, told heading by heading."""
    found: set[int] = set()
    section: list[int] = []
    for index in range(len(blocks) + 1):
        if index == len(blocks) or blocks[index].kind == "heading":
            texts = [text_of(source, blocks[place].pieces) for place in section]
            found.update(section[place] for place in author_lines(texts))
            section = []
        elif blocks[index].kind == "text":
            section.append(index)
    return found


def _headings_by_shape(source: str, blocks: list[Block], left_out: list[LeftOut]) -> list[Block]:
    texts = [(index, block) for index, block in enumerate(blocks) if block.kind == "text"]
    lines = [Line(block.pieces[0][0], block.pieces[-1][1], 0, 0, row) for row, (_, block) in enumerate(texts, 1)]
    found, contents = chapters.find(source, lines)
    gone = {texts[place][0] for place in contents}
    for index in gone:
        left_out.extend(
            LeftOut(Span(*piece), "table-of-contents", source[slice(*piece)]) for piece in blocks[index].pieces
        )
    roles = {texts[head.index][0]: head for head in found}
    made = []
    for index, block in enumerate(blocks):
        if index in gone:
            continue
        head = roles.get(index)
        made.append(
            block
            if head is None
            else Block("heading", block.pieces, 1 if head.role == "volume" else 2, head.heading.title)
        )
    return made


def _book_title(source: str, blocks: list[Block], left_out: list[LeftOut]) -> tuple[str, list[Block]]:
    heads = [block for block in blocks if block.kind == "heading"]
    if len(heads) < 2 or blocks[0] is not heads[0]:
        return "", blocks
    first = heads[0]
    if any(head.level <= first.level for head in heads[1:]):
        return "", blocks
    # A title is followed by its chapters; a first chapter with sub-headings has text of its own, or there are few others.
    levels = [head.level for head in heads[1:]]
    if blocks[1].kind != "heading" and levels.count(min(levels)) < 2:
        return "", blocks
    left_out.extend(LeftOut(Span(*piece), "title-page", source[slice(*piece)]) for piece in first.pieces)
    return first.title or text_of(source, first.pieces), blocks[1:]


def _two_line_headings(source: str, blocks: list[Block]) -> list[Block]:
    """第一章 as one heading and its title as the next, deeper one, all through the book: one heading each."""
    heads = [index for index, block in enumerate(blocks) if block.kind == "heading"]
    levels = sorted({blocks[index].level for index in heads})
    if len(levels) < 2:
        return blocks
    top, deeper = levels[0], levels[1]
    seconds = {index for index in heads if blocks[index].level == deeper}
    if len(seconds) < 2 or not all(index > 0 and blocks[index - 1].level == top for index in seconds):
        return blocks
    merged: list[Block] = []
    for index, block in enumerate(blocks):
        if index in seconds:
            first = merged.pop()
            names = [one.title or text_of(source, one.pieces) for one in (first, block)]
            merged.append(Block("heading", first.pieces + block.pieces, top, " ".join(names)))
        else:
            merged.append(block)
    return merged


def _levels(source: str, blocks: Sequence[Block]) -> tuple[int, int]:
    """``(volume level, chapter level)``; equal where there are no volumes.

    The outermost headings are volumes where those with deeper ones under them mostly have no text before the first of
    these, unless their names say that they are chapters themselves (第三章 with 一, 二, 三 inside).
    """
    levels = sorted({block.level for block in blocks if block.kind == "heading"})
    if len(levels) < 2:
        return (levels[0], levels[0]) if levels else (1, 1)
    top, deeper = levels[0], levels[1]
    parents = [
        index
        for index, block in enumerate(blocks)
        if block.kind == "heading" and block.level == top and _has_inner(blocks, index, deeper)
    ]
    named = [grade(blocks[index].title or text_of(source, blocks[index].pieces)) for index in parents]
    if sum(shape is not None and shape.kind == "chapter" for shape in named) * 2 > len(parents):
        return top, top
    direct = sum(blocks[index + 1].kind == "heading" for index in parents)
    return (top, deeper) if direct * 2 >= len(parents) else (top, top)


def _has_inner(blocks: Sequence[Block], index: int, inner: int) -> bool:
    level = blocks[index].level
    for block in blocks[index + 1 :]:
        if block.kind == "heading":
            if block.level <= level:
                return False
            if block.level <= inner:
                return True
    return False
