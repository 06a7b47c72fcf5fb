"""Verdicts: what is recorded again, what a person should hear, what passes."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.check.compare import Wanted, compare
from tasks.check.judge import Evidence, LineFacts, judge, needed_seconds
from tasks.check.limits import load_limits
from tasks.check.norms import Norm
from tasks.check.signal import Measures
from tasks.domain import TakeMark

LIMITS = load_limits()
LINE = LineFacts("今天天气很好，我们去公园。")
NEEDED = needed_seconds(LINE, LIMITS)
GOOD = Measures(
    seconds=NEEDED + 1.2, head_seconds=0.4, tail_seconds=0.8, sounding_seconds=NEEDED, gap_seconds=0.3, peak=0.5,
    level_db=-21.0, dc=0.0, end_drop_db=70.0, clipped_runs=0,
)  # fmt: skip
SHORTEST = LIMITS.shortest_ratio * NEEDED - LIMITS.shortest_slack_seconds
LONGEST = LIMITS.longest_ratio * NEEDED + LIMITS.longest_slack_seconds

FAULTS = {
    "too-fast": ({"sounding_seconds": SHORTEST - 0.01}, "retry"),
    "too-slow": ({"sounding_seconds": LONGEST + 0.01}, "retry"),
    "hole": ({"gaps": ((1.0, 1.01 + LIMITS.longest_gap_seconds),)}, "retry"),
    "click": ({"clicks": ((1.0, LIMITS.click_factor + 0.1),)}, "retry"),
    "noise": ({"noise_db": LIMITS.least_noise_db - 0.1}, "flagged"),
    "cut-off": ({"end_drop_db": LIMITS.cut_off_db - 0.1}, "retry"),
    "silent": ({"sounding_seconds": 0.0, "head_seconds": 3.0, "level_db": -math.inf}, "retry"),
    "head-silence": ({"head_seconds": LIMITS.longest_head_seconds + 0.01}, "flagged"),
    "tail-silence": ({"tail_seconds": LIMITS.longest_tail_seconds + 0.01}, "flagged"),
    "level": ({"level_db": LIMITS.quietest_db - 0.1}, "flagged"),
    "clipping": ({"clipped_runs": LIMITS.most_clipped_runs + 1}, "flagged"),
    "dc": ({"dc": -LIMITS.largest_dc - 0.001}, "flagged"),
}


def words(verdict: object) -> list[str]:
    return [reason.split(":")[0] for reason in verdict.reasons]  # type: ignore[attr-defined]


def test_a_good_take_passes_with_the_best_score() -> None:
    verdict = judge(GOOD, "end", LINE, LIMITS)
    assert (verdict.outcome, verdict.reasons, verdict.score) == ("pass", (), 1.0)
    assert verdict.measures["needed_seconds"] == pytest.approx(NEEDED, abs=0.001)


@pytest.mark.parametrize("word", FAULTS)
def test_each_fault_alone_has_its_outcome_and_word(word: str) -> None:
    changes, outcome = FAULTS[word]
    verdict = judge(replace(GOOD, **changes), "end", LINE, LIMITS)  # type: ignore[arg-type]
    assert (words(verdict), verdict.outcome) == ([word], outcome)
    assert verdict.score < 1.0


def test_two_faults_together_are_both_named_and_the_worse_decides() -> None:
    for (first, (one, out_one)), (second, (other, out_other)) in combinations(FAULTS.items(), 2):
        if one.keys() & other.keys() or "silent" in (first, second):
            continue
        verdict = judge(replace(GOOD, **{**one, **other}), "end", LINE, LIMITS)  # type: ignore[arg-type]
        assert set(words(verdict)) == {first, second}
        assert verdict.outcome == ("retry" if "retry" in (out_one, out_other) else "flagged")


@pytest.mark.parametrize("stop", ["length", "silence", "repeat"])
def test_an_engine_that_did_not_stop_by_itself_is_asked_again(stop: str) -> None:
    verdict = judge(GOOD, stop, LINE, LIMITS)  # type: ignore[arg-type]
    assert (words(verdict), verdict.outcome) == (["stopped"], "retry")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sounding_seconds", SHORTEST + 1e-6), ("sounding_seconds", LONGEST - 1e-6), ("gaps", ((1.0, 1.0 + LIMITS.longest_gap_seconds),)),
        ("end_drop_db", LIMITS.cut_off_db), ("head_seconds", LIMITS.longest_head_seconds),
        ("tail_seconds", LIMITS.longest_tail_seconds), ("level_db", LIMITS.quietest_db), ("level_db", LIMITS.loudest_db),
        ("clipped_runs", LIMITS.most_clipped_runs), ("dc", LIMITS.largest_dc),
    ],
)  # fmt: skip
def test_what_is_just_inside_the_limits_passes(field: str, value: object) -> None:
    assert judge(replace(GOOD, **{field: value}), "end", LINE, LIMITS).outcome == "pass"


def test_the_better_of_two_takes_has_the_higher_score() -> None:
    scores = [
        judge(replace(GOOD, **changes), "end", LINE, LIMITS).score  # type: ignore[arg-type]
        for changes in (
            {}, {"sounding_seconds": NEEDED * 1.3}, {"sounding_seconds": NEEDED * 1.6}, {"dc": 0.1},
            {"gaps": ((1.0, 9.0),)}, {"gaps": ((1.0, 9.0),), "dc": 0.1}, {"sounding_seconds": 0.0},
        )
    ]  # fmt: skip
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("今天天气好", 5 / LIMITS.han_per_second),
        ("今天天气好。", 5 / LIMITS.han_per_second),
        ("“今天天气好！”", 5 / LIMITS.han_per_second),
        ("今天，天气好", 5 / LIMITS.han_per_second + LIMITS.clause_pause_seconds),
        ("今天。天气好", 5 / LIMITS.han_per_second + LIMITS.sentence_pause_seconds),
        ("今天……天气好", 5 / LIMITS.han_per_second + LIMITS.sentence_pause_seconds),
        ("，今天天气好", 5 / LIMITS.han_per_second),
        ("Hello there", 10 / LIMITS.letters_per_second),
        ("用 iPhone 打", 2 / LIMITS.han_per_second + 6 / LIMITS.letters_per_second),
        ("", 0.0),
        ("……", 0.0),
    ],
)
def test_a_text_needs_its_characters_and_the_pauses_inside(text: str, seconds: float) -> None:
    assert needed_seconds(LineFacts(text), LIMITS) == pytest.approx(seconds)
    assert needed_seconds(LineFacts(text, speed=0.5), LIMITS) == pytest.approx(2 * seconds)


@pytest.mark.parametrize("text", ["嗯。", "好的。", "Oh!", "Run!"])
@pytest.mark.parametrize("sounding", [0.25, 0.5, 0.78])
def test_a_very_short_line_is_given_its_slack(text: str, sounding: float) -> None:
    assert judge(replace(GOOD, sounding_seconds=sounding), "end", LineFacts(text), LIMITS).outcome == "pass"


@pytest.mark.parametrize(
    ("text", "sounding"),
    [
        ("WWW", 1.6),
        ("WWW", 0.4),
        ("STOP!", 0.4),
        ("STOP!", 1.4),
        ("他在FBI工作。", 1.9),
        ("WHAT DID YOU SAY?", 0.9),
        ("拨打110。", 1.2),
    ],
)
def test_capitals_and_digits_may_be_spelled_or_read(text: str, sounding: float) -> None:
    assert judge(replace(GOOD, sounding_seconds=sounding), "end", LineFacts(text), LIMITS).outcome == "pass"


def test_only_capitals_that_stand_together_are_spelled() -> None:
    for text in ("WiFi", "Hello There", "hello"):
        line = LineFacts(text)
        extra = needed_seconds(line, LIMITS, spelled=True) - needed_seconds(line, LIMITS)
        assert extra == pytest.approx(0.0)


@given(
    seconds=st.floats(0, 1e4), head=st.floats(0, 1e4), gap=st.floats(0, 1e4), level=st.floats(-200, 50) | st.just(-math.inf),
    drop=st.floats(-50, 200) | st.just(math.inf), text=st.text(max_size=50), stop=st.sampled_from(["end", "length", "new"]),
)  # fmt: skip
def test_any_figures_give_a_verdict(
    seconds: float, head: float, gap: float, level: float, drop: float, text: str, stop: str
) -> None:
    measures = Measures(seconds + head, head, 0.0, seconds, gap, 0.1, level, 0.0, drop, 0)
    verdict = judge(measures, stop, LineFacts(text), LIMITS)  # type: ignore[arg-type]
    assert math.isfinite(verdict.score)
    assert (verdict.outcome == "pass") == (not verdict.reasons)
    assert all(math.isfinite(value) for value in verdict.measures.values())


def test_a_gap_inside_a_phrase_is_a_hole_sooner_than_one_at_a_mark() -> None:
    gap = replace(GOOD, gaps=((1.0, 1.0 + (LIMITS.longest_unmarked_gap_seconds + LIMITS.longest_gap_seconds) / 2),))
    assert judge(gap, "end", LINE, LIMITS).outcome == "pass"
    assert words(judge(gap, "end", LineFacts(LINE.spoken.replace("，", "")), LIMITS)) == ["hole"]


def test_what_is_usual_for_a_voice_is_held_against_its_takes() -> None:
    norm = Norm(pace=0.8, level_db=-21.0)
    assert (
        judge(replace(GOOD, sounding_seconds=0.8 * NEEDED), "end", LINE, LIMITS, Evidence(norm=norm)).outcome == "pass"
    )
    louder = replace(GOOD, level_db=-18.0, sounding_seconds=0.8 * NEEDED)
    assert words(judge(louder, "end", LINE, LIMITS, Evidence(norm=norm))) == ["level"]
    slow = replace(GOOD, sounding_seconds=0.8 * 1.4 * NEEDED + LIMITS.longest_slack_seconds + 0.1)
    assert words(judge(slow, "end", LINE, LIMITS, Evidence(norm=norm))) == ["too-slow"]


@pytest.mark.parametrize(
    ("likeness", "other", "good"), [(0.9, 0.7, True), (0.8, 0.82, True), (0.8, 0.9, False), (0.4, 0.1, False)]
)
def test_a_take_must_be_like_its_voice_and_no_other(likeness: float, other: float, good: bool) -> None:
    verdict = judge(GOOD, "end", LINE, LIMITS, Evidence(likeness=likeness, other_likeness=other))
    assert words(verdict) == ([] if good else ["voice"])


def test_what_is_heard_otherwise_is_named_with_characters_and_seconds() -> None:
    heard = compare(Wanted(LINE.spoken), "今天天气很好我们去")
    marks = tuple(TakeMark(i, i + 1, i * 2400, (i + 1) * 2400) for i in range(len(LINE.spoken)))
    verdict = judge(GOOD, "end", LINE, LIMITS, Evidence(comparison=heard, marks=marks))
    assert words(verdict) == ["omission"]
    flaw = verdict.flaws[0]
    assert (LINE.spoken[flaw.start_char : flaw.end_char], flaw.start_seconds, flaw.end_seconds) == ("公园", 1.0, 1.2)
    assert verdict.heard == "今天天气很好我们去"


def test_a_foreign_language_is_the_only_thing_said_of_a_take_in_it() -> None:
    heard = compare(Wanted(LINE.spoken), "The weather is good")
    assert words(judge(GOOD, "end", LINE, LIMITS, Evidence(comparison=heard, foreign="en"))) == ["wrong-language"]
