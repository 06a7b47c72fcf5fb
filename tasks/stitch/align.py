"""Where each character of a line sounds, for takes whose engine does not say.

Contract: ``marks_of`` gives marks for every character that sounds, in order, inside the audible span. Clauses are laid
between the pauses of the recording so that every clause takes about the time its characters need (dynamic programming
over clauses and pauses); within a clause the characters share the time in which there is sound. It is an estimate: right
to some tenths of a second inside a clause, better at the pauses, which is what subtitles are cut at.
"""

from __future__ import annotations

import itertools
import unicodedata
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tasks.domain import TakeMark
from tasks.stitch.trim import FLOOR_DBFS, Samples

_FRAME_SECONDS = 0.01
_PAUSE_SECONDS = 0.09
"""A quiet stretch shorter than this is the stop of a consonant."""
_QUIET_BELOW_LOUDEST_DB = 32.0
_LATIN = 0.4
"""How long a Latin letter lasts beside a Han character."""
_STRONG, _WEAK = "。！？!?；;：:…", "，,、—～~"
_UNMATCHED = {"strong": 0.5, "weak": 0.15}
_SKIPPED_PER_SECOND = 1.5
_MAX_PAUSES = 120


@dataclass(frozen=True, slots=True)
class _Clause:
    """Characters ``[start, end)`` of the text; ``weight`` in Han characters; ``mark`` is what ends it."""

    start: int
    end: int
    weight: float
    mark: str


def marks_of(samples: Samples, rate: int, spoken: str, low: int, high: int) -> tuple[TakeMark, ...]:
    """Marks of the sounding characters of ``spoken``, heard in samples ``[low, high)``."""
    clauses = _clauses(spoken)
    if not clauses or high <= low:
        return ()
    sounding, pauses = _activity(samples, rate, low, high)
    spans = _lay(clauses, pauses, sounding, low, high, rate)
    marks: list[TakeMark] = []
    for first, last, start, end in spans:
        marks.extend(_spread(spoken, clauses[first].start, clauses[last].end, sounding, start, end, low, rate))
    return tuple(marks)


def _weight(char: str) -> float:
    if not char.isalnum():
        return 0.0
    return 1.0 if unicodedata.east_asian_width(char) in "WF" or char.isdigit() else _LATIN


def _clauses(spoken: str) -> list[_Clause]:
    found: list[_Clause] = []
    start, weight = 0, 0.0
    for index, char in enumerate(spoken):
        weight += _weight(char)
        mark = "strong" if char in _STRONG else "weak" if char in _WEAK else ""
        if mark and weight:
            found.append(_Clause(start, index + 1, weight, mark))
            start, weight = index + 1, 0.0
    if weight:
        found.append(_Clause(start, len(spoken), weight, "strong"))
    return found


