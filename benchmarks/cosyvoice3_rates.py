"""What a stage of an engine achieves, against what the machine can do.

Contract: plain numbers and a table. The machine is measured, not looked up: its arithmetic by a large matrix product, its
memory by reading a large tensor, both in the precision of the work and with the threads of the work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from engines.memory import peak_rss_bytes


@dataclass(frozen=True, slots=True)
class Machine:
    """``flops``: floating-point operations a second; ``bandwidth``: bytes read a second."""

    name: str
    flops: float
    bandwidth: float


@dataclass(frozen=True, slots=True)
class Rate:
    """One stage with one size of batch: ``audio_seconds`` made in ``seconds`` by ``flop`` operations, reading
    ``bytes_read`` of weights and caches. ``peak_bytes``: the most memory held up to then."""

    stage: str
    batch: int
    audio_seconds: float
    seconds: float
    flop: float
    bytes_read: float = 0.0
    tokens: int = 0
    peak_bytes: int = 0

    @property
    def speed(self) -> float:
        """Audio-seconds per second."""
        return self.audio_seconds / self.seconds

    def bound(self, machine: Machine) -> float:
        """Audio-seconds per second that arithmetic and memory would allow."""
        return self.audio_seconds / max(self.flop / machine.flops, self.bytes_read / machine.bandwidth)


def measure_machine(device: str, dtype: Any, threads: int) -> Machine:
    """The best of several tries of a matrix product and of reading memory."""
    import torch

    torch.set_num_threads(threads)
    size = 8192 if device.startswith("cuda") else 2048
    left = torch.randn(size, size, device=device).to(dtype)
    right = torch.randn(size, size, device=device).to(dtype)
    # A sum reads memory once and computes next to nothing; 1 GiB is more than any cache holds.
    large = torch.ones(1 << 28, device=device)
    with torch.inference_mode():
        product = min(timed(lambda: left @ right, device) for _ in range(5))
        reading = min(timed(lambda: large.sum(), device) for _ in range(5))
    name = torch.cuda.get_device_name(device) if device.startswith("cuda") else f"CPU, {threads} threads"
    return Machine(f"{name}, {str(dtype).removeprefix('torch.')}", 2 * size**3 / product, large.numel() * 4 / reading)


def timed(work: Callable[[], object], device: str) -> float:
    """Seconds until ``work`` is done, on a GPU too."""
    import torch

    if device.startswith("cuda"):
        torch.cuda.synchronize(device)
    started = time.perf_counter()
    work()
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)
    return time.perf_counter() - started


def peak_bytes(device: str) -> int:
    """The most memory held so far: of the device on a GPU, of the process on a CPU."""
    import torch

    return int(torch.cuda.max_memory_allocated(device)) if device.startswith("cuda") else peak_rss_bytes()


def table(rates: Sequence[Rate], machine: Machine) -> str:
    """Markdown, one row per rate; ``gain`` is the speed against the first rate of the same stage."""
    lines = [
        f"{machine.name}: {machine.flops / 1e9:.1f} GFLOP/s in a matrix product, {machine.bandwidth / 1e9:.1f} GB/s read",
        "",
        "| stage | batch | audio s/s | gain | tokens/s | GFLOP/s | of matmul | GB/s read | of bound | peak GB |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    first: dict[str, Rate] = {}
    for rate in rates:
        base = first.setdefault(rate.stage, rate)
        tokens = f"{rate.tokens / rate.seconds:.1f}" if rate.tokens else "-"
        reading = f"{rate.bytes_read / rate.seconds / 1e9:.1f}" if rate.bytes_read else "-"
        lines.append(
            f"| {rate.stage} | {rate.batch} | {rate.speed:.3f} | {rate.speed / base.speed:.2f} | {tokens} "
            f"| {rate.flop / rate.seconds / 1e9:.1f} | {rate.flop / rate.seconds / machine.flops:.0%} "
            f"| {reading} | {rate.speed / rate.bound(machine):.0%} | {rate.peak_bytes / 1e9:.2f} |"
        )
    return "\n".join(lines)


__all__ = ["Machine", "Rate", "measure_machine", "peak_bytes", "table", "timed"]
