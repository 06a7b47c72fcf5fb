"""Integrated loudness, level and true peak of long sound in little memory.

Contract: all read a signal through ``read(start, stop) -> float64 samples`` block by block; what they give does not
depend on the size of the blocks. Loudness follows ITU-R BS.1770-4 (K weighting with pyloudnorm's filter design, blocks
of 400 ms every 100 ms, gates at -70 LUFS and 10 LU under the ungated mean). True peak is the highest absolute value at
four times the sample rate (Annex 2 of the same).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyloudnorm
import scipy.signal

Block = npt.NDArray[np.float64]
Read = Callable[[int, int], Block]

SILENCE_LUFS = -70.0
"""What silence measures: the absolute gate, so that figures stay finite."""
SILENCE_DB = -120.0

OVERSAMPLE = 4
_HALF_TAPS = 10 * OVERSAMPLE  # per side, at the higher rate
_CONTEXT = 16  # samples around a block that the interpolation filter may look at
_PEAK_BLOCK = 16384


def integrated_lufs(read: Read, samples: int, rate: int) -> float:
    """Integrated loudness in LUFS of mono sound; ``SILENCE_LUFS`` where nothing passes the gates.

    Sound shorter than 400 ms counts as one block.
    """
    return gated_lufs(_step_powers(read, samples, rate))


def gated_lufs(powers: Block) -> float:
    """Integrated loudness of the K-weighted mean squares of 100 ms each; fewer than four count as one block."""
    if not len(powers):
        return SILENCE_LUFS
    span = min(4, len(powers))
    sums = np.concatenate(([0.0], np.cumsum(powers)))
    blocks = (sums[span:] - sums[:-span]) / span
    loud = blocks[blocks > _power(SILENCE_LUFS)]
    if not len(loud):
        return SILENCE_LUFS
    loud = loud[loud > loud.mean() * 10.0**-1.0]
    return max(SILENCE_LUFS, -0.691 + 10.0 * math.log10(float(loud.mean())))


def rms_db(read: Read, samples: int) -> float:
    """The level of all samples together, pauses included, in dB; ``SILENCE_DB`` for silence."""
    size = 1 << 18
    total = sum(float(np.square(read(start, min(samples, start + size))).sum()) for start in range(0, samples, size))
    mean = total / max(1, samples)
    return 10.0 * math.log10(mean) if mean > 10.0 ** (SILENCE_DB / 10.0) else SILENCE_DB


def true_peak_dbtp(read: Read, samples: int) -> float:
    """True peak in dBTP; ``SILENCE_DB`` for silence.

    The interpolation filter cannot lift a block by more than the sum of its absolute taps. So blocks are looked at from
    the loudest down, and those that cannot exceed the peak found so far are left out: the result is the same.
    """
    taps, lift = interpolator()
    starts = range(0, samples, _PEAK_BLOCK)
    # each block's highest sample, neighbours' edges included: that is what the filter sees
    highest = np.array(
        [np.abs(read(max(0, s - _CONTEXT), min(samples, s + _PEAK_BLOCK + _CONTEXT))).max(initial=0.0) for s in starts]
    )
    peak = 0.0
    for index in np.argsort(-highest, kind="stable"):
        if highest[index] * lift <= peak or highest[index] == 0.0:
            break
        start = int(index) * _PEAK_BLOCK
        stop = min(samples, start + _PEAK_BLOCK)
        before, after = min(start, _CONTEXT), min(samples - stop, _CONTEXT)
        block = read(start - before, stop + after)
        finer = scipy.signal.resample_poly(block, OVERSAMPLE, 1, window=taps)
        finer = finer[before * OVERSAMPLE : (before + stop - start) * OVERSAMPLE]
        peak = max(peak, float(np.abs(finer).max()), float(np.abs(block[before : before + stop - start]).max()))
    return 20.0 * math.log10(peak) if peak > 10.0 ** (SILENCE_DB / 20.0) else SILENCE_DB


def finer_peaks(
    read: Read, samples: int, start: int, stop: int, frame: int, over: float
) -> npt.NDArray[np.float64] | None:
    """The highest true peak of each ``frame`` samples of ``[start, stop)``; ``None`` if no peak can reach ``over``."""
    taps, lift = interpolator()
    before, after = min(start, _CONTEXT), min(samples - stop, _CONTEXT)
    block = read(start - before, stop + after)
    if np.abs(block).max(initial=0.0) * lift < over:
        return None
    finer = np.abs(scipy.signal.resample_poly(block, OVERSAMPLE, 1, window=taps))
    finer = finer[before * OVERSAMPLE : (before + stop - start) * OVERSAMPLE]
    step = frame * OVERSAMPLE
    if rest := -len(finer) % step:
        finer = np.append(finer, np.zeros(rest))
    highest: npt.NDArray[np.float64] = finer.reshape(-1, step).max(axis=1)
    return highest


def _step_powers(read: Read, samples: int, rate: int) -> Block:
    """Mean square of the K-weighted sound in steps of 100 ms; a last step that is not full is left out."""
    step = max(1, round(rate * 0.1))
    if samples < 4 * step:
        step = max(1, samples)
    size = max(step, 1 << 18) // step * step
    sections = k_weighting(rate)
    state = np.zeros((len(sections), 2))
    found = []
    for start in range(0, samples, size):
        block, state = scipy.signal.sosfilt(sections, read(start, min(samples, start + size)), zi=state)
        whole = len(block) // step * step
        found.append(np.square(block[:whole]).reshape(-1, step).mean(axis=1))
    return np.concatenate(found) if found else np.zeros(0)


@lru_cache(maxsize=8)
def k_weighting(rate: int) -> Block:
    """The two stages of K weighting as second-order sections."""
    shelf = pyloudnorm.IIRfilter(3.99984385397, 0.7071752369554193, 1681.9744509555319, rate, "high_shelf_DeMan")
    high = pyloudnorm.IIRfilter(0.0, 0.5003270373253953, 38.13547087613982, rate, "high_pass_DeMan")
    return np.array(
        [[*(stage.passband_gain * stage.b / stage.a[0]), *(stage.a / stage.a[0])] for stage in (shelf, high)]
    )


@lru_cache(maxsize=1)
def interpolator() -> tuple[Block, float]:
    """The low-pass for resampling by four (unit gain, as ``resample_poly`` wants it), and the most it can lift a peak."""
    taps = scipy.signal.firwin(2 * _HALF_TAPS + 1, 1.0 / OVERSAMPLE, window=("kaiser", 5.0))
    lift = max(float(np.abs(taps[phase::OVERSAMPLE]).sum()) for phase in range(OVERSAMPLE)) * OVERSAMPLE
    return taps, max(1.0, lift)


def _power(lufs: float) -> float:
    return float(10.0 ** ((lufs + 0.691) / 10.0))
