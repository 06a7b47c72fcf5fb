"""What the figures of a take mean. Pure policy.

Contract: ``retry`` where another recording may be better (words lost, added or doubled, an instruction read aloud,
another voice, a hole, a click, cut off, too fast or too slow, an engine that did not stop by itself); ``flagged`` where
it will hardly be, but a person should listen (level, clipping, offset, noise, long silence at the ends); else ``pass``.
Every flaw has a stable code.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from engines.base import Stop
from tasks.check.compare import Comparison
from tasks.check.limits import CheckLimits
from tasks.check.norms import Norm
from tasks.check.signal import Measures
from tasks.domain import Flaw, TakeMark, Verdict

CLAUSE_MARKS = frozenset("，,、；;：:—")
SENTENCE_MARKS = frozenset("。！？!?….．")
PAUSE_MARKS = CLAUSE_MARKS | SENTENCE_MARKS | frozenset('“”‘’"()（）《》-–\n')
RULES = 2
"""Counts changes of what this room judges by, so that verdicts of older rules are not taken for new ones."""
FLAG_ONLY = frozenset({"head-silence", "tail-silence", "level", "clipping", "dc", "noise"})
"""Codes that alone do not ask for another recording."""
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


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a take beside its measures, each where there is some: what the ear heard, what is usual for the
    voice, how like the voice it is (cosine) and how like the book's other voices at most, a step of level inside
    ``(second, dB)``, the engine's marks. ``foreign``: the language that was heard instead."""

    comparison: Comparison | None = None
    norm: Norm | None = None
    likeness: float | None = None
    other_likeness: float = -1.0
    step: tuple[float, float] | None = None
    marks: tuple[TakeMark, ...] = ()
    sample_rate: int = 24_000
    foreign: str = ""


NOTHING = Evidence()


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


def judge(
    measures: Measures, stop: Stop, line: LineFacts, limits: CheckLimits, evidence: Evidence = NOTHING
) -> Verdict:
    """The verdict on a take of ``line``. ``score`` is 1.0 at best; every flaw and every step away from the needed
    duration lowers it."""
    needed = needed_seconds(line, limits)
    pace = evidence.norm.pace if evidence.norm else 1.0
    flaws = signal_flaws(measures, stop, line, limits, evidence)
    heard = evidence.comparison
    if heard is not None:
        flaws += _heard_flaws(heard, evidence, limits, line.language)
    retry = [flaw for flaw in flaws if flaw.code not in FLAG_ONLY]
    outcome = "retry" if retry else "flagged" if flaws else "pass"
    score = (
        1.0
        - 1.0 * len(retry)
        - 0.25 * (len(flaws) - len(retry))
        - 0.1 * _distance(measures.sounding_seconds, needed * pace)
    )
    figures = {
        "seconds": round(measures.seconds, 3),
        "sounding_seconds": round(measures.sounding_seconds, 3),
        "needed_seconds": round(needed, 3),
        "head_seconds": round(measures.head_seconds, 3),
        "tail_seconds": round(measures.tail_seconds, 3),
        "gap_seconds": round(measures.gap_seconds, 3),
        "peak": round(measures.peak, 4),
        "level_db": round(max(measures.level_db, -120.0), 2),
        "floor_db": round(measures.floor_db, 2),
        "dc": round(measures.dc, 5),
        "clipped_runs": float(measures.clipped_runs),
    }
    if evidence.likeness is not None:
        figures["likeness"] = round(evidence.likeness, 4)
    if heard is not None:
        figures["heard_error"] = round(heard.error, 4)
        score -= heard.error
    return Verdict(
        outcome=outcome,  # type: ignore[arg-type]
        reasons=tuple(str(flaw) for flaw in flaws),
        score=round(score, 6),
        measures=figures,
        flaws=tuple(placed(flaw, evidence) for flaw in flaws),
        heard=heard.heard if heard is not None else "",
    )


