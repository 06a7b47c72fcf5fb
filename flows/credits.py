"""The credits of a book: who wrote it and who reads it, spoken before the first chapter and after the last.

Contract: credits are chapters like others, but none of the manuscript: number 0 and the one after the last. They are
recorded by the narrator, checked, stitched and published by the same hands, each as a file of its own. Whether there
are any says the book.yaml (``credits:``), else the mastering preset.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tasks.domain import BookInfo, ChapterScript

Aloud = Callable[[int, str, str, str], ChapterScript]
"""``(number, title, text, language) -> chapter``: a text as the narrator reads it."""


@dataclass(frozen=True, slots=True)
class Credits:
    """``wanted`` is ``None`` where the book.yaml leaves it to the preset; an empty text is made from what the book is."""

    wanted: bool | None = None
    opening: str = ""
    closing: str = ""


def credit_chapters(
    credits: Credits, preset_wants: bool, info: BookInfo, chapters: tuple[ChapterScript, ...], aloud: Aloud
) -> tuple[ChapterScript, ...]:
    """``chapters`` with the credits before and behind them, if there shall be any."""
    if not (preset_wants if credits.wanted is None else credits.wanted):
        return chapters
    english = info.language.startswith("en")
    opening = credits.opening or _opening(info, english)
    closing = credits.closing or _closing(info, english)
    last = max((chapter.number for chapter in chapters), default=0)
    made = [
        aloud(number, title, text, "en" if english else "zh")
        for number, title, text in (
            (0, "Opening credits" if english else "片头", opening),
            (last + 1, "Closing credits" if english else "片尾", closing),
        )
    ]
    return (made[0], *chapters, made[1])


def _opening(info: BookInfo, english: bool) -> str:
    if english:
        parts = [
            info.title,
            info.author and f"Written by {info.author}",
            info.narrator and f"Narrated by {info.narrator}",
        ]
        return " ".join(f"{part}." for part in parts if part)
    parts = [f"《{info.title}》", info.author and f"作者：{info.author}", info.narrator and f"朗读：{info.narrator}"]
    return "".join(f"{part}。" for part in parts if part)


def _closing(info: BookInfo, english: bool) -> str:
    if english:
        by = f", written by {info.author}" if info.author else ""
        voice = f", narrated by {info.narrator}" if info.narrator else ""
        return f"The end. This was {info.title}{by}{voice}."
    rest = "".join(
        [f"，作者：{info.author}" if info.author else "", f"，朗读：{info.narrator}" if info.narrator else ""]
    )
    return f"《{info.title}》{rest}。全书完。"
