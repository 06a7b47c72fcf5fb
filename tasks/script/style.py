"""How a line of dialogue is said, from the words that introduce it and, weakly, from its own marks.

Contract: ``line_style`` gives the style, an instruction in plain language, that an introduction (他低声说道) asks for.
A word counts only in the tag's own clause, in a clause beside it with the same subject, and not where it is negated
(没有笑), belongs to somebody else (听着她的哭声) or is quoted. Where the introduction says nothing, doubled marks, ？！
or words in capitals count. Rules are data, ``configs/styles.yaml``; a book's own table is tried before it. Doubt means
no style: then the cast decides.

``mood_of`` gives a style's mood, one of ``MOODS``, by which a cast can let a role speak in its own way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field

from common.errors import VoicepressError
from common.places import CONFIGS
from common.yamlio import Strict, load_model
from tasks.script import tags_en, tags_zh
from tasks.script.lexicon_regex import compiled as bounded
from tasks.script.pieces import Piece

Mood = Literal[
    "angry", "sad", "glad", "calm", "soft", "loud", "whisper", "fast", "slow", "crying", "laughing", "surprised",
    "fearful", "serious", "tender", "weary", "cold",
]  # fmt: skip
MOODS: tuple[str, ...] = get_args(Mood)

SubjectOf = Callable[[str], str]
"""Who is the subject of a clause: a name, a pronoun, or an empty string."""

_WHAT = "the table of styles"
_HAN = re.compile(r"[\u3400-\u9fff]")
_CLAUSE = re.compile(r"[^，,；;：:。．.！!？?…—\n]+[，,；;：:。．.！!？?…—\n]*")
_QUOTED = re.compile('“[^”]*”|「[^」]*」|『[^』]*』|‘[^’]*’(?![a-z])|"[^"]*"')
_PRONOUN = {
    "zh": re.compile(r"^(?:而|但|可|却|只见|这时|此时)?(?:他|她|它|我|你|众人|大家)们?"),
    "en": re.compile(r"^\s*(?:and|but|then|while|as)?\s*(?:he|she|they|I|we)\b", re.IGNORECASE),
}
# A clause without a speech verb that tells what somebody else does, or is done to the speaker.
_OF_OTHERS = {
    "zh": re.compile(r"听|看着|看见|看到|望着|见|瞪着|盯着|想起|被|让|令|使|惹|逗|面对|不顾|顾不|等|身后|传来|有人"),
    "en": re.compile(
        r"\b(?:at|hear(?:d|ing)|saw|seeing|watch(?:ed|ing)|made|making|let|ignoring|despite|when|until|of)\b"
    ),
}
# What makes a word that fits somebody else's, or a thing: 他的怒吼吓得…, 哭着说的话.
_NOT_HIS = {"zh": re.compile(r"^声?(?:吓|惊得|震|引|让|使|令|传来)"), "en": re.compile(r"^ed? (?:at|by)\b")}
# What is not said aloud.
_INWARD = {
    "zh": re.compile(r"心[里中头底]|内心|暗[自暗]|脑海"),
    "en": re.compile(r"\bto (?:him|her|my)self\b|\binwardly\b"),
}
_VOICE = re.compile(r"声音|嗓音|语气|语调|口气|\bvoice\b|\btone\b")
_CLAUSES_BACK, _CLAUSES_ON = 2, 2


class StyleRule(Strict):
    """``says`` is a regular expression, ``style`` the instruction, ``mood`` its name."""

    says: str
    style: str
    mood: Mood


class ByLanguage(Strict):
    zh: tuple[StyleRule, ...] = ()
    en: tuple[StyleRule, ...] = ()


class Negation(Strict):
    """What stands right before a word and takes its force."""

    zh: str = ""
    en: str = ""


class StyleTable(Strict):
    """``configs/styles.yaml``, or a book's own table."""

    zh: tuple[StyleRule, ...] = ()
    en: tuple[StyleRule, ...] = ()
    marks: ByLanguage = Field(default_factory=ByLanguage)
    negation: Negation = Field(default_factory=Negation)
    moods: dict[Mood, str] = Field(default_factory=dict)


