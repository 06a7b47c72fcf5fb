"""Subtitles of a chapter from its timeline.

Contract: pure. What is shown is the written text; when it is shown comes from the marks of the spoken text, found
through what the two have in common. A subtitle has at most two rows and never overlaps the next. Times are whole
milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from tasks.domain import Cue, Timeline
from tasks.publish.breaks import pieces, rows

SHORTEST_MS = 700
"""A subtitle stays this long if the next one leaves room."""


@dataclass(frozen=True, slots=True)
class Subtitle:
    start_ms: int
    end_ms: int
    rows: tuple[str, ...]


def subtitles_of(timeline: Timeline) -> tuple[Subtitle, ...]:
    """All subtitles of a chapter in order. Lines without sound or without text have none."""
    found: list[Subtitle] = []
    for cue in timeline.cues:
        text = " ".join(cue.text.split())
        if cue.start >= cue.end or not text:
            continue
        for start, end, piece in _timed(cue, text):
            first = start * 1000 // timeline.sample_rate
            found.append(Subtitle(first, max(first + 1, end * 1000 // timeline.sample_rate), tuple(rows(piece))))
    return _apart(found, timeline.samples * 1000 // timeline.sample_rate)


def to_srt(subtitles: tuple[Subtitle, ...]) -> str:
    blocks = [
        f"{index}\n{_clock(item.start_ms)} --> {_clock(item.end_ms)}\n" + "\n".join(item.rows) + "\n"
        for index, item in enumerate(subtitles, 1)
    ]
    return "\n".join(blocks)


def _timed(cue: Cue, text: str) -> list[tuple[int, int, str]]:
    """The pieces of a cue as ``(start, end, text)`` in samples; the first starts and the last ends with the cue."""
    cuts = pieces(text)
    spoken_at = _alignment(text, cue.spoken)
    timed = []
    low = cue.start
    for index, (start, end) in enumerate(cuts):
        first = cue.start if index == 0 else min(max(low, _starts(cue, spoken_at(start))), cue.end)
        last = cue.end if index == len(cuts) - 1 else min(max(first, _ends(cue, spoken_at(end))), cue.end)
        timed.append((first, last, text[start:end]))
        low = last
    return timed


def _alignment(text: str, spoken: str) -> Callable[[int], float]:
    """Where in ``spoken`` an index of ``text`` stands: exact within what both share, in proportion between."""
    if text == spoken:
        return float
    known = [(0, 0)]
    for a, b, size in SequenceMatcher(None, text, spoken, autojunk=False).get_matching_blocks():
        known += [(a, b), (a + size, b + size)]
    known.append((len(text), len(spoken)))

    def at(index: int) -> float:
        for (low_a, low_b), (high_a, high_b) in pairwise(known):
            if low_a <= index < high_a:
                return low_b + (index - low_a) * (high_b - low_b) / (high_a - low_a)
        return float(len(spoken))

    return at


def _starts(cue: Cue, at: float) -> int:
    """The sample where the spoken character ``at`` begins (the next one that sounds, if it makes no sound)."""
    if not cue.marks:
        return _in_proportion(cue, at)
    for mark in cue.marks:
        if at < mark.end_char:
            done = max(0.0, at - mark.start_char) / max(1, mark.end_char - mark.start_char)
            return mark.start + round(done * (mark.end - mark.start))
    return cue.end


def _ends(cue: Cue, at: float) -> int:
    """The sample where the last sounding character before ``at`` ends."""
    if not cue.marks:
        return _in_proportion(cue, at)
    for mark in reversed(cue.marks):
        if at > mark.start_char:
            done = min(1.0, (at - mark.start_char) / max(1, mark.end_char - mark.start_char))
            return mark.start + round(done * (mark.end - mark.start))
    return cue.start


def _in_proportion(cue: Cue, at: float) -> int:
    return cue.start + round((cue.end - cue.start) * at / max(1, len(cue.spoken)))


def _apart(found: list[Subtitle], total_ms: int) -> tuple[Subtitle, ...]:
    """Give short ones time to be read, and end each before the next begins."""
    result: list[Subtitle] = []
    clock = 0
    for index, item in enumerate(found):
        start = max(clock, item.start_ms)
        following = found[index + 1].start_ms if index + 1 < len(found) else max(total_ms, item.end_ms)
        end = max(item.end_ms, start + SHORTEST_MS) if following - start >= SHORTEST_MS else max(item.end_ms, following)
        end = max(start + 1, min(end, following))
        result.append(Subtitle(start, end, item.rows))
        clock = end
    return tuple(result)


def _clock(milliseconds: int) -> str:
    seconds, thousandths = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d},{thousandths:03d}"
