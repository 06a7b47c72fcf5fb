"""What has to be settled about a book's speakers before anything is recorded, and the memory of what was.

Contract: ``settle`` looks at the whole script once. Speakers whom the cast does not know and lines that nobody is sure
of are one error that lists them all, where the cast makes them one; else the extras get their voices of the pool.

Which voice an extra has is remembered in ``extras.json`` of the book, and of the series for books to come
(``outputs/series-<folder>/``), so that neither a changed text nor another book moves those who need not move. The
book's own memory counts first: a later book of the series never changes how an earlier one sounds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from common.errors import VoicepressError
from common.files import read_json, write_json
from flows.config import Book, slug_of
from flows.console import say
from flows.make import shown
from flows.workspace import Workspace
from tasks.domain import SCHEMA, UNKNOWN, Script
from tasks.speak.casting import is_extra, voice_id_for
from tasks.speak.extras import Extras, assign, key_of
from tasks.speak.uncast import Uncast, Unsure, mistyped, uncast, unsure
from tasks.speak.voices import VoiceLibrary

EXCERPT_CHARS = 24
NAMED = 12
"""How many speakers an error names in its first line."""


@dataclass(frozen=True, slots=True)
class Settled:
    """``voices`` of the extras by ``key_of(speaker)``; ``notes`` are sentences for the user."""

    voices: Mapping[str, str]
    notes: tuple[str, ...]


def settle(job: Book, script: Script, workspace: Workspace, library: VoiceLibrary) -> Settled:
    """Settle the speakers of ``script``; call it while holding the book's folder."""
    cast = job.cast
    strangers, doubtful = uncast(script, cast), unsure(script, cast)
    if cast.unknown == "error" and strangers:
        raise _nobody_speaks(job, strangers, workspace)
    if cast.unsure == "error" and doubtful:
        raise _nobody_is_sure(job, doubtful, workspace)
    extras = _extras(job, script, workspace, library)
    notes = [
        f"'{row.speaker}' (chapter {row.chapter}, line {row.line.id}) is not in the cast; if you meant '{row.near}', mend "
        f"'speaker:' in {shown(script_file(workspace, row.chapter))}"
        for row in mistyped(strangers)
    ]
    if extras.shared:
        notes.append(_shared(extras))
    if doubtful:
        nobody = sum(key_of(row.line.speaker) == UNKNOWN for row in doubtful)
        notes.append(
            f"of {len(doubtful)} {'line' if len(doubtful) == 1 else 'lines'} the speaker is not sure"
            + (f", {nobody} of them without even a guess" if nobody else "")
            + f": 'voicepress cast {shown(job.folder)} --unsure' lists them"
        )
    return Settled(extras.voices, tuple(notes))


def script_file(workspace: Workspace, chapter: int) -> Path:
    """The script file of a chapter."""
    return workspace.script / f"{chapter:03d}.yaml"


def excerpt(text: str, chars: int = EXCERPT_CHARS) -> str:
    """``text`` in one row, cut to ``chars``."""
    text = " ".join(text.split())
    return text if len(text) <= chars else text[: chars - 1] + "…"


# ---------------------------------------------------------------- the pool and its memory


def _extras(job: Book, script: Script, workspace: Workspace, library: VoiceLibrary) -> Extras:
    if job.cast.unknown != "pool":
        return Extras()
    own = workspace.folder / "extras.json"
    of_book = remembered(own)
    series = _series_workspace(job)
    with series.held(waiting=say) if series else nullcontext():
        of_series = remembered(series.folder / "extras.json") if series else {}
        extras = assign(
            script,
            job.cast,
            is_extra=lambda line: is_extra(line, job.cast),
            voice_of=lambda line, chapter: voice_id_for(line, chapter, job.cast).voice_id,
            gender_of=lambda voice_id: library.get(voice_id).gender,
            remembered=of_series | of_book,
        )
        if series:
            offered = set(job.cast.pool.voices)
            kept = {key: voice for key, voice in of_series.items() if voice in offered or key not in extras.voices}
            _remember(series.folder / "extras.json", of_series, {**extras.voices, **kept})
        _remember(own, of_book, {**of_book, **extras.voices})
    return extras


