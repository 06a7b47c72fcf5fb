"""The room's Prefect task: write the script of a manuscript. Thin: call the pure function, log what came of it."""

from __future__ import annotations

from pathlib import Path

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE

from tasks.domain import Manuscript
from tasks.script.scribe import Scribe, Written

__all__ = ["Written", "write_script_task"]


@task(name="write-script", cache_policy=NO_CACHE, persist_result=False)
def write_script_task(manuscript: Manuscript, scribe: Scribe, folder: Path) -> Written:
    """Bring the script files in ``folder`` up to date. Errors are the user's to mend: no retries."""
    written = scribe.write(manuscript, folder)
    logger = get_run_logger()
    lines = sum(len(chapter.lines) for chapter in written.script.chapters)
    logger.info("%d chapters, %d lines, in %s", len(written.script.chapters), lines, folder)
    for note in written.notes:
        logger.warning("%s", note)
    return written
