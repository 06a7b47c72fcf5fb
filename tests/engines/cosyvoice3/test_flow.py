"""From tokens to mel: many lines in one pass equal each line alone."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from benchmarks.parity.fixture import Fixture  # noqa: E402
from benchmarks.parity.flow_stages import FLOW_LIMIT, flow_inputs  # noqa: E402
from engines.cosyvoice3.config import load_config, tiny  # noqa: E402
from engines.cosyvoice3.flow import Flow, change_speed, schedule, shorten_prompt  # noqa: E402
from engines.cosyvoice3.noise import FLOW_FRAMES  # noqa: E402
from engines.cosyvoice3.shapes import flow_shapes  # noqa: E402
from engines.cosyvoice3.weights import load_flow, random_state  # noqa: E402

SHARED = Path(__file__).resolve().parents[4] / "shared" / "cosyvoice3-parity"
CONFIG = tiny().flow


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def state() -> Any:
    return random_state(flow_shapes(CONFIG), seed=5)


@pytest.fixture(scope="module")
def flow(state: Any) -> Any:
    return Flow(state, CONFIG, budget_frames=1 << 30)


def lines(counts: list[int], prompts: list[int], seed: int = 0) -> Any:
    generator = torch.Generator().manual_seed(seed)

    def ids(counts: list[int]) -> Any:
        return [torch.randint(0, CONFIG.vocab_size, (count,), generator=generator) for count in counts]

    mels = [torch.randn(2 * count, 80, generator=generator) for count in prompts]
    return ids(counts), ids(prompts), mels, [torch.randn(192, generator=generator) for _ in counts]


def pick(given: Any, order: list[int]) -> Any:
    return tuple([column[place] for place in order] for column in given)


def test_sixteen_lines_of_mixed_length_equal_the_same_lines_one_by_one_in_any_order(flow: Any) -> None:
    draw = random.Random(1)
    given = lines([draw.randint(1, 60) for _ in range(16)], [draw.choice((0, 5, 12, 20)) for _ in range(16)])
    alone = [flow.run(*pick(given, [number]))[0] for number in range(16)]
    orders = [list(range(16)), draw.sample(range(16), 16)]
    for order in orders:
        for number, mel in zip(order, flow.run(*pick(given, order)), strict=True):
            assert mel.shape == alone[number].shape == (80, 2 * len(given[0][number]))
            assert (mel - alone[number]).abs().max() < 1e-4


def test_small_groups_give_what_one_large_group_gives(state: Any, flow: Any) -> None:
    given = lines([30, 4, 17, 4, 45, 9], [6] * 6)
    small = Flow(state, CONFIG, budget_frames=120)
    for ours, whole in zip(small.run(*given), flow.run(*given), strict=True):
        assert (ours - whole).abs().max() < 1e-4


def test_a_line_without_tokens_gives_a_mel_without_frames(flow: Any) -> None:
    given = lines([0, 8, 0], [4, 4, 4])
    mels = flow.run(*given)
    assert [tuple(mel.shape) for mel in mels] == [(80, 0), (80, 16), (80, 0)]
    assert torch.equal(mels[1], flow.run(*pick(given, [1]))[0])
    assert flow.run([], [], [], []) == []


def test_ids_below_zero_count_as_zero(flow: Any) -> None:
    tokens, *rest = lines([6], [3])
    tokens[0][2] = 0
    zero = flow.run(tokens, *rest)[0]
    tokens[0][2] = -1
    assert torch.equal(flow.run(tokens, *rest)[0], zero)


def test_a_line_longer_than_the_noise_is_an_error_that_names_it(flow: Any) -> None:
    given = lines([3, FLOW_FRAMES // 2], [2, 2])
    with pytest.raises(ValueError, match="line 1 has 15004 frames"):
        flow.run(*given)


def test_a_prompt_whose_mel_does_not_fit_its_tokens_is_an_error(flow: Any) -> None:
    tokens, prompts, mels, speakers = lines([3], [4])
    with pytest.raises(ValueError, match="4 tokens, but 7 frames"):
        flow.run(tokens, prompts, [mels[0][:7]], speakers)


def test_the_last_tokens_look_ahead_into_nothing_as_a_line_alone_does(flow: Any) -> None:
    given = lines([5, 50], [3, 3])
    probe: dict[str, Any] = {}
    conditions = flow.conditions(*given, probe=probe)
    alone: dict[str, Any] = {}
    flow.conditions(*pick(given, [0]), probe=alone)
    assert torch.allclose(probe["lookahead_out"][0, :8], alone["lookahead_out"][0], atol=1e-6)
    assert not conditions.mu[0, 16:].any()


def test_the_schedule_is_the_cosine_one() -> None:
    span, times, widths = schedule(10)
    assert span[0] == 0
    assert span[-1] == pytest.approx(1, abs=1e-6)
    assert span[1] == pytest.approx(0.01231164, abs=1e-7)
    assert torch.allclose(times, span[:-1], atol=1e-6)
    assert widths.sum() == pytest.approx(1, abs=1e-6)
    assert torch.allclose(schedule(4, "linear")[0], torch.tensor([0, 0.25, 0.5, 0.75, 1.0]))


def test_fewer_steps_come_near(state: Any, flow: Any) -> None:
    given = lines([12], [4])
    coarse = Flow(state, CONFIG, steps=5).run(*given)[0]
    fine = Flow(state, CONFIG, steps=40).run(*given)[0]
    exact = flow.run(*given)[0]
    assert not torch.equal(coarse, exact)
    assert (exact - fine).abs().mean() < (coarse - fine).abs().mean()


def test_a_shortened_prompt_keeps_its_end() -> None:
    tokens, mel = torch.arange(10), torch.arange(20)[:, None].expand(20, 80)
    short, frames = shorten_prompt(tokens, mel, 4)
    assert short.tolist() == [6, 7, 8, 9]
    assert frames[:, 0].tolist() == list(range(12, 20))
    for limit in (10, 99):
        whole, all_frames = shorten_prompt(tokens, mel, limit)
        assert len(whole) == 10
        assert len(all_frames) == 20
    none, no_frames = shorten_prompt(tokens, mel, 0)
    assert len(none) == len(no_frames) == 0


@pytest.mark.parametrize(("speed", "frames"), [(1.0, 50), (1.25, 40), (0.8, 62), (2.0, 25), (200.0, 0)])
def test_speed_changes_the_frames_and_not_the_range(speed: float, frames: int) -> None:
    mel = torch.randn(80, 50, generator=torch.Generator().manual_seed(0))
    changed = change_speed(mel, speed)
    assert changed.shape == (80, frames)
    if frames:
        assert changed.max() <= mel.max()
        assert changed.min() >= mel.min()
    assert change_speed(mel[:, :0], speed).shape == (80, 0)


@pytest.mark.skipif(not SHARED.exists(), reason="the golden files are not here")
def test_all_golden_cases_in_one_batch_come_within_the_limit() -> None:
    fixture = Fixture(SHARED)
    config = load_config(fixture.model_dir)
    flow = Flow(load_flow(fixture.model_dir, config), config.flow, budget_frames=1 << 30)
    for case, mel in zip(fixture.cases, flow.run(*flow_inputs(fixture.cases)), strict=True):
        assert (mel - torch.from_numpy(case["mel"][0])).abs().max() < FLOW_LIMIT
