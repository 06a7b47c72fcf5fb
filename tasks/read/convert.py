"""Traditional characters to simplified ones, character for character.

Contract: ``to_simplified`` gives a text of the same length, so that spans into the source still hold. OpenCC's ``t2s``
decides by words (乾坤 stays, 乾淨 becomes 干净); where its answer is longer or shorter it is asked character by
character. What it leaves and a Mandarin voice would stumble over is done here: the particle 著, 甚麼, 祇, 牠, 妳.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

from tasks.domain import Chapter

# 著 is zhù in these, else the particle 着 or the verbs 着急, 着陆 …
_WRITTEN = re.compile(
    r"(?<=[名原专巨拙遗显卓昭土撰])著|(?<=知)著(?![\w])|(?<=[编译合])著(?=者)|(?<=[编译合])著(?![\w])|(?<=[^议谈讨争评]论)著(?![\w])|"
    "著名(?![单字片牌册])|著作(?![画曲诗出答业])|著(?:称|述|书立说|书人|者(?![了呢])|有?《)"
)
_ODD = re.compile("甚(?=[么麼麽])|(?<![神地天])[祇衹]|[牠妳喫]")
_ODD_VALUES = {"甚": "什", "祇": "只", "衹": "只", "牠": "它", "妳": "你", "喫": "吃"}


def to_simplified(text: str) -> str:
    """``text`` in simplified characters, as long as before."""
    made = str(_converter().convert(text))
    if len(made) != len(text):
        made = "".join(_one(char) for char in text)
    if "著" in made:
        kept = {found.start() for found in _WRITTEN.finditer(made)}
        made = "".join("着" if char == "著" and place not in kept else char for place, char in enumerate(made))
    return _ODD.sub(lambda found: _ODD_VALUES[found.group()], made)


def simplified(chapters: tuple[Chapter, ...]) -> tuple[Chapter, ...]:
    """``chapters`` with titles and paragraphs converted, runs and spans as they are."""
    return tuple(
        replace(
            chapter,
            title=to_simplified(chapter.title),
            volume=to_simplified(chapter.volume),
            paragraphs=tuple(
                replace(paragraph, text=to_simplified(paragraph.text)) if paragraph.text else paragraph
                for paragraph in chapter.paragraphs
            ),
        )
        for chapter in chapters
    )


@cache
def _one(char: str) -> str:
    made = str(_converter().convert(char))
    return made if len(made) == 1 else char


@cache
def _converter() -> Any:
    import opencc

    return opencc.OpenCC("t2s")
