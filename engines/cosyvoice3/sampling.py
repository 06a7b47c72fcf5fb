"""Repetition-aware sampling for many lines at once, each with randomness of its own.

Contract: ``draw`` takes the log-probabilities of every row and the noise of every row and gives one token per row; no
row sees another's. The rule: from the nucleus (at most ``top_k`` tokens, taken while the sum of those taken is below
``top_p``) draw one; if it was drawn at least ``win_size * tau_r`` times in the last ``win_size`` tokens, forbid it and
draw from the whole vocabulary instead. A draw with probabilities p is argmax(p / q) with exponential noise q.

Noise comes from a ``Noise``. ``CountedNoise`` is a function of (seed, step, place) computed on the device: no state, no
order, no host involved, so a line's noise cannot depend on who shares the batch, on when it joined, or on the device.
``ReplayedNoise`` draws from one torch generator per line in the order of the reference implementation: with it a seed
gives the very tokens that the reference gives on a CPU. It must look at each step's result and so is for the CPU.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import torch

from engines.cosyvoice3.config import LmConfig, SamplingConfig

if TYPE_CHECKING:
    from torch import Tensor

MinLength = Literal["reference", "strict"]
"""Before a line's least length, ``reference`` masks id S (sos) alone, as upstream does, so that the line may still end
early; ``strict`` masks every id that ends a line."""

_PRIMES = (-7046029254386353131, -4658895280553007687, -7723592293110705685)  # 64-bit odd constants, as signed numbers
_NUCLEUS, _WHOLE = 0, 1
_BITS = 23  # (k + 1/2) / 2^23 is exact in float32 and never 0 or 1


@dataclass(frozen=True, slots=True)
class Draw:
    """One token per row, and how it came about (for parity and measurements)."""

    token: Tensor
    first: Tensor
    repeated: Tensor
    kept: Tensor
    ids: Tensor
    probabilities: Tensor


class Noise(Protocol):
    """Exponential noise, one row per line."""

    def nucleus(self, kept: Tensor, places: int) -> Tensor:
        """``(rows, places)``; ``kept`` says how many of a row's places count."""
        ...

    def whole(self, repeated: Tensor, places: int) -> Tensor:
        """``(rows, places)``; only rows with ``repeated`` are looked at."""
        ...


class CountedNoise:
    """Noise as a function of each row's seed and step (both int64 ``(rows,)``, changed in place by the decoder)."""

    def __init__(self, seeds: Tensor, steps: Tensor) -> None:
        self.seeds, self.steps = seeds, steps

    def nucleus(self, kept: Tensor, places: int) -> Tensor:
        return self._exponential(_NUCLEUS, places)

    def whole(self, repeated: Tensor, places: int) -> Tensor:
        return self._exponential(_WHOLE, places)

    def _exponential(self, kind: int, places: int) -> Tensor:
        key = _mixed(_mixed(self.seeds) + self.steps * _PRIMES[1] + kind * _PRIMES[2])
        place = torch.arange(1, places + 1, device=key.device, dtype=torch.int64) * _PRIMES[0]
        counts = (_mixed(key[:, None] + place[None]) >> (64 - _BITS)) & ((1 << _BITS) - 1)
        return -torch.log((counts.float() + 0.5) * (1.0 / (1 << _BITS)))


class ReplayedNoise:
    """Noise in the reference's order from one generator per row; rows without one get ones. CPU only."""

    def __init__(self, rows: int) -> None:
        self.generators: list[torch.Generator | None] = [None] * rows

    def nucleus(self, kept: Tensor, places: int) -> Tensor:
        noise = torch.ones(len(self.generators), places)
        counts: list[int] = kept.tolist()
        for row, generator in enumerate(self.generators):
            if generator is not None:
                noise[row, : counts[row]] = torch.empty(counts[row]).exponential_(1, generator=generator)
        return noise

    def whole(self, repeated: Tensor, places: int) -> Tensor:
        noise = torch.ones(len(self.generators), places)
        fired: list[bool] = repeated.tolist()
        for row, generator in enumerate(self.generators):
            if generator is not None and fired[row]:
                noise[row] = torch.empty(places).exponential_(1, generator=generator)
        return noise


class GivenNoise:
    """Noise from tables, for parity with golden draws."""

    def __init__(self, nucleus: Tensor, whole: Tensor) -> None:
        self._nucleus, self._whole = nucleus, whole

    def nucleus(self, kept: Tensor, places: int) -> Tensor:
        return self._nucleus[:, :places]

    def whole(self, repeated: Tensor, places: int) -> Tensor:
        return self._whole


