"""What the terminal sees: plain sentences on standard error, results on standard output, errors in one block."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from common.errors import plain
from common.terminal import width


def say(text: str) -> None:
    """A sentence about what is happening; it does not break a progress bar that is being drawn. It may quote what
    strangers wrote."""
    text = plain(text, rows=True)
    tqdm = sys.modules.get("tqdm")
    if tqdm is not None:
        with tqdm.tqdm.external_write_mode(file=sys.stderr):
            print(text, file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)


def pad(text: str, columns: int, right: bool = False) -> str:
    """``text`` filled with spaces to ``columns``."""
    space = " " * max(0, columns - width(text))
    return space + text if right else text + space


def clip(text: str, columns: int) -> str:
    """``text`` cut to at most ``columns``, with an ellipsis where something is gone."""
    if width(text) <= columns:
        return text
    kept, used = "", 0
    for character in text:
        used += width(character)
        if used > columns - 1:
            break
        kept += character
    return kept + "…"


def table(head: Sequence[str], rows: Iterable[Sequence[object]], right: str = "") -> str:
    """Rows under a head, aligned for wide characters. ``right`` names, by ``r``, the columns to align right."""
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(width(row[i]) for row in cells) for i in range(len(head))]
    flush = right.ljust(len(head))
    lines = ["  ".join(pad(cell, widths[i], flush[i] == "r") for i, cell in enumerate(row)).rstrip() for row in cells]
    lines.insert(1, "  ".join("-" * columns for columns in widths))
    return "\n".join(lines)


def clock(seconds: float) -> str:
    """``1:02:03`` or ``2:03``."""
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def size(count: float) -> str:
    """Bytes in words: ``3.4 MB``."""
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return ""
