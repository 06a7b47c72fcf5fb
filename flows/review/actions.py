"""What a person may do on the review page.

Contract: every edit is in its file before it counts (the script, the book's lexicon, ``approvals.json``), whole or not at
all, and is refused while another process makes the book; only approving and listening are always possible. An edit that
cannot be said (no such voice, too long, a broken reading) changes nothing. Recording comes after: if it fails, the edit
stands and the next ``make`` records the line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from common.errors import VoicepressError
from common.files import digest
from flows import approvals
from flows.approvals import Approval
from flows.lexicons import write_answers
from flows.readings import answer_of
from flows.review.board import Board, Entry, Place
from flows.review.listening import Listening
from flows.review.recorder import Recorder, Work
from flows.session import Try, load_verdicts, save_verdicts
from tasks.domain import Line, Reading
from tasks.script.format import FIELDS, Value
from tasks.script.inline import annotate
from tasks.script.lexicon import entry as lexicon_entry
from tasks.script.parse import MOST_TAKE
from tasks.script.touch import AGAIN, Changes, fields_of, touch
from tasks.speak.recipes import next_take
from tasks.speak.record import Job, record_batch


class Actions:
    """The board and the engine's thread, together."""

    def __init__(self, board: Board, recorder: Recorder) -> None:
        self.board, self.recorder = board, recorder
        self.ear = Listening()

    # ------------------------------------------------------------ edits

    def edit(self, place: Place, changes: Mapping[str, Value], seen: str) -> Work | None:
        """Change keys of a line in the script, then record it if it is not there in this form. ``seen`` is the revision
        (``revision_of``) of the line that the person saw."""
        if unknown := sorted(set(changes) - set(FIELDS)):
            raise VoicepressError("bad-request", f"a line has no '{unknown[0]}' that could be changed")
        with self.board.held():
            if seen != revision_of(self.board.entry(place).line):
                raise VoicepressError("script-changed", "this line was changed in the meantime", hint=AGAIN)
            self._touch(place, changes)
            return self._record_missing(self.board.entry(place))

    def choose(self, place: Place, number: int | None) -> None:
        """Use take ``number`` of a line whatever the check says; ``None`` leaves it to the check."""
        with self.board.held():
            entry = self.board.entry(place)
            if number is not None and all(one.take != number for one in self.board.tries(entry)):
                raise VoicepressError("no-such-take", f"the line has no take {number}", hint="reload the page")
            self._touch(place, {"take": number})

    def reading(self, place: Place, word: str, phones: str, everywhere: bool) -> tuple[Work | None, int]:
        """Have ``word`` read as ``phones``: in this line by the script, or ``everywhere`` by the book's lexicon; the
        recording of this line, and how many other lines changed with it."""
        with self.board.held():
            entry = self.board.entry(place)
            if not everywhere:
                self._own_chapter(entry)
                if word not in entry.line.spoken:
                    raise VoicepressError("bad-answer", f"'{word}' does not stand in this line", key="word")
                given = lexicon_entry(word, phones).phones.split()
                self._touch(place, lambda line: {"reading": _reread(line, word, given)})
                return self._record_missing(self.board.entry(place)), 0
            before = {one.place: (one.line.spoken, one.line.readings) for one in self.board.entries()}
            write_answers(self.board.job, [answer_of(f"{word}={phones}")])
            self.board.refresh(holding=True)
            changed = sum(
                before.get(one.place) != (one.line.spoken, one.line.readings)
                for one in self.board.entries()
                if one.place != place
            )
            here = self.board.find(place)  # a respelling may have split the line in another way
            return (self._record_missing(here) if here else None), changed

    def _touch(self, place: Place, changes: Changes) -> None:
        board = self.board
        entry = board.entry(place)
        self._own_chapter(entry)
        fresh = not board.is_stale()
        change = touch(
            board.desk.workspace.script, entry.chapter, entry.line.id, changes,
            board.desk.scribe.reader_of(entry.chapter), board.max_chars, fields_of(entry.line),
        )  # fmt: skip
        if change.line.voice and change.line.voice != entry.line.voice:
            board.desk.require_voice(change.line.voice)
        if not change.line.skip:
            board.desk.utterance_of(change.line, entry.chapter, 0)
        change.write()
        if fresh:
            board.mark_read()
        board.update(entry.chapter, change.line)

    def _own_chapter(self, entry: Entry) -> None:
        if entry.chapter not in self.board.own_chapters:
            raise VoicepressError(
                "not-in-script", "credits stand in no script file", hint="change them under 'credits:' in book.yaml"
            )

    # ------------------------------------------------------------ approving

    def approve(self, place: Place, number: int, good: bool) -> None:
        """Approve take ``number`` of a line, or take that back. Possible while the book is being made."""
        board = self.board
        with board.mutex:
            entry = board.entry(place)
            tries = board.tries(entry)
            mine = next((one for one in tries if one.take == number), None)
            if mine is None:
                raise VoicepressError("no-such-take", f"the line has no take {number}", hint="reload the page")
            folder = board.desk.workspace.folder
            if good and entry.line.take not in (None, number):
                self.choose(place, number)
            fresh = not board.is_stale()
            if good:
                approval = Approval(number, entry.chapter, entry.line.id, entry.line.text)
                others = [one.key for one in tries if one.take != number]
                board.approvals = approvals.approve(folder, mine.key, approval, others)
            else:
                board.approvals = approvals.withdraw(folder, [mine.key])
            if fresh:
                board.mark_read()
            board.update(entry.chapter, board.entry(place).line)

    # ------------------------------------------------------------ recording

    def again(self, place: Place) -> Work:
        """Record one more take of a line, by the recipe that fits what was wrong with the last."""
        with self.board.held():
            entry = self.board.entry(place)
            return self._record(entry, self._next_number(entry, self.board.tries(entry)))

    def _next_number(self, entry: Entry, tries: Sequence[Try]) -> int:
        board, numbers, keys = self.board, [one.take for one in tries], {one.key for one in tries}
        last = tries[-1].verdict if tries else None
        fitting: int | None = (
            next_take(board.engine.limits, entry.line.spoken, last.reasons if last else (), numbers) if tries else 0
        )
        numbered: list[int] = [*range(MOST_TAKE + 1)] if fitting is None else [fitting, *range(MOST_TAKE + 1)]
        for number in numbered:
            if number not in numbers and board.key_of(entry, number) not in keys:
                return number
        raise VoicepressError(
            "too-many-takes",
            "there is no other way left to record this line",
            hint="choose one of its takes, or edit it",
        )

    def listen(self, place: Place, number: int) -> Work:
        """Have the ear write down what it hears in take ``number``."""
        board = self.board
        entry = board.entry(place)
        mine = next((one for one in board.tries(entry) if one.take == number), None)
        if mine is None:
            raise VoicepressError("no-such-take", f"the line has no take {number}", hint="reload the page")

        def run(work: Work, _: Recorder) -> None:
            work.stage, work.take = "listening", number
            told = self.ear.hears(board.desk, mine.key, entry.line)
            with board.mutex:
                board.heard[mine.key] = told

        return self.recorder.submit(*place, run)

    def _record_missing(self, entry: Entry) -> Work | None:
        return self._record(entry, entry.number) if entry.state == "waiting" else None

    def _record(self, entry: Entry, number: int) -> Work:
        board = self.board
        utterance, _ = board.desk.utterance_of(entry.line, entry.chapter, number)

        def run(work: Work, recorder: Recorder) -> None:
            work.stage = "loading the engine"
            recorder.own(board.engine)
            work.stage = "recording"
            (made,) = record_batch(board.engine, board.desk.store, [Job(entry.line.id, entry.chapter, utterance)])
            if made.error is not None:
                raise VoicepressError(made.error.code, made.error.message, hint="change the line, or skip it")
            work.stage = "checking"
            verdict = (
                self.ear.judges(board, board.desk.asked(made.key, entry.line, utterance))
                if board.job.check != "off"
                else None
            )
            work.take = number
            with board.mutex:
                if verdict is not None:
                    board.verdicts[made.key] = verdict
                    self._keep_verdicts()
                board.update(entry.chapter, board.entry(entry.place).line)

        return self.recorder.submit(entry.chapter, entry.line.id, run)

    def _keep_verdicts(self) -> None:
        """Write the verdicts, beside those that others wrote; not while the book is being made: then ``make`` does."""
        board = self.board
        workspace, rules = board.desk.workspace, board.desk.check_rules()
        try:
            with board.held():
                fresh = not board.is_stale()
                board.verdicts = {**load_verdicts(workspace, rules), **board.verdicts}
                session = board.session_of_nothing()
                session.changed_verdicts = True
                save_verdicts(workspace, rules, session)
                if fresh:
                    board.mark_read()
        except VoicepressError as error:
            if error.code != "book-busy":
                raise


def revision_of(line: Line) -> str:
    """A short hash of what the script says of a line."""
    return digest(fields_of(line), 12)


def _reread(line: Line, word: str, given: Sequence[str]) -> str:
    """The line's ``reading`` with ``word`` read as ``given``: syllables, one a Han character, or a word's phones."""
    spoken = line.spoken
    readings = {one.start: one for one in line.readings}
    at = spoken.find(word)
    while at >= 0:
        if given[0][:1].isupper():
            readings[at] = Reading(at, at + len(word), " ".join(given), "user", True)
        else:
            places = [place for place in range(at, at + len(word)) if place in readings]
            for place, phones in zip(places, given, strict=True):
                readings[place] = replace(readings[place], phones=phones, annotate=True)
        at = spoken.find(word, at + len(word))
    written = annotate(spoken, [readings[place] for place in sorted(readings)])
    return "" if written == spoken else written
