"""Continuous batching: the same line and seed give the same tokens, whoever shares the batch."""

import random
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from common.errors import VoicepressError
from engines.cosyvoice3.config import load_config, released
from engines.cosyvoice3.decode import CachePlan, Decoder, decode, plan_cache, positions_for, slots_agree, until_idle
from engines.cosyvoice3.prompt import LmInput
from engines.cosyvoice3.qwen import LanguageModel
from engines.cosyvoice3.shapes import lm_shapes
from engines.cosyvoice3.stopping import Decoded, Rules
from engines.cosyvoice3.weights import load_lm

torch.set_num_threads(1)
MODEL = Path(__file__).parents[2] / "data/cosyvoice3/model"
CONFIG = load_config(MODEL)
RULES = Rules(min_length="strict", max_ratio=8.0)
RNG = random.Random(5)
VOCABULARY, CODES = CONFIG.lm.qwen.vocab, CONFIG.lm.speech_tokens


def some_ids(most: int, below: int, least: int = 0) -> tuple[int, ...]:
    return tuple(RNG.randrange(below) for _ in range(RNG.randint(least, most)))


LINES = [LmInput(some_ids(30, 700), some_ids(12, 700, 1), some_ids(160, CODES)) for _ in range(64)]
SEEDS = [RNG.randrange(1 << 63) for _ in LINES]
PLAN = CachePlan(64, positions_for(LINES, RULES))


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return LanguageModel(load_lm(MODEL, CONFIG), CONFIG.lm)


def run(decoder: Decoder, numbers) -> dict[int, Decoded]:
    numbers = list(numbers)
    takes = decode(decoder, [LINES[number] for number in numbers], [(SEEDS[number],) for number in numbers])
    return {number: take for number, (take,) in zip(numbers, takes, strict=True)}


@pytest.fixture(scope="module")
def together(model) -> dict[int, Decoded]:
    """All 64 lines in one batch of 64."""
    return run(Decoder(model, PLAN, RULES), range(64))


def test_the_lines_are_worth_comparing(together):
    lengths = [len(take.drawn) for take in together.values()]
    assert sum(lengths) > 500
    assert max(lengths) > 3 * min(lengths)
    assert len({take.drawn for take in together.values()}) == 64


def test_the_machine_keeps_its_part_of_the_promise(model):
    assert slots_agree(model, PLAN)
    assert slots_agree(model, CachePlan(8, 128))


def test_a_line_alone_in_the_batch_gets_the_tokens_it_gets_among_64(model, together):
    decoder = Decoder(model, PLAN, RULES)
    for number in range(0, 64, 9):
        assert run(decoder, [number]) == {number: together[number]}


def test_the_order_does_not_matter(model, together):
    order = list(range(64))
    random.Random(1).shuffle(order)
    assert run(Decoder(model, PLAN, RULES), order) == together


def test_lines_that_join_late_get_the_same_tokens(model, together):
    rng = random.Random(2)
    order = list(range(64))
    rng.shuffle(order)
    decoder = Decoder(model, PLAN, RULES)
    numbers: dict[int, int] = {}
    found: dict[int, Decoded] = {}
    while order or decoder.busy:
        for _ in range(min(len(order), rng.randrange(4, 16))):
            number = order.pop()
            numbers[decoder.submit(LINES[number], (SEEDS[number],))] = number
        found.update({numbers[ticket]: takes[0] for ticket, takes in decoder.advance()})
    assert found == together


@pytest.mark.parametrize("slots", [1, 5, 16])
def test_fewer_slots_than_lines_give_the_same_tokens_here(model, together, slots):
    """Not promised to the bit between numbers of slots, but no decision of these lines is closer than rounding."""
    assert run(Decoder(model, CachePlan(slots, PLAN.positions), RULES), range(64)) == together


@pytest.mark.parametrize("every", [1, 3, 32])
def test_how_often_the_host_looks_changes_nothing(model, together, every):
    assert run(Decoder(model, CachePlan(16, PLAN.positions), RULES, check_every=every), range(24)) == {
        number: together[number] for number in range(24)
    }


def test_a_used_decoder_gives_what_a_new_one_gives(model, together):
    decoder = Decoder(model, PLAN, RULES)
    run(decoder, range(40, 64))
    assert run(decoder, range(16)) == {number: together[number] for number in range(16)}