def signal_flaws(
    measures: Measures, stop: Stop, line: LineFacts, limits: CheckLimits, evidence: Evidence = NOTHING
) -> list[Flaw]:
    """What is wrong without a word being understood."""
    flaws = []
    if stop != "end":
        flaws.append(Flaw("stopped", _STOPS.get(stop, stop)))
    if measures.silent:
        return [*flaws, Flaw("silent", "nothing can be heard")]
    return [*flaws, *_time_flaws(measures, line, limits, evidence), *_sound_flaws(measures, limits, evidence)]


def _time_flaws(measures: Measures, line: LineFacts, limits: CheckLimits, evidence: Evidence) -> list[Flaw]:
    flaws = []
    needed, spelled = needed_seconds(line, limits), needed_seconds(line, limits, spelled=True)
    sounding = measures.sounding_seconds
    shortest, longest = limits.shortest_ratio * needed, limits.longest_ratio * max(needed, spelled)
    if evidence.norm is not None:  # the voice's own pace is known: hold it against that
        pace = evidence.norm.pace
        shortest = max(shortest, limits.fastest_pace * pace * needed)
        longest = min(longest, limits.slowest_pace * pace * max(needed, spelled))
    if sounding < shortest - limits.shortest_slack_seconds:
        flaws.append(
            Flaw("too-fast", f"{sounding:.2f} s of sound, the text needs about {needed:.2f} s", value=sounding)
        )
    elif sounding > longest + limits.longest_slack_seconds:
        flaws.append(
            Flaw("too-slow", f"{sounding:.2f} s of sound, the text needs about {needed:.2f} s", value=sounding)
        )
    marks = any(character in PAUSE_MARKS for character in line.spoken.strip().rstrip("".join(PAUSE_MARKS)))
    longest_gap = (limits.longest_gap_seconds if marks else limits.longest_unmarked_gap_seconds) / min(line.speed, 1.0)
    for start, end in measures.gaps:
        if end - start > longest_gap:
            flaws.append(
                Flaw(
                    "hole",
                    f"{end - start:.2f} s of silence inside",
                    start_seconds=start,
                    end_seconds=end,
                    value=end - start,
                )
            )
    if measures.end_drop_db < limits.cut_off_db:
        flaws.append(
            Flaw(
                "cut-off",
                "the sound does not fade before the end",
                start_seconds=measures.seconds,
                value=measures.end_drop_db,
            )
        )
    if measures.head_seconds > limits.longest_head_seconds:
        flaws.append(
            Flaw(
                "head-silence",
                f"{measures.head_seconds:.2f} s of silence at the beginning",
                start_seconds=0.0,
                end_seconds=measures.head_seconds,
                value=measures.head_seconds,
            )
        )
    if measures.tail_seconds > limits.longest_tail_seconds:
        start = measures.seconds - measures.tail_seconds
        flaws.append(
            Flaw(
                "tail-silence",
                f"{measures.tail_seconds:.2f} s of silence at the end",
                start_seconds=start,
                end_seconds=measures.seconds,
                value=measures.tail_seconds,
            )
        )
    return flaws


