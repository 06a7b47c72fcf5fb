"""A stored take, measured and judged."""

from __future__ import annotations

from collections.abc import Callable

from engines.base import Samples
from tasks.check.judge import LineFacts, judge
from tasks.check.limits import CheckLimits
from tasks.check.signal import measure
from tasks.domain import Take, Verdict


def check_take(
    store_samples: Callable[[Take], Samples], take: Take, line_spoken: str, language: str, limits: CheckLimits
) -> Verdict:
    """The verdict on ``take`` as a recording of ``line_spoken``.

    ``store_samples`` gives a take's samples (the store's ``samples``). Speed and stop reason come from the take's
    sidecar. Errors: those of ``store_samples``, such as a take that was damaged on disk.
    """
    line = LineFacts(line_spoken, language, speed=float(take.meta.get("speed") or 1.0))
    return judge(measure(store_samples(take), take.sample_rate), take.meta.get("stop", "end"), line, limits)
