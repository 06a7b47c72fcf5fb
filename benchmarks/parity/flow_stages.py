"""The flow and the vocoder against golden numbers, each quantity from the golden input of its stage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.parity.fixture import Array, Case, Fixture, Result, worst

if TYPE_CHECKING:
    from engines.cosyvoice3.flow import Flow
    from engines.cosyvoice3.hift import Vocoder
    from engines.cosyvoice3.noise import SineNoise

FLOW_LIMIT = 1e-4
F0_LIMIT = 1e-9
"""Relative; below 1 Hz, where F0 is what cancelling leaves, of 1 Hz."""
SOURCE_LIMIT = 1e-5
AUDIO_LIMIT = 1e-3
END_TO_END_LIMIT = 5e-3
"""Root of the mean square: with random weights the vocoder amplifies what rounding leaves in the mel. It holds for a
mel within ``END_TO_END_MEL``; a coarser one is judged as mel alone."""
END_TO_END_MEL = 1e-5


def stages(fixture: Fixture) -> Iterator[Result]:
    import torch

    from engines.cosyvoice3.config import load_config
    from engines.cosyvoice3.flow import Flow
    from engines.cosyvoice3.hift import Vocoder
    from engines.cosyvoice3.noise import SineNoise
    from engines.cosyvoice3.weights import load_flow, load_hift

    torch.set_num_threads(1)  # small tensors: threads cost more than they save
    config = load_config(fixture.model_dir)
    noise = SineNoise(config.flow.vocab_size, config.hift.f0_channels)
    yield from noises(fixture, noise)

    flow = Flow(load_flow(fixture.model_dir, config), config.flow, budget_frames=1 << 30)
    for case in fixture.cases:
        yield from flow_case(flow, case)
    mels = flow.run(*flow_inputs(fixture.cases))
    for case, mel in zip(fixture.cases, mels, strict=True):
        yield Result("mel, all in one batch", case.id, worst(mel.numpy(), case["mel"][0]), FLOW_LIMIT)

    vocoder = Vocoder(load_hift(fixture.model_dir, config), config.hift, noise, budget_frames=1 << 30)
    with torch.inference_mode():
        for case in fixture.cases:
            yield from vocoder_case(vocoder, case)
        yield from vocoder_batch(vocoder, fixture.cases)
    yield from end_to_end(vocoder, fixture.cases, mels)


def noises(fixture: Fixture, noise: SineNoise) -> Iterator[Result]:
    """The fixed buffers: ours begin as the golden ones do."""
    from engines.cosyvoice3.noise import flow_noise

    with np.load(fixture.golden / "noise.npz") as golden:
        yield Result("noise rand_ini", "-", worst(noise.first_phase.numpy(), golden["rand_ini"]), 0.0)
        sine, start = golden["sine_noise"][0], golden["flow_rand_noise"][0]
    yield Result("noise sine_noise", "-", worst(noise.rows(len(sine)).numpy(), sine), 0.0)
    yield Result("flow_rand_noise", "-", worst(flow_noise()[:, : start.shape[1]].numpy(), start), FLOW_LIMIT)


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
    count = conditions.frames[0]  # what follows is padding
    ours = {
        "flow_input_token": torch.cat([torch.from_numpy(case[n]) for n in ("flow_prompt_speech_token", "speech_token_out")], 1),
        "flow_token_emb": probe["token_emb"],
        "flow_lookahead_out": probe["lookahead_out"],
        "flow_spk": conditions.speaker,
        "flow_mu": conditions.mu[:, :count].mT,
        "flow_cond": conditions.cond[:, :count].mT,
        "flow_noise": conditions.noise[:, :count].mT,
        "flow_t_span": flow.span,
        "flow_t_used": flow.times,
        "flow_x": torch.cat([probe[f"x{step + 1}"] for step in range(steps)])[:, :count].mT,
        "flow_v_step1": torch.cat(probe["v1"])[:, :count].mT,
        f"flow_v_step{steps}": torch.cat(probe[f"v{steps}"])[:, :count].mT,
        "dit1_time_embed": flow.tables.embedding[:1].expand(2, -1),
        **{f"dit1_{name}": value[:, :count] for name, value in inner.items()},
        "mel": mel[None],
    }  # fmt: skip
    for name, value in ours.items():
        yield Result(name, case.id, worst(value.numpy(), case[name]), FLOW_LIMIT)
    mask: Array = torch.ones(1, 1, count).numpy()
    yield Result("flow_mask", case.id, worst(mask, case["flow_mask"]), FLOW_LIMIT)


def relative_f0(ours: Array, golden: Array) -> float:
    if ours.shape != golden.shape:
        return float("inf")
    scale = np.maximum(np.abs(golden), 1.0)
    return worst(ours / scale, golden / scale)


def vocoder_case(vocoder: Vocoder, case: Case) -> Iterator[Result]:
    """Every intermediate of one case, alone, each from what the golden run gave the stage before it."""
    import torch

    from engines.cosyvoice3.flow import change_speed

    stretched = change_speed(torch.from_numpy(case["mel"][0]), float(case.facts["speed"]))
    yield Result("hift_mel", case.id, worst(stretched[None].numpy(), case["hift_mel"]), FLOW_LIMIT)

    mel, f0, source = (torch.from_numpy(case[name]) for name in ("hift_mel", "hift_f0", "hift_source"))
    exact = vocoder.pitch(mel)
    yield Result("hift_f0_f64", case.id, relative_f0(exact.numpy(), case["hift_f0_f64"]), F0_LIMIT)
    yield Result("hift_f0", case.id, relative_f0(exact.float().numpy(), case["hift_f0"]), 1e-6)
    uv = vocoder.source.voiced(f0)
    yield Result("hift_uv_frames", case.id, worst(uv.numpy(), case["hift_uv_frames"]), 0.0)
    samples = mel.shape[2] * vocoder.config.hop
    waves = vocoder.source.waves(f0, vocoder.noise.rows(samples))
    head = case["hift_sine_waves_head"]
    yield Result("hift_sine_waves_head", case.id, worst(waves[:, : head.shape[1]].numpy(), head), SOURCE_LIMIT)
    merged = vocoder.source.merge(waves)
    yield Result("hift_source", case.id, worst(merged[:, None].numpy(), case["hift_source"]), SOURCE_LIMIT)

    probe: dict[str, Any] = {}
    sound = vocoder.decode(mel, source[:, 0], [mel.shape[2]], probe)
    tail = case["hift_conv_post_tail"]
    yield Result("hift_conv_pre", case.id, worst(probe["conv_pre"].numpy(), case["hift_conv_pre"]), AUDIO_LIMIT)
    for name, value in probe.items():
        golden = f"hift_{name}_head"
        if golden in case:
            ours = value[..., : case[golden].shape[-1]].numpy()
            yield Result(golden, case.id, worst(ours, case[golden]), AUDIO_LIMIT)
    yield Result(
        "hift_conv_post_tail", case.id, worst(probe["conv_post"][..., -tail.shape[-1] :].numpy(), tail), AUDIO_LIMIT
    )
    yield Result("audio", case.id, worst(sound.numpy(), case["audio"]), AUDIO_LIMIT)


def vocoder_batch(vocoder: Vocoder, cases: tuple[Case, ...]) -> Iterator[Result]:
    """All cases as one padded batch, from the golden mel, with our own excitation and with the golden one."""
    import torch

    mels = [torch.from_numpy(case["hift_mel"][0]) for case in cases]
    frames = [mel.shape[1] for mel in mels]
    batch = torch.nn.utils.rnn.pad_sequence([mel.T for mel in mels], batch_first=True).mT.contiguous()
    sources = [torch.from_numpy(case["hift_source"][0, 0]) for case in cases]
    excitation = vocoder.excite(batch)
    golden = torch.nn.utils.rnn.pad_sequence(sources, batch_first=True)
    sounds = vocoder.decode(batch, golden, frames)
    f0 = vocoder.pitch(batch)
    for row, case in enumerate(cases):
        ours = f0[row : row + 1, : frames[row]].numpy()
        yield Result("hift_f0_f64, all in one batch", case.id, relative_f0(ours, case["hift_f0_f64"]), F0_LIMIT)
        count = frames[row] * vocoder.config.hop
        ours = excitation[row, :count].numpy()
        yield Result("hift_source, all in one batch", case.id, worst(ours, case["hift_source"][0, 0]), SOURCE_LIMIT)
        ours = sounds[row, :count].numpy()
        yield Result("audio, all in one batch", case.id, worst(ours, case["audio"][0]), AUDIO_LIMIT)


def end_to_end(vocoder: Vocoder, cases: tuple[Case, ...], mels: list[Any]) -> Iterator[Result]:
    """Sound from the tokens, all cases in one batch all the way: root mean square of the difference."""
    from engines.cosyvoice3.flow import change_speed

    stretched = [change_speed(mel, float(case.facts["speed"])) for case, mel in zip(cases, mels, strict=True)]
    for place, (case, sound) in enumerate(zip(cases, vocoder.run(stretched), strict=True)):
        golden = case["audio"][0].astype(np.float64)
        same = sound.shape == golden.shape
        rms = float(np.sqrt(np.mean((sound.numpy() - golden) ** 2))) if same else float("inf")
        mel = worst(stretched[place].numpy(), case["hift_mel"][0])
        yield Result(
            "audio from tokens (rms)", case.id, rms, END_TO_END_LIMIT if mel <= END_TO_END_MEL else float("inf")
        )
