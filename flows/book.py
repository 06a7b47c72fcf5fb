"""The DAG of a book: manuscript -> script -> takes -> chapters -> audiobook.

``produce_book`` is the flow behind ``voicepress make`` and the deployment ``produce-book/book``. The rooms do the work
through their thin tasks; this file only says what follows what. One task is one batch of lines. Checking and
stitching run beside the recording. Files, not Prefect's states, hold the truth: a run killed at any moment is begun
again with the same command and does only what is missing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from prefect import flow
from prefect.futures import PrefectConcurrentFuture
from prefect.task_runners import ThreadPoolTaskRunner
from prefect.utilities.annotations import quote

from common.errors import VoicepressError
from flows.config import Book, load_book
from flows.console import say
from flows.desk import Desk
from flows.progress import Progress
from flows.receipt import account_for
from flows.session import Session, Slot, load_verdicts, save_verdicts
from tasks.check.task import check_task
from tasks.domain import Deliverable, StitchedChapter, Verdict
from tasks.publish.task import publish_task, receipt_task
from tasks.read.task import read_task
from tasks.script.task import write_script_task
from tasks.speak.lock import EngineLock, Holder
from tasks.speak.record import Recorded
from tasks.speak.task import record_task
from tasks.stitch.task import stitch_task

SIDE_WORKERS = 2
"""Threads for checking and stitching beside the recording."""


@dataclass(slots=True)
class Clock:
    """Seconds spent by stage, for the receipt."""

    seconds: dict[str, float] = field(default_factory=dict)
    audio_seconds: float = 0.0
    engine_seconds: float = 0.0
    recorded: int = 0

    def add(self, stage: str, since: float) -> None:
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.monotonic() - since


@dataclass(frozen=True, slots=True)
class Made:
    """What a run has made: the flow's result."""

    title: str
    folder: Path
    deliverables: tuple[Deliverable, ...]
    receipt: Path
    lines: int
    recorded: int
    flagged: int
    audio_seconds: float


@flow(
    name="produce-book",
    flow_run_name="{book}",
    description="Makes one book: reads it, writes its script, records, checks, stitches and publishes.",
    task_runner=ThreadPoolTaskRunner(max_workers=SIDE_WORKERS),  # type: ignore[arg-type]
    validate_parameters=True,
)
def produce_book(book: str, engine: str = "", terminal: bool = False) -> Made:
    """Make the book of a ``book.yaml``.

    Args:
        book: path of a book.yaml, or of the folder that holds it.
        engine: an engine's name, instead of the one the book names (``tone`` rehearses without speech).
        terminal: draw a progress bar on standard error.
    """
    job = load_book(Path(book), engine=engine)
    desk = Desk.open(job)
    desk.workspace.claim(job.path)
    with desk.workspace.held(waiting=say):
        desk.workspace.sweep()
        return _make(job, desk, terminal)


def _make(job: Book, desk: Desk, terminal: bool) -> Made:
    clock = Clock()
    started = time.monotonic()
    manuscript = read_task(
        job.manuscript, desk.workspace.manuscript, language=job.language, title=job.title, encoding=job.encoding
    )
    clock.add("read", started)

    started = time.monotonic()
    written = write_script_task(
        quote(manuscript), quote(job.cast), quote(desk.script_settings), quote(desk.reader), desk.workspace.script
    )
    for warning in written.warnings:
        say(f"note: {warning}")
    desk.require_speakable(written.script)
    clock.add("script", started)

    rules = desk.check_rules()
    session = Session(
        written.script.chapters,
        engine=desk.engine,
        store=desk.store,
        utterance_of=desk.utterance_of,
        retakes=job.retakes,
        batch=job.batch or desk.engine.limits.batch,
        check=job.check != "off",
        verdicts=load_verdicts(desk.workspace, rules),
    )
    stitched = Recording(job, desk, session, clock, rules).run(terminal)

    started = time.monotonic()
    held_back = [slot for slot in session.slots() if slot.failed]
    gaps = written.coverage.gaps
    deliverables: tuple[Deliverable, ...] = ()
    if not held_back and not gaps:
        deliverables = publish_task(
            quote(desk.book_info(manuscript)),
            quote(stitched),
            quote(desk.mastering),
            desk.workspace.publish,
            job.formats,
        )
    clock.add("publish", started)
    receipt = account_for(
        job,
        desk,
        manuscript,
        written,
        session,
        stitched,
        deliverables,
        clock.seconds,
        clock.audio_seconds,
        clock.engine_seconds,
    )
    receipt_path = receipt_task(quote(receipt), desk.workspace.folder)
    desk.close()
    if held_back:
        raise _lines_failed(held_back, receipt_path)
    if gaps:
        raise VoicepressError(
            "coverage-gap", f"{len(gaps)} places of the manuscript are neither read nor listed as left out, the first at character {gaps[0].start}",
            file=job.manuscript, hint="this is a fault of voicepress; the receipt lists the places: please report it",
        )  # fmt: skip
    return Made(
        title=job.title,
        folder=desk.workspace.folder,
        deliverables=deliverables,
        receipt=receipt_path,
        lines=len(session.slots()),
        recorded=clock.recorded,
        flagged=sum(bool(slot.flagged) for slot in session.slots()),
        audio_seconds=sum(chapter.timeline.samples / chapter.timeline.sample_rate for chapter in stitched),
    )


