"""The book as the review page sees it: every line with its take, its verdict and what speaks against it.

Contract: what is chosen and what is flagged is decided by ``Session``, the same that ``make`` uses, so that the page never
shows another book than the next run makes. Nothing is recorded here and nothing is written but the script, as ``plan``
does; while another process makes the book, not even that: the script is then the one of its last sync. Safe to share by
threads.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from common.errors import VoicepressError
from engines.base import Engine
from flows import approvals
from flows.approvals import Approvals
from flows.config import Book, load_book
from flows.desk import Desk
from flows.review.rank import READING_SURE, Doubtful, Reason, State, reasons_of, suspicion
from flows.session import Session, Slot, Try, load_verdicts, tries_of
from tasks.domain import ChapterScript, Line, Manuscript, Script, Verdict
from tasks.read.manuscript import read_manuscript
from tasks.script.doubts import sureness
from tasks.script.parse import MOST_TAKE
from tasks.script.store import load as load_script
from tasks.speak.casting import is_unsure

Place = tuple[int, str]
"""Number of a chapter and id of a line."""

_BATCH = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """A line on the board. ``key`` is the take to play, empty where there is none; ``number`` is that take's."""

    line: Line
    chapter: int
    order: int
    state: State
    reasons: tuple[Reason, ...] = ()
    suspicion: float = 0.0
    key: str = ""
    number: int = 0
    seconds: float = 0.0
    verdict: Verdict | None = None
    voice: str = ""
    style: str = ""

    @property
    def place(self) -> Place:
        return self.chapter, self.line.id


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list shows; an empty field asks for nothing. ``order`` is ``suspicion`` or ``book``."""

    chapter: int | None = None
    speaker: str = ""
    reason: str = ""
    state: str = ""
    text: str = ""
    order: str = "suspicion"


class Board:
    """One book. ``refresh`` reads everything anew."""

    def __init__(self, path: Path, engine: str = "", *, watch: bool = False) -> None:
        """``watch``: look for doubtful readings beside all else."""
        self._path, self._engine_name, self._watch = path, engine, watch
        self.mutex = threading.RLock()
        self.job: Book
        self.desk: Desk
        self.session: Session
        self._entries: dict[Place, Entry] = {}
        self._doubts: dict[tuple[int, str], tuple[Doubtful, ...]] = {}
        self.heard: dict[str, str] = {}
        """What the ear wrote down of takes on demand, by key."""
        self._lists: dict[Wanted, list[Place]] = {}
        self.looked_at = 0
        """How many lines were searched for doubtful readings."""
        self.generation = 0
        """Counts the changes of any line, so that a page knows when its list is old."""
        self.refresh()

    # ------------------------------------------------------------ reading

    @contextmanager
    def held(self) -> Iterator[None]:
        """Alone on the board and in the book's folder. Errors: ``book-busy`` while another process makes the book."""
        with self.mutex, self.desk.workspace.held(waiting=_refuse):
            yield

    def refresh(self, *, holding: bool = False) -> None:
        """Look at the book's files as they are now. ``holding``: the caller holds the book already."""
        with self.mutex:
            job = load_book(self._path, engine=self._engine_name)
            desk = Desk.open(job)
            if hasattr(self, "desk") and self.desk.engine.fingerprint() == desk.engine.fingerprint():
                desk.engine = self.desk.engine  # it may be loaded
            desk.workspace.claim(job.path)
            self._stamp = _stamp(desk)
            if holding:
                manuscript, script = self._written(desk)
            else:
                try:
                    with desk.workspace.held(waiting=_refuse):
                        manuscript, script = self._written(desk)
                        self._stamp = _stamp(desk)
                except VoicepressError as error:
                    found = load_script(desk.workspace.script) if error.code == "book-busy" else None
                    if found is None:
                        raise
                    manuscript = read_manuscript(
                        job.manuscript, language=job.language, title=job.info.title, encoding=job.encoding,
                        convert=job.convert,
                    )  # fmt: skip
                    script = found
                    desk.require_speakable(script)
            if holding:
                self._stamp = _stamp(desk)
            chapters = desk.with_credits(manuscript)
            self.job, self.desk = job, desk
            self.title = desk.title(manuscript)
            self.own_chapters = frozenset(chapter.number for chapter in script.chapters)
            self.approvals: Approvals = approvals.load(desk.workspace.folder)
            self.verdicts: dict[str, Verdict] = load_verdicts(desk.workspace, desk.check_rules())
            self._titles = {chapter.number: chapter.title for chapter in chapters}
            slots = {
                (slot.chapter, slot.line.id): slot
                for slots in self._session(chapters).chapters.values()
                for slot in slots
            }
            self._doubts, self.looked_at = {}, 0
            self._entries = {
                (chapter.number, line.id): self._entry(
                    line, chapter.number, order, slots.get((chapter.number, line.id))
                )
                for chapter in chapters
                for order, line in enumerate(chapter.lines)
            }
            self._places = list(self._entries)
            self._where = {place: at for at, place in enumerate(self._places)}
            self._lists.clear()
            self._changed()
        if self._watch:
            threading.Thread(target=self.look_for_doubts, name="review-readings", daemon=True).start()

    def _written(self, desk: Desk) -> tuple[Manuscript, Script]:
        manuscript, written = desk.write_script()
        desk.require_speakable(written.script)
        return manuscript, written.script

    def is_stale(self) -> bool:
        """Whether files of the book have changed since they were read."""
        with self.mutex:
            return _stamp(self.desk) != self._stamp

    def mark_read(self) -> None:
        """What has changed in the files is known: we wrote it."""
        self._stamp = _stamp(self.desk)

    def session_of_nothing(self) -> Session:
        """A session that holds the verdicts and no line."""
        return self._session(())

    def _session(self, chapters: Sequence[ChapterScript]) -> Session:
        desk = self.desk
        return Session(
            chapters,
            engine=desk.engine,
            store=desk.store,
            utterance_of=desk.utterance_of,
            retakes=self.job.retakes,
            batch=1,
            check=self.job.check != "off",
            verdicts=self.verdicts,
            approvals={key: one.take for key, one in self.approvals.items()},
        )

    def _entry(self, line: Line, chapter: int, order: int, slot: Slot | None) -> Entry:
        if slot is None:
            return Entry(line, chapter, order, "skipped", suspicion=suspicion("skipped", None, ()))
        desk = self.desk
        key, number = slot.chosen or slot.key, slot.utterance.take
        against = slot.flagged
        if not slot.chosen and slot.tried:  # make would try once more; until then the best there is
            key, judged = max(slot.tried, key=lambda tried: tried[1].score)
            against = judged.reasons or ("not sure",)
        for tried, taken in zip((one for one, _ in slot.tried), slot.takes, strict=True):
            number = taken if tried == key else number
        take = desk.store.get(key)
        verdict = self.verdicts.get(key)
        state: State
        if take is None:
            state, key = "waiting", ""
        elif key in self.approvals:
            state, against = "approved", ()
        elif slot.chosen or slot.tried:
            state = "flagged" if against else "passed"
        else:
            state = "unchecked"
        style = slot.utterance.style
        reasons = reasons_of(
            line, against, is_unsure(line, self.job.cast), style if line.style else "", desk.engine.honours(style),
            self._doubts.get((chapter, line.spoken), ()),
        )  # fmt: skip
        return Entry(
            line, chapter, order, state, reasons, suspicion(state, verdict, reasons), key, number,
            take.samples / take.sample_rate if take else 0.0, verdict, slot.voice_id, style,
        )  # fmt: skip

    def update(self, chapter: int, line: Line) -> Entry:
        """The line has changed, or its takes, verdicts or approval have: decide anew what becomes of it."""
        with self.mutex:
            old = self._entries[chapter, line.id]
            session = self._session([ChapterScript(chapter, "", (line,))])
            slots = session.chapters[chapter]
            entry = self._entry(line, chapter, old.order, slots[0] if slots else None)
            self._entries[entry.place] = entry
            self._changed()
            return entry

    def _changed(self) -> None:
        self.generation += 1

    # ------------------------------------------------------------ readings in doubt

    def doubts_of(self, entry: Entry) -> list[tuple[Doubtful, tuple[tuple[str, float], ...]]]:
        """The doubtful readings of a line with what else they may be; what the user settled is not in doubt."""
        if entry.line.language != "zh" and entry.line.spoken.isascii():
            return []
        settled = {one.start: one for one in entry.line.readings if one.origin in ("user", "lexicon")}
        found = []
        for one in self.desk.scribe.reader_of(entry.chapter).candidates(entry.line.spoken):
            sure, phones = (1.0, settled[one.place].phones) if one.place in settled else (sureness(one), one.phones)
            if len(one.candidates) > 1:
                found.append((Doubtful(one.place, one.char, phones, round(sure, 3)), one.candidates))
        return found

    def look_for_doubts(self) -> None:
        """Go through all lines once and take in which of their readings are doubtful; about a millisecond a line. Ends
        early when the book is read anew."""
        with self.mutex:
            desk, entries = self.desk, self.entries()
        found: list[Entry] = []
        for at, entry in enumerate(entries):
            if self.desk is not desk:
                return
            open_ones = tuple(one for one, _ in self.doubts_of(entry) if one.sure < READING_SURE)
            if open_ones:
                self._doubts[entry.chapter, entry.line.spoken] = open_ones
                found.append(entry)
            if len(found) >= _BATCH or at == len(entries) - 1:
                with self.mutex:
                    for one in found:
                        if self.desk is desk and self._entries.get(one.place) is one:
                            self.update(one.chapter, one.line)
                found = []
                self.looked_at = at + 1

    # ------------------------------------------------------------ asking

    def entry(self, place: Place) -> Entry:
        """A line. Errors: ``no-such-line``."""
        found = self.find(place)
        if found is None:
            raise VoicepressError(
                "no-such-line", f"there is no line {place[1]} in chapter {place[0]}", hint="reload the page"
            )
        return found

    def find(self, place: Place) -> Entry | None:
        with self.mutex:
            return self._entries.get(place)

    def chapters(self) -> list[tuple[int, str]]:
        return list(self._titles.items())

    def entries(self) -> list[Entry]:
        """All lines in the order of the book."""
        with self.mutex:
            return [self._entries[place] for place in self._places]

    def listed(self, wanted: Wanted, *, fresh: bool = False) -> list[Place]:
        """The places of all lines that a list shows, in its order. A list stays as it is until it is asked for ``fresh``:
        what a person approves must not move under their hands, nor push what follows out of the next page."""
        with self.mutex:
            if fresh or wanted not in self._lists:
                if len(self._lists) > 32:
                    self._lists.clear()
                found = [entry for entry in self.entries() if _fits(entry, wanted)]
                if wanted.order == "suspicion":
                    found.sort(key=lambda entry: -entry.suspicion)
                self._lists[wanted] = [entry.place for entry in found]
            return self._lists[wanted]

    def beside(self, place: Place, step: int) -> Entry | None:
        """The next line that is said (``step`` 1) or the one before (-1), across chapters."""
        with self.mutex:
            at = self._where[place] + step
            while 0 <= at < len(self._places):
                found = self._entries[self._places[at]]
                if found.state != "skipped":
                    return found
                at += step
        return None

    def key_of(self, entry: Entry, number: int) -> str:
        """The key of take ``number`` of a line, recorded or not."""
        utterance, _ = self.desk.utterance_of(entry.line, entry.chapter, number)
        return self.desk.store.key_for(utterance, self.desk.engine)

    def tries(self, entry: Entry) -> tuple[Try, ...]:
        """Every recording of a line as it stands now."""
        if entry.state == "skipped":
            return ()
        desk = self.desk
        return tries_of(
            entry.line, entry.chapter, engine=desk.engine, store=desk.store, utterance_of=desk.utterance_of,
            verdicts=self.verdicts, most=MOST_TAKE + 1,
        )  # fmt: skip

    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """How many lines there are by ``state``, ``speaker`` and ``reason``."""
        states: dict[str, int] = {}
        speakers: dict[str, int] = {}
        reasons: dict[str, int] = {}
        for entry in self.entries():
            states[entry.state] = states.get(entry.state, 0) + 1
            speakers[entry.line.speaker] = speakers.get(entry.line.speaker, 0) + 1
            for code in {reason.code for reason in entry.reasons}:
                reasons[code] = reasons.get(code, 0) + 1
        return {"states": states, "speakers": speakers, "reasons": reasons}

    @property
    def max_chars(self) -> int:
        """How many characters a spoken text may have."""
        return min(self.job.max_chars, self.desk.engine.limits.max_chars)

    @property
    def engine(self) -> Engine:
        return self.desk.engine


