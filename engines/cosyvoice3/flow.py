"""Speech tokens to mel: the token encoder and the Euler solver around the DiT, many lines in one pass.

Contract: lines are grouped by like length and padded on the right, each group runs as one batch of twice its lines
(with and without the conditions: classifier-free guidance), results come back in the order asked. What stands in the
padding, who shares the group and in what order lines come changes a mel by rounding only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.nn import functional as F

from engines.cosyvoice3.buckets import group
from engines.cosyvoice3.config import MEL_BINS
from engines.cosyvoice3.dit import DiT, Probe, time_tables
from engines.cosyvoice3.noise import FLOW_FRAMES, flow_noise

if TYPE_CHECKING:
    from torch import Tensor

    from engines.cosyvoice3.config import FlowConfig

STEPS = 10
"""Euler steps the model is used with; fewer are faster and coarser."""
_LOOKAHEAD_SLOPE = 0.01


@dataclass(frozen=True, slots=True)
class Conditions:
    """What one pass starts from. ``mu``, ``cond`` and ``noise``: (lines, frames, mel) float32, zero in the padding
    (``noise`` excepted); ``speaker``: (lines, mel); ``frames``: true frames of each line, of which the first
    ``prompts`` are the voice's own and are thrown away at the end."""

    mu: Tensor
    cond: Tensor
    speaker: Tensor
    noise: Tensor
    frames: tuple[int, ...]
    prompts: tuple[int, ...]


def schedule(steps: int, scheduler: str = "cosine") -> tuple[Tensor, Tensor, Tensor]:
    """The time span (steps + 1,), the time each step is evaluated at and its width (steps,), float32.

    The width is measured from the time as summed up so far, so that rounding does not pile up.
    """
    span = torch.linspace(0, 1, steps + 1)
    if scheduler == "cosine":
        span = 1 - torch.cos(span * 0.5 * torch.pi)
    time, width = span[0], span[1] - span[0]
    times, widths = [], []
    for step in range(1, steps + 1):
        times.append(time)
        widths.append(width)
        time = time + width
        if step < steps:
            width = span[step + 1] - time
    return span, torch.stack(times), torch.stack(widths)


def shorten_prompt(tokens: Tensor, mel: Tensor, limit: int) -> tuple[Tensor, Tensor]:
    """The last ``limit`` tokens of a voice's prompt, and their frames of its mel (frames, mel).

    Every frame of the prompt costs as much as a frame of speech, in every line. The end is kept: what is said next
    joins it.
    """
    ratio = mel.shape[0] // max(1, tokens.shape[0])
    keep = min(limit, tokens.shape[0])
    return tokens[tokens.shape[0] - keep :], mel[mel.shape[0] - keep * ratio :]


def change_speed(mel: Tensor, speed: float) -> Tensor:
    """``mel`` (mel, frames) said ``speed`` times as fast, at the same pitch: linear interpolation along time."""
    if speed == 1.0:
        return mel
    frames = int(mel.shape[1] / speed)
    if not frames or not mel.shape[1]:
        return mel[:, :0]
    return F.interpolate(mel[None], size=frames, mode="linear", align_corners=False)[0]


