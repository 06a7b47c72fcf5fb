"""What can be measured on a recording without understanding it.

Contract: plain figures, no opinions. Speech is told from silence by the level of 10 ms frames: a frame sounds when it
is at most ``RANGE_DB`` below the take's own loud frames (their 95th percentile) and above ``FLOOR_DB``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engines.base import Samples

FRAME_SECONDS = 0.01
RANGE_DB = 38.0
FLOOR_DB = -65.0
CLIP_SHARE = 0.98
CLIP_RUN_SAMPLES = 4
GAP_SECONDS = 0.25
CLICK_FACTOR = 3.0
CLICK_SHARE = 0.15
"""The fourth difference of a click is so many times that of its surroundings; half of this is reported. It is at least this part of the take's peak."""


@dataclass(frozen=True, slots=True)
class Measures:
    """Levels are dBFS (full scale ±1.0). A take without any sounding frame has ``sounding_seconds`` 0 and all of it as
    head silence.

    ``sounding_seconds``: from the first to the last sounding frame. ``gap_seconds``: the longest silence inside.
    ``level_db``: RMS of the sounding frames. ``end_drop_db``: how far the very last frame lies below the loud frames.
    ``clipped_runs``: stretches of at least four equal samples at the peak. ``gaps``: every silence inside of at least
    ``GAP_SECONDS``, as seconds ``(start, end)`` of the take. ``floor_db``: how far the quietest tenth of the frames lies
    below the loud ones; digital silence is as far as it gets. ``clicks``: seconds at which a few samples stand out of
    their surroundings, with the factor by which they do. ``edge``: the larger of the first and the last sample.
    ``noise_db``: how far what sounds at both ends and in long gaps lies below the voice (120 where nothing does).
    """

    seconds: float
    head_seconds: float
    tail_seconds: float
    sounding_seconds: float
    gap_seconds: float
    peak: float
    level_db: float
    dc: float
    end_drop_db: float
    clipped_runs: int
    gaps: tuple[tuple[float, float], ...] = ()
    floor_db: float = 120.0
    clicks: tuple[tuple[float, float], ...] = ()
    edge: float = 0.0
    noise_db: float = 120.0

    @property
    def silent(self) -> bool:
        return self.sounding_seconds == 0.0


def measure(samples: Samples, sample_rate: int) -> Measures:
    """The figures of a take. ``samples``: float32 ``(n,)``, finite."""
    seconds = len(samples) / sample_rate
    frame = max(round(FRAME_SECONDS * sample_rate), 1)
    count = len(samples) // frame
    if not count:
        return Measures(seconds, seconds, 0.0, 0.0, 0.0, _peak(samples), -math.inf, 0.0, math.inf, 0)
    frames = samples[: count * frame].reshape(count, frame)
    power = np.einsum("ij,ij->i", frames, frames) / frame
    loud = float(np.percentile(power, 95.0))
    threshold = max(loud * 10.0 ** (-RANGE_DB / 10.0), 10.0 ** (FLOOR_DB / 10.0))
    sounding = np.flatnonzero(power > threshold)
    peak = _peak(samples)
    dc = float(np.mean(samples, dtype=np.float64))
    if not len(sounding):
        return Measures(seconds, seconds, 0.0, 0.0, 0.0, peak, _db(float(power.mean())), dc, math.inf, 0)
    first, last = int(sounding[0]), int(sounding[-1]) + 1
    gap_frames = int(np.diff(sounding).max(initial=1)) - 1
    wide = np.flatnonzero(np.diff(sounding) - 1 >= GAP_SECONDS / FRAME_SECONDS)
    gaps = tuple(
        ((int(sounding[i]) + 1) * frame / sample_rate, int(sounding[i + 1]) * frame / sample_rate) for i in wide
    )
    quiet = float(np.percentile(power, 10.0))
    end_power = float(np.mean(np.square(samples[-frame:], dtype=np.float64)))
    return Measures(
        seconds=seconds,
        head_seconds=first * frame / sample_rate,
        tail_seconds=(len(samples) - last * frame) / sample_rate,
        sounding_seconds=(last - first) * frame / sample_rate,
        gap_seconds=gap_frames * frame / sample_rate,
        peak=peak,
        level_db=_db(float(power[sounding].mean())),
        dc=dc,
        end_drop_db=_db(loud) - _db(end_power),
        clipped_runs=_clipped_runs(samples, peak),
        gaps=gaps,
        floor_db=min(_db(loud) - _db(quiet), 120.0),
        clicks=_clicks(samples, sample_rate, peak),
        noise_db=_noise_db(power, first, last),
        edge=float(max(abs(samples[0]), abs(samples[-1]))),
    )


def _peak(samples: Samples) -> float:
    return float(max(samples.max(initial=0.0), -samples.min(initial=0.0)))


def _db(power: float) -> float:
    return 10.0 * math.log10(power) if power > 0.0 else -math.inf


def _clipped_runs(samples: Samples, peak: float) -> int:
    # Only samples at the peak can be clipped, and of speech few are: the rest is never looked at twice.
    places = np.flatnonzero(np.abs(samples) >= CLIP_SHARE * peak)
    if len(places) < CLIP_RUN_SAMPLES:
        return 0
    values = samples[places]
    joined = (np.diff(places) == 1) & (values[1:] == values[:-1])
    edges = np.diff(np.concatenate(([0], joined.astype(np.int8), [0])))
    lengths = np.flatnonzero(edges == -1) - np.flatnonzero(edges == 1) + 1
    return int(np.count_nonzero(lengths >= CLIP_RUN_SAMPLES))


def _clicks(samples: Samples, sample_rate: int, peak: float) -> tuple[tuple[float, float], ...]:
    # The fourth difference of speech is alike from one period of the voice to the next; a click has no fellow within
    # 12 ms before and after it.
    if len(samples) < 64 or peak <= 0.0:
        return ()
    from scipy.ndimage import maximum_filter1d

    bend = np.abs(np.diff(samples, 4))
    near, wide = round(0.0004 * sample_rate), round(0.012 * sample_rate)
    size = wide - near
    reach = near + size // 2 + 1
    around = maximum_filter1d(bend, size, mode="constant")
    padded = np.pad(around, reach)
    fellows = np.maximum(padded[: len(bend)], padded[2 * reach :])
    factor = bend / np.maximum(fellows, 0.02 * float(bend.max()) + 1e-12)
    places = np.flatnonzero((bend > CLICK_SHARE * peak) & (factor > CLICK_FACTOR / 2.0))
    found: list[tuple[float, float]] = []
    for place in places:
        second = float(place) / sample_rate
        if not found or second - found[-1][0] > 0.002:
            found.append((second, float(factor[place])))
        elif factor[place] > found[-1][1]:
            found[-1] = (found[-1][0], float(factor[place]))
    return tuple(found)


def _noise_db(power: Samples, first: int, last: int) -> float:
    # The quietest 20 ms anywhere, held against the level: speech of a few seconds has such a moment, steady noise none.
    if len(power) < 10:
        return 120.0
    pairs = (power[1:] + power[:-1]) / 2.0
    quiet, level = float(np.min(pairs)), float(np.mean(power[first:last]))
    return min(_db(level) - _db(quiet), 120.0)
