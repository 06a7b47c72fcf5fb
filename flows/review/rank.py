"""Which lines a person should hear first, and why. Pure.

Contract: ``reasons_of`` gives what speaks against a line, the gravest first, as stable words with a few words for people;
``suspicion`` makes one number of it: what the check flagged comes before all else, what a person approved last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engines.base import Honour
from tasks.domain import Line, Verdict

State = Literal["flagged", "waiting", "unchecked", "passed", "approved", "skipped"]
"""``waiting``: not recorded in this form; ``unchecked``: recorded, and nobody has judged it yet."""

STATES: tuple[State, ...] = ("flagged", "unchecked", "waiting", "passed", "approved", "skipped")
READING_SURE = 0.9
_WEIGHTS = {"unsure-speaker": 20.0, "doubtful-reading": 15.0, "style-not-honoured": 3.0, "style-approximated": 1.0}
_BASE: dict[State, float] = {"flagged": 100.0, "unchecked": 30.0, "waiting": 25.0, "passed": 0.0, "approved": -100.0, "skipped": -200.0}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reason:
    """``code`` is a stable word, ``what`` says it to people, ``weight`` how much it adds to the suspicion."""

    code: str
    what: str
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A reading that is not sure: ``char`` at ``place`` of the spoken text is read ``phones``, with probability ``sure``."""

    place: int
    char: str
    phones: str
    sure: float


def reasons_of(
    line: Line, flagged: Sequence[str], unsure: bool, style: str, honour: Honour, doubts: Sequence[Doubtful]
) -> tuple[Reason, ...]:
    """What speaks against a line. ``flagged`` are the check's reasons (``code: what``), ``unsure`` whether its speaker is a
    guess by the cast's measure, ``style`` what the engine is asked for."""
    found = [Reason(*_split(reason)) for reason in flagged]
    if unsure:
        other = f", or {line.other[0]} {line.other[1]:.0%}" if line.other else ""
        found.append(
            Reason(
                "unsure-speaker",
                f"{line.speaker} {line.confidence:.0%}{other}",
                _weight("unsure-speaker", 1.0 - line.confidence),
            )
        )
    open_ones = [one for one in doubts if one.sure < READING_SURE]
    if open_ones:
        worst = min(one.sure for one in open_ones)
        shown = ", ".join(f"{one.char} {one.phones} {one.sure:.0%}" for one in open_ones[:4])
        found.append(Reason("doubtful-reading", shown, _weight("doubtful-reading", 1.0 - worst)))
    if style and honour != "full":
        code = "style-not-honoured" if honour == "none" else "style-approximated"
        found.append(Reason(code, style, _weight(code, 1.0)))
    return tuple(found)


def suspicion(state: State, verdict: Verdict | None, reasons: Sequence[Reason]) -> float:
    """The higher, the sooner a person should listen."""
    low_score = 10.0 * min(max(1.0 - verdict.score, 0.0), 5.0) if verdict is not None else 0.0
    return _BASE[state] + low_score + sum(reason.weight for reason in reasons)


def _split(reason: str) -> tuple[str, str]:
    code, colon, what = reason.partition(": ")
    return (code, what) if colon and " " not in code else ("flagged", reason)


def _weight(code: str, share: float) -> float:
    return _WEIGHTS[code] * min(max(share, 0.0), 1.0)
