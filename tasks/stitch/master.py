"""How loud a chapter becomes: one measured gain, a limiter where the ceiling asks for it, a room under it.

Contract: ``settle`` measures a chapter and decides; ``Level.apply`` gives the finished samples of any stretch, whatever
stretches were asked for before. One linear gain holds for the whole chapter. The limiter touches nothing but what
would stand over the ceiling, takes off ``limit_db`` at most, and what it does is said: a chapter that would need more
stays quieter than its aim. What the limiter takes from the loudness is given back by the gain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from common.loudness import SILENCE_DB, SILENCE_LUFS, Block, Read, integrated_lufs, rms_db
from tasks.stitch.limiter import Peaks, Reduction, peaks_of, reduction
from tasks.stitch.mastering import Mastering

_CEILING_MARGIN_DB = 0.01  # rounding, and how the limiter's curve bends between its frames, may lift a peak by a hair
_TRIES = 5
_CLOSE_DB = 0.05
_ROOM_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Level:
    """``gain_db`` holds for every sample; ``reduction`` is ``None`` where no limiter was needed."""

    gain_db: float
    reduction: Reduction | None
    room_tone_db: float | None

    @property
    def limited_db(self) -> float:
        return self.reduction.deepest_db if self.reduction else 0.0

    @property
    def limited_share(self) -> float:
        return self.reduction.share if self.reduction else 0.0

    def finish(self, louder: Block, start: int, stop: int) -> Block:
        """The finished samples ``[start, stop)`` of a chapter whose gain is applied already, 1.0 being full scale."""
        curve = self.reduction.curve(start, stop) if self.reduction else None
        sound = louder if curve is None else louder * curve
        return sound if self.room_tone_db is None else sound + room_tone(start, stop, self.room_tone_db)

    def reader(self, raw: Read) -> Read:
        """The finished sound of ``raw``, block by block."""
        factor = 10.0 ** (self.gain_db / 20.0)
        return lambda start, stop: self.finish(raw(start, stop) * factor, start, stop)


def settle(raw: Read, samples: int, rate: int, mastering: Mastering) -> Level:
    """The level of a chapter of ``samples`` at ``rate`` Hz. A chapter too quiet to be measured is not made louder."""
    measure, aim = _aim(mastering, samples, rate)
    room = mastering.room_tone_db
    ceiling_db = mastering.ceiling_dbtp - _CEILING_MARGIN_DB
    found = measure(raw)
    wanted = 0.0 if found is None else aim - found
    # Peaks that stay under the ceiling at any gain that will be tried need not be known.
    peaks = peaks_of(raw, samples, 10.0 ** ((ceiling_db - wanted - mastering.limit_db) / 20.0))
    highest = float(peaks.max(initial=0.0))
    most = ceiling_db + mastering.limit_db - _db(highest) if highest else math.inf
    level = _at(min(wanted, most), peaks, ceiling_db, rate, room)
    for _ in range(_TRIES):
        if level.reduction is None or level.gain_db >= math.floor(most * 1000.0) / 1000.0:
            break
        after = measure(replace(level, room_tone_db=None).reader(raw))  # too quiet to count
        missing = 0.0 if after is None or found is None else aim - after
        if abs(missing) <= _CLOSE_DB:
            break
        level = _at(min(level.gain_db + missing, most), peaks, ceiling_db, rate, room)
    return level


def room_tone(start: int, stop: int, level_db: float) -> Block:
    """Samples ``[start, stop)`` of a quiet, endless noise of ``level_db`` (RMS): the same ones in every run."""
    low = max(0, start - 1)
    first, last = low // _ROOM_BLOCK, stop // _ROOM_BLOCK
    white = np.concatenate([_white(block) for block in range(first, last + 1)])
    white = white[low - first * _ROOM_BLOCK : stop + 1 - first * _ROOM_BLOCK]
    if start == 0:
        white = np.concatenate([[0.0], white])
    if len(white) < stop - start + 2:
        white = np.append(white, 0.0)
    soft = 0.25 * white[:-2] + 0.5 * white[1:-1] + 0.25 * white[2:]
    # uniform noise of width 1 has the variance 1/12, and these taps keep 0.375 of it
    return np.asarray(soft * (10.0 ** (level_db / 20.0) / math.sqrt(0.375 / 12.0)), dtype=np.float64)


@lru_cache(maxsize=4)
def _white(block: int) -> Block:
    raw = np.random.Philox(key=block).random_raw(_ROOM_BLOCK // 4)
    return np.asarray(raw.view(np.uint16) / 65536.0 - 0.5, dtype=np.float64)


def _at(gain_db: float, peaks: Peaks, ceiling_db: float, rate: int, room: float | None) -> Level:
    gain_db = math.floor(gain_db * 1000.0) / 1000.0
    factor, ceiling = 10.0 ** (gain_db / 20.0), 10.0 ** (ceiling_db / 20.0)
    return Level(gain_db, reduction(peaks, factor, ceiling, rate), room)


def _aim(mastering: Mastering, samples: int, rate: int) -> tuple[Callable[[Read], float | None], float]:
    """What is measured (``None``: too quiet to say) and what it shall be."""
    if mastering.loudness_lufs is not None:

        def loudness(read: Read) -> float | None:
            found = integrated_lufs(read, samples, rate)
            return found if found > SILENCE_LUFS else None

        return loudness, mastering.loudness_lufs

    def level(read: Read) -> float | None:
        found = rms_db(read, samples)
        return found if found > SILENCE_LUFS else None

    assert mastering.rms_db is not None
    return level, mastering.rms_db


def _db(factor: float) -> float:
    return 20.0 * math.log10(factor) if factor > 0.0 else SILENCE_DB
