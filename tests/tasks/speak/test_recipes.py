from __future__ import annotations

from dataclasses import replace

import pytest

from engines.base import Limits, Utterance, Voice
from tasks.speak.recipes import DRAWN, FIXED, apply, codes_of, next_take, pieces_of, recipe_of, ways_for, with_stops

VOICE = Voice("v", "tone", "v", "zh", "female", content="v")
CUTS = Limits(24_000, 180, 32, ("zh", "en"), "pinyin", deterministic=True, cuts=True)
FIXED_ONLY = replace(CUTS, cuts=False)
DRAWS = replace(CUTS, deterministic=False, cuts=False)
LONG = "院子中间有一口井，井沿上的青石被绳子磨出了深深的印子，不知道用了多少年。"


def order(limits: Limits, *reasons: str, text: str = LONG, most: int = 20) -> list[int]:
    """The takes that are tried one after the other while the same is wrong."""
    tried = [0]
    while len(tried) < most and (number := next_take(limits, text, reasons, tried)) is not None:
        tried.append(number)
    return tried[1:]


def test_lost_words_are_cut_otherwise_where_the_engine_always_says_the_same() -> None:
    numbers = order(CUTS, "omission: '井' is not heard")
    assert recipe_of(numbers[0], CUTS).split == 1
    assert recipe_of(numbers[1], CUTS).speed == 0.96
    assert {recipe_of(number, CUTS).split for number in numbers} == {0, 1, 2, 3}
    assert all(recipe_of(number, CUTS).speed <= 1.0 for number in numbers)


def test_lost_words_are_drawn_anew_first_where_the_engine_draws() -> None:
    recipes = [recipe_of(number, DRAWS) for number in order(DRAWS, "repeat: '井沿' is heard twice", most=5)]
    assert recipes[0].name == "seed"
    assert recipes[1].name == "split 1, seed"
    assert all(recipe.seed for recipe in recipes)


@pytest.mark.parametrize(("reason", "speed"), [("too-fast: 1 s", 0.96), ("too-slow: 9 s", 1.04)])
@pytest.mark.parametrize("limits", [CUTS, FIXED_ONLY, DRAWS])
def test_a_wrong_pace_is_said_at_another(reason: str, speed: float, limits: Limits) -> None:
    assert recipe_of(order(limits, reason)[0], limits).speed == speed


@pytest.mark.parametrize(
    "reason", ["level: +4.0 dB", "tail-silence: 4 s", "head-silence: 3 s", "dc: the mean is +0.030"]
)
def test_what_the_stitcher_or_a_person_mends_is_not_recorded_again(reason: str) -> None:
    for limits in (CUTS, DRAWS):
        assert order(limits, reason) == []
        assert order(limits, reason, "click: a click at 1.00 s") != []


def test_what_nothing_can_change_is_not_tried() -> None:
    assert order(CUTS, "hole: 2 s", text="好。") == [2, 3]  # too short to cut: only the speed
    assert order(FIXED_ONLY, "clipping: 9 flat peaks", text="没有逗号的一个长句子什么也切不开。") == []
    assert order(CUTS, "clipping: 9 flat peaks", text=LONG)[:2] == [1, 4]


def test_no_take_is_tried_twice_and_those_who_draw_go_on_drawing() -> None:
    for limits in (CUTS, FIXED_ONLY, DRAWS):
        numbers = order(limits, "hole: 2 s", "too-fast: 1 s", "something-new: x", most=30)
        assert len(numbers) == len(set(numbers))
    assert len(order(DRAWS, "leak: x", most=30)) == 29
    assert len(order(CUTS, "hole: 2 s", most=30)) == len(FIXED) - 1


def test_a_number_is_one_recipe_for_good() -> None:
    assert [recipe_of(number, CUTS).name for number in range(8)] == [
        "plain", "split 1", "speed x0.96", "speed x1.04", "split 2", "split 3", "split 1, speed x0.96", "split 1, speed x1.04",
    ]  # fmt: skip
    assert len({recipe.name for recipe in FIXED}) == len(FIXED)
    assert recipe_of(40, DRAWS).name == "seed"
    assert DRAWN[0] == FIXED[0] == recipe_of(-1, CUTS)


def test_the_recipe_is_in_the_utterance() -> None:
    plain = Utterance(LONG, VOICE, speed=0.9)
    assert apply(plain, CUTS) == plain
    cut = apply(replace(plain, take=6), CUTS)
    assert (cut.split, cut.speed, cut.text) == (1, 0.864, LONG)
    marked = apply(replace(plain, take=1), FIXED_ONLY)
    assert marked.split == 0
    assert marked.text == LONG.replace("印子，", "印子。")
    assert apply(replace(plain, take=2), DRAWS).text == marked.text


def test_full_stops_keep_every_place() -> None:
    assert with_stops(LONG, 2) == LONG.replace("，", "。")
    assert with_stops(LONG, 9) == with_stops(LONG, 2)
    assert with_stops("One, two, three and 3,000 more, he said.", 3) == "One. two. three and 3,000 more. he said."
    assert with_stops("没有——真的没有。", 1) == "没有——真的没有。"
    assert with_stops("", 1) == ""


def test_how_often_a_line_can_be_cut() -> None:
    assert [pieces_of(text) for text in ("好。", "他们回来了吗", "他们回来了吗？好的", LONG, "Yes.", "He came back at last.")] == [
        1, 1, 2, 4, 1, 2,
    ]  # fmt: skip


def test_codes_are_the_words_before_the_colon() -> None:
    assert codes_of(["hole: 2 s: long", "click", "hole: 3 s"]) == ["hole", "click"]
    assert ways_for([]) == ["seed", "split", "slower", "faster"]
    assert ways_for(["level: x"]) == []
