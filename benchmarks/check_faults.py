"""Faults planted into clean takes for ``benchmarks.check``: every function gives the spoilt samples, or ``None`` where
the take has no place for it (too short a line)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from benchmarks.check_corpus import Clean
from engines.base import Samples
from tasks.check.signal import measure
from tasks.check.units import Unit, expected


@dataclass(slots=True)
class Bench:
    """What faults are made from: the clean takes with their samples, the instructions read aloud by voice."""

    samples: dict[str, Samples]
    cleans: list[Clean]
    heads: dict[str, Samples]
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(7))


def _units(clean: Clean) -> list[tuple[Unit, int, int]]:
    """Units that are not light, with the samples of their marks."""
    found = []
    for unit in expected(clean.utterance.text, clean.utterance.language):
        marks = [m for m in clean.take.marks if m.start_char < unit.end and m.end_char > unit.start]
        if marks and not unit.light:
            found.append((unit, marks[0].start, marks[-1].end))
    return found


def _cut(samples: Samples, start: int, end: int, rate: int) -> Samples:
    """Without ``[start, end)``, joined by a fade of 5 ms, so that nothing clicks."""
    fade = round(0.005 * rate)
    left, right = samples[:start].copy(), samples[end:].copy()
    n = min(fade, len(left), len(right))
    if n:
        slope = np.linspace(0.0, 1.0, n, dtype=np.float32)
        middle = left[-n:] * (1 - slope) + right[:n] * slope
        return np.concatenate([left[:-n], middle, right[n:]])
    return np.concatenate([left, right])


def _word(bench: Bench, clean: Clean, most: int) -> tuple[int, int] | None:
    """Samples of a word of ``most`` syllables (Chinese) or one word (English) that stands whole between marks."""
    units = _units(clean)
    size = most if clean.utterance.language == "zh" else 1
    if clean.utterance.language == "en":
        units = [one for one in units if len(one[0].text) >= 4]
    spans = [
        (units[i][1], units[i + size - 1][2])
        for i in range(len(units) - size + 1)
        if units[i + size - 1][0].end - units[i][0].start <= (size if clean.utterance.language == "zh" else 99)
    ]
    total = len(expected(clean.utterance.text, clean.utterance.language))
    return spans[int(bench.rng.integers(len(spans)))] if spans and total >= 6 else None


def cut_word(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    span = _word(bench, clean, 2)
    return _cut(x, *span, rate) if span else None


def swallowed_syllable(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    if clean.utterance.language != "zh":
        return None
    span = _word(bench, clean, 1)
    return _cut(x, *span, rate) if span else None


def doubled_phrase(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    size = 4 if clean.utterance.language == "zh" else 3
    units = [m for m in clean.take.marks if m.end > m.start]
    if len(expected(clean.utterance.text, clean.utterance.language)) < 6 or len(units) < size + 1:
        return None
    at = int(bench.rng.integers(len(units) - size + 1))
    start, end = units[at].start, units[at + size - 1].end
    return np.concatenate([x[:end], x[start:end], x[end:]])


def hole_2s(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    marks = clean.take.marks
    if len(marks) < 3:
        return None
    at = marks[int(bench.rng.integers(1, len(marks) - 1))].start
    fade = round(0.005 * rate)
    slope = np.linspace(1.0, 0.0, fade, dtype=np.float32)
    left, right = x[:at].copy(), x[at:].copy()
    left[-fade:] *= slope
    right[:fade] *= slope[::-1]
    return np.concatenate([left, np.zeros(2 * rate, np.float32), right])


def swapped_voice(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    others = [
        other for other in bench.cleans
        if other.utterance.language == clean.utterance.language and other.utterance.voice.id != clean.utterance.voice.id
    ]  # fmt: skip
    other = others[int(bench.rng.integers(len(others)))]
    return bench.samples[other.take.key]  # judged as the other's text in this one's voice: see ``asked_of``


def louder_take(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    sign = 1.0 if bench.rng.random() < 0.5 else -1.0
    return (x * 10 ** (sign * 3.0 / 20.0)).astype(np.float32) if len(x) > 1.2 * rate else None


def step_inside(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    marks = clean.take.marks
    if len(marks) < 8:
        return None
    at = marks[len(marks) // 2].start
    y = x.copy()
    y[at:] *= 10 ** ((3.0 if bench.rng.random() < 0.5 else -3.0) / 20.0)
    return y


def click(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    m = measure(x, rate)
    at = int(bench.rng.integers(round(m.head_seconds * rate), len(x) - round(m.tail_seconds * rate) - 4))
    y = x.copy()
    y[at : at + 3] += np.array([0.5, -0.5, 0.25], np.float32) * m.peak
    return y


def leak(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    return np.concatenate([bench.heads[clean.utterance.voice.id], x])


def wrong_language(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    others = [o for o in bench.cleans if o.utterance.language != clean.utterance.language]
    near = sorted(others, key=lambda o: abs(o.take.samples - clean.take.samples))[:5]
    if clean.take.samples < 1.2 * rate:
        return None
    return bench.samples[near[int(bench.rng.integers(len(near)))].take.key]


def clipped(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    top = 0.35 * float(np.max(np.abs(x)))
    return np.clip(x, -top, top)


def dc(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    return (x + np.float32(0.03)).astype(np.float32)


def noise(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    level = 10 ** (measure(x, rate).level_db / 20.0)
    return (x + bench.rng.standard_normal(len(x)) * level * 10 ** (-22.0 / 20.0)).astype(np.float32)


def truncated(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    marks = [m for m in clean.take.marks if m.end > m.start]
    if len(marks) < 6:
        return None
    last = marks[-2]
    return x[: (last.start + last.end) // 2]


def silence(bench: Bench, clean: Clean, x: Samples, rate: int) -> Samples | None:
    return (bench.rng.standard_normal(len(x)) * 1e-4).astype(np.float32)


Fault = Callable[[Bench, Clean, Samples, int], Samples | None]
FAULTS: dict[str, Fault] = {
    "cut-word": cut_word, "doubled-phrase": doubled_phrase, "hole-2s": hole_2s, "swapped-voice": swapped_voice,
    "level-3db": louder_take, "level-step-3db": step_inside, "click": click, "leak": leak, "wrong-language": wrong_language,
    "swallowed-syllable": swallowed_syllable, "truncated": truncated, "clipped": clipped, "dc": dc, "noise": noise,
    "silence": silence,
}  # fmt: skip


def asked_of(fault: str, bench: Bench, clean: Clean, spoilt: Samples) -> Clean:
    """The line as which a spoilt take is judged: a swapped voice says its own text in another's name."""
    if fault != "swapped-voice":
        return clean
    other = next(one for one in bench.cleans if bench.samples[one.take.key] is spoilt)
    return Clean(replace(other.utterance, voice=clean.utterance.voice), other.take)
