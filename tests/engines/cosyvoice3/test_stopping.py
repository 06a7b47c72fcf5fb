"""When a line ends, what is spoken of it, which take is best."""

import itertools
import random

import pytest

from engines.cosyvoice3.stopping import (
    SILENT_TOKENS,
    Decoded,
    Rules,
    Watch,
    candidate_seed,
    shorten_silences,
)

CODES = 6561


def read(draws, most=1000, **rules):
    watch = Watch(CODES, most, Rules(**rules))
    for token in draws:
        stop = watch.read(token)
        if stop:
            return stop, watch.drawn
    return None, watch.drawn


@pytest.mark.parametrize("end", [CODES, CODES + 1, CODES + 2, CODES + 199])
def test_any_id_beyond_the_codes_ends_a_line_and_is_dropped(end):
    assert read([5, 6, end, 7]) == ("end", [5, 6])


def test_the_first_draw_may_be_the_end():
    assert read([CODES]) == ("end", [])
    assert not Decoded((), "end").good


def test_the_ceiling_is_a_stop_of_its_own():
    assert read(range(100), most=10) == ("length", list(range(10)))
    assert read([*range(9), CODES], most=10)[0] == "end"


def test_25_equal_tokens_in_a_row_end_a_line():
    assert read([9] * 24 + [8] + [9] * 24) == (None, [9] * 24 + [8] + [9] * 24)
    assert read([4] + [9] * 30) == ("repeat", [4] + [9] * 25)


def test_a_runaway_silence_ends_a_line():
    silent = itertools.cycle(sorted(SILENT_TOKENS))
    stop, drawn = read(itertools.islice(silent, 200))
    assert (stop, len(drawn)) == ("silence", 75)
    assert read([*[1, 2] * 37, 500, *[1, 2] * 37])[0] is None


def test_only_a_line_that_ended_by_itself_is_good():
    assert Decoded((1,), "end").good
    assert not any(Decoded((1,), stop).good for stop in ("length", "repeat", "silence"))


def test_silences_are_shortened_to_five_and_nothing_else_is_touched():
    assert shorten_silences([7, 1, 2, 28, 29, 55, 248, 494, 8, 1]) == (7, 1, 2, 28, 29, 55, 8, 1)
    assert shorten_silences([]) == ()
    rng = random.Random(0)
    for _ in range(200):
        tokens = [rng.choice([*SILENT_TOKENS, 7, 8]) for _ in range(40)]
        kept = shorten_silences(tokens)
        assert [token for token in kept if token not in SILENT_TOKENS] == [t for t in tokens if t not in SILENT_TOKENS]
        assert shorten_silences(kept) == kept


def test_the_tokens_of_a_take_are_the_shortened_ones():
    assert Decoded((1,) * 9, "end").tokens == (1,) * 5


def test_candidates_have_seeds_of_their_own():
    seeds = {candidate_seed(seed, number) for seed in range(50) for number in range(16)}
    assert len(seeds) == 800
    assert candidate_seed(12, 0) == 12
    assert all(0 <= seed < 1 << 63 for seed in seeds)
