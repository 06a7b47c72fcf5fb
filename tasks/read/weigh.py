"""What the book says for and against a line that has the shape of a heading.

Contract: ``weigh`` takes candidates in order and enters reasons, each a number and words; a candidate whose sum
reaches ``THRESHOLD`` is believed. The shape's own reasons come from ``headings``. The context's are: does its number go
on with its neighbours' of the same unit; is it written and set apart as the others are; does it stand inside a
paragraph; do weak units and bare numbers recur as a counted sequence with text between. Linear in the candidates.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tasks.read.headings import Heading, Reason
from tasks.read.lines import Line

THRESHOLD = 1.5
"""A line with so many points is a heading. 第…章 with a gap has 3 by its shape, 楔子 2.5, a bare number none."""

_NEIGHBOURS = 3
_MIN_STRETCH_CHARS = 150
_OPEN_RUNS = 8
_SAMPLE_LINES = 20_000


@dataclass(slots=True)
class Candidate:
    """A line that may be a heading, and what speaks for and against it."""

    index: int
    heading: Heading
    text: str
    reasons: list[Reason] = field(default_factory=list)
    verdict: str = ""
    """``contents`` or ``running head`` where it is certainly one of these."""

    @property
    def score(self) -> float:
        return self.heading.score + sum(weight for weight, _ in self.reasons)

    @property
    def believed(self) -> bool:
        return not self.verdict and self.score >= THRESHOLD - 1e-9

    def say(self, weight: float, words: str) -> None:
        self.reasons.append((weight, words))


def weigh(lines: Sequence[Line], candidates: Sequence[Candidate]) -> None:
    """Enter the context's reasons into ``candidates`` (those of the contents and running heads left away)."""
    _numbers(candidates)
    _styles(candidates)
    _volumes(candidates)
    _bare_numbers(lines, candidates)
    _units(candidates)
    _set_apart(lines, candidates)
    _author_words(candidates)
    _rivals(candidates)


def _numbers(candidates: Sequence[Candidate]) -> None:
    """Whether each number goes on with its neighbours of the same unit."""
    units: dict[str, list[Candidate]] = {}
    for one in candidates:
        if one.heading.number and one.heading.kind in ("chapter", "volume"):
            units.setdefault(one.heading.unit, []).append(one)
    for unit, members in units.items():
        # What its own line speaks against does not vouch for others.
        vouching = [one for one in members if one.score >= 1.0]
        places = {id(one): place for place, one in enumerate(vouching)}
        place = 0
        for one in members:
            own = places.get(id(one))
            place = own if own is not None else place
            before = vouching[max(0, place - _NEIGHBOURS) : place]
            after = (
                vouching[place + 1 : place + 1 + _NEIGHBOURS]
                if own is not None
                else vouching[place : place + _NEIGHBOURS]
            )
            if own is not None:
                place += 1
            _continuity(
                one, [other.heading.number for other in before], [other.heading.number for other in after], unit
            )


def _continuity(one: Candidate, before: list[int], after: list[int], unit: str) -> None:
    number = one.heading.number
    if not before and not after:
        return
    led = number - 1 in before or (number == 1 and bool(before) and before[-1] != 1)
    followed = number + 1 in after
    if led:
        one.say(0.8, f"{unit} {number - 1} stands before it" if number > 1 else f"{unit} begins anew at 1")
    if followed:
        one.say(0.8, f"{unit} {number + 1} follows it")
    if led or followed:
        return
    close = [other for other in (*before[-1:], *after[:1]) if abs(other - number) <= 5]
    if close:
        one.say(0.2, f"its number is near its neighbours' ({', '.join(map(str, close))})")
    elif len(before) + len(after) >= _NEIGHBOURS:
        shown = ", ".join(map(str, (*before[-1:], *after[:1])))
        one.say(-1.5, f"its number {number} does not fit its neighbours' ({shown})")


