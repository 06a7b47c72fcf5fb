"""What is doubtful in a book's script: speakers nobody knows or is sure of, styles and voices the engine has not, edits
that wait. Part of ``lint``.

Contract: ``look`` adds problems and changes nothing. What happens on many lines is one problem with the count and the
first place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from common.errors import VoicepressError
from engines.base import Engine
from flows.config import Book
from flows.problems import Problems
from tasks.domain import Line
from tasks.script import orphans
from tasks.script.parse import Page
from tasks.script.speakable import has_sound
from tasks.script.store import Synced, path_of
from tasks.script.style import mood_of
from tasks.speak.casting import Aids, voice_id_for
from tasks.speak.uncast import uncast, unsure
from tasks.speak.voices import VoiceLibrary

_FILES_NAMED = 5


@dataclass(frozen=True, slots=True)
class Scripts:
    """The files of ``folder`` as they stand (by chapter), and what the next sync makes of them."""

    folder: Path
    pages: dict[int, Page]
    synced: Synced

    def lines(self) -> Iterator[tuple[int, Line]]:
        return (
            (chapter.number, one) for chapter in self.synced.script.chapters for one in chapter.lines if not one.skip
        )

    def place(self, chapter: int, line: Line, key: str) -> tuple[Path, int | None]:
        """File and row of a line's key, or of the line where the key is not written."""
        page = self.pages.get(chapter)
        item = next((one for one in page.items if one.id == line.id), None) if page else None
        row = None if item is None else item.at.get(key) or item.at.get("text") or item.at.get("")
        return path_of(self.folder, chapter), row


def look(job: Book, speaker: Engine | None, library: VoiceLibrary, scripts: Scripts, found: Problems) -> None:
    _edits(scripts, found)
    _speakers(job, scripts, found)
    _voices(speaker, library, scripts, found)
    _styles(job, speaker, scripts, found)
    for chapter, line in scripts.lines():
        if not has_sound(line.spoken):
            file, row = scripts.place(chapter, line, "spoken")
            found.error(VoicepressError(
                "unspeakable", f"nothing in '{line.spoken[:40]}' has a sound", file=file, line=row, key="spoken",
                hint="write words, or skip: true",
            ))  # fmt: skip


def _edits(scripts: Scripts, found: Problems) -> None:
    synced = scripts.synced
    stale = [number for number in synced.written if number in scripts.pages]
    stale += [number for number in scripts.pages if number not in {one.number for one in synced.script.chapters}]
    if stale:
        names = ", ".join(f"{number:03d}" for number in stale[:_FILES_NAMED])
        more = f" and {len(stale) - _FILES_NAMED} more" if len(stale) > _FILES_NAMED else ""
        found.warn(
            "script-stale", f"chapter files {names}{more} are not up to date with manuscript, cast, lexicon and rules",
            scripts.folder, hint="'voicepress plan' writes them anew and keeps your edits",
        )  # fmt: skip
    for one in synced.moved:
        found.warn(
            "edit-moved", f"your edit of {', '.join(one.fields)} at '{one.old_text[:30]}' will go to '{one.new_text[:40]}'",
            path_of(scripts.folder, one.new_chapter), hint="look whether it still fits",
        )  # fmt: skip
    if synced.orphans:
        found.warn(
            "orphans-waiting", f"{len(synced.orphans)} of your edits have lost their line, the first at "
            f"'{synced.orphans[0].text[:30]}' (chapter {synced.orphans[0].chapter})",
            scripts.folder / orphans.NAME, hint="copy them to the lines they belong to now, or delete them there",
        )  # fmt: skip


def _speakers(job: Book, scripts: Scripts, found: Problems) -> None:
    script, cast = scripts.synced.script, job.cast
    for row in uncast(script, cast):
        file, at = scripts.place(row.chapter, row.line, "speaker")
        what = f"'{row.speaker}' is not in the cast ({row.lines} lines)"
        hint = f"did you mean '{row.near}'? Else add the name" if row.near else "add the name, or an alias, to the cast"
        if cast.unknown == "error":
            found.error(VoicepressError("unknown-speaker", what, file=file, line=at, key="speaker", hint=hint))
        else:
            found.warn("unknown-speaker", what, file, at, hint, "speaker")
    doubtful = unsure(script, cast)
    if doubtful:
        file, at = scripts.place(doubtful[0].chapter, doubtful[0].line, "speaker")
        what = f"the speaker of {len(doubtful)} lines is only guessed; this is the first"
        hint = "'voicepress cast BOOK --unsure' lists them; write the right names where '# unsure' stands"
        if cast.unsure == "error":
            found.error(VoicepressError("unsure-speaker", what, file=file, line=at, key="speaker", hint=hint))
        else:
            found.warn("unsure-speaker", what, file, at, hint, "speaker")


def _voices(speaker: Engine | None, library: VoiceLibrary, scripts: Scripts, found: Problems) -> None:
    seen: set[str] = set()
    for chapter, line in scripts.lines():
        if not line.voice or line.voice in seen:
            continue
        seen.add(line.voice)
        file, row = scripts.place(chapter, line, "voice")
        try:
            voice = library.get(line.voice)
        except VoicepressError as error:
            found.error(VoicepressError(error.code, error.what, file=file, line=row, key="voice", hint=error.hint))
            continue
        if speaker is not None and (why_not := speaker.accepts(voice)):
            found.error(VoicepressError(
                "voice-unusable", f"the engine '{speaker.name}' cannot use the voice '{line.voice}': {why_not}", file=file,
                line=row, key="voice", hint="choose another voice ('voicepress voices' lists them)",
            ))  # fmt: skip


def _styles(job: Book, speaker: Engine | None, scripts: Scripts, found: Problems) -> None:
    """Styles that lines have of their own and the engine leaves out; the cast's are told at the cast."""
    if speaker is None:
        return
    aids = Aids(mood_of=partial(mood_of, path=job.style_table))
    first: dict[str, tuple[int, Line]] = {}
    lines: dict[str, int] = {}
    for chapter, line in scripts.lines():
        if not line.style:
            continue
        try:
            style = voice_id_for(line, chapter, job.cast, aids).style
        except VoicepressError:  # told already: nobody speaks for him
            style = line.style
        if style == line.style and speaker.honours(style) == "none":
            first.setdefault(style, (chapter, line))
            lines[style] = lines.get(style, 0) + 1
    for style, (chapter, line) in first.items():
        file, row = scripts.place(chapter, line, "style")
        found.warn(
            "style-left-out", f"the engine '{speaker.name}' leaves out the style '{style}' ({lines[style]} lines)", file, row,
            "say it in other words (louder, sad, slow …), or choose another engine", "style",
        )  # fmt: skip
