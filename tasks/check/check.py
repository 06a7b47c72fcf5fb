"""Stored takes, measured, heard and judged: a batch at a time.

Contract: ``Checker.check`` gives verdicts in the order asked. Signal first: a take that must be recorded again anyway is
not listened to. The rest is heard together, several takes a call; takes that then look wrong are heard once more among
themselves, and the kinder of both hearings counts, since Whisper errs more often than a good engine does. Short lines (fewer
than ``least_units`` syllables or words) are judged by signal alone: Whisper invents where there is little to hear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from common.errors import VoicepressError
from engines.base import Samples
from tasks.check.compare import Comparison, Wanted, compare
from tasks.check.ear import RATE_HZ, Ear, Hears, text_of
from tasks.check.judge import Evidence, LineFacts, counts, judge, needed_seconds
from tasks.check.limits import CheckLimits
from tasks.check.norms import Norms
from tasks.check.signal import Measures, measure
from tasks.check.steps import level_step
from tasks.check.units import expected
from tasks.check.voiceprint import Embedding, Voiceprint
from tasks.domain import Flaw, Take, Verdict

_KEEP_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Asked:
    """A take to be judged: its key in the store, what was to be said, in which language, and by whom. ``readings``: pinyin
    with tone digit by character offset. ``leaks``: texts that must not be heard (style, the voice's sample)."""

    key: str
    spoken: str
    language: str = "zh"
    voice: str = ""
    readings: tuple[tuple[int, str], ...] = ()
    leaks: tuple[str, ...] = ()


class Takes(Protocol):
    """Where takes lie; the store of the room ``speak`` is one."""

    def get(self, key: str) -> Take | None: ...

    def samples(self, take: Take) -> Samples: ...


@dataclass(slots=True)
class _Case:
    """A take on its way to a verdict."""

    asked: Asked
    take: Take
    measures: Measures
    line: LineFacts
    audio: npt.NDArray[np.float32]
    embedding: Embedding | None
    step: tuple[float, float] | None
    units: int
    comparison: Comparison | None = None
    foreign: str = ""


class Checker:
    """One book's checks. Not a dataclass on purpose: Prefect walks through those. Safe to share by threads."""

    def __init__(
        self, limits: CheckLimits, *, full: bool = False, names: frozenset[str] = frozenset(), ear: Hears | None = None,
        norms: Norms | None = None,
    ) -> None:  # fmt: skip
        self.limits, self.norms, self._names = limits, norms or Norms(), names
        choice = limits.ear
        self._ear: Hears | None = None
        self._print: Voiceprint | None = None
        if full:
            self._ear = ear or Ear(choice.model, choice.device, choice.compute_type, choice.threads)
            self._print = Voiceprint()

    def check(self, store: Takes, asked: Sequence[Asked]) -> list[Verdict]:
        """Verdicts in the order of ``asked``; a take that is missing or damaged is to be recorded again."""
        verdicts: dict[int, Verdict] = {}
        cases: dict[int, _Case] = {}
        for i, one in enumerate(asked):
            take = store.get(one.key)
            if take is None:
                verdicts[i] = _gone("missing", "the store has no such take")
                continue
            try:
                cases[i] = self._open(one, take, store.samples(take))
            except VoicepressError as error:
                verdicts[i] = _gone("damaged", error.what)
        for case in cases.values():
            self._learn(case)
        self._listen([case for case in cases.values() if self._worth_hearing(case)])
        for i, case in cases.items():
            verdicts[i] = self._judge(case)
        return [verdicts[i] for i in range(len(asked))]

    def learn(self, store: Takes, asked: Sequence[Asked]) -> None:
        """Take in what is usual for voices from good takes of earlier runs, without judging them."""
        for one in asked:
            take = store.get(one.key)
            if take is not None:
                self._learn(self._open(one, take, store.samples(take)))

    def _open(self, asked: Asked, take: Take, samples: Samples) -> _Case:
        measures = measure(samples, take.sample_rate)
        line = LineFacts(asked.spoken, asked.language, speed=float(take.meta.get("speed") or 1.0))
        audio = trimmed(samples, take.sample_rate, measures) if self._ear else np.zeros(0, np.float32)
        embedding = self._print.of(audio) if self._print and not measures.silent else None
        units = len(expected(asked.spoken, asked.language))
        return _Case(asked, take, measures, line, audio, embedding, level_step(samples, take.sample_rate), units)

    def _learn(self, case: _Case) -> None:
        if case.measures.silent:
            return
        needed = needed_seconds(case.line, self.limits)
        steady = case.units >= 2 * self.limits.least_units and needed > 0.0
        loud = case.measures.sounding_seconds >= self.limits.level_seconds
        self.norms.learn(
            case.asked.voice, case.measures.sounding_seconds / needed if steady else None,
            case.measures.level_db if loud else None, case.embedding,
        )  # fmt: skip

    def _worth_hearing(self, case: _Case) -> bool:
        if self._ear is None or case.units < self.limits.least_units or case.measures.silent:
            return False
        return self._judge(case).outcome != "retry"

    def _listen(self, cases: Sequence[_Case]) -> None:
        if self._ear is None:
            return
        for language in sorted({case.asked.language for case in cases}):
            some = [case for case in cases if case.asked.language == language]
            for case, words in zip(some, self._ear.hear([case.audio for case in some], language), strict=True):
                case.comparison = self._compare(case, text_of(words))
            doubted = [case for case in some if case.comparison and self._suspect(case.comparison, language)]
            again = self._ear.hear([case.audio for case in doubted], language, careful=True)
            for case, words in zip(doubted, again, strict=True):
                second = self._compare(case, text_of(words))
                case.comparison = min(case.comparison or second, second, key=lambda one: self._blame(one, language))
                if case.comparison.error > self.limits.foreign_error:
                    spoken, sure = self._ear.language_of(case.audio)
                    if spoken != language and sure > 0.6:
                        case.foreign = spoken

    def _compare(self, case: _Case, heard: str) -> Comparison:
        asked = case.asked
        return compare(Wanted(asked.spoken, asked.language, dict(asked.readings), self._names, asked.leaks), heard)

    def _suspect(self, comparison: Comparison, language: str) -> bool:
        limits = self.limits
        return comparison.error > limits.suspect_error or any(
            counts(flaw, limits, language) for flaw in comparison.flaws
        )

    def _blame(self, comparison: Comparison, language: str) -> tuple[int, float]:
        return sum(counts(flaw, self.limits, language) for flaw in comparison.flaws), comparison.error

    def _judge(self, case: _Case) -> Verdict:
        norm = self.norms.of(case.asked.voice)
        likeness, other = None, -1.0
        if norm is not None and norm.centre is not None and case.embedding is not None:
            likeness = float(case.embedding @ norm.centre)
            other = max((float(case.embedding @ centre) for centre in norm.others), default=-1.0)
        evidence = Evidence(
            case.comparison, norm, likeness, other, case.step, case.take.marks, case.take.sample_rate, case.foreign
        )
        return judge(case.measures, case.take.meta.get("stop", "end"), case.line, self.limits, evidence)


def trimmed(samples: Samples, sample_rate: int, measures: Measures) -> npt.NDArray[np.float32]:
    """The sounding part with a tenth of a second around it, at 16 kHz, at most at full scale."""
    import math

    from scipy.signal import resample_poly

    keep = round(_KEEP_SECONDS * sample_rate)
    start = max(0, round(measures.head_seconds * sample_rate) - keep)
    end = len(samples) - max(0, round(measures.tail_seconds * sample_rate) - keep)
    common = math.gcd(RATE_HZ, sample_rate)
    audio = resample_poly(samples[start:end], RATE_HZ // common, sample_rate // common)
    return np.asarray(audio / max(1.0, measures.peak), dtype=np.float32)


def _gone(code: str, what: str) -> Verdict:
    flaw = Flaw(code, what)
    return Verdict("retry", (str(flaw),), score=-2.0, flaws=(flaw,))
