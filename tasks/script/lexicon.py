"""The user's lexicon: how words are read (pinyin, ARPAbet) or respelled.

Contract: ``load_layers`` reads lexicon files, weakest level first, into checked ``LexiconEntry`` values; every fault of a
file is told at once, with its line. What wins where several entries hold is said in ``lexicon_match``.

    schema: 1
    entries:
      重庆: chong2 qing4                     # a syllable for every Han character: tone digits, or marks (chóng qìng)
      Anna: AE1 N AH0                        # ARPAbet for a word in Latin letters
      GPU: {spoken: 鸡批优}                  # respelled
      还: {phones: huan2, after: 给|钱}      # only where what follows fits; `before` looks the other way
      长:                                    # several entries for one word: the first that fits its surroundings
        - {phones: zhang3, before: '[队船]'}
        - {phones: chang2, after: '[江河]', chapters: 3-}
      /(?<=[一两])行(?=字)/: hang2           # a regular expression between slashes: a syllable for each character it matches
      /(重)(?:来|新)/: chong2                # with groups: a syllable for each character of the groups, the rest is context
      years: {pattern: '(\\d+)yr', spoken: '\\1年'}  # the same in long form; a respelling may put groups in
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError, field_validator

from common.errors import VoicepressError, plain
from common.yamlio import Strict, explain, line_of, load_with_lines
from tasks.domain import SCHEMA, Level, LexiconEntry
from tasks.script.lexicon_match import respell
from tasks.script.lexicon_regex import compiled, holds_groups_in_groups
from tasks.script.phrases import is_han
from tasks.script.pinyin import nearest, to_digits

__all__ = ["ARPABET", "arpabet", "checked", "entry", "load_layers", "load_lexicon", "respell", "unheard_of"]

_VOWEL_NAMES = "AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW"
_CONSONANT_NAMES = "B CH D DH F G HH JH K L M N NG P R S SH T TH V W Y Z ZH"
_VOWELS = frozenset(_VOWEL_NAMES.split())
_CONSONANTS = frozenset(_CONSONANT_NAMES.split())
ARPABET = _CONSONANTS | {vowel + stress for vowel in _VOWELS for stress in ("", "0", "1", "2")}
"""Every ARPAbet phone, vowels with and without stress digit."""

MAX_SPOKEN_CHARS = 60
"""A longer respelling would leave no room for the rest of its line."""
_WHAT = "the lexicon"
_EXAMPLE = "write for example 重庆: chong2 qing4, Anna: AE1 N AH0 or GPU: {spoken: 鸡批优}"
_TOLD = 6
"""How many faults of a file are told in full."""


class EntryFile(Strict):
    """One entry's long form: ``spoken`` replaces the word, ``phones`` says how it is read; see ``LexiconEntry``."""

    spoken: str = ""
    phones: str = ""
    pattern: str = ""
    before: str = ""
    after: str = ""
    chapters: str | int = ""


class LexiconFile(Strict):
    """A lexicon file as it stands in YAML."""

    schema_: int = Field(default=SCHEMA, alias="schema")
    entries: dict[str, tuple[EntryFile, ...]] = Field(default_factory=dict)

    @field_validator("schema_")
    @classmethod
    def _known_schema(cls, value: int) -> int:
        if value != SCHEMA:
            raise ValueError(f"this version reads schema {SCHEMA} only")
        return value

    @field_validator(
        "entries", mode="before", json_schema_input_type=dict[str, str | EntryFile | list[str | EntryFile]]
    )
    @classmethod
    def _short_forms(cls, value: object) -> object:
        return {word: _long_forms(one) for word, one in value.items()} if isinstance(value, dict) else value


def _long_forms(value: object) -> object:
    if isinstance(value, str):
        return ({"phones": value},)
    return (value,) if isinstance(value, dict) else value


def load_layers(paths: Sequence[tuple[Level, Path]]) -> tuple[LexiconEntry, ...]:
    """The entries of several lexicon files, each with the level that it speaks for. Raises as ``load_lexicon``."""
    return tuple(one for level, path in paths for one in load_lexicon(path, level))


def load_lexicon(path: Path, level: Level = "book") -> tuple[LexiconEntry, ...]:
    """The entries of a lexicon file, in order. Raises ``VoicepressError`` (file, line, key) for anything amiss; further
    faults of the file are named in it with their lines."""
    value, node = load_with_lines(path, _WHAT)
    return checked(value, node, path, level)


