"""Which of several takes of a line is worth its sound. Pure policy on durations.

The language model's tokens tell a take's duration (40 ms each) and whether it ended well before flow and vocoder, which
cost most of the work, have begun.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from engines.base import Stop


@dataclass(frozen=True, slots=True)
class Candidate:
    """One decoded take of a line. ``seconds``: how long it will sound."""

    seconds: float
    stop: Stop


def choose(candidates: Sequence[Candidate], window_seconds: tuple[float, float] | None = None) -> int:
    """The index of the candidate to render.

    Any sound wins over none, and a take that ended by itself over one that was stopped. Then the one that misses the
    window least and, inside it, the one nearest to its middle; without a window the one nearest to the median of those
    that ended well: whoever runs away or breaks off is far from it. The first of equals wins.
    """
    if not candidates:
        raise ValueError("there is nothing to choose from")
    ended = [one.seconds for one in candidates if one.stop == "end" and one.seconds > 0]
    if window_seconds is None:
        low = high = aim = median(ended or [one.seconds for one in candidates])
    else:
        low, high = window_seconds
        aim = (low + high) / 2

    def badness(index: int) -> tuple[bool, bool, float, float, int]:
        one = candidates[index]
        missed = max(low - one.seconds, one.seconds - high, 0.0)
        return one.seconds <= 0, one.stop != "end", round(missed, 6), round(abs(one.seconds - aim), 6), index

    return min(range(len(candidates)), key=badness)


def fits(seconds: float, window_seconds: tuple[float, float] | None) -> bool:
    """Whether a duration lies in the window (both ends included); always without one."""
    return window_seconds is None or window_seconds[0] <= seconds <= window_seconds[1]
