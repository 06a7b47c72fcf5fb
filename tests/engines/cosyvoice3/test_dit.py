"""The diffusion transformer on random weights of the tests' small model."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from engines.cosyvoice3.config import tiny  # noqa: E402
from engines.cosyvoice3.dit import DiT, time_tables  # noqa: E402
from engines.cosyvoice3.shapes import flow_shapes  # noqa: E402
from engines.cosyvoice3.weights import random_state  # noqa: E402

CONFIG = tiny().flow


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def state() -> Any:
    return random_state(flow_shapes(CONFIG), seed=3)


@pytest.fixture(scope="module")
def dit(state: Any) -> Any:
    return DiT(state, CONFIG.dit)


def inputs(rows: int, frames: int, seed: int = 0) -> Any:
    generator = torch.Generator().manual_seed(seed)
    x, cond, mu = torch.randn(3, rows, frames, 80, generator=generator)
    return x, cond, mu, torch.randn(rows, 80, generator=generator)


def run(dit: Any, x: Any, cond: Any, mu: Any, speaker: Any, mask: Any = None, at: float = 0.3) -> Any:
    with torch.inference_mode():
        times = time_tables(random_state(flow_shapes(CONFIG), seed=3), CONFIG.dit, torch.tensor([at]))
        return dit.velocity(x, dit.fixed(cond, mu, speaker), times, 0, dit.rotary(x.shape[1]), mask)


def test_all_lines_of_a_batch_get_what_they_get_alone(dit: Any) -> None:
    x, cond, mu, speaker = inputs(3, 21)
    together = run(dit, x, cond, mu, speaker)
    for row in range(3):
        one = slice(row, row + 1)
        for ours, alone in zip(together, run(dit, x[one], cond[one], mu[one], speaker[one]), strict=True):
            assert torch.allclose(ours[one], alone, atol=1e-5)


def test_what_stands_in_the_padding_is_never_seen(dit: Any) -> None:
    x, cond, mu, speaker = inputs(2, 30)
    mask = (torch.arange(30) < torch.tensor([19, 30, 19, 30])[:, None])[:, None, None]
    padded = run(dit, x, cond, mu, speaker, mask)
    alone = run(dit, x[:1, :19], cond[:1, :19], mu[:1, :19], speaker[:1])
    x[0, 19:] = 1e3
    noisy = run(dit, x, cond, mu, speaker, mask)
    for ours, other, whole in zip(padded, noisy, alone, strict=True):
        assert torch.allclose(ours[0, :19], whole[0], atol=1e-5)
        assert torch.equal(ours[0, :19], other[0, :19])


def test_the_unconditional_half_sees_no_condition(dit: Any) -> None:
    x, cond, mu, speaker = inputs(1, 12)
    guided, free = run(dit, x, cond, mu, speaker)
    other_guided, other_free = run(dit, x, cond + 1, mu - 1, speaker * 2)
    assert torch.equal(free, other_free)
    assert not torch.allclose(guided, other_guided, atol=1e-3)
    bare = run(dit, x, torch.zeros_like(cond), torch.zeros_like(mu), torch.zeros_like(speaker))
    assert torch.allclose(bare[0], free, atol=1e-5)


def test_a_table_of_many_steps_equals_one_made_for_each(state: Any) -> None:
    times = torch.tensor([0.0, 0.2, 0.7])
    many = time_tables(state, CONFIG.dit, times)
    for step in range(3):
        one = time_tables(state, CONFIG.dit, times[step : step + 1])
        assert torch.allclose(many.blocks[step], one.blocks[0], atol=1e-5)
        assert torch.allclose(many.last[step], one.last[0], atol=1e-5)
        assert torch.allclose(many.embedding[step], one.embedding[0], atol=1e-5)


def test_positions_reach_the_first_head_and_no_other(state: Any) -> None:
    """Turned to the angle of every position, the output moves only if head 0's values take part."""
    frames, width = 16, CONFIG.dit.dim_head
    x, cond, mu, speaker = inputs(1, frames)
    for heads, moves in ((slice(0, width), False), (slice(width, None), True)):
        changed = dict(state)
        for number in range(CONFIG.dit.depth):
            name = f"decoder.estimator.transformer_blocks.{number}.attn.to_v."
            for kind in ("weight", "bias"):
                changed[name + kind] = changed[name + kind].clone()
                changed[name + kind][heads] = 0
        dit = DiT(changed, CONFIG.dit)
        times, fixed = time_tables(state, CONFIG.dit, torch.tensor([0.3])), dit.fixed(cond, mu, speaker)
        straight, _ = dit.velocity(x, fixed, times, 0, dit.rotary(frames), None)
        cosines, sines = dit.rotary(frames)
        turned, _ = dit.velocity(x, fixed, times, 0, (cosines.flip(0), sines.flip(0) * 0.5), None)
        assert (not torch.allclose(straight, turned, atol=1e-6)) == moves


def test_half_precision_stays_near(state: Any, dit: Any) -> None:
    given = inputs(2, 25)
    half = DiT(state, CONFIG.dit, dtype=torch.bfloat16)
    for ours, exact in zip(run(half, *given), run(dit, *given), strict=True):
        assert ours.dtype == torch.float32
        assert (ours - exact).abs().max() < 0.05 * exact.abs().max()


def test_angles_stored_in_the_file_are_used(state: Any, dit: Any) -> None:
    stored = {**state, "decoder.estimator.rotary_embed.inv_freq": torch.zeros(CONFIG.dit.dim_head // 2)}
    cosines, sines = DiT(stored, CONFIG.dit).rotary(5)
    assert torch.equal(cosines, torch.ones_like(cosines))
    assert not sines.any()
    assert dit.rotary(5)[1].any()
