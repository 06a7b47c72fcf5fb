"""The lexicon, looked up backwards: which lines of a book an entry touches, and where entries contradict each other.

Contract: ``Usage.of`` goes through a script once. An entry touches a line where it decides a reading or a respelling
there; a stronger entry or the user's own edit of that line may leave it nothing to decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tasks.domain import ChapterScript, LexiconEntry, Line
from tasks.script.doubts import Place
from tasks.script.inline import annotate
from tasks.script.lexicon_match import Lexicon, Respelling
from tasks.script.readings import Reader


@dataclass(slots=True)
class Usage:
    """``places``: by entry, where it decides. ``clashes``: two entries, the winner first, and in how many places."""

    places: dict[LexiconEntry, list[Place]] = field(default_factory=dict)
    clashes: Counter[tuple[LexiconEntry, LexiconEntry]] = field(default_factory=Counter)

    @classmethod
    def of(cls, chapters: Iterable[ChapterScript], reader_of: Callable[[int], Reader]) -> Usage:
        found = cls()
        known: dict[int, tuple[Lexicon, Respelling]] = {}
        for chapter in chapters:
            reader = reader_of(chapter.number)
            if not reader.lexicon:
                continue
            if id(reader) not in known:
                known[id(reader)] = Lexicon(reader.lexicon), Respelling(reader.lexicon)
            lexicon, respelling = known[id(reader)]
            for line in chapter.lines:
                if not line.skip:
                    found._add(chapter.number, line, lexicon, respelling)
        return found

    def _add(self, chapter: int, line: Line, lexicon: Lexicon, respelling: Respelling) -> None:
        users = {one.start for one in line.readings if one.origin == "user"}
        for hit, free in lexicon.chosen(line.spoken):
            if any(place not in users for place, _ in free):
                self._place(hit.entry, Place(chapter, line.id, line.spoken, free[0][0], free[-1][0] + 1))
        for hit in respelling.hits(line.text):
            self._place(hit.entry, Place(chapter, line.id, line.text, hit.start, hit.end))
        for clash in lexicon.clashes(line.spoken):
            self.clashes[clash.winner, clash.loser] += 1

    def _place(self, entry: LexiconEntry, place: Place) -> None:
        self.places.setdefault(entry, []).append(place)

    def unused(self, entries: Sequence[LexiconEntry]) -> list[LexiconEntry]:
        """The book's own entries that decide nothing in it."""
        return [one for one in entries if one.level == "book" and one not in self.places]


def word_places(chapters: Iterable[ChapterScript], word: str) -> list[Place]:
    """Every place where ``word`` stands, in what is spoken or else in what is written."""
    found = []
    for chapter in chapters:
        for line in chapter.lines:
            if line.skip:
                continue
            text = line.spoken if word in line.spoken else line.text
            start = text.find(word)
            while start >= 0:
                found.append(Place(chapter.number, line.id, text, start, start + len(word)))
                start = text.find(word, start + len(word))
    return found


def said(chapters: Iterable[ChapterScript], phonetic: str) -> dict[tuple[int, str], object]:
    """What an engine is told to say, by chapter and line id: lines in which this differs are recorded anew.

    ``phonetic`` is the engine's (``engines.base.Limits``): how it takes readings, or that it takes none.
    """

    def told(line: Line) -> object:
        if phonetic == "pinyin":
            return line.spoken, tuple((one.start, one.phones) for one in line.readings)
        return annotate(line.spoken, line.readings) if phonetic == "inline" else line.spoken

    return {(chapter.number, line.id): told(line) for chapter in chapters for line in chapter.lines if not line.skip}
