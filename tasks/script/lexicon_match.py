"""Where the entries of a lexicon hold in a text, and which of them wins.

Contract: pure functions of entries and text. Of entries that touch the same place the one of the stronger level wins
(book, series, house); within a level the longer match, then the one that looks at its surroundings, then a plain word
before a bare pattern, then what stands further left in the text and higher up in the file. A weaker level still speaks
for the characters that a stronger one left open. ``clashes`` tells where only the order in the file decided.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from tasks.domain import LexiconEntry, Reading
from tasks.script.lexicon_regex import compiled, found_in, looks_around
from tasks.script.phrases import is_han

_WORDLIKE = re.compile(r"[A-Za-z0-9]")
_SIGHT = 200
"""How many characters before a match its ``before`` can see; a line is shorter."""

_RANK = {"book": 0, "series": 1, "house": 2}


class Hit(NamedTuple):
    """``entry`` holds for ``text[start:end]``. ``targets``: the characters that get its reading, with their syllables
    (every character of a word in Latin letters, with no syllable)."""

    start: int
    end: int
    entry: LexiconEntry
    order: int
    targets: tuple[tuple[int, str], ...]
    match: re.Match[str] | None = None

    @property
    def rank(self) -> tuple[int, int, int]:
        """Smaller wins: level, length, whether it knows its surroundings."""
        one = self.entry
        knows = bool(one.before or one.after or (one.pattern and looks_around(one.pattern)))
        return _RANK[one.level], self.start - self.end, 0 if knows else 2 if one.pattern else 1


class Clash(NamedTuple):
    """Two entries of one file say different things of ``place``; ``winner`` stands first."""

    place: int
    winner: LexiconEntry
    loser: LexiconEntry


class _Compiled(NamedTuple):
    entry: LexiconEntry
    order: int
    pattern: re.Pattern[str] | None
    before: re.Pattern[str] | None
    after: re.Pattern[str] | None

    @classmethod
    def of(cls, entry: LexiconEntry, order: int) -> _Compiled:
        return cls(
            entry, order, compiled(entry.pattern) if entry.pattern else None,
            compiled(f"(?:{entry.before})\\Z", may_be_empty=True) if entry.before else None,
            compiled(entry.after, may_be_empty=True) if entry.after else None,
        )  # fmt: skip

    def fits(self, text: str, start: int, end: int) -> bool:
        """Whether what surrounds ``text[start:end]`` is as the entry wants it."""
        if self.before is not None and not self.before.search(text, max(0, start - _SIGHT), start):
            return False
        return self.after is None or self.after.match(text, end) is not None


class _Finder:
    """Every place where entries hold. ``word_of`` gives the plain word that an entry is looked for by."""

    def __init__(self, entries: Iterable[tuple[int, LexiconEntry]], word_of: Callable[[LexiconEntry], str]) -> None:
        self._words: dict[str, list[_Compiled]] = {}
        self._patterns: list[_Compiled] = []
        lengths: dict[str, set[int]] = {}
        for order, entry in entries:
            one = _Compiled.of(entry, order)
            if one.pattern is not None:
                self._patterns.append(one)
                continue
            word = word_of(entry)
            self._words.setdefault(word, []).append(one)
            lengths.setdefault(word[0], set()).add(len(word))
        self._lengths = {first: tuple(found) for first, found in lengths.items()}

    def spans(self, text: str) -> Iterator[tuple[_Compiled, int, int, re.Match[str] | None]]:
        for start, char in enumerate(text):
            for length in self._lengths.get(char, ()):
                end = start + length
                for one in self._words.get(text[start:end], ()) if end <= len(text) else ():
                    if whole(text, start, end) and one.fits(text, start, end):
                        yield one, start, end, None
        for one in self._patterns:
            assert one.pattern is not None
            for match in found_in(one.pattern, text):
                if match.end() > match.start() and one.fits(text, *match.span()):
                    yield one, *match.span(), match


class Lexicon:
    """The reading entries of a lexicon, ready to be looked for. Immutable; safe to share between threads."""

    def __init__(self, entries: Sequence[LexiconEntry]) -> None:
        given = [(order, entry) for order, entry in enumerate(entries) if entry.phones]
        self._finder = _Finder(given, lambda entry: entry.spoken or entry.word) if given else None

    def hits(self, spoken: str) -> list[Hit]:
        """Every place where an entry holds, the winners first."""
        if self._finder is None:
            return []
        found = []
        for one, start, end, match in self._finder.spans(spoken):
            targets = _targets(one.entry, spoken, start, end, match)
            if targets:
                found.append(Hit(start, end, one.entry, one.order, targets, match))
        return sorted(found, key=_winners_first)

    def chosen(self, spoken: str) -> list[tuple[Hit, tuple[tuple[int, str], ...]]]:
        """The hits that decide something, each with those of its targets that no stronger one has."""
        taken: dict[int, str] = {}
        decided = []
        for hit in self.hits(spoken):
            free = tuple(one for one in hit.targets if one[0] not in taken)
            held = [taken[place] for place, _ in hit.targets if place in taken]
            if not free or hit.entry.level in held or (held and not hit.targets[0][1]):
                continue
            taken.update((place, hit.entry.level) for place, _ in free)
            decided.append((hit, free))
        return decided

    def forced(self, spoken: str) -> tuple[dict[int, str], list[Reading]]:
        """Syllables by the place of their Han character, and readings of words in Latin letters."""
        places: dict[int, str] = {}
        words: list[Reading] = []
        for hit, free in self.chosen(spoken):
            if free[0][1]:
                places.update(free)
            else:
                words.append(Reading(free[0][0], free[-1][0] + 1, hit.entry.phones, "lexicon", True))
        return places, words

    def clashes(self, spoken: str) -> list[Clash]:
        """Where two entries of one level, equal in all but their order, read a place differently."""
        won: dict[int, tuple[Hit, str]] = {}
        found = []
        for hit in self.hits(spoken):
            for place, phones in hit.targets:
                if place not in won:
                    won[place] = hit, phones
                    continue
                winner, theirs = won[place]
                if (
                    winner.entry is not hit.entry
                    and winner.rank == hit.rank
                    and _reads(theirs, winner) != _reads(phones, hit)
                ):
                    found.append(Clash(place, winner.entry, hit.entry))
                    break
        return found


def _reads(syllable: str, hit: Hit) -> str:
    return syllable or hit.entry.phones


def _winners_first(hit: Hit) -> tuple[tuple[int, int, int], int, int]:
    return hit.rank, hit.start, hit.order


def _targets(
    entry: LexiconEntry, text: str, start: int, end: int, match: re.Match[str] | None
) -> tuple[tuple[int, str], ...]:
    """Which characters of a match get which syllable; nothing where the reading does not fit what was matched."""
    spans = [(start, end)]
    if match is not None and match.re.groups:
        spans = [match.span(group) for group in range(1, match.re.groups + 1) if match.start(group) >= 0]
    places = [place for first, last in spans for place in range(first, last)]
    phones = entry.phones.split()
    if phones[0][0].isupper():
        if len(spans) != 1 or any(is_han(text[place]) for place in places):
            return ()
        return tuple((place, "") for place in places)
    han = [place for place in places if is_han(text[place])]
    return tuple(zip(han, phones, strict=True)) if len(han) == len(phones) else ()


class Respelling:
    """Replaces every word that has a ``spoken`` form; call it with a text.

    Words in Latin letters or digits are matched whole (``GPU`` is not found in ``GPUs``) and with their case. The
    replacement is not searched again. Where a stronger entry gives the word a reading, it is not respelled.
    """

    def __init__(self, entries: Iterable[LexiconEntry]) -> None:
        known = list(enumerate(entries))
        any_spoken = any(entry.spoken for _, entry in known)
        self._finder = _Finder(known, lambda entry: entry.word) if any_spoken else None

    def __call__(self, text: str) -> str:
        parts, done = [], 0
        for hit in self.hits(text):
            said = hit.match.expand(hit.entry.spoken) if hit.match is not None else hit.entry.spoken
            parts += [text[done : hit.start], said]
            done = hit.end
        return "".join(parts) + text[done:]

    def hits(self, text: str) -> list[Hit]:
        """What is replaced, from left to right."""
        if self._finder is None:
            return []
        found = [
            Hit(start, end, one.entry, one.order, (), match) for one, start, end, match in self._finder.spans(text)
        ]
        taken: set[int] = set()
        chosen = []
        for hit in sorted(found, key=_winners_first):
            places = range(hit.start, hit.end)
            if taken.isdisjoint(places):
                taken.update(places)
                chosen.append(hit)
        return sorted((hit for hit in chosen if hit.entry.spoken), key=lambda hit: hit.start)


def respell(entries: Iterable[LexiconEntry]) -> Respelling:
    """The respelling of some entries, ready to be called with a text."""
    return Respelling(entries)


def in_chapter(entries: Sequence[LexiconEntry], chapter: int) -> tuple[LexiconEntry, ...]:
    """The entries that hold in a chapter; chapter 0 has only those that hold everywhere."""
    return tuple(
        entry
        for entry in entries
        if not entry.chapters
        or any(first <= chapter and (last is None or chapter <= last) for first, last in entry.chapters)
    )


def whole(text: str, start: int, end: int) -> bool:
    """Whether a word in Latin letters or digits stands for itself, not inside a longer one."""
    opens = start > 0 and _WORDLIKE.match(text[start]) and _WORDLIKE.match(text[start - 1])
    closes = end < len(text) and _WORDLIKE.match(text[end - 1]) and _WORDLIKE.match(text[end])
    return not opens and not closes
