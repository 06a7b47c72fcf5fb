"""``voicepress readings``: how a book will be read, before anything is recorded, and answers to what is not sure.

Contract: ``survey`` writes the book's script, as ``plan`` does, and gathers what is worth asking. ``set_readings`` writes
answers into the book's own lexicon, whole or not at all, and tells how many lines they change: those whose takes the next
``make`` records. Nothing is recorded here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import VoicepressError, plain
from engines.kokoro.en import certainty
from flows.config import Book, load_book
from flows.console import say
from flows.desk import Desk
from flows.lexicons import writable_lexicon, write_answers
from flows.make import shown
from tasks.domain import LexiconEntry, Script
from tasks.publish.receipt import ReadingProposal, read_receipt
from tasks.script.doubts import Doubts, Place, gather
from tasks.script.inline import tokens
from tasks.script.lexicon import entry
from tasks.script.lexicon_use import Usage, said, word_places
from tasks.script.phrases import is_han


@dataclass(frozen=True, slots=True)
class Survey:
    """What there is to ask of a book. ``remarks`` are sentences on its lexicons, ``heard`` what the check of its last run
    heard in another reading than was asked."""

    title: str
    script: Path
    doubts: Doubts
    remarks: tuple[str, ...]
    heard: tuple[ReadingProposal, ...] = ()


@dataclass(frozen=True, slots=True)
class Touched:
    """The places that a word or an entry of a lexicon touches; ``entries`` are those by that name."""

    word: str
    entries: tuple[LexiconEntry, ...]
    places: tuple[Place, ...]


class Readings:
    """One book, looked at for its readings. Holds the book's folder only while it writes the script."""

    def __init__(self, book: Path) -> None:
        self._path = book
        self.job: Book
        self.desk: Desk
        self.script: Script
        self.notes: tuple[str, ...] = ()
        self.refresh()

    def refresh(self) -> None:
        """Write the script as the files of the book now want it."""
        job = load_book(self._path)
        desk = Desk.open(job)
        desk.workspace.claim(job.path)
        with desk.workspace.held(waiting=say):
            manuscript, written = desk.write_script()
        self.job, self.desk, self.script, self.notes = job, desk, written.script, written.notes
        self.title = desk.title(manuscript)

    def doubts(self, tones: bool = False) -> Doubts:
        cast = self.job.cast
        names = [name for role in cast.characters for name in (role.name, *role.aliases)]
        return gather(self.script.chapters, self.desk.scribe.reader_of, certainty, names, tones=tones)

    def heard(self) -> tuple[ReadingProposal, ...]:
        """What was heard otherwise when the book was made last, and is still read so without anybody having said so."""
        path = self.desk.workspace.receipt
        if not path.is_file():
            return ()
        try:
            proposals = read_receipt(path).readings.proposals
        except VoicepressError:  # of another version, or damaged: the next make writes it anew
            return ()
        lines = {(chapter.number, line.id): line for chapter in self.script.chapters for line in chapter.lines}

        def stands(one: ReadingProposal) -> bool:
            line = lines.get((one.chapter, one.line_id))
            return line is not None and any(
                reading.phones == one.reading
                and line.spoken[reading.start] == one.char
                and reading.origin not in ("lexicon", "user")
                for reading in line.readings
            )

        return tuple(filter(stands, proposals))

    def usage(self) -> Usage:
        return Usage.of(self.script.chapters, self.desk.scribe.reader_of)

    def said(self) -> dict[tuple[int, str], object]:
        return said(self.script.chapters, self.desk.engine.limits.phonetic)

    def lexicon_path(self) -> Path:
        """The book's own lexicon, where answers are written; it need not be there yet."""
        return writable_lexicon(self.job)

    def write(self, answers: Sequence[tuple[str, dict[str, str]]]) -> Path:
        """Write answers into the book's lexicon and name it in book.yaml; the lexicon. Every file whole or not at all."""
        with self.desk.workspace.held(waiting=say):  # two who answer at once must not lose each other's answers
            self.job = write_answers(self.job, answers)
        return self.lexicon_path()


def survey(book: Path, tones: bool = False) -> Survey:
    """What there is to ask of a book; with ``tones`` also where only a neutral tone is in doubt."""
    found = Readings(book)
    return Survey(
        found.title, found.desk.workspace.script, found.doubts(tones), (*found.notes, *remarks(found)), found.heard()
    )


