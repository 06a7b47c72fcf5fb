"""What is drawn of a take: the peaks of its sound. Pure but for reading it."""

from __future__ import annotations

import numpy as np

from engines.base import Samples
from tasks.domain import Take
from tasks.speak.takes import TakeStore

COLUMNS = 480


def peaks(samples: Samples, columns: int = COLUMNS) -> list[float]:
    """The highest absolute sample of each of ``columns`` equal stretches, 0 to 1, of mono ``samples``; fewer columns where
    there are fewer samples."""
    columns = min(columns, len(samples))
    if not columns:
        return []
    starts = np.linspace(0, len(samples), columns, endpoint=False).astype(np.int64)
    highest = np.maximum.reduceat(np.abs(samples), starts)
    return [round(min(float(one), 1.0), 3) for one in highest]


def peaks_of(store: TakeStore, take: Take) -> list[float]:
    """The peaks of a stored take. Errors: a take that is damaged."""
    return peaks(store.samples(take))
