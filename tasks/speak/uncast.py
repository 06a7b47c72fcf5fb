"""Which speakers of a script the cast does not know, and which lines nobody is sure of: said all at once, before work.

Contract: pure functions on script and cast. ``uncast`` and ``unsure`` find, ``mistyped`` says which names of the user's
own are probably slips, and with what they were probably meant.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tasks.domain import UNKNOWN, Cast, Line, Script
from tasks.speak.casting import is_unsure, role_of
from tasks.speak.extras import key_of

_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")


@dataclass(frozen=True, slots=True)
class Uncast:
    """A speaker whom the cast does not know. ``chapter`` and ``line`` are where he first speaks, ``users``: the user wrote
    the name into the script; ``near`` is the known name that such a one resembles, or empty."""

    speaker: str
    lines: int
    chapter: int
    line: Line
    gender: str = ""
    users: bool = False
    near: str = ""


@dataclass(frozen=True, slots=True)
class Unsure:
    """A line whose speaker is a guess."""

    chapter: int
    line: Line


def lines_of(script: Script) -> Iterator[tuple[int, Line]]:
    """Every line that is read, with its chapter's number."""
    return ((chapter.number, line) for chapter in script.chapters for line in chapter.lines if not line.skip)


def uncast(script: Script, cast: Cast) -> list[Uncast]:
    """The speakers whom the cast does not know, those with the most lines first. A line with a voice of its own needs
    nobody, and one that nobody could be found for is not a speaker."""
    found: dict[str, list[tuple[int, Line]]] = {}
    for chapter, line in lines_of(script):
        if line.voice or key_of(line.speaker) == UNKNOWN or role_of(line.speaker, cast) is not None:
            continue
        if cast.unsure == "narrator" and is_unsure(line, cast):
            continue
        found.setdefault(key_of(line.speaker), []).append((chapter, line))
    by_rules = [rows[0][1].speaker for rows in found.values() if any(line.rule != "user" for _, line in rows)]
    known = [*names_of(cast), *by_rules]
    rows = []
    for own in found.values():
        chapter, first = own[0]
        users = all(line.rule == "user" for _, line in own)
        rows.append(Uncast(
            first.speaker.strip(), len(own), chapter, first,
            gender=next((line.gender for _, line in own if line.gender), ""),
            users=users, near=nearest(first.speaker, known) if users else "",
        ))  # fmt: skip
    return sorted(rows, key=lambda row: -row.lines)


def unsure(script: Script, cast: Cast) -> list[Unsure]:
    """The lines whose speaker is a guess by the measure of the cast, in order."""
    return [Unsure(chapter, line) for chapter, line in lines_of(script) if is_unsure(line, cast)]


def mistyped(found: Iterable[Uncast]) -> list[Uncast]:
    """Those whom the user wrote into the script and who resemble somebody who is known."""
    return [row for row in found if row.users and row.near]


def names_of(cast: Cast) -> list[str]:
    """Every name and alias of the cast."""
    return [name for role in (*cast.characters, cast.narrator) for name in (role.name, *role.aliases)]


def nearest(name: str, known: Sequence[str]) -> str:
    """The known name most like ``name``, or an empty string where none is like it."""
    others = {key_of(other): other for other in reversed(known) if key_of(other) != key_of(name)}
    cutoff = 0.5 if _HAN.search(name) else 0.7  # one sign of two is much in Chinese
    near = difflib.get_close_matches(key_of(name), others, n=1, cutoff=cutoff)
    return others[near[0]] if near else ""
