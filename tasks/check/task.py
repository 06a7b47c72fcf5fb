"""The room's Prefect task: the checks of one batch of takes. Thin: call the pure function, log what was found."""

from __future__ import annotations

from collections.abc import Sequence

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE

from tasks.check.check import Asked, Checker, Takes
from tasks.domain import Verdict


@task(name="check", task_run_name="check-{batch}", cache_policy=NO_CACHE, persist_result=False)
def check_task(store: Takes, asked: Sequence[Asked], checker: Checker, batch: str = "batch") -> list[Verdict]:
    """Verdicts in the order of ``asked``. ``batch`` names the task run."""
    verdicts = checker.check(store, asked)
    logger = get_run_logger()
    for one, verdict in zip(asked, verdicts, strict=True):
        if verdict.outcome != "pass":
            logger.warning(
                "%s: %s (%s, take %s)", verdict.outcome, "; ".join(verdict.reasons), one.spoken[:40], one.key
            )
    return verdicts
