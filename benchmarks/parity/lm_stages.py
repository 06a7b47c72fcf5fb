"""Text, prompt and language model against golden numbers, each quantity from the golden input of its stage.

Stages: front end, tokenizer, assembly, prefix embeddings, log-probabilities (whole sequence, all cases left-padded in
one batch, step by step through the cache), the sampler on golden noise, whole decodes (sampled with the reference's own
random numbers, and greedy; each case alone, and all at once in fewer slots than cases), the silence rule.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.parity.fixture import Array, Case, Fixture, Result, mismatches, worst

if TYPE_CHECKING:
    from engines.cosyvoice3.config import LmConfig
    from engines.cosyvoice3.decode import Pick
    from engines.cosyvoice3.prompt import LmInput, Mode
    from engines.cosyvoice3.qwen import LanguageModel
    from engines.cosyvoice3.tokens import TextTokenizer

LOG_PROB_LIMIT = 2e-4
EMBEDDING_LIMIT = 1e-6
MODES: dict[str, Mode] = {"zero_shot": "zero_shot", "instruct2": "instruct", "cross_lingual": "cross_lingual"}


def stages(fixture: Fixture) -> Iterator[Result]:
    import torch

    from engines.cosyvoice3.config import TEXT_MODEL, load_config
    from engines.cosyvoice3.qwen import LanguageModel
    from engines.cosyvoice3.tokens import TextTokenizer
    from engines.cosyvoice3.weights import load_lm

    torch.set_num_threads(1)  # small tensors: threads cost more than they save
    config = load_config(fixture.model_dir)
    tokenizer = TextTokenizer(fixture.model_dir / TEXT_MODEL)
    yield from front_end(fixture, tokenizer)
    yield from tokenization(fixture, tokenizer)
    for case in fixture.cases:
        yield from assembly(case, tokenizer)
    yield from silences(fixture)
    model = LanguageModel(load_lm(fixture.model_dir, config), config.lm)
    with torch.inference_mode():
        for case in fixture.cases:
            yield from log_probabilities(case, model)
            yield from sampler(case, config.lm)
        yield from left_padded(fixture.cases, model)
    yield from decodes(fixture.cases, model)


def _unit(fixture: Fixture, name: str) -> Any:
    """A unit-level file of the folder; ``None`` where it has none."""
    path = fixture.golden / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def front_end(fixture: Fixture, tokenizer: TextTokenizer) -> Iterator[Result]:
    from engines.cosyvoice3.frontend import normalise, split

    for case in _unit(fixture, "text_frontend.json") or ():
        text = case["text"]
        ours: Any = normalise(text, keep_tags=False)
        if case["split"]:
            ours = split(text, lambda piece: len(tokenizer.encode(piece)), keep_tags=False)
        yield Result("text front end", repr(text[:24]), float(ours != case["result"]), 0.0)


def tokenization(fixture: Fixture, tokenizer: TextTokenizer) -> Iterator[Result]:
    golden = _unit(fixture, "tokenizer.json")
    if golden is None:
        return
    differing = sum(tokenizer.special.get(text) != number for text, number in golden["special"].items())
    yield Result("special token ids", "-", float(differing), 0.0)
    for case in golden["cases"]:
        ours = np.array(tokenizer.encode(case["text"]), dtype=np.int64)
        yield Result("tokenizer", repr(case["text"][:24]), mismatches(ours, np.array(case["ids"], np.int64)), 0.0)


def raw_input(case: Case, tokenizer: TextTokenizer) -> LmInput:
    """The case's texts as the golden file gives them (the wording around them included) through our assembly."""
    from engines.cosyvoice3.prompt import assemble

    facts = case.facts
    companion = facts.get("prompt_text") or facts.get("instruct_text") or ""
    speech = [int(token) for token in case["flow_prompt_speech_token"].reshape(-1)]
    return assemble(tokenizer, MODES[facts["mode"]], companion, facts["tts_text"], speech)


def golden_input(case: Case) -> LmInput:
    """The case's ids as the golden file gives them."""
    from engines.cosyvoice3.prompt import LmInput

    names = ("prompt_text_token", "text_token", "llm_prompt_speech_token")
    prompt_text, text, speech = (tuple(int(number) for number in case[name].reshape(-1)) for name in names)
    return LmInput(prompt_text, text, speech)


