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
    """Greedy colouring: those who are remembered first, then by first appearance."""
    chosen: dict[str, str] = {}
    in_scene: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    shared: list[Shared] = []
    offers = {key: candidates(pool, extra.gender, gender_of) for key, extra in extras.items()}
    order = sorted(extras, key=lambda key: remembered.get(key, "") not in offers[key])
    for key in order:
        extra = extras[key]

        def rivals(voice_id: str, key: str = key, extra: _Extra = extra) -> dict[str, int]:
            """Who else has the voice in a scene of this extra, with the chapter of the first such scene."""
            found: dict[str, int] = {}
            for scene, chapter in extra.scenes.items():
                for other in in_scene[scene].get(voice_id, ()):
                    found.setdefault(f"s{other}", chapter)
                if voice_id in fixed.get(scene, ()):
                    found.setdefault(f"v{voice_id}", chapter)
            return found

        def cost(voice_id: str, key: str = key) -> tuple[bool, int, bool]:
            others = rivals(voice_id)
            return bool(others), sum(beside[_pair(f"s{key}", other)] for other in others), voice_id in cast_voices

        ranked = sorted(offers[key], key=lambda voice_id: -_rank(key, voice_id))
        best = min(ranked, key=cost)
        kept = remembered.get(key, "")
        if kept in ranked and (not rivals(kept) or rivals(best)):
            best = kept
        chosen[key] = best
        for other, chapter in rivals(best).items():
            name = extras[other[1:]].name if other.startswith("s") else ""
            shared.append(Shared(extra.name, name, best, chapter))
        for scene in extra.scenes:
            in_scene[scene][best].append(key)
    return Extras(chosen, tuple(shared))


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
