"""The phrase dictionary: pypinyin's phrases and the house's own, found by longest match.

Contract: ``Phrases.cut(text)`` walks a text from left to right and takes, at every place, the longest known phrase.
pypinyin's data are used without its segmenters: longest match over its own phrases is more often right than any word
segmentation put in front of it, and one dictionary look-up a character is several times faster. House phrases win
over equally long ones of the package.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from common.errors import VoicepressError
from common.places import CONFIGS
from tasks.script.pinyin import to_digits

# Interjections whose dictionary reading has no vowel; engines know no such syllable.
_VOWELLESS = {"呣": "mu2", "嗯": "en4", "噷": "hen1", "唔": "wu2", "欸": "ei1", "誒": "ei1", "诶": "ei1", "哼": "heng1"}


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
    """``text[start:start + len(phones)]`` read as ``phones``; ``house`` marks an entry of our own lexicon."""

    start: int
    phones: tuple[str, ...]
    house: bool


class Matcher:
    """Longest match of a set of words at a place of a text."""

    def __init__(self, words: Iterable[str]) -> None:
        lengths: dict[str, set[int]] = {}
        self._words = frozenset(words)
        for word in self._words:
            lengths.setdefault(word[0], set()).add(len(word))
        self._lengths = {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}

    def at(self, text: str, place: int) -> str:
        """The longest word that starts at ``place``, or an empty string."""
        for length in self._lengths.get(text[place], ()):
            word = text[place : place + length]
            if word in self._words:
                return word
        return ""


class Phrases:
    """Loaded once per process (0.3 s), then read-only but for a cache of converted phrases; safe to share."""

    def __init__(self, house: Mapping[str, str]) -> None:
        from pypinyin.phrases_dict import phrases_dict
        from pypinyin.pinyin_dict import pinyin_dict

        self._package: Mapping[str, list[list[str]]] = phrases_dict
        self._house = {word: tuple(phones.split()) for word, phones in house.items()}
        self._singles: Mapping[int, str] = pinyin_dict
        self._matcher = Matcher([word for word in phrases_dict if len(word) > 1] + list(self._house))
        self._converted: dict[str, tuple[str, ...]] = {}
        self._readings: dict[str, tuple[str, ...]] = {}

    def readings_of(self, char: str) -> tuple[str, ...]:
        """Every reading of a character that the package knows; empty for a character that it does not know."""
        found = self._readings.get(char)
        if found is None:
            marked = self._singles.get(ord(char)) or self._singles.get(ord(unicodedata.normalize("NFC", char)), "")
            digits = [to_digits(one) for one in marked.split(",")] if marked else []
            found = tuple(dict.fromkeys(one for one in digits if one))
            if char in _VOWELLESS:
                found = (_VOWELLESS[char],)
            self._readings[char] = found
        return found

    def usual(self, char: str) -> str:
        """The most usual reading of a character; empty for one that nobody knows."""
        house = self._house.get(char)
        return house[0] if house else next(iter(self.readings_of(char)), "")

    def of(self, word: str) -> tuple[str, ...] | None:
        """The syllables of a known phrase, else ``None``."""
        if word in self._house:
            return self._house[word]
        found = self._converted.get(word)
        if found is None and word in self._package:
            digits = []
            for char, marked in zip(word, self._package[word], strict=True):
                digits.append(_VOWELLESS.get(char) or to_digits(marked[0]) or self.readings_of(char)[0])
            found = self._converted[word] = tuple(digits)
        return found

    def cut(self, text: str) -> Iterator[Piece]:
        """The Han characters of a text, phrase by phrase; other characters are passed over."""
        at, place, end = self._matcher.at, 0, len(text)
        while place < end:
            word = at(text, place)
            if len(word) > 1 or word in self._house:
                phones = self.of(word)
                if phones is not None:
                    yield Piece(place, phones, word in self._house)
                    place += len(word)
                    continue
            if is_han(text[place]):
                yield Piece(place, self.readings_of(text[place])[:1], False)
            place += 1


_lock = threading.Lock()
_shared: Phrases | None = None


def shared() -> Phrases:
    """The one dictionary of this process, loaded when first asked for."""
    global _shared
    if _shared is None:
        with _lock:
            if _shared is None:
                _shared = Phrases(_house_entries())
    return _shared


def _house_entries() -> dict[str, str]:
    from tasks.script.lexicon import load_lexicon

    path = CONFIGS / "lexicon" / "house.yaml"
    entries = {entry.word: entry.phones for entry in load_lexicon(path) if entry.phones}
    if foreign := [word for word in entries if not all(map(is_han, word))]:
        raise VoicepressError("bad-lexicon", f"the house lexicon takes Han words only, not '{foreign[0]}'", file=path)
    return entries