def test_a_seed_is_what_makes_a_take(model):
    decoder = Decoder(model, CachePlan(4, PLAN.positions), RULES)
    ((one, two, three),) = decode(decoder, [LINES[3]], [(1, 2, 1)])
    assert one == three
    assert one.drawn != two.drawn
    assert (one.seed, two.seed) == (1, 2)


def test_candidates_share_their_prefix_and_get_what_they_get_alone(model):
    """With two slots for five candidates, some copy a prefix and some compute it anew."""
    seeds = (4, 5, 6, 7, 8)
    few = Decoder(model, CachePlan(2, PLAN.positions), RULES)
    (shared,) = decode(few, [LINES[7]], [seeds])
    alone = [decode(few, [LINES[7]], [(seed,)])[0][0] for seed in seeds]
    assert list(shared) == alone


def test_lines_come_back_as_they_end_and_in_order_from_decode(model):
    decoder = Decoder(model, CachePlan(3, PLAN.positions), RULES)
    tickets = [decoder.submit(line, (seed,)) for line, seed in zip(LINES[:9], SEEDS, strict=False)]
    ended = [ticket for ticket, _ in until_idle(decoder)]
    assert sorted(ended) == tickets
    assert not decoder.busy


def test_a_line_without_end_stops_at_its_ceiling_and_says_so(model):
    rules = Rules(min_length="strict", min_ratio=20.0, max_ratio=20.0, longest_repeat=10**6, longest_silence=10**6)
    line = LmInput((1, 2), (3, 4))
    ((take,),) = decode(Decoder(model, CachePlan(2, positions_for([line], rules)), rules), [line], [(0,)])
    assert (take.stop, len(take.drawn), take.good) == ("length", 40, False)


def test_a_short_cache_lowers_the_ceiling_and_the_take_says_so(model):
    rules = Rules(min_length="strict", min_ratio=100.0, max_ratio=100.0)
    line = LmInput((1, 2), (3, 4, 5))
    ((take,),) = decode(Decoder(model, CachePlan(2, 128), rules), [line], [(0,)])
    assert (take.stop, len(take.drawn)) == ("length", 128 - 7 + 1)


def test_a_line_without_text_is_over_at_once(model):
    decoder = Decoder(model, CachePlan(1, 128), RULES)
    (nothing,), (something,) = decode(decoder, [LmInput((1,), ()), LmInput((1,), (2, 3))], [(0,), (0,)])
    assert (nothing.drawn, nothing.good) == ((), False)
    assert something.drawn


def test_a_prefix_that_does_not_fit_is_an_error(model):
    with pytest.raises(VoicepressError, match="a slot has 128"):
        Decoder(model, CachePlan(1, 128), RULES).submit(LmInput((), (1,) * 200))


def test_a_step_asks_the_device_nothing():
    """On the meta device there are no values: whatever waited for one would fail. This is what lets steps run ahead of
    the host, and be recorded as a CUDA graph."""
    state = {key: torch.empty(shape, device="meta") for key, shape in lm_shapes(CONFIG.lm).items()}
    model = LanguageModel(state, CONFIG.lm, device="meta", dtype=torch.bfloat16)
    decoder = Decoder(model, CachePlan(4, 300), RULES)
    with torch.inference_mode():
        decoder._body(decoder._cache.blocks)
        with pytest.raises(RuntimeError):
            decoder._token.tolist()


def test_the_cache_is_sized_from_a_budget():
    qwen = released().lm.qwen
    each = 1024 * 2 * 24 * 2 * 64 * 2
    assert plan_cache(10 * each, qwen, torch.bfloat16, 1000, 64) == CachePlan(10, 1024)
    assert plan_cache(10 * each, qwen, torch.bfloat16, 1000, 8) == CachePlan(8, 1024)
    assert plan_cache(10 * each, qwen, torch.float32, 1000, 64) == CachePlan(5, 1024)
    with pytest.raises(VoicepressError) as caught:
        plan_cache(each - 1, qwen, torch.bfloat16, 1000, 8)
    assert caught.value.code == "budget-too-small"


def test_memory_does_not_grow_with_lines(model):
    """Nothing of a finished line is kept."""
    decoder = Decoder(model, CachePlan(4, PLAN.positions), RULES)
    run(decoder, range(12))
    assert decoder._lines == {}
    assert decoder._jobs == [None] * 4
    assert not decoder._waiting
