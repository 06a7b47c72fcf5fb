"""Mel to sound: the causal HiFT vocoder, many lines in one pass.

Contract: lines are padded on the right with zero mel, which is what a line alone sees behind its end; everything else
looks left, so nothing from the padding reaches a true sample. float32 throughout but for F0. Weight norm is multiplied
out when loading, and an upsampling (repeat each sample, then convolve) is folded into one convolution at the lower
rate that yields all its phases at once: the same sums with a third of the products.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.nn import functional as F

from engines.cosyvoice3.buckets import group
from engines.cosyvoice3.config import MEL_BINS
from engines.cosyvoice3.noise import SINE_ROWS, SineNoise
from engines.cosyvoice3.source import Inverse, Pitch, Source

if TYPE_CHECKING:
    from torch import Tensor

    from engines.cosyvoice3.config import HiftConfig
    from engines.cosyvoice3.dit import Probe

OUTPUT_SLOPE = 0.01
"""Of the leaky ReLU before the last convolution, whatever the configuration says of the others."""
MAX_MAGNITUDE = 100.0
LENGTHS = 16
"""Padded lengths are multiples of this."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One dilation of a residual block: two snakes (their frequency, and one over it), two convolutions."""

    first: tuple[Tensor, Tensor]
    dilated: tuple[Tensor, Tensor]
    dilation: int
    second: tuple[Tensor, Tensor]
    plain: tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Stage:
    """One upsampling with what is added to it and the residual blocks that follow."""

    rate: int
    up: tuple[Tensor, Tensor]
    down: tuple[Tensor, Tensor]
    stride: int
    source_block: tuple[Turn, ...]
    blocks: tuple[tuple[Turn, ...], ...]