def mask_early_ends(log_probs: Tensor, early: Tensor, config: LmConfig, rule: MinLength) -> Tensor:
    """``log_probs`` ``(rows, V)`` with ending ids forbidden in rows that are ``early`` (bool ``(rows,)``)."""
    ends = torch.zeros(log_probs.shape[1], dtype=torch.bool, device=log_probs.device)
    ends[config.sos : config.sos + 1 if rule == "reference" else None] = True
    return log_probs.masked_fill(early[:, None] & ends[None], float("-inf"))


def draw(log_probs: Tensor, recent: Tensor, noise: Noise, config: SamplingConfig) -> Draw:
    """One token per row of ``log_probs`` ``(rows, V)`` float32, already masked.

    ``recent``: the last ``win_size`` generated tokens of each row, -1 where there were fewer.
    """
    probabilities = torch.softmax(log_probs, dim=-1)
    top, ids = _ranked(probabilities, config.top_k)
    kept = _nucleus_size(top, config.top_p)
    places = top.shape[1]
    inside = torch.arange(places, device=top.device)[None] < kept[:, None]
    shares = torch.where(inside, top / noise.nucleus(kept, places), torch.full_like(top, -1.0))
    first = ids.gather(1, shares.argmax(dim=1, keepdim=True))[:, 0]
    # Rounded up here: compared on the device, the bound would be float32 and 3.0000000000000004 become 3.
    repeated = (recent == first[:, None]).sum(dim=1) >= math.ceil(config.win_size * config.tau_r)
    if repeated.device.type == "cpu" and not bool(repeated.any()):  # on a GPU, asking would wait for the device
        return Draw(first, first, repeated, kept, ids, top)
    forbidden = log_probs.scatter(1, first[:, None], float("-inf"))
    again = torch.softmax(forbidden, dim=-1) / noise.whole(repeated, log_probs.shape[1])
    return Draw(torch.where(repeated, again.argmax(dim=1), first), first, repeated, kept, ids, top)


def greedy(log_probs: Tensor) -> Tensor:
    """The most probable token of each row, the lowest id of equal ones."""
    return log_probs.argmax(dim=1)


def draw_settings(config: SamplingConfig) -> Mapping[str, float]:
    """What of the sampling belongs into an engine's fingerprint."""
    return {"top_p": config.top_p, "top_k": config.top_k, "win_size": config.win_size, "tau_r": config.tau_r}


def signed(seed: int) -> int:
    """Any whole number as a 64-bit signed one, as int64 tensors hold it."""
    low = seed & ((1 << 64) - 1)
    return low - (1 << 64) if low >> 63 else low


def _ranked(probabilities: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The ``count`` greatest of each row in falling order, equal ones by rising id, whatever the device's sort does.

    Positive float32 numbers order as their bit patterns; the id below them makes every key different.
    """
    size = probabilities.shape[1]
    width = size.bit_length()
    ids = torch.arange(size, device=probabilities.device)
    keys = (probabilities.contiguous().view(torch.int32).long() << width) + (size - ids)
    best = keys.topk(min(count, size), dim=1, sorted=True).values
    places = size - (best & ((1 << width) - 1))
    return probabilities.gather(1, places), places


def _nucleus_size(top: Tensor, top_p: float) -> Tensor:
    """How many of the ranked probabilities are kept: those before which the sum, added one by one in float32, is still
    below ``top_p``; at least one."""
    total = torch.zeros_like(top[:, 0])
    kept = torch.zeros(top.shape[0], dtype=torch.int64, device=top.device)
    for place in range(top.shape[1]):
        kept += total < top_p
        total = total + top[:, place]
    return kept.clamp_min(1)


def _mixed(value: Tensor) -> Tensor:
    """A bijection of 64-bit numbers that spreads every bit over all (a xorshift-multiply finalizer)."""
    value = (value ^ _shifted(value, 30)) * _PRIMES[1]
    value = (value ^ _shifted(value, 27)) * _PRIMES[2]
    return value ^ _shifted(value, 31)


def _shifted(value: Tensor, bits: int) -> Tensor:
    """Logical shift to the right; torch's own keeps the sign."""
    return (value >> bits) & ((1 << (64 - bits)) - 1)
