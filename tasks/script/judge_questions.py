"""Which quotations a judge is asked about, and in what passages.

Contract: pure. A question is a quotation whose speaker is below the cast's ``unsure_below``, with the text around it and
the people it may be; a passage holds several questions whose surroundings touch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from common.files import digest
from tasks.domain import NARRATOR, UNKNOWN, Cast, ChapterScript, Line, Script
from tasks.script.judge_prompt import VERSION, instructions
from tasks.script.names import Names

_BEFORE_CHARS, _AFTER_CHARS = 800, 600  # what is shown of the text before a quotation, and from its beginning on
_TOGETHER = 8  # quotations asked about in one passage
_PASSAGE_CHARS = 3000
_PEOPLE = 24
_FORMS = 6


@dataclass(frozen=True, slots=True)
class Suspect:
    """Somebody who may speak: the canonical name, other forms, and gender where it is known."""

    name: str
    forms: tuple[str, ...] = ()
    gender: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """An unsure quotation: lines ``[start, end)`` of a chapter, with the lines ``[low, high)`` around. ``key`` is a hash of
    the text shown, the people offered, the model and the prompt: the same question has the same key in every run."""

    chapter: int
    start: int
    end: int
    low: int
    high: int
    people: tuple[Suspect, ...]
    key: str

    @property
    def lines(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Passage:
    """Questions that are asked in one request. ``parts``: text as it stands in the book, each with the number of the mark
    before it (0: none); the number counts ``questions`` from 1."""

    questions: tuple[Question, ...]
    parts: tuple[tuple[int, str], ...]
    language: str

    @property
    def text(self) -> str:
        """As it is sent: with marks."""
        return "".join(f"[[{mark}]]{text}" if mark else text for mark, text in self.parts)

    @property
    def people(self) -> tuple[Suspect, ...]:
        found: dict[str, Suspect] = {}
        for question in self.questions:
            for one in question.people:
                before = found.get(one.name, one)
                found[one.name] = replace(one, forms=tuple(dict.fromkeys((*before.forms, *one.forms))))
        return tuple(found.values())

    @property
    def messages(self) -> list[dict[str, str]]:
        """As chat messages of the roles ``system`` and ``user``."""
        people = [(one.name, one.forms, one.gender) for one in self.people]
        return [
            {"role": role, "content": content}
            for role, content in zip(("system", "user"), instructions(self.language, people, self.text), strict=True)
        ]


def find(script: Script, names: Names, cast: Cast, language: str, model: str) -> Iterator[Question]:
    """Every quotation with an unsure speaker, in order."""
    for chapter in script.chapters:
        lines = chapter.lines
        at = 0
        while at < len(lines):
            end = at + 1
            if not _is_unsure(lines[at], cast.unsure_below):
                at = end
                continue
            while end < len(lines) and _same_quotation(lines[end - 1], lines[end]):
                end += 1
            yield _question(chapter, at, end, names, cast, language, model)
            at = end


def _is_unsure(line: Line, below: float) -> bool:
    return line.kind == "dialogue" and not line.skip and line.confidence < below


def _same_quotation(line: Line, following: Line) -> bool:
    """Whether two lines are one quotation that was too long for one line."""
    return not _ends_paragraph(line) and (following.kind, following.speaker, following.rule, following.confidence) == (
        line.kind, line.speaker, line.rule, line.confidence
    )  # fmt: skip


def _ends_paragraph(line: Line) -> bool:
    return line.after not in ("clause", "sentence")


def _question(
    chapter: ChapterScript, start: int, end: int, names: Names, cast: Cast, language: str, model: str
) -> Question:
    lines = chapter.lines
    low, chars = start, 0
    while low and lines[low - 1].kind != "heading" and chars + len(lines[low - 1].text) <= _BEFORE_CHARS:
        low -= 1
        chars += len(lines[low].text)
    high, chars = start + 1, len(lines[start].text)
    while high < len(lines) and chars + len(lines[high].text) <= _AFTER_CHARS:
        chars += len(lines[high].text)
        high += 1
    people = _people(lines[low:high], lines[start], names, cast)
    shown = [[mark, text] for mark, text in _parts(lines, low, high, {start: 1}, language)]
    offered = [[one.name, *one.forms, one.gender] for one in people]
    key = digest([VERSION, model, language, shown, offered])
    return Question(chapter.number, start, end, low, high, people, key)


def _people(around: Sequence[Line], line: Line, names: Names, cast: Cast) -> tuple[Suspect, ...]:
    """Who may speak: whom the rules think of, who speaks around, who is named there; the book's people where that is hardly
    anybody."""
    forms: dict[str, dict[str, None]] = {}
    mentioned: list[str] = []
    for one in around:  # line by line: ``names`` remembers them, and the next window holds most of them again
        for mention in names.mentions(one.text):
            if not mention.pronoun:
                mentioned.append(mention.name)
                forms.setdefault(mention.name, {})[one.text[mention.start : mention.end]] = None
    guessed = [line.speaker, *(line.other[:1] if line.other else ())]
    found = dict.fromkeys([*guessed, *(one.speaker for one in around if one.kind == "dialogue"), *mentioned])
    people = [name for name in found if name not in (UNKNOWN, NARRATOR)]
    if len(people) < 2:
        people = list(dict.fromkeys([*people, *names.known()]))
    aliases = {role.name: role.aliases for role in cast.characters}
    return tuple(
        Suspect(name, _forms(name, (*forms.get(name, ()), *aliases.get(name, ()))), names.gender(name))
        for name in people[:_PEOPLE]
    )


def _forms(name: str, forms: Sequence[str]) -> tuple[str, ...]:
    return tuple(form for form in dict.fromkeys(forms) if form != name)[:_FORMS]


def _parts(
    lines: Sequence[Line], low: int, high: int, marks: Mapping[int, int], language: str
) -> list[tuple[int, str]]:
    between = " " if language == "en" else ""
    parts = []
    for at in range(low, high):
        gap = "" if at + 1 == high else "\n" if _ends_paragraph(lines[at]) else between
        parts.append((marks.get(at, 0), lines[at].text + gap))
    return parts


def passages(script: Script, questions: Sequence[Question], language: str) -> list[Passage]:
    """The questions in as few passages as their limits allow: those whose surroundings touch are asked together."""
    lines_of = {chapter.number: chapter.lines for chapter in script.chapters}
    groups: list[list[Question]] = []
    for one in questions:
        last = groups[-1] if groups else []
        if last and len(last) < _TOGETHER and last[-1].chapter == one.chapter and one.low <= last[-1].high:
            low, high = min(last[0].low, one.low), max(last[-1].high, one.high)
            if sum(len(line.text) for line in lines_of[one.chapter][low:high]) <= _PASSAGE_CHARS:
                last.append(one)
                continue
        groups.append([one])
    out = []
    for group in groups:
        lines = lines_of[group[0].chapter]
        low, high = min(one.low for one in group), max(one.high for one in group)
        marks = {one.start: number for number, one in enumerate(group, 1)}
        out.append(Passage(tuple(group), tuple(_parts(lines, low, high, marks, language)), language))
    return out
