"""Speed of CosyVoice3 at released size with random weights, stage by stage.

``python -m benchmarks.cosyvoice3`` prints for each stage and size of batch: audio-seconds and tokens per second,
floating-point operations per second against a matrix product on the same machine, peak memory; and for the language
model what int8 weights and bfloat16 do to its log-probabilities, and whether a line gets the same bits on every slot.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence

from benchmarks.cosyvoice3_rates import Rate, measure_machine, table

TARGET = 2.5
"""The language model's batch of 8 against a batch of one, on a CPU."""


def language_model(asked: argparse.Namespace) -> Iterator[Rate]:
    import torch

    from benchmarks import cosyvoice3_lm
    from engines.cosyvoice3.config import released
    from engines.cosyvoice3.decode import CachePlan, slots_agree
    from engines.cosyvoice3.shapes import lm_shapes
    from engines.cosyvoice3.weights import random_state

    state = random_state(lm_shapes(released().lm))
    model = cosyvoice3_lm.load(asked.device, state=state)
    yield from cosyvoice3_lm.rates(asked.device, asked.batch, asked.seconds, asked.cuda_graphs, model)
    agree = slots_agree(model, CachePlan(max(asked.batch), 128))
    print(f"LM: a line gets the same bits on each of {max(asked.batch)} slots: {'yes' if agree else 'NO'}")
    if not asked.no_precision:
        print("\n".join(cosyvoice3_lm.precision(asked.device, state, model)), "\n")
    del model, state
    if asked.device.startswith("cuda"):
        torch.cuda.empty_cache()


def sound(asked: argparse.Namespace, stage: str) -> Iterator[Rate]:
    """Flow or vocoder: the lines of the largest batch one by one, then at once."""
    from benchmarks.cosyvoice3_stages import measure

    lines = max(asked.batch)
    for one in measure((stage,), device=asked.device, threads=asked.threads, lines=lines, seconds=asked.seconds):
        if one.note:
            print(f"{stage}: {one.note}")
        yield Rate(one.stage, one.batch, one.audio_seconds, one.seconds, one.flop, peak_bytes=one.peak_bytes)


STAGES: dict[str, Callable[[argparse.Namespace], Iterator[Rate]]] = {
    "lm": language_model,
    "flow": lambda asked: sound(asked, "flow"),
    "vocoder": lambda asked: sound(asked, "vocoder"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stage", choices=sorted(STAGES), action="append", help="this stage alone")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--seconds", type=float, default=10.0, help="of audio in a line")
    parser.add_argument("--cuda-graphs", action="store_true", help="replay the language model's step as a CUDA graph")
    parser.add_argument("--no-precision", action="store_true", help="leave out the comparison of precisions")
    asked = parser.parse_args(arguments)
    import torch

    from engines.memory import choose_device

    asked.device = choose_device(asked.device)
    torch.set_num_threads(asked.threads)
    machine = measure_machine(asked.device, torch.float32 if asked.device == "cpu" else torch.bfloat16, asked.threads)
    found: list[Rate] = []
    for name in asked.stage or STAGES:
        for rate in STAGES[name](asked):
            found.append(rate)
            print(f"{rate.stage}, batch {rate.batch}: {rate.seconds:.1f} s for {rate.audio_seconds:.0f} s of audio")
    print(table(found, machine))
    alone, eight = (next((r for r in found if (r.stage, r.batch) == ("LM", size)), None) for size in (1, 8))
    if alone and eight and asked.device == "cpu":
        gain = eight.speed / alone.speed
        print(f"\nLM, batch 8 against 1: {gain:.2f} x (target {TARGET} x: {'met' if gain >= TARGET else 'MISSED'})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
