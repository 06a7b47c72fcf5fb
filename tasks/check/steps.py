"""A step of level inside a take: one part louder than the rest. Pure.

Speech changes its level from word to word by more than a step that a listener would mind, so levels alone say little. What
changes far less is the level of a sound given its colour: frames are compared with frames of the same spectral shape on
the other side of a cut, which takes the words out of the comparison.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from engines.base import Samples

FRAME_SECONDS = 0.02
LEAST_FRAMES = 25
_BANDS = 14
_FELLOWS = 5


def level_step(samples: Samples, sample_rate: int) -> tuple[float, float] | None:
    """``(second, dB)`` of the largest step, positive where it gets louder; ``None`` where a side has too little sound."""
    shapes, levels, places = _frames(samples, sample_rate)
    count = len(levels)
    if count < 2 * LEAST_FRAMES:
        return None
    distance = np.square(shapes[:, None, :] - shapes[None, :, :]).sum(axis=2) if count <= 700 else None
    if distance is None:  # of a long take every other frame is enough
        keep = np.arange(0, count, -(-count // 700))
        shapes, levels, places = shapes[keep], levels[keep], places[keep]
        count = len(levels)
        distance = np.square(shapes[:, None, :] - shapes[None, :, :]).sum(axis=2)
    weight = np.exp(-distance / (2.0 * _bandwidth(distance)))
    difference = levels[None, :] - levels[:, None]
    # sums over pairs (i before the cut, j after it), for every cut at once, by cumulative sums
    upper = np.triu(weight, 1)
    best: tuple[float, float] | None = None
    total = np.cumsum(np.cumsum((upper * difference)[::-1, :], axis=0)[::-1, :], axis=1)
    whole = np.cumsum(np.cumsum(upper[::-1, :], axis=0)[::-1, :], axis=1)
    for cut in range(LEAST_FRAMES, count - LEAST_FRAMES):
        # pairs with i < cut <= j
        value = _block(total, cut) / max(_block(whole, cut), 1e-9)
        if best is None or abs(value) > abs(best[1]):
            best = (float(places[cut]), float(value))
    return best


def _block(summed: npt.NDArray[np.float64], cut: int) -> float:
    # summed[a, b] = sum over i >= a, j <= b; the block i < cut, j >= cut is what is left of the whole
    last = summed.shape[1] - 1
    return float(summed[0, last] - summed[cut, last] - summed[0, cut - 1])


def _bandwidth(distance: npt.NDArray[np.float64]) -> float:
    nearest = np.partition(distance + np.eye(len(distance)) * 1e9, _FELLOWS, axis=1)[:, _FELLOWS]
    return float(np.median(nearest)) + 1e-9


def _frames(
    samples: Samples, sample_rate: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Of the loud frames: spectral shapes ``(frames, bands)`` free of level, levels in dB, and their seconds."""
    hop = round(FRAME_SECONDS * sample_rate)
    count = len(samples) // hop
    if count < 2:
        return np.zeros((0, _BANDS)), np.zeros(0), np.zeros(0)
    frames = samples[: count * hop].reshape(count, hop) * np.hanning(hop)
    spectrum = np.square(np.abs(np.fft.rfft(frames, axis=1)))
    edges = np.unique(np.geomspace(2, spectrum.shape[1] * 0.7, _BANDS + 1).astype(int))
    bands = np.stack([spectrum[:, a:b].mean(axis=1) for a, b in itertools.pairwise(edges)], axis=1)
    power = spectrum.sum(axis=1)
    loud = power > np.percentile(power, 95.0) * 10 ** (-22.0 / 10.0)
    logs: npt.NDArray[np.float64] = 10.0 * np.log10(bands[loud] + 1e-9)
    levels: npt.NDArray[np.float64] = 10.0 * np.log10(power[loud] + 1e-9)
    shapes: npt.NDArray[np.float64] = logs - levels[:, None]
    return shapes, levels.astype(np.float64), (np.flatnonzero(loud) * FRAME_SECONDS).astype(np.float64)
