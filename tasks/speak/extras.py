"""Voices of the pool for speakers whom the cast does not know: who gets which, for a whole book at once.

Contract: pure policy. Each of these extras has one voice for the whole book. Two who speak in one scene never share a
voice while the pool has enough of them, and none takes the voice of somebody else in the scene. Where voices run out,
those share who speak least beside one another, and ``Extras.shared`` says so. A remembered voice is kept unless it
would now be shared in a scene and need not be. Without a memory everyone gets the first free voice of an order of
their own (rendezvous hashing), so that a voice added to the pool moves few.

A scene is what lies between two scene breaks or headings of one chapter.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tasks.domain import Cast, ChapterScript, Line, Pool, Script

_BUDGET = 60
"""How many places are tried for one extra who would share a voice in a scene."""
BESIDE_LINES = 6
"""Two lines of a scene so near to each other are heard beside one another."""

GenderOf = Callable[[str], str]
"""The gender that a voice's profile states, or an empty string."""


@dataclass(frozen=True, slots=True)
class Shared:
    """``speaker`` has in a scene of ``chapter`` the same voice as ``other`` (a speaker, or empty: a role of the cast)."""

    speaker: str
    other: str
    voice_id: str
    chapter: int


@dataclass(frozen=True, slots=True)
class Extras:
    """``voices`` by ``key_of(speaker)``."""

    voices: Mapping[str, str] = field(default_factory=dict)
    shared: tuple[Shared, ...] = ()


@dataclass(slots=True)
class _Extra:
    name: str
    genders: Counter[str] = field(default_factory=Counter)
    scenes: dict[int, int] = field(default_factory=dict)
    """Numbers of the scenes the extra speaks in, with the chapter of each."""

    @property
    def gender(self) -> str:
        return self.genders.most_common(1)[0][0] if self.genders else ""


def key_of(speaker: str) -> str:
    """What a speaker goes by in comparisons."""
    return speaker.strip().casefold()


def assign(
    script: Script,
    cast: Cast,
    *,
    is_extra: Callable[[Line], bool],
    voice_of: Callable[[Line, int], str],
    gender_of: GenderOf | None = None,
    remembered: Mapping[str, str] | None = None,
) -> Extras:
    """The voices of all extras of ``script``.

    ``is_extra`` says whose lines the pool serves, ``voice_of`` gives the voice of any other line (line, chapter). ``remembered`` are
    voices of an earlier time by ``key_of(speaker)``; one that the pool no longer has for this speaker is forgotten.
    """
    extras: dict[str, _Extra] = {}
    fixed: dict[int, set[str]] = defaultdict(set)
    beside: Counter[tuple[str, str]] = Counter()
    number = 0
    for number, chapter, scene in _scenes(script):
        row: list[str] = []
        for line in scene:
            if is_extra(line):
                extra = extras.setdefault(key_of(line.speaker), _Extra(line.speaker.strip()))
                extra.scenes[number] = chapter
                if line.gender:
                    extra.genders[line.gender] += 1
                row.append(f"s{key_of(line.speaker)}")
            else:
                voice_id = voice_of(line, chapter)
                fixed[number].add(voice_id)
                row.append(f"v{voice_id}")
        _count_beside(row, beside)
    cast_voices = {voice_id for voices in fixed.values() for voice_id in voices} | {
        role.voice for role in (cast.narrator, *cast.characters)
    }
    return _coloured(extras, fixed, beside, cast_voices, cast.pool, gender_of, remembered or {})


def _coloured(
    extras: Mapping[str, _Extra],
    fixed: Mapping[int, set[str]],
    beside: Mapping[tuple[str, str], int],
    cast_voices: set[str],
    pool: Pool,
    gender_of: GenderOf | None,
    remembered: Mapping[str, str],
) -> Extras:
    """Greedy colouring: those who are remembered first, then by first appearance; then those who would share a voice
    with somebody in a scene change places with others as far as that helps."""
    offers = {key: candidates(pool, extra.gender, gender_of) for key, extra in extras.items()}
    seating = _Seating(extras, fixed, offers)
    order = sorted(extras, key=lambda key: remembered.get(key, "") not in offers[key])
    for key in order:

        def cost(voice_id: str, key: str = key) -> tuple[bool, int, bool]:
            others = seating.rivals(key, voice_id)
            return bool(others), sum(beside[_pair(f"s{key}", other)] for other in others), voice_id in cast_voices

        best = min(seating.ranked(key), key=cost)
        kept = remembered.get(key, "")
        if kept in offers[key] and (not seating.rivals(key, kept) or seating.rivals(key, best)):
            best = kept
        seating.put(key, best)
    for key in order:
        if seating.rivals(key, seating.chosen[key]):
            seating.budget = _BUDGET
            seating.make_room(key)
    shared: list[Shared] = []
    told: set[str] = set()
    for key in order:
        told.add(key)
        for other, chapter in seating.rivals(key, seating.chosen[key]).items():
            if other.startswith("v") or other[1:] in told:
                name = extras[other[1:]].name if other.startswith("s") else ""
                shared.append(Shared(extras[key].name, name, seating.chosen[key], chapter))
    return Extras(seating.chosen, tuple(shared))


