"""A look-ahead true-peak limiter that is silent where it has nothing to do.

Contract: ``peaks_of`` measures a sound once; ``reduction`` says from that how far a limiter must turn it down, where, so
that no true peak exceeds a ceiling; ``Reduction.curve`` gives the factor of every sample. It is exactly 1 wherever
nothing is over the ceiling within the look-ahead and the release has ended: there the sound stays as it is, bit for bit.
The result does not depend on the size of the blocks it is asked for.

How: the gain needed is held over the look-ahead to both sides, let go at a steady number of decibels a second, and
smoothed by a moving average no wider than the hold. Every averaged value is at least what its place needs, so the
smooth curve never lets a peak through. Peaks between samples are measured at four times the rate (ITU-R BS.1770-4,
Annex 2); how the curve bends between frames can move them by thousandths of a decibel, which the caller measures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from common.loudness import Block, Read, finer_peaks

FRAME = 16
"""Samples that share one value of the curve before it is interpolated: 0.7 ms at 24 kHz."""

LOOK_SECONDS = 0.006
RELEASE_DB_PER_SECOND = 60.0
_NEPER_DB = 20.0 / math.log(10.0)
_BLOCK = 1024 * FRAME

Peaks = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Reduction:
    """``nepers``: by how much each frame is turned down, ``(frames,)``, 0 where it is not. ``deepest_db`` is the most,
    ``share`` the part of the sound that is turned down by 0.1 dB or more."""

    nepers: npt.NDArray[np.float32]
    deepest_db: float
    share: float

    def curve(self, start: int, stop: int) -> Block | None:
        """The factors of samples ``[start, stop)``, or ``None`` where all of them are 1."""
        low, high = max(0, start // FRAME - 1), min(len(self.nepers), -(-stop // FRAME) + 1)
        near = self.nepers[low:high]
        if not near.any():
            return None
        centres = (np.arange(low, high) + 0.5) * FRAME - 0.5
        return np.exp(-np.interp(np.arange(start, stop), centres, near))


def peaks_of(read: Read, samples: int, over: float) -> Peaks:
    """The highest true peak of every frame, ``(frames,)``; 0 for frames that are certainly under ``over``."""
    frames = -(-samples // FRAME)
    found = np.zeros(frames, dtype=np.float32)
    for start in range(0, samples, _BLOCK):
        stop = min(samples, start + _BLOCK)
        fine = finer_peaks(read, samples, start, stop, FRAME, over)
        if fine is not None:
            found[start // FRAME : start // FRAME + len(fine)] = fine
    return found


def reduction(peaks: Peaks, gain: float, ceiling: float, rate: int) -> Reduction | None:
    """What keeps a sound with these ``peaks``, made louder by the factor ``gain``, under ``ceiling`` (both factors, not
    decibels); ``None`` where nothing exceeds it."""
    import scipy.ndimage

    highest = float(peaks.max(initial=0.0)) * gain
    if highest <= ceiling:
        return None
    with np.errstate(divide="ignore"):
        needed = np.maximum(0.0, np.log(peaks.astype(np.float64) * (gain / ceiling)))
    look = max(1, round(LOOK_SECONDS * rate / FRAME))
    held = scipy.ndimage.maximum_filter1d(needed, 2 * look + 3)  # one frame more, for what interpolation reaches
    fall = RELEASE_DB_PER_SECOND / _NEPER_DB * FRAME / rate
    slope = fall * np.arange(len(held))
    let_go = np.maximum(0.0, np.maximum.accumulate(np.where(held > 0.0, held + slope, -np.inf)) - slope)
    smooth = scipy.ndimage.uniform_filter1d(let_go, 2 * look + 1)
    smooth[smooth < 1e-6] = 0.0  # what the moving sum leaves of nothing
    nepers = smooth.astype(np.float32)
    deepest = float(nepers.max()) * _NEPER_DB
    return Reduction(nepers, deepest, float(np.mean(nepers * _NEPER_DB >= 0.1)))
