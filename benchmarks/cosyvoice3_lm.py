"""Speed of CosyVoice3's language model at released size with random weights, and what lower precision does to it.

Every line has a prompt of 3.5 s, 25 text tokens of it and 25 of its own, and is decoded to exactly the length asked for:
ends are forbidden before it. Random weights say nothing about speech, but cost what the released ones cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.cosyvoice3_rates import Rate, peak_bytes, timed

PROMPT_TOKENS = 88
TEXT_TOKENS = 25


def load(device: str, dtype: Any = None, quantise: Any = "none", state: Any = None) -> Any:
    """A model of released size."""
    from engines.cosyvoice3.config import released
    from engines.cosyvoice3.qwen import LanguageModel
    from engines.cosyvoice3.shapes import lm_shapes
    from engines.cosyvoice3.weights import random_state

    config = released().lm
    return LanguageModel(state or random_state(lm_shapes(config)), config, device, dtype, quantise)


def rates(
    device: str, batches: Sequence[int], seconds: float, cuda_graphs: bool = False, model: Any = None
) -> Iterator[Rate]:
    from engines.cosyvoice3.decode import CachePlan, Decoder, decode, positions_for
    from engines.cosyvoice3.prompt import LmInput
    from engines.cosyvoice3.stopping import Rules

    model = model or load(device)
    tokens = round(seconds * 25)
    never = 1 << 30
    ratio = tokens / TEXT_TOKENS
    rules = Rules(ratio, ratio, "strict", longest_repeat=never, longest_silence=never)
    text, speech = tuple(range(TEXT_TOKENS)), tuple(range(100, 100 + PROMPT_TOKENS))
    qwen = model.config.qwen
    for batch in batches:
        lines = [LmInput(text, text, speech)] * batch
        plan = CachePlan(batch, positions_for(lines, rules))
        decoder = Decoder(model, plan, rules, cuda_graphs=cuda_graphs)
        short = Rules(1.0, 1.0, "strict")
        decode(Decoder(model, plan, short, cuda_graphs=cuda_graphs), lines[:1], [(0,)])  # warm up
        takes: list[Any] = []
        spent = timed(lambda: takes.extend(decode(decoder, lines, [(n,) for n in range(len(lines))])), device)  # noqa: B023
        made = sum(len(take.drawn) for (take,) in takes)
        assert made == batch * tokens, "a line ended early"
        prefix = lines[0].positions - 1
        context = prefix + tokens / 2
        attention = 4 * qwen.layers * qwen.heads * qwen.head_dim
        body = 2 * model.body_parameters()
        per_line = tokens * (body + attention * context) + prefix * (body + attention * prefix / 2)
        yield Rate(
            "LM", batch, batch * seconds, spent, per_line * batch, decoder.steps_run * weight_bytes(model), made,
            peak_bytes(device),
        )  # fmt: skip


def weight_bytes(model: Any) -> int:
    """Bytes of weights that a step reads: all but the embedding."""
    return int(model.nbytes() - model.speech_embedding.numel() * 4)


def precision(device: str, state: Any, exact: Any, length: int = 160) -> Iterator[str]:
    """What int8 weights and bfloat16 do to log-probabilities along a random line, against ``exact``; as table rows."""
    import torch

    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(0, exact.config.speech_tokens, (length,), generator=generator).tolist()
    yield "| LM weights | MB read a step | max abs log-prob | mean abs | mean KL | same most probable |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    with torch.inference_mode():
        prefix = exact.prefix(range(TEXT_TOKENS), ids)
        expected = exact.log_probs(exact.forward(prefix[None]))[0, TEXT_TOKENS + 2 :]
        for name, dtype, quantise in (
            (str(exact.dtype), exact.dtype, "none"),
            ("int8", exact.dtype, "int8"),
            ("bfloat16", torch.bfloat16, "none"),
            ("int8, bfloat16", torch.bfloat16, "int8"),
        ):
            model = load(device, dtype, quantise, state)
            found = model.log_probs(model.forward(prefix[None]))[0, TEXT_TOKENS + 2 :]
            apart = (found - expected).abs()
            divergence = (expected.exp() * (expected - found)).sum(-1).mean()
            same = (found.argmax(-1) == expected.argmax(-1)).double().mean()
            yield (
                f"| {name.removeprefix('torch.')} | {weight_bytes(model) / 1e6:.0f} | {apart.max():.2g} | {apart.mean():.2g} "
                f"| {divergence:.2g} | {same:.1%} |"
            )
            del model


__all__ = ["load", "precision", "rates", "weight_bytes"]
