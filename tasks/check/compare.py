"""What was to be said against what was heard. Pure.

Contract: ``compare`` gives the error rate over units (syllables or words) and flaws with their place in the spoken text:
``omission``, ``insertion``, ``repeat``, ``leak``, ``wrong-text``. What listeners like Whisper invent (thanks for watching,
loops) is taken out before and noted, never blamed on the take.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tasks.check.align import SAME_BELOW, Step, align, pair_cost
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
_MANY, _CLOSE = 2, 8


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
    named = _named(wanted, units)
    flaws = [
        *_losses(wanted, units, steps),
        *_additions(wanted, units, said, steps),
        *_changes(wanted, units, said, steps, named),
    ]
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
        beside = [steps[i] for i in (first - 1, last) if 0 <= i < len(steps)]
        if len(gone) == 1 and any(step.cost > 0.3 for step in beside):
            weight *= 0.5  # two syllables heard as one, more likely than one that was not said
        if weight:
            start, end = gone[0].start, gone[-1].end
            flaws.append(Flaw("omission", f"'{wanted.text[start:end]}' is not heard", start, end, value=weight))
    return flaws


def _additions(wanted: Wanted, units: Sequence[Unit], said: Sequence[Unit], steps: Sequence[Step]) -> list[Flaw]:
    flaws = []
    for first, last, count in _clusters(_runs(steps, "added")):
        low, high = steps[first].heard_start, steps[last - 1].heard_end
        at = steps[first].wanted_start
        place = units[at].start if at < len(units) else len(wanted.text)
        if count >= _MANY and (back := _doubled(said, low, high, count)):
            flaws.append(Flaw("repeat", f"'{_join(back)}' is heard twice", place, place, value=float(count)))
            continue
        for start, end in _runs(steps[first:last], "added"):
            run = steps[first + start : first + end]
            more = said[run[0].heard_start : run[-1].heard_end]
            weight = sum(0.0 if unit.light else 1.0 for unit in more)
            if not weight:
                continue
            at = run[0].wanted_start
            place = units[at].start if at < len(units) else len(wanted.text)
            text = f"'{_join(more)}' is heard"
            if len(more) >= 3 and leak_share(more, wanted) >= 0.6:
                what = f"{text}: an instruction or the voice's sample"
                flaws.append(Flaw("leak", what, place, place, value=weight))
            else:
                flaws.append(Flaw("insertion", f"{text}, which is not in the text", place, place, value=weight))
    return flaws


def _clusters(runs: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Runs that stand close together as one ``(first, last, added)``: an alignment may cut a doubling in two."""
    found: list[tuple[int, int, int]] = []
    for first, last in runs:
        if found and first - found[-1][1] <= _CLOSE:
            found[-1] = (found[-1][0], last, found[-1][2] + last - first)
        else:
            found.append((first, last, last - first))
    return found


def _changes(
    wanted: Wanted, units: Sequence[Unit], said: Sequence[Unit], steps: Sequence[Step], named: frozenset[int]
) -> list[Flaw]:
    """Stretches heard as something else. What is lost or added beside a change belongs to it; names are let be."""
    flaws = []
    start = None
    for i, step in enumerate([*steps, None]):
        if step is not None and not step.same:
            start = i if start is None else start
            continue
        if start is not None:
            run = steps[start:i]
            start = None
            changed = [one for one in run if not one.lost and not one.added]
            if not changed or all(
                place in named for one in changed for place in range(one.wanted_start, one.wanted_end)
            ):
                continue
            gone = units[run[0].wanted_start : run[-1].wanted_end]
            instead = _join(said[run[0].heard_start : run[-1].heard_end])
            low, high = gone[0].start, gone[-1].end
            value = sum(one.cost for one in run)
            flaws.append(
                Flaw(
                    "substitution",
                    f"'{wanted.text[low:high]}' is heard as '{instead}'",
                    low,
                    high,
                    value=round(value, 3),
                )
            )
    return flaws


def _join(units: Sequence[Unit]) -> str:
    return "".join(unit.text if unit.han else unit.text + " " for unit in units).strip()


def _doubled(said: Sequence[Unit], low: int, high: int, size: int) -> Sequence[Unit]:
    """The piece of ``size`` units about ``said[low:high]`` that is said twice running, or nothing."""
    for start in range(max(0, low - size), min(high, len(said) - 2 * size) + 1):
        first, second = said[start : start + size], said[start + size : start + 2 * size]
        if (
            len(second) == size
            and sum(pair_cost(a, b) < SAME_BELOW for a, b in zip(first, second, strict=True)) >= 0.75 * size
        ):
            return first
    return ()


def leak_share(units: Sequence[Unit], wanted: Wanted) -> float:
    """The part of ``units`` that stands, in order, in an instruction or sample text."""
    best = 0.0
    for text in (*wanted.leaks, *_ORDERS):
        order = expected(text, "zh" if any(map(is_han, text)) else "en")
        steps = align(order, units)
        best = max(best, sum(step.same for step in steps) / max(1, len(units)))
    return best
