"""The benchmark of flow and vocoder: its arithmetic, and that it runs at any size."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from benchmarks.cosyvoice3_stages import Measured, flow_flop, measure, table, vocoder_flop  # noqa: E402
from engines.cosyvoice3.config import released, tiny  # noqa: E402
from engines.cosyvoice3.flow import Flow  # noqa: E402
from engines.cosyvoice3.hift import Vocoder  # noqa: E402
from engines.cosyvoice3.noise import SineNoise  # noqa: E402
from engines.cosyvoice3.shapes import flow_shapes, hift_shapes  # noqa: E402
from engines.cosyvoice3.weights import random_state  # noqa: E402


def counted(work: Any) -> float:
    """What torch counts: products of matrices and convolutions. Attention on a CPU it does not know."""
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        work()
    return float(counter.get_total_flops())


def test_operations_of_the_flow_are_what_torch_counts() -> None:
    config = tiny().flow
    flow = Flow(random_state(flow_shapes(config)), config, steps=3)
    ids, frames = torch.zeros(54, dtype=torch.int64), 128
    conditions = flow.conditions([ids], [ids[:10]], [torch.zeros(20, 80)], [torch.ones(192)])
    assert conditions.mu.shape[1] == frames
    attention = 2 * 2 * 2 * config.dit.depth * config.dit.heads * config.dit.dim_head * frames**2 * 3
    assert flow_flop(config, frames, 3) - attention == pytest.approx(counted(lambda: flow.solve(conditions)), rel=0.01)


def test_operations_of_the_vocoder_are_what_torch_counts() -> None:
    config = tiny().hift
    vocoder = Vocoder(random_state(hift_shapes(config)), config, SineNoise(6561, config.f0_channels))
    assert vocoder_flop(config, 208) == pytest.approx(counted(lambda: vocoder.run([torch.zeros(80, 208)])), rel=0.05)


def test_a_second_of_audio_costs_at_released_size_what_is_published() -> None:
    sizes = released()
    assert flow_flop(sizes.flow, 650, 10) / 10 == pytest.approx(0.6e12, rel=0.1)
    assert vocoder_flop(sizes.hift, 50) == pytest.approx(0.03e12, rel=0.1)


def test_every_stage_is_measured_one_by_one_and_as_a_batch() -> None:
    rows = measure(threads=1, lines=3, seconds=0.4, prompt_seconds=0.2, steps=1, config=tiny())
    assert [(row.stage, row.batch, row.lines) for row in rows] == [
        ("flow", 1, 3),
        ("flow", 3, 3),
        ("vocoder", 1, 3),
        ("vocoder", 3, 3),
    ]
    assert all(row.seconds > 0 and row.flop > 0 and row.audio_seconds == pytest.approx(1.2) for row in rows)
    assert "1 of 10" in rows[0].note


def test_the_table_shows_speed_and_share_of_the_machine() -> None:
    row = Measured("flow", 8, 8, 40.0, 80.0, 4e12, 2_000_000_000, 50.0, "scaled")
    assert table([row], 2e11).splitlines()[-1] == "| flow | 8 | 2 | 1.6 | 100 | 50% | 2.0 GB | scaled |"
