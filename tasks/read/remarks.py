"""What the user should know of a plain text although nothing is mended: gaps in the numbering, lost characters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.read.chapters import Found
from tasks.read.lines import Line

_MAX_NUMBER_WARNINGS = 10
_MAX_WITHOUT_TEXT = 10
_PRIVATE = re.compile("[\ue000-\uf8ff]")


def without_text(told: Sequence[str]) -> list[str]:
    """Warnings of chapters without text, ``told`` as ``chapter 3 (…)``; the last says how many more there are."""
    more = len(told) - _MAX_WITHOUT_TEXT
    shown = [f"{one} has no text" for one in told[:_MAX_WITHOUT_TEXT]]
    return [*shown, f"… and {more} more chapters without text"] if more > 0 else shown


def numbering(lines: Sequence[Line], found: Sequence[Found]) -> list[str]:
    """Chapters that are missing, there twice or out of order, each unit (章, 回 …) by itself, anew in every volume."""
    warnings = []
    rows: dict[str, dict[int, int]] = {}
    last: dict[str, int] = {}
    for head in found:
        number, unit, row = head.heading.number, head.heading.unit, lines[head.index].row
        if head.role == "volume":
            rows = {unit: rows.get(unit, {})}
        if not number:
            continue
        seen = rows.setdefault(unit, {})
        before = last.get(unit, 0)
        name = "volume" if head.role == "volume" else "chapter"
        if number == 1 and before > 1:
            seen.clear()
        elif number in seen:
            warnings.append(f"{name} number {number} is there twice (lines {seen[number]} and {row})")
        elif before and number > before + 1:
            gone = (
                f"{name} number {before + 1} is"
                if number == before + 2
                else f"{name} numbers {before + 1} to {number - 1} are"
            )
            warnings.append(f"{gone} missing: {number} follows {before} (line {row})")
        elif before and number < before:
            warnings.append(f"{name} number {number} follows {before} (line {row})")
        seen[number] = row
        last[unit] = number
    more = len(warnings) - _MAX_NUMBER_WARNINGS
    return [*warnings[:_MAX_NUMBER_WARNINGS], f"… and {more} more jumps in the numbering"] if more > 0 else warnings


def unreadable(source: str) -> list[str]:
    """Characters that were lost before the file came here."""
    warnings = []
    marks = source.count("\ufffd")
    if marks:
        row = source.count("\n", 0, source.index("\ufffd")) + 1
        warnings.append(
            f"{marks} characters were lost before (�), the first on line {row}; get a better copy if you can"
        )
    private = _PRIVATE.findall(source)
    if private:
        found = _PRIVATE.search(source)
        row = source.count("\n", 0, found.start()) + 1 if found else 0
        warnings.append(
            f"{len(private)} private-use characters, which have no sound, are left out, the first on line {row}"
        )
    return warnings
