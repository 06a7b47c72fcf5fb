"""Which voice to propose for a character: by gender, by words of age, and never the same for two who matter.

Contract: pure policy. ``propose_voices`` takes the characters in order of weight; each gets the fittest voice that nobody
has yet. Where no voice is left for the gender a character gets none: he may share one, which is not decided here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from engines.base import Voice

Age = Literal["", "young", "old"]

_OLD = re.compile(
    r"老(?!师|板|公|婆(?!婆)|弟|妹|鼠|虎)|爷|奶|婆婆|外婆|阿婆|公公|外公|伯|翁|嬷|姥|祖|大娘|太君|\b(?:old|grand|elder|aunt|uncle|granny)",
    re.IGNORECASE,
)
_YOUNG = re.compile(
    r"孩|童|少年|少女|丫头|小姑娘|弟弟|妹妹|娃|囡|^小[\u4e00-\u9fff]$|\b(?:boy|girl|child|kid|young|little|baby)",
    re.IGNORECASE,
)
_OLD_VOICE = re.compile(r"长者|老|中年|低沉|苍|\b(?:old|elder|mature|deep|aged)", re.IGNORECASE)
_YOUNG_VOICE = re.compile(r"孩|少年|少女|小姑娘|稚|童|\b(?:boy|girl|child|kid|young)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sought:
    """A character in want of a voice, by every name he has."""

    names: tuple[str, ...]
    gender: str = ""


def propose_voices(sought: Sequence[Sought], voices: Sequence[Voice], taken: Collection[str]) -> list[str]:
    """A voice's id for each of ``sought``, or an empty string; no id twice and none of ``taken``."""
    free = [voice for voice in voices if voice.id not in taken]
    given = []
    for at, one in enumerate(sought):
        missed = set() if one.gender else _scarce(sought[at + 1 :], free)
        fitting = [voice for voice in free if not one.gender or voice.gender in ("", "neutral", one.gender)]
        fitness = partial(_fitness, one)
        best = max(fitting, key=lambda voice: (voice.gender not in missed, *fitness(voice)), default=None)
        given.append(best.id if best else "")
        free = [voice for voice in free if voice is not best]
    return given


def age_of(names: Sequence[str]) -> Age:
    """``old`` or ``young`` where a name says so: 阿婆, 小男孩, the old man."""
    if any(_OLD.search(name) for name in names):
        return "old"
    return "young" if any(_YOUNG.search(name) for name in names) else ""


def _scarce(later: Sequence[Sought], free: Sequence[Voice]) -> set[str]:
    """The genders whose voices are all wanted by those who come later."""
    wanted, there = Counter(one.gender for one in later), Counter(voice.gender for voice in free)
    return {gender for gender in ("female", "male") if there[gender] <= wanted[gender]}


def _fitness(one: Sought, voice: Voice) -> tuple[int, int]:
    """Age first: a child's voice on a grown man is worse than a man's on a child. Then a voice of that very gender."""
    wanted = age_of(one.names)
    sounds: Age = (
        "young" if _YOUNG_VOICE.search(voice.description) else "old" if _OLD_VOICE.search(voice.description) else ""
    )
    fit = 2 if wanted == sounds else 1 if not sounds or (not wanted and sounds == "old") else 0
    return fit, voice.gender == one.gender
