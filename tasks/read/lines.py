"""A text as trimmed lines with their places in the source.

Contract: ``split`` gives every line that holds something as ``Line(start, end, indent, blanks, row)``: trimmed span,
whether it was indented, how many blank lines stood before it, its 1-based line number. One pass, no copy of the text.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Line:
    start: int
    end: int
    indent: int
    blanks: int
    row: int


def split(source: str) -> list[Line]:
    """The lines of ``source`` that hold more than whitespace, in order."""
    lines: list[Line] = []
    start, row, blanks, size = 0, 0, 0, len(source)
    find = source.find
    while start < size:
        stop = find("\n", start)
        if stop < 0:
            stop = size
        row += 1
        raw = source[start:stop]
        text = raw.strip()
        if text:
            indent = len(raw) - len(raw.lstrip())
            lines.append(Line(start + indent, start + indent + len(text), indent, blanks, row))
            blanks = 0
        else:
            blanks += 1
        start = stop + 1
    return lines