def remarks(found: Readings) -> list[str]:
    """What is odd about the lexicons in this book."""
    usage, rows = found.usage(), []
    for (winner, loser), count in usage.clashes.most_common(10):
        rows.append(
            f"{_at(winner)} '{winner.word}' and {_at(loser)} '{loser.word}' read the same characters differently "
            f"{_count(count, 'time')}: the first one counts"
        )
    if found.desk.engine.limits.phonetic == "inline":
        for one in found.desk.scribe.lexicon:
            if mute := [phones for phones in one.phones.split() if one.phones[0].islower() and not tokens(phones)]:
                rows.append(
                    f"{_at(one)} '{one.word}': the engine has no signs for {', '.join(mute)}, and reads that by itself"
                )
    unused = usage.unused(found.desk.scribe.lexicon)
    rows += [f"{_at(one)} '{one.word}' touches no line" for one in unused[:10]]
    if len(unused) > 10:
        rows.append(f"{len(unused) - 10} more entries of the book's lexicon touch no line")
    return rows


def _at(one: LexiconEntry) -> str:
    """``lexicon.yaml:12``"""
    return Path(one.source).name


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def lines_of(book: Path, word: str) -> Touched:
    """Every line that an entry of the lexicons touches, or, where none is called ``word``, every line that holds it."""
    found = Readings(book)
    entries = tuple(one for one in found.desk.scribe.lexicon if one.word == word)
    if not entries:
        return Touched(word, (), tuple(word_places(found.script.chapters, word)))
    places = found.usage().places
    own = {place for one in entries for place in places.get(one, ())}
    return Touched(word, entries, tuple(sorted(own, key=lambda one: (one.chapter, one.line, one.start))))


def set_readings(book: Path, given: Sequence[str]) -> str:
    """Write answers such as ``重庆=chong2 qing4`` into the book's lexicon; sentences on what that changes."""
    answers = [answer_of(one) for one in given]
    _refuse_contradictions(answers)
    found = Readings(book)
    before = found.said()
    path = found.write(answers)
    found.refresh()
    after = found.said()
    changed = sum(before.get(key) != value for key, value in after.items())
    entries = "1 entry" if len(answers) == 1 else f"{len(answers)} entries"
    return f"{entries} written to {shown(path)}; {changed_lines(found, changed)}"


def _refuse_contradictions(answers: Sequence[tuple[str, dict[str, str]]]) -> None:
    said: dict[str, dict[str, str]] = {}
    for word, value in answers:
        if said.setdefault(word, value) != value:
            raise VoicepressError(
                "bad-answer", f"'{plain(word, 80)}' is answered twice, differently", key="--set", hint="give one answer"
            )


def changed_lines(found: Readings, changed: int) -> str:
    """What follows from so many changed lines."""
    if not changed:
        reason = ""
        if found.desk.engine.limits.phonetic == "none":
            reason = f": the engine '{found.desk.engine.name}' takes no readings, only respellings"
        return f"no line changes{reason}"
    what = (
        "1 line changes: the next make records that one"
        if changed == 1
        else f"{changed} lines change: the next make records those"
    )
    return f"{what} and no other again"


def answer_of(given: str) -> tuple[str, dict[str, str]]:
    """``WORD=READING`` as an entry of a lexicon: a reading, or, where it is none, a respelling."""
    word, equals, value = given.rpartition("=")  # a pattern may hold the sign, a reading does not
    word, value = word.strip(), value.strip()
    if not equals or not word or not value:
        raise VoicepressError(
            "bad-answer", f"'{plain(given, 80)}' is no word with its reading", key="--set",
            hint="write for example --set '重庆=chong2 qing4', --set 'Anna=AE1 N AH0' or --set 'GPU=显卡'",
        )  # fmt: skip
    kind = "spoken" if is_respelling(word, value) else "phones"
    pattern = word[1:-1] if len(word) > 2 and word[0] == word[-1] == "/" else ""
    try:
        entry(word, value if kind == "phones" else "", value if kind == "spoken" else "", pattern=pattern)
    except VoicepressError as error:
        raise VoicepressError(error.code, error.what, key="--set", hint=error.hint) from error
    return word, {kind: value}


def is_respelling(word: str, value: str) -> bool:
    """Whether an answer is other words to say, not phones: it holds Han characters, or it stands for a word in Latin
    letters and looks like neither pinyin for a pattern nor ARPAbet (capitals and stress digits)."""
    if any(map(is_han, value)):
        return True
    if any(map(is_han, word)):
        return False
    return not (value.isupper() or any(char.isdigit() for char in value))


def command(book: Path, *, limit: int | None, word: str, answers: Sequence[str], ask: bool, as_json: bool) -> str:
    """What the command prints; one of its ways at a time."""
    from flows import readings_ask, readings_page

    if answers:
        return set_readings(book, answers)
    if ask:
        return readings_ask.ask(book)
    if word:
        touched = lines_of(book, word)
        return readings_page.touched_json(touched) if as_json else readings_page.render_touched(touched, limit)
    found = survey(book, tones=limit is None)
    return readings_page.to_json(found) if as_json else readings_page.render(found, limit)
