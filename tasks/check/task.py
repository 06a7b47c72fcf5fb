"""The room's Prefect task: the checks of one batch of takes. Thin: call the pure function, log what was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE

from engines.base import Samples
from tasks.check.check import check_take
from tasks.check.limits import CheckLimits
from tasks.domain import Take, Verdict


@dataclass(frozen=True, slots=True)
class CheckJob:
    """A take to be checked, and the line it should be."""

    line_id: str
    chapter: int
    take: Take
    spoken: str
    language: str = "zh"


@task(name="check", task_run_name="check-{batch}", cache_policy=NO_CACHE, persist_result=False)
def check_task(
    store_samples: Callable[[Take], Samples], jobs: Sequence[CheckJob], limits: CheckLimits, batch: str = "batch"
) -> list[Verdict]:
    """Verdicts in the order of ``jobs``; ``batch`` names the task run."""
    verdicts = [check_take(store_samples, job.take, job.spoken, job.language, limits) for job in jobs]
    logger = get_run_logger()
    for job, verdict in zip(jobs, verdicts, strict=True):
        if verdict.outcome != "pass":
            logger.warning(
                "chapter %d, line %s: %s: %s", job.chapter, job.line_id, verdict.outcome, "; ".join(verdict.reasons)
            )
    return verdicts