Compiled = tuple[tuple[re.Pattern[str], str], ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """The tables in force, compiled: by language the rules for introductions and for marks."""

    says: dict[str, Compiled]
    marks: dict[str, Compiled]
    negation: dict[str, re.Pattern[str] | None]
    moods: tuple[tuple[str, re.Pattern[str]], ...]
    mood_of_style: dict[str, str]


def rules(own: Path | None = None) -> Rules:
    """The house's rules, with a book's ``own`` table before them, as the file is now.

    Errors: whatever is wrong in a table, a broken regular expression or one that could take a night included.
    """
    return _rules(own, _state(own) if own else None)


def _state(path: Path) -> tuple[int, int, int] | None:
    """What changes when somebody writes the file: a process that lives long must not use what it read once."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


@lru_cache(maxsize=8)
def _rules(own: Path | None, state: tuple[int, int, int] | None) -> Rules:
    house = CONFIGS / "styles.yaml"
    tables = [(path, load_model(path, StyleTable, _WHAT)) for path in ([own] if own else []) + [house]]

    def compiled(of: Callable[[StyleTable], Sequence[StyleRule]], where: str, flags: int) -> Compiled:
        return tuple(
            (_pattern(rule.says, path, f"{where}.{place}.says", flags), rule.style)
            for path, table in tables
            for place, rule in enumerate(of(table))
        )

    negation: dict[str, re.Pattern[str] | None] = {}
    for language in ("zh", "en"):
        path, words = next(((path, text) for path, t in tables if (text := getattr(t.negation, language))), (house, ""))
        negation[language] = _pattern(words, path, f"negation.{language}", re.IGNORECASE) if words else None
    by_style: dict[str, str] = {}
    for _, table in tables:
        for rule in (*table.zh, *table.en, *table.marks.zh, *table.marks.en):
            by_style.setdefault(rule.style, rule.mood)
    return Rules(
        says={
            "zh": compiled(lambda t: t.zh, "zh", 0),
            "en": compiled(lambda t: t.en, "en", re.IGNORECASE),
        },
        marks={
            "zh": compiled(lambda t: t.marks.zh, "marks.zh", 0),
            "en": compiled(lambda t: t.marks.en, "marks.en", 0),
        },
        negation=negation,
        moods=tuple(
            (mood, _pattern(words, path, f"moods.{mood}", re.IGNORECASE))
            for path, table in tables
            for mood, words in table.moods.items()
        ),
        mood_of_style=by_style,
    )


def _pattern(says: str, path: Path, key: str, flags: int) -> re.Pattern[str]:
    try:
        if path != CONFIGS / "styles.yaml":  # those of the house are known to be fast
            bounded(says, may_be_empty=True)
        found = re.compile(says, flags)
    except (re.error, ValueError) as error:
        raise VoicepressError(
            "bad-config", f"{_WHAT}: {error}", file=path, key=key, hint="mend the expression"
        ) from error
    if found.match(""):
        if key.startswith("negation"):
            return found
        raise VoicepressError(
            "bad-config", f"{_WHAT}: {says!r} fits an empty text, so it would fit everywhere", file=path, key=key,
            hint="name at least one word",
        )  # fmt: skip
    return found


def language_of(text: str) -> str:
    """``zh`` where there is a Han character, else ``en``."""
    return "zh" if _HAN.search(text) else "en"


def line_style(
    introduction: str, language: str = "zh", path: Path | None = None, subject_of: SubjectOf | None = None
) -> str:
    """The style that ``introduction`` (他低声说道) asks for, or an empty string. ``path`` is a book's own table;
    ``subject_of`` knows the people of the book, without it only pronouns count as subjects."""
    if not introduction.strip():
        return ""
    table = rules(path)
    words = _QUOTED.sub("", introduction)
    for clause, is_tag in _clauses(words, language, subject_of):
        for pattern, style in table.says[language]:
            if any(_counts(found, clause, is_tag, table, language) for found in pattern.finditer(clause)):
                return style
    return ""


def marks_style(quotation: str, path: Path | None = None) -> str:
    """The style that the marks of a quotation hint at: weak evidence, empty for an ordinary one."""
    for pattern, style in rules(path).marks[language_of(quotation)]:
        if pattern.search(quotation):
            return style
    return ""


def mood_of(style: str, path: Path | None = None) -> str:
    """The mood of a style in plain language, whoever wrote it; empty where none is known."""
    wish = style.strip()
    if not wish:
        return ""
    table = rules(path)
    if wish in table.mood_of_style:
        return table.mood_of_style[wish]
    negation = table.negation[language_of(wish)]
    for mood, pattern in table.moods:
        for found in pattern.finditer(wish):
            if negation is None or not negation.search(wish[: found.start()]):
                return mood
    return ""


def styles_of(
    row: Sequence[Piece],
    text: str,
    path: Path | None = None,
    subject_of: SubjectOf | None = None,
    before: tuple[str, str] = ("", ""),
) -> tuple[list[str], tuple[str, str]]:
    """The style of each piece of a paragraph ``text``, empty for narration and wherever the cast decides.

    A further quotation of the same speaker in the paragraph, which nothing introduces anew, keeps the style; so does one
    that goes on from the paragraph before. ``before`` and the second result are ``(speaker, style)`` of the last
    quotation before this paragraph and in it.
    """
    out: list[str] = []
    last = before
    for piece in row:
        who = piece.attribution
        if who is None or not piece.dialogue:
            out.append("")
            continue
        style = line_style(who.introduction, language_of(who.introduction), path, subject_of)
        goes_on = not who.introduction and who.rule in ("same-paragraph", "continued") and who.speaker == last[0]
        if goes_on and not style:
            style = last[1]
        last = (who.speaker, style)
        out.append(style or marks_style(text[piece.start : piece.end], path))
    return out, last


# ---------------------------------------------------------------- which words count


def _clauses(words: str, language: str, subject_of: SubjectOf | None) -> Iterator[tuple[str, bool]]:
    """The clauses that may say how, in the order in which they are believed, each with whether it is the tag's own."""
    clauses = [found.strip() for found in _CLAUSE.findall(words) if found.strip()]
    if not clauses:
        return
    verb = tags_en.VERB if language == "en" else tags_zh.VERB
    introduces = clauses[-1][-1:] in "：:，,"
    tags = [place for place, clause in enumerate(clauses) if verb.search(clause)]
    tag = (tags[-1] if introduces else tags[0]) if tags else (len(clauses) - 1 if introduces else 0)
    yield clauses[tag], True

    def subject(clause: str) -> str:
        pronoun = _PRONOUN[language].match(clause)
        return pronoun.group().strip() if pronoun else subject_of(clause) if subject_of else ""

    place = tag
    while place > max(0, tag - _CLAUSES_BACK) and not subject(clauses[place]):
        place -= 1
        yield clauses[place], False
    for clause in clauses[tag + 1 : tag + 1 + _CLAUSES_ON]:
        if subject(clause) and not _VOICE.search(clause):
            return
        yield clause, False


def _counts(found: re.Match[str], clause: str, is_tag: bool, table: Rules, language: str) -> bool:
    head = clause[: found.start()]
    if _INWARD[language].search(head):
        return False
    negation = table.negation[language]
    if negation is not None and negation.search(head):
        return False
    if _NOT_HIS[language].match(clause[found.end() :]):
        return False
    return is_tag or not _OF_OTHERS[language].search(head)
