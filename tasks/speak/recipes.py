"""What is done otherwise when a line is recorded again. Pure policy.

Contract: a recipe belongs to the number of the take, by a table for engines that always say the same and one for those
that draw lots, so that ``take: 3`` in a script names one recording for good. ``next_take`` chooses the number to try next
by what was wrong with the tries before: words lost or doubled, holes and clicks ask for other seeds and for the line cut
otherwise, a wrong pace for another speed, a wrong level for no recording at all. Everything a recipe changes is in the
utterance, and so in the take's key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engines.base import Limits, Utterance

Way = Literal["seed", "split", "slower", "faster"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """``split``: into how many more pieces the line is cut; ``speed``: factor on its speed; ``seed``: the engine draws
    anew. ``name`` is for people, the sidecar and the receipt."""

    split: int = 0
    speed: float = 1.0
    seed: bool = False

    @property
    def name(self) -> str:
        parts = [f"split {self.split}"] if self.split else []
        parts += [f"speed x{self.speed:g}"] if self.speed != 1.0 else []
        parts += ["seed"] if self.seed else []
        return ", ".join(parts) or "plain"

    @property
    def ways(self) -> frozenset[Way]:
        """What it does; a new seed counts only where nothing else is changed."""
        found: set[Way] = set()
        if self.split:
            found.add("split")
        if self.speed != 1.0:
            found.add("slower" if self.speed < 1.0 else "faster")
        return frozenset(found or ({"seed"} if self.seed else ()))


PLAIN = Recipe()
_SLOW, _FAST = 0.96, 1.04
FIXED = (
    PLAIN, Recipe(1), Recipe(speed=_SLOW), Recipe(speed=_FAST), Recipe(2), Recipe(3), Recipe(1, _SLOW), Recipe(1, _FAST),
    Recipe(2, _SLOW), Recipe(2, _FAST), Recipe(3, _SLOW), Recipe(3, _FAST),
)  # fmt: skip
"""Takes 0, 1, 2 … of an engine that always says the same."""
DRAWN = (
    PLAIN, *(Recipe(split, speed, seed=True) for split, speed in (
        (0, 1.0), (1, 1.0), (0, 1.0), (0, _SLOW), (0, _FAST), (0, 1.0), (2, 1.0), (0, 1.0), (1, _SLOW), (1, _FAST), (0, 1.0),
    )),
)  # fmt: skip
"""Takes of an engine that draws lots: every take is drawn anew, some are changed as well. Later ones are drawn again."""

_WORDS: tuple[Way, ...] = ("seed", "split", "slower")
_SOUND: tuple[Way, ...] = ("seed", "split", "slower", "faster")
WAYS: dict[str, tuple[Way, ...]] = {
    "too-fast": ("slower", "seed", "split"), "too-short": ("seed", "split", "slower"),
    "too-slow": ("faster", "seed", "split"), "too-long": ("seed", "split", "faster"),
    "voice": ("seed", "split"), "clipping": ("seed", "split"), "clipped": ("seed", "split"), "noise": ("seed", "split"),
    **dict.fromkeys(
        ("omission", "repeat", "insertion", "substitution", "leak", "garbled", "wrong-text", "wrong-language"), _WORDS
    ),
    **dict.fromkeys(("level", "quiet", "loud", "dc", "offset", "head-silence", "late", "tail-silence", "tail"), ()),
}  # fmt: skip
"""What may help against a flaw, the likeliest first; against one that is not listed, everything may. The last row is for
the stitcher or for a person: level is a gain, silence at the ends is trimmed."""

MOST_SPLITS = 3
_CLAUSE = frozenset("，,；;：:、—")
_STOP = {"，": "。", "；": "。", "：": "。", "、": "。", "—": "。", ",": ".", ";": ".", ":": "."}
_LEAST_PIECE_CHARS = 4


def recipe_of(take: int, limits: Limits) -> Recipe:
    """What is done otherwise in this take. Beyond the tables: by lots again, or nothing that was not there before."""
    table = FIXED if limits.deterministic else DRAWN
    if take < len(table):
        return table[max(take, 0)]
    return table[-1] if limits.deterministic else Recipe(seed=True)


def apply(utterance: Utterance, limits: Limits) -> Utterance:
    """The utterance of take ``utterance.take`` made of that of take 0. An engine that cuts lines itself is told into how
    many pieces; for another a clause mark near the middle becomes a full stop, character for character."""
    recipe = recipe_of(utterance.take, limits)
    if recipe.speed != 1.0:
        utterance = replace(utterance, speed=round(utterance.speed * recipe.speed, 4))
    if not recipe.split:
        return utterance
    if limits.cuts:
        return replace(utterance, split=recipe.split)
    return replace(utterance, text=with_stops(utterance.text, recipe.split))


def next_take(limits: Limits, text: str, reasons: Sequence[str], tried: Sequence[int]) -> int | None:
    """The number of the take to try after those ``tried``, or ``None`` where none can be better. ``reasons`` are those of
    the last verdict, each beginning with its code; ``text`` is what is to be said."""
    wished = ways_for(reasons)
    cuts = pieces_of(text) if limits.cuts else len(_places(text)) + 1
    counts = Counter(way for number in tried if number for way in recipe_of(number, limits).ways)
    last = len(FIXED) if limits.deterministic else max(len(DRAWN), max(tried, default=0) + 2)
    free = [number for number in range(1, last) if number not in tried]
    for way in sorted(wished, key=lambda way: (counts[way], wished.index(way))):
        for number in free:
            recipe = recipe_of(number, limits)
            if way in recipe.ways and recipe.split < cuts and _allowed(recipe, wished):
                return number
    return None


def _allowed(recipe: Recipe, wished: Sequence[Way]) -> bool:
    # Nobody who asks for a cut wants it faster, unless somebody asks for that too.
    return all(way in wished or way == "seed" for way in recipe.ways)


def ways_for(reasons: Sequence[str]) -> list[Way]:
    """What may help against all that is wrong, the likeliest first; nothing where no recording can."""
    wished: dict[Way, None] = {}
    for code in codes_of(reasons) or ["?"]:
        wished |= dict.fromkeys(WAYS.get(code, _SOUND))
    return list(wished)


def codes_of(reasons: Sequence[str]) -> list[str]:
    """The stable words that reasons begin with, each once: ``omission: …`` is ``omission``."""
    return list(dict.fromkeys(reason.partition(":")[0].strip() for reason in reasons))


def pieces_of(text: str) -> int:
    """Into how many pieces worth hearing a line can be cut, at most ``MOST_SPLITS + 1``."""
    wide = sum(character.isalnum() and character > "\u2e7f" for character in text)
    words = len("".join(c if c.isalnum() and c <= "\u2e7f" else " " for c in text).split())
    return min(MOST_SPLITS + 1, max(1, (wide + 2 * words) // _LEAST_PIECE_CHARS))


def with_stops(text: str, splits: int) -> str:
    """``text`` with up to ``splits`` of its inner clause marks as full stops, those that part it most evenly."""
    chosen: list[int] = []
    places = _places(text)
    for part in range(1, splits + 1):
        aim = len(text) * part / (splits + 1)
        free = [place for place in places if place not in chosen]
        if free:
            chosen.append(min(free, key=lambda place: abs(place - aim)))
    return "".join(_STOP[character] if place in chosen else character for place, character in enumerate(text))


def _places(text: str) -> list[int]:
    """Clause marks with something to say before and after, and no figure, bracket or mark beside them."""
    said = [place for place, character in enumerate(text) if character.isalnum()]
    if not said:
        return []
    return [
        place for place in range(said[0] + 1, said[-1])
        if text[place] in _CLAUSE
        and text[place - 1] not in _CLAUSE and text[place + 1] not in _CLAUSE
        and not (text[place].isascii() and text[place + 1].isalnum())
    ]  # fmt: skip
