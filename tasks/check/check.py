"""A stored take, measured and judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from common.errors import VoicepressError
from engines.base import Samples
from tasks.check.judge import LineFacts, judge
from tasks.check.limits import CheckLimits
from tasks.check.signal import measure
from tasks.domain import Take, Verdict

Fact = tuple[str, str, str]
"""Key of a take, spoken text of its line, language."""


class Takes(Protocol):
    """Where takes lie; the store of the room ``speak`` is one."""

    def get(self, key: str) -> Take | None: ...

    def samples(self, take: Take) -> Samples: ...


def check_take(
    store_samples: Callable[[Take], Samples], take: Take, line_spoken: str, language: str, limits: CheckLimits
) -> Verdict:
    """The verdict on ``take`` as a recording of ``line_spoken``.

    ``store_samples`` gives a take's samples (the store's ``samples``). Speed and stop reason come from the take's
    sidecar. Errors: those of ``store_samples``, such as a take that was damaged on disk.
    """
    line = LineFacts(line_spoken, language, speed=float(take.meta.get("speed") or 1.0))
    return judge(measure(store_samples(take), take.sample_rate), take.meta.get("stop", "end"), line, limits)


def check_stored(store: Takes, key: str, line_spoken: str, language: str, limits: CheckLimits) -> Verdict:
    """As ``check_take``, by key; a take that is missing or damaged is to be recorded again."""
    take = store.get(key)
    if take is None:
        return Verdict("retry", ("missing: the store has no such take",), score=-2.0)
    try:
        return check_take(store.samples, take, line_spoken, language, limits)
    except VoicepressError as error:
        return Verdict("retry", (f"damaged: {error.what}",), score=-2.0)
