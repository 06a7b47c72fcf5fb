"""Where a line of text may be broken for the screen, and where it is best broken.

Contract: pure. Widths are in tenths of a Latin letter: Latin 10, Han and other wide characters 21, so that a row of
``ROW_WIDTH`` holds 42 Latin letters or 20 Han characters. A subtitle has at most two rows.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence

ROW_WIDTH = 420
ROWS = 2

_SENTENCE_ENDS = "。！？!?…"
_CLAUSE_ENDS = "，、；：,;:—"
_OPENING = "（《〈「『【〔([{“‘"
_CLOSING = "）》〉」』】〕)]}”’"

_AT_SENTENCE, _AT_CLAUSE, _AT_SPACE, _AT_HAN, _ANYWHERE = 0, 10, 60, 90, 400
# Among Han characters without marks: words seldom end before the first of these and often after the second.
_CLINGING, _ENDING = "的地得了着过们吗呢吧啊子儿", "的地得了着"
_AT_CLINGING, _AT_ENDING = 160, 70
_PER_SCREEN = 120
_FROM_MIDDLE = 200
_PER_ROW = 10_000  # a screen has no third row, however well it would break


def pieces(text: str) -> list[tuple[int, int]]:
    """Cut ``text`` into spans ``[start, end)`` that each fit on a screen of two rows: as few as needed, at the strongest
    marks, of even length. The spans cover all of ``text``."""
    return _partition(text, lambda reach, start: reach[reach[start]], _PER_SCREEN)


def rows(text: str) -> list[str]:
    """A piece of ``pieces`` as its rows, trimmed."""
    text = text.strip()
    return [text[start:end].strip() for start, end in _partition(text, lambda reach, start: reach[start], _PER_ROW)]


def middle(text: str) -> int | None:
    """Where to cut ``text`` in two: at the strongest mark, the nearer to the middle the better; ``None`` where it cannot
    be cut."""
    widths = _running_widths(text)
    places, costs = _places(text, widths)
    half = widths[-1] / 2
    inner = range(1, len(places) - 1)
    if not inner:
        return None
    return places[min(inner, key=lambda i: costs[i] + _FROM_MIDDLE * abs(widths[places[i]] - half) / max(1.0, half))]


def _partition(text: str, reach_of: Callable[[Sequence[int], int], int], per_piece: int) -> list[tuple[int, int]]:
    """Shortest path over the places where ``text`` may be broken. ``reach_of`` says how far one piece may go."""
    if not text:
        return []
    widths = _running_widths(text)
    places, costs = _places(text, widths)
    last = len(places) - 1
    # the farthest place a row reaches from each place; the blank at its end needs no room
    reach = []
    for index, place in enumerate(places):
        far = bisect_right(places, bisect_right(widths, widths[place] + ROW_WIDTH) - 1) - 1
        while far < last and widths[len(text[: places[far + 1]].rstrip())] - widths[place] <= ROW_WIDTH:
            far += 1
        reach.append(min(last, max(far, index + 1)))
    whole = widths[-1]
    best: list[float] = [0.0] + [float("inf")] * last
    came = [0] * (last + 1)
    for start in range(last):
        middle = _Middle(costs, reach, start)
        for end in range(start + 1, reach_of(reach, start) + 1):
            share = (widths[places[end]] - widths[places[start]]) / max(1, whole)
            cost = best[start] + per_piece + costs[end] + middle.cost(end) + 200.0 * share * share
            if cost < best[end]:
                best[end], came[end] = cost, start
    spans = []
    end = last
    while end > 0:
        spans.append((places[came[end]], places[end]))
        end = came[end]
    return spans[::-1]


class _Middle:
    """What the best break between the two rows of a piece costs, for one beginning and ends that only grow."""

    def __init__(self, costs: Sequence[int], reach: Sequence[int], start: int) -> None:
        self._reach, self._far, self._at = reach, reach[start], start + 1
        self._best_from: dict[int, int] = {}
        best = costs[self._far]
        for place in range(self._far, start, -1):
            best = min(best, costs[place])
            self._best_from[place] = best

    def cost(self, end: int) -> int:
        if end <= self._far:
            return 0  # one row
        while self._at < self._far and self._reach[self._at] < end:
            self._at += 1
        return self._best_from[self._at]


def _running_widths(text: str) -> list[int]:
    han = any(unicodedata.east_asian_width(c) in "WF" for c in text)
    wide = "WFA" if han else "WF"  # quotation marks and dashes are as wide as the text they stand in
    total, widths = 0, [0]
    for c in text:
        if not unicodedata.category(c).startswith("M"):
            total += 21 if unicodedata.east_asian_width(c) in wide else 10
        widths.append(total)
    return widths


def _places(text: str, widths: Sequence[int]) -> tuple[list[int], list[int]]:
    """Indices where a break may stand (0 and the end included), and what each costs."""
    places, costs = [0], [0]
    for index in range(1, len(text)):
        cost = _cost(text, index)
        if cost is None and widths[index + 1] - widths[places[-1]] > ROW_WIDTH:
            cost = _ANYWHERE  # a word longer than a row
        if cost is not None:
            places.append(index)
            costs.append(cost)
    return [*places, len(text)], [*costs, 0]


def _cost(text: str, index: int) -> int | None:
    """What a break before ``text[index]`` costs, or ``None`` where there may be none."""
    before, after = text[index - 1], text[index]
    if after.isspace() or before in _OPENING or unicodedata.category(after).startswith("M"):
        return None
    if before.isspace():
        mark = text[:index].rstrip().rstrip("\"'" + _CLOSING)[-1:]
        if mark and mark in _SENTENCE_ENDS + ".":
            return _AT_SENTENCE
        return _AT_CLAUSE if mark and mark in _CLAUSE_ENDS else _AT_SPACE
    if after in _SENTENCE_ENDS or after in _CLAUSE_ENDS or after in _CLOSING or after in ".":
        return None
    wide_before = unicodedata.east_asian_width(before) in "WFA"
    if not wide_before and unicodedata.east_asian_width(after) not in "WF":
        return None  # inside a word or a number
    mark = text[:index].rstrip(_CLOSING)[-1:]
    if mark and mark in "。！？!?…":
        return _AT_SENTENCE
    if mark and mark in "，、；：;—" and mark == before:
        return _AT_CLAUSE
    if after in _CLINGING or after == before:
        return _AT_CLINGING
    return _AT_ENDING if before in _ENDING else _AT_HAN