def _activity(samples: Samples, rate: int, low: int, high: int) -> tuple[npt.NDArray[np.bool_], list[tuple[int, int]]]:
    """Whether each frame of 10 ms from ``low`` on sounds, and the pauses as frames ``[start, end)``, edges left out."""
    frame = max(1, round(rate * _FRAME_SECONDS))
    count = max(1, (high - low) // frame)
    sound = np.asarray(samples[low : low + count * frame], dtype=np.float64)
    sound = np.append(sound, np.zeros(count * frame - len(sound)))
    power = np.square(sound).reshape(count, frame).mean(axis=1)
    loudest = float(power.max(initial=0.0))
    gate = max(loudest * 10.0 ** (-_QUIET_BELOW_LOUDEST_DB / 10.0), 10.0 ** (FLOOR_DBFS / 10.0))
    sounding: npt.NDArray[np.bool_] = power > min(gate, loudest * 10.0 ** (-3.0 / 10.0))
    if not sounding.any():
        sounding[:] = True
    edges = np.flatnonzero(np.diff(np.concatenate(([True], sounding, [True])).astype(np.int8)))
    least = _PAUSE_SECONDS / _FRAME_SECONDS
    runs = [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a >= least]
    runs = [(a, b) for a, b in runs if a > 0 and b < count]
    if len(runs) > _MAX_PAUSES:  # the longest ones, in order
        runs = sorted(sorted(runs, key=lambda run: run[0] - run[1])[:_MAX_PAUSES])
    return sounding, runs


def _lay(
    clauses: list[_Clause],
    pauses: list[tuple[int, int]],
    sounding: npt.NDArray[np.bool_],
    low: int,
    high: int,
    rate: int,
) -> list[tuple[int, int, int, int]]:
    """Stretches ``(first clause, last clause, start sample, end sample)``: the cheapest way to end some clauses at some
    pauses. A stretch costs what its time differs from what its characters need, squared and in parts of that need."""
    frame = max(1, round(rate * _FRAME_SECONDS))
    voiced = np.concatenate(([0], np.cumsum(sounding)))
    quiet = [0.0, *itertools.accumulate((b - a) * _FRAME_SECONDS for a, b in pauses)]
    begins = [0, *(b for _, b in pauses)]
    ends = [*(a for a, _ in pauses), len(sounding)]
    total = sum(clause.weight for clause in clauses)
    pace = float(voiced[-1]) / max(total, 1e-9)
    n, m = len(clauses), len(pauses)
    weights = np.concatenate(([0.0], np.cumsum([clause.weight for clause in clauses])))
    unmatched = np.concatenate(([0.0], np.cumsum([_UNMATCHED[clause.mark] for clause in clauses])))
    best = np.full((n + 1, m + 1), np.inf)
    came: dict[tuple[int, int], tuple[int, int]] = {}
    best[0, 0] = 0.0
    for i in range(n):
        for j in range(m + 1):
            if not np.isfinite(best[i, j]):
                continue
            for k in range(i + 1, n + 1):
                needed = (weights[k] - weights[i]) * pace
                inside = unmatched[k - 1] - unmatched[i]
                lasts = range(m, m + 1) if k == n else range(j, m)
                for last in lasts:
                    given = float(voiced[ends[last]] - voiced[begins[j]])
                    skipped = (quiet[last] - quiet[j]) * _SKIPPED_PER_SECOND
                    cost = best[i, j] + (given - needed) ** 2 / max(needed, 5.0) / 25.0 + inside + skipped
                    target = (k, last + 1 if k < n else m)
                    if cost < best[target]:
                        best[target] = cost
                        came[target] = (i, j)
                    if given > 4.0 * needed + 60:
                        break  # longer ones cost only more
    spans: list[tuple[int, int, int, int]] = []
    at = (n, m)
    while at[0] > 0:
        before = came[at]
        stop = ends[m] if at[0] == n else ends[at[1] - 1]
        spans.append((before[0], at[0] - 1, low + begins[before[1]] * frame, min(high, low + stop * frame)))
        at = before
    spans.reverse()
    first, last, start, _ = spans[-1]
    spans[-1] = (first, last, start, high)
    return spans


def _spread(
    spoken: str,
    start_char: int,
    end_char: int,
    sounding: npt.NDArray[np.bool_],
    start: int,
    end: int,
    low: int,
    rate: int,
) -> list[TakeMark]:
    """The characters of a stretch over the frames of it that sound."""
    frame = max(1, round(rate * _FRAME_SECONDS))
    first, last = (start - low) // frame, max((start - low) // frame + 1, -(-(end - low) // frame))
    active = np.flatnonzero(sounding[first:last])
    if not len(active):
        active = np.arange(max(1, last - first))
    places = start + active * frame
    chars = [index for index in range(start_char, end_char) if _weight(spoken[index])]
    shares = np.concatenate(([0.0], np.cumsum([_weight(spoken[index]) for index in chars])))
    shares = shares / shares[-1] * len(active)
    marks = []
    for order, index in enumerate(chars):
        begin = int(places[min(len(places) - 1, int(shares[order]))])
        stop = int(places[min(len(places) - 1, max(int(shares[order]), int(np.ceil(shares[order + 1])) - 1))]) + frame
        marks.append(TakeMark(index, index + 1, min(begin, end), min(max(begin, stop), end)))
    marks[-1] = replace(marks[-1], end=end)
    return marks
