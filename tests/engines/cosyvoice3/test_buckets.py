"""Grouping lines of like length."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from engines.cosyvoice3.buckets import group

LENGTHS = st.lists(st.integers(1, 60), max_size=40)


@given(LENGTHS, st.integers(1, 300), st.integers(0, 50))
def test_every_line_is_in_exactly_one_group(lengths: list[int], budget: int, price: int) -> None:
    groups = group(lengths, budget, price)
    assert sorted(itertools.chain(*groups)) == list(range(len(lengths)))


@given(LENGTHS, st.integers(1, 300), st.integers(0, 50))
def test_a_group_fits_its_budget_or_is_a_single_line(lengths: list[int], budget: int, price: int) -> None:
    for places in group(lengths, budget, price):
        assert len(places) == 1 or len(places) * max(lengths[place] for place in places) <= budget


@given(LENGTHS, st.integers(1, 300))
def test_the_longest_line_comes_first_and_like_lengths_stand_together(lengths: list[int], budget: int) -> None:
    flat = [lengths[place] for places in group(lengths, budget, 5) for place in places]
    assert flat == sorted(lengths, reverse=True)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=7), st.integers(30, 120), st.integers(0, 40))
def test_no_other_way_to_cut_the_sorted_lines_costs_less(lengths: list[int], budget: int, price: int) -> None:
    ordered = sorted(lengths, reverse=True)

    def cost(parts: list[list[int]]) -> float:
        if any(len(part) > 1 and len(part) * part[0] > budget for part in parts):
            return float("inf")
        return sum(len(part) * part[0] + price for part in parts)

    def cuts() -> list[list[list[int]]]:
        found = []
        for pattern in itertools.product((False, True), repeat=len(ordered) - 1):
            ends = [index + 1 for index, cut in enumerate(pattern) if cut] + [len(ordered)]
            found.append([ordered[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)])
        return found

    ours = [[lengths[place] for place in places] for places in group(lengths, budget, price)]
    assert cost(ours) == min(cost(parts) for parts in cuts())


def test_equal_lines_share_a_group() -> None:
    assert [len(places) for places in group([100] * 8, 800)] == [8]
    assert [len(places) for places in group([100] * 8, 400)] == [4, 4]


def test_a_short_line_does_not_join_a_long_one_unless_a_pass_of_its_own_costs_more() -> None:
    assert len(group([1000, 10], 10_000, 100)) == 2
    assert len(group([1000, 10], 10_000, 2000)) == 1


def test_no_lines_make_no_groups() -> None:
    assert group([], 100) == []
