"""Seconds of work by stage, by a decorator.

Contract: a method decorated with ``timed("flow")`` adds the seconds it takes to its object's ``clock``. On a GPU the clock
waits for the device before it is read, so that a stage is charged with what it started.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Concatenate, ParamSpec, Protocol, TypeVar

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


@dataclass(slots=True)
class Clock:
    """``seconds`` by stage since the clock was made; ``wait`` returns when the device has done what it was given."""

    wait: Callable[[], None] = lambda: None
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, stage: str, seconds: float) -> None:
        self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds


class HasClock(Protocol):
    @property
    def clock(self) -> Clock: ...


_Owner = TypeVar("_Owner", bound=HasClock)


def timed(
    stage: str,
) -> Callable[[Callable[Concatenate[_Owner, _Given], _Result]], Callable[Concatenate[_Owner, _Given], _Result]]:
    """Decorate a method of an object with a ``clock``."""

    def decorate(
        method: Callable[Concatenate[_Owner, _Given], _Result],
    ) -> Callable[Concatenate[_Owner, _Given], _Result]:
        @functools.wraps(method)
        def measured(self: _Owner, /, *args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
            begun = time.perf_counter()
            try:
                return method(self, *args, **kwargs)
            finally:
                self.clock.wait()
                self.clock.add(stage, time.perf_counter() - begun)

        return measured

    return decorate


def shares(seconds: float, weights: Sequence[float]) -> list[float]:
    """``seconds`` of a batch shared among its lines by ``weights``; equally where none has a weight."""
    total = sum(weights)
    if total <= 0:
        return [seconds / max(1, len(weights))] * len(weights)
    return [seconds * weight / total for weight in weights]
