"""Everything that is measured on a finished sound, in one pass over blocks as they come.

Contract: feed blocks of any size, then ask for the ``Measured``; what it says does not depend on the sizes, and memory
grows by 100 numbers a second of sound, whatever the rate. Loudness and true peak as in ``common.loudness`` (ITU-R
BS.1770-4, all channels of weight 1); the noise floor is the RMS level of the quietest half second; head and tail end
where the level of 10 ms is within 45 dB of the loudest and 10 dB above the noise floor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.signal

from common.loudness import (
    OVERSAMPLE,
    SILENCE_DB,
    SILENCE_LUFS,
    Block,
    gated_lufs,
    interpolator,
    k_weighting,
)

_CONTEXT = 16
_CHUNK_STEPS = 50  # of 100 ms
_PEAK_BLOCK = 4096
_HEARD_BELOW_LOUDEST_DB = 45.0
_HEARD_OVER_FLOOR_DB = 10.0
_FLOOR_STEPS = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """``rms_db`` is the level of all samples, ``peak_dbfs`` the highest sample, ``true_peak_dbtp`` the highest between
    samples. ``head_seconds`` and ``tail_seconds`` are the quiet before the first and after the last sound (all of it where
    nothing sounds)."""

    rate_hz: int
    channels: int
    samples: int
    loudness_lufs: float
    rms_db: float
    peak_dbfs: float
    true_peak_dbtp: float
    noise_floor_db: float
    head_seconds: float
    tail_seconds: float

    @property
    def seconds(self) -> float:
        return self.samples / self.rate_hz


class Meter:
    """Takes float blocks ``(samples, channels)`` or ``(samples,)`` at ``rate_hz``, 1.0 being full scale."""

    def __init__(self, rate_hz: int, channels: int = 1) -> None:
        self._rate, self._channels = rate_hz, channels
        self._step = max(10, round(rate_hz * 0.1))
        self._frame = max(1, self._step // 10)
        self._sections = k_weighting(rate_hz)
        self._state = np.zeros((len(self._sections), 2, channels))
        self._waiting: list[Block] = []
        self._waiting_samples = 0
        self._edge = np.zeros((0, channels))
        self._samples = 0
        self._squares = 0.0
        self._peak = self._true_peak = 0.0
        self._weighted: list[Block] = []
        self._frames: list[Block] = []

    def feed(self, block: npt.NDArray[np.float32] | Block) -> None:
        sound = np.asarray(block, dtype=np.float64).reshape(-1, self._channels)
        self._waiting.append(sound)
        self._waiting_samples += len(sound)
        chunk = self._step * _CHUNK_STEPS
        if self._waiting_samples >= chunk:
            whole = np.concatenate(self._waiting)
            ready = len(whole) // chunk * chunk
            self._take(whole[:ready])
            self._waiting, self._waiting_samples = [whole[ready:]], len(whole) - ready

    def measured(self) -> Measured:
        """What was measured of all that was fed; the meter is done after it."""
        if self._waiting_samples:
            self._take(np.concatenate(self._waiting))
            self._waiting, self._waiting_samples = [], 0
        self._peaks(np.zeros((0, self._channels)), last=True)
        frames = np.concatenate(self._frames) if self._frames else np.zeros(0)
        floor = self._floor(frames)
        head, tail = self._edges(frames, floor)
        mean = self._squares / max(1, self._samples * self._channels)
        return Measured(
            rate_hz=self._rate,
            channels=self._channels,
            samples=self._samples,
            loudness_lufs=self._loudness(),
            rms_db=_power_db(mean),
            peak_dbfs=_power_db(self._peak**2),
            true_peak_dbtp=_power_db(self._true_peak**2),
            noise_floor_db=_power_db(floor),
            head_seconds=head,
            tail_seconds=tail,
        )

    def _take(self, sound: Block) -> None:
        self._samples += len(sound)
        squares = np.square(sound).sum(axis=1)
        self._squares += float(squares.sum())
        whole = len(sound) // self._frame * self._frame
        self._frames.append(squares[:whole].reshape(-1, self._frame).mean(axis=1) / self._channels)
        weighted, self._state = scipy.signal.sosfilt(self._sections, sound, axis=0, zi=self._state)
        powers = np.square(weighted).sum(axis=1)
        steps = len(sound) // self._step * self._step
        if steps:
            self._weighted.append(powers[:steps].reshape(-1, self._step).mean(axis=1))
        if self._samples < 4 * self._step:  # under 400 ms all of it counts as one block
            self._short = float(powers.mean())
        self._peaks(sound, last=False)

    def _peaks(self, sound: Block, *, last: bool) -> None:
        """True peak of what has its neighbours on both sides; the last ``_CONTEXT`` samples wait for theirs."""
        self._peak = max(self._peak, float(np.abs(sound).max(initial=0.0)))
        self._true_peak = max(self._true_peak, self._peak)
        joined = np.concatenate([self._edge, sound])
        taps, lift = interpolator()
        begin = min(_CONTEXT, len(self._edge)) if self._samples > len(sound) else 0
        end = len(joined) if last else max(begin, len(joined) - _CONTEXT)
        for start in range(begin, end, _PEAK_BLOCK):
            stop = min(end, start + _PEAK_BLOCK)
            low, high = max(0, start - _CONTEXT), min(len(joined), stop + _CONTEXT)
            block = joined[low:high]
            if float(np.abs(block).max(initial=0.0)) * lift <= self._true_peak:
                continue
            finer = np.abs(scipy.signal.resample_poly(block, OVERSAMPLE, 1, axis=0, window=taps))
            finer = finer[(start - low) * OVERSAMPLE : (stop - low) * OVERSAMPLE]
            self._true_peak = max(self._true_peak, float(finer.max(initial=0.0)))
        self._edge = joined[max(0, len(joined) - 2 * _CONTEXT) :]

    def _loudness(self) -> float:
        powers = np.concatenate(self._weighted) if self._weighted else np.zeros(0)
        if self._samples < 4 * self._step:
            powers = np.array([self._short]) if self._samples else np.zeros(0)
        return gated_lufs(powers)

    def _floor(self, frames: Block) -> float:
        """Mean square of the quietest half second; of all where there is less."""
        per_step = 10
        whole = len(frames) // per_step * per_step
        steps = frames[:whole].reshape(-1, per_step).mean(axis=1)
        if len(steps) < _FLOOR_STEPS:
            return float(frames.mean()) if len(frames) else 0.0
        sums = np.concatenate(([0.0], np.cumsum(steps)))
        return max(0.0, float((sums[_FLOOR_STEPS:] - sums[:-_FLOOR_STEPS]).min()) / _FLOOR_STEPS)

    def _edges(self, frames: Block, floor: float) -> tuple[float, float]:
        seconds = self._samples / self._rate
        loudest = float(frames.max(initial=0.0))
        gate = max(loudest * 10.0 ** (-_HEARD_BELOW_LOUDEST_DB / 10.0), 10.0 ** (SILENCE_LUFS / 10.0))
        over_floor = floor * 10.0 ** (_HEARD_OVER_FLOOR_DB / 10.0)
        if over_floor < loudest / 10.0:  # sound without a single pause has no floor
            gate = max(gate, over_floor)
        heard = np.flatnonzero(frames > gate)
        if not len(heard):
            return seconds, seconds
        head = int(heard[0]) * self._frame / self._rate
        tail = seconds - (int(heard[-1]) + 1) * self._frame / self._rate
        return head, max(0.0, tail)


def _power_db(mean_square: float) -> float:
    return 10.0 * math.log10(mean_square) if mean_square > 10.0 ** (SILENCE_DB / 10.0) else SILENCE_DB
