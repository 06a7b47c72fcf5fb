"""What the figures of a take mean. Pure policy.

Contract: ``retry`` where another recording may be better (nothing to hear, too short or too long for the text, a long
hole, cut off, an engine that did not stop by itself); ``flagged`` where it will hardly be, but a person should listen
(level, clipping, offset, long silence at the ends); else ``pass``. Every reason begins with a stable word.
"""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass

from engines.base import Stop
from tasks.check.limits import CheckLimits
from tasks.check.signal import Measures
from tasks.domain import Verdict

CLAUSE_MARKS = frozenset("，,、；;：:—")
SENTENCE_MARKS = frozenset("。！？!?….．")
_STOPS: dict[str, str] = {
    "length": "the engine ran into its length limit",
    "silence": "the engine fell silent before the end",
    "repeat": "the engine repeated itself",
}


@dataclass(frozen=True, slots=True)
class LineFacts:
    """What the check needs to know of a line: its spoken text, its language and the speed that was asked for."""

    spoken: str
    language: str = "zh"
    speed: float = 1.0


def needed_seconds(line: LineFacts, limits: CheckLimits, *, spelled: bool = False) -> float:
    """How long an average reader sounds for this line: characters by script, pauses inside (not after the last one).

    ``spelled``: words in capitals and digits are read letter by letter, as ``FBI`` is and ``STOP`` is not.
    """
    text = line.spoken
    seconds = 0.0
    pause_seconds = 0.0
    started = False
    for index, character in enumerate(text):
        if character.isalnum():
            # A pause counts when something follows it, and the longest of several marks in a row is the pause.
            seconds += pause_seconds if started else 0.0
            pause_seconds, started = 0.0, True
            if unicodedata.east_asian_width(character) in "WF":
                seconds += 1.0 / limits.han_per_second
            elif spelled and _may_be_spelled(text, index):
                seconds += 1.0 / limits.spelled_per_second
            else:
                seconds += 1.0 / limits.letters_per_second
        elif character in SENTENCE_MARKS:
            pause_seconds = max(pause_seconds, limits.sentence_pause_seconds)
        elif character in CLAUSE_MARKS:
            pause_seconds = max(pause_seconds, limits.clause_pause_seconds)
    return seconds / line.speed


def _may_be_spelled(text: str, index: int) -> bool:
    character = text[index]
    if character.isdigit():
        return True
    before, after = text[index - 1 : index] if index else "", text[index + 1 : index + 2]
    return character.isupper() and not (before.islower() or after.islower())


def judge(measures: Measures, stop: Stop, line: LineFacts, limits: CheckLimits) -> Verdict:
    """The verdict on a take of ``line``. ``score`` is 1.0 at best; every reason and every step away from the needed
    duration lowers it."""
    needed = needed_seconds(line, limits)
    retry = _retry_reasons(measures, stop, needed, needed_seconds(line, limits, spelled=True), limits)
    flags = [] if measures.silent else _flag_reasons(measures, limits)
    outcome = "retry" if retry else "flagged" if flags else "pass"
    return Verdict(
        outcome=outcome,  # type: ignore[arg-type]
        reasons=(*retry, *flags),
        score=round(1.0 - 1.0 * len(retry) - 0.25 * len(flags) - 0.1 * _distance(measures.sounding_seconds, needed), 6),
        measures={
            "seconds": round(measures.seconds, 3),
            "sounding_seconds": round(measures.sounding_seconds, 3),
            "needed_seconds": round(needed, 3),
            "head_seconds": round(measures.head_seconds, 3),
            "tail_seconds": round(measures.tail_seconds, 3),
            "gap_seconds": round(measures.gap_seconds, 3),
            "peak": round(measures.peak, 4),
            "level_db": round(max(measures.level_db, -120.0), 2),
            "dc": round(measures.dc, 5),
            "clipped_runs": float(measures.clipped_runs),
        },
    )


def _retry_reasons(measures: Measures, stop: Stop, needed: float, spelled: float, limits: CheckLimits) -> list[str]:
    reasons = []
    if stop != "end":
        reasons.append(f"stopped: {_STOPS.get(stop, stop)}")
    if measures.silent:
        return [*reasons, "silent: nothing can be heard"]
    sounding = measures.sounding_seconds
    shortest = limits.shortest_ratio * needed - limits.shortest_slack_seconds
    longest = limits.longest_ratio * max(needed, spelled) + limits.longest_slack_seconds
    if sounding < shortest:
        reasons.append(f"too-short: {sounding:.2f} s of sound, the text needs about {needed:.2f} s")
    elif sounding > longest:
        reasons.append(f"too-long: {sounding:.2f} s of sound, the text needs about {needed:.2f} s")
    if measures.gap_seconds > limits.longest_gap_seconds:
        reasons.append(f"hole: {measures.gap_seconds:.2f} s of silence inside")
    if measures.end_drop_db < limits.cut_off_db:
        reasons.append("cut-off: the sound does not fade before the end")
    return reasons


def _flag_reasons(measures: Measures, limits: CheckLimits) -> list[str]:
    reasons = []
    if measures.head_seconds > limits.longest_head_seconds:
        reasons.append(f"late: {measures.head_seconds:.2f} s of silence at the beginning")
    if measures.tail_seconds > limits.longest_tail_seconds:
        reasons.append(f"tail: {measures.tail_seconds:.2f} s of silence at the end")
    if measures.level_db < limits.quietest_db:
        reasons.append(f"quiet: {measures.level_db:.1f} dBFS")
    if measures.level_db > limits.loudest_db:
        reasons.append(f"loud: {measures.level_db:.1f} dBFS")
    if measures.clipped_runs > limits.most_clipped_runs:
        reasons.append(f"clipped: {measures.clipped_runs} flat peaks")
    if abs(measures.dc) > limits.largest_dc:
        reasons.append(f"offset: the mean is {measures.dc:+.3f}")
    return reasons


def _distance(sounding: float, needed: float) -> float:
    """Octaves between the sounding and the needed duration, at most 4."""
    if sounding <= 0.0 or needed <= 0.0:
        return 4.0
    return min(abs(math.log2(sounding / needed)), 4.0)