class _Seating:
    """Who has which voice so far, and in which scenes."""

    def __init__(
        self, extras: Mapping[str, _Extra], fixed: Mapping[int, set[str]], offers: Mapping[str, Sequence[str]]
    ) -> None:
        self._extras, self._fixed, self._offers = extras, fixed, offers
        self._in_scene: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self.chosen: dict[str, str] = {}
        self.budget = 0

    def ranked(self, key: str) -> list[str]:
        """The voices for an extra, in the order of their own."""
        return sorted(self._offers[key], key=lambda voice_id: -_rank(key, voice_id))

    def put(self, key: str, voice_id: str) -> None:
        before = self.chosen.get(key)
        for scene in self._extras[key].scenes:
            if before is not None:
                self._in_scene[scene][before].remove(key)
            self._in_scene[scene][voice_id].append(key)
        self.chosen[key] = voice_id

    def rivals(self, key: str, voice_id: str) -> dict[str, int]:
        """Who else has the voice in a scene of this extra, with the chapter of the first such scene: ``s`` and the key of
        an extra, or ``v`` and the voice of somebody of the cast."""
        found: dict[str, int] = {}
        for scene, chapter in self._extras[key].scenes.items():
            for other in self._in_scene[scene].get(voice_id, ()):
                if other != key:
                    found.setdefault(f"s{other}", chapter)
            if voice_id in self._fixed.get(scene, ()):
                found.setdefault(f"v{voice_id}", chapter)
        return found

    def make_room(self, key: str, depth: int = 3, held: frozenset[str] = frozenset()) -> bool:
        """Give an extra a voice that none of its scenes hears twice, moving others who are not ``held`` if need be.
        Where that cannot be done within the budget everything stays as it was."""
        for voice_id in sorted(self.ranked(key), key=lambda one: len(self.rivals(key, one))):
            others = self.rivals(key, voice_id)
            self.budget -= 1
            if self.budget < 0 or (others and not depth):
                return False
            if any(other.startswith("v") or other[1:] in held for other in others):
                continue
            before = dict(self.chosen)
            self.put(key, voice_id)
            if all(self.make_room(other[1:], depth - 1, held | {key}) for other in others):
                return True
            for moved in [one for one, voice in before.items() if self.chosen[one] != voice]:
                self.put(moved, before[moved])
        return False


def candidates(pool: Pool, gender: str, gender_of: GenderOf | None = None) -> tuple[str, ...]:
    """The voices of ``pool`` for a speaker of ``gender``: those listed for it and those for anybody, unless their
    profile says otherwise. Never empty if the pool is not."""
    if not gender:
        return pool.any or pool.voices
    listed = pool.female if gender == "female" else pool.male
    fitting = [voice_id for voice_id in pool.any if not gender_of or gender_of(voice_id) in ("", "neutral", gender)]
    return tuple(dict.fromkeys((*listed, *fitting))) or pool.any or pool.voices


def pool_voice(name: str, voices: Sequence[str]) -> str:
    """The voice that ``name`` prefers: always the same for the same name, and adding a voice moves only those names that
    the new voice wins (rendezvous hashing)."""
    return max(voices, key=lambda voice_id: _rank(key_of(name), voice_id))


def _rank(key: str, voice_id: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{key}\0{voice_id}".encode(), digest_size=8).digest(), "big")


def _scenes(script: Script) -> Iterator[tuple[int, int, list[Line]]]:
    """``(number, chapter, lines)`` of every scene; lines that are left out are not in them."""
    number = 0
    for chapter in script.chapters:
        for scene in _scenes_of(chapter):
            yield number, chapter.number, scene
            number += 1


def _scenes_of(chapter: ChapterScript) -> Iterator[list[Line]]:
    scene: list[Line] = []
    for line in chapter.lines:
        if line.kind == "heading" and scene and scene[-1].kind != "heading":
            yield scene
            scene = []
        if not line.skip:
            scene.append(line)
        if line.after == "scene" and scene:
            yield scene
            scene = []
    if scene:
        yield scene


def _count_beside(row: Sequence[str], beside: Counter[tuple[str, str]]) -> None:
    for at, one in enumerate(row):
        for other in row[max(0, at - BESIDE_LINES) : at]:
            if one != other:
                beside[_pair(one, other)] += 1


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
