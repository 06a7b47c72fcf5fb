"""Which voice says a line, how, and the utterance that comes of it. Pure policy.

Order, the first that says something wins: the line itself, the cast's change for this chapter, the role, the default
voice for the gender. A speaker whom the cast does not know gets a voice of the pool, is read by the default voice for
the gender or the narrator, or is an error (``uncast.py`` lists them all): as the cast says. A line that nobody could be
found for is no such speaker: the default voice for the gender or the narrator reads it. A line in English of a role
whose voice is Chinese goes to the cast's English voice, unless the line names its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from common.errors import VoicepressError
from engines.base import Limits, Utterance, Voice
from tasks.domain import NARRATOR, UNKNOWN, Cast, Line, Reading, Role, RoleChange
from tasks.speak import recipes
from tasks.speak.extras import candidates, key_of, pool_voice


class Voices(Protocol):
    """Where voices are looked up; ``tasks.speak.voices.VoiceLibrary`` is one."""

    def get(self, voice_id: str) -> Voice: ...


Annotate = Callable[[str, Sequence[Reading]], str]
"""Writes readings into a spoken text as the engine wants them: ``(spoken, readings) -> text``."""


MoodOf = Callable[[str], str]
"""The mood (``angry``) that a style in plain language asks for, or an empty string."""


@dataclass(frozen=True, slots=True)
class Aids:
    """What casting a line rests on beside the cast. ``language_of`` gives a voice's language (without it none is English),
    ``extras`` the voices of the pool by ``key_of(speaker)``, ``mood_of`` lets a role's moods take the place of styles."""

    language_of: Callable[[str], str] | None = None
    extras: Mapping[str, str] = field(default_factory=dict)
    mood_of: MoodOf | None = None


NO_AIDS = Aids()


@dataclass(frozen=True, slots=True)
class Choice:
    """Who says a line and how. ``gain_db`` is the role's, without the voice's own. ``why`` says in a few words what
    decided the voice."""

    voice_id: str
    style: str
    speed: float
    gain_db: float
    why: str


def voice_id_for(line: Line, chapter: int, cast: Cast, aids: Aids = NO_AIDS) -> Choice:
    """The casting of ``line`` in chapter number ``chapter``.

    Errors: an unknown speaker where the cast makes that an error; no voice for the narrator.
    """
    role = role_of(line.speaker, cast)
    unsure = is_unsure(line, cast) and cast.unsure == "narrator"
    if unsure:
        role = cast.narrator
    known = role is not None
    if role is None:
        # Who reads for an unknown speaker is decided below; how he sounds is plain, unless the narrator reads.
        role = Role(name=line.speaker, gender=line.gender)
    change = change_in(role, chapter)
    voice_id, why = _own_voice(line, role, change)
    if not voice_id:
        voice_id, why, role = _voice_of_voiceless(line, chapter, cast, role, known, aids)
        change = change_in(role, chapter)
    if unsure and not line.voice:
        why = "the narrator reads what nobody is sure of"
    if not line.voice and cast.english and voice_id != cast.english and _is_english(line.language):
        own_language = aids.language_of(voice_id) if aids.language_of else "zh"
        if not _is_english(own_language):
            voice_id, why = cast.english, "the cast's English voice"
    return Choice(
        voice_id=voice_id,
        style=_style(line, role, change, aids.mood_of),
        speed=line.speed if line.speed is not None else (role.speed if change.speed is None else change.speed),
        gain_db=role.gain_db if change.gain_db is None else change.gain_db,
        why=why,
    )


def _style(line: Line, role: Role, change: RoleChange, mood_of: MoodOf | None) -> str:
    """The line's style, in the role's own way where the role has one for that mood; else the role's."""
    if not line.style:
        return role.style if change.style is None else change.style
    moods = {**role.moods, **change.moods}
    return moods.get(mood_of(line.style), line.style) if moods and mood_of else line.style


def is_unsure(line: Line, cast: Cast) -> bool:
    """Whether the speaker of ``line`` is a guess by the measure of ``cast``. What the user decided is none."""
    return line.kind == "dialogue" and not line.voice and line.rule != "user" and line.confidence < cast.unsure_below


def is_extra(line: Line, cast: Cast) -> bool:
    """Whether the pool serves the speaker of ``line``."""
    return (
        cast.unknown == "pool"
        and bool(cast.pool.voices)
        and not line.voice
        and key_of(line.speaker) != UNKNOWN
        and not (cast.unsure == "narrator" and is_unsure(line, cast))
        and role_of(line.speaker, cast) is None
    )


