"""What was to be said and what was heard, side by side. Pure.

Contract: both texts come back as pieces that join to the texts again; a piece is ``same``, ``lost`` (said to be there and
not heard), ``added`` (heard, and nobody was to say it) or ``other`` (heard as something else). What sounds alike counts as
the same, however it is written, as the check has it; punctuation and spaces are always the same. What is heard is shown in
simplified characters where the book is written in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tasks.check.align import align
from tasks.check.units import Unit, expected, heard_units
from tasks.read.convert import to_simplified

Kind = Literal["same", "lost", "added", "other"]
Pieces = list[tuple[str, Kind]]


def compared(spoken: str, heard: str, language: str) -> tuple[Pieces, Pieces]:
    """The pieces of ``spoken`` and of ``heard``."""
    if not heard.strip():
        return [(spoken, "same")], []
    if (
        language == "zh" and to_simplified(spoken) == spoken
    ):  # the ear writes as it likes; the book is in simplified characters
        heard = to_simplified(heard)
    wanted = expected(spoken, language)
    said = heard_units(heard, language, wanted)
    marks: list[Kind] = ["same"] * len(spoken)
    heard_marks: list[Kind] = ["same"] * len(heard)
    for step in align(wanted, said):
        if step.same:
            continue
        _mark(marks, wanted[step.wanted_start : step.wanted_end], "lost" if step.lost else "other")
        _mark(heard_marks, said[step.heard_start : step.heard_end], "added" if step.added else "other")
    return _pieces(spoken, marks), _pieces(heard, heard_marks)


def _mark(marks: list[Kind], units: Sequence[Unit], kind: Kind) -> None:
    for unit in units:
        for place in range(unit.start, min(unit.end, len(marks))):
            marks[place] = kind


def _pieces(text: str, marks: Sequence[Kind]) -> Pieces:
    pieces: Pieces = []
    for character, kind in zip(text, marks, strict=True):
        if pieces and pieces[-1][1] == kind:
            pieces[-1] = (pieces[-1][0] + character, kind)
        else:
            pieces.append((character, kind))
    return pieces
