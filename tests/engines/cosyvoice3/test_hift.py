"""From mel to sound: many lines in one pass equal each line alone."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional as F  # noqa: E402

from benchmarks.parity.fixture import Fixture  # noqa: E402
from benchmarks.parity.flow_stages import vocoder_batch, vocoder_case  # noqa: E402
from engines.cosyvoice3.config import load_config, tiny  # noqa: E402
from engines.cosyvoice3.hift import Vocoder, fold_upsampling  # noqa: E402
from engines.cosyvoice3.noise import SINE_ROWS, SineNoise  # noqa: E402
from engines.cosyvoice3.shapes import hift_shapes  # noqa: E402
from engines.cosyvoice3.weights import load_hift, random_state  # noqa: E402

SHARED = Path(__file__).resolve().parents[4] / "shared" / "cosyvoice3-parity"
CONFIG = tiny().hift
HOP = CONFIG.hop


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def state() -> Any:
    return random_state(hift_shapes(CONFIG), seed=4)


@pytest.fixture(scope="module")
def noise() -> Any:
    return SineNoise(6561, CONFIG.f0_channels)


@pytest.fixture(scope="module")
def vocoder(state: Any, noise: Any) -> Any:
    return Vocoder(state, CONFIG, noise, budget_frames=1 << 30)


def mels(frames: list[int], seed: int = 0) -> list[Any]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(80, count, generator=generator) - 3 for count in frames]


def test_sixteen_lines_of_mixed_length_equal_the_same_lines_one_by_one_in_any_order(vocoder: Any) -> None:
    draw = random.Random(2)
    given = mels([draw.randint(1, 70) for _ in range(16)])
    alone = [vocoder.run([mel])[0] for mel in given]
    for order in (list(range(16)), draw.sample(range(16), 16)):
        for number, sound in zip(order, vocoder.run([given[number] for number in order]), strict=True):
            assert sound.shape == (given[number].shape[1] * HOP,)
            assert (sound - alone[number]).abs().max() < 1e-3


def test_small_groups_give_what_one_large_group_gives(state: Any, noise: Any, vocoder: Any) -> None:
    given = mels([20, 3, 11, 3, 30])
    small = Vocoder(state, CONFIG, noise, budget_frames=40)
    for ours, whole in zip(small.run(given), vocoder.run(given), strict=True):
        assert (ours - whole).abs().max() < 1e-3


def test_a_line_without_frames_is_silent_and_has_no_samples(vocoder: Any) -> None:
    sounds = vocoder.run(mels([0, 5, 0]))
    assert [len(sound) for sound in sounds] == [0, 5 * HOP, 0]
    assert vocoder.run([]) == []


def test_sound_stays_within_the_limit_and_is_finite(vocoder: Any) -> None:
    loud = vocoder.run([mel * 4 for mel in mels([12])])[0]
    assert loud.isfinite().all()
    assert loud.abs().max() <= CONFIG.audio_limit + 1e-6


def test_a_frame_changes_nothing_that_sounds_before_what_it_may(vocoder: Any) -> None:
    """Four frames of look-ahead, and half a window of the transform."""
    (mel,) = mels([30])
    changed = mel.clone()
    changed[:, 25] += 1
    before, after = vocoder.run([mel])[0], vocoder.run([changed])[0]
    same = (25 - CONFIG.conv_pre_look_right) * HOP - CONFIG.n_fft
    assert torch.equal(before[:same], after[:same])
    assert not torch.equal(before[same:], after[same:])


def test_results_are_in_memory_of_their_own(vocoder: Any) -> None:
    long, short = vocoder.run(mels([40, 2]))
    assert short.untyped_storage().nbytes() == short.nbytes
    assert long.untyped_storage().nbytes() == long.nbytes


def test_more_frames_than_there_is_noise_are_an_error(vocoder: Any) -> None:
    with pytest.raises(ValueError, match="sine noise"):
        vocoder.run([torch.zeros(80, SINE_ROWS // HOP + 1)])


@pytest.mark.parametrize(("size", "rate"), [(16, 8), (11, 5), (7, 3), (4, 2), (1, 3), (5, 1), (6, 7)])
def test_a_folded_upsampling_is_repeating_and_convolving(size: int, rate: int) -> None:
    generator = torch.Generator().manual_seed(size)
    kernel, x = torch.randn(6, 4, size, generator=generator), torch.randn(2, 4, 13, generator=generator)
    repeated = F.pad(x.repeat_interleave(rate, -1), (size - 1, 0))
    wanted = F.conv1d(repeated, kernel)
    folded = fold_upsampling(kernel, rate)
    phases = F.conv1d(F.pad(x, (folded.shape[-1] - 1, 0)), folded)
    ours = phases.unflatten(1, (6, rate)).transpose(2, 3).flatten(2)
    assert torch.allclose(ours, wanted, atol=1e-5)


@pytest.mark.skipif(not SHARED.exists(), reason="the golden files are not here")
def test_every_golden_quantity_comes_within_its_limit() -> None:
    fixture = Fixture(SHARED)
    config = load_config(fixture.model_dir)
    noise = SineNoise(config.flow.vocab_size, config.hift.f0_channels)
    vocoder = Vocoder(load_hift(fixture.model_dir, config), config.hift, noise, budget_frames=1 << 30)
    with torch.inference_mode():
        found = [result for case in fixture.cases for result in vocoder_case(vocoder, case)]
        found += vocoder_batch(vocoder, fixture.cases)
    assert len(found) > 100
    assert [result for result in found if not result.passed] == []
