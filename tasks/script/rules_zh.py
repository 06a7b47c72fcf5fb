"""Figures and signs in Chinese novels, by three tables of rules.

Contract: ``edits(text)`` takes text with half-width figures and gives sorted, disjoint edits. A rule is a pattern and
a function that says the match, or ``None`` where the match is not what it seems; the first rule to claim a place
has it. Rules rest on the words around a number, never on a single number's value alone, except for the few numbers
that everybody knows as signs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from tasks.script import rules_en, rules_zh_counts, rules_zh_signs, rules_zh_table
from tasks.script.numerals import cardinal_zh, digits_zh
from tasks.script.split import Edit

Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str | None]]

_PLAIN_RULES: list[Rule] = [*rules_zh_table.RULES, *rules_zh_counts.RULES]
RULES: list[Rule] = [*rules_zh_signs.RULES, *_PLAIN_RULES]

_FIGURE = re.compile(r"[0-9]+")
_ENGLISH = re.compile(r"[A-Za-z][A-Za-z0-9 ,.;:!?'’$%-]*[A-Za-z0-9]")
_ENGLISH_WORD = re.compile(
    r"\b(?:the|a|an|of|is|are|was|were|I|you|we|he|she|they|in|to|have|has|and|my|your|for|with|at|on|it|this|that)\b"
)


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
    for match in _ENGLISH.finditer(text):
        if _FIGURE.search(match.group()) and len(_ENGLISH_WORD.findall(match.group())) > 1:
            claimed[match.start() : match.end()] = b"\1" * (match.end() - match.start())
            found.extend(
                Edit(match.start() + e.start, match.start() + e.end, e.spoken) for e in rules_en.edits(match.group())
            )
    for pattern, say in RULES if rules_zh_signs.NEEDED.search(text) else _PLAIN_RULES:
        for match in pattern.finditer(text):
            low, high = match.span()
            if any(claimed[low:high]):
                continue
            said = say(match)
            if said is None:
                continue
            claimed[low:high] = b"\1" * (high - low)
            found.append(Edit(low, high, said))
    found.extend(_left_over(text, claimed))
    return sorted((e for e in found if text[e.start : e.end] != e.spoken), key=lambda edit: (edit.start, edit.end))


def _left_over(text: str, claimed: bytearray) -> list[Edit]:
    """Figures that no rule knew (parts of strings that are no number): no engine should have to guess at them."""
    out: list[Edit] = []
    for match in _FIGURE.finditer(text):
        at = match.start()
        while at < match.end():
            high = at
            while high < match.end() and not claimed[high]:
                high += 1
            if digits := text[at:high]:
                out.append(Edit(at, high, digits_zh(digits) if digits[0] == "0" else cardinal_zh(digits)))
            at = high + 1
    return out
