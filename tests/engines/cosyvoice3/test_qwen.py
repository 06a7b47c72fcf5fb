"""The backbone: one answer by three ways, and rows that do not touch each other."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from engines.cosyvoice3.config import load_config
from engines.cosyvoice3.qwen import BLOCK, LanguageModel, blocks_for, cache_bytes_per_position
from engines.cosyvoice3.weights import load_lm

torch.set_num_threads(1)
MODEL = Path(__file__).parents[2] / "data/cosyvoice3/model"
CONFIG = load_config(MODEL)
STATE = load_lm(MODEL, CONFIG)
WIDTH = CONFIG.lm.qwen.hidden


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return LanguageModel(STATE, CONFIG.lm)


@pytest.fixture(autouse=True)
def inference():
    with torch.inference_mode():
        yield


def line(length: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(length, WIDTH, generator=torch.Generator().manual_seed(seed)) * 0.05


def stepped(model: LanguageModel, whole: torch.Tensor, start: int, slots: int = 3, slot: int = 1) -> torch.Tensor:
    """Hidden states from position ``start - 1`` on, the rest of the slots moving over noise."""
    cache = model.new_cache(slots, len(whole))
    model.prefill(whole[: start - 1], cache, slot)
    others = torch.Generator().manual_seed(99)
    found = []
    for place in range(start - 1, len(whole)):
        x = torch.randn(slots, WIDTH, generator=others)
        positions = torch.randint(0, cache.capacity, (slots,), generator=others)
        x[slot], positions[slot] = whole[place], place
        found.append(model.step(x, positions, cache, cache.blocks)[slot])
    return torch.stack(found)


def test_steps_through_the_cache_equal_the_whole_sequence_across_blocks(model):
    whole = line(2 * BLOCK + 5)
    expected = model.forward(whole[None])[0, BLOCK - 3 :]
    torch.testing.assert_close(stepped(model, whole, BLOCK - 2), expected, atol=2e-5, rtol=0)


def test_a_left_padded_row_equals_the_row_alone(model):
    lines = [line(length, length) for length in (3, 40, 17)]
    padded = torch.stack([torch.cat([torch.full((40 - len(one), WIDTH), 3.0), one]) for one in lines])
    hidden = model.forward(padded, torch.tensor([40 - len(one) for one in lines]))
    for row, one in enumerate(lines):
        torch.testing.assert_close(hidden[row, 40 - len(one) :], model.forward(one[None])[0], atol=2e-5, rtol=0)


def test_a_step_changes_no_bit_when_more_blocks_are_read_or_others_change(model):
    whole = line(20)
    results = []
    for blocks, seed in ((1, 1), (2, 1), (5, 2)):
        cache = model.new_cache(4, 5 * BLOCK)
        model.prefill(whole[:-1], cache, 2)
        generator = torch.Generator().manual_seed(seed)
        for store in (*cache.keys, *cache.values):  # what earlier lines have left behind the row's end
            store[1:] = torch.randn(store[1:].shape, generator=generator)
        x = torch.randn(4, WIDTH, generator=generator)
        x[2] = whole[-1]
        positions = torch.tensor([5, 0, 19, 90])
        results.append(model.log_probs(model.step(x, positions, cache, blocks))[2])
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])


def test_a_copied_slot_continues_like_its_source(model):
    whole = line(BLOCK + 9)
    cache = model.new_cache(3, 2 * BLOCK)
    model.prefill(whole[:-1], cache, 0)
    cache.copy_slot(0, 2, len(whole) - 1)
    x = whole[-1].expand(3, -1)
    positions = torch.full((3,), len(whole) - 1)
    hidden = model.step(x, positions, cache, 2)
    assert torch.equal(hidden[0], hidden[2])
    assert not torch.equal(hidden[0], hidden[1])


def test_the_prefix_is_sos_text_task_and_speech(model):
    config = CONFIG.lm
    prefix = model.prefix([7, 8], [3, 4, 5])
    speech, text = STATE["speech_embedding.weight"], STATE["llm.model.model.embed_tokens.weight"]
    assert torch.equal(prefix, torch.cat([speech[[config.sos]], text[[7, 8]], speech[[config.task, 3, 4, 5]]]))
    assert len(model.prefix([], [])) == 2


def test_log_probabilities_sum_to_one(model):
    found = model.log_probs(model.forward(line(5)[None]))
    assert found.shape == (1, 5, CONFIG.lm.rows)
    torch.testing.assert_close(found.exp().sum(-1), torch.ones(1, 5))


def test_long_sequences_get_the_angles_they_need(model):
    assert model.new_cache(1, 5000).capacity == blocks_for(5000) * BLOCK
    x = line(1)
    cache = model.new_cache(1, 5000)
    assert model.step(x, torch.tensor([4999]), cache, cache.blocks).isfinite().all()


def test_int8_takes_a_quarter_of_the_memory_and_stays_close(model):
    small = LanguageModel(STATE, CONFIG.lm, quantise="int8")
    assert small.nbytes() < model.nbytes() * 0.75  # the embedding stays as it is
    whole = line(60)[None]
    difference = (small.log_probs(small.forward(whole)) - model.log_probs(model.forward(whole))).abs()
    assert 0 < difference.max() < 0.5
    torch.testing.assert_close(stepped(small, whole[0], 30), small.forward(whole)[0, 29:], atol=2e-5, rtol=0)


def test_bfloat16_stays_close(model):
    half = LanguageModel(STATE, CONFIG.lm, dtype=torch.bfloat16)
    whole = line(60)[None]
    expected = model.log_probs(model.forward(whole))
    found = half.log_probs(half.forward(whole))
    assert found.dtype == torch.float32
    assert 0 < (found - expected).abs().max() < 0.5
    assert stepped(half, whole[0], 30).isfinite().all()


def test_bytes_of_the_cache_are_what_is_said(model):
    cache = model.new_cache(2, 300)
    held = sum(store.numel() * store.element_size() for store in (*cache.keys, *cache.values))
    assert held == cache.slots * cache.capacity * cache_bytes_per_position(CONFIG.lm.qwen, torch.float32)
