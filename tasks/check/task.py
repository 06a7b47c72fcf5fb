"""The room's Prefect task: the checks of one batch of takes. Thin: call the pure function, log what was found."""

from __future__ import annotations

from collections.abc import Sequence

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE

from tasks.check.check import Fact, Takes, check_stored
from tasks.check.limits import CheckLimits
from tasks.domain import Verdict


@task(name="check", task_run_name="check-{batch}", cache_policy=NO_CACHE, persist_result=False)
def check_task(store: Takes, facts: Sequence[Fact], limits: CheckLimits, batch: str = "batch") -> list[Verdict]:
    """Verdicts in the order of ``facts``: ``(key of the take, spoken text, language)``. ``batch`` names the task run."""
    verdicts = [check_stored(store, key, spoken, language, limits) for key, spoken, language in facts]
    logger = get_run_logger()
    for (key, spoken, _), verdict in zip(facts, verdicts, strict=True):
        if verdict.outcome != "pass":
            logger.warning("%s: %s (%s, take %s)", verdict.outcome, "; ".join(verdict.reasons), spoken[:40], key)
    return verdicts
