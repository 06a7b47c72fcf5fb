"""The user's lexicon: how words are read (pinyin, ARPAbet) or respelled.

Contract: ``load_lexicon`` reads a YAML file into ``LexiconEntry`` values, each checked: one pinyin syllable for every
Han character, tone marks or digits; ARPAbet vowels with a stress digit for words in Latin letters. Errors name file
and line. ``respell`` gives the function that puts respelled words in their place before normalization.

    schema: 1
    entries:
      重庆: chong2 qing4
      Anna: AE1 N AH0
      GPU: {spoken: 鸡批优}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pydantic import Field, ValidationError, field_validator, model_validator

from common.errors import VoicepressError
from common.yamlio import Strict, explain, line_of, load_with_lines
from tasks.domain import SCHEMA, LexiconEntry
from tasks.script.phrases import is_han
from tasks.script.pinyin import to_digits

_VOWEL_NAMES = "AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW"
_CONSONANT_NAMES = "B CH D DH F G HH JH K L M N NG P R S SH T TH V W Y Z ZH"
_VOWELS = frozenset(_VOWEL_NAMES.split())
_CONSONANTS = frozenset(_CONSONANT_NAMES.split())
ARPABET = _CONSONANTS | {vowel + stress for vowel in _VOWELS for stress in ("", "0", "1", "2")}
"""Every ARPAbet phone, vowels with and without stress digit."""

_WORDLIKE = "A-Za-z0-9"


class Respelling(Strict):
    """An entry's long form: ``spoken`` replaces the word, ``phones`` says how it is read."""

    spoken: str = ""
    phones: str = ""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: object) -> object:
        return {"phones": value} if isinstance(value, str) else value


class LexiconFile(Strict):
    """A lexicon file as it stands in YAML."""

    schema_: int = Field(default=SCHEMA, alias="schema")
    entries: dict[str, Respelling] = Field(default_factory=dict)

    @field_validator("schema_")
    @classmethod
    def _known_schema(cls, value: int) -> int:
        if value != SCHEMA:
            raise ValueError(f"this version reads schema {SCHEMA} only")
        return value


def load_lexicon(path: Path) -> tuple[LexiconEntry, ...]:
    """The entries of a lexicon file, in order. Raises ``VoicepressError`` (file, line, key) for anything amiss."""
    what = "the lexicon"
    value, node = load_with_lines(path, what)
    if value is None:
        return ()
    try:
        model = LexiconFile.model_validate(value)
    except ValidationError as error:
        raise explain(error, path, node, LexiconFile, what) from error
    entries = []
    for word, one in model.entries.items():
        try:
            entries.append(entry(word, one.phones, one.spoken))
        except VoicepressError as error:
            line = line_of(node, ("entries", word))
            raise VoicepressError(error.code, error.what, file=path, line=line, key=word, hint=error.hint) from error
    return tuple(entries)


def entry(word: str, phones: str = "", spoken: str = "") -> LexiconEntry:
    """A checked entry, its pinyin in house notation. Raises ``VoicepressError`` ``bad-lexicon``."""
    if not word.strip() or word != word.strip():
        raise VoicepressError(
            "bad-lexicon", f"the word {word!r} is empty or has spaces around it", hint="write the word alone"
        )
    if not phones.strip() and not spoken.strip():
        raise VoicepressError("bad-lexicon", f"'{word}' has neither a reading nor a respelling", hint=_EXAMPLE)
    target = spoken or word
    if not phones.strip():
        return LexiconEntry(word, "", spoken)
    han = [char for char in target if is_han(char)]
    given = phones.split()
    if not han:
        return LexiconEntry(word, " ".join(arpabet(given, target)), spoken)
    if len(han) != len([char for char in target if char.isalnum()]):
        raise VoicepressError(
            "bad-lexicon", f"'{target}' mixes Han characters with others; only one kind can be given a reading", hint="give the Han part alone, or respell the word"
        )  # fmt: skip
    if len(given) != len(han):
        raise VoicepressError(
            "bad-lexicon", f"'{target}' has {len(han)} characters but {len(given)} syllables ({phones})", hint="give one syllable for each character"
        )  # fmt: skip
    digits = []
    for syllable in given:
        good = to_digits(syllable)
        if good is None:
            raise VoicepressError(
                "bad-lexicon", f"'{syllable}' in the reading of '{word}' is no pinyin syllable", hint=_EXAMPLE
            )
        digits.append(good)
    return LexiconEntry(word, " ".join(digits), spoken)


_EXAMPLE = "write for example 重庆: chong2 qing4, Anna: AE1 N AH0 or GPU: {spoken: 鸡批优}"


def arpabet(phones: Sequence[str], word: str) -> list[str]:
    """Checked ARPAbet: vowels carry a stress digit 0-2, consonants none. Raises ``VoicepressError`` ``bad-lexicon``."""
    good = []
    for phone in phones:
        upper = phone.upper()
        if upper not in _CONSONANTS and not (upper[:-1] in _VOWELS and upper[-1] in "012"):
            problem = "has no stress digit 0-2" if upper in _VOWELS else "is no ARPAbet phone"
            raise VoicepressError("bad-lexicon", f"'{phone}' in the reading of '{word}' {problem}", hint=_EXAMPLE)
        good.append(upper)
    return good


def respell(entries: Iterable[LexiconEntry]) -> Callable[[str], str]:
    """A function that replaces every word that has a ``spoken`` form, the longest first.

    Words in Latin letters or digits are matched whole (``GPU`` is not found in ``GPUs``) and with their case. The
    replacement is not searched again.
    """
    table = {one.word: one.spoken for one in entries if one.spoken}
    if not table:
        return lambda text: text
    pattern = re.compile("|".join(_whole(word) for word in sorted(table, key=len, reverse=True)))
    return lambda text: pattern.sub(lambda found: table[found.group()], text)


def _whole(word: str) -> str:
    before = rf"(?<![{_WORDLIKE}])" if re.match(rf"[{_WORDLIKE}]", word) else ""
    after = rf"(?![{_WORDLIKE}])" if re.search(rf"[{_WORDLIKE}]\Z", word) else ""
    return before + re.escape(word) + after
