"""Write proposed characters into a cast file: a new one, or one that is there, whose every line stays as it is.

Contract: nothing that stands in a file is changed or overwritten; characters are added after the last one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import plain
from common.files import read_file, write_text
from common.yamledit import with_entries
from flows.castfile import check_text, load_cast
from flows.casting import Casting, Character, house
from flows.make import shown
from flows.settling import excerpt, yaml_key
from tasks.domain import Cast
from tasks.speak.extras import key_of

WHAT = "the cast"


@dataclass(frozen=True, slots=True)
class WrittenCast:
    """What ``write`` did. ``todo`` is what is left for the user, or empty."""

    path: Path
    added: int
    new: bool
    todo: str = ""

    def render(self) -> str:
        if not self.added:
            said = f"nothing to add to {shown(self.path)}: everybody who speaks is in it"
            return f"{said}\n{self.todo}" if self.todo else said
        verb = "written to" if self.new else "added to"
        people = "1 character" if self.added == 1 else f"{self.added} characters"
        said = f"{people} {verb} {shown(self.path)}: listen, change voices, merge those who are the same person"
        return f"{said}\n{self.todo}" if self.todo else said


def write(casting: Casting, characters: Sequence[Character], path: Path | None = None) -> WrittenCast:
    """Add the characters who are in no cast to ``path``, or to the book's own cast file."""
    job = casting.job
    target = path or _own_file(casting)
    strangers = [one for one in characters if not one.file]
    exists = target.is_file()
    used = any(file.resolve() == target.resolve() for file in job.cast_files)
    names_it = job.own_cast is not None and job.own_cast.resolve() == target.resolve()
    todo = "" if used or names_it else f"say 'cast: {_relative(target, job.folder)}' in {shown(job.path)}"
    if exists and strangers:
        there = load_cast(target, partial=True)  # what is no cast file, or not in UTF-8, is told before it is touched
        known = {key_of(name) for role in there.characters for name in (role.name, *role.aliases)}
        # The book may not name the file yet.
        strangers = [one for one in strangers if key_of(one.name) not in known]
    if exists and not strangers:
        return WrittenCast(target, 0, new=False, todo=todo)
    if exists:
        before = read_file(target, WHAT).decode("utf-8-sig")
        text = with_entries(before, "characters", [entry(one) for one in strangers], target, WHAT)
    else:
        text = _new_file(casting, strangers, target)
    check_text(text, target)
    write_text(target, text)
    return WrittenCast(target, len(strangers), new=not exists, todo=todo)


def entry(one: Character) -> tuple[str, str]:
    """A character as a row under ``characters:``, without its indentation, and what is said of him beside it."""
    aliases = [alias for alias in one.aliases if alias != one.name]
    parts = [f"aliases: [{', '.join(map(yaml_key, aliases))}]"] if aliases else []
    parts += [f"gender: {one.gender}"] if one.gender else []
    parts.append(f"voice: {yaml_key(one.voice)}" if one.voice else "voice: ''")
    count = "1 line" if one.lines == 1 else f"{one.lines} lines"
    note = f"{count}, from chapter {one.chapter}: {excerpt(one.sample)}"
    if one.shares and one.shares != one.name:
        note = f"shares the voice of {one.shares}; {note}"
    return f"{yaml_key(one.name)}: {{{', '.join(parts)}}}", plain(note)


def _new_file(casting: Casting, strangers: Sequence[Character], target: Path) -> str:
    """A cast of its own: the one in effect now, and the proposed characters."""
    cast = casting.job.cast
    rows = [
        f"# The cast of {plain(casting.desk.title(casting.manuscript))}, proposed by 'voicepress cast'. Hear a voice: voicepress voices",
        "# audition ID. Somebody who stands here under two names goes into the 'aliases' of one.",
        "schema: 1",
        "",
    ]
    if casting.job.series is None or casting.job.series.cast is None:
        rows += [f"narrator: {{voice: {yaml_key(cast.narrator.voice)}}}"]
        rows += _rest(cast)
    text = "\n".join(rows) + "\n"  # over a series' cast what differs is enough
    return with_entries(text, "characters", [entry(one) for one in strangers], target, WHAT) if strangers else text


def _rest(cast: Cast) -> list[str]:
    def voices(ids: Sequence[str]) -> str:
        return f"[{', '.join(map(yaml_key, ids))}]"

    rows = []
    if cast.defaults:
        rows.append(
            f"defaults: {{{', '.join(f'{gender}: {yaml_key(voice)}' for gender, voice in cast.defaults.items())}}}"
        )
    rows.append(
        f"unknown: {cast.unknown}  # pool, narrator or error: what becomes of a speaker who is not in this file"
    )
    groups = {"female": cast.pool.female, "male": cast.pool.male, "any": cast.pool.any}
    if cast.pool.voices:
        rows.append(f"pool: {{{', '.join(f'{name}: {voices(ids)}' for name, ids in groups.items() if ids)}}}")
    if cast.english:
        rows.append(f"english: {yaml_key(cast.english)}")
    return rows


def _own_file(casting: Casting) -> Path:
    """The cast file to write to where none is named: the nearest that is not the house's."""
    job = casting.job
    if job.own_cast:
        return job.own_cast
    own = [file for file in job.cast_files if not house(str(file))]
    return own[-1] if own else job.folder / "cast.yaml"


def _relative(path: Path, folder: Path) -> str:
    resolved = path.resolve()
    return (
        resolved.relative_to(folder.resolve()).as_posix()
        if resolved.is_relative_to(folder.resolve())
        else json.dumps(str(path))
    )
