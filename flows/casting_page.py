"""What ``voicepress cast`` shows in a terminal: tables for people, in a hundred columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from flows.casting import CastReport, Character, UnsureLine
from flows.console import clip, table
from flows.make import shown
from flows.settling import excerpt
from tasks.domain import UNKNOWN, Line

COLUMNS = 100


def render(report: CastReport) -> str:
    """The report as a person reads it, in ``COLUMNS`` columns."""
    files = " <- ".join(shown(Path(file)) for file in report.files)
    rows = [f"{report.title}: {report.dialogue} lines of dialogue", f"cast: {files}; narrator: {report.narrator}", ""]
    body = [
        (
            clip(one.name, 20),
            one.gender or "?",
            one.lines or "-",
            one.mentions or "-",
            one.chapter or "-",
            one.voice or "none left",
            _where(one),
        )
        for one in report.characters
    ]
    head = ("character", "gender", "lines", "mentions", "from ch.", "voice", "in")
    drawn = table(head, body, right="  rrr").splitlines()
    rows += drawn[:2]
    for one, row in zip(report.characters, drawn[2:], strict=True):
        rows.append(clip(row, COLUMNS))
        also = f"also {', '.join(one.aliases[:8])}" if one.aliases else ""
        detail = "; ".join(filter(None, (also, excerpt(one.sample, 60))))
        if detail:
            rows.append(clip(f"    {detail}", COLUMNS))
    if not report.characters:
        rows.append("nobody speaks in this book but the narrator")
    rows.append("")
    if report.mentioned:
        rows.append(clip(f"mentioned, and never speaking: {', '.join(report.mentioned)}", COLUMNS))
    if report.nobody:
        rows.append(f"{_lines(report.nobody)} of dialogue nobody could be found for")
    if report.unsure:
        rows.append(f"{_lines(len(report.unsure))} with a speaker below {report.unsure_below:g}: --unsure lists them")
    strangers = [one for one in report.characters if not one.file]
    if strangers:
        what = {
            "error": "an error in 'make'",
            "pool": "read by voices of the pool",
            "narrator": "read by the narrator or the default voices",
        }[report.unknown]
        rows.append(f"in no cast: {len(strangers)}, {what}; --write adds them as proposed")
    return "\n".join(rows).rstrip()


def _where(one: Character) -> str:
    if one.file:
        return shown(Path(one.file)) if len(one.file) < 30 else Path(one.file).name
    return f"proposed, shared with {one.shares}" if one.shares and one.shares != one.name else "proposed"


def render_unsure(lines: Sequence[UnsureLine], below: float) -> str:
    """The unsure lines, and how to settle one."""
    if not lines:
        return f"no line has a speaker below {below:g}"
    rows: list[str] = []
    for line in lines:
        guess = (
            "nobody found"
            if line.guess == UNKNOWN
            else f"{line.guess} {line.confidence:.2f} by {line.rule or 'a guess'}"
        )
        other = f", or {line.other} {line.chance:.2f}" if line.other else ""
        near = f"; near: {', '.join(line.near[:4])}" if line.near else ""
        rows.append(clip(f"ch. {line.chapter}  {line.id}  {guess}{other}{near}", COLUMNS))
        rows.append(clip(f"    {excerpt(line.text, 90)}", COLUMNS))
    rows += [
        "",
        f"{_lines(len(lines))} below {below:g}. To settle one, set its 'speaker:' in the chapter's script file, such as",
        f"{shown(Path(lines[0].script))}; then 'make' again. 'unsure:' in the cast says who reads the rest.",
    ]
    return "\n".join(rows)


def render_lines(name: str, lines: Iterable[tuple[int, Line]]) -> str:
    """Every line of one speaker."""
    body = [
        (chapter, line.id, f"{line.confidence:.2f}", line.rule or "-", excerpt(line.text, 200))
        for chapter, line in lines
    ]
    drawn = table(("ch.", "line", "sure", "by", f"{name} says"), body, right="r r").splitlines()
    return "\n".join(clip(row, COLUMNS) for row in drawn)


def unsure_json(lines: Sequence[UnsureLine]) -> str:
    """As ``render_unsure``, for programs."""
    return json.dumps([asdict(line) for line in lines], ensure_ascii=False, indent=1)


def lines_json(lines: Iterable[tuple[int, Line]]) -> str:
    """As ``render_lines``, for programs."""
    rows = [
        {
            "chapter": chapter, "id": line.id, "speaker": line.speaker, "text": line.text, "style": line.style,
            "confidence": line.confidence, "rule": line.rule,
        }
        for chapter, line in lines
    ]  # fmt: skip
    return json.dumps(rows, ensure_ascii=False, indent=1)


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
