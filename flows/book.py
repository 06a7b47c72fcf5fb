"""The DAG of a book: manuscript -> script -> takes -> chapters -> audiobook.

``produce_book`` is the flow behind ``voicepress make`` and the deployment ``produce-book/book``. The rooms do the work
through their thin tasks; this file only says what follows what. One task is one batch of lines. Checking and
stitching run beside the recording. Files, not Prefect's states, hold the truth: a run killed at any moment is begun
again with the same command and does only what is missing.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from prefect import flow
from prefect.task_runners import ThreadPoolTaskRunner

from common.errors import VoicepressError
from common.files import from_system, write_json
from flows import approvals
from flows.config import Book, load_book
from flows.console import say
from flows.desk import Desk
from flows.receipt import account_for, remember
from flows.recording import Clock, Recording
from flows.session import Session, Slot, load_verdicts
from flows.whole import whole
from tasks.domain import Deliverable, Manuscript, StitchedChapter
from tasks.publish.receipt import write_receipt
from tasks.publish.task import PublishJob, publish
from tasks.read.task import read_task
from tasks.script.task import Written, write_script_task

SIDE_WORKERS = 3
"""Threads for checking and stitching beside the recording: one listens, one may wait for the ear, one stitches."""


DAMAGED_TAKES = 3
"""How often a run starts over because a recording turned out to be damaged on disk; each time it is a miss from then on."""


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
    clock: Clock


@flow(
    name="produce-book",
    flow_run_name="{book}",
    description="Makes one book: reads it, writes its script, records, checks, stitches and publishes.",
    task_runner=ThreadPoolTaskRunner(max_workers=SIDE_WORKERS),  # type: ignore[arg-type]
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
        desk.store.sweep()
        try:
            for _ in range(DAMAGED_TAKES):
                try:
                    return _make(job, desk, terminal)
                except VoicepressError as error:
                    if error.code != "take-damaged":
                        raise
                    say(f"{error.what} ({error.where}); it is recorded anew")
            return _make(job, desk, terminal)
        except OSError as error:
            found = from_system(error)
            if found is None:
                raise
            raise found from error
        finally:
            desk.close()


def _make(job: Book, desk: Desk, terminal: bool) -> Made:
    clock = Clock()
    manuscript, written = _prepare(job, desk, clock)
    rules = desk.check_rules()
    session = Session(
        desk.with_credits(manuscript),
        engine=desk.engine,
        store=desk.store,
        utterance_of=desk.utterance_of,
        retakes=job.retakes,
        batch=job.batch or desk.engine.limits.batch,
        check=job.check != "off",
        verdicts=load_verdicts(desk.workspace, rules),
        approvals=approvals.takes(desk.workspace.folder),
    )
    stitched = Recording(job, desk, session, clock, rules).run(terminal)
    failed = [slot for slot in session.slots() if slot.failed]
    deliverables: tuple[Deliverable, ...] = ()
    if not failed and written.coverage.complete:
        deliverables = _publish(job, desk, manuscript, stitched, clock)
    receipt, _ = write_receipt(
        account_for(job, desk, manuscript, written.coverage, written.notes, session, stitched, deliverables, clock),
        desk.workspace.made,
    )
    if failed:
        raise _lines_failed(failed, receipt)
    if not written.coverage.complete:
        gap = written.coverage.gaps[0]
        raise VoicepressError(
            "coverage-gap", f"{len(written.coverage.gaps)} places of the manuscript are neither read nor left out for a "
            f"reason, the first: '{gap.text}'", file=job.manuscript, line=gap.line,
            hint="this is a fault of voicepress; please report it with these lines of the manuscript",
        )  # fmt: skip
    write_json(desk.workspace.finished, remember(job))
    return Made(
        title=desk.title(manuscript),
        folder=desk.workspace.made,
        deliverables=deliverables,
        receipt=receipt,
        lines=len(session.slots()),
        recorded=clock.recorded,
        flagged=sum(bool(slot.flagged) for slot in session.slots()),
        clock=clock,
        audio_seconds=sum(chapter.timeline.samples / chapter.timeline.sample_rate for chapter in stitched),
    )


def _prepare(job: Book, desk: Desk, clock: Clock) -> tuple[Manuscript, Written]:
    """Read the manuscript and bring the script up to date."""
    started = time.monotonic()
    manuscript = read_task(
        job.manuscript,
        desk.workspace.manuscript,
        language=job.language,
        title=job.info.title,
        encoding=job.encoding,
        convert=job.convert,
    )
    clock.add("read", started)
    started = time.monotonic()
    written = write_script_task(whole(manuscript), whole(desk.scribe), desk.workspace.script)
    notes = (*written.notes, *desk.advice(manuscript), *desk.require_speakable(written.script))
    written = replace(written, notes=notes)
    for note in notes:
        say(f"note: {note}")
    clock.add("script", started)
    return manuscript, written


def _publish(
    job: Book, desk: Desk, manuscript: Manuscript, stitched: list[StitchedChapter], clock: Clock
) -> tuple[Deliverable, ...]:
    started = time.monotonic()
    info = desk.book_info(manuscript)
    made = publish(
        PublishJob(info, stitched, desk.mastering, desk.workspace.publish, job.formats, feed_url=job.feed_url)
    )
    for item in made:
        for fault in item.faults:
            say(f"note: {item.path.name} misses '{desk.mastering.name}': {fault}")
    clock.add("publish", started)
    return made


def _lines_failed(slots: list[Slot], receipt: Path) -> VoicepressError:
    first = slots[0]
    numbers = sorted({slot.chapter for slot in slots})
    chapters = ", ".join(map(str, numbers[:10])) + (f" and {len(numbers) - 10} more" if len(numbers) > 10 else "")
    return VoicepressError(
        "lines-failed",
        f"{len(slots)} {'line' if len(slots) == 1 else 'lines'} could not be recorded and hold back chapter {chapters}; "
        f"all else is done. First: line {first.line.id} '{first.line.text[:40]}': {first.failed}",
        file=receipt,
        hint="change what is listed there in the script (spoken:, or skip: true), then run the same command again",
    )
