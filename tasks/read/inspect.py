"""What was understood of a manuscript, as plain data and as lines for a terminal (`voicepress inspect FILE`)."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from common.terminal import width as columns
from tasks.domain import JudgedHeading, Manuscript
from tasks.read.account import gaps
from tasks.read.weigh import THRESHOLD

_EXCERPTS = 3
_WITH_LINES = ("txt", "md")
_EXCERPT_CHARS = 40
_TITLE_COLUMNS = 44
_COLUMNS = 98
_MAX_CLOSE = 20
_MAX_REASONS = 3
_VERDICTS = {"contents": "tables of contents", "running head": "running heads"}

NEAR = -0.5
"""A line that has so many points and is no heading is shown without being asked for."""


@dataclass(frozen=True, slots=True)
class ChapterFacts:
    """``characters`` counts what is read, whitespace not; ``line`` is the 1-based line of the file, 0 where it has none
    (EPUB, docx and HTML have no lines that a reader would find)."""

    number: int
    volume: str
    title: str
    characters: int
    paragraphs: int
    line: int


@dataclass(frozen=True, slots=True)
class LeftOutFacts:
    """What was left out for one reason: how often, how many characters, the first few as excerpts with their lines."""

    reason: str
    times: int
    characters: int
    excerpts: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """``read``, ``headings``, ``left`` and ``unexplained`` are characters that are not whitespace; they add up to
    ``characters``."""

    path: str
    format: str
    encoding: str
    language: str
    title: str
    author: str
    characters: int
    read: int
    headings: int
    left: int
    unexplained: int
    chapters: tuple[ChapterFacts, ...]
    left_out: tuple[LeftOutFacts, ...]
    warnings: tuple[str, ...]
    judged: tuple[JudgedHeading, ...] = ()


def report(manuscript: Manuscript) -> Report:
    """Everything worth knowing of ``manuscript`` before hours are spent on it."""
    source = manuscript.source
    has_lines = manuscript.format in _WITH_LINES
    starts = [0]
    place = source.find("\n")
    while place >= 0:
        starts.append(place + 1)
        place = source.find("\n", place + 1)
    chapters = []
    read = headings = 0
    for chapter in manuscript.chapters:
        runs = [run for paragraph in chapter.paragraphs for run in paragraph.runs]
        count = sum(_solid(source[run.source_start : run.source_start + run.length]) for run in runs)
        read += count
        first = chapter.heading.start if chapter.heading else runs[0].source_start if runs else -1
        headings += _solid(source[chapter.heading.start : chapter.heading.end]) if chapter.heading else 0
        line = bisect_right(starts, first) if has_lines and first >= 0 else 0
        texts = sum(paragraph.kind == "text" for paragraph in chapter.paragraphs)
        chapters.append(ChapterFacts(chapter.number, chapter.volume, chapter.title, count, texts, line))
    groups: dict[str, list[tuple[int, int, str]]] = {}
    for entry in manuscript.left_out:
        row = (bisect_right(starts, entry.span.start) if has_lines else 0, _solid(entry.text), _short(entry.text))
        groups.setdefault(entry.reason, []).append(row)
    left_out = tuple(
        LeftOutFacts(
            reason, len(rows), sum(row[1] for row in rows), tuple((line, text) for line, _, text in rows[:_EXCERPTS])
        )
        for reason, rows in sorted(groups.items())
    )
    return Report(
        manuscript.path,
        manuscript.format,
        manuscript.encoding,
        manuscript.language,
        manuscript.title,
        manuscript.author,
        _solid(source),
        read,
        headings,
        sum(group.characters for group in left_out),
        sum(_solid(source[gap.start : gap.end]) for gap in gaps(manuscript)),
        tuple(chapters),
        left_out,
        manuscript.warnings,
        manuscript.judged,
    )


def render(facts: Report, *, why: bool = False) -> list[str]:
    """``facts`` as lines of plain text; columns line up where Han characters take two cells. ``why``: every line that has
    the shape of a heading, with all reasons, instead of the doubtful ones."""
    share = facts.read / facts.characters if facts.characters else 0.0
    lines = [
        facts.path,
        f"  title     {facts.title}" + (f", by {facts.author}" if facts.author else ""),
        f"  format    {facts.format}, {facts.encoding}, language {facts.language}",
        f"  coverage  {facts.characters:,} characters: {facts.read:,} read ({share:.1%}), {facts.headings:,} in headings, "
        f"{facts.left:,} left out, {facts.unexplained:,} unexplained",
        "",
        _count(len(facts.chapters), "chapter"),
    ]
    lines.extend(_table(facts.chapters))
    lines.extend(_headings(facts.judged, why))
    if facts.left_out:
        lines.extend(("", "left out"))
        for group in facts.left_out:
            lines.append(f"  {group.reason}: {_count(group.times, 'time')}, {_count(group.characters, 'character')}")
            lines.extend(f"    line {line}: {text}" if line else f"    {text}" for line, text in group.excerpts)
            if group.times > len(group.excerpts):
                lines.append(f"    … and {group.times - len(group.excerpts)} more")
    if facts.warnings:
        lines.extend(("", "warnings"))
        for warning in facts.warnings:
            lines.extend(_wrap(f"  {warning}", "    "))
    return lines


def _headings(judged: Sequence[JudgedHeading], why: bool) -> Iterator[str]:
    """How many headings of which shape were taken, and what was nearly taken, with the reasons."""
    if not judged:
        return
    counts = Counter(one.shape for one in judged if one.accepted)
    others = Counter(one.verdict for one in judged if one.verdict)
    taken = ", ".join(f"{times:,} {shape}" for shape, times in counts.most_common())
    yield ""
    yield from _wrap(
        f"headings: {taken or 'none'}" + "".join(f"; {n:,} lines of {_VERDICTS[v]}" for v, n in others.items()), "  "
    )
    if why:
        for one in judged:
            yield from _judged(one, len(one.reasons))
        return
    close = [one for one in judged if not one.accepted and not one.verdict and one.score >= NEAR]
    rest = sum(not one.accepted and not one.verdict for one in judged) - len(close)
    for one in close[:_MAX_CLOSE]:
        yield from _judged(one, _MAX_REASONS)
    more = max(0, len(close) - _MAX_CLOSE)
    if more or rest:
        parts = ([f"{more:,} more"] if more else []) + ([f"{rest:,} further from it"] if rest else [])
        yield f"  not taken: {' and '.join(parts)} (--why shows all)"


def _judged(one: JudgedHeading, most: int) -> Iterator[str]:
    what = "heading" if one.accepted else one.verdict or "not a heading"
    points = "" if one.verdict else f", {one.score:.1f} of {THRESHOLD} points"
    yield f"  line {one.row}: {_fit(one.text)}: {what}{points}"
    yield from _wrap("    " + "; ".join(one.reasons[:most]), "    ")


def _wrap(text: str, indent: str) -> Iterator[str]:
    """``text`` in lines of ``_COLUMNS`` cells, broken at spaces."""
    words = text.lstrip(" ").split(" ")
    row = text[: len(text) - len(text.lstrip(" "))] + words[0]
    for word in words[1:]:
        if columns(row) + 1 + columns(word) > _COLUMNS:
            yield row
            row = indent + word
        else:
            row = f"{row} {word}"
    yield row


def _table(chapters: Sequence[ChapterFacts]) -> Iterator[str]:
    names = [_fit(chapter.title or "(untitled)") for chapter in chapters]
    width = max((columns(name) for name in names), default=0)
    volume = ""
    for chapter, name in zip(chapters, names, strict=True):
        if chapter.volume != volume:
            volume = chapter.volume
            yield f"  {volume or '(no volume)'}"
        padded = name + " " * (width - columns(name))
        place = f"line {chapter.line}" if chapter.line else ""
        yield f"  {chapter.number:>5}  {padded}  {chapter.characters:>9,} characters  {place}".rstrip()


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _fit(text: str) -> str:
    if columns(text) <= _TITLE_COLUMNS:
        return text
    kept = ""
    for char in text:
        if columns(kept + char) >= _TITLE_COLUMNS:
            break
        kept += char
    return kept + "…"


def _short(text: str) -> str:
    flat = " ".join(text[: _EXCERPT_CHARS * 4].split())
    return flat if len(flat) <= _EXCERPT_CHARS else flat[: _EXCERPT_CHARS - 1] + "…"


def _solid(text: str) -> int:
    return sum(map(len, text.split()))
