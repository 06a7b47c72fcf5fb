"""The types of a cast; part of ``tasks.domain``, which the rooms import them from.

Plain frozen data: who speaks with which voice, in which chapters what differs, and what becomes of speakers whom the
cast does not know or who are only guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

UNSURE_BELOW = 0.8
"""Below this confidence a speaker counts as guessed, unless the cast says otherwise: what is left as sure is right in 95 of
100 quotations (docs/performance.md, cross-validated)."""


@dataclass(frozen=True, slots=True, order=True)
class ChapterRange:
    """Chapters ``first`` to ``last``, both included; ``None``: to the end of the book."""

    first: int
    last: int | None

    def holds(self, chapter: int) -> bool:
        return self.first <= chapter and (self.last is None or chapter <= self.last)

    @property
    def breadth(self) -> tuple[float, int]:
        """What narrower ranges have less of. Of two without an end the one that begins later is the narrower."""
        return (float("inf"), -self.first) if self.last is None else (self.last - self.first, 0)


@dataclass(frozen=True, slots=True)
class RoleChange:
    """What differs for a role in some chapters; ``None`` leaves the role's own."""

    voice: str | None = None
    style: str | None = None
    speed: float | None = None
    gain_db: float | None = None
    moods: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Role:
    """A character of the cast, or the narrator. An empty ``voice`` means the default for the gender. ``moods``: the style
    in which this role says what the text wants said in a mood (``angry``). Of several ranges in ``chapters`` that hold a
    chapter each counts, the narrower the more."""

    name: str
    voice: str = ""
    aliases: tuple[str, ...] = ()
    gender: str = ""
    style: str = ""
    speed: float = 1.0
    gain_db: float = 0.0
    chapters: Mapping[ChapterRange, RoleChange] = field(default_factory=dict)
    moods: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pool:
    """Voices for speakers whom the cast does not know: ``female`` and ``male`` for those of known gender, ``any`` for
    everybody."""

    any: tuple[str, ...] = ()
    female: tuple[str, ...] = ()
    male: tuple[str, ...] = ()

    @property
    def voices(self) -> tuple[str, ...]:
        """Every voice, once, in order."""
        return tuple(dict.fromkeys((*self.any, *self.female, *self.male)))


@dataclass(frozen=True, slots=True)
class Cast:
    """Which voice speaks for which character. ``unknown`` says what becomes of a speaker who has no voice here:
    read by the narrator, given a voice of ``pool`` (always the same one for the same name), or an error.
    ``unsure`` says who reads a line whose ``Line.confidence`` is below ``unsure_below``: the speaker guessed, the narrator,
    or nobody: an error. ``english`` is the voice for lines in English of a role whose own voice is Chinese (empty: the
    role's own voice)."""

    narrator: Role
    characters: tuple[Role, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    unknown: Literal["narrator", "pool", "error"] = "error"
    pool: Pool = field(default_factory=Pool)
    english: str = ""
    unsure: Literal["guess", "narrator", "error"] = "guess"
    unsure_below: float = UNSURE_BELOW


@dataclass(frozen=True, slots=True)
class Judge:
    """An OpenAI-compatible server that is asked who speaks where the rules are unsure. ``key_env`` names the environment
    variable that holds its key (empty: none). Of a book ``max_lines`` lines at most are asked about, in order.
    ``timeout_seconds`` is for one answer."""

    url: str
    model: str
    key_env: str = ""
    timeout_seconds: float = 60.0
    max_lines: int = 500
