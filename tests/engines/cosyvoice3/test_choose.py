"""Which take of a line is worth its sound."""

from __future__ import annotations

import pytest

from engines.base import Stop
from engines.cosyvoice3.choose import Candidate, choose, fits


def take(tokens: int, stop: Stop = "end") -> Candidate:
    return Candidate(tokens * 0.04, stop)


def test_a_good_take_wins_over_a_failed_one() -> None:
    assert choose([take(50, "length"), take(200)]) == 1
    assert choose([take(50, "repeat"), take(49, "length")], (1.9, 2.1)) == 0
    assert choose([take(0), take(80, "length")]) == 1


def test_the_window_decides_then_its_middle() -> None:
    takes = [take(40), take(60), take(52), take(90)]
    assert choose(takes, (2.0, 2.2)) == 2
    assert choose(takes, (3.0, 3.4)) == 3
    assert choose(takes, (1.5, 2.5)) == 2
    assert choose(takes, (0.1, 0.2)) == 0


def test_without_a_window_the_median_is_trusted_and_equals_go_to_the_first() -> None:
    assert choose([take(400), take(50), take(52)]) == 2
    assert choose([take(50), take(50)]) == 0
    with pytest.raises(ValueError, match="nothing to choose"):
        choose([])


def test_both_ends_of_a_window_fit() -> None:
    assert fits(2.0, (2.0, 3.0))
    assert fits(3.0, (2.0, 3.0))
    assert not fits(3.1, (2.0, 3.0))
    assert fits(99.0, None)
