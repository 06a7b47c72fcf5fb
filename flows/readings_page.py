"""What ``voicepress readings`` prints: tables of at most 100 columns, and JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from common.terminal import width
from flows.console import clip, pad
from flows.make import shown
from flows.readings import Survey, Touched
from tasks.script.doubts import Place, Question

COLUMNS = 100
LIMIT = 20
"""Questions of each kind that are shown unless more are asked for."""


def render(found: Survey, limit: int | None = LIMIT) -> str:
    """The survey as a person reads it; ``limit`` questions of each kind (``None``: all)."""
    doubts = found.doubts
    rows = [f"{found.title}  ({doubts.chars} characters with a reading)"]
    rows += _section("readings that are not sure", doubts.unsure, limit, "every reading is sure, by rule or dictionary")
    rows += _section("names", doubts.names, limit, "no name that could be read in two ways was found")
    rows += _section("words that the dictionary lacks", doubts.foreign, limit, "every word in Latin letters is known")
    rows += _heard(found, limit)
    rows += ["", f"script        {shown(found.script)}"]
    if found.heard or doubts.unsure or doubts.names or doubts.foreign:
        rows.append("to answer     voicepress readings BOOK --set 'WORD=chong2 qing4', or --ask to be asked one by one")
    rows += [_wrapped(f"note          {remark}") for remark in found.remarks]
    return "\n".join(rows)


def to_json(found: Survey) -> str:
    doubts = found.doubts
    value = {
        "title": found.title,
        "script": str(found.script),
        "characters": doubts.chars,
        "unsure": [question_json(one) for one in doubts.unsure],
        "names": [question_json(one) for one in doubts.names],
        "foreign": [question_json(one) for one in doubts.foreign],
        "heard": [one.model_dump(mode="json") for one in found.heard],
        "notes": list(found.remarks),
    }
    return json.dumps(value, ensure_ascii=False, indent=1)


def _heard(found: Survey, limit: int | None) -> list[str]:
    """Characters that the check heard in another reading than was asked; nothing where there are none."""
    if not found.heard:
        return []
    rows = ["", f"heard otherwise in the last run: {len(found.heard)}"]
    for one in found.heard[:limit]:
        at = one.word.find(one.char)
        rows.append(
            f"{one.times:>5} x  {pad(clip(marked(one.word, at, at + 1), 16), 16)}  {pad(one.reading, 16)} heard as {one.heard}"
        )
        start = max(one.text.find(one.word), 0)
        rows.append(example(Place(one.chapter, one.line_id, one.text, start + at, start + at + 1)))
    if limit is not None and len(found.heard) > limit:
        rows.append(f"… {len(found.heard) - limit} more; --all shows them")
    return rows


def question_json(one: Question) -> dict[str, Any]:
    return {
        "word": one.word,
        "char": one.word[one.at] if one.at is not None else None,
        "at": one.at,
        "reading": one.phones,
        "word_reading": one.whole,
        "why": one.why,
        "confidence": round(one.confidence, 4),
        "candidates": [{"reading": phones, "probability": round(p, 4)} for phones, p in one.candidates],
        "times": one.times,
        "lines": one.lines,
        "examples": [asdict(place) for place in one.examples],
    }


def render_touched(found: Touched, limit: int | None = LIMIT) -> str:
    """The lines that an entry or a word touches."""
    lines = len({(one.chapter, one.line) for one in found.places})
    what = "no entry of that name" if not found.entries else "entry" if len(found.entries) == 1 else "entries"
    rows = []
    for one in found.entries:
        said = one.phones or f"said as {one.spoken}"
        rows.append(clip(f"{one.word}: {said}  ({one.level}, {one.source})", COLUMNS))
    rows.append(
        f"{what}; the word stands in {lines} lines"
        if not found.entries
        else f"touches {lines} line{'s' * (lines != 1)}"
    )
    places = found.places if limit is None else found.places[:limit]
    rows += [example(place) for place in places]
    if len(places) < len(found.places):
        rows.append(f"  … {len(found.places) - len(places)} more places; --all shows them")
    return "\n".join(rows)


def touched_json(found: Touched) -> str:
    value = {
        "word": found.word,
        "entries": [asdict(one) for one in found.entries],
        "places": [asdict(one) for one in found.places],
    }
    return json.dumps(value, ensure_ascii=False, indent=1)


def _section(head: str, questions: Sequence[Question], limit: int | None, none: str) -> list[str]:
    if not questions:
        return ["", f"{head}: {none}"]
    places = sum(one.times for one in questions)
    rows = ["", f"{head}: {len(questions)}, in {places} place{'s' * (places != 1)}"]
    for one in questions[:limit]:
        rows.append(question_row(one))
        rows += [example(place) for place in one.examples]
    if limit is not None and len(questions) > limit:
        rows.append(f"… {len(questions) - limit} more; --all shows them")
    return rows


def question_row(one: Question) -> str:
    """How often, the word, its reading, how sure that is and by what, and what else it could be."""
    word = one.word if one.at is None else marked(one.word, one.at, one.at + 1)
    row = f"{one.times:>5} x  {pad(clip(word, 16), 16)}  "
    if not one.phones:
        return clip(row + one.why, COLUMNS)
    row += f"{pad(one.phones, 16)} {_percent(one.confidence)}  {pad(one.why, 11)}  "
    others = [f"{phones} {_percent(p).strip()}" for phones, p in one.candidates if phones != one.phones and p >= 0.005]
    return clip((row + (f"or {', '.join(others[:4])}" if others else "")).rstrip(), COLUMNS)


def _percent(share: float) -> str:
    return f"{min(99, round(100 * share)) if share < 1 else 100:>3} %"


def marked(text: str, start: int, end: int) -> str:
    return f"{text[:start]}【{text[start:end]}】{text[end:]}"


def example(place: Place) -> str:
    """A line's place and what stands around the mark, within the columns."""
    head = f"         {place.chapter:>3} {place.line:<12}  "
    before, word = place.spoken[: place.start], clip(place.spoken[place.start : place.end], 40)
    after = place.spoken[place.end :]
    room = COLUMNS - width(head) - width(word) - 4  # the marks are two columns wide each
    left = min(width(before), max(room // 3, room - width(after)))
    return f"{head}{_tail(before, left)}【{word}】{clip(after, room - left)}"


def _tail(text: str, columns: int) -> str:
    """The end of ``text``, at most ``columns`` wide."""
    if width(text) <= columns:
        return text
    kept, used = "", 1
    for char in reversed(text):
        used += width(char)
        if used > columns:
            break
        kept = char + kept
    return "…" + kept


def _wrapped(text: str, indent: int = 14) -> str:
    """``text`` in rows of at most the columns, broken at spaces."""
    rows, row = [], ""
    for word in text.split(" "):
        if row.strip() and width(row) + 1 + width(word) > COLUMNS:
            rows.append(row)
            row = " " * indent + word
        else:
            row = f"{row} {word}" if row else word
    return "\n".join([*rows, row])
