"""Manuscript -> Script: the pure function that makes a text speakable.

Contract: ``write_script`` reads no file and keeps no state (what it loads are the packages' own tables). In every
chapter the spans of the lines tile the heading and the paragraphs: each character but whitespace is in exactly one
line. A quotation keeps its marks in ``text`` and loses them in ``spoken``. Nothing a line holds is longer than
``max_chars``, written or spoken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from common.errors import VoicepressError
from tasks.domain import (
    NARRATOR,
    After,
    Cast,
    Chapter,
    ChapterScript,
    Line,
    Manuscript,
    Paragraph,
    Reading,
    Script,
    Span,
)
from tasks.script import tags_en, tags_zh
from tasks.script.attribute import Attribution, attribute
from tasks.script.ids import line_ids
from tasks.script.names import Names
from tasks.script.pieces import Piece, pieces
from tasks.script.quotes import find
from tasks.script.speakable import Speakable, has_sound, speakable
from tasks.script.style import SubjectOf, styles_of

Read = Callable[[str, str], tuple[Reading, ...]]
Kind = Literal["heading", "narration", "dialogue"]

_SENTENCE_ENDS = "。．！？!?.…～~—"
_CLOSING = "”’」』》〉）)】］]\"'"


@dataclass(frozen=True, slots=True)
class ScriptSettings:
    """``max_chars`` bounds a line, written and spoken; a line shorter than ``min_chars`` is avoided where it can be.
    ``language`` is the book's. ``speakers`` finds out who speaks; without it dialogue is read by the narrator.
    ``styles`` lets the words around a quotation choose its style, by the house's table and the book's ``style_table``
    before it."""

    max_chars: int = 180
    min_chars: int = 8
    language: str = "zh"
    speakers: bool = True
    styles: bool = True
    style_table: Path | None = None

    def __post_init__(self) -> None:
        if self.max_chars < 20:
            raise VoicepressError(
                "bad-setting", f"max_chars is {self.max_chars}; a line needs room for 20", key="max_chars",
                hint="choose a value from 20 on; 180 is usual",
            )  # fmt: skip
        if not 0 <= self.min_chars <= self.max_chars // 2:
            raise VoicepressError(
                "bad-setting", f"min_chars is {self.min_chars}, which does not fit max_chars {self.max_chars}",
                key="min_chars", hint="choose at most half of max_chars; 8 is usual",
            )  # fmt: skip


def _as_it_is(spoken: str) -> str:
    return spoken


Lexis = Callable[[int], tuple[Read, Callable[[str], str]]]
"""By chapter number: how texts are read there, and what is respelled."""


def write_script(
    manuscript: Manuscript,
    cast: Cast,
    settings: ScriptSettings,
    read: Read,
    respell: Callable[[str], str] = _as_it_is,
    lexis: Lexis | None = None,
    names: Names | None = None,
) -> Script:
    """The script of a whole manuscript; ``read`` gives the readings of a spoken text in a language, ``respell`` changes
    a spoken text as the lexicon says. ``lexis`` gives both for each chapter where they differ. ``names`` are those of
    ``names_of`` where the caller has them."""
    chapters = []
    volume = ""
    names = names or names_of(manuscript, cast, settings)
    for chapter in manuscript.chapters:
        if lexis is not None:
            read, respell = lexis(chapter.number)
        chapters.append(write_chapter(manuscript, chapter, names, settings, read, respell, chapter.volume != volume))
        volume = chapter.volume
    return Script(tuple(chapters))


def names_of(manuscript: Manuscript, cast: Cast, settings: ScriptSettings) -> Names:
    """Who can be meant in a manuscript."""
    return Names(cast, _book_text(manuscript) if settings.speakers else "", settings.language)


def write_chapter(
    manuscript: Manuscript,
    chapter: Chapter,
    names: Names,
    settings: ScriptSettings,
    read: Read,
    respell: Callable[[str], str] = _as_it_is,
    new_volume: bool = False,
) -> ChapterScript:
    """One chapter's script; ``new_volume`` speaks the volume's title first."""
    lines = _headings(manuscript, chapter, settings, respell, new_volume)
    texts = [paragraph for paragraph in chapter.paragraphs if paragraph.kind == "text"]
    quotes = find([paragraph.text for paragraph in texts], settings.language)
    spoken_by = (
        attribute([paragraph.text for paragraph in texts], quotes, names, settings.language)
        if settings.speakers
        else [[None] * len(row) for row in quotes]
    )
    at = 0
    said = ("", "")
    subject_of = _subject_of(names, settings.language)
    for index, paragraph in enumerate(chapter.paragraphs):
        if paragraph.kind != "text":
            continue
        row = pieces(paragraph.text, quotes[at], spoken_by[at])
        at += 1
        following = chapter.paragraphs[index + 1] if index + 1 < len(chapter.paragraphs) else None
        end: After = "scene" if following is not None and following.kind == "scene_break" else "paragraph"
        styles = [""] * len(row)
        if settings.styles:
            styles, said = styles_of(row, paragraph.text, settings.style_table, subject_of, said)
        lines.extend(_paragraph(paragraph, row, styles, settings, respell, end))
    if lines:
        lines[-1] = replace(lines[-1], after="chapter")
    ids = line_ids([line.text for line in lines])
    finished = tuple(
        replace(line, id=key, readings=() if line.skip else read(line.spoken, line.language))
        for line, key in zip(lines, ids, strict=True)
    )
    return ChapterScript(chapter.number, chapter.title, finished, chapter.volume)


def _subject_of(names: Names, language: str) -> SubjectOf:
    tags = tags_en if language == "en" else tags_zh

    def subject_of(clause: str) -> str:
        found = tags.subject(clause, names)
        return found.name if found else ""

    return subject_of


def _book_text(manuscript: Manuscript) -> str:
    return "\n".join(paragraph.text for chapter in manuscript.chapters for paragraph in chapter.paragraphs)


def _headings(
    manuscript: Manuscript, chapter: Chapter, settings: ScriptSettings, respell: Callable[[str], str], new_volume: bool
) -> list[Line]:
    lines: list[Line] = []
    source = manuscript.source
    if new_volume and chapter.volume:
        end = chapter.heading.start if chapter.heading else len(source)
        heading_holds_it = chapter.heading and chapter.volume in source[chapter.heading.start : chapter.heading.end]
        found = source.rfind(chapter.volume, 0, end)
        if not heading_holds_it:
            start = found if found >= 0 else end
            lines.extend(_heading(chapter.volume, start, found >= 0, settings, respell))
    if chapter.heading is not None and chapter.heading.end > chapter.heading.start:
        text = source[chapter.heading.start : chapter.heading.end]
        lines.extend(_heading(text, chapter.heading.start, True, settings, respell))
    return lines


def _heading(
    text: str, source_start: int, in_source: bool, settings: ScriptSettings, respell: Callable[[str], str]
) -> list[Line]:
    parts = speakable(
        text, 0, len(text), settings.max_chars, settings.min_chars, settings.language, respell, heading=True
    )
    lines = []
    for order, part in enumerate(parts):
        start, end = (source_start + part.start, source_start + part.end) if in_source else (source_start, source_start)
        lines.append(Line(
            id="", kind="heading", text=part.text, spoken=part.spoken, span=Span(start, end), language=part.language,
            after="heading" if order + 1 == len(parts) else "clause", skip=not has_sound(part.spoken),
        ))  # fmt: skip
    return lines


def _paragraph(
    paragraph: Paragraph, row: list[Piece], styles: list[str], settings: ScriptSettings, respell: Callable[[str], str], end: After,
) -> list[Line]:  # fmt: skip
    parts: list[tuple[Piece, Speakable]] = [
        (piece, part)
        for piece in row
        for part in speakable(
            paragraph.text, piece.start, piece.end, settings.max_chars, settings.min_chars, settings.language, respell
        )
    ]
    parts = _attach_silent(paragraph.text, parts, settings, respell)
    lines = []
    style_of = {piece.start: style for piece, style in zip(row, styles, strict=True)}
    for order, (piece, part) in enumerate(parts):
        kind: Kind = "dialogue" if piece.dialogue else "narration"
        spoken_by = piece.attribution
        lines.append(Line(
            id="", kind=kind, text=part.text, spoken=part.spoken,
            span=paragraph.source_span(part.start, part.end),
            speaker=spoken_by.speaker if spoken_by else NARRATOR,
            gender=spoken_by.gender if spoken_by else "",
            language=part.language, style=style_of[piece.start],
            after=end if order + 1 == len(parts) else _after(part.text), skip=not has_sound(part.spoken),
            rule=spoken_by.rule if spoken_by else "", confidence=round(spoken_by.confidence, 3) if spoken_by else 1.0,
            other=_other(spoken_by),
        ))  # fmt: skip
    return lines


def _other(spoken_by: Attribution | None) -> tuple[str, float] | None:
    """The likeliest of those who were not chosen, where the choice is not sure."""
    if spoken_by is None or spoken_by.confidence >= 0.9:
        return None
    rest = ((name, round(chance, 2)) for name, chance in spoken_by.candidates if name != spoken_by.speaker)
    return max(rest, key=lambda one: one[1], default=None)


def _attach_silent(
    text: str, parts: list[tuple[Piece, Speakable]], settings: ScriptSettings, respell: Callable[[str], str]
) -> list[tuple[Piece, Speakable]]:
    """Parts without a sound (“……”) join a neighbour that has room for them."""
    out = list(parts)
    index = 0
    while index < len(out) and len(out) > 1:
        part = out[index][1]
        if has_sound(part.spoken):
            index += 1
            continue
        for other in (index - 1, index + 1):
            if not 0 <= other < len(out):
                continue
            host, near = out[other]
            start, stop = min(part.start, near.start), max(part.end, near.end)
            joined = speakable(
                text, start, stop, settings.max_chars, 0, settings.language, respell, languages=near.language
            )
            if len(joined) == 1:
                low = min(index, other)
                out[low : low + 2] = [(host, joined[0])]
                index = low
                break
        else:
            index += 1
    return out


def _after(text: str) -> After:
    return "sentence" if text.rstrip(_CLOSING)[-1:] in _SENTENCE_ENDS else "clause"
