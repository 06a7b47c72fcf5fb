"""The speed benchmark's arithmetic, on a model small enough to wait for."""

import pytest

pytest.importorskip("torch")

import torch

from benchmarks import cosyvoice3_lm
from benchmarks.cosyvoice3_rates import Machine, Rate, table
from engines.cosyvoice3.config import tiny
from engines.cosyvoice3.qwen import LanguageModel
from engines.cosyvoice3.shapes import lm_shapes
from engines.cosyvoice3.weights import random_state

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    config = tiny().lm
    return LanguageModel(random_state(lm_shapes(config)), config)


def test_every_line_is_decoded_to_the_length_asked_for(model):
    alone, three = cosyvoice3_lm.rates("cpu", (1, 3), 0.8, model=model)
    assert (alone.tokens, three.tokens) == (20, 60)
    assert three.audio_seconds == pytest.approx(2.4)
    assert three.flop == pytest.approx(3 * alone.flop)
    assert alone.peak_bytes > 0


def test_a_table_compares_with_the_machine_and_the_smallest_batch():
    machine = Machine("test", flops=100e9, bandwidth=10e9)
    rates = [
        Rate("LM", 1, 10.0, 40.0, flop=200e9, bytes_read=200e9, tokens=250, peak_bytes=2_000_000_000),
        Rate("LM", 8, 80.0, 80.0, flop=1600e9, bytes_read=200e9, tokens=2000),
    ]
    assert rates[0].bound(machine) == pytest.approx(0.5)
    rows = table(rates, machine).splitlines()
    assert "| LM | 1 | 0.250 | 1.00 | 6.2 | 5.0 | 5% | 5.0 | 50% | 2.00 |" in rows
    assert rows[-1].startswith("| LM | 8 | 1.000 | 4.00 | 25.0 | 20.0 | 20% |")


def test_a_body_at_released_size_takes_073_gflop_a_token():
    from engines.cosyvoice3.config import released

    config = released().lm
    counted = sum(
        shape[0] * shape[1] for name, shape in lm_shapes(config).items() if len(shape) == 2 and "embed" not in name
    )
    assert 2 * counted / 1e9 == pytest.approx(0.73, abs=0.01)
