"""Which units are said in one go, and the silence between two goes.

The model takes at most 510 tokens and reads a long pass faster and less exactly, a sentence best. Policy: one sentence a
pass; a very short sentence joins its neighbour, since a pass of a few tokens sounds clipped; a sentence above the soft cap
is cut in pieces of about the same length, at a clause mark, else between words. An utterance's ``split`` lowers the soft
cap below its longest sentence: beside the speed the only honest way to vary a deterministic model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engines.kokoro.front import Break, Unit, closes, symbols_of

HARD_TOKENS = 510
SOFT_TOKENS = 200
SPLIT_SHARES = (1.0, 0.86, 0.5, 0.35)
"""Soft cap by ``split``, as a part of the longest sentence: one cut at a clause mark, two or three pieces, four."""
LEAST_TOKENS = 20
"""No soft cap below this: a few syllables alone sound clipped."""
SHORT_TOKENS = 14

SENTENCE_PAUSE_SECONDS = 0.25
CLAUSE_PAUSE_SECONDS = 0.12
WORD_PAUSE_SECONDS = 0.04
"""Silence between two passes beside the 0.12 s that trimming leaves (0.08 s after, 0.04 s before)."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Units said in one go; ``tokens`` without the two pads; ``after``: what ends with it."""

    units: tuple[Unit, ...]
    tokens: int
    after: Break


def soft_cap(units: Sequence[Unit], split: int) -> int:
    """The most tokens of a pass of ``units`` that shall be cut into ``split`` more pieces."""
    if split <= 0:
        return SOFT_TOKENS
    longest = max(map(tokens_of, _sentences(units)), default=0)
    share = SPLIT_SHARES[min(split, len(SPLIT_SHARES) - 1)]
    return min(SOFT_TOKENS, max(LEAST_TOKENS, int(longest * share)))


def pause_seconds(after: Break) -> float:
    return {"sentence": SENTENCE_PAUSE_SECONDS, "clause": CLAUSE_PAUSE_SECONDS, "": WORD_PAUSE_SECONDS}[after]


def tokens_of(units: Sequence[Unit]) -> int:
    return sum(len(symbols_of(unit, place == 0)) for place, unit in enumerate(units))


def plan(units: Sequence[Unit], soft: int) -> list[Pass]:
    """Cut ``units`` into passes; every unit is in exactly one, in order, except marks with nothing to say beside them."""
    bounded = [part for unit in units for part in _bounded(unit, soft)]
    pieces = [piece for sentence in _sentences(bounded) for piece in _cut(sentence, soft)]
    merged: list[list[Unit]] = []
    for piece in pieces:
        short = merged and (tokens_of(merged[-1]) < SHORT_TOKENS or tokens_of(piece) < SHORT_TOKENS)
        if merged and (not _says(piece) or (short and tokens_of([*merged[-1], *piece]) <= soft)):
            merged[-1].extend(piece)
        else:
            merged.append(list(piece))
    return [Pass(tuple(piece), tokens_of(piece), _ending(piece)) for piece in merged if _says(piece)]


def _bounded(unit: Unit, soft: int) -> list[Unit]:
    """A unit too long for a pass (a figure of a hundred digits) as several, each with its share of the characters."""
    parts = min(-(-len(unit.phones) // (soft // 2)), unit.end - unit.start)
    if len(unit.phones) <= soft or parts < 2:
        return [unit]
    cut, width = len(unit.phones), unit.end - unit.start
    return [
        replace(
            unit,
            phones=unit.phones[cut * place // parts : cut * (place + 1) // parts],
            start=unit.start + width * place // parts,
            end=unit.start + width * (place + 1) // parts,
            space=unit.space and place == 0,
        )
        for place in range(parts)
    ]


def _says(units: Sequence[Unit]) -> bool:
    return any(unit.kind != "mark" for unit in units)


def _ending(units: Sequence[Unit]) -> Break:
    for unit in reversed(units):
        if unit.kind != "mark":
            return ""
        if unit.break_:
            return unit.break_
    return ""


def _sentences(units: Sequence[Unit]) -> list[list[Unit]]:
    """Cut after sentence marks and the closing marks that follow them."""
    sentences: list[list[Unit]] = [[]]
    ended = False
    for unit in units:
        if ended and not (closes(unit) or unit.break_):
            sentences.append([])
            ended = False
        sentences[-1].append(unit)
        ended = ended or unit.break_ == "sentence"
    return [sentence for sentence in sentences if sentence]


def _cut(units: list[Unit], soft: int) -> list[list[Unit]]:
    """Halve a sentence at the best place until every piece is within the soft cap."""
    total = tokens_of(units)
    if total <= soft or len(units) < 2:
        return [units]
    place = _best_cut(units, total)
    return [*_cut(units[:place], soft), *_cut(units[place:], soft)]


def _best_cut(units: list[Unit], total: int) -> int:
    """The place nearest the middle, in the class that cuts least: clause marks within the middle 70 %, then words, then any."""
    costs = [len(symbols_of(unit, place == 0)) for place, unit in enumerate(units)]
    best: tuple[float, int] | None = None
    done = 0
    for place in range(1, len(units)):
        done += costs[place - 1]
        off = abs(done / total - 0.5)
        before, after = units[place - 1], units[place]
        if after.kind == "mark" and (closes(after) or after.break_):
            continue
        if (before.break_ or (closes(before) and place > 1 and units[place - 2].break_)) and off <= 0.35:
            rank = 0.0
        elif after.space:
            rank = 1.0
        else:
            rank = 2.0
        if best is None or (rank + off) < best[0]:
            best = (rank + off, place)
    return best[1] if best is not None else len(units) // 2