class Flow:
    """``state``: the flow's state dict as released."""

    def __init__(
        self,
        state: Mapping[str, Tensor],
        config: FlowConfig,
        *,
        device: str = "cpu",
        dtype: torch.dtype | None = None,
        compile_blocks: bool = False,
        steps: int = STEPS,
        budget_frames: int | None = None,
    ) -> None:
        """``dtype``: of the DiT's matrices, by default bfloat16 on a GPU and float32 on the CPU. ``budget_frames``:
        padded frames, prompts included, that one pass may hold."""
        self.config = config
        self.device = torch.device(device)
        on_gpu = self.device.type != "cpu"
        self.budget_frames = budget_frames or (BUDGET_GPU if on_gpu else BUDGET_CPU)
        self.price_frames = PRICE_GPU if on_gpu else PRICE_CPU
        # Attention with a mask wants rows of keys aligned; and every new length costs memory that is not given back.
        self.multiple = LENGTHS
        self.dit = DiT(
            state,
            config.dit,
            device=device,
            dtype=dtype or (torch.bfloat16 if on_gpu else torch.float32),
            compile_blocks=compile_blocks,
        )
        self.span, self.times, self.widths = schedule(steps, config.t_scheduler)
        with torch.inference_mode():
            self.tables = time_tables(state, config.dit, self.times, device)

        def full(name: str) -> Tensor:
            return state[name].to(self.device, torch.float32)

        self._embedding = full("input_embedding.weight")
        self._speaker = (full("spk_embed_affine_layer.weight"), full("spk_embed_affine_layer.bias"))
        self._look = [full(f"pre_lookahead_layer.conv{n}.{kind}") for n in (1, 2) for kind in ("weight", "bias")]

    def run(
        self,
        tokens: Sequence[Tensor],
        prompt_tokens: Sequence[Tensor],
        prompt_mels: Sequence[Tensor],
        speakers: Sequence[Tensor],
    ) -> list[Tensor]:
        """The mel (mel, 2 x tokens) float32 of each line, on this flow's device.

        ``tokens``, ``prompt_tokens``: (count,) integers; ``prompt_mels``: (2 x prompt tokens, mel), natural log;
        ``speakers``: (192,), not normalised. A line without tokens gives a mel without frames. Errors: ``ValueError``
        for a line that does not fit into ``FLOW_FRAMES`` or whose prompt's mel and tokens differ in length.
        """
        ratio = self.config.token_mel_ratio
        lengths = [ratio * (len(prompt) + len(line)) for line, prompt in zip(tokens, prompt_tokens, strict=True)]
        for number, (length, prompt, mel) in enumerate(zip(lengths, prompt_tokens, prompt_mels, strict=True)):
            if length > FLOW_FRAMES:
                raise ValueError(f"line {number} has {length} frames with its prompt, the flow makes {FLOW_FRAMES}")
            if len(mel) != ratio * len(prompt):
                raise ValueError(f"the prompt of line {number} has {len(prompt)} tokens, but {len(mel)} frames of mel")
        mels = [torch.zeros(MEL_BINS, 0, device=self.device) for _ in tokens]
        waiting = [number for number, line in enumerate(tokens) if len(line)]
        with torch.inference_mode():
            for places in group([lengths[number] for number in waiting], self.budget_frames, self.price_frames):
                chosen = [waiting[place] for place in places]
                conditions = self.conditions(
                    [tokens[number] for number in chosen],
                    [prompt_tokens[number] for number in chosen],
                    [prompt_mels[number] for number in chosen],
                    [speakers[number] for number in chosen],
                )
                for number, mel in zip(chosen, self.cut(self.solve(conditions), conditions), strict=True):
                    mels[number] = mel
        return mels

    def conditions(
        self,
        tokens: Sequence[Tensor],
        prompt_tokens: Sequence[Tensor],
        prompt_mels: Sequence[Tensor],
        speakers: Sequence[Tensor],
        probe: Probe | None = None,
    ) -> Conditions:
        """All lines as one padded batch, whatever their lengths."""
        ratio = self.config.token_mel_ratio
        lines = [torch.cat([prompt.to(line), line]).long() for line, prompt in zip(tokens, prompt_tokens, strict=True)]
        counts = [len(line) for line in lines]
        ids = torch.nn.utils.rnn.pad_sequence(lines, batch_first=True).to(self.device)
        true = torch.arange(ids.shape[1], device=self.device) < torch.tensor(counts, device=self.device)[:, None]
        # The lookahead layer sees zeros behind a line's end, as a line alone does: no embedding in the padding.
        embedded = F.embedding(ids.clamp_min(0), self._embedding) * true[:, :, None]
        looked = self._lookahead(embedded)
        mu = (looked * true[:, :, None]).repeat_interleave(ratio, 1)
        length = -(-mu.shape[1] // self.multiple) * self.multiple
        mu = F.pad(mu, (0, 0, 0, length - mu.shape[1]))
        cond = torch.zeros_like(mu)
        for row, mel in enumerate(prompt_mels):
            cond[row, : len(mel)] = mel.to(mu)
        vectors = torch.stack([vector.to(self.device, torch.float32) for vector in speakers])
        speaker = F.linear(F.normalize(vectors, dim=-1), *self._speaker)
        noise = flow_noise()[:, :length].T.to(self.device)
        noise = F.pad(noise, (0, 0, 0, length - len(noise))).expand_as(mu)
        if probe is not None:
            probe.update(token_emb=embedded, lookahead_out=looked)
        frames, prompts = [ratio * count for count in counts], [len(mel) for mel in prompt_mels]
        return Conditions(mu, cond, speaker, noise, tuple(frames), tuple(prompts))

    def solve(self, conditions: Conditions, probe: Probe | None = None) -> Tensor:
        """The state after the last step, (lines, frames, mel), prompts and padding included."""
        x, length = conditions.noise, conditions.mu.shape[1]
        fixed = self.dit.fixed(conditions.cond, conditions.mu, conditions.speaker)
        rotary, mask = self.dit.rotary(length), None
        if min(conditions.frames) < length:
            ends = torch.tensor(conditions.frames, device=self.device).repeat(2)
            mask = (torch.arange(length, device=self.device) < ends[:, None])[:, None, None]
        rate = self.config.inference_cfg_rate
        for step, width in enumerate(self.widths.tolist()):
            inner: Probe | None = {} if probe is not None and step == 0 else None
            guided, free = self.dit.velocity(x, fixed, self.tables, step, rotary, mask, inner)
            x = x + width * ((1.0 + rate) * guided - rate * free)
            if probe is not None:
                probe[f"x{step + 1}"], probe[f"v{step + 1}"] = x, (guided, free)
                if inner is not None:
                    probe["dit"] = inner
        return x

    def cut(self, x: Tensor, conditions: Conditions) -> list[Tensor]:
        """The lines' own frames, (mel, frames) each, in memory of their own."""
        ends = zip(x, conditions.prompts, conditions.frames, strict=True)
        return [row[prompt:frames].T.contiguous() for row, prompt, frames in ends]

    def _lookahead(self, embedded: Tensor) -> Tensor:
        first, first_bias, second, second_bias = self._look
        y = F.pad(embedded.transpose(1, 2), (0, first.shape[-1] - 1))
        y = F.leaky_relu(F.conv1d(y, first, first_bias), _LOOKAHEAD_SLOPE)
        y = F.conv1d(F.pad(y, (second.shape[-1] - 1, 0)), second, second_bias)
        return embedded + y.transpose(1, 2)


LENGTHS = 16
"""Padded lengths are multiples of this: libraries keep a prepared kernel for every shape they have met."""
BUDGET_CPU, PRICE_CPU = 1_500, 20
"""On a CPU a pass of one line fills the cores; more at once are no faster and take more memory."""
BUDGET_GPU, PRICE_GPU = 16_000, 500

__all__ = ["STEPS", "Conditions", "Flow", "change_speed", "schedule", "shorten_prompt"]