def checked(value: Any, node: yaml.Node | None, path: Path, level: Level = "book") -> tuple[LexiconEntry, ...]:
    """As ``load_lexicon``, from YAML that was read already; ``path`` only names it."""
    if value is None:
        return ()
    _refuse_unquoted(node, path)
    try:
        model = LexiconFile.model_validate(value)
    except ValidationError as error:
        raise explain(error, path, node, LexiconFile, _WHAT) from error
    lines = _lines(node)
    entries: list[LexiconEntry] = []
    faults: list[VoicepressError] = []
    for word, forms in model.entries.items():
        for place, one in enumerate(forms):
            line = lines.get((word, place)) or lines.get((word, 0)) or line_of(node, ("entries", word))
            try:
                entries.append(_entry(word, one, level, f"{path}:{line}"))
            except VoicepressError as error:
                faults.append(
                    VoicepressError(error.code, error.what, file=path, line=line, key=plain(word, 60), hint=error.hint)
                )
    if faults:
        raise _joined(faults)
    return tuple(entries)


def _joined(faults: Sequence[VoicepressError]) -> VoicepressError:
    """All faults of a file as one error, at the place of the first."""
    first = faults[0]
    if len(faults) == 1:
        return first
    more = [f"line {one.line}: {plain(one.what, 70)}" for one in faults[1:_TOLD]]
    rest = len(faults) - len(more) - 1
    what = f"{first.what}; {len(faults) - 1} more: " + "; ".join(more) + (f"; and {rest} more" if rest else "")
    return VoicepressError(first.code, what, file=first.file, line=first.line, key=first.key, hint=first.hint)


def _lines(node: yaml.Node | None) -> dict[tuple[str, int], int]:
    """The 1-based line of each entry, by word and place in its list."""
    found: dict[tuple[str, int], int] = {}
    for key, value in _entry_nodes(node):
        found[key.value, 0] = key.start_mark.line + 1
        if isinstance(value, yaml.SequenceNode):
            found |= {(key.value, place): one.start_mark.line + 1 for place, one in enumerate(value.value)}
    return found


