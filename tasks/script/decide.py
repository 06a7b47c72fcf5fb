"""How each Han character of a text is read when no lexicon of the user's says so, and how sure that is.

Contract: ``decide(text)`` gives a ``Decision`` for every Han character in order, before the sandhi of 一 and 不.
``origin`` names what decided: ``rule``, ``phrase`` or ``default``. ``confidence`` is the share of such decisions that are
right.
"""

from __future__ import annotations

from typing import NamedTuple

from tasks.script import phrases, rules, surnames

_SURE = {"rule": 0.95, "phrase": 0.98, "default": 0.9}


class Decision(NamedTuple):
    """``text[place]`` is read as ``phones``. ``candidates``: every reading with its probability, the likeliest first."""

    place: int
    phones: str
    origin: str
    confidence: float
    candidates: tuple[tuple[str, float], ...]
    name: tuple[int, int] | None = None


def decide(text: str) -> list[Decision]:
    """A decision for every Han character of ``text``, in order."""
    book, house_rules = phrases.shared(), rules.shared()
    found = []
    for piece in book.cut(text):
        single = len(piece.phones) == 1
        for place, given in enumerate(piece.phones, piece.start):
            char = text[place]
            better, name = None, None
            if char in house_rules.characters:
                better = house_rules.judge(text, place, single)
            if better is None and char in surnames.READINGS and (single or text[place - 1 : place] == "姓"):
                better = surnames.judge(text, place)
                name = (place, place + 1) if better else None
            origin = "rule" if better and better != given else "default" if single else "phrase"
            found.append(_decision(place, better or given, origin, book.readings_of(char), name))
    return found


def _decision(
    place: int, phones: str, origin: str, readings: tuple[str, ...], name: tuple[int, int] | None
) -> Decision:
    others = [one for one in readings if one != phones]
    sure = _SURE[origin] if others else 1.0
    rest = tuple((one, (1 - sure) / len(others)) for one in others)
    return Decision(place, phones, origin, sure, ((phones, sure), *rest), name)
