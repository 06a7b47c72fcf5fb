"""Two sequences of units laid side by side at the least cost. Pure.

Contract: ``align`` gives steps in order; every unit of both sides is in exactly one step. A step pairs one unit with one,
or two with one where a word was written in two (``step ladder``), or is a loss or an addition. Costs are 0 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from tasks.check.units import Unit

_NEAR_INITIALS = (
    {"zh", "z", "j"},
    {"ch", "c", "q"},
    {"sh", "s", "x"},
    {"n", "l", "r"},
    {"f", "h"},
    {"b", "p"},
    {"d", "t"},
    {"g", "k"},
)
_INITIALS = ("zh", "ch", "sh", *"bpmfdtnlgkhjqxrzcsyw")
SAME_BELOW = 0.45
"""Pairs that cost less are one and the same sound, heard a little differently."""


@dataclass(frozen=True, slots=True)
class Step:
    """``wanted[wanted_start:wanted_end]`` was heard as ``heard[heard_start:heard_end]``; one of them may be empty."""

    wanted_start: int
    wanted_end: int
    heard_start: int
    heard_end: int
    cost: float

    @property
    def lost(self) -> bool:
        return self.heard_start == self.heard_end

    @property
    def added(self) -> bool:
        return self.wanted_start == self.wanted_end

    @property
    def same(self) -> bool:
        return not self.lost and not self.added and self.cost < SAME_BELOW


def align(wanted: Sequence[Unit], heard: Sequence[Unit], names: frozenset[int] = frozenset()) -> list[Step]:
    """The cheapest way from ``wanted`` to ``heard``. ``names``: places in ``wanted`` that may be heard as anything like
    them. Among equals losses and additions come in one piece, as late as possible."""
    rows, columns = len(wanted), len(heard)
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    move = [[0] * (columns + 1) for _ in range(rows + 1)]
    for j in range(1, columns + 1):
        best[0][j], move[0][j] = best[0][j - 1] + _weight(heard[j - 1]), 2
    for i in range(1, rows + 1):
        best[i][0], move[i][0] = best[i - 1][0] + _weight(wanted[i - 1]), 1
        for j in range(1, columns + 1):
            price = pair_cost(wanted[i - 1], heard[j - 1])
            if price and (i - 1) in names:
                price *= 0.4
            options = [
                (best[i - 1][j - 1] + price, 0),
                (best[i - 1][j] + _weight(wanted[i - 1]), 1),
                (best[i][j - 1] + _weight(heard[j - 1]), 2),
            ]
            if not wanted[i - 1].han and not heard[j - 1].han:
                if i > 1 and not wanted[i - 2].han:
                    options.append((best[i - 2][j - 1] + _joined(wanted[i - 2], wanted[i - 1], heard[j - 1]), 3))
                if j > 1 and not heard[j - 2].han:
                    options.append((best[i - 1][j - 2] + _joined(heard[j - 2], heard[j - 1], wanted[i - 1]), 4))
            best[i][j], move[i][j] = min(options)
    steps: list[Step] = []
    i, j = rows, columns
    back = {0: (1, 1), 1: (1, 0), 2: (0, 1), 3: (2, 1), 4: (1, 2)}
    while i or j:
        di, dj = back[move[i][j]]
        steps.append(Step(i - di, i, j - dj, j, best[i][j] - best[i - di][j - dj]))
        i, j = i - di, j - dj
    return steps[::-1]


def _weight(unit: Unit) -> float:
    return 0.35 if unit.light else 0.75


def _joined(first: Unit, second: Unit, whole: Unit) -> float:
    cost = _word_cost(first.text + second.text, whole.text)
    return 2.0 * cost if cost < 0.15 else 9.0


def pair_cost(wanted: Unit, heard: Unit) -> float:
    """0 for the same sound, up to 1 for one that has nothing in common."""
    if wanted.han and heard.han:
        if wanted.sounds & heard.sounds:
            return 0.0
        return min((_syllable_cost(a, b) for a in wanted.sounds for b in heard.sounds), default=1.0)
    if wanted.han or heard.han:
        return 1.0
    return _word_cost(wanted.text, heard.text)


def _split(syllable: str) -> tuple[str, str]:
    for initial in _INITIALS:
        if syllable.startswith(initial):
            return initial, syllable[len(initial) :]
    return "", syllable


@lru_cache(maxsize=65536)
def _syllable_cost(first: str, second: str) -> float:
    if first == second:
        return 0.0
    (a, x), (b, y) = _split(first), _split(second)
    start = 0.0 if a == b else 0.2 if any({a, b} <= group for group in _NEAR_INITIALS) else 0.5
    end = 0.0 if x == y else 0.2 if x.removesuffix("g") == y.removesuffix("g") else 0.3 if x[-2:] == y[-2:] else 0.5
    return start + end


@lru_cache(maxsize=65536)
def _word_cost(first: str, second: str) -> float:
    if first == second:
        return 0.0
    letters = SequenceMatcher(None, first, second, autojunk=False).ratio()
    return min(
        1.0, 1.4 * (1.0 - max(letters, SequenceMatcher(None, _sound(first), _sound(second), autojunk=False).ratio()))
    )


@lru_cache(maxsize=65536)
def _sound(word: str) -> str:
    """A word's consonants in broad classes, its vowels as one: ``night`` and ``knight`` meet."""
    for old, new in (
        ("kn", "n"),
        ("wr", "r"),
        ("wh", "w"),
        ("ph", "f"),
        ("gh", ""),
        ("ck", "k"),
        ("qu", "kw"),
        ("c", "k"),
        ("x", "ks"),
        ("z", "s"),
    ):
        word = word.replace(old, new)
    kept = [("a" if letter in "aeiouy" else letter) for letter in word]
    return "".join(letter for i, letter in enumerate(kept) if i == 0 or letter != kept[i - 1])
