"""What was to be said against what was heard. Pure.

Contract: ``compare`` gives the error rate over units (syllables or words) and flaws with their place in the spoken text:
``omission``, ``insertion``, ``repeat``, ``leak``, ``wrong-text``. What listeners like Whisper invent (thanks for watching,
loops) is taken out before and noted, never blamed on the take.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tasks.check.align import Step, align, pair_cost
from tasks.check.units import Unit, expected, heard_units, is_han
from tasks.domain import Flaw

_INVENTED = re.compile(
    r"(?:中文)?字幕(?:由|提供|製作|制作|志愿者|志願者|by).{0,24}|請?请?不吝[點点][赞贊讚].{0,40}|明镜与点点栏目|謝謝(?:大家)?(?:收看|觀看)"
    r"|谢谢(?:大家)?(?:收看|观看)|感谢(?:您的)?(?:收看|观看)|amara\.org.{0,20}|(?:thank you|thanks)(?: so much)? for (?:watching|listening)[.!]?"
    r"|please subscribe.{0,40}|subtitles by.{0,40}|以下是普通[话話]的句子[。.]?",
    re.IGNORECASE,
)
_LOOP = re.compile(r"(.{1,12}?)\1{5,}")
_ORDERS = (
    "用语气说", "请用的语气说这句话", "请非常地说一句话", "用声音说", "speak in a voice", "please say a sentence as possible",
    "say this sentence", "endofprompt", "end of prompt", "you are a helpful assistant",
)  # fmt: skip
_MANY = 2


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a take was to say. ``readings``: pinyin with tone digit by character offset. ``names``: words that an ear need
    not know. ``leaks``: the style, the voice's reference text, whatever an engine may read aloud instead."""

    text: str
    language: str = "zh"
    readings: Mapping[int, str] | None = None
    names: frozenset[str] = frozenset()
    leaks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """``error`` is the weight of what is wrong over the number of units; ``units`` how many there were to say; ``heard``
    what remains of the heard text when inventions are out, ``invented`` whether there were any."""

    units: int
    error: float
    flaws: tuple[Flaw, ...]
    heard: str
    invented: bool = False


def compare(wanted: Wanted, heard: str) -> Comparison:
    """See the module. An empty ``heard`` is all omission."""
    clean, invented = without_inventions(heard, wanted.text)
    units = expected(wanted.text, wanted.language, wanted.readings)
    said = heard_units(clean, wanted.language, units)
    steps = align(units, said, _named(wanted, units))
    flaws = [*_losses(wanted, units, steps), *_additions(wanted, units, said, steps)]
    # A light unit (a particle, an article) hardly counts.
    wrong = sum(step.cost if step.lost or step.added else 0.0 if step.same else step.cost for step in steps)
    return Comparison(len(units), wrong / max(1, len(units)), tuple(flaws), clean, invented)


def without_inventions(heard: str, wanted: str) -> tuple[str, bool]:
    """``heard`` without what Whisper is known to write where nobody spoke, and with loops said twice at most."""
    cut = _INVENTED.sub(lambda m: m.group() if m.group()[:6].lower() in wanted.lower() else "", heard)
    cut = _LOOP.sub(lambda m: m.group() if m.group() in wanted else m.group(1) * 2, cut)
    return cut, cut != heard


def _named(wanted: Wanted, units: Sequence[Unit]) -> frozenset[int]:
    places: set[int] = set()
    text = wanted.text.lower()
    for name in wanted.names:
        at = text.find(name.lower())
        while name and at >= 0:
            places.update(i for i, unit in enumerate(units) if at <= unit.start < at + len(name))
            at = text.find(name.lower(), at + 1)
    return frozenset(places)


def _runs(steps: Sequence[Step], kind: str) -> list[tuple[int, int]]:
    """Stretches ``[first, last)`` of steps that are all lost (or added)."""
    runs, start = [], None
    for i, step in enumerate([*steps, None]):
        if step is not None and getattr(step, kind):
            start = i if start is None else start
        elif start is not None:
            runs.append((start, i))
            start = None
    return runs


def _losses(wanted: Wanted, units: Sequence[Unit], steps: Sequence[Step]) -> list[Flaw]:
    flaws = []
    for first, last in _runs(steps, "lost"):
        gone = units[steps[first].wanted_start : steps[last - 1].wanted_end]
        weight = sum(0.0 if unit.light else 1.0 for unit in gone)
        if weight:
            start, end = gone[0].start, gone[-1].end
            flaws.append(Flaw("omission", f"'{wanted.text[start:end]}' is not heard", start, end, value=weight))
    return flaws


def _additions(wanted: Wanted, units: Sequence[Unit], said: Sequence[Unit], steps: Sequence[Step]) -> list[Flaw]:
    flaws = []
    for first, last in _runs(steps, "added"):
        low, high = steps[first].heard_start, steps[last - 1].heard_end
        more = said[low:high]
        weight = sum(0.0 if unit.light else 1.0 for unit in more)
        if not weight:
            continue
        at = steps[first].wanted_start
        place = units[at].start if at < len(units) else len(wanted.text)
        text = _join(more)
        if leak_share(more, wanted) >= 0.6 and len(more) >= 3:
            flaws.append(
                Flaw("leak", f"'{text}' is heard: an instruction or the voice's sample", place, place, value=weight)
            )
        elif len(more) >= _MANY and (back := _doubled(said, low, high)):
            flaws.append(Flaw("repeat", f"'{_join(back)}' is heard twice", place, place, value=weight))
        else:
            flaws.append(Flaw("insertion", f"'{text}' is heard, which is not in the text", place, place, value=weight))
    return flaws


def _join(units: Sequence[Unit]) -> str:
    return "".join(unit.text if unit.han else unit.text + " " for unit in units).strip()


def _doubled(said: Sequence[Unit], low: int, high: int) -> Sequence[Unit]:
    """The neighbours of ``said[low:high]`` that it repeats, or nothing. An alignment may cut a doubling anywhere, so that
    the piece may lie before it, after it or around it."""
    size = high - low
    for shift in range(size + 1):
        for other in (low - size + shift, high - shift if shift else high):
            if other == low or other < 0 or other + size > len(said):
                continue
            piece = said[other : other + size]
            close = sum(pair_cost(a, b) < 0.45 for a, b in zip(said[low:high], piece, strict=True))
            if close >= 0.7 * size and abs(other - low) >= size:
                return piece
    return ()


def leak_share(units: Sequence[Unit], wanted: Wanted) -> float:
    """The part of ``units`` that stands, in order, in an instruction or sample text."""
    best = 0.0
    for text in (*wanted.leaks, *_ORDERS):
        order = expected(text, "zh" if any(map(is_han, text)) else "en")
        steps = align(order, units)
        best = max(best, sum(step.same for step in steps) / max(1, len(units)))
    return best
