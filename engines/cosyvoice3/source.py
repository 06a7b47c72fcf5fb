"""The vocoder's excitation: F0 of each frame, harmonics with noise, and their short-time spectrum.

Contract: rows are lines padded on the right. F0 is computed in float64, weights included, because a phase is summed
over all frames and would drift. The harmonics' phase stands still within a frame. Only the spectrum's ends depend on
where a line ends (it reflects there), so it is taken with each line's true length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch.nn import functional as F

if TYPE_CHECKING:
    from torch import Tensor

    from engines.cosyvoice3.config import HiftConfig

_F0_LAYERS = (0, 2, 4, 6, 8)


class Pitch:
    """F0 from mel."""

    def __init__(self, state: Mapping[str, Tensor], device: torch.device) -> None:
        self._layers = [
            tuple(
                state[f"f0_predictor.condnet.{number}.{kind}"].to(device, torch.float64) for kind in ("weight", "bias")
            )
            for number in _F0_LAYERS
        ]
        self._last = tuple(
            state[f"f0_predictor.classifier.{kind}"].to(device, torch.float64) for kind in ("weight", "bias")
        )

    def __call__(self, mel: Tensor) -> Tensor:
        """Hz of each frame, (lines, frames) float64, of ``mel`` (lines, mel, frames)."""
        y = mel.double()
        for number, (kernel, bias) in enumerate(self._layers):
            context = kernel.shape[-1] - 1
            y = F.elu(F.conv1d(F.pad(y, (context, 0) if number else (0, context)), kernel, bias))
        return F.linear(y.mT, *self._last)[..., 0].abs()


class Source:
    """Excitation from F0."""

    def __init__(self, state: Mapping[str, Tensor], config: HiftConfig, device: torch.device) -> None:
        self.config = config
        self._merge = tuple(state[f"m_source.l_linear.{kind}"].to(device, torch.float32) for kind in ("weight", "bias"))
        size = config.n_fft
        window = torch.hann_window(size, dtype=torch.float64, device=device)
        turns = torch.outer(torch.arange(size // 2 + 1), torch.arange(size)).double().to(device) * (2 * torch.pi / size)
        # The transform as one matrix: the real parts first, then the imaginary ones. A product of matrices keeps float32
        # on a GPU, where a convolution may be rounded to TF32.
        self._matrix = (torch.cat([turns.cos(), -turns.sin()]) * window).float()

    def voiced(self, f0: Tensor) -> Tensor:
        """1 where a frame has a voice, else 0; float32."""
        return (f0 > self.config.nsf_voiced_threshold).float()

    def waves(self, f0: Tensor, noise: Tensor) -> Tensor:
        """Harmonics with noise, (lines, samples, harmonics), of ``f0`` (lines, frames) float32.

        ``noise``: (samples, harmonics) in 0 … 1, the same for every line.
        """
        config = self.config
        orders = torch.arange(1, config.nb_harmonics + 2, dtype=torch.float32, device=f0.device)
        turns = (f0[..., None] * orders / config.sampling_rate) % 1.0
        # Multiplied in this order: the sums are great, and float32 rounds each product.
        phase = turns.cumsum(1) * 2 * torch.pi * config.hop
        voiced = self.voiced(f0)[..., None]
        tone = phase.sin() * config.nsf_alpha * voiced
        level = voiced * config.nsf_sigma + (1.0 - voiced) * config.nsf_alpha / 3
        hissing = level[:, :, None] * noise.reshape(-1, config.hop, noise.shape[1])
        return (tone[:, :, None] + hissing).flatten(1, 2)

    def merge(self, waves: Tensor) -> Tensor:
        """One excitation, (lines, samples), of the harmonics."""
        return F.linear(waves, *self._merge)[..., 0].tanh()

    def spectrum(self, source: Tensor, samples: Sequence[int]) -> Tensor:
        """Real and imaginary parts, (lines, n_fft + 2, samples / hop + 1), of ``source`` (lines, samples), each line
        reflected at its own start and end; what comes after a line's last frame is not defined."""
        half = self.config.n_fft // 2
        padded = F.pad(source, (half, half))
        padded[:, :half] = source[:, 1 : half + 1].flip(1)
        for row, end in enumerate(samples):
            padded[row, half + end : end + 2 * half] = source[row, end - half - 1 : end - 1].flip(0)
        frames = padded.unfold(1, self.config.n_fft, self.config.hop_len)
        return torch.matmul(self._matrix, frames.mT)


class Inverse:
    """Sound from magnitudes and phases: the inverse of the short-time transform, for lines of unlike length."""

    def __init__(self, config: HiftConfig, device: torch.device) -> None:
        self.config = config
        size = config.n_fft
        window = torch.hann_window(size, dtype=torch.float64, device=device)
        turns = torch.outer(torch.arange(size // 2 + 1), torch.arange(size)).double().to(device) * (2 * torch.pi / size)
        weights = torch.full((size // 2 + 1, 1), 2.0, dtype=torch.float64, device=device)
        weights[[0, -1]] = 1.0
        self._matrix = (torch.cat([turns.cos(), -turns.sin()]) * weights.repeat(2, 1) / size * window).float().T
        self._power = window.square().float()[:, None]

    def __call__(self, real: Tensor, imaginary: Tensor, samples: Sequence[int]) -> Tensor:
        """(lines, samples of the longest), each line right up to its own length, of parts (lines, bins, frames)."""
        hop, half = self.config.hop_len, self.config.n_fft // 2
        ends = torch.tensor([count // hop + 1 for count in samples], device=real.device)
        true = torch.arange(real.shape[-1], device=real.device) < ends[:, None]
        parts = torch.cat([real, imaginary], 1) * true[:, None]
        sound = self._added(torch.matmul(self._matrix, parts), hop)
        power = self._added(self._power * true[:, None], hop)
        longest = max(samples)
        return sound[:, half : half + longest] / power[:, half : half + longest].clamp_min(1e-11)

    @staticmethod
    def _added(frames: Tensor, hop: int) -> Tensor:
        """Frames (lines, n_fft, frames) laid over one another ``hop`` samples apart and added up, (lines, samples)."""
        size, count = frames.shape[1:]
        whole = F.fold(frames, (1, (count - 1) * hop + size), (1, size), stride=(1, hop))
        return whole[:, 0, 0]


__all__ = ["Inverse", "Pitch", "Source"]