def utterance_for(
    line: Line,
    chapter: int,
    cast: Cast,
    library: Voices,
    limits: Limits,
    seed: int = 0,
    take: int = 0,
    annotate: Annotate | None = None,
    aids: Aids = NO_AIDS,
) -> tuple[Utterance, float]:
    """What the engine is asked to say for ``line``, and the gain in dB to apply when stitching (role and voice).

    ``take`` above 0 is said by the recipe of that number (``recipes.py``). ``annotate`` is needed where ``limits.phonetic`` is ``inline``.
    """
    choice = voice_id_for(
        line, chapter, cast, replace(aids, language_of=lambda voice_id: library.get(voice_id).language)
    )
    voice = library.get(choice.voice_id)
    text = line.spoken
    readings: tuple[tuple[int, str], ...] = ()
    if limits.phonetic == "pinyin":
        readings = tuple((reading.start, reading.phones) for reading in line.readings)
    elif limits.phonetic == "inline":
        if annotate is None:
            raise TypeError("an engine with inline readings needs annotate")
        text = annotate(line.spoken, line.readings)
    utterance = Utterance(
        text=text,
        voice=voice,
        language=line.language,
        readings=readings,
        style=choice.style,
        speed=choice.speed,
        seed=seed,
        take=take,
    )
    return recipes.apply(utterance, limits), choice.gain_db + voice.gain_db


def role_of(speaker: str, cast: Cast) -> Role | None:
    """The role that goes by the name or alias ``speaker``; ``None`` where the cast knows no such speaker."""
    global _indexed
    if _indexed is None or _indexed[0] is not cast:
        _indexed = (cast, _index(cast))
    return _indexed[1].get(key_of(speaker))


_indexed: tuple[Cast, dict[str, Role]] | None = None
"""The cast of the last question with its names: a book asks a hundred thousand times about the same one."""


def _index(cast: Cast) -> dict[str, Role]:
    names = {"": cast.narrator, NARRATOR: cast.narrator}
    for role in (*cast.characters, cast.narrator):
        for name in (role.name, *role.aliases):
            names.setdefault(key_of(name), role)
    return names


def change_in(role: Role, chapter: int) -> RoleChange:
    """What differs for ``role`` in a chapter: of the ranges that hold it each counts, the narrower the more."""
    holding = [ranged for ranged in role.chapters if ranged.holds(chapter)]
    found = RoleChange()
    for ranged in sorted(holding, key=lambda ranged: ranged.breadth, reverse=True):
        near = role.chapters[ranged]
        found = RoleChange(
            voice=found.voice if near.voice is None else near.voice,
            style=found.style if near.style is None else near.style,
            speed=found.speed if near.speed is None else near.speed,
            gain_db=found.gain_db if near.gain_db is None else near.gain_db,
            moods={**found.moods, **near.moods},
        )
    return found


def voice_ids_of(cast: Cast) -> list[str]:
    """Every voice the cast names, once, in order: what has to exist before a book is begun."""
    roles = (cast.narrator, *cast.characters)
    named = [role.voice for role in roles]
    named += [change.voice or "" for role in roles for change in role.chapters.values()]
    named += [*cast.defaults.values(), *cast.pool.voices, cast.english]
    return list(dict.fromkeys(voice_id for voice_id in named if voice_id))


def _own_voice(line: Line, role: Role, change: RoleChange) -> tuple[str, str]:
    if line.voice:
        return line.voice, "the line's own voice"
    if change.voice:
        return change.voice, f"{role.name}'s voice in this chapter"
    return role.voice, f"{role.name}'s voice"


def _voice_of_voiceless(
    line: Line, chapter: int, cast: Cast, role: Role, known: bool, aids: Aids
) -> tuple[str, str, Role]:
    named = not known and key_of(line.speaker) != UNKNOWN
    if named and cast.unknown == "error":
        raise VoicepressError(
            "unknown-speaker",
            f"nobody in the cast speaks for '{line.speaker}': chapter {chapter}, line {line.id}: {_shortened(line.text)}",
            key="characters", hint="add the character or an alias to the cast, or set unknown to narrator or pool",
        )  # fmt: skip
    gender = role.gender or line.gender
    if named and cast.unknown == "pool" and cast.pool.voices:
        voice_id = aids.extras.get(key_of(line.speaker)) or pool_voice(role.name, candidates(cast.pool, gender))
        return voice_id, "the pool of voices for unknown speakers", role
    if voice_id := cast.defaults.get(gender, "") if gender else "":
        return voice_id, f"the default {gender} voice", role
    return (
        _narrators_voice(cast, chapter),
        "the narrator reads for a speaker without a voice",
        cast.narrator if not known else role,
    )


def _narrators_voice(cast: Cast, chapter: int) -> str:
    narrator = cast.narrator
    change = change_in(narrator, chapter)
    voice_id = change.voice or narrator.voice or cast.defaults.get(narrator.gender, "")
    if not voice_id:
        raise VoicepressError(
            "no-narrator-voice", "the cast gives the narrator no voice", key="narrator.voice",
            hint="name a voice; 'voicepress voices' lists them",
        )  # fmt: skip
    return voice_id


def _is_english(language: str) -> bool:
    return language.lower().split("-")[0].split("_")[0] == "en"


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
