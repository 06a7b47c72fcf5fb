"""The whole room in one call: a manuscript becomes the script on disk, with the user's edits in it, and is accounted for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from common.errors import VoicepressError
from tasks.domain import NARRATOR, Cast, Chapter, ChapterScript, LexiconEntry, Manuscript, Paragraph, Role, Run, Script
from tasks.script.coverage import Coverage, coverage
from tasks.script.judge import SpeakerJudge, consult, recalled
from tasks.script.lexicon import unheard_of
from tasks.script.lexicon_match import in_chapter, respell
from tasks.script.names import Names
from tasks.script.readings import Reader
from tasks.script.store import settled, sync
from tasks.script.write import Read, ScriptSettings, names_of, write_script

Respell = Callable[[str], str]

MAX_CHARS = 16_000_000
"""Characters of one manuscript: about a thousand hours of audio, for which the script needs some 4 GB of memory."""
MAX_CHAPTERS = 20_000


@dataclass(frozen=True, slots=True)
class Written:
    """``script`` is what the files say now, edits included. ``notes`` are sentences for the user."""

    script: Script
    coverage: Coverage
    notes: tuple[str, ...]


class Scribe:
    """Writes scripts for one book: its cast, lexicon and settings, and who is asked where a speaker is unsure (``None``:
    nobody). On purpose no dataclass: Prefect walks through those."""

    def __init__(
        self,
        cast: Cast,
        settings: ScriptSettings,
        lexicon: tuple[LexiconEntry, ...],
        judge: SpeakerJudge | None = None,
    ) -> None:
        self._cast, self._settings, self.lexicon, self._judge = cast, settings, lexicon, judge
        self._bound = tuple(entry for entry in lexicon if entry.chapters)
        self._lexis: dict[tuple[LexiconEntry, ...], tuple[Reader, Respell]] = {}

    def reader_of(self, chapter: int) -> Reader:
        """What reads in a chapter."""
        return self._lexis_of(chapter)[0]

    def respell_of(self, chapter: int) -> Respell:
        """What respells in a chapter."""
        return self._lexis_of(chapter)[1]

    def _lexis_of(self, chapter: int) -> tuple[Reader, Respell]:
        here = in_chapter(self._bound, chapter)
        if here not in self._lexis:  # most books have one set of entries for all chapters
            entries = in_chapter(self.lexicon, chapter)
            self._lexis[here] = Reader(entries), respell(entries)
        return self._lexis[here]

    def _lexis_for(self, chapter: int) -> tuple[Read, Respell]:
        reader, respelled = self._lexis_of(chapter)
        return reader.read, respelled

    def aloud(self, number: int, title: str, text: str, language: str) -> ChapterScript:
        """A chapter that is no part of the manuscript, such as credits: ``text`` as the narrator reads it, one paragraph a
        row, whatever it quotes."""
        rows = [row.strip() for row in text.splitlines() if row.strip()]
        paragraphs, at = [], 0
        for row in rows:
            paragraphs.append(Paragraph(row, (Run(0, at, len(row)),)))
            at += len(row) + 1
        chapter = Chapter(1, "", None, tuple(paragraphs))
        manuscript = Manuscript("", "txt", "utf-8", "", "\n".join(rows), (chapter,), language=language)
        settings = replace(self._settings, speakers=False, styles=False, language=language)
        script = write_script(
            manuscript, Cast(Role(NARRATOR)), settings, self.reader_of(number).read, self.respell_of(number)
        )
        return replace(script.chapters[0], number=number, title=title)

    def draft(self, manuscript: Manuscript) -> Script:
        """What ``write`` would generate now, without asking the judge anything it has not answered yet."""
        script, names = self._draft(manuscript)
        if self._judge is None:
            return script
        return recalled(script, names, self._cast, manuscript.language, self._judge)

    def _draft(self, manuscript: Manuscript) -> tuple[Script, Names]:
        settings = replace(self._settings, language=manuscript.language)
        names = names_of(manuscript, self._cast, settings)
        read = self.reader_of(0).read
        return write_script(manuscript, self._cast, settings, read, lexis=self._lexis_for, names=names), names

    def write(self, manuscript: Manuscript, folder: Path) -> Written:
        """Bring the script files in ``folder`` up to date with ``manuscript``, in its language; edits stay.

        Errors: a manuscript of more than ``MAX_CHARS`` characters or ``MAX_CHAPTERS`` chapters; anything wrong in a script
        file that the user has edited.
        """
        _require_bounds(manuscript)
        max_chars, notes = self._settings.max_chars, list(unheard_of(self.lexicon))
        draft, names = self._draft(manuscript)
        if self._judge is not None:
            # Before the files are read for the merge: what the user edits while a judge thinks must not be lost.
            draft, note = consult(
                draft, names, self._cast, manuscript.language, self._judge,
                lambda script: settled(folder, script, self.reader_of, max_chars),
            )  # fmt: skip
            notes += [note] if note else []
        synced = sync(folder, draft, self.reader_of, max_chars, self._cast.unsure_below)
        if synced.edits:
            notes.append(f"{synced.edits} {'edit' if synced.edits == 1 else 'edits'} of yours in the script kept")
        for moved in synced.moved:
            notes.append(
                f"your edit of {', '.join(moved.fields)} at '{moved.old_text[:30]}' went to '{moved.new_text[:40]}' "
                f"(chapter {moved.new_chapter}), for the text has changed a little; look whether it still fits"
            )
        for chapter, line_id, text, fields in synced.orphans:
            notes.append(
                f"your edit of {', '.join(fields)} at line {line_id} (chapter {chapter}, '{text[:30]}') has lost its "
                f"line; it is kept in {folder / 'orphans.yaml'}, to be copied to another line or deleted there"
            )
        return Written(synced.script, coverage(manuscript, synced.script), tuple(notes))


def _require_bounds(manuscript: Manuscript) -> None:
    chars, chapters = len(manuscript.source), len(manuscript.chapters)
    if chars > MAX_CHARS or chapters > MAX_CHAPTERS:
        raise VoicepressError(
            "too-big", f"this manuscript has {chars:,} characters in {chapters:,} chapters; one book may have "
            f"{MAX_CHARS:,} in {MAX_CHAPTERS:,}", file=manuscript.path,
            hint="split it into volumes, each a book of its own; they share voices, lexicon and recordings",
        )  # fmt: skip
