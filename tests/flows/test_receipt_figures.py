"""What the receipt says of the lines, from real takes of the tone engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from flows import receipt_figures as figures
from flows.session import Session
from tasks.domain import (
    Cast,
    ChapterScript,
    Cue,
    Flaw,
    Line,
    Reading,
    Role,
    Span,
    StitchedChapter,
    TakeMark,
    Timeline,
    Verdict,
)  # fmt: skip
from tests.flows.test_session import BOOK, LONG, Press, chapters

RATE = 24_000


def judged(press: Press, *verdicts: Verdict) -> Session:
    """The session after a run in which every take gets the next of ``verdicts``."""
    left = list(verdicts)
    press.check = lambda slots: press.session.judged(slots, [left.pop(0) for _ in slots])  # type: ignore[method-assign]
    press.run()
    return press.session


def chapter(number: int, seconds: float, *cues: Cue) -> StitchedChapter:
    timeline = Timeline(number, "一", RATE, round(seconds * RATE), cues)
    return StitchedChapter(number, "一", Path("x.flac"), timeline, "f", 1.5, -18.2, -3.4, "卷一", 2.5, 0.01)


def cue(line_id: str, spoken: str, start: float, end: float, *marks: TakeMark) -> Cue:
    return Cue(line_id, "narrator", spoken, spoken, round(start * RATE), round(end * RATE), marks)


def test_re_takes_are_counted_by_reason_and_by_recipe(tmp_path: Path) -> None:
    press = Press(tmp_path, chapters([LONG, "雨停了。", "天亮了。"]), {"mute_on": "雨", "mend_at_take": 2})
    press.run()
    counts, rows = figures.retakes(press.session, press.session.slots())
    assert (counts.lines, counts.tries, counts.healed, counts.levelled) == (2, 3, 2, 0)
    assert [(one.what, one.tries, one.passed) for one in counts.by_reason] == [("silent", 3, 2)]
    assert [(one.what, one.tries, one.passed) for one in counts.by_recipe] == [("speed x0.96", 2, 2), ("split 1", 1, 0)]
    assert [(row.line_id, row.chosen, [(one.take, one.outcome) for one in row.tries]) for row in rows] == [
        ("1-0", 2, [(0, "retry"), (1, "retry"), (2, "pass")]),
        ("1-1", 2, [(0, "retry"), (2, "pass")]),
    ]
    assert all(press.store.get(one.key) for row in rows for one in row.tries)
    assert figures.takes_used(press.session.slots()) == {"0": 1, "2": 2}
    row = figures.chapter_row(press.session, 1, "一", "", chapter(1, 90.0))
    assert (row.lines, row.retaken, row.healed, row.flagged, row.failed, row.seconds) == (3, 2, 2, 0, 0, 90.0)
    assert (row.limited_db, row.limited_share, row.heard, row.heard_error) == (2.5, 0.01, 0, None)
    assert row.chars == sum(map(str.isalnum, LONG + "雨停了天亮了"))


def test_a_line_that_could_not_be_said_is_failed_and_flagged(tmp_path: Path) -> None:
    press = Press(tmp_path, BOOK, {"fail_on": "雨"})
    press.run()
    row = figures.chapter_row(press.session, 2, "二", "", None)
    assert (row.flagged, row.failed, row.seconds, row.held_back) == (1, 1, 0.0, "1 line could not be recorded")
    line = figures.flagged_line(press.session.held_back(2)[0], None)
    assert (line.take, line.tries, line.at_seconds) == (None, 0, None)
    assert line.reasons[0].startswith("engine-fault: planted")


def test_the_error_of_a_chapter_is_that_of_the_takes_used_by_their_length(tmp_path: Path) -> None:
    script = chapters(["天亮了。", "他们走过 old bridge。"])
    good = Verdict("pass", score=1.0, measures={"heard_error": 0.0}, heard="天亮了")
    bad = Verdict("retry", ("garbled: x",), 0.2, {"heard_error": 0.5})
    session = judged(
        Press(tmp_path, script, retakes=1), good, bad, replace(bad, score=0.6, measures={"heard_error": 0.25})
    )
    units, error = figures.heard_error(session.slots())
    assert units == 9
    assert error == pytest.approx(6 * 0.25 / 9, abs=1e-6)
    assert figures.heard_error([]) == (0, None)


def test_a_flaw_is_placed_in_its_chapter(tmp_path: Path) -> None:
    flaws = (
        Flaw("omission", "'了' is not heard", 2, 3),
        Flaw("hole", "2 s of silence", start_seconds=1.5, end_seconds=3.5),
    )
    verdict = Verdict("flagged", tuple(map(str, flaws)), 0.1, {"head_seconds": 0.5}, flaws, "天亮")
    (slot,) = judged(Press(tmp_path, chapters(["天亮了。"]), retakes=0), verdict).slots()
    marks = tuple(TakeMark(at, at + 1, round((10.3 + at) * RATE), round((11.3 + at) * RATE)) for at in range(3))
    line = figures.flagged_line(slot, chapter(1, 60.0, cue("1-0", "天亮了。", 10.0, 14.0, *marks)))
    assert (line.at_seconds, line.heard, line.take, line.tries) == (10.0, "天亮", 0, 1)
    assert [(one.code, one.start_char, one.at_seconds) for one in line.flaws] == [
        ("omission", 2, 12.3),
        ("hole", None, 11.0),
    ]
    unplaced = figures.flagged_line(slot, None)
    assert [one.at_seconds for one in unplaced.flaws] == [None, None]


def test_the_rate_of_speech_leaves_pauses_out_and_parts_lines_between_minutes() -> None:
    first = chapter(1, 100.0, cue("a", "一二三四五六七八九十", 0, 5), cue("b", "一" * 60, 50, 70))
    second = chapter(2, 60.0, cue("c", "一，二。", 20.2, 20.4), cue("d", "一" * 30, 50, 60))
    rate = figures.speech_rate([first, second])
    assert rate.chars_per_second == (2.67, 3.0, 3.14)
    silent = figures.speech_rate([chapter(1, 200.0, cue("a", "一" * 8, 0, 2), cue("b", "一" * 8, 190, 192))])
    assert silent.chars_per_second == (4.0, None, None, 4.0)
    assert figures.speech_rate([]).chars_per_second == ()


def test_who_decided_the_speakers_is_counted_with_the_guesses() -> None:
    def said(rule: str, confidence: float, kind: str = "dialogue") -> Line:
        return Line("x", kind, "a", "a", Span(0, 1), rule=rule, confidence=confidence)  # type: ignore[arg-type]

    lines = [
        said("tag", 0.99),
        said("tag", 0.4),
        said("turns", 0.3),
        said("user", 0.1),
        said("", 1.0, "narration"),
        said("tag", 0.9),
    ]
    found = figures.speakers(lines, Cast(narrator=Role("narrator"), unsure_below=0.5))
    assert [(one.rule, one.lines, one.unsure) for one in found] == [("tag", 3, 1), ("turns", 1, 1), ("user", 1, 0)]


def test_readings_are_counted_and_those_heard_otherwise_proposed(tmp_path: Path) -> None:
    spoken = "他在银行里等。"
    phones = ("ta1", "zai4", "yin2", "hang2", "li3", "deng3")
    readings = tuple(Reading(at, at + 1, one, "user" if at == 3 else "phrase") for at, one in enumerate(phones))
    line = Line("a", "narration", spoken, spoken, Span(0, 1), readings=readings)
    script = [ChapterScript(1, "一", (line, replace(line, id="b"), replace(line, id="c")))]
    heard = [
        Verdict("pass", heard="他在银形里等"),
        Verdict("pass", heard="他在银行里等"),
        Verdict("pass", heard="他在银型里等"),
    ]
    press = Press(tmp_path, script)
    first = heard[0]
    found = figures.readings(judged(press, first, *heard[1:]).slots())
    assert (found.total, found.forced, found.by_origin) == (18, 3, {"phrase": 15, "user": 3})
    (one,) = found.proposals
    assert (one.word, one.char, one.reading, one.heard, one.chapter, one.text) == (
        "银行",
        "行",
        "hang2",
        "xing",
        1,
        spoken,
    )
