"""What of a book's readings is worth asking about, gathered so that one answer serves every place that is alike.

Contract: ``gather`` looks at the lines that will be spoken and gives three lists, the most frequent first: readings that
are not sure, by the word they stand in; names, whose readings no dictionary of words can know; words in Latin letters
that a dictionary lacks. What the user has said already, in a lexicon or in the script, is not asked again.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from tasks.domain import ChapterScript, Line
from tasks.script import surnames
from tasks.script.phrases import is_han
from tasks.script.readings import Doubt, Reader

UNSURE_BELOW = 0.9
"""A reading is asked about where fewer than nine in ten like it are right: above that, a person who checks them all
finds too little to go on reading the list."""
NAME_SURE = 0.98
"""A name is said often, and wrong every time if it is wrong: it is listed unless its every character is this sure."""
EXAMPLES = 3

_LATIN = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ]+(?:['’][A-Za-zÀ-ÖØ-öø-ÿ]+)*")


@dataclass(frozen=True, slots=True)
class Place:
    """``spoken[start:end]`` of a line."""

    chapter: int
    line: str
    spoken: str
    start: int
    end: int


@dataclass(slots=True)
class Question:
    """Something to ask: ``word`` as it is read in ``times`` places of ``lines`` lines.

    ``at`` is the place of the doubtful character in the word, ``None`` where the whole word is asked for. ``phones`` is
    the reading chosen (of the character, or of the whole word), ``whole`` that of the whole word, empty where its other
    characters are not always read alike. ``candidates`` are readings with their probabilities; ``confidence`` is the mean
    over the places. ``why`` says in a few words what decided.
    """

    word: str
    at: int | None
    phones: str
    whole: str
    why: str
    candidates: tuple[tuple[str, float], ...] = ()
    confidence: float = 0.0
    times: int = 0
    lines: int = 0
    examples: list[Place] = field(default_factory=list)
    _last: tuple[int, str] | None = None

    def seen(self, place: Place, whole: str, confidence: float) -> None:
        """Count one more place; places come in the order of the book."""
        self.confidence = (self.confidence * self.times + confidence) / (self.times + 1)
        self.times += 1
        if self.whole != whole:
            self.whole = ""
        if self._last != (place.chapter, place.line):
            self.lines += 1
            self._last = place.chapter, place.line
            if len(self.examples) < EXAMPLES:
                self.examples.append(place)


@dataclass(frozen=True, slots=True)
class Doubts:
    """What to ask of a book. ``chars`` counts the Han characters looked at."""

    unsure: tuple[Question, ...]
    names: tuple[Question, ...]
    foreign: tuple[Question, ...]
    chars: int


Certainty = Callable[[str], str]
"""How a word in Latin letters comes to its sound: ``known``, or a few words that say why that is not sure."""


def gather(
    chapters: Iterable[ChapterScript],
    reader_of: Callable[[int], Reader],
    certainty: Certainty,
    names: Collection[str] = (),
    unsure_below: float = UNSURE_BELOW,
    name_sure: float = NAME_SURE,
    tones: bool = False,
) -> Doubts:
    """The doubts of a script. ``names`` are those of the cast: where one of their characters is less sure than
    ``name_sure`` they are listed as names, wherever they stand. ``tones``: ask also where only a neutral tone is in doubt."""
    sure_of = _confidence if tones else sureness
    unsure: dict[tuple[str, int, str], Question] = {}
    named: dict[tuple[str, str], Question] = {}
    foreign: dict[str, Question] = {}
    own = _any_of(names)
    chars = 0
    for chapter in chapters:
        reader = reader_of(chapter.number)
        for line in chapter.lines:
            if line.skip:
                continue
            chars += sum(map(is_han, line.spoken))
            _foreign(chapter.number, line, certainty, foreign)
            doubts = {one.place: one for one in reader.candidates(line.spoken)}
            if doubts:
                _han(chapter.number, line, doubts, own, (unsure_below, name_sure), sure_of, unsure, named)
    return Doubts(_by_times(unsure.values()), _by_times(named.values()), _by_times(foreign.values()), chars)


def _by_times(questions: Iterable[Question]) -> tuple[Question, ...]:
    return tuple(sorted(questions, key=lambda one: (-one.times, one.confidence)))


def _any_of(names: Collection[str]) -> re.Pattern[str] | None:
    """The names that hold more than one Han character, the longest first."""
    wanted = sorted((name for name in names if sum(map(is_han, name)) > 1), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, wanted))) if wanted else None


def _han(
    chapter: int,
    line: Line,
    doubts: dict[int, Doubt],
    own: re.Pattern[str] | None,
    limits: tuple[float, float],
    sure_of: Callable[[Doubt], float],
    unsure: dict[tuple[str, int, str], Question],
    named: dict[tuple[str, str], Question],
) -> None:
    text = line.spoken
    unsure_below, name_sure = limits
    phones = {one.start: one.phones for one in line.readings}
    settled = {one.start for one in line.readings if one.origin in ("lexicon", "user")}
    spans: dict[tuple[int, int], str] = {found.span(): "in the cast" for found in own.finditer(text)} if own else {}
    for one in doubts.values():
        if one.name is not None and not any(low <= one.place < high for low, high in spans):
            low, high = one.name if one.name[1] - one.name[0] > 1 else _with_next_word(text, one.place)
            spans[low, high] = "surname" if surnames.READINGS.get(one.char) == one.phones else "name"
    for (low, high), why in sorted(spans.items()):
        open_ones = [doubts[place] for place in range(low, high) if place in doubts and place not in settled]
        if all(sure_of(one) >= name_sure and why != "surname" for one in open_ones):
            continue
        key = text[low:high], _read(text, low, high, phones)
        question = named.setdefault(key, Question(key[0], None, key[1], key[1], why))
        question.candidates = question.candidates or _ways(key[1].split(), open_ones, low)
        question.seen(Place(chapter, line.id, text, low, high), key[1], min(one.confidence for one in open_ones))
    for place, one in doubts.items():
        if place in settled or sure_of(one) >= unsure_below or any(low <= place < high for low, high in spans):
            continue
        low, high = word_at(text, place)
        asked = text[low:high], place - low, one.phones
        whole = _read(text, low, high, phones)
        question = unsure.setdefault(asked, Question(asked[0], asked[1], one.phones, whole, one.origin))
        question.candidates = question.candidates or one.candidates
        question.seen(Place(chapter, line.id, text, place, place + 1), whole, one.confidence)


def sureness(one: Doubt) -> float:
    """How sure a reading is, where a neutral tone and the full one count as the same: hardly anybody hears 眼睛 with jing1
    as a fault, and half of what is in doubt at all is that. The tones of 一 and 不 follow from what comes after them."""
    told = sum(
        share for phones, share in one.candidates
        if phones != one.phones
        and phones[:-1] == one.phones[:-1]
        and ("5" in (phones[-1], one.phones[-1]) or one.char in "一不")
    )  # fmt: skip
    return one.confidence + told


def _confidence(one: Doubt) -> float:
    return one.confidence


def _read(text: str, low: int, high: int, phones: dict[int, str]) -> str:
    return " ".join(phones[place] for place in range(low, high) if is_han(text[place]) and place in phones)


def _ways(chosen: list[str], open_ones: list[Doubt], low: int) -> tuple[tuple[str, float], ...]:
    """Readings of a whole name: as chosen, and with each doubtful character read in its next likely way."""
    found = [(" ".join(chosen), min(one.confidence for one in open_ones))]
    for one in open_ones:
        for phones, probability in one.candidates[:3]:
            at = one.place - low
            if phones != one.phones and at < len(chosen):
                found.append((" ".join([*chosen[:at], phones, *chosen[at + 1 :]]), probability))
    return tuple(found)


def _foreign(chapter: int, line: Line, certainty: Certainty, foreign: dict[str, Question]) -> None:
    settled = [(one.start, one.end) for one in line.readings if one.phones[:1].isupper()]
    for found in _LATIN.finditer(line.spoken):
        word = found.group()
        if any(low < found.end() and found.start() < high for low, high in settled):
            continue
        why = certainty(word)
        if why != "known":
            question = foreign.setdefault(word, Question(word, None, "", "", why))
            question.seen(Place(chapter, line.id, line.spoken, *found.span()), "", 0.0)


def word_at(text: str, place: int) -> tuple[int, int]:
    """The word that a character is asked about in: by the dictionary of words, else with the character that follows, or
    the one before. A single character alone would be too much to answer for."""
    low, high = next((low, high) for low, high in _words(text) if low <= place < high)
    if high - low > 1:
        return low, high
    if high < len(text) and is_han(text[high]):
        return low, high + 1
    return (low - 1, high) if low and is_han(text[low - 1]) else (low, high)


def _with_next_word(text: str, place: int) -> tuple[int, int]:
    """The word of a surname that stands for itself, with what follows: its title, mostly."""
    low, high = next((low, high) for low, high in _words(text) if low <= place < high)
    if high - low > 1:
        return low, high
    after = next((span for span in _words(text) if span[0] == high), None)
    return (low, after[1]) if after and is_han(text[high]) else word_at(text, place)


_lock = threading.Lock()


@lru_cache(maxsize=64)
def _words(text: str) -> tuple[tuple[int, int], ...]:
    with _lock:  # jieba loads its dictionary when first asked, and says so on stderr unless told not to
        import logging

        import jieba

        jieba.setLogLevel(logging.ERROR)
        return tuple((start, end) for _, start, end in jieba.tokenize(text, HMM=False))