def _set_apart(lines: Sequence[Line], candidates: Sequence[Candidate]) -> None:
    """Whether indentation and blank lines are those of the other headings or those of the text."""
    sample = lines[:_SAMPLE_LINES]
    if len(sample) < 8:
        return
    marked = {one.index for one in candidates}
    body = [line for index, line in enumerate(sample) if index not in marked] or list(sample)
    indent = Counter(line.indent for line in body).most_common(1)[0][0]
    blanks = Counter(line.blanks for line in body).most_common(1)[0][0]
    sure = [one for one in candidates if one.score >= (3.0 if one.heading.kind == "special" else 2.5)]
    like_text = sum(lines[one.index].indent == indent for one in sure)
    apart = sum(lines[one.index].blanks > blanks for one in sure)
    for one in candidates:
        line = lines[one.index]
        if indent and line.indent == indent and sure and like_text * 3 <= len(sure):
            one.say(-3.0 if like_text * 4 <= len(sure) else -1.5, "is indented as the text is, other headings are not")
        elif indent and line.indent != indent:
            one.say(0.3, "is not indented as the text is")
        if line.blanks > blanks:
            one.say(0.3, "has more blank lines before it than the text has")
        elif len(sure) >= 3 and apart * 10 >= len(sure) * 8 and one.index and one.index - 1 not in marked:
            one.say(
                -1.2 if len(sure) >= 5 and apart * 10 >= len(sure) * 9 else -0.7,
                "has no blank lines before it, other headings do",
            )


def _styles(candidates: Sequence[Candidate]) -> None:
    counts = Counter(one.heading.style for one in candidates if one.heading.kind == "chapter" and one.score >= 1.0)
    most = max(counts.values(), default=0)
    titled = [one.heading for one in candidates if one.heading.kind == "chapter" and not one.heading.bare]
    gapless = sum(heading.gapless for heading in titled)
    spaced = len(titled) - gapless
    for one in candidates:
        if one.heading.kind != "chapter":
            continue
        alike = counts[one.heading.style]
        if alike >= 3:
            one.say(0.4, f"{alike} headings are written like it")
        elif alike <= 1 and most >= 4:
            one.say(-0.4, "no other heading is written like it")
        if alike < 3 and one.heading.style[:1] in "《「『〈（(":
            one.say(-2.0, "stands in brackets as a mention does")
        if one.heading.gapless and spaced >= 3 and spaced >= 4 * gapless:
            one.say(-1.5, f"no gap after {one.heading.unit}, other headings have one")


def _volumes(candidates: Sequence[Candidate]) -> None:
    chapters = sum(one.heading.kind == "chapter" and one.score >= THRESHOLD for one in candidates)
    weak = sum(one.heading.kind == "volume" and not one.heading.strong and one.heading.sound for one in candidates)
    following = {id(one): after for one, after in pairwise(candidates)}
    for one in candidates:
        if one.heading.kind != "volume":
            continue
        after = following.get(id(one))
        if (
            after is not None
            and after.index == one.index + 1
            and after.heading.kind == "chapter"
            and after.heading.sound
        ):
            one.say(1.0, "a chapter's heading follows it at once")
        if not one.heading.strong:
            if weak >= 2 and (chapters >= 2 or one.heading.bare or weak >= 3):
                one.say(1.0, f"{weak} lines have that shape")
            else:
                one.say(-1.0, "so weak a shape counts only where it recurs")


def _bare_numbers(lines: Sequence[Line], candidates: Sequence[Candidate]) -> None:
    numbered = [one for one in candidates if one.heading.kind == "numbered"]
    if not numbered:
        return
    named = [one for one in candidates if one.heading.kind == "chapter" and one.believed]
    runs = _sequences(lines, numbered)
    counted = {one.index: len(run) for run in runs for one in run}
    if len(named) >= 2 and (len(named) * 3 >= len(counted) or len(runs) > 1):
        for one in numbered:
            one.say(-1.0, f"a bare number, and the book has {len(named)} chapters with headings")
        return
    for one in numbered:
        run = counted.get(one.index, 0)
        if run:
            one.say(2.5, f"counts upwards with {run - 1} others, with text between")
        else:
            one.say(-0.5, "a bare number counts only in a sequence with text between")
    if len(counted) >= 4 * len(named):
        for one in named:
            one.say(-2.5, f"the book counts its chapters otherwise, {len(counted)} times")


