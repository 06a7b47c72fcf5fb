"""The level of voices whose profile does not say it: measured once for each, on takes of the book, and kept.

Contract: a profile's ``gain_db`` was measured (``benchmarks/voices.py``) and wins. A voice without one (a clip that somebody
added, a speech server's voice) is levelled by one gain: what brings the median loudness of its lines in the chapter that
is stitched first to the house's level. The gain is written to ``levels.json`` of the book and holds for all chapters and
later runs; deleting the file measures anew. Levels between lines are never touched.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.files import read_json, write_json
from engines.base import Voice
from tasks.domain import SCHEMA, Take

HOUSE_LUFS = -20.0
"""Where ``gain_db`` of the shipped profiles brings their voices; a chapter's own gain comes after it."""

_MOST_DB = 15.0
_LEAST_SECONDS = 1.0
_MOST_TAKES = 40


@dataclass(frozen=True, slots=True)
class Spoken:
    """A take and the voice that it was recorded with."""

    voice: Voice
    take: Take


class Levels:
    """The gains of one book. ``samples_of`` gives a take's samples at the engine's level."""

    def __init__(self, path: Path, samples_of: Callable[[Take], Any]) -> None:
        self._path, self._samples_of = path, samples_of
        known = read_json(path)
        gains = known.get("voices") if isinstance(known, dict) and known.get("schema") == SCHEMA else None
        self._gains = {str(key): float(gain) for key, gain in gains.items()} if isinstance(gains, dict) else {}

    def gains(self, spoken: Iterable[Spoken]) -> dict[str, float]:
        """The gain in dB of every voice in ``spoken`` whose profile has none, by the voice's id."""
        takes: dict[str, tuple[Voice, list[Take]]] = {}
        for one in spoken:
            if not one.voice.levelled:
                takes.setdefault(one.voice.id, (one.voice, []))[1].append(one.take)
        found, learnt = {}, False
        for voice_id, (voice, of_voice) in takes.items():
            key = f"{voice_id} {voice.content[:12]}"  # another clip under the same name is another voice
            if key not in self._gains:
                self._gains[key], learnt = self._measured(of_voice), True
            found[voice_id] = self._gains[key]
        if learnt:
            write_json(self._path, {"schema": SCHEMA, "voices": dict(sorted(self._gains.items()))})
        return found

    def _measured(self, takes: list[Take]) -> float:
        from common.loudness import SILENCE_LUFS, integrated_lufs

        loud = []
        long_enough = [take for take in takes if take.samples >= _LEAST_SECONDS * take.sample_rate]
        for take in (long_enough or takes)[:_MOST_TAKES]:
            samples = self._samples_of(take)
            loudness = integrated_lufs(lambda a, b, s=samples: s[a:b], len(samples), take.sample_rate)  # type: ignore[misc]
            if loudness > SILENCE_LUFS:
                loud.append(loudness)
        if not loud:
            return 0.0
        return round(max(-_MOST_DB, min(_MOST_DB, HOUSE_LUFS - statistics.median(loud))), 2)
