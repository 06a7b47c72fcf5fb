"""Who speaks where the rules are unsure: what a judge is asked, and what of the answer is believed.

Contract: pure but for the judge itself, a ``SpeakerJudge`` that the caller brings. ``consult`` asks only about quotations
below the cast's ``unsure_below`` whose speaker the user has not settled, in the order of the book, ``max_lines`` lines of a
book at most. The judge gives back the passage with names put into its marks. That copy is held against what was sent,
character by character (whitespace aside): where a word is added, lost or changed nothing of the answer counts. Only
somebody of the cast or the book can be named. Nothing of an answer but a known name ever enters the script.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from tasks.domain import UNKNOWN, Cast, Line, Script
from tasks.script.judge_questions import Passage, Question, Suspect, find, passages
from tasks.script.names import Names

CONFIDENCE = 0.8
"""Of a line whose speaker a judge named. Taken, not measured: it depends on the model that is asked."""
RULE = "judge"

_NOBODY = frozenset(["", "?", "？", "unknown", "未知", "不明"])
_THINKING = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_WRAPPED = re.compile(r"```\w*\n(.*)\n```|<passage>(.*)</passage>", re.DOTALL)

Verdict = Literal["settled", "open", "words", "name"]
"""``open``: the judge does not know either. ``words``: the answer changed the text. ``name``: nobody of this book."""
_LABELS: tuple[tuple[Verdict, str], ...] = (
    ("words", "refused (words changed)"),
    ("name", "unknown name"),
    ("open", "left open"),
)
_VERDICTS: tuple[Verdict, ...] = ("settled", "open", "words", "name")


@dataclass(frozen=True, slots=True)
class Ruling:
    """What came of a question; ``speaker`` is empty unless it is ``settled``."""

    verdict: Verdict
    speaker: str = ""

    @classmethod
    def from_json(cls, value: object) -> Ruling | None:
        """A ruling as ``to_json`` gives it, or ``None`` for anything else."""
        match value:
            case [verdict, str(speaker)] if verdict in _VERDICTS and (verdict == "settled") == bool(speaker):
                return cls(verdict, speaker)
        return None

    def to_json(self) -> list[str]:
        return [self.verdict, self.speaker]


Read = Callable[[Passage, str], Mapping[str, Ruling]]


@dataclass(frozen=True, slots=True)
class Heard:
    """Rulings by the key of their question, and in a few words what went wrong, if anything did."""

    rulings: Mapping[str, Ruling]
    failure: str = ""


class SpeakerJudge(Protocol):
    """Whoever answers. An answer that was given is kept, and ``recall`` gives it back in later runs."""

    @property
    def model(self) -> str: ...

    @property
    def max_lines(self) -> int: ...

    def recall(self) -> Mapping[str, Ruling]: ...

    def ask(self, passages: Sequence[Passage], read: Read) -> Heard:
        """Ask, and have ``read`` make rulings of the answers. What cannot be asked is left out: no error."""


Settled = Callable[[Script], Collection[tuple[int, str]]]
"""Chapter number and id of the lines whose speaker the user has settled, given the script as generated."""


def consult(
    draft: Script, names: Names, cast: Cast, language: str, judge: SpeakerJudge, settled: Settled
) -> tuple[Script, str]:
    """``draft`` with the speakers that the judge names, and a sentence for the user (empty: there was nothing to ask)."""
    questions = list(find(draft, names, cast, language, judge.model))
    if not questions:
        return draft, ""
    before = _believed(questions, judge.recall(), names)
    script = _ruled(draft, questions, before, names)
    answered = [one for one in questions if one.key in before]
    waiting = [one for one in questions if one.key not in before]
    room = judge.max_lines - sum(one.lines for one in answered)
    asked: list[Question] = []
    heard = Heard({})
    if waiting:
        users = settled(script)
        ids = {chapter.number: [line.id for line in chapter.lines] for chapter in script.chapters}
        waiting = [
            one for one in waiting
            if not all((one.chapter, key) in users for key in ids[one.chapter][one.start : one.end])
        ]  # fmt: skip
        for one in waiting:
            if one.lines > room:
                break
            room -= one.lines
            asked.append(one)
    left = sum(one.lines for one in waiting[len(asked) :])
    if asked:
        fresh = list({one.key: one for one in asked}.values())
        heard = judge.ask(passages(script, fresh, language), lambda passage, answer: read(passage, answer, names))
        script = _ruled(script, asked, heard.rulings, names)
    return script, _note(asked, heard, answered, before, left)


def recalled(draft: Script, names: Names, cast: Cast, language: str, judge: SpeakerJudge) -> Script:
    """``draft`` with what the judge has said in earlier runs; nothing is asked."""
    questions = list(find(draft, names, cast, language, judge.model))
    return _ruled(draft, questions, _believed(questions, judge.recall(), names), names)


# ---------------------------------------------------------------- what is believed


def read(passage: Passage, answer: str, names: Names) -> dict[str, Ruling]:
    """A ruling for every question of ``passage``. An answer whose words differ settles none."""
    written = written_names(passage, answer)
    if written is None:
        return {one.key: Ruling("words") for one in passage.questions}
    people = passage.people
    return {one.key: _named(written.get(number, ""), people, names) for number, one in enumerate(passage.questions, 1)}


def written_names(passage: Passage, answer: str) -> dict[int, str] | None:
    """What stands in each mark of ``answer``, ``None`` if without its marks it is not ``passage``, whitespace aside."""
    answer = _bare(answer)
    found: dict[int, str] = {}
    at = 0
    for mark, text in passage.parts:
        if mark and (tag := _tag(mark).match(answer, at)):
            found[mark] = (tag[1] or "").strip()
            at = tag.end()
        for sign in text:
            if sign.isspace():
                continue
            while at < len(answer) and answer[at].isspace():
                at += 1
            if answer[at : at + 1] != sign:
                return None
            at += 1
    return None if answer[at:].strip() else found


def _tag(mark: int) -> re.Pattern[str]:
    return re.compile(rf"\s*\[\[ ?{mark} ?(?:[:：]([^\[\]\n]{{0,200}}))?\]\]")


def _bare(answer: str) -> str:
    """Without what models put around a text: their thinking, a code fence, our own delimiters."""
    answer = answer[end.end() :] if (end := _THINKING.match(answer)) else answer
    for _ in range(2):
        answer = answer.strip()
        if wrapped := _WRAPPED.fullmatch(answer):
            answer = wrapped[1] if wrapped[1] is not None else wrapped[2]
    return answer


def _named(written: str, people: Sequence[Suspect], names: Names) -> Ruling:
    if written.lower() in _NOBODY:
        return Ruling("open")
    for one in people:
        if written == one.name:
            return Ruling("settled", one.name)
    for one in people:
        if written.casefold() in {form.casefold() for form in (one.name, *one.forms)}:
            return Ruling("settled", one.name)
    return Ruling("settled", names.canonical(written)) if names.known_name(written) else Ruling("name")


def _believed(questions: Sequence[Question], known: Mapping[str, Ruling], names: Names) -> dict[str, Ruling]:
    """Of the rulings of earlier runs those that are for ``questions`` and name somebody of the book as it is now."""
    found: dict[str, Ruling] = {}
    for one in questions:
        ruling = known.get(one.key)
        if ruling is not None and ruling.speaker:
            ruling = _named(ruling.speaker, one.people, names)
            ruling = ruling if ruling.verdict == "settled" else None
        if ruling is not None:
            found[one.key] = ruling
    return found


def _ruled(script: Script, questions: Sequence[Question], rulings: Mapping[str, Ruling], names: Names) -> Script:
    by_chapter: dict[int, list[tuple[Question, str]]] = {}
    for one in questions:
        if (ruling := rulings.get(one.key)) and ruling.verdict == "settled":
            by_chapter.setdefault(one.chapter, []).append((one, ruling.speaker))
    if not by_chapter:
        return script
    chapters = []
    for chapter in script.chapters:
        lines = list(chapter.lines)
        for one, speaker in by_chapter.get(chapter.number, ()):
            for at in range(one.start, one.end):
                lines[at] = _spoken_by(lines[at], speaker, names)
        chapters.append(replace(chapter, lines=tuple(lines)) if chapter.number in by_chapter else chapter)
    return Script(tuple(chapters))


def _spoken_by(line: Line, speaker: str, names: Names) -> Line:
    if speaker == line.speaker:
        return replace(line, rule=RULE, confidence=CONFIDENCE)
    guessed = (line.speaker, round(line.confidence, 2)) if line.speaker != UNKNOWN else None
    return replace(line, speaker=speaker, gender=names.gender(speaker), rule=RULE, confidence=CONFIDENCE, other=guessed)


def _note(
    asked: Sequence[Question], heard: Heard, answered: Sequence[Question], before: Mapping[str, Ruling], left: int
) -> str:
    def count(questions: Sequence[Question], rulings: Mapping[str, Ruling], verdict: Verdict | None) -> int:
        return sum(
            one.lines for one in questions if verdict == (found.verdict if (found := rulings.get(one.key)) else None)
        )

    lines = sum(one.lines for one in asked)
    unanswered = count(asked, heard.rulings, None)
    number = f"{lines} {'line' if lines == 1 else 'lines'}"
    if lines and lines == unanswered:
        parts = [f"{number} not judged"]
    else:
        parts = [f"{number} asked"]
        parts += [f"{count(asked, heard.rulings, 'settled')} settled"] if lines else []
        found = [(count(asked, heard.rulings, verdict), what) for verdict, what in _LABELS]
        parts += [f"{many} {what}{'s' if what.endswith('name') and many > 1 else ''}" for many, what in found if many]
        parts += [f"{unanswered} without an answer"] if unanswered else []
    if earlier := sum(one.lines for one in answered):
        parts.append(f"{count(answered, before, 'settled')} of {earlier} settled in earlier runs")
    if left:
        parts.append(f"{left} beyond max_lines")
    note = "judge: " + ", ".join(parts)
    return f"{note}: {heard.failure}; they stay as guessed" if heard.failure else note
