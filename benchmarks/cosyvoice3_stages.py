"""How fast the flow and the vocoder are at released size, with random weights.

``python -m benchmarks.cosyvoice3_stages [--stage flow|vocoder] [--device cpu] [--threads 2] [--lines 8] [--steps 2]``
says the same lines one by one and as one batch and prints for each audio seconds per second, FLOP/s beside what the
machine multiplies matrices with, and peak memory. ``measure`` is what ``benchmarks.cosyvoice3`` calls. On a CPU only some
of the Euler steps are run; they cost the same each, so the seconds are scaled to all ten and the row says so.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.memory import peak_rss_bytes

if TYPE_CHECKING:
    from engines.cosyvoice3.config import FlowConfig, HiftConfig, ModelConfig

STAGES = ("flow", "vocoder")
LINE_SECONDS = 10.0
PROMPT_SECONDS = 3.0
STEPS_ON_CPU = 2
TRIES = 2


@dataclass(frozen=True, slots=True)
class Measured:
    """``seconds`` of work for ``lines`` lines of ``audio_seconds`` in all, in batches of ``batch``. ``flop``: operations
    that true frames need, padding not counted. ``peak_bytes``: on the host, or on the GPU. ``core_seconds``: what all
    cores together worked, which others on the machine disturb less. ``note``: what was scaled."""

    stage: str
    batch: int
    lines: int
    seconds: float
    audio_seconds: float
    flop: float
    peak_bytes: int
    core_seconds: float
    note: str = ""

    @property
    def speed(self) -> float:
        """Audio seconds made per second."""
        return self.audio_seconds / self.seconds

    @property
    def flop_rate(self) -> float:
        return self.flop / self.seconds


def flow_flop(config: FlowConfig, frames: int, steps: int) -> float:
    """Operations (2 per product) of ``steps`` Euler steps over ``frames`` frames, prompt included, both halves of the
    guidance. What the time step alone decides is made once and not counted."""
    from engines.cosyvoice3.config import MEL_BINS
    from engines.cosyvoice3.shapes import flow_shapes

    dit = config.dit
    inner, mlp = dit.heads * dit.dim_head, dit.ff_mult * dit.dim
    block = 4 * dit.dim * inner + 2 * dit.dim * mlp + 2 * frames * inner
    _, inputs, kernel = flow_shapes(config)["decoder.estimator.input_embed.conv_pos_embed.conv1.0.weight"]
    ends = 2 * MEL_BINS * dit.dim + 2 * dit.dim * inputs * kernel
    return 2.0 * (dit.depth * block + ends) * frames * 2 * steps


def vocoder_flop(config: HiftConfig, frames: int) -> float:
    """Operations (2 per product) of the convolutions over ``frames`` mel frames. An upsampling counts as it is run:
    folded, with the taps that meet different samples."""
    from engines.cosyvoice3.config import MEL_BINS

    width, length = config.base_channels, 1
    products = MEL_BINS * width * (config.conv_pre_look_right + 1)
    f0 = config.f0_channels
    products += MEL_BINS * f0 * 4 + 4 * f0 * f0 * 3 + f0
    spectrum = config.n_fft + 2
    for number, rate in enumerate(config.upsample_rates):
        taps = -(-(config.upsample_kernel_sizes[number] - 1) // rate) + 1
        length *= rate
        products += length * width * (width // 2) * taps
        width //= 2
        stride = 1
        for later in config.upsample_rates[number + 1 :]:
            stride *= later
        products += length * spectrum * width * (2 * stride if stride > 1 else 1)
        turns = 2 * config.source_resblock_kernel_sizes[number] * len(config.source_resblock_dilation_sizes[number])
        for kernel, dilations in zip(config.resblock_kernel_sizes, config.resblock_dilation_sizes, strict=True):
            turns += 2 * kernel * len(dilations)
        products += length * width * width * turns
    products += length * width * spectrum * 7
    return 2.0 * products * frames


def measure(
    stages: Sequence[str] = STAGES,
    *,
    device: str = "cpu",
    threads: int = 2,
    lines: int = 8,
    seconds: float = LINE_SECONDS,
    prompt_seconds: float = PROMPT_SECONDS,
    steps: int | None = None,
    compile_blocks: bool = False,
    config: ModelConfig | None = None,
) -> list[Measured]:
    """For each stage the lines one by one, then as one batch."""
    import torch

    from engines.cosyvoice3.config import released

    torch.set_num_threads(threads)
    sizes = config or released()
    found: list[Measured] = []
    if "flow" in stages:
        some = steps or (STEPS_ON_CPU if device == "cpu" else 10)
        found += _flow(sizes, device, lines, seconds, prompt_seconds, some, compile_blocks)
    if "vocoder" in stages:
        found += _vocoder(sizes, device, lines, seconds, compile_blocks)
    return found


def _flow(
    sizes: ModelConfig, device: str, lines: int, seconds: float, prompt_seconds: float, steps: int, compile_blocks: bool
) -> list[Measured]:
    import torch

    from engines.cosyvoice3.flow import STEPS, Flow
    from engines.cosyvoice3.shapes import flow_shapes
    from engines.cosyvoice3.weights import random_state

    config = sizes.flow
    flow = Flow(random_state(flow_shapes(config)), config, device=device, steps=steps, compile_blocks=compile_blocks)
    generator = torch.Generator().manual_seed(1)
    count, prompt = round(seconds * sizes.token_rate_hz), round(prompt_seconds * sizes.token_rate_hz)
    ratio = config.token_mel_ratio
    given: tuple[list[Any], ...] = (
        [torch.randint(0, config.vocab_size, (count,), generator=generator) for _ in range(lines)],
        [torch.randint(0, config.vocab_size, (prompt,), generator=generator) for _ in range(lines)],
        [torch.randn(ratio * prompt, 80, generator=generator) for _ in range(lines)],
        [torch.randn(config.spk_embed_dim, generator=generator) for _ in range(lines)],
    )
    flop = flow_flop(config, ratio * (count + prompt), STEPS)
    note = "" if steps == STEPS else f"{steps} of {STEPS} Euler steps run, seconds scaled"

    def work(begin: int, end: int) -> None:
        flow.run(*(column[begin:end] for column in given))

    return _timed("flow", work, lines, seconds, flop, device, STEPS / steps, note)


def _vocoder(sizes: ModelConfig, device: str, lines: int, seconds: float, compile_blocks: bool) -> list[Measured]:
    import torch

    from engines.cosyvoice3.hift import Vocoder
    from engines.cosyvoice3.noise import SineNoise
    from engines.cosyvoice3.shapes import hift_shapes
    from engines.cosyvoice3.weights import random_state

    config = sizes.hift
    noise = SineNoise(sizes.flow.vocab_size, config.f0_channels)
    vocoder = Vocoder(random_state(hift_shapes(config)), config, noise, device=device, compile_blocks=compile_blocks)
    generator = torch.Generator().manual_seed(2)
    frames = round(seconds * sizes.token_rate_hz) * sizes.token_mel_ratio
    mels = [torch.randn(80, frames, generator=generator).to(device) for _ in range(lines)]

    def work(begin: int, end: int) -> None:
        vocoder.run(mels[begin:end])

    return _timed("vocoder", work, lines, seconds, vocoder_flop(config, frames), device)


def _timed(
    stage: str,
    work: Callable[[int, int], None],
    lines: int,
    seconds: float,
    flop: float,
    device: str,
    scale: float = 1.0,
    note: str = "",
) -> list[Measured]:
    """``work(begin, end)`` on the lines one by one and on all at once, in turn, so that what else the machine does meets
    both; the better of ``TRIES`` each."""
    import torch

    batches, on_gpu = sorted({1, lines}), device != "cpu"
    taken, worked, peaks = (dict.fromkeys(batches, start) for start in (float("inf"), float("inf"), 0.0))
    for batch in batches if on_gpu else (1,):
        work(0, batch)  # warm up: kernels chosen, memory taken
    for _ in range(TRIES):
        for batch in batches:
            _forget_peak()
            if on_gpu:
                torch.cuda.reset_peak_memory_stats(device)
                torch.cuda.synchronize(device)
            started, cores = time.perf_counter(), time.process_time()
            for begin in range(0, lines, batch):
                work(begin, begin + batch)
            if on_gpu:
                torch.cuda.synchronize(device)
            taken[batch] = min(taken[batch], time.perf_counter() - started)
            worked[batch] = min(worked[batch], time.process_time() - cores)
            peak = int(torch.cuda.max_memory_allocated(device)) if on_gpu else _peak_bytes()
            peaks[batch] = max(peaks[batch], peak)
    return [
        Measured(
            stage,
            batch,
            lines,
            taken[batch] * scale,
            lines * seconds,
            lines * flop,
            int(peaks[batch]),
            worked[batch] * scale,
            note,
        )
        for batch in batches
    ]


def matrix_rate(device: str = "cpu", size: int = 2048, tries: int = 8) -> float:
    """FLOP/s of multiplying square matrices, float32 on a CPU, bfloat16 on a GPU: the best of some tries."""
    import torch

    a, b = torch.randn(2, size, size, device=device, dtype=torch.float32 if device == "cpu" else torch.bfloat16)
    best = float("inf")
    for _ in range(tries):
        started = time.perf_counter()
        torch.matmul(a, b)
        if device != "cpu":
            torch.cuda.synchronize(device)
        best = min(best, time.perf_counter() - started)
    return float(2.0 * size**3 / best)


def _forget_peak() -> None:
    """Begin to count the process's peak memory anew, where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def _peak_bytes() -> int:
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return peak_rss_bytes()