def _entry_nodes(node: yaml.Node | None) -> Iterable[tuple[yaml.Node, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == "entries" and isinstance(value, yaml.MappingNode):
                yield from value.value


def _refuse_unquoted(node: yaml.Node | None, path: Path) -> None:
    """``No: N OW1`` and ``007: …`` are no words to YAML."""
    for key, _ in _entry_nodes(node):
        if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:str":
            kind = {"bool": "yes or no", "int": "a number", "float": "a number"}.get(
                key.tag.rpartition(":")[2], "no text"
            )
            raise VoicepressError(
                "bad-lexicon", f"the word {plain(key.value, 40)} reads as {kind} in YAML", file=path,
                line=key.start_mark.line + 1, key=plain(key.value, 40), hint=f'put it in quotes: "{plain(key.value, 40)}": …',
            )  # fmt: skip


def _entry(word: str, one: EntryFile, level: Level, source: str) -> LexiconEntry:
    pattern = one.pattern
    if not pattern and len(word) > 2 and word[0] == word[-1] == "/":
        pattern = word[1:-1]
    return entry(
        word, one.phones, one.spoken, pattern=pattern, before=one.before, after=one.after, chapters=str(one.chapters),
        level=level, source=source,
    )  # fmt: skip


def entry(
    word: str,
    phones: str = "",
    spoken: str = "",
    *,
    pattern: str = "",
    before: str = "",
    after: str = "",
    chapters: str = "",
    level: Level = "book",
    source: str = "",
) -> LexiconEntry:
    """A checked entry, its pinyin in house notation. Raises ``VoicepressError`` ``bad-lexicon``."""
    if not word.strip() or word != word.strip():
        raise _bad(f"the word {word!r} is empty or has spaces around it", "write the word alone")
    phones, named = phones.strip(), plain(word, 80)
    if not phones and not spoken.strip():
        raise _bad(f"'{named}' has neither a reading nor a respelling")
    if len(spoken) > MAX_SPOKEN_CHARS:
        raise _bad(
            f"the respelling of '{named}' has {len(spoken)} characters; at most {MAX_SPOKEN_CHARS} are allowed",
            "a lexicon says how a word is read; what a line says stands in its script file under 'spoken'",
        )
    _check_patterns(named, pattern, before, after)
    if phones and spoken and (pattern or before or after):
        raise _bad(
            f"'{named}' has a pattern or a context, and both a reading and a respelling",
            "keep the respelling here and give the respelled word an entry of its own",
        )
    if phones:
        phones = _reading(word, pattern, spoken or word, phones)
    elif pattern:
        _check_template(named, pattern, spoken)
    return LexiconEntry(word, phones, spoken, pattern, before, after, _ranges(named, chapters), level, source)


def _check_patterns(named: str, pattern: str, before: str, after: str) -> None:
    for key, one in (("pattern", pattern), ("before", before), ("after", after)):
        if not one:
            continue
        try:
            compiled(f"(?:{one})\\Z" if key == "before" else one, may_be_empty=key != "pattern")
        except ValueError as error:
            where = "" if key == "pattern" else f"'{key}' of '{named}': "
            raise _bad(
                where + str(error), "mend the regular expression; see lexicon.yaml in docs/reference.md"
            ) from error


def _check_template(named: str, pattern: str, spoken: str) -> None:
    """A respelling may name groups of its pattern: ``\\1``."""
    try:
        compiled(pattern).sub(spoken, "")
    except (re.error, IndexError) as error:
        raise _bad(
            f"the respelling of '{named}' names a group that the pattern lacks: {error}",
            r"write \1 for the first group",
        ) from error


def _reading(word: str, pattern: str, target: str, phones: str) -> str:
    """The reading in house notation, checked against ``target`` where that is no pattern."""
    named, given = plain(word, 80), phones.split()
    han = [char for char in target if is_han(char)]
    if pattern:
        if holds_groups_in_groups(pattern):
            raise _bad(f"'{named}' has groups within groups", "write (?:…) for a group that is not to be read")
        if _is_arpabet(given):
            if re.compile(pattern).groups > 1:
                raise _bad(f"'{named}' has several groups but the reading of one word", "keep one group")
            return " ".join(arpabet(given, named))
    elif not han:
        return " ".join(arpabet(given, named))
    elif len(han) != len([char for char in target if char.isalnum()]):
        raise _bad(
            f"'{plain(target, 80)}' mixes Han characters with others; only one kind can be given a reading",
            "give the Han part alone, or respell the word",
        )
    elif len(given) != len(han):
        raise _bad(
            f"'{plain(target, 80)}' has {len(han)} characters but {len(given)} syllables ({plain(phones, 80)})",
            "give one syllable for each character",
        )
    digits = []
    for syllable in given:
        good = to_digits(syllable)
        if good is None:
            near = nearest(syllable)
            raise _bad(
                f"'{plain(syllable, 40)}' in the reading of '{named}' is no pinyin syllable",
                f"did you mean {near}? {_EXAMPLE}" if near else _EXAMPLE,
            )
        digits.append(good)
    return " ".join(digits)


def _is_arpabet(given: Sequence[str]) -> bool:
    """What a pattern's reading is meant as: a few names, such as ER1, are good in both notations; then capitals decide."""
    if all(to_digits(one) for one in given):
        return all(one in ARPABET for one in given)
    return given[0].upper() in ARPABET


def _ranges(named: str, chapters: str) -> tuple[tuple[int, int | None], ...]:
    """``3``, ``3-``, ``1-4``, ``2, 5-7`` as ranges of chapter numbers."""
    found: list[tuple[int, int | None]] = []
    for part in chapters.split(",") if chapters.strip() else ():
        match = re.fullmatch(r"\s*([1-9]\d{0,5})\s*(?:(-)\s*([1-9]\d{0,5})?)?\s*", part)
        if match is None or (match[3] and int(match[3]) < int(match[1])):
            raise _bad(
                f"'{plain(chapters, 40)}' of '{named}' names no chapters", "write for example 3, 3-, 1-4 or 2, 5-7"
            )
        first = int(match[1])
        found.append((first, int(match[3]) if match[3] else None if match[2] else first))
    return tuple(found)


def _bad(what: str, hint: str = _EXAMPLE) -> VoicepressError:
    return VoicepressError("bad-lexicon", what, hint=hint)


def arpabet(phones: Sequence[str], word: str) -> list[str]:
    """Checked ARPAbet: vowels carry a stress digit 0-2, consonants none. Raises ``VoicepressError`` ``bad-lexicon``."""
    good = []
    for phone in phones:
        upper = phone.upper()
        if upper not in _CONSONANTS and not (upper[:-1] in _VOWELS and upper[-1] in "012"):
            problem = "has no stress digit 0-2" if upper in _VOWELS else "is no ARPAbet phone"
            raise _bad(f"'{plain(phone, 40)}' in the reading of '{plain(word, 80)}' {problem}")
        good.append(upper)
    return good


def unheard_of(entries: Iterable[LexiconEntry]) -> list[str]:
    """A sentence for every entry that reads a character as no dictionary does: allowed, but it may be a slip."""
    from tasks.script import phrases

    notes = []
    for one in entries:
        word = one.spoken or one.word
        if not one.phones or one.pattern or not any(map(is_han, word)):
            continue
        for char, syllable in zip(filter(is_han, word), one.phones.split(), strict=True):
            known = phrases.shared().readings_of(char)
            if known and not any(_same(syllable, usual, char) for usual in known):
                notes.append(
                    f"{one.source or 'the lexicon'}: {char} in '{plain(one.word, 40)}' is given as {syllable}, which no "
                    f"dictionary has ({', '.join(known[:4])}): kept, if it is meant"
                )
    return notes


def _same(given: str, usual: str, char: str) -> bool:
    """Whether a reading is a dictionary's, neutral tone and the sandhi of third tones, 一 and 不 allowed for."""
    if given[:-1] != usual[:-1]:
        return False
    return given[-1] in (usual[-1], "5") or (usual[-1], given[-1]) == ("3", "2") or char in "一不"