def fold_upsampling(kernel: Tensor, rate: int) -> Tensor:
    """``kernel`` (out, in, k), meant for an input repeated ``rate`` times with k - 1 zeros before it, as
    (out x rate, in, taps) for the input itself with taps - 1 zeros before it; output phase runs fastest.

    Output sample rate x t + p reads the repeated input at rate x t + p - (k - 1) + j, which is input sample
    t + floor((p - (k - 1) + j) / rate); weights that meet the same sample add up.
    """
    outputs, inputs, size = kernel.shape
    reach = -(-(size - 1) // rate)
    folded = kernel.new_zeros(outputs, rate, inputs, reach + 1, dtype=torch.float64)
    for phase in range(rate):
        for tap in range(size):
            folded[:, phase, :, reach + (phase - (size - 1) + tap) // rate] += kernel[:, :, tap]
    return folded.flatten(0, 1).to(kernel.dtype)


class Vocoder:
    """``state``: the vocoder's tensors, weight norm multiplied out."""

    def __init__(
        self,
        state: Mapping[str, Tensor],
        config: HiftConfig,
        noise: SineNoise,
        *,
        device: str = "cpu",
        compile_blocks: bool = False,
        budget_frames: int | None = None,
    ) -> None:
        """``noise``: made for the sizes of this model. ``budget_frames``: padded mel frames that one pass may hold."""
        self.config = config
        self.device = torch.device(device)
        on_gpu = self.device.type != "cpu"
        self.budget_frames = budget_frames or (BUDGET_GPU if on_gpu else BUDGET_CPU)
        self.price_frames = PRICE_GPU if on_gpu else PRICE_CPU
        self.noise = noise
        self.pitch = Pitch(state, self.device)
        self.source = Source(state, config, self.device)
        self.inverse = Inverse(config, self.device)
        self._pre, self._post = self._conv(state, "conv_pre"), self._conv(state, "conv_post")
        count = len(config.resblock_kernel_sizes)
        self._stages: list[Stage] = []
        for number, rate in enumerate(config.upsample_rates):
            kernel, bias = self._conv(state, f"ups.{number}")
            stride = 1
            for later in config.upsample_rates[number + 1 :]:
                stride *= later
            self._stages.append(
                Stage(
                    rate,
                    (fold_upsampling(kernel, rate), bias.repeat_interleave(rate)),
                    self._conv(state, f"source_downs.{number}"),
                    stride,
                    self._block(state, f"source_resblocks.{number}", config.source_resblock_dilation_sizes[number]),
                    tuple(
                        self._block(state, f"resblocks.{number * count + place}", dilations)
                        for place, dilations in enumerate(config.resblock_dilation_sizes)
                    ),
                )
            )
        self._snake: Callable[..., Tensor] = torch.compile(_snake) if compile_blocks else _snake

    def _conv(self, state: Mapping[str, Tensor], name: str) -> tuple[Tensor, Tensor]:
        return state[f"{name}.weight"].to(self.device), state[f"{name}.bias"].to(self.device)

    def _block(self, state: Mapping[str, Tensor], name: str, dilations: Sequence[int]) -> tuple[Turn, ...]:
        def snake(which: int, number: int) -> tuple[Tensor, Tensor]:
            alpha = state[f"{name}.activations{which}.{number}.alpha"].to(self.device, torch.float32)[:, None]
            return alpha, 1.0 / (alpha + 1e-9)

        return tuple(
            Turn(
                snake(1, number),
                self._conv(state, f"{name}.convs1.{number}"),
                dilation,
                snake(2, number),
                self._conv(state, f"{name}.convs2.{number}"),
            )
            for number, dilation in enumerate(dilations)
        )

    def run(self, mels: Sequence[Tensor]) -> list[Tensor]:
        """The sound of each ``mel`` (mel, frames): (480 x frames,) float32 on this vocoder's device.

        Errors: ``ValueError`` for a line longer than the noise there is.
        """
        sounds = [torch.zeros(0, device=self.device) for _ in mels]
        waiting = [number for number, mel in enumerate(mels) if mel.shape[1]]
        with torch.inference_mode():
            for places in group([mels[number].shape[1] for number in waiting], self.budget_frames, self.price_frames):
                chosen = [waiting[place] for place in places]
                frames = [mels[number].shape[1] for number in chosen]
                # Few lengths: every new one costs memory that is not given back (kernels kept by shape).
                width = max(max(frames), min(-(-max(frames) // LENGTHS) * LENGTHS, SINE_ROWS // self.config.hop))
                batch = torch.zeros(len(chosen), MEL_BINS, width, device=self.device)
                for row, number in enumerate(chosen):
                    batch[row, :, : frames[row]] = mels[number]
                sound = self.decode(batch, self.excite(batch), frames)
                for row, number in enumerate(chosen):
                    sounds[number] = sound[row, : frames[row] * self.config.hop].clone()
        return sounds

    def excite(self, mel: Tensor) -> Tensor:
        """The excitation, (lines, 480 x frames), of ``mel`` (lines, mel, frames)."""
        noise = self.noise.rows(mel.shape[2] * self.config.hop).to(self.device)
        return self.source.merge(self.source.waves(self.pitch(mel).float(), noise))

    def decode(self, mel: Tensor, source: Tensor, frames: Sequence[int], probe: Probe | None = None) -> Tensor:
        """Sound (lines, 480 x frames of the longest), each line right up to its own ``frames``, of ``mel`` (lines, mel,
        frames), zero in the padding, and ``source`` (lines, samples)."""
        config = self.config
        samples = [count * config.hop for count in frames]
        spectrum = self.source.spectrum(source, samples)
        x = F.conv1d(F.pad(mel, (0, self._pre[0].shape[-1] - 1)), *self._pre)
        if probe is not None:
            probe["conv_pre"] = x
        for number, stage in enumerate(self._stages):
            up = _upsample(F.leaky_relu(x, config.lrelu_slope), *stage.up, stage.rate)
            down = F.conv1d(F.pad(spectrum, (stage.stride - 1, 0)), *stage.down, stride=stage.stride)
            if probe is not None:
                probe[f"up{number}"], probe[f"sdown{number}"] = up, down
            if number == len(self._stages) - 1:
                up = torch.cat([up[..., 1:2], up], -1)  # a reflected sample: the spectrum has one frame more
            # In place wherever the tensor is our own: at the last rate one tensor is 31 kB a mel frame.
            x = self._residual(down, stage.source_block).add_(up)
            del up, down
            total = self._residual(x, stage.blocks[0])
            for block in stage.blocks[1:]:
                total.add_(self._residual(x, block))
            x = total.div_(len(stage.blocks))
        x = F.leaky_relu(x, OUTPUT_SLOPE)
        y = _causal(x, *self._post)
        if probe is not None:
            probe["conv_post_in"], probe["conv_post"] = x, y
        magnitude, phase = y.chunk(2, 1)
        magnitude = magnitude.exp().clamp_max(MAX_MAGNITUDE)
        phase = phase.sin()
        sound = self.inverse(magnitude * phase.cos(), magnitude * phase.sin(), samples)
        return sound.clamp(-config.audio_limit, config.audio_limit)

    def _residual(self, x: Tensor, block: tuple[Turn, ...]) -> Tensor:
        """``x`` is left as it is; the result is in memory of its own."""
        for number, turn in enumerate(block):
            y = _causal(self._snake(x, *turn.first), *turn.dilated, turn.dilation)
            y = _causal(self._snake(y, *turn.second), *turn.plain)
            x = x.add_(y) if number else x + y
        return x


def _causal(x: Tensor, kernel: Tensor, bias: Tensor, dilation: int = 1) -> Tensor:
    # Padded at both ends and cut: a few wasted sums are cheaper than a padded copy of x.
    context = (kernel.shape[-1] - 1) * dilation
    return F.conv1d(x, kernel, bias, padding=context, dilation=dilation)[..., : x.shape[-1]]


def _upsample(x: Tensor, kernel: Tensor, bias: Tensor, rate: int) -> Tensor:
    lines, _, length = x.shape
    return _causal(x, kernel, bias).reshape(lines, -1, rate, length).transpose(2, 3).reshape(lines, -1, length * rate)


def _snake(x: Tensor, frequency: Tensor, inverse: Tensor) -> Tensor:
    """x + sin(frequency x)^2 / frequency."""
    return torch.addcmul(x, (x * frequency).sin_().square_(), inverse)


BUDGET_CPU, PRICE_CPU = 600, 10
"""On a CPU one line of ten seconds fills the cores; more at once only leave the caches (measured: 5 to 15 % slower)."""
BUDGET_GPU, PRICE_GPU = 6_000, 300

__all__ = ["MAX_MAGNITUDE", "OUTPUT_SLOPE", "Stage", "Turn", "Vocoder", "fold_upsampling"]
