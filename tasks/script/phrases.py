"""The phrase dictionary: our own compilation and the house's entries, found by longest match.

Contract: ``Phrases.cut(text)`` walks a text from left to right and takes, at every place, the longest known phrase.
Longest match over phrases with readings is more often right than any word segmentation put in front of it. The lengths
worth trying at a place are looked up by its first two characters, so most places cost one look-up. House phrases win
over equal ones of the compilation.

The compilation (``configs/lexicon/data/phrases.z``, sources and licences in the NOTICE beside it) is five zlib-packed
parts between NUL characters: characters with their readings (``行xing2,hang2|heng2``; behind the bar those that only
phrases know), words, their codes on the same lines, traditional characters and their simplified forms. A code is a
grade from ``GRADES`` and for every character the index of its reading, left out where all are 0.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from common.errors import VoicepressError
from common.places import CONFIGS

DATA = CONFIGS / "lexicon" / "data"

CODES = "0123456789abcdefghijklmnopqrstuvwxyz"

GRADES = "habcd"
"""How well founded a phrase is: the house's; two sources and a curated one; two sources; one; sources disagree."""

VOWELLESS = {"呣": "mu2", "嗯": "en4", "噷": "hen1", "唔": "wu2", "欸": "ei1", "誒": "ei1", "诶": "ei1", "哼": "heng1"}
"""Interjections whose dictionary reading has no vowel; engines know no such syllable."""


def is_han(char: str) -> bool:
    """Whether a character is a Han ideograph that has a reading (〇 included)."""
    return (
        "\u4e00" <= char <= "\u9fff"
        or "\u3400" <= char <= "\u4dbf"
        or char == "〇"
        or "\uf900" <= char <= "\ufaff"
        or "\U00020000" <= char <= "\U000323af"
    )


class Piece(NamedTuple):
    """``text[start:start + len(phones)]`` read as ``phones``; ``grade`` as in ``GRADES``, ``s`` for a single character."""

    start: int
    phones: tuple[str, ...]
    grade: str


class Phrases:
    """Loaded once per process, then read-only but for a cache of unpacked phrases; safe to share."""

    def __init__(self, packed: bytes, house: Mapping[str, str]) -> None:
        characters, words, codes, traditional, simplified = zlib.decompress(packed).decode("utf-8").split("\0")
        self._rows = {row[0]: row[1:] for row in characters.split("\n")}
        self._readings: dict[str, tuple[str, ...]] = {}
        self._house = {word: tuple(phones.split()) for word, phones in house.items()}
        shared: dict[str, str] = {}
        self._codes = {
            word: shared.setdefault(code, code) for word, code in zip(words.split("\n"), codes.split("\n"), strict=True)
        }
        lengths: dict[str, tuple[int, ...]] = {}
        known: dict[tuple[int, ...], tuple[int, ...]] = {}
        for word in (*self._codes, *(word for word in self._house if len(word) > 1)):
            found = lengths.get(word[:2], ())
            if len(word) not in found:
                more = tuple(sorted((*found, len(word)), reverse=True))
                lengths[word[:2]] = known.setdefault(more, more)
        self._lengths = lengths
        self._simplified = str.maketrans(traditional, simplified)
        self._unpacked: dict[str, tuple[tuple[str, ...], str]] = {
            word: (phones, "h") for word, phones in self._house.items()
        }

    def _all_readings(self, char: str) -> tuple[str, ...]:
        found = self._readings.get(char)
        if found is None:
            row = self._rows.get(char, "").replace("|", ",")
            found = self._readings[char] = tuple(one for one in row.split(",") if one)
        return found

    def readings_of(self, char: str) -> tuple[str, ...]:
        """Every reading of a character by itself; empty for a character that nobody knows."""
        return tuple(one for one in self._rows.get(char, "").split("|")[0].split(",") if one)

    def usual(self, char: str) -> str:
        """The most usual reading of a character; empty for one that nobody knows."""
        house = self._house.get(char)
        return house[0] if house else next(iter(self._all_readings(char)), "")

    def simplified(self, text: str) -> str:
        """``text`` with traditional characters simplified, every character in its place."""
        return text.translate(self._simplified)

    def of(self, word: str) -> tuple[str, ...] | None:
        """The syllables of a known phrase, else ``None``."""
        found = self.graded(word)
        return found[0] if found else None

    def graded(self, word: str) -> tuple[tuple[str, ...], str] | None:
        """The syllables and the grade of a known phrase, else ``None``."""
        found = self._unpacked.get(word)
        if found is None and word in self._codes:
            code = self._codes[word]
            places = code[1:] or "0" * len(word)
            phones = tuple(self._all_readings(char)[CODES.index(one)] for char, one in zip(word, places, strict=True))
            found = self._unpacked[word] = (phones, code[0])
        return found

    def cut(self, text: str) -> Iterator[Piece]:
        """The Han characters of a text, phrase by phrase; other characters are passed over."""
        lengths, codes, unpacked = self._lengths, self._codes, self._unpacked
        place, end = 0, len(text)
        while place < end:
            for length in lengths.get(text[place : place + 2], ()):
                word = text[place : place + length]
                if word in unpacked or word in codes:
                    phones, grade = self.graded(word) or ((), "")
                    yield Piece(place, phones, grade)
                    place += length
                    break
            else:
                if is_han(text[place]) and (usual := self.usual(text[place])):
                    yield Piece(place, (usual,), "s")
                place += 1


_lock = threading.Lock()
_shared: Phrases | None = None


def shared() -> Phrases:
    """The one dictionary of this process, loaded when first asked for."""
    global _shared
    if _shared is None:
        with _lock:
            if _shared is None:
                _shared = Phrases((DATA / "phrases.z").read_bytes(), _house_entries())
    return _shared


def _house_entries() -> dict[str, str]:
    from tasks.script.lexicon import load_lexicon

    path = CONFIGS / "lexicon" / "house.yaml"
    entries = {entry.word: entry.phones for entry in load_lexicon(path) if entry.phones}
    if foreign := [word for word in entries if not all(map(is_han, word))]:
        raise VoicepressError("bad-lexicon", f"the house lexicon takes Han words only, not '{foreign[0]}'", file=path)
    return entries
