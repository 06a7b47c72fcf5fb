"""The edge where ``cast.yaml`` becomes a checked ``Cast``, one file laid over another.

Contract: ``load_cast`` takes files from the widest to the nearest (the series' cast, then the book's); what a nearer
one says of a role replaces what a wider one says of it, field by field. Each file is checked by itself, what they say
together afterwards; an error names file, line and key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, ValidationError, field_validator

from common.errors import VoicepressError
from common.yamlio import Strict, explain, line_of, load_with_model, parse_with_model
from flows.fields import Decibels, Gender, Mood, Name, Speed
from tasks.domain import NARRATOR, UNKNOWN, UNSURE_BELOW, Cast, ChapterRange, Pool, Role, RoleChange

WHAT = "the cast"
_RANGE = re.compile(r"\s*(\d{1,6})\s*(?:([-–])\s*(\d{1,6})?\s*)?")


class RoleChangeFile(Strict):
    voice: str | None = None
    style: str | None = None
    speed: Speed | None = None
    gain_db: Decibels | None = None
    moods: dict[Mood, str] = Field(default_factory=dict)


class RoleFile(Strict):
    voice: str = ""
    aliases: tuple[Name, ...] = ()
    gender: Gender = ""
    style: str = ""
    speed: Speed = 1.0
    gain_db: Decibels = 0.0
    moods: dict[Mood, str] = Field(default_factory=dict)
    chapters: dict[int | str, RoleChangeFile] = Field(default_factory=dict)


class DefaultsFile(Strict):
    female: str = ""
    male: str = ""


class PoolFile(Strict):
    any: tuple[str, ...] = ()
    female: tuple[str, ...] = ()
    male: tuple[str, ...] = ()


class CastFile(Strict):
    """``cast.yaml``."""

    schema_: Literal[1] = Field(1, alias="schema")
    narrator: RoleFile = Field(default_factory=RoleFile)
    characters: dict[Name, RoleFile] = Field(default_factory=dict)
    defaults: DefaultsFile = Field(default_factory=DefaultsFile)
    unknown: Literal["narrator", "pool", "error"] | None = None
    pool: PoolFile = Field(default_factory=PoolFile)
    english: str = ""
    unsure: Literal["guess", "narrator", "error"] = "guess"
    unsure_below: Annotated[float, Field(ge=0.0, le=1.0)] = UNSURE_BELOW

    @field_validator("pool", mode="before", json_schema_input_type=PoolFile | list[str])
    @classmethod
    def _a_list_is_for_anybody(cls, pool: Any) -> Any:
        return {"any": pool} if isinstance(pool, list) else pool


@dataclass(frozen=True, slots=True)
class _Source:
    """One file as read: the values it states itself, and where they stand."""

    path: Path
    node: yaml.Node | None
    stated: dict[str, Any]

    def error(self, what: str, location: Sequence[str | int], hint: str) -> VoicepressError:
        return VoicepressError(
            "bad-config", f"{WHAT}: {what}", file=self.path, line=line_of(self.node, location),
            key=".".join(map(str, location)) or None, hint=hint,
        )  # fmt: skip


def load_cast(*paths: Path, partial: bool = False) -> Cast:
    """Read and check the cast that the files make together, the nearest last. ``partial``: further files are laid over
    these, so that what is missing is no error."""
    sources = [_read(path) for path in paths]
    stated = sources[0].stated
    for source in sources[1:]:
        stated = _laid_over(stated, source.stated)
    nearest = sources[-1]
    try:
        file = CastFile.model_validate(stated)
    except ValidationError as error:  # each file is valid by itself, so this is what they say together
        raise explain(error, nearest.path, nearest.node, CastFile, WHAT) from error
    _check_names(file, sources)
    pool = Pool(file.pool.any, file.pool.female, file.pool.male)
    if not file.narrator.voice and not partial:
        raise nearest.error("the narrator needs a voice", ("narrator",), "'voicepress voices' lists them")
    if file.unknown == "pool" and not pool.voices and not partial:
        raise _stating(sources, "unknown").error(
            "unknown: pool needs at least one voice under 'pool'", ("unknown",), "add 'pool: [...]' with ids of voices"
        )
    return Cast(
        narrator=_role(NARRATOR, file.narrator),
        characters=tuple(_role(name, role) for name, role in file.characters.items()),
        defaults={
            gender: voice for gender, voice in (("female", file.defaults.female), ("male", file.defaults.male)) if voice
        },
        unknown=file.unknown or ("pool" if pool.voices else "error"),
        pool=pool,
        english=file.english,
        unsure=file.unsure,
        unsure_below=file.unsure_below,
    )


def naming(voice_id: str, paths: Sequence[Path]) -> tuple[Path | None, int | None, str]:
    """Where a voice is named: the file, the nearest first, with line and key; or the nearest file alone."""
    for path in reversed(paths):
        for key, node in _scalars(_read(path).node):
            if node.value == voice_id and key.rsplit(".", 1)[-1] not in ("aliases", "style", "gender"):
                return path, node.start_mark.line + 1, key
    return (paths[-1] if paths else None), None, "voice"


def _scalars(node: yaml.Node | None, key: str = "") -> Iterator[tuple[str, yaml.ScalarNode]]:
    """Every plain value with the dotted key it stands under."""
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            yield from _scalars(value, f"{key}.{name.value}" if key else str(name.value))
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _scalars(value, key)
    elif isinstance(node, yaml.ScalarNode):
        yield key, node


def check_text(text: str, path: Path) -> None:
    """An error if ``text``, to be written to ``path``, were no cast file, or one that contradicts itself."""
    source = _checked(path, *parse_with_model(text, path, CastFile, WHAT))
    _check_names(CastFile.model_validate(source.stated), [source])


def _read(path: Path) -> _Source:
    return _checked(path, *load_with_model(path, CastFile, WHAT))


def _checked(path: Path, file: CastFile, node: yaml.Node | None) -> _Source:
    source = _Source(path, node, file.model_dump(by_alias=True, exclude_unset=True))
    _check_chapters(source, ("narrator",), file.narrator)
    for name, role in file.characters.items():
        _check_chapters(source, ("characters", name), role)
        if name in (NARRATOR, UNKNOWN):
            raise source.error(
                f"'{name}' is a reserved name and cannot be a character", ("characters", name), "choose another name"
            )
    return source


# ---------------------------------------------------------------- one file over another


def _laid_over(wide: Mapping[str, Any], near: Mapping[str, Any]) -> dict[str, Any]:
    """The statements of two files as one file would make them."""
    both = {**wide, **near}
    for key in ("narrator", "defaults"):
        if key in wide and key in near:
            both[key] = _role_over(wide[key], near[key]) if key == "narrator" else {**wide[key], **near[key]}
    characters = dict(wide.get("characters", {}))
    known_as = {alias: name for name, role in characters.items() for alias in role.get("aliases", ())}
    for name, role in near.get("characters", {}).items():
        # A book may know by an alias whom the series knows by his name: it is still the same role.
        own = name if name in characters else known_as.get(name, name)
        characters[own] = _role_over(characters[own], role) if own in characters else role
    if characters:
        both["characters"] = characters
    return both


def _role_over(wide: Mapping[str, Any], near: Mapping[str, Any]) -> dict[str, Any]:
    both = {**wide, **near}
    if "aliases" in both:
        both["aliases"] = list(dict.fromkeys((*wide.get("aliases", ()), *near.get("aliases", ()))))
    if "moods" in both:
        both["moods"] = {**wide.get("moods", {}), **near.get("moods", {})}
    return both


def _check_names(file: CastFile, sources: Sequence[_Source]) -> None:
    """No name or alias may stand for two roles."""
    owner: dict[str, str] = {}
    for name, role in file.characters.items():
        for alias in (name, *role.aliases):
            if owner.setdefault(alias, name) == name:
                continue
            source, location = _saying(sources, name, alias)
            raise source.error(f"'{alias}' names both {owner[alias]} and {name}", location, "let it name one of them")


def _saying(sources: Sequence[_Source], name: str, alias: str) -> tuple[_Source, tuple[str, ...]]:
    """The nearest file that gives ``alias`` to the role ``name``, and where."""
    for source in reversed(sources):
        role = source.stated.get("characters", {}).get(name)
        if role is not None and (alias == name or alias in role.get("aliases", ())):
            return source, ("characters", name) if alias == name else ("characters", name, "aliases")
    return sources[-1], ("characters",)


def _stating(sources: Sequence[_Source], key: str) -> _Source:
    return next((source for source in reversed(sources) if key in source.stated), sources[-1])


# ---------------------------------------------------------------- chapters


def _check_chapters(source: _Source, location: tuple[str, ...], role: RoleFile) -> None:
    """Ranges are numbers, and of two that hold the same chapter one is the narrower."""
    seen: list[tuple[ChapterRange, int | str]] = []
    for key in role.chapters:
        here = (*location, "chapters", key)
        given = chapter_range(key)
        if given is None:
            raise source.error(
                f"'{key}' is no chapter and no range of chapters", here, "write 3, \"12-\" (from 12 on) or \"5-9\""
            )  # fmt: skip
        for other, earlier in seen:
            if other.breadth == given.breadth and _overlap(other, given):
                raise source.error(
                    f"the chapters '{key}' and '{earlier}' overlap, and neither is the narrower", here,
                    "let every chapter be in one of them, or make one narrower: the narrower wins",
                )  # fmt: skip
        seen.append((given, key))


def chapter_range(key: int | str) -> ChapterRange | None:
    """``3``, ``"12-"`` (from 12 on) or ``"5-9"``; ``None`` for anything else."""
    found = _RANGE.fullmatch(str(key))
    if found is None:
        return None
    first = int(found[1])
    last = first if found[2] is None else int(found[3]) if found[3] else None
    return ChapterRange(first, last) if first >= 1 and (last is None or last >= first) else None


def _overlap(one: ChapterRange, other: ChapterRange) -> bool:
    return (one.last is None or other.first <= one.last) and (other.last is None or one.first <= other.last)


def _role(name: str, file: RoleFile) -> Role:
    changes = {
        ranged: RoleChange(change.voice, change.style, change.speed, change.gain_db, _moods(change.moods))
        for key, change in file.chapters.items()
        if (ranged := chapter_range(key)) is not None
    }
    return Role(
        name, file.voice, file.aliases, file.gender, file.style, file.speed, file.gain_db, changes, _moods(file.moods)
    )


def _moods(moods: Mapping[Mood, str]) -> dict[str, str]:
    return {str(mood): style for mood, style in moods.items()}
