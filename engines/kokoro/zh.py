"""Mandarin syllables in the model's symbols.

The table (tone and all) was made once with misaki's pinyin rules, see ``build_data``. Readings come from the caller with
一 and 不 in their surface tone; the model itself does the sandhi of third tones. Where the caller gave none, pypinyin's
usual reading is taken, with the same surface tones.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

_TABLE = Path(__file__).parent / "data" / "pinyin_ipa.json"
_OTHER_SPELLINGS = {"r": "er", "nve": "nve", "lue": "lve", "nue": "nve", "eh": "ê", "ea": "ê", "hng": "hng"}


def is_han(char: str) -> bool:
    """A Chinese character, extensions and 〇 included."""
    code = ord(char)
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x323AF
        or 0xF900 <= code <= 0xFAFF
        or char == "〇"
    )


@lru_cache(maxsize=1)
def table() -> dict[str, list[str]]:
    loaded: dict[str, list[str]] = json.loads(_TABLE.read_bytes())
    return loaded


@lru_cache(maxsize=4096)
def phones_of(syllable: str) -> str:
    """The symbols of ``hao4``, ``lv4``, ``er5`` …; an empty string for what is no syllable. No tone digit means 5."""
    plain = syllable.strip().lower().replace("u:", "v").replace("ü", "v")
    match = re.fullmatch(r"([a-zê]+)([0-5]?)", plain)
    if match is None:
        return ""
    base, tone = match[1], int(match[2] or 5) or 5
    row = table().get(base) or table().get(_OTHER_SPELLINGS.get(base, ""))
    return row[tone - 1] if row else ""


def usual_readings(run: str, known: dict[int, str] | None = None) -> list[str]:
    """pypinyin's reading of each character of a run of Han characters ('' where it knows none), 一 and 不 as spoken.

    ``known`` gives readings that are already decided, by place in the run: they stay.
    """
    from pypinyin import Style, pinyin

    said = [
        item[0]
        for item in pinyin(run.replace("〇", "零"), style=Style.TONE3, neutral_tone_with_five=True, errors=_unknown)
    ]
    said = said if len(said) == len(run) else [_one(char) for char in run]
    decided = known or {}
    said = [decided.get(place, reading) for place, reading in enumerate(said)]
    return [reading if place in decided else surface(run, said, place) for place, reading in enumerate(said)]


def _unknown(odd: str) -> Any:
    return [""] * len(odd)


def _one(char: str) -> str:
    from pypinyin import Style, lazy_pinyin

    said = lazy_pinyin(char, style=Style.TONE3, neutral_tone_with_five=True, errors="ignore")
    return said[0] if said else ""


def surface(run: str, said: list[str], place: int) -> str:
    """The tone in which 一 and 不 are spoken before what follows (other characters: as they are).

    不 rises before a fourth tone. 一 rises before a fourth tone and falls before the others, except as an ordinal, in a
    row of digits or at the end, where it keeps its first tone; between a doubled verb (看一看) both are light.
    """
    char, reading = run[place], said[place]
    if char not in "一不" or reading not in ("yi1", "bu4"):
        return reading
    before = run[place - 1] if place else ""
    after = run[place + 1] if place + 1 < len(run) else ""
    if before and before == after:
        return reading[:-1] + "5"
    tone = said[place + 1][-1:] if after else ""
    if char == "不":
        return "bu2" if tone == "4" else reading
    digits = "零一二三四五六七八九十百千万亿点第初幺"
    if (
        not after
        or before in tuple("第初")
        or (after and after in "零一二三四五六七八九十月号日楼班点")
        or (before and before in digits)
    ):
        return reading
    return {"4": "yi2", "1": "yi4", "2": "yi4", "3": "yi4", "5": "yi2"}.get(tone, reading)
