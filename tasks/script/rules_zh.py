"""Figures and signs in Chinese novels: our own rules first, the grammar for what they leave.

Contract: ``edits(text)`` takes text with half-width figures and gives sorted, disjoint edits. A rule is a pattern and
a function that says the match, or ``None`` where the match is not what it seems; the first rule to claim a place
has it. Rules rest on the words around a number, never on a single number's value alone, except for the few numbers
that everybody knows as signs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from tasks.script import wet
from tasks.script.rules_zh_table import RULES
from tasks.script.split import Edit

Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str | None]]

_FIGURE = re.compile(r"[0-9]")
_CLAUSE = re.compile(r"[^，。！？；、…“”‘’「」『』《》（）()!?;\n]+")


def edits(text: str) -> list[Edit]:
    """What of ``text`` is said otherwise than it is written."""
    if len(text) <= 64:
        return list(_cached(text))
    return _edits(text)


@lru_cache(maxsize=16384)
def _cached(text: str) -> tuple[Edit, ...]:
    return tuple(_edits(text))


def _edits(text: str) -> list[Edit]:
    claimed = bytearray(len(text))
    found: list[Edit] = []
    for pattern, say in RULES:
        for match in pattern.finditer(text):
            low, high = match.span()
            if any(claimed[low:high]):
                continue
            said = say(match)
            if said is None:
                continue
            claimed[low:high] = b"\1" * (high - low)
            found.append(Edit(low, high, said))
    for low, high in _unclaimed(claimed):
        for clause in _CLAUSE.finditer(text, low, high):
            if _FIGURE.search(clause.group()):
                found.extend(
                    Edit(clause.start() + e.start, clause.start() + e.end, e.spoken)
                    for e in wet.edits(clause.group(), "zh")
                )
    return sorted((e for e in found if text[e.start : e.end] != e.spoken), key=lambda edit: (edit.start, edit.end))


def _unclaimed(claimed: bytearray) -> list[tuple[int, int]]:
    spans = []
    at = 0
    while at < len(claimed):
        low = claimed.find(0, at)
        if low < 0:
            break
        high = claimed.find(1, low)
        high = len(claimed) if high < 0 else high
        spans.append((low, high))
        at = high
    return spans
