"""F0, harmonics and the short-time transform both ways."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from engines.cosyvoice3.config import tiny  # noqa: E402
from engines.cosyvoice3.shapes import hift_shapes  # noqa: E402
from engines.cosyvoice3.source import Inverse, Pitch, Source  # noqa: E402
from engines.cosyvoice3.weights import random_state  # noqa: E402

CONFIG = tiny().hift
CPU = torch.device("cpu")


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def state() -> Any:
    return random_state(hift_shapes(CONFIG), seed=2)


@pytest.fixture(scope="module")
def source(state: Any) -> Any:
    return Source(state, CONFIG, CPU)


def test_pitch_is_found_in_double_precision_and_zeros_behind_a_line_change_nothing(state: Any) -> None:
    pitch = Pitch(state, CPU)
    mel = torch.randn(1, 80, 20, generator=torch.Generator().manual_seed(1))
    f0 = pitch(mel)
    assert f0.dtype == torch.float64
    assert (f0 >= 0).all()
    longer = pitch(torch.nn.functional.pad(mel, (0, 9)))
    assert torch.allclose(longer[:, :20], f0, rtol=1e-12)
    looks_ahead = mel.clone()
    looks_ahead[..., 13] += 1
    assert not torch.allclose(pitch(looks_ahead)[:, 10], f0[:, 10], rtol=1e-9)
    assert torch.equal(pitch(looks_ahead)[:, :9], f0[:, :9])


def test_the_spectrum_is_that_of_a_centred_transform_for_lines_of_unlike_length(source: Any) -> None:
    generator = torch.Generator().manual_seed(3)
    lengths = [960, 480, 1440]
    sounds = [torch.randn(length, generator=generator) for length in lengths]
    batch = torch.nn.utils.rnn.pad_sequence(sounds, batch_first=True)
    spectra = source.spectrum(batch, lengths)
    for row, sound in enumerate(sounds):
        wanted = torch.stft(
            sound, CONFIG.n_fft, CONFIG.hop_len, window=torch.hann_window(CONFIG.n_fft), return_complex=True
        )
        frames = wanted.shape[1]
        assert frames == lengths[row] // CONFIG.hop_len + 1
        ours = spectra[row, :, :frames]
        assert torch.allclose(ours, torch.cat([wanted.real, wanted.imag]), atol=1e-5)


def test_the_inverse_is_that_of_a_centred_transform_whatever_stands_behind_a_line() -> None:
    generator = torch.Generator().manual_seed(4)
    inverse = Inverse(CONFIG, CPU)
    bins, lengths = CONFIG.n_fft // 2 + 1, [480, 960]
    frames = max(lengths) // CONFIG.hop_len + 1
    real, imaginary = torch.randn(2, 2, bins, frames, generator=generator)
    sound = inverse(real, imaginary, lengths)
    assert sound.shape == (2, 960)
    for row, length in enumerate(lengths):
        count = length // CONFIG.hop_len + 1
        wanted = torch.istft(
            torch.complex(real[row, :, :count], imaginary[row, :, :count]),
            CONFIG.n_fft,
            CONFIG.hop_len,
            window=torch.hann_window(CONFIG.n_fft),
            length=length,
        )
        assert torch.allclose(sound[row, :length], wanted, atol=1e-5)


def test_a_sound_comes_back_from_its_spectrum(source: Any) -> None:
    sound = torch.randn(1, 1440, generator=torch.Generator().manual_seed(5))
    parts = source.spectrum(sound, [1440])
    assert torch.allclose(Inverse(CONFIG, CPU)(*parts.chunk(2, 1), [1440]), sound, atol=1e-5)


def test_harmonics_stand_still_within_a_frame_and_noise_does_not(source: Any) -> None:
    f0 = torch.tensor([[120.0, 130.0, 0.0, 5.0]])
    hop = CONFIG.hop
    noise = torch.rand(4 * hop, 9, generator=torch.Generator().manual_seed(6))
    waves = source.waves(f0, noise)
    assert waves.shape == (1, 4 * hop, 9)
    still = (
        waves
        - torch.where(source.voiced(f0) > 0, CONFIG.nsf_sigma, CONFIG.nsf_alpha / 3).repeat_interleave(hop, 1)[
            ..., None
        ]
        * noise
    )
    frames = still.reshape(1, 4, hop, 9)
    assert (frames - frames[:, :, :1]).abs().max() < 1e-6
    first = CONFIG.nsf_alpha * torch.sin(2 * torch.pi * hop * 120.0 * torch.arange(1, 10) / 24_000)
    assert torch.allclose(frames[0, 0, 0], first, atol=1e-4)
    assert frames[0, 2:].abs().max() < 1e-6  # below the threshold there is no tone


def test_a_frame_has_a_voice_above_the_threshold_only(source: Any) -> None:
    limit = CONFIG.nsf_voiced_threshold
    assert source.voiced(torch.tensor([[0.0, limit, limit + 0.01, 300.0]])).tolist() == [[0.0, 0.0, 1.0, 1.0]]
