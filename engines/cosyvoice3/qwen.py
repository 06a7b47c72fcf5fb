"""The language model's backbone: a Qwen2 decoder with a static key-value cache whose rows live independently.

Contract: weights come from ``weights.load_lm`` (or ``random_state``). Matrix products run in ``dtype`` (float32 on the
CPU, bfloat16 on a GPU); the residual stream, norms, rotary angles, softmax and log-probabilities are float32.

``forward`` takes whole, left-padded sequences. ``prefill`` writes one line's prefix into its slot of the cache, always
alone, so that its numbers depend on the line only. ``step`` moves every slot of the cache by one position in one pass of
constant shape. Keys are kept and read in blocks of ``BLOCK`` positions and the blocks' sums are added one after another,
so a row's result does not change when another row is longer: every product has the same shape, only their number changes,
and blocks beyond a row's own end add exact zeros. What is left to trust is that a matrix product gives each of its rows
the same bits whatever stands in the others (see ``decode``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch
from torch.nn import functional as F

from engines.cosyvoice3.config import LmConfig, QwenConfig

if TYPE_CHECKING:
    from torch import Tensor

BLOCK = 128
Quantise = Literal["none", "int8"]


class Projection:
    """``y = x W' + b``. With int8, W is kept as whole numbers with one scale per output: a quarter of the memory of
    float32, rounded by at most 1/254 of a row's largest weight."""

    def __init__(
        self, weight: Tensor, bias: Tensor | None, dtype: torch.dtype, device: str, quantise: Quantise
    ) -> None:
        self.scale: Tensor | None = None
        if quantise == "int8":
            scale = weight.abs().amax(dim=1, keepdim=True).clamp_min(1e-12) / 127
            weight = (weight / scale).round().to(torch.int8)
            self.scale = scale[:, 0].to(device=device, dtype=torch.float32)
            self.weight = weight.to(device).contiguous()
        else:
            self.weight = weight.to(device=device, dtype=dtype).contiguous()
        self.bias = (
            None if bias is None else bias.to(device=device, dtype=torch.float32 if self.scale is not None else dtype)
        )
        self.dtype = dtype

    def __call__(self, x: Tensor) -> Tensor:
        x = x.to(self.dtype)
        if self.scale is None:
            if _is_skinny(x):
                y = torch.mm(self.weight, x.t()).t().contiguous()
                return y if self.bias is None else y + self.bias
            return F.linear(x, self.weight, self.bias)
        y = F.linear(x, self.weight.to(self.dtype)).float() * self.scale
        return (y if self.bias is None else y + self.bias).to(self.dtype)

    @property
    def nbytes(self) -> int:
        parts = [part for part in (self.weight, self.bias, self.scale) if part is not None]
        return sum(int(part.numel() * part.element_size()) for part in parts)


@dataclass(frozen=True, slots=True)
class Layer:
    """One decoder layer; q, k, v and gate, up are joined into one product each."""

    before: Tensor
    qkv: Projection
    out: Projection
    after: Tensor
    gate_up: Projection
    down: Projection


@dataclass(frozen=True, slots=True)
class KvCache:
    """Keys and values of ``slots`` lines, ``capacity`` positions each, per layer ``(blocks, slots, kv heads, BLOCK, head
    dim)``: a block of all slots lies together."""

    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]

    @property
    def slots(self) -> int:
        return int(self.keys[0].shape[1])

    @property
    def blocks(self) -> int:
        return int(self.keys[0].shape[0])

    @property
    def capacity(self) -> int:
        return self.blocks * BLOCK

    def copy_slot(self, source: int, target: int, positions: int) -> None:
        """Give ``target`` the first ``positions`` (rounded up to blocks) of ``source``."""
        used = blocks_for(positions)
        for store in (*self.keys, *self.values):
            store[:used, target].copy_(store[:used, source])