def _lines_failed(slots: list[Slot], receipt: Path) -> VoicepressError:
    first = slots[0]
    chapters = sorted({slot.chapter for slot in slots})
    return VoicepressError(
        "lines-failed",
        f"{len(slots)} lines could not be recorded and hold back chapter {', '.join(map(str, chapters))}; all else is done. "
        f"First: line {first.line.id} '{first.line.text[:40]}': {first.failed}",
        file=receipt,
        hint="change these lines in the script (spoken:, or skip: true), then run the same command again",
    )


def _say_who_holds(holder: Holder) -> None:
    say(f"the engine is recording for {holder}; waiting until it is free")


class Recording:
    """The loop: record a batch, have it checked beside the next, stitch each chapter as soon as it is whole."""

    def __init__(self, job: Book, desk: Desk, session: Session, clock: Clock, rules: str) -> None:
        self._job, self._desk, self._session, self._clock, self._rules = job, desk, session, clock, rules
        self._checks: list[tuple[list[Slot], PrefectConcurrentFuture[list[Verdict]]]] = []
        self._batches = 0
        self._stitches: dict[int, PrefectConcurrentFuture[StitchedChapter | None]] = {}

    def run(self, terminal: bool) -> list[StitchedChapter]:
        """Record what is missing; the chapters that stand at the end, in order."""
        session = self._session
        self._submit_checks(session.take_unchecked())
        self._stitch_complete()
        while self._checks and not session.waiting_lines():
            self._settle(wait=True)
        if session.waiting_lines():
            waiting = [slot for slot in session.slots() if not slot.settled]
            progress = Progress(
                self._job.title,
                len(waiting),
                sum(len(slot.utterance.text) for slot in waiting),
                terminal=terminal,
                server=True,
            )
            with (
                EngineLock(self._desk.engine.resource, f"{self._job.title} ({self._job.path})", on_wait=_say_who_holds),
                progress,
            ):
                self._desk.engine.prepare()
                self._record(progress)
        stitched = [
            found for number in sorted(self._stitches) if (found := self._stitches[number].result()) is not None
        ]
        save_verdicts(self._desk.workspace, self._rules, session)
        return stitched

    def _record(self, progress: Progress) -> None:
        session, clock = self._session, self._clock
        while True:
            self._settle(wait=False)
            jobs = session.next_jobs()
            if not jobs:
                if not self._checks:
                    return
                self._settle(wait=True)
                continue
            lengths = {(job.line_id, job.chapter): len(job.utterance.text) for job in jobs}

            def on_line(one: Recorded, lengths: dict[tuple[str, int], int] = lengths) -> None:
                seconds = one.take.samples / one.take.sample_rate if one.take else 0.0
                progress.advance(lengths[one.line_id, one.chapter], seconds)

            started = time.monotonic()
            self._batches += 1
            report = record_task(
                quote(self._desk.engine), quote(self._desk.store), quote(jobs), str(self._batches), quote(on_line)
            )
            clock.add("record", started)
            clock.audio_seconds += report.audio_seconds
            clock.engine_seconds += report.engine_seconds
            clock.recorded += report.lines
            self._submit_checks(session.recorded(report))
            self._stitch_complete()

    def _submit_checks(self, slots: Iterable[Slot]) -> None:
        slots = list(slots)
        if slots:
            facts = [(slot.key, slot.utterance.text, slot.utterance.language) for slot in slots]
            future = check_task.submit(quote(self._desk.store), quote(facts), quote(self._desk.check_limits))
            self._checks.append((slots, future))

    def _settle(self, *, wait: bool) -> None:
        """Take in the verdicts that are there; with ``wait``, at least those asked for first."""
        started = time.monotonic()
        while self._checks and (wait or self._checks[0][1].wrapped_future.done()):
            slots, future = self._checks.pop(0)
            self._session.judged(slots, future.result())
            self._submit_checks(self._session.take_unchecked())
            wait = False
        self._clock.add("check", started)
        self._stitch_complete()

    def _stitch_complete(self) -> None:
        session = self._session
        for number, slots in session.chapters.items():
            if number in self._stitches or not slots or not session.complete(number) or session.held_back(number):
                continue
            save_verdicts(self._desk.workspace, self._rules, session)
            parts: Callable[[], object] = lambda number=number: session.parts(number)  # noqa: E731
            chapter = self._desk.chapter(number)
            self._stitches[number] = stitch_task.submit(
                number, chapter.title, chapter.volume, quote(parts), quote(self._desk.store), quote(self._desk.pauses),
                quote(self._desk.mastering), self._desk.workspace.chapters,
            )  # fmt: skip
