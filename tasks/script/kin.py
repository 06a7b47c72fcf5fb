"""Edits whose line changed a little: a typo mended, a line cut in two. They follow the text.

Contract: pure functions. A line that is gone and new ones that stand in its place, between the same neighbours, are kin
if their texts are nearly alike, or if the new ones are pieces of the old one. Then what does not depend on the words
(who speaks, how, which voice, the pause after it, that it is left out) goes over, and is reported. What does depend on
them (``spoken``, ``reading``, ``take``) goes to the orphans with the kin named: the user decides. Two that fit equally
well are no kin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from tasks.script.format import Fields, plain_spoken
from tasks.script.merge import REMOVED, Edits, Old, Orphan

ALIKE = 0.7
"""From this share of common characters on two texts in the same place are one text, mended."""
_CLEARLY = 0.1
_CUT = 0.9
"""Pieces that hold so much of a line are that line, cut."""
_WORDS = ("spoken", "reading", "take")


@dataclass(frozen=True, slots=True)
class Moved:
    """An edit that went from a line that is gone to its kin: chapter, id and text of each, the names of the fields."""

    chapter: int
    old_id: str
    old_text: str
    new_chapter: int
    new_ids: tuple[str, ...]
    new_text: str
    fields: tuple[str, ...]


def follow(
    old: Sequence[Old],
    new: Mapping[int, Mapping[str, str]],
    chapters: Mapping[int, int],
    placed: dict[int, Edits],
    lost: Sequence[Orphan],
) -> tuple[list[Moved], list[Orphan]]:
    """Put edits of ``lost`` into ``placed`` where kin is found; what moved, and what is left without a line.

    ``new`` gives for each chapter the texts of its lines by id, in order; ``chapters`` which old one it goes on from.
    """
    by_number = {chapter.number: chapter for chapter in old}
    goes_to = {before: number for number, before in chapters.items()}
    moved: list[Moved] = []
    left: list[Orphan] = []
    for one in lost:
        number = goes_to.get(one.chapter)
        kin = _kin(by_number[one.chapter], one.id, new[number]) if number is not None else ()
        kin = tuple(key for key in kin if number is not None and key not in placed[number])
        if number is None or not kin:
            left.append(one)
            continue
        text = " / ".join(new[number][key] for key in kin)
        goes = {name: value for name, value in one.fields.items() if name not in _WORDS}
        stays = {name: value for name, value in one.fields.items() if name in _WORDS}
        for key in kin:
            fields: Fields = {name: value for name, value in goes.items() if name != "pause" or key == kin[-1]}
            if fields:
                placed[number][key] = fields
        if goes:
            moved.append(
                Moved(
                    one.chapter,
                    one.id,
                    one.text,
                    number,
                    kin,
                    text,
                    tuple("skip" if name == REMOVED else name for name in goes),
                )
            )
        if stays:
            left.append(replace(one, fields=stays, kin=(number, kin[0], text)))
    # A deleted line that is gone from the manuscript as well asks for nothing.
    return moved, [one for one in left if REMOVED not in one.fields]


def _kin(before: Old, line_id: str, now: Mapping[str, str]) -> tuple[str, ...]:
    """The new lines that stand for the old line, or none."""
    region = [key for key in _between(list(before.texts), line_id, list(now)) if key not in before.texts]
    text = plain_spoken(before.texts[line_id])
    if not text or not region:
        return ()
    parts = [key for key in region if len(part := plain_spoken(now[key])) > 1 and part in text]
    covered = sum(len(plain_spoken(now[key])) for key in parts)
    if len(parts) > 1 and _CUT <= covered / len(text) <= 1:
        return tuple(parts)
    whole = sorted(((_alike(text, plain_spoken(now[key])), key) for key in region), reverse=True)
    clear = len(whole) == 1 or whole[0][0] - whole[1][0] >= _CLEARLY
    return (whole[0][1],) if whole[0][0] >= ALIKE and clear else ()


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _between(old: list[str], line_id: str, new: list[str]) -> list[str]:
    """The new lines between the nearest neighbours of ``line_id`` that are still there."""
    at = old.index(line_id)
    places = {key: place for place, key in enumerate(new)}
    low = next((places[key] for key in reversed(old[:at]) if key in places), -1)
    high = next((places[key] for key in old[at + 1 :] if key in places), len(new))
    return new[low + 1 : high]
