from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.kokoro import front, passes

SENTENCE = "院子中间有一口井，井沿上的青石被绳子磨出了深深的印子，不知道用了多少年。"


def plan(text: str, soft: int = 200, language: str = "zh") -> list[passes.Pass]:
    return passes.plan(front.units_of(text, language, ())[0], soft)


def test_one_sentence_a_pass() -> None:
    assert len(plan(SENTENCE * 3)) == 3
    assert all(one.after == "sentence" for one in plan(SENTENCE * 3))


def test_very_short_sentence_joins_its_neighbour() -> None:
    assert len(plan("好。" + SENTENCE)) == 1
    assert len(plan(SENTENCE + "好。")) == 1


def test_closing_quotation_mark_stays_with_its_sentence() -> None:
    first, second = plan("他说：“今天的天气真的非常好。”然后他慢慢地走出了门。")
    assert first.units[-1].phones == "”"
    assert second.units[0].phones == "ɻa↗n"


def test_long_sentence_is_cut_at_clauses_near_the_middle() -> None:
    cut = plan("这是一个很长的句子，" * 20 + "结束了。")
    assert all(one.tokens <= 200 for one in cut)
    assert [one.after for one in cut[:-1]] == ["clause"] * (len(cut) - 1)


def test_sentence_without_any_mark_is_cut_between_words() -> None:
    cut = plan("我们慢慢地走到河边去看那些很久以前的老房子" * 8)
    assert all(one.tokens <= 200 for one in cut)
    assert all(one.units[0].space for one in cut[1:])


def test_a_split_lowers_the_cap_below_the_longest_sentence() -> None:
    units = front.units_of(SENTENCE + "好。", "zh", ())[0]
    caps = [passes.soft_cap(units, split) for split in range(5)]
    assert caps[0] == 200
    longest = max(one.tokens for one in plan(SENTENCE))
    assert caps[1:4] == [int(longest * share) for share in (0.86, 0.5, 0.35)]
    assert caps[4] == caps[3]
    assert passes.soft_cap(front.units_of("好。", "zh", ())[0], 3) == passes.LEAST_TOKENS


def test_every_further_split_makes_more_pieces_and_the_first_cuts_at_a_clause() -> None:
    units = front.units_of(SENTENCE, "zh", ())[0]
    cut = [passes.plan(units, passes.soft_cap(units, split)) for split in range(4)]
    counts = [len(passes_) for passes_ in cut]
    assert counts[0] == 1
    assert counts == sorted(set(counts))
    assert [one.after for one in cut[1]] == ["clause", "sentence"]


@pytest.mark.parametrize("soft", [60, 80, 120, 200])
@settings(deadline=None)  # the first example loads the dictionary
@given(st.text(alphabet="好的天我 a，。！？“”（)bc、…—1", max_size=180))
def test_every_spoken_unit_is_in_exactly_one_pass_in_order(soft: int, text: str) -> None:
    units = front.units_of(text, "zh", ())[0]
    cut = passes.plan(units, soft)
    spoken = [unit for unit in units if unit.kind != "mark"]
    assert [unit for one in cut for unit in one.units if unit.kind != "mark"] == spoken
    assert all(0 < one.tokens <= passes.HARD_TOKENS for one in cut)
    assert all(any(unit.kind != "mark" for unit in one.units) for one in cut)


def test_hard_cap_holds_for_the_worst_line() -> None:
    for text in ("窗" * 180, "Antidisestablishmentarianism" * 6, "WWWWWWWWWW " * 16, "999999999" * 20):
        assert all(one.tokens <= passes.HARD_TOKENS for one in plan(text)), text
