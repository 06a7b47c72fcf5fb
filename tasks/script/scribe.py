"""The whole room in one call: a manuscript becomes the script on disk, with the user's edits in it, and is accounted for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tasks.domain import Cast, LexiconEntry, Manuscript, Script
from tasks.script.coverage import Coverage, coverage
from tasks.script.lexicon import respell
from tasks.script.readings import Reader
from tasks.script.store import sync
from tasks.script.write import ScriptSettings, write_script


@dataclass(frozen=True, slots=True)
class Written:
    """``script`` is what the files say now, edits included. ``notes`` are sentences for the user."""

    script: Script
    coverage: Coverage
    notes: tuple[str, ...]


class Scribe:
    """Writes scripts for one book: its cast, lexicon and settings. On purpose no dataclass: Prefect walks through those."""

    def __init__(self, cast: Cast, settings: ScriptSettings, lexicon: tuple[LexiconEntry, ...]) -> None:
        self._cast, self._settings, self._lexicon = cast, settings, lexicon
        self._reader = Reader(lexicon)

    def write(self, manuscript: Manuscript, folder: Path) -> Written:
        """Bring the script files in ``folder`` up to date with ``manuscript``; edits stay."""
        draft = write_script(manuscript, self._cast, self._settings, self._reader.read, respell(self._lexicon))
        synced = sync(folder, draft, self._reader)
        notes = []
        if synced.edits:
            notes.append(f"{synced.edits} of your edits to the script are kept")
        for orphan in synced.orphans:
            notes.append(
                f"your edit of {', '.join(orphan.fields)} at line {orphan.line_id} (chapter {orphan.chapter}, "
                f"'{orphan.text[:30]}') has lost its line; it is kept in {folder / 'orphans.yaml'}"
            )
        return Written(synced.script, coverage(manuscript, synced.script), tuple(notes))