def _sound_flaws(measures: Measures, limits: CheckLimits, evidence: Evidence) -> list[Flaw]:
    flaws = []
    for second, factor in measures.clicks[:5]:
        if factor > limits.click_factor:
            flaws.append(
                Flaw("click", f"a click at {second:.2f} s", start_seconds=second, end_seconds=second, value=factor)
            )
    if measures.edge > limits.largest_edge:
        flaws.append(Flaw("click", "the take begins or ends in the middle of a sound", value=measures.edge))
    if not limits.quietest_db <= measures.level_db <= limits.loudest_db:
        flaws.append(Flaw("level", f"{measures.level_db:.1f} dBFS", value=measures.level_db))
    elif evidence.norm is not None and measures.sounding_seconds >= limits.level_seconds:
        off = measures.level_db - evidence.norm.level_db
        if abs(off) > limits.level_off_db:
            flaws.append(Flaw("level", f"{off:+.1f} dB from the voice's usual level", value=off))
    if evidence.step is not None and abs(evidence.step[1]) > limits.level_step_db:
        second, step = evidence.step
        flaws.append(
            Flaw(
                "level-step",
                f"the level steps by {step:+.1f} dB at {second:.1f} s",
                start_seconds=second,
                end_seconds=second,
                value=step,
            )
        )
    if measures.clipped_runs > limits.most_clipped_runs:
        flaws.append(Flaw("clipping", f"{measures.clipped_runs} flat peaks", value=measures.clipped_runs))
    if abs(measures.dc) > limits.largest_dc:
        flaws.append(Flaw("dc", f"the mean is {measures.dc:+.3f}", value=measures.dc))
    if measures.noise_db < limits.least_noise_db:
        flaws.append(
            Flaw("noise", f"the noise lies only {measures.noise_db:.0f} dB below the voice", value=measures.noise_db)
        )
    short = measures.sounding_seconds < limits.likeness_seconds
    if evidence.likeness is not None and (
        evidence.likeness < limits.least_likeness - (0.15 if short else 0.0)
        or evidence.other_likeness - evidence.likeness > limits.likeness_margin
    ):
        flaws.append(
            Flaw("voice", f"it does not sound like this voice ({evidence.likeness:.2f})", value=evidence.likeness)
        )
    return flaws


def _heard_flaws(heard: Comparison, evidence: Evidence, limits: CheckLimits, language: str) -> list[Flaw]:
    if evidence.foreign:
        return [Flaw("wrong-language", f"this is spoken in '{evidence.foreign}'", value=heard.error)]
    kept = [flaw for flaw in heard.flaws if counts(flaw, limits, language)]
    if not kept and heard.error > limits.largest_error:
        kept.append(Flaw("garbled", f"{heard.error:.0%} of it is heard otherwise", value=heard.error))
    return kept


def counts(flaw: Flaw, limits: CheckLimits, language: str = "zh") -> bool:
    """Whether a difference is large enough to be held against a take."""
    least = {
        "omission": limits.least_omission,
        "insertion": limits.least_insertion,
        "substitution": limits.least_substitution if language == "zh" else limits.least_word_substitution,
    }.get(flaw.code, 1.0)
    return flaw.value >= least


def placed(flaw: Flaw, evidence: Evidence) -> Flaw:
    """The flaw with seconds from the engine's marks, where it has characters alone, or the other way round."""
    if not evidence.marks:
        return flaw
    rate = evidence.sample_rate
    if flaw.start_char >= 0 and flaw.start_seconds < 0.0:
        inside = [
            mark
            for mark in evidence.marks
            if mark.end_char > flaw.start_char and mark.start_char < max(flaw.end_char, flaw.start_char + 1)
        ]
        inside = inside or list(evidence.marks[-1:])
        return _with(flaw, flaw.start_char, flaw.end_char, inside[0].start / rate, inside[-1].end / rate)
    if flaw.start_seconds >= 0.0 and flaw.start_char < 0:
        near = min(evidence.marks, key=lambda mark: abs((mark.start + mark.end) / 2 / rate - flaw.start_seconds))
        return _with(flaw, near.start_char, near.end_char, flaw.start_seconds, flaw.end_seconds)
    return flaw


def _with(flaw: Flaw, start_char: int, end_char: int, start: float, end: float) -> Flaw:
    return Flaw(flaw.code, flaw.what, start_char, end_char, round(start, 3), round(end, 3), flaw.value)


def codes(flaws: Sequence[Flaw]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(flaw.code for flaw in flaws))


def _distance(sounding: float, needed: float) -> float:
    """Octaves between the sounding and the needed duration, at most 4."""
    if sounding <= 0.0 or needed <= 0.0:
        return 4.0
    return min(abs(math.log2(sounding / needed)), 4.0)