def _units(candidates: Sequence[Candidate]) -> None:
    """A lone 第6节 or 第四卷 in a book that counts 章 is a mention, unless it goes on with the book's own numbers."""
    believed = [one for one in candidates if one.believed and one.heading.number]
    counts = Counter(one.heading.unit for one in believed)
    if not counts:
        return
    main, most = counts.most_common(1)[0]
    if most < 5:
        return
    last = 0
    for place, one in enumerate(candidates):
        heading = one.heading
        if heading.unit == main:
            last = heading.number if one.believed else last
        elif heading.kind in ("chapter", "volume") and heading.number and 0 < counts[heading.unit] <= 2:
            led = any("stands before it" in words for _, words in one.reasons) or place == 0
            if heading.kind == "volume":
                follows = _chapter_follows(one, candidates[place + 1 : place + 2])
                opens = follows or (heading.number == 1 and heading.unit in "卷部篇")
            else:
                opens = heading.number in (1, last + 1)
            if not (led or opens):
                one.say(-2.5, f"the book counts {main}, and this {heading.unit} {heading.number} stands alone")


def _chapter_follows(one: Candidate, after: Sequence[Candidate]) -> bool:
    return (
        bool(after)
        and after[0].index == one.index + 1
        and after[0].heading.kind == "chapter"
        and after[0].heading.sound
    )


def _sequences(lines: Sequence[Line], numbered: Sequence[Candidate]) -> list[list[Candidate]]:
    """Runs of bare numbers that count upwards in one style with text between; none inside another: there they number
    sections or lists."""
    styles: dict[str, list[Candidate]] = {}
    for one in numbered:
        styles.setdefault(one.heading.style, []).append(one)
    by_style: list[list[list[Candidate]]] = []
    for style, members in styles.items():
        enough = 2 if style.startswith("上中下") else 3
        kept = [run for run in _runs(members) if len(run) >= enough and _stretch(lines, run) >= _MIN_STRETCH_CHARS]
        if kept:
            by_style.append(sorted(kept, key=len, reverse=True))
    by_style.sort(key=lambda runs: -sum(map(len, runs)))
    found: list[list[Candidate]] = []
    taken: list[tuple[int, int]] = []
    for run in (run for runs in by_style for run in runs):
        low, high = run[0].index, run[-1].index
        place = bisect_left(taken, (low, high))
        free = (place == 0 or taken[place - 1][1] < low) and (place == len(taken) or high < taken[place][0])
        if free:
            found.append(run)
            taken.insert(place, (low, high))
    return found


def _stretch(lines: Sequence[Line], run: Sequence[Candidate]) -> float:
    """Characters from one number of ``run`` to the next, on average."""
    return (lines[run[-1].index].start - lines[run[0].index].start) / (len(run) - 1)


def _runs(members: Sequence[Candidate]) -> list[list[Candidate]]:
    """``members`` of one style as runs that count upwards; a run goes on after others (a list in the prose) began."""
    runs: list[list[Candidate]] = []
    for one in members:
        number = one.heading.number
        # The last few runs that are still open: what began long ago is over.
        recent = runs[: -_OPEN_RUNS - 1 : -1]
        best = next((run for run in recent if run[-1].heading.number + 1 == number), None)
        best = best or next((run for run in recent if 1 < number - run[-1].heading.number <= 3), None)
        if best is not None:
            best.append(one)
        elif number <= 1 or not runs:
            runs.append([one])
    return runs


def _rivals(candidates: Sequence[Candidate]) -> None:
    """Of two neighbours with one number, the much weaker is a mention of the other. (Equals are two chapters.)"""
    units: dict[str, list[Candidate]] = {}
    for one in candidates:
        if one.heading.kind == "chapter" and one.heading.number:
            units.setdefault(one.heading.unit, []).append(one)
    for members in units.values():
        for one, other in pairwise(members):
            if one.heading.number == other.heading.number and abs(one.score - other.score) >= 1.0:
                weaker, better = (one, other) if one.score < other.score else (other, one)
                weaker.say(-1.5, f"a better heading with its number stands next to it: {better.text[:20]}")


def _author_words(candidates: Sequence[Candidate]) -> None:
    """作者的话 once may be a chapter; after every chapter it is the author's note."""
    notes = [one for one in candidates if one.heading.unit in ("作者的话", "作者的話")]
    if len(notes) >= 2:
        for one in notes:
            one.say(-4.0, "the author's words stand after several chapters")