def _series_workspace(job: Book) -> Workspace | None:
    if job.series is None:
        return None
    workspace = Workspace.of(f"series-{slug_of(job.series.folder.name)}")
    try:
        workspace.claim(job.series.path)
    except VoicepressError as error:
        if error.code != "folder-taken":
            raise
        raise VoicepressError(
            error.code, error.what, file=job.series.path,
            hint="rename the series' folder: its extras are remembered under that name",
        ) from error  # fmt: skip
    return workspace


def remembered(path: Path) -> dict[str, str]:
    """The voices in a memory file; a damaged one is forgotten."""
    known = read_json(path)
    voices = known.get("voices") if isinstance(known, dict) and known.get("schema") == SCHEMA else None
    return {str(key): str(voice) for key, voice in voices.items()} if isinstance(voices, dict) else {}


def _remember(path: Path, before: Mapping[str, str], now: Mapping[str, str]) -> None:
    if now != before:
        write_json(path, {"schema": SCHEMA, "voices": dict(sorted(now.items()))})


def _shared(extras: Extras) -> str:
    first = extras.shared[0]
    whom = f"'{first.other}'" if first.other else "somebody of the cast"
    speakers = len({row.speaker for row in extras.shared})
    return (
        f"the pool has too few voices: {speakers} {'speaker shares' if speakers == 1 else 'speakers share'} one in a scene, "
        f"as '{first.speaker}' and {whom} {first.voice_id} in chapter {first.chapter}; add voices to 'pool' in the cast"
    )


# ---------------------------------------------------------------- errors


def _nobody_speaks(job: Book, strangers: Sequence[Uncast], workspace: Workspace) -> VoicepressError:
    named = ", ".join(f"{row.speaker} ({row.lines})" for row in strangers[:NAMED])
    more = f" and {len(strangers) - NAMED} more" if len(strangers) > NAMED else ""
    lines = sum(row.lines for row in strangers)
    rows = [
        f"# '{row.speaker}' in {shown(script_file(workspace, row.chapter))}, line {row.line.id}: did you mean '{row.near}'?"
        for row in mistyped(strangers)
    ]
    rows += ["characters:", *(cast_row(row) for row in strangers)]
    return VoicepressError(
        "unknown-speaker",
        f"nobody in the cast speaks for {len(strangers)} {'speaker' if len(strangers) == 1 else 'speakers'} "
        f"({lines} {'line' if lines == 1 else 'lines'}): {named}{more}",
        file=job.cast_file,
        key="characters",
        hint="add them to the cast, each with a voice, or as aliases of those who are there ('voicepress cast "
        f"{shown(job.folder)} --write' does it), or let 'unknown: pool' or 'unknown: narrator' decide",
        rows=tuple(rows),
    )


def cast_row(row: Uncast) -> str:
    """A line to paste into a cast under ``characters:``."""
    gender = f"gender: {row.gender}, " if row.gender else ""
    seen = (
        f"{row.lines} {'line' if row.lines == 1 else 'lines'}, first in chapter {row.chapter}: {excerpt(row.line.text)}"
    )
    return f"  {yaml_key(row.speaker)}: {{{gender}voice: }}  # {seen}"


def yaml_key(name: str) -> str:
    """``name`` as a key of a YAML mapping: as it is where that is safe."""
    plain = name.isidentifier() and name.casefold() not in ("true", "false", "yes", "no", "on", "off", "null", "y", "n")
    return name if plain else json.dumps(name, ensure_ascii=False)


def _nobody_is_sure(job: Book, doubtful: Sequence[Unsure], workspace: Workspace) -> VoicepressError:
    return VoicepressError(
        "unsure-speaker",
        f"of {len(doubtful)} {'line' if len(doubtful) == 1 else 'lines'} the speaker is not sure",
        file=job.cast_file,
        key="unsure",
        hint="set 'speaker:' or 'voice:' of these lines in the script, or say 'unsure: guess' or 'unsure: narrator'; "
        f"'voicepress cast {shown(job.folder)} --unsure' says more",
        rows=tuple(
            f"{shown(script_file(workspace, row.chapter))}, {row.line.id}: {row.line.speaker} ({row.line.confidence:.2f})  "
            f"{excerpt(row.line.text)}"
            for row in doubtful
        ),
    )