def blocks_for(positions: int) -> int:
    return -(-positions // BLOCK)


def cache_bytes_per_position(config: QwenConfig, dtype: torch.dtype) -> int:
    """Bytes one position of one slot takes: keys and values of all layers (24.6 kB released in float32)."""
    return 2 * config.layers * config.kv_heads * config.head_dim * int(torch.finfo(dtype).bits // 8)


class LanguageModel:
    """Text and prompt tokens to log-probabilities of speech tokens."""

    def __init__(
        self,
        state: Mapping[str, Tensor],
        config: LmConfig,
        device: str = "cpu",
        dtype: torch.dtype | None = None,
        quantise: Quantise = "none",
    ) -> None:
        self.config, self.device = config, device
        self.dtype = dtype or (torch.bfloat16 if device.startswith("cuda") else torch.float32)
        self.quantise: Quantise = quantise
        qwen = config.qwen
        self._scale = float(qwen.head_dim) ** -0.5

        def project(*names: str, bias: bool = False) -> Projection:
            weight = (
                torch.cat([state[f"{name}.weight"] for name in names])
                if len(names) > 1
                else state[f"{names[0]}.weight"]
            )
            joined = torch.cat([state[f"{name}.bias"] for name in names]) if bias else None
            return Projection(weight, joined, self.dtype, device, quantise)

        def norm(name: str) -> Tensor:
            return state[f"{name}.weight"].to(device=device, dtype=torch.float32)

        top = "llm.model.model."
        layers = []
        for number in range(qwen.layers):
            at = f"{top}layers.{number}."
            attention, mlp = f"{at}self_attn.", f"{at}mlp."
            layers.append(
                Layer(
                    norm(f"{at}input_layernorm"),
                    project(f"{attention}q_proj", f"{attention}k_proj", f"{attention}v_proj", bias=True),
                    project(f"{attention}o_proj"),
                    norm(f"{at}post_attention_layernorm"),
                    project(f"{mlp}gate_proj", f"{mlp}up_proj"),
                    project(f"{mlp}down_proj"),
                )
            )
        self._layers = tuple(layers)
        self._norm = norm(f"{top}norm")
        self._head = Projection(state["llm_decoder.weight"], None, self.dtype, device, quantise)
        self.speech_embedding = state["speech_embedding.weight"].to(device=device, dtype=torch.float32)
        self._text_embedding = state[f"{top}embed_tokens.weight"]  # stays in host memory: only prefixes read it
        self._angles = torch.empty(0)
        self._grow_angles(2048)

    # ---------------------------------------------------------------- sizes

    def nbytes(self) -> int:
        """Bytes of the weights on the device."""
        joined = [part for layer in self._layers for part in (layer.qkv, layer.out, layer.gate_up, layer.down)]
        return sum(part.nbytes for part in (*joined, self._head)) + int(self.speech_embedding.numel()) * 4

    def body_parameters(self) -> int:
        """Weights that every token is multiplied with; two floating-point operations each."""
        joined = [part for layer in self._layers for part in (layer.qkv, layer.out, layer.gate_up, layer.down)]
        return sum(int(part.weight.numel()) for part in (*joined, self._head))

    def new_cache(self, slots: int, positions: int) -> KvCache:
        qwen = self.config.qwen
        shape = (blocks_for(positions), slots, qwen.kv_heads, BLOCK, qwen.head_dim)
        self._grow_angles(shape[0] * BLOCK)

        def empty() -> tuple[Tensor, ...]:
            return tuple(torch.zeros(shape, dtype=self.dtype, device=self.device) for _ in range(qwen.layers))

        return KvCache(empty(), empty())

    # ---------------------------------------------------------------- input and output

    def prefix(self, text_ids: Sequence[int], prompt_speech: Sequence[int]) -> Tensor:
        """Embeddings ``(L, H)`` of sos, the text ids (prompt text first), task and the prompt's speech tokens."""
        config = self.config
        text = F.embedding(torch.tensor(list(text_ids), dtype=torch.int64), self._text_embedding).to(self.device)
        speech = torch.tensor([config.sos, config.task, *prompt_speech], device=self.device)
        controls = F.embedding(speech, self.speech_embedding)
        return torch.cat([controls[:1], text.float(), controls[1:]])

    def log_probs(self, hidden: Tensor) -> Tensor:
        """``(…, H)`` after the last norm to float32 log-probabilities ``(…, V)``."""
        return torch.log_softmax(self._head(hidden).float(), dim=-1)

    # ---------------------------------------------------------------- whole sequences

    def forward(
        self, embeddings: Tensor, starts: Tensor | None = None, cache: KvCache | None = None, slot: int = 0
    ) -> Tensor:
        """Hidden states ``(B, T, H)`` of left-padded sequences ``(B, T, H)``.

        ``starts``: index of each row's first real embedding, where its positions begin with 0; padded places give
        numbers without meaning. With ``cache`` (B = 1, no padding) keys and values are written into ``slot``.
        """
        batch, length = embeddings.shape[:2]
        self._grow_angles(length)
        places = torch.arange(length, device=self.device)
        mask: Tensor | None = None
        if starts is None:
            cos, sin = self._angles[0, :length], self._angles[1, :length]
        else:
            positions = (places[None] - starts[:, None]).clamp_min(0)
            cos, sin = self._angles[0][positions].unsqueeze(2), self._angles[1][positions].unsqueeze(2)
            seen = (places[None, :] <= places[:, None])[None] & (places[None, None, :] >= starts[:, None, None])
            mask = (seen | torch.eye(length, dtype=torch.bool, device=self.device))[:, None]
        if starts is None:
            cos, sin = cos[None, :, None], sin[None, :, None]
        x = embeddings.float()
        for number, layer in enumerate(self._layers):
            query, key, value = self._qkv(layer, x, cos, sin)
            key, value = key.transpose(1, 2), value.transpose(1, 2)
            if cache is not None:
                _fill(cache.keys[number], key[0], slot)
                _fill(cache.values[number], value[0], slot)
            shared = self.config.qwen.heads // self.config.qwen.kv_heads
            attended = F.scaled_dot_product_attention(
                query.transpose(1, 2),
                key.repeat_interleave(shared, dim=1),
                value.repeat_interleave(shared, dim=1),
                attn_mask=mask,
                is_causal=mask is None,
                scale=self._scale,
            )
            x = x + layer.out(attended.transpose(1, 2).reshape(batch, length, -1)).float()
            x = x + self._mlp(layer, x)
        return _rms_norm(x, self._norm, self.config.qwen.rms_eps)

    def prefill(self, embeddings: Tensor, cache: KvCache, slot: int) -> Tensor:
        """Write the prefix ``(L, H)`` of one line into its slot; hidden states ``(L, H)``."""
        return self.forward(embeddings[None], None, cache, slot)[0]

    # ---------------------------------------------------------------- one step of all slots

    def step(self, x: Tensor, positions: Tensor, cache: KvCache, blocks: int) -> Tensor:
        """Hidden states ``(slots, H)`` of one more embedding per slot ``(slots, H)`` at ``positions`` ``(slots,)``.

        The first ``blocks`` of the cache are read, which must cover every position in use.
        """
        slots = x.shape[0]
        qwen = self.config.qwen
        group = qwen.heads // qwen.kv_heads
        cos, sin = self._angles[0][positions].unsqueeze(1), self._angles[1][positions].unsqueeze(1)
        rows = torch.arange(slots, device=self.device)
        block, place = positions // BLOCK, positions % BLOCK
        reach = torch.arange(blocks * BLOCK, device=self.device).view(blocks, 1, BLOCK) <= positions.view(1, slots, 1)
        hidden = (~reach).repeat_interleave(qwen.kv_heads, dim=1).unsqueeze(2)  # (blocks, pairs, 1, BLOCK)
        pairs = slots * qwen.kv_heads
        scores = torch.empty(blocks, pairs, group, BLOCK, dtype=self.dtype, device=self.device)
        parts = torch.empty(blocks, pairs, group, qwen.head_dim, dtype=self.dtype, device=self.device)
        x = x.float()
        for number, layer in enumerate(self._layers):
            query, key, value = self._qkv(layer, x, cos, sin)
            keys, values = cache.keys[number], cache.values[number]
            keys[block, rows, :, place] = key
            values[block, rows, :, place] = value
            asked = (query * self._scale).reshape(pairs, group, qwen.head_dim)
            for at in range(blocks):  # one by one: products of one shape, however many blocks there are
                torch.bmm(asked, keys[at].view(pairs, BLOCK, qwen.head_dim).transpose(1, 2), out=scores[at])
            far = scores.float().masked_fill(hidden, float("-inf"))
            weights = torch.exp(far - far.amax(dim=(0, 3), keepdim=True))
            shares = weights.to(self.dtype)
            for at in range(blocks):
                torch.bmm(shares[at], values[at].view(pairs, BLOCK, qwen.head_dim), out=parts[at])
            attended = _ordered_sum(parts.float())
            total = _ordered_sum(weights.sum(dim=-1, keepdim=True))
            x = x + layer.out((attended / total).view(slots, -1)).float()
            x = x + self._mlp(layer, x)
        return _rms_norm(x, self._norm, qwen.rms_eps)

    # ---------------------------------------------------------------- inside

    def _qkv(self, layer: Layer, x: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries ``(…, heads, head dim)``, keys and values ``(…, kv heads, head dim)``; rotated, in ``dtype``."""
        qwen = self.config.qwen
        joined = layer.qkv(_rms_norm(x, layer.before, qwen.rms_eps))
        joined = joined.view(*x.shape[:-1], qwen.heads + 2 * qwen.kv_heads, qwen.head_dim)
        turned = _rotate(joined[..., : qwen.heads + qwen.kv_heads, :].float(), cos, sin).to(self.dtype)
        return (
            turned[..., : qwen.heads, :],
            turned[..., qwen.heads :, :],
            joined[..., qwen.heads + qwen.kv_heads :, :],
        )

    def _mlp(self, layer: Layer, x: Tensor) -> Tensor:
        gate, up = layer.gate_up(_rms_norm(x, layer.after, self.config.qwen.rms_eps)).chunk(2, dim=-1)
        return layer.down(F.silu(gate) * up).float()

    def _grow_angles(self, positions: int) -> None:
        """Cosines and sines ``(2, positions, head dim)`` of the rotary embedding, at least so many positions."""
        if self._angles.dim() > 1 and self._angles.shape[1] >= positions:
            return
        qwen = self.config.qwen
        steps = torch.arange(0, qwen.head_dim, 2, dtype=torch.int64).float() / qwen.head_dim
        angles = torch.arange(positions).float()[:, None] * (1.0 / (qwen.rope_theta**steps))[None]
        angles = torch.cat([angles, angles], dim=-1)
        self._angles = torch.stack([angles.cos(), angles.sin()]).to(self.device)


def _is_skinny(x: Tensor) -> bool:
    """Whether ``W x'`` is a better way to the product than ``x W'``: for the rows of a step on a CPU, where the BLAS library
    spends a third less on it (measured at released size: 5.1 for 7.3 ms with 8 rows; no difference from 48 on)."""
    return bool(x.dim() == 2 and 8 <= x.shape[0] < 48 and x.device.type == "cpu")


def _rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    return weight * (x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + eps))


def _rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary embedding in the half-split convention: channel j turns with channel j + half."""
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-second, first], dim=-1) * sin


def _ordered_sum(parts: Tensor) -> Tensor:
    """Sum over the first dimension, one after another: trailing zeros change nothing, however many there are."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _fill(store: Tensor, new: Tensor, slot: int) -> None:
    """Write ``(kv heads, T, head dim)`` from position 0 of ``slot``."""
    heads, length, width = new.shape
    used = blocks_for(length)
    padded = F.pad(new, (0, 0, 0, used * BLOCK - length))
    store[:used, slot] = padded.view(heads, used, BLOCK, width).transpose(0, 1)