def assembly(case: Case, tokenizer: TextTokenizer) -> Iterator[Result]:
    from engines.cosyvoice3.prompt import ASSISTANT, compose
    from engines.cosyvoice3.stopping import Rules
    from engines.cosyvoice3.tokens import END_OF_PROMPT

    ours, golden = raw_input(case, tokenizer), golden_input(case)
    differing = sum(
        mismatches(np.array(mine, np.int64), np.array(theirs, np.int64))
        for mine, theirs in (
            (ours.prompt_text, golden.prompt_text), (ours.text, golden.text), (ours.prompt_speech, golden.prompt_speech),
        )
    )  # fmt: skip
    yield Result("prompt assembly", case.id, differing, 0.0)
    facts, rules = case.facts, Rules()
    lengths = ("min_len", rules.least(ours)), ("max_len", rules.most(ours)), ("n_text_token", len(ours.text))
    yield Result(
        "length rules", case.id, float(sum(facts[name] != value for name, value in lengths if name in facts)), 0.0
    )
    # Our wording: taking the golden texts apart and composing them anew must give them back.
    opening = f"{ASSISTANT}{END_OF_PROMPT}"
    mode, text = MODES[facts["mode"]], str(facts["tts_text"])
    companion = str(facts.get("prompt_text") or facts.get("instruct_text") or "")
    if mode == "instruct":
        usual = companion.startswith(f"{ASSISTANT} ") and companion.endswith(END_OF_PROMPT)
        inner = companion[len(ASSISTANT) + 1 : -len(END_OF_PROMPT)]
        composed = compose(mode, text, instruction=inner) if usual and inner else None
    elif mode == "zero_shot":
        usual = companion.startswith(opening) and len(companion) > len(opening)
        composed = compose(mode, text, transcript=companion[len(opening) :]) if usual else None
    else:
        composed = compose(mode, text[len(opening) :]) if text.startswith(opening) else None
    if composed is not None:  # a case with a wording of its own says nothing about ours
        yield Result("prompt wording", case.id, float(composed != (companion, text)), 0.0)


def silences(fixture: Fixture) -> Iterator[Result]:
    from engines.cosyvoice3.stopping import LONGEST_SILENCE, SILENT_TOKENS, shorten_silences

    golden = _unit(fixture, "silent_filter.json")
    if golden is None:
        return
    same = set(golden["silent_tokens"]) == SILENT_TOKENS and golden["max_run"] == LONGEST_SILENCE
    yield Result("silent filter ids", "-", float(not same), 0.0)
    for number, case in enumerate(golden["cases"]):
        ours = np.array(shorten_silences(case["lm_output"]), np.int64)
        yield Result("silent filter", str(number), mismatches(ours, np.array(case["kept"], np.int64)), 0.0)


def _teacher(case: Case, model: LanguageModel) -> tuple[Any, int]:
    """Embeddings ``(L + S - 1, H)`` of the prefix and the golden draws but the last; L."""
    import torch
    from torch.nn import functional as F

    line = golden_input(case)
    prefix = model.prefix([*line.prompt_text, *line.text], line.prompt_speech)
    drawn = torch.from_numpy(case["ras_draw"][:-1].astype(np.int64)).to(model.device)
    return torch.cat([prefix, F.embedding(drawn, model.speech_embedding)]), len(prefix)


def log_probabilities(case: Case, model: LanguageModel) -> Iterator[Result]:
    whole, length = _teacher(case, model)
    yield Result("lm_input_emb", case.id, worst(whole[:length].cpu().numpy(), case["lm_input_emb"][0]), EMBEDDING_LIMIT)
    ours = model.log_probs(model.forward(whole[None])[0, length - 1 :])
    yield Result("ras_logp, whole sequence", case.id, worst(ours.cpu().numpy(), case["ras_logp"]), LOG_PROB_LIMIT)
    yield Result(
        "ras_logp, cached steps", case.id, worst(cached(whole, length, model), case["ras_logp"]), LOG_PROB_LIMIT
    )


def cached(whole: Any, length: int, model: LanguageModel, slots: int = 3, slot: int = 1) -> Array:
    """Log-probabilities after the prefix and each further embedding, through one slot of a cache of ``slots``."""
    import torch

    from engines.cosyvoice3.qwen import blocks_for

    cache = model.new_cache(slots, len(whole))
    model.prefill(whole[: length - 1], cache, slot)
    rows = []
    for place in range(length - 1, len(whole)):
        x = torch.zeros(slots, whole.shape[1], device=model.device)
        positions = torch.zeros(slots, dtype=torch.int64, device=model.device)
        x[slot], positions[slot] = whole[place], place
        rows.append(model.log_probs(model.step(x, positions, cache, blocks_for(place + 1)))[slot])
    found: Array = torch.stack(rows).cpu().numpy()
    return found


