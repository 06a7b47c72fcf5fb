"""Voice profiles: YAML files, the house's and a book's own.

Contract: profiles are read once, when the first voice is asked for. A book's profile takes the place of the house's
with the same id. A reference clip must lie inside its profile's folder or the house. A voice's ``content`` is a hash
of what changes its sound: engine, language, params, transcript and the bytes of the reference clip; name, level and
description may change freely.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue, field_validator

from common.errors import VoicepressError
from common.files import digest, require_file, sha256_of
from common.places import HOME
from common.yamlio import Strict, load_model
from engines.base import Voice
from tasks.domain import SCHEMA

_LIST_COMMAND = "voicepress voices"


class Profile(Strict):
    """A profile file. ``gain_db`` brings the voice to the house level; without it the level is measured on the
    takes of each book. ``measured`` is for people and reports."""

    schema_number: int = Field(alias="schema")
    id: str = Field(pattern=r"^[\w.\-]+$")
    engine: str = Field(min_length=1)
    name: str = ""
    language: str = Field(min_length=2)
    gender: Literal["", "female", "male", "neutral"] = ""
    description: str = ""
    gain_db: float = Field(default=0.0, ge=-40.0, le=40.0, allow_inf_nan=False)
    offered: bool = True
    params: dict[str, JsonValue] = Field(default_factory=dict)
    measured: dict[str, JsonValue] = Field(default_factory=dict)
    reference: str = ""
    transcript: str = ""

    @field_validator("schema_number")
    @classmethod
    def _known_schema(cls, number: int) -> int:
        if number != SCHEMA:
            raise ValueError(f"this version reads schema {SCHEMA}")
        return number

    @field_validator("params", "measured")
    @classmethod
    def _finite(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if not _is_finite(value):
            raise ValueError("nan and inf are no values here")
        return value


@dataclass(frozen=True, slots=True)
class Entry:
    """A profile, the voice it makes and the file it came from."""

    profile: Profile
    voice: Voice
    file: Path


class VoiceLibrary:
    """The voices of ``folders`` (``*.yaml`` directly in them); a later folder overrides an earlier one, a missing
    folder is empty."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(folders)
        self._entries: dict[str, Entry] | None = None

    def get(self, voice_id: str) -> Voice:
        """The voice called ``voice_id``; an unknown one is an error with the nearest ids."""
        return self.entry(voice_id).voice

    def entry(self, voice_id: str) -> Entry:
        """As ``get``, with profile and file."""
        entries = self._load()
        if voice_id not in entries:
            near = difflib.get_close_matches(voice_id, entries, n=3, cutoff=0.5)
            advice = f"did you mean {' or '.join(near)}? " if near else ""
            places = ", ".join(str(folder) for folder in self.folders)
            raise VoicepressError(
                "unknown-voice", f"there is no voice '{voice_id}' ({len(entries)} known in {places})", key="voice",
                hint=f"{advice}'{_LIST_COMMAND}' lists them",
            )  # fmt: skip
        return entries[voice_id]

    def all(self) -> list[Voice]:
        """Every voice, by id."""
        return [entry.voice for entry in self.entries()]

    def offered(self) -> list[Voice]:
        """The voices whose profiles do not say ``offered: false``, by id."""
        return [entry.voice for entry in self.entries() if entry.profile.offered]

    def entries(self) -> list[Entry]:
        """Every voice with its profile, by id."""
        loaded = self._load()
        return [loaded[voice_id] for voice_id in sorted(loaded)]

    def _load(self) -> dict[str, Entry]:
        if self._entries is None:
            entries: dict[str, Entry] = {}
            for folder in self.folders:
                entries.update(_read_folder(folder))
            self._entries = entries
        return self._entries


def _read_folder(folder: Path) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for file in sorted((*folder.glob("*.yaml"), *folder.glob("*.yml"))):
        entry = read_profile(file)
        if (earlier := entries.get(entry.voice.id)) is not None:
            raise VoicepressError(
                "voice-twice", f"the voice '{entry.voice.id}' is described twice in this folder", file=file, key="id",
                hint=f"give one of them another id; the other is in {earlier.file.name}",
            )  # fmt: skip
        entries[entry.voice.id] = entry
    return entries


def read_profile(file: Path) -> Entry:
    """One profile file, its reference clip looked up and hashed."""
    profile = load_model(file, Profile, "the voice profile")
    reference = _reference_of(profile, file)
    content = digest(
        {
            "engine": profile.engine,
            "language": profile.language,
            "params": profile.params,
            "transcript": profile.transcript,
            "reference": sha256_of(reference) if reference else "",
        }
    )
    voice = Voice(
        id=profile.id,
        engine=profile.engine,
        name=profile.name or profile.id,
        language=profile.language,
        gender=profile.gender,
        description=profile.description,
        params=profile.params,
        reference=reference,
        transcript=profile.transcript,
        gain_db=profile.gain_db,
        content=content,
        levelled="gain_db" in profile.model_fields_set,
    )
    return Entry(profile, voice, file)


def _reference_of(profile: Profile, file: Path) -> Path | None:
    if not profile.reference:
        return None
    folder = file.resolve().parent
    reference = (folder / profile.reference).resolve()  # follows links: what counts is where the clip really lies
    if not (reference.is_relative_to(folder) or reference.is_relative_to(HOME.resolve())):
        raise VoicepressError(
            "outside-path", f"the reference '{profile.reference}' lies outside the voice's folder", file=file,
            key="reference", hint="copy the clip beside the profile",
        )  # fmt: skip
    return require_file(reference, f"the reference clip of voice '{profile.id}'", hint=f"it is named in {file}")


def _is_finite(value: JsonValue) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(_is_finite(item) for item in value.values())
    if isinstance(value, list):
        return all(_is_finite(item) for item in value)
    return True
