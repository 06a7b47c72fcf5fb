"""The room's Prefect task: one batch of lines. Thin: log, call the pure function, report."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE

from engines.base import Engine
from tasks.speak.record import BatchReport, Job, Recorded, record_batch
from tasks.speak.speed import note
from tasks.speak.takes import TakeStore


@task(name="record", task_run_name="record-{batch}", cache_policy=NO_CACHE, persist_result=False)
def record_task(
    engine: Engine,
    store: TakeStore,
    jobs: Sequence[Job],
    batch: str = "batch",
    on_line: Callable[[Recorded], None] | None = None,
) -> BatchReport:
    """Record one batch; ``batch`` names the task run. No retries here: what cannot be said is in the report, and the
    store remembers what could."""
    report = record_batch(engine, store, jobs, on_line)
    note(engine, report)
    logger = get_run_logger()
    logger.info(
        "%d of %d lines recorded now, %.1f s of sound in %.1f s of work, memory %d MiB (peak %d MiB)",
        report.lines, len(report), report.audio_seconds, report.engine_seconds + report.store_seconds,
        report.rss_bytes >> 20, report.peak_rss_bytes >> 20,
    )  # fmt: skip
    for failed in report.failed:
        if failed.error is not None:
            logger.error(
                "chapter %d, line %s: %s: %s", failed.chapter, failed.line_id, failed.error.code, failed.error.message
            )
    return report
