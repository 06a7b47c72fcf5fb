"""Characters that were heard in another reading than was asked for: worth an entry in the lexicon.

Contract: ``heard_otherwise`` is pure: what was to be said with its readings, against what an ear wrote down. A character
counts where it may be read in several ways in this sentence, the ear wrote another character in its place whose sound is one
of the others, and what stands beside it was heard right. Tones say nothing: no ear of this kind writes them down. Particles
do not count, which an ear writes as it likes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from tasks.domain import Reading
from tasks.script import phrases
from tasks.script.doubts import word_at
from tasks.script.readings import Doubt, Reader

PARTICLES = frozenset("的地得了着过吗呢吧啊么")
LEAST_SHARE = 0.0025
"""How likely a reading has to be in its sentence, so that rare ones (道行) are not proposed for every slip of the ear."""
MOST_IN_A_ROW = 2
"""A longer stretch that was heard otherwise is no reading but another text."""


@dataclass(frozen=True, slots=True)
class HeardOtherwise:
    """``word[at]`` was to be read ``reading`` (with its tone) and was heard as the syllable ``heard`` (without)."""

    word: str
    at: int
    reading: str
    heard: str

    @property
    def char(self) -> str:
        return self.word[self.at]


def heard_otherwise(spoken: str, readings: Sequence[Reading], heard: str) -> list[HeardOtherwise]:
    """See the module; ``readings`` are the line's, ``heard`` is what the ear wrote down, in either kind of characters."""
    wanted = [(one.start, _toneless(one.phones), one.phones) for one in readings if one.phones[:1].islower()]
    if not wanted or not any(map(phrases.is_han, heard)):
        return []
    book = phrases.shared()
    text = book.simplified(heard)
    if not _lost(book, book.simplified(spoken), text):
        return []
    # The usual readings will do here: an ear writes whatever character is usual for a sound.
    given = [(char, _toneless(book.usual(char))) for char in text if phrases.is_han(char)]
    may: dict[int, dict[str, float]] = {}
    matcher = SequenceMatcher(None, [one[1] for one in wanted], [one[1] for one in given], autojunk=False)
    found = []
    blocks = matcher.get_opcodes()
    for place, (kind, low, high, start, end) in enumerate(blocks):
        beside = [blocks[near][0] for near in (place - 1, place + 1) if 0 <= near < len(blocks)]
        if kind != "replace" or high - low != end - start or high - low > MOST_IN_A_ROW or "equal" not in beside:
            continue
        for (at, asked, phones), (char, syllable) in zip(wanted[low:high], given[start:end], strict=True):
            others = {_toneless(one) for one in book.readings_of(spoken[at])} - {asked}
            if syllable not in others or char == book.simplified(spoken[at]) or spoken[at] in PARTICLES:
                continue
            may = may or {one.place: _shares(one) for one in Reader().candidates(spoken)}
            if may.get(at, {}).get(syllable, 0.0) >= LEAST_SHARE:
                first, last = word_at(spoken, at)
                found.append(HeardOtherwise(spoken[first:last], at - first, phones, syllable))
    return found


def _lost(book: phrases.Phrases, spoken: str, heard: str) -> bool:
    """Whether a character of several sounds is missing: a quick look that spares most lines the long one."""
    return any(
        char not in PARTICLES
        and spoken.count(char) > heard.count(char)
        and len({_toneless(one) for one in book.readings_of(char)}) > 1
        for char in set(spoken)
    )


def _shares(doubt: Doubt) -> dict[str, float]:
    """How likely each syllable is, whatever its tone."""
    shares: dict[str, float] = {}
    for phones, share in doubt.candidates:
        shares[_toneless(phones)] = shares.get(_toneless(phones), 0.0) + share
    return shares


def _toneless(phones: str) -> str:
    return phones.rstrip("12345")
