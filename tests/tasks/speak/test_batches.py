"""Batches: every line once, none too big, chapters in order."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.speak.batches import Item, padding_share, plan_batches


def book(lengths: list[list[int]]) -> list[Item]:
    return [Item(chapter, order, cost) for chapter, costs in enumerate(lengths, 1) for order, cost in enumerate(costs)]


def check(items: list[Item], size: int, window: int) -> None:
    batches = plan_batches(items, size, window)
    assert sorted(index for batch in batches for index in batch) == list(range(len(items)))
    assert all(len(batch) == size for batch in batches[:-1])
    if batches:
        assert 1 <= len(batches[-1]) <= size
    for batch in batches:
        places = [(items[index].chapter, items[index].order) for index in batch]
        assert places == sorted(places)
    last_batch = {items[index].chapter: number for number, batch in enumerate(batches) for index in batch}
    for chapter, number in last_batch.items():
        lines_so_far = sum(item.chapter <= chapter for item in items)
        ideal = -(-lines_so_far // size) - 1
        assert number <= ideal + window - 1


@given(
    lengths=st.lists(st.lists(st.integers(0, 180), max_size=30), max_size=8),
    size=st.integers(1, 20),
    window=st.integers(1, 6),
)
def test_every_rule_holds_for_any_book(lengths: list[list[int]], size: int, window: int) -> None:
    check(book(lengths), size, window)


def test_every_rule_holds_for_every_small_book() -> None:
    for first, second, third in product(range(5), repeat=3):
        for size, window in product((1, 2, 3, 4), (1, 2, 3)):
            chance = Random(first * 25 + second * 5 + third)
            check(book([[chance.randrange(100) for _ in range(n)] for n in (first, second, third)]), size, window)


def test_the_order_in_which_lines_are_given_does_not_matter() -> None:
    items = book([[5, 9, 2, 8], [7, 1, 3]])
    shuffled = list(range(len(items)))
    Random(1).shuffle(shuffled)
    plain = [[items[index] for index in batch] for batch in plan_batches(items, 3)]
    mixed = [items[index] for index in shuffled]
    assert [[mixed[index] for index in batch] for batch in plan_batches(mixed, 3)] == plain


def test_a_batch_crosses_the_end_of_a_chapter() -> None:
    batches = plan_batches(book([[10] * 5, [10] * 3]), 4)
    assert [len(batch) for batch in batches] == [4, 4]


def test_a_window_of_one_keeps_reading_order() -> None:
    assert plan_batches(book([[9, 1, 8, 2, 7]]), 2, window=1) == [[0, 1], [2, 3], [4]]


def test_lines_of_a_batch_are_about_equally_long() -> None:
    chance = Random(7)
    items = book([[chance.randrange(4, 180) for _ in range(160)] for _ in range(3)])
    packed = padding_share(items, plan_batches(items, 16))
    in_order = padding_share(items, plan_batches(items, 16, window=1))
    assert packed < in_order / 2


def test_a_long_book_is_planned_whole() -> None:
    check([Item(index // 100, index, index * 37 % 180) for index in range(5_000)], 32, 4)


@pytest.mark.parametrize(("size", "window"), [(0, 1), (-1, 1), (1, 0)])
def test_senseless_sizes_are_refused(size: int, window: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        plan_batches([], size, window)


def test_nothing_to_record_is_no_batch() -> None:
    assert plan_batches([], 16) == []
    assert padding_share([], []) == 0.0