def table(rows: Sequence[Measured], rate: float) -> str:
    lines = [
        "| stage | batch | audio s per s | audio s per core second | GFLOP/s | of matrix rate | peak memory | |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for row in rows:
        lines.append(
            f"| {row.stage} | {row.batch} | {row.speed:.3g} | {row.audio_seconds / row.core_seconds:.3g} | "
            f"{row.flop_rate / 1e9:.0f} | {row.flop_rate / rate:.0%} | {row.peak_bytes / 1e9:.1f} GB | {row.note} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stage", choices=STAGES, action="append")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--lines", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=LINE_SECONDS)
    parser.add_argument("--prompt-seconds", type=float, default=PROMPT_SECONDS)
    parser.add_argument("--steps", type=int, help="Euler steps to run; 2 on a CPU, 10 on a GPU")
    parser.add_argument("--compile", action="store_true")
    asked = parser.parse_args(arguments)
    rows = measure(
        asked.stage or STAGES, device=asked.device, threads=asked.threads, lines=asked.lines, seconds=asked.seconds,
        prompt_seconds=asked.prompt_seconds, steps=asked.steps, compile_blocks=asked.compile,
    )  # fmt: skip
    rate = matrix_rate(asked.device)
    print(f"{asked.lines} lines of {asked.seconds:g} s; matrices on {asked.device}: {rate / 1e9:.0f} GFLOP/s")
    print(table(rows, rate))
    return 0


if __name__ == "__main__":
    sys.exit(main())
