"""The room's Prefect task: read one manuscript and keep it as ``manuscript.json``."""

from __future__ import annotations

from pathlib import Path

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE

from tasks.domain import Manuscript
from tasks.read.manuscript import read_manuscript, save


@task(name="read", persist_result=False, cache_policy=NO_CACHE)
def read_task(
    path: Path,
    keep: Path | None = None,
    *,
    language: str = "",
    title: str = "",
    encoding: str = "",
    convert: str = "",
) -> Manuscript:
    """Read ``path``; where ``keep`` is given, save the manuscript there (``outputs/<book>/manuscript.json``)."""
    manuscript = read_manuscript(path, language=language, title=title, encoding=encoding, convert=convert)
    log = get_run_logger()
    log.info("%s: %d chapters, %d characters", path, len(manuscript.chapters), len(manuscript.source))
    for warning in manuscript.warnings:
        log.warning("%s: %s", path, warning)
    if keep is not None:
        save(manuscript, keep)
    return manuscript