def _fits(entry: Entry, wanted: Wanted) -> bool:
    if wanted.chapter is not None and entry.chapter != wanted.chapter:
        return False
    if wanted.speaker and entry.line.speaker != wanted.speaker:
        return False
    if wanted.state and entry.state != wanted.state:
        return False
    if wanted.reason and all(reason.code != wanted.reason for reason in entry.reasons):
        return False
    text = wanted.text.casefold()
    return not text or text in entry.line.text.casefold() or text in entry.line.spoken.casefold()


def _refuse(_: str) -> None:
    raise VoicepressError(
        "book-busy", "the book is being made by another process: you can listen and approve, and change lines when it is done",
        hint="wait until it is done, or end it; nothing was changed",
    )  # fmt: skip


def _stamp(desk: Desk) -> tuple[tuple[str, int, int], ...]:
    """Name, time and size of the files that others may change."""
    workspace, job = desk.workspace, desk.job
    ours = (*sorted(workspace.script.glob("*.yaml")), workspace.checks, workspace.folder / approvals.NAME)
    found = []
    for path in (*ours, job.path, job.manuscript, *job.cast_files, *job.lexicons):
        try:
            stat = path.stat()
        except OSError:
            continue
        found.append((str(path), stat.st_mtime_ns, stat.st_size))
    return tuple(found)
