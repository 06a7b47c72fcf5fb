"""Subtitles of a chapter from its timeline.

Contract: pure. What is shown is the written text; when it is shown comes from the marks of the spoken text, found
through what the two have in common. A subtitle has at most two rows, stays at most seven seconds, never overlaps the
next, and stays long enough to be read where the next one leaves room. Times are whole milliseconds, each counted from
samples alone, so that nothing can drift. How the limits compare: Netflix asks for at most 7 s, 2 rows, and 9 Han or 20
Latin characters a second for adults.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise
from unicodedata import east_asian_width

from tasks.domain import Cue, Timeline
from tasks.publish.breaks import middle, pieces, rows

SHORTEST_MS = 700
"""A subtitle stays this long if the next one leaves room."""
LONGEST_MS = 7000
MS_PER_HAN = 1000 // 9
MS_PER_LATIN = 1000 // 20


@dataclass(frozen=True, slots=True)
class Subtitle:
    start_ms: int
    end_ms: int
    rows: tuple[str, ...]
    speaker: str = ""


def subtitles_of(timeline: Timeline) -> tuple[Subtitle, ...]:
    """All subtitles of a chapter in order. Lines without sound or without text have none."""
    found: list[Subtitle] = []
    for cue in timeline.cues:
        text = " ".join(cue.text.split())
        if cue.start >= cue.end or not text:
            continue
        for start, end, piece in _timed(cue, text, LONGEST_MS * timeline.sample_rate // 1000):
            first = start * 1000 // timeline.sample_rate
            last = max(first + 1, end * 1000 // timeline.sample_rate)
            found.append(Subtitle(first, last, tuple(rows(piece)), cue.speaker))
    return _apart(found, timeline.samples * 1000 // timeline.sample_rate)


def shifted(subtitles: Sequence[Subtitle], milliseconds: int) -> tuple[Subtitle, ...]:
    """The same later by ``milliseconds``."""
    return tuple(
        replace(item, start_ms=item.start_ms + milliseconds, end_ms=item.end_ms + milliseconds) for item in subtitles
    )


def _timed(cue: Cue, text: str, longest: int) -> list[tuple[int, int, str]]:
    """The pieces of a cue as ``(start, end, text)`` in samples; the first starts and the last ends with the cue."""
    spoken_at = _alignment(text, cue.spoken)
    cuts = pieces(text)
    while True:
        timed = _times(cue, text, cuts, spoken_at)
        shorter = [
            part
            for cut, (start, end, _) in zip(cuts, timed, strict=True)
            for part in _halved(text, cut, end - start, longest)
        ]
        if len(shorter) == len(cuts):
            return timed
        cuts = shorter


def _halved(text: str, cut: tuple[int, int], samples: int, longest: int) -> list[tuple[int, int]]:
    """A piece that would stay too long, cut in two where it can be."""
    start, end = cut
    if samples <= longest or (at := middle(text[start:end])) is None:
        return [cut]
    return [(start, start + at), (start + at, end)]


def _times(
    cue: Cue, text: str, cuts: Sequence[tuple[int, int]], spoken_at: Callable[[int], float]
) -> list[tuple[int, int, str]]:
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
        shortest = max(SHORTEST_MS, min(LONGEST_MS, _reading_ms(item)))
        end = max(item.end_ms, min(start + shortest, following))
        end = max(start + 1, min(end, following))
        result.append(replace(item, start_ms=start, end_ms=end))
        clock = end
    return tuple(result)


def _reading_ms(item: Subtitle) -> int:
    text = "".join(item.rows)
    wide = sum(east_asian_width(char) in "WF" and char.isalnum() for char in text)
    return wide * MS_PER_HAN + sum(char.isalnum() for char in text) * MS_PER_LATIN - wide * MS_PER_LATIN
