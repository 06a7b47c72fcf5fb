"""The fixed noise buffers."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from engines.cosyvoice3.noise import FLOW_FRAMES, SINE_ROWS, SineNoise, flow_noise  # noqa: E402

GOLDEN = Path(__file__).resolve().parents[4] / "shared" / "cosyvoice3-parity" / "golden"


def test_the_noise_of_the_released_sizes_begins_as_the_model_was_trained_with() -> None:
    noise = SineNoise(6561, 512)
    start = [0.9228259921073914, 0.477447509765625, 0.8270518183708191, 0.2834571599960327]
    assert noise.rows(1)[0, :4].tolist() == start
    assert noise.first_phase[0, :3].tolist() == [0.0, 0.17098891735076904, 0.1653319001197815]
    first = torch.tensor([-1.1258398294448853, -1.152360200881958, -0.2505785822868347, -0.4338788092136383])
    assert torch.allclose(flow_noise()[0, :4], first, atol=1e-5)
    assert flow_noise().shape == (80, FLOW_FRAMES)


@pytest.mark.skipif(not GOLDEN.exists(), reason="the golden files are not here")
def test_all_uniform_noise_equals_the_golden_hashes() -> None:
    wanted = json.loads((GOLDEN / "noise_hashes.json").read_text(encoding="utf-8"))
    for name, channels in (("tiny", 48), ("official", 512)):
        noise = SineNoise(6561, channels)
        for tensor, key in ((noise.first_phase, "rand_ini"), (noise.rows(SINE_ROWS), "sine_waves")):
            assert hashlib.sha256(tensor.numpy()).hexdigest() == wanted[name][f"sine_gen.{key}"]["sha256"]


def test_asking_for_more_keeps_what_was_there() -> None:
    grown, whole = SineNoise(100, 8), SineNoise(100, 8)
    first = grown.rows(1000).clone()
    assert torch.equal(grown.rows(600_000), whole.rows(600_000))
    assert torch.equal(grown.rows(1000), first)


def test_the_process_s_own_generator_is_not_touched() -> None:
    torch.manual_seed(7)
    before = torch.random.get_rng_state()
    SineNoise(100, 8).rows(500)
    flow_noise.cache_clear()
    flow_noise()
    assert torch.equal(before, torch.random.get_rng_state())


def test_more_noise_than_there_is_is_an_error() -> None:
    with pytest.raises(ValueError, match="7200001"):
        SineNoise(100, 8).rows(SINE_ROWS + 1)