def left_padded(cases: Sequence[Case], model: LanguageModel) -> Iterator[Result]:
    import torch

    wholes = [_teacher(case, model)[0] for case in cases]
    longest = max(len(whole) for whole in wholes)
    starts = torch.tensor([longest - len(whole) for whole in wholes], device=model.device)
    padded = torch.stack(
        [torch.cat([whole.new_full((longest - len(whole), whole.shape[1]), 7.0), whole]) for whole in wholes]
    )
    hidden = model.forward(padded, starts)
    for row, case in enumerate(cases):
        ours = model.log_probs(hidden[row, -len(case["ras_logp"]) :]).cpu().numpy()
        yield Result("ras_logp, left-padded batch", case.id, worst(ours, case["ras_logp"]), LOG_PROB_LIMIT)


def sampler(case: Case, config: LmConfig) -> Iterator[Result]:
    """All steps of the case as the rows of one batch, on its golden noise."""
    import torch

    from engines.cosyvoice3.sampling import GivenNoise, draw, mask_early_ends

    log_probs = torch.from_numpy(case["ras_logp"])
    steps, size = log_probs.shape
    window, places = config.sampling.win_size, min(config.sampling.top_k, size)
    recent = torch.full((steps, window), -1)
    for step in range(steps):
        before = case["ras_draw"][max(0, step - window) : step]
        if len(before):
            recent[step, -len(before) :] = torch.from_numpy(before.astype(np.int64))
    golden_ids = case["ras_nucleus_ids"]
    width = min(golden_ids.shape[1], places)
    nucleus = torch.ones(steps, places)
    nucleus[:, :width] = torch.from_numpy(case["ras_nucleus_q"][:, :width])
    fired = case["ras_fallback_pick"] >= 0
    whole = torch.ones(steps, size)
    if fired.any():
        whole[torch.from_numpy(fired)] = torch.from_numpy(case["ras_fallback_q"])
    early = torch.from_numpy(case["ras_ignore_eos"].astype(bool))
    ours = draw(
        mask_early_ends(log_probs, early, config, "reference"), recent, GivenNoise(nucleus, whole), config.sampling
    )
    kept = torch.where(torch.arange(places)[None] < ours.kept[:, None], ours.ids, -1)[:, :width].numpy()
    yield Result("nucleus sizes", case.id, mismatches(ours.kept.numpy(), case["ras_nucleus_n"]), 0.0)
    yield Result("nucleus ids", case.id, mismatches(kept, golden_ids[:, :width]), 0.0)
    yield Result("first draws", case.id, mismatches(ours.first.numpy(), case["ras_nucleus_pick"]), 0.0)
    yield Result("repetition rule", case.id, mismatches(ours.repeated.numpy(), fired), 0.0)
    yield Result("draws", case.id, mismatches(ours.token.numpy(), case["ras_draw"]), 0.0)


def decodes(cases: Sequence[Case], model: LanguageModel) -> Iterator[Result]:
    """Whole decodes through the scheduler. Our own rules against runaways are off: the reference has none."""
    from engines.cosyvoice3.decode import CachePlan, Decoder, decode, positions_for
    from engines.cosyvoice3.stopping import Rules

    rules = Rules(longest_repeat=1 << 30, longest_silence=1 << 30)
    lines = [golden_input(case) for case in cases]
    seeds = [(int(case.facts["seed"]),) for case in cases]
    positions = positions_for(lines, rules)
    ways: tuple[tuple[str, Pick, str], ...] = (
        ("decode, sampled", "replayed", "ras_tokens"),
        ("decode, greedy", "greedy", "greedy_tokens"),
    )
    for name, pick, golden in ways:
        alone = Decoder(model, CachePlan(1, positions), rules, pick=pick)
        together = Decoder(model, CachePlan(max(2, len(cases) * 3 // 4), positions), rules, pick=pick)
        shared = decode(together, lines, seeds)
        for case, line, seed, (batched,) in zip(cases, lines, seeds, shared, strict=True):
            ((single,),) = decode(alone, [line], [seed])
            expected = case[golden].reshape(-1).astype(np.int64)
            yield Result(f"{name}, alone", case.id, mismatches(np.array(single.drawn, np.int64), expected), 0.0)
            yield Result(
                f"{name}, all in one batch", case.id, mismatches(np.array(batched.drawn, np.int64), expected), 0.0
            )
            if pick == "replayed":
                ended = batched.stop == "length"
                yield Result("stop", case.id, float(ended != bool(case.facts["reached_max_len"])), 0.0)
                spoken = np.array(batched.tokens, np.int64)
                yield Result(
                    "speech_token_out",
                    case.id,
                    mismatches(spoken, case["speech_token_out"].reshape(-1).astype(np.int64)),
                    0.0,
                )


__all__ = ["stages"]
