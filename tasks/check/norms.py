"""What is usual for a voice, learnt from its takes in the book. Pure state, no I/O.

Contract: medians over the takes of a voice, so that a few bad ones do no harm. A voice has a norm once ``LEAST`` takes
of it are known; until then only the general limits hold. The same takes in the same order give the same norms.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tasks.check.voiceprint import Embedding

LEAST = 6
MOST = 400
"""So many takes of a voice are remembered: the first ones."""


@dataclass(frozen=True, slots=True)
class Norm:
    """``pace``: sounding seconds over what the text needs at this speed; ``level_db``: RMS of the sounding parts;
    ``centre``: the mean embedding, of length one; ``others``: those of the book's other voices."""

    pace: float
    level_db: float
    centre: Embedding | None = None
    others: tuple[Embedding, ...] = ()


@dataclass(slots=True)
class _Known:
    pace: list[float] = field(default_factory=list)
    level_db: list[float] = field(default_factory=list)
    prints: list[Embedding] = field(default_factory=list)


class Norms:
    """The voices of one book. Safe to share by threads."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}
        self._lock = threading.Lock()

    def learn(self, voice: str, pace: float | None, level_db: float | None, embedding: Embedding | None = None) -> None:
        """One take of ``voice``; ``None`` where a figure says nothing (a very short line)."""
        with self._lock:
            known = self._known.setdefault(voice, _Known())
            for value, kept in ((pace, known.pace), (level_db, known.level_db), (embedding, known.prints)):
                if value is not None and len(kept) < MOST:
                    kept.append(value)  # type: ignore[arg-type]

    def of(self, voice: str) -> Norm | None:
        with self._lock:
            known = self._known.get(voice)
            if known is None or len(known.level_db) < LEAST or len(known.pace) < LEAST:
                return None
            others = tuple(
                _centre(other.prints)
                for name, other in self._known.items()
                if name != voice and len(other.prints) >= LEAST
            )
            centre = _centre(known.prints) if len(known.prints) >= LEAST else None
            return Norm(float(np.median(known.pace)), float(np.median(known.level_db)), centre, others)


def _centre(prints: Sequence[Embedding]) -> Embedding:
    # Twice, the second time without what lies far from the first: a swapped voice among few takes must not pull.
    stack = np.stack(prints)
    mean = stack.mean(axis=0)
    likeness = stack @ mean / (np.linalg.norm(mean) + 1e-12)
    kept = stack[likeness >= np.median(likeness) - 0.15]
    mean = kept.mean(axis=0)
    whole: Embedding = (mean / (np.linalg.norm(mean) + 1e-12)).astype(np.float32)
    return whole
