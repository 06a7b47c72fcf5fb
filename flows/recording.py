"""The loop of a book's night: record a batch, have it checked beside the next, stitch each chapter once it is whole."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from prefect.futures import PrefectConcurrentFuture, PrefectFuture

from flows.config import Book
from flows.console import say
from flows.desk import Desk
from flows.levels import Levels, Spoken
from flows.progress import Progress
from flows.session import Session, Slot, save_verdicts
from flows.whole import whole
from tasks.check.task import check_task
from tasks.domain import Part, StitchedChapter, Verdict
from tasks.speak.lock import EngineLock, Holder
from tasks.speak.record import Recorded
from tasks.speak.task import record_task
from tasks.stitch.task import StitchJob, stitch


@dataclass(slots=True)
class Clock:
    """Seconds spent by stage, and what was recorded, for the receipt and the benchmarks.

    ``loop_seconds`` is the recording loop from end to end, ``work_seconds`` the batches in it (of which
    ``engine_seconds`` in the engine and ``store_seconds`` in the take store), ``wait_seconds`` what it waited for checks:
    the rest is what orchestration costs.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    audio_seconds: float = 0.0
    recorded: int = 0
    batches: int = 0
    loop_seconds: float = 0.0
    work_seconds: float = 0.0
    wait_seconds: float = 0.0
    engine_seconds: float = 0.0
    store_seconds: float = 0.0

    def add(self, stage: str, since: float) -> None:
        """Count the time from ``since`` (``time.monotonic``) until now to ``stage``."""
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.monotonic() - since


class Recording:
    """One book's lines on their way from the script to chapters. Used inside a flow run, once."""

    def __init__(self, job: Book, desk: Desk, session: Session, clock: Clock, rules: str) -> None:
        self._job, self._desk, self._session, self._clock, self._rules = job, desk, session, clock, rules
        self._checks: list[tuple[list[Slot], PrefectConcurrentFuture[list[Verdict]]]] = []
        self._stitches: dict[int, PrefectFuture[StitchedChapter]] = {}
        self._keep_after = 0.0
        self._levels = Levels(desk.workspace.folder / "levels.json", desk.store.samples)

    def run(self, terminal: bool) -> list[StitchedChapter]:
        """Record what is missing; the chapters that stand at the end, in order."""
        session = self._session
        self._submit_checks(session.take_unchecked())
        self._stitch_complete()
        while self._checks and not session.waiting_lines():
            self._settle(wait=True)
        if session.waiting_lines():
            waiting = [slot for slot in session.slots() if not slot.settled]
            chars = sum(len(slot.utterance.text) for slot in waiting)
            progress = Progress(self._job.title, len(waiting), chars, terminal=terminal, server=True)
            holder = f"{self._job.title} ({self._job.path})"
            with EngineLock(self._desk.engine.resource, holder, on_wait=_say_who_holds), progress:
                self._desk.engine.prepare()
                started = time.monotonic()
                self._record(progress)
                self._clock.loop_seconds += time.monotonic() - started
        started = time.monotonic()
        stitched = [self._stitches[number].result() for number in sorted(self._stitches)]
        self._clock.add("stitch", started)
        save_verdicts(self._desk.workspace, self._rules, session)
        return stitched

    def _record(self, progress: Progress) -> None:
        session, clock = self._session, self._clock
        while True:
            self._settle(wait=False)
            if self._checks and session.may_wait():
                self._settle(wait=True)
                continue
            jobs = session.next_jobs()
            if not jobs:
                return
            lengths = {(job.line_id, job.chapter): len(job.utterance.text) for job in jobs}

            def on_line(one: Recorded, lengths: dict[tuple[str, int], int] = lengths) -> None:
                seconds = one.take.samples / one.take.sample_rate if one.take else 0.0
                progress.advance(lengths[one.line_id, one.chapter], seconds)

            started = time.monotonic()
            clock.batches += 1
            report = record_task(
                whole(self._desk.engine), whole(self._desk.store), whole(jobs), str(clock.batches), whole(on_line)
            )
            clock.add("record", started)
            clock.audio_seconds += report.audio_seconds
            clock.recorded += report.lines
            clock.work_seconds += report.work_seconds
            clock.engine_seconds += report.engine_seconds
            clock.store_seconds += report.store_seconds
            self._submit_checks(session.recorded(report))
            self._stitch_complete()

    def _submit_checks(self, slots: Iterable[Slot]) -> None:
        slots = list(slots)
        if slots:
            asked = [self._desk.asked(slot.key, slot.line, slot.utterance) for slot in slots]
            future = check_task.submit(
                whole(self._desk.store), whole(asked), whole(self._desk.checker), f"{len(slots)} takes"
            )
            # The thread runner's futures; asking the server for their state would stop the work when it is away.
            self._checks.append((slots, cast(PrefectConcurrentFuture[list[Verdict]], future)))

    def _settle(self, *, wait: bool) -> None:
        """Take in the verdicts that are there; with ``wait``, at least those asked for first."""
        started = time.monotonic()
        while self._checks and (wait or self._checks[0][1].wrapped_future.done()):
            slots, future = self._checks.pop(0)
            began = time.monotonic()
            verdicts = future.result()
            self._clock.wait_seconds += time.monotonic() - began
            self._session.judged(slots, verdicts)
            self._submit_checks(self._session.take_unchecked())
            wait = False
        self._clock.add("check", started)
        self._stitch_complete()

    def _keep_verdicts(self) -> None:
        """Write the verdicts, unless that would take more than a twentieth of the time: a long book has many, and a kill
        costs no more than hearing some takes again."""
        now = time.monotonic()
        if now >= self._keep_after:
            save_verdicts(self._desk.workspace, self._rules, self._session)
            done = time.monotonic()
            self._keep_after = done + 20.0 * (done - now)

    def _stitch_complete(self) -> None:
        session, desk = self._session, self._desk
        for number, slots in session.chapters.items():
            if number in self._stitches or not slots or not session.complete(number) or session.held_back(number):
                continue
            self._keep_verdicts()
            chapter = desk.chapter(number)
            job = StitchJob(
                number, chapter.title, chapter.volume, self._levelled(slots, session.parts(number)), desk.store.samples,
                desk.pauses, desk.mastering, desk.workspace.chapters,
            )  # fmt: skip
            self._stitches[number] = stitch.submit(job)

    def _levelled(self, slots: Sequence[Slot], parts: list[Part]) -> list[Part]:
        """The parts with the gain of those voices whose profile has none of its own."""
        voices = [slot.utterance.voice for slot in slots]
        if all(voice.levelled for voice in voices):
            return parts
        gains = self._levels.gains(Spoken(voice, part.take) for voice, part in zip(voices, parts, strict=True))
        return [
            replace(part, gain_db=part.gain_db + gains.get(voice.id, 0.0))
            for voice, part in zip(voices, parts, strict=True)
        ]


def _say_who_holds(holder: Holder) -> None:
    say(f"the engine is recording for {holder}; waiting until it is free")
