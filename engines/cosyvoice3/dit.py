"""The diffusion transformer of the flow: one velocity for a batch of mel states at one time step.

Contract: rows are frames x channels, padded on the right; a mask hides the padding from attention, everything else
looks left or at its own frame only, so what padded frames hold is never seen by true ones. All that depends on the
time step alone (the time embedding and the shifts, scales and gates of every block, equal for all lines) is computed
once for the whole schedule. LayerNorm's own scale and shift are those of the time step, so that norm and modulation
are one operation. Matrices, convolutions and attention run in ``dtype``; norms, the residual stream and both ends of
the network in float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch.nn import functional as F

if TYPE_CHECKING:
    from torch import Tensor

    from engines.cosyvoice3.config import DiTConfig

EPSILON = 1e-6
"""Of every LayerNorm in the network."""
_FREQUENCIES = 128
_TIME_SCALE = 1000.0

PREFIX = "decoder.estimator."

Probe = dict[str, Any]
"""Where intermediates are put for whoever wants to look at them."""


class Block(NamedTuple):
    """The matrices of one transformer block, in the dtype they are multiplied in."""

    qkv: Tensor
    qkv_bias: Tensor
    out: Tensor
    out_bias: Tensor
    up: Tensor
    up_bias: Tensor
    down: Tensor
    down_bias: Tensor


@dataclass(frozen=True, slots=True)
class Times:
    """What depends on the time step alone, float32. ``blocks``: (steps, depth, 6, dim) in the order shift, 1 + scale and
    gate of the attention, then of the feed-forward; ``last``: (steps, 2, dim): 1 + scale and shift of the output norm."""

    embedding: Tensor
    blocks: Tensor
    last: Tensor


def time_tables(
    state: Mapping[str, Tensor], config: DiTConfig, times: Tensor, device: str = "cpu", prefix: str = PREFIX
) -> Times:
    """The tables for time steps ``times``, (steps,) float32 in 0 … 1, on ``device``.

    Computed on the CPU, once for all lines, so that the weights that only they need (two fifths of the network) take no
    memory of the device.
    """

    def linear(x: Tensor, name: str) -> Tensor:
        return F.linear(x, *(state[f"{prefix}{name}.{kind}"].to("cpu", torch.float32) for kind in ("weight", "bias")))

    waves = torch.exp(torch.arange(_FREQUENCIES, dtype=torch.float32) * (-math.log(10000.0) / (_FREQUENCIES - 1)))
    angles = (times.cpu() * _TIME_SCALE)[:, None] * waves
    embedding = linear(torch.cat([angles.sin(), angles.cos()], -1), "time_embed.time_mlp.0")
    embedding = linear(F.silu(embedding), "time_embed.time_mlp.2")
    active, steps = F.silu(embedding), len(embedding)
    names = [f"transformer_blocks.{number}.attn_norm.linear" for number in range(config.depth)]
    blocks = torch.stack([linear(active, name).reshape(steps, 6, -1) for name in names], 1)
    blocks[:, :, [1, 4]] += 1.0
    last = linear(active, "norm_out.linear").reshape(steps, 2, -1)
    last[:, 0] += 1.0
    return Times(embedding, blocks.to(device), last.to(device))


class DiT:
    """``state``: the flow's state dict; names begin with ``prefix``."""

    def __init__(
        self,
        state: Mapping[str, Tensor],
        config: DiTConfig,
        *,
        device: str = "cpu",
        dtype: torch.dtype = torch.float32,
        compile_blocks: bool = False,
        prefix: str = PREFIX,
    ) -> None:
        self.config = config
        self.device = torch.device(device)
        self.dtype = dtype

        def full(name: str) -> Tensor:
            return state[prefix + name].to(self.device, torch.float32)

        def half(name: str) -> Tensor:
            return state[prefix + name].to(self.device, dtype)

        # Channels of the input in the order x, cond, mu, speaker, each as wide as a mel.
        self._state, *self._fixed = full("input_embed.proj.weight").chunk(4, 1)
        self._input_bias = full("input_embed.proj.bias")
        self._position = [
            (half(f"input_embed.conv_pos_embed.conv{n}.0.weight"), half(f"input_embed.conv_pos_embed.conv{n}.0.bias"))
            for n in (1, 2)
        ]
        self._blocks: list[Block] = []
        for number in range(config.depth):
            at = f"transformer_blocks.{number}."
            self._blocks.append(
                Block(
                    torch.cat([half(f"{at}attn.to_{name}.weight") for name in "qkv"]),
                    torch.cat([half(f"{at}attn.to_{name}.bias") for name in "qkv"]),
                    half(f"{at}attn.to_out.0.weight"),
                    half(f"{at}attn.to_out.0.bias"),
                    half(f"{at}ff.ff.0.0.weight"),
                    half(f"{at}ff.ff.0.0.bias"),
                    half(f"{at}ff.ff.2.weight"),
                    half(f"{at}ff.ff.2.bias"),
                )
            )
        self._output = (full("proj_out.weight"), full("proj_out.bias"))
        steps = torch.arange(0, config.dim_head, 2, dtype=torch.float32, device=self.device)
        self._angles = 10000.0 ** (-steps / config.dim_head)
        if f"{prefix}rotary_embed.inv_freq" in state:
            self._angles = full("rotary_embed.inv_freq")
        self._run_block: Callable[..., tuple[Tensor, Tensor]] = _block
        if compile_blocks:
            self._run_block = torch.compile(_block)

    def fixed(self, cond: Tensor, mu: Tensor, speaker: Tensor) -> Tensor:
        """What the input projection makes of all but the state: the same at every step. ``cond``, ``mu``: (rows, frames,
        mel); ``speaker``: (rows, mel); gives (rows, frames, dim) float32."""
        to_cond, to_mu, to_speaker = self._fixed
        fixed = F.linear(cond, to_cond, self._input_bias) + F.linear(mu, to_mu)
        return fixed + F.linear(speaker, to_speaker)[:, None]

    def rotary(self, frames: int) -> tuple[Tensor, Tensor]:
        """Cosines and sines of the positions, (frames, 1, dim_head / 2) float32."""
        angles = torch.arange(frames, dtype=torch.float32, device=self.device)[:, None, None] * self._angles
        return angles.cos(), angles.sin()

    def velocity(
        self,
        x: Tensor,
        fixed: Tensor,
        times: Times,
        step: int,
        rotary: tuple[Tensor, Tensor],
        mask: Tensor | None,
        probe: Probe | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Velocities (rows, frames, mel) float32 of the state ``x`` (rows, frames, mel): with the conditions, and with all
        conditions zero. Both are one batch of 2 x rows. ``mask`` is (2 x rows, 1, 1, frames), true where a key counts,
        or None where nothing is padded."""
        state = F.linear(x, self._state)
        h = torch.cat([state + fixed, state + self._input_bias])
        h = h + self._positions(h)
        if probe is not None:
            probe["input_embed"] = h
        modulation = times.blocks[step]
        for number, block in enumerate(self._blocks):
            h, attended = self._run_block(h, block, modulation[number].unbind(0), rotary, mask, self.config.heads)
            if probe is not None and number == 0:
                probe["block0_attn"], probe["block0"] = attended, h
        scale, shift = times.last[step].unbind(0)
        normed = F.layer_norm(h, h.shape[-1:], scale, shift, EPSILON)
        if probe is not None:
            probe["block_last"], probe["norm_out"] = h, normed
        conditional, unconditional = F.linear(normed, *self._output).chunk(2)
        return conditional, unconditional

    def _positions(self, h: Tensor) -> Tensor:
        y = h.to(self.dtype).transpose(1, 2)
        for weight, bias in self._position:
            y = F.pad(y, (weight.shape[-1] - 1, 0))
            y = F.mish(F.conv1d(y, weight, bias, groups=y.shape[1] // weight.shape[1]))
        return y.transpose(1, 2)


def _block(
    h: Tensor,
    block: Block,
    modulation: tuple[Tensor, ...],
    rotary: tuple[Tensor, Tensor],
    mask: Tensor | None,
    heads: int,
) -> tuple[Tensor, Tensor]:
    """The new residual stream and the attention's output before its gate."""
    shift1, scale1, gate1, shift2, scale2, gate2 = modulation
    dtype = block.qkv.dtype
    a = F.layer_norm(h, h.shape[-1:], scale1, shift1, EPSILON).to(dtype)
    qkv = F.linear(a, block.qkv, block.qkv_bias).view(*h.shape[:2], 3, heads, -1)
    # Positions were added before the split into heads and cover one head's width: the first head has them, no other.
    _rotate(qkv[:, :, :2, 0], *rotary)
    q, k, v = qkv.permute(2, 0, 3, 1, 4)
    attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    attended = F.linear(attended.transpose(1, 2).flatten(-2), block.out, block.out_bias)
    h = torch.addcmul(h, gate1, attended)
    b = F.layer_norm(h, h.shape[-1:], scale2, shift2, EPSILON).to(dtype)
    inner = F.gelu(F.linear(b, block.up, block.up_bias), approximate="tanh")
    return torch.addcmul(h, gate2, F.linear(inner, block.down, block.down_bias)), attended


def _rotate(x: Tensor, cosines: Tensor, sines: Tensor) -> None:
    """Turn, in place, the pairs (2j, 2j + 1) of the last axis of ``x`` (rows, frames, any, width) by each frame's angles."""
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = even * cosines - odd * sines
    odd.copy_(odd * cosines + even * sines)
    even.copy_(turned)


__all__ = ["EPSILON", "PREFIX", "Block", "DiT", "Probe", "Times", "time_tables"]
