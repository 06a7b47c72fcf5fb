"""One batch of lines, recorded.

Contract: what the store has is not recorded again; lines of the batch that would be the same recording are recorded
once; every take is stored as soon as the engine has given it, so that a kill costs at most the batch in flight. One
line that cannot be said fails alone. Afterwards the engine gives back its memory.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from engines.base import Engine, SpeaksEach, Speech, SpeechError, Utterance
from engines.memory import peak_rss_bytes, rss_bytes
from tasks.domain import Take
from tasks.speak.length import length_of
from tasks.speak.recipes import recipe_of
from tasks.speak.takes import TakeStore

log = logging.getLogger(__name__)

STORE_THREADS = 4


@dataclass(frozen=True, slots=True)
class Job:
    """A line to be recorded. ``meta`` is plain data for the sidecar beside what is noted anyway."""

    line_id: str
    chapter: int
    utterance: Utterance
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of a job: a take or an error. ``cached``: the take was in the store, or another line of this batch
    has the same recording."""

    line_id: str
    chapter: int
    key: str
    take: Take | None
    error: SpeechError | None = None
    cached: bool = False


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What became of a batch, in the order of its jobs; iterates over ``recorded``.

    The figures count only what was recorded now: ``lines``, spoken ``chars`` and their ``length`` (``length_of``),
    ``audio_seconds``, and the
    ``engine_seconds`` and ``store_seconds`` of work; ``work_seconds`` is the whole batch, look-ups included.
    ``peak_rss_bytes`` is the process's peak so far.
    """

    recorded: tuple[Recorded, ...]
    lines: int = 0
    chars: int = 0
    audio_seconds: float = 0.0
    engine_seconds: float = 0.0
    store_seconds: float = 0.0
    work_seconds: float = 0.0
    length: float = 0.0
    rss_bytes: int = 0
    peak_rss_bytes: int = 0

    def __iter__(self) -> Iterator[Recorded]:
        return iter(self.recorded)

    def __len__(self) -> int:
        return len(self.recorded)

    @property
    def failed(self) -> tuple[Recorded, ...]:
        """The jobs that gave no take."""
        return tuple(one for one in self.recorded if one.take is None)


def record_batch(
    engine: Engine, store: TakeStore, jobs: Sequence[Job], on_line: Callable[[Recorded], None] | None = None
) -> BatchReport:
    """Record ``jobs`` and store the takes. ``on_line`` is called once for every job, as soon as its take is stored.

    Errors: ``VoicepressError`` where the engine cannot work at all or the store cannot be written; what was stored
    before stays.
    """
    started = time.perf_counter()
    results: list[Recorded | None] = [None] * len(jobs)

    def settle(place: int, key: str, outcome: Take | SpeechError, cached: bool) -> None:
        job = jobs[place]
        take, error = (None, outcome) if isinstance(outcome, SpeechError) else (outcome, None)
        results[place] = one = Recorded(job.line_id, job.chapter, key, take, error, cached)
        if on_line is not None:
            on_line(one)

    waiting: dict[str, list[int]] = {}
    for place, job in enumerate(jobs):
        key = store.key_for(job.utterance, engine)
        if key in waiting:
            waiting[key].append(place)
        elif (take := store.get(key)) is not None:
            settle(place, key, take, True)
        else:
            waiting[key] = [place]

    lines, chars, length, audio_seconds = 0, 0, 0.0, 0.0
    clock = _EngineClock()
    begun = time.perf_counter()
    keys, groups = list(waiting), list(waiting.values())
    if groups:
        for index, outcome in _record(engine, store, keys, [jobs[places[0]] for places in groups], clock):
            if isinstance(outcome, Take):
                lines += 1
                said = jobs[groups[index][0]].utterance.text
                chars += len(said)
                length += length_of(said)
                audio_seconds += outcome.samples / outcome.sample_rate
            for number, place in enumerate(groups[index]):
                settle(place, keys[index], outcome, number > 0)
    store_seconds = time.perf_counter() - begun - clock.seconds if groups else 0.0
    report = BatchReport(
        recorded=tuple(one for one in results if one is not None),
        lines=lines,
        chars=chars,
        length=length,
        audio_seconds=audio_seconds,
        engine_seconds=clock.seconds,
        store_seconds=store_seconds,
        work_seconds=time.perf_counter() - started,
        rss_bytes=rss_bytes(),
        peak_rss_bytes=peak_rss_bytes(),
    )
    log.debug(
        "batch of %d: %d recorded, %.1f s of sound in %.1f s; memory %d MiB, peak %d MiB",
        len(jobs), lines, audio_seconds, clock.seconds, report.rss_bytes >> 20, report.peak_rss_bytes >> 20,
    )  # fmt: skip
    return report


def _record(
    engine: Engine, store: TakeStore, keys: Sequence[str], jobs: Sequence[Job], clock: _EngineClock
) -> Iterator[tuple[int, Take | SpeechError]]:
    """Say and store; ``(place, outcome)`` as soon as each take lies in the store."""
    # Storing is mostly waiting for the disk, so a few takes are stored side by side, and beside the engine's work.
    with ThreadPoolExecutor(STORE_THREADS, thread_name_prefix="take-store") as pool:
        pending: list[tuple[int, Future[Take | SpeechError]]] = []
        said: set[int] = set()
        spoken = _each(engine, [job.utterance for job in jobs])
        try:
            while (given := clock.next(spoken)) is not None:
                index, speech = given
                said.add(index)
                if isinstance(speech, SpeechError):
                    yield index, speech
                    continue
                meta = _meta_of(jobs[index], engine)
                pending.append((index, pool.submit(store.put, keys[index], speech, engine.limits.sample_rate, meta)))
                while pending and pending[0][1].done():
                    place, future = pending.pop(0)
                    yield place, future.result()
        finally:
            spoken.close()
            engine.clean()
        if len(said) != len(jobs):
            raise RuntimeError(f"engine {engine.name} gave {len(said)} results for {len(jobs)} utterances")
        for place, future in pending:
            yield place, future.result()


class _EngineClock:
    """Counts the seconds spent waiting for the engine."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def next(self, spoken: Iterator[tuple[int, Speech | SpeechError]]) -> tuple[int, Speech | SpeechError] | None:
        begun = time.perf_counter()
        try:
            return next(spoken, None)
        finally:
            self.seconds += time.perf_counter() - begun


def _each(engine: Engine, utterances: Sequence[Utterance]) -> Generator[tuple[int, Speech | SpeechError], None, None]:
    """What the engine gives, each as soon as it can give it."""
    if isinstance(engine, SpeaksEach):
        yield from engine.speak_each(utterances)
    else:
        yield from enumerate(engine.speak(utterances))


def _meta_of(job: Job, engine: Engine) -> dict[str, Any]:
    utterance = job.utterance
    recipe = recipe_of(utterance.take, engine.limits)
    return {
        **job.meta,
        "text": utterance.text,
        "language": utterance.language,
        "voice": utterance.voice.id,
        "style": utterance.style,
        # What the cast asked for: the check holds a re-take that is said slower against the same pace as the take before.
        "speed": round(utterance.speed / recipe.speed, 4),
        "seed": utterance.seed,
        "take": utterance.take,
        "recipe": recipe.name,
        "engine": engine.name,
        "fingerprint": engine.fingerprint(),
    }
