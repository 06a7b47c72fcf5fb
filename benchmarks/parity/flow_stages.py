"""The flow and the vocoder against golden numbers, each quantity from the golden input of its stage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from benchmarks.parity.fixture import Array, Case, Fixture, Result, worst

if TYPE_CHECKING:
    from engines.cosyvoice3.flow import Flow

FLOW_LIMIT = 1e-4


def stages(fixture: Fixture) -> Iterator[Result]:
    import torch

    from engines.cosyvoice3.config import load_config
    from engines.cosyvoice3.flow import Flow

    config = load_config(fixture.model_dir)
    state = torch.load(fixture.model_dir / "flow.pt", weights_only=True)
    flow = Flow(state, config.flow, budget_frames=1 << 30)
    for case in fixture.cases:
        yield from flow_case(flow, case)
    mels = run_flow(flow, fixture.cases)
    for case, mel in zip(fixture.cases, mels, strict=True):
        yield Result("mel, all in one batch", case.id, worst(mel.numpy(), case["mel"][0]), FLOW_LIMIT)


def run_flow(flow: Flow, cases: tuple[Case, ...]) -> list[Any]:
    return flow.run(*flow_inputs(cases))


def flow_inputs(cases: tuple[Case, ...]) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    import torch

    names = ("speech_token_out", "flow_prompt_speech_token", "prompt_speech_feat", "spk_embedding")
    tokens, prompts, mels, speakers = ([torch.from_numpy(case[name][0]) for case in cases] for name in names)
    return tokens, prompts, mels, speakers


def flow_case(flow: Flow, case: Case) -> Iterator[Result]:
    """Every intermediate of one case, alone."""
    import torch

    probe: dict[str, Any] = {}
    with torch.inference_mode():
        conditions = flow.conditions(*flow_inputs((case,)), probe=probe)
        state = flow.solve(conditions, probe)
        mel = flow.cut(state, conditions)[0]
    inner = probe["dit"]
    steps = sum(name.startswith("x") for name in probe)
    ours = {
        "flow_input_token": torch.cat([torch.from_numpy(case[n]) for n in ("flow_prompt_speech_token", "speech_token_out")], 1),
        "flow_token_emb": probe["token_emb"],
        "flow_lookahead_out": probe["lookahead_out"],
        "flow_spk": conditions.speaker,
        "flow_mu": conditions.mu.mT,
        "flow_cond": conditions.cond.mT,
        "flow_noise": conditions.noise.mT,
        "flow_t_span": flow.span,
        "flow_t_used": flow.times,
        "flow_x": torch.cat([probe[f"x{step + 1}"] for step in range(steps)]).mT,
        "flow_v_step1": torch.cat(probe["v1"]).mT,
        f"flow_v_step{steps}": torch.cat(probe[f"v{steps}"]).mT,
        "dit1_time_embed": flow.tables.embedding[:1].expand(2, -1),
        **{f"dit1_{name}": value for name, value in inner.items()},
        "mel": mel[None],
    }  # fmt: skip
    for name, value in ours.items():
        yield Result(name, case.id, worst(value.numpy(), case[name]), FLOW_LIMIT)
    mask: Array = torch.ones(1, 1, conditions.mu.shape[1]).numpy()
    yield Result("flow_mask", case.id, worst(mask, case["flow_mask"]), FLOW_LIMIT)
