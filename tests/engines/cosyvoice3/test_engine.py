"""The engine on a small model with random weights: every mechanism is real, the sound is noise."""

import gc
import importlib
import logging
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

import engines
from common.errors import VoicepressError
from engines.base import Engine, EngineOptions, Speech, SpeechError, Utterance, Voice
from engines.cosyvoice3.engine import CosyVoice3Engine
from engines.memory import rss_bytes

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests/data/cosyvoice3"
MODEL = DATA / "model"
VOICE = Voice(
    "anna", "cosyvoice3", "Anna", "zh", "female", reference=DATA / "golden/prompt_d_24k.wav", transcript="雨停了。"
)
SILENT_ABOUT_WORDS = replace(VOICE, id="bert", transcript="")
TEXTS = [
    "雨", "江面很宽。", "等我再长高一点，就能把船摇到对岸去了。", "她把信叠好[breath]放进抽屉。", "Good night.",
    "Thank you for listening, and good night.", "好", "掌柜的把算盘一推，摆摆手叫伙计们都歇了。",
]  # fmt: skip


@pytest.fixture(autouse=True)
def house(tmp_path, monkeypatch):
    monkeypatch.setenv("VOICEPRESS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("VOICEPRESS_COSYVOICE3", raising=False)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def engine():
    made = engines.load("cosyvoice3", EngineOptions(model_dir=MODEL))
    yield made
    made.close()


def with_extra(**extra) -> CosyVoice3Engine:
    return CosyVoice3Engine(EngineOptions(model_dir=MODEL, extra=extra))


def line(text: str, voice: Voice = VOICE, **more) -> Utterance:
    return Utterance(text, voice, "en" if text.isascii() else "zh", **more)


def spoken(results: list[Speech | SpeechError]) -> list[Speech]:
    assert all(isinstance(one, Speech) for one in results), results
    return [one for one in results if isinstance(one, Speech)]


def tokens_of(engine: CosyVoice3Engine, utterances: list[Utterance]) -> list[tuple[int, ...]]:
    """The chosen takes' tokens, through the engine's own stages."""
    runtime = engine._load()
    lines = [runtime.line(one) for one in utterances]
    runtime._decode(lines)
    return [one.take.tokens for one in lines]


def mels_of(engine: CosyVoice3Engine, utterances: list[Utterance]) -> list[np.ndarray]:
    runtime = engine._load()
    lines = [runtime.line(one) for one in utterances]
    runtime._decode(lines)
    runtime._mels(lines)
    return [one.mel.numpy() for one in lines]


# ---------------------------------------------------------------- contract


def test_it_is_an_engine_of_24_khz_with_inline_readings(engine):
    assert isinstance(engine, Engine)
    assert (engine.name, engine.limits.sample_rate, engine.limits.phonetic) == ("cosyvoice3", 24_000, "inline")
    assert engine.resource == "cpu"


def test_importing_and_constructing_load_no_torch():
    code = (
        "import sys, engines; from engines.base import EngineOptions; from pathlib import Path\n"
        f"engine = engines.load('cosyvoice3', EngineOptions(model_dir=Path({str(MODEL)!r})))\n"
        "engine.fingerprint(); engine.limits; engine.resource\n"
        "assert 'torch' not in sys.modules and 'onnxruntime' not in sys.modules, 'loaded'"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": "."}
    )
    assert done.returncode == 0, done.stderr


def test_a_batch_is_spoken_in_order_with_timings_by_stage(engine):
    results = spoken(engine.speak([line(text, seed=3) for text in TEXTS]))
    for one in results:
        assert one.samples.dtype == np.float32
        assert one.samples.ndim == 1
        assert len(one.samples) % 960 == 0
        assert np.isfinite(one.samples).all()
        assert set(one.timings) == {"front", "lm", "flow", "vocoder"}
        assert all(seconds >= 0 for seconds in one.timings.values())


def test_an_empty_batch_gives_nothing(engine):
    assert engine.speak([]) == []


def test_speed_changes_the_length_and_nothing_before_the_vocoder(engine):
    slow, plain, fast = spoken(engine.speak([line(TEXTS[2], speed=speed) for speed in (0.5, 1.0, 2.0)]))
    assert len(slow.samples) == 2 * len(plain.samples)
    assert len(plain.samples) == pytest.approx(2 * len(fast.samples), abs=480)


def test_seed_and_take_make_another_recording(engine):
    same, again, seeded, retaken = spoken(
        engine.speak([line(TEXTS[2]), line(TEXTS[2]), line(TEXTS[2], seed=9), line(TEXTS[2], take=1)])
    )
    # two rows of one batch may be rounded otherwise in the last bit, as the processor's vectors fall
    np.testing.assert_allclose(same.samples, again.samples, atol=1e-6)
    for other in (seeded, retaken):
        assert other.samples.shape != same.samples.shape or np.abs(other.samples - same.samples).max() > 1e-3


# ---------------------------------------------------------------- who shares the batch has no say


def mixed_lines() -> list[Utterance]:
    voices = (VOICE, SILENT_ABOUT_WORDS)
    styles = ("", "", "请非常开心地说一句话。", "")
    return [
        line(TEXTS[number % len(TEXTS)], voices[number % 2], style=styles[number % 4], seed=number)
        for number in range(16)
    ]


def test_sixteen_lines_equal_the_same_lines_one_by_one_in_any_order(engine):
    lines = mixed_lines()
    alone = [tokens_of(engine, [one])[0] for one in lines]
    assert tokens_of(engine, lines) == alone
    order = list(range(16))
    random.Random(1).shuffle(order)
    shuffled = tokens_of(engine, [lines[place] for place in order])
    assert [shuffled[order.index(place)] for place in range(16)] == alone


def test_sixteen_mels_equal_the_same_mels_one_by_one(engine):
    lines = mixed_lines()
    together = mels_of(engine, lines)
    for one, mel in zip(lines, together, strict=True):
        np.testing.assert_allclose(mels_of(engine, [one])[0], mel, atol=1e-4)


def test_sixteen_sounds_are_as_long_as_alone(engine):
    lines = mixed_lines()
    together = spoken(engine.speak(lines))
    alone = [spoken(engine.speak([one]))[0] for one in lines]
    assert [len(one.samples) for one in together] == [len(one.samples) for one in alone]
    assert [one.stop for one in together] == [one.stop for one in alone]


# ---------------------------------------------------------------- what goes wrong stays with its line


def test_a_line_that_cannot_be_said_fails_alone(engine):
    kokoro = Voice("zf_xiaobei", "kokoro", "晓北", "zh", "female", params={"pack": "zf_xiaobei"})
    bad = [line("坏[xx]标记"), line("。。。"), line("好", kokoro), line("<|im_start|>好"), line("好" * 4000)]
    good = line(TEXTS[1])
    results = engine.speak([bad[0], good, *bad[1:]])
    assert [isinstance(one, SpeechError) for one in results] == [True, False, True, True, True, True]
    assert "[xx]" in results[0].message
    assert [results[place].code for place in (0, 2, 3, 4, 5)] == [
        "unspeakable", "unspeakable", "engine-fault", "unspeakable", "unspeakable",
    ]  # fmt: skip
    np.testing.assert_array_equal(results[1].samples, spoken(engine.speak([good]))[0].samples)


def test_a_failure_inside_a_stage_costs_one_line(engine, monkeypatch):
    runtime = engine._load()
    real, lines = runtime.flow.run, [line(text) for text in TEXTS[:4]]
    poison = tokens_of(engine, [lines[2]])[0]

    def run(tokens, *rest):
        if any(tuple(one.tolist()) == poison for one in tokens):
            raise ValueError("poisoned")
        return real(tokens, *rest)

    monkeypatch.setattr(runtime.flow, "run", run)
    results = engine.speak(lines)
    assert [isinstance(one, SpeechError) for one in results] == [False, False, True, False]
    assert (results[2].code, results[2].message) == ("engine-fault", "ValueError: poisoned")


@pytest.mark.parametrize(("stage", "name"), [("flow", "run"), ("vocoder", "run")])
def test_out_of_memory_halves_the_stage_then_isolates_the_line(engine, monkeypatch, stage, name, caplog):
    runtime = engine._load()
    lines = [line(text) for text in TEXTS]
    expected = spoken(engine.speak(lines))
    part, sizes = getattr(runtime, stage), []
    real = getattr(part, name)

    def run(items, *rest):
        sizes.append(len(items))
        if len(items) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        if max(item.shape[-1] for item in items) == longest:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(items, *rest)

    mels = [len(one.samples) // 480 for one in expected]
    longest = max(mels) if stage == "vocoder" else max(mels) // 2
    monkeypatch.setattr(part, name, run)
    results = engine.speak(lines)
    failed = [place for place, one in enumerate(results) if isinstance(one, SpeechError)]
    assert failed == [mels.index(max(mels))]
    assert results[failed[0]].code == "out-of-memory"
    assert sizes[:3] == [8, 4, 2]
    assert "out of memory with 8 lines at once" in caplog.text
    for place, one in enumerate(results):
        if place not in failed:
            np.testing.assert_allclose(one.samples, expected[place].samples, atol=1e-4)


def test_out_of_memory_in_the_language_model_takes_fewer_slots(engine, monkeypatch):
    from engines.cosyvoice3 import runtime as module

    lines = [line(text) for text in TEXTS]
    expected = spoken(engine.speak(lines))
    slots = []

    class Narrow(module.Decoder):
        def __init__(self, model, plan, *rest, **more):
            slots.append(plan.slots)
            if plan.slots > 4:
                raise torch.OutOfMemoryError("CUDA out of memory")
            super().__init__(model, plan, *rest, **more)

    monkeypatch.setattr(module, "Decoder", Narrow)
    results = spoken(engine.speak(lines))
    assert slots == [8, 4, 4]
    assert [len(one.samples) for one in results] == [len(one.samples) for one in expected]


def test_a_line_that_is_nothing_but_its_end_is_drawn_again(engine, monkeypatch):
    from engines.cosyvoice3 import runtime as module
    from engines.cosyvoice3.stopping import Decoded

    real, calls = module.decode, []

    def decode(decoder, inputs, seeds):
        calls.append([tuple(own) for own in seeds])
        if len(calls) < 3:
            return [tuple(Decoded((), "end", seed) for seed in own) for own in seeds]
        return real(decoder, inputs, seeds)

    monkeypatch.setattr(module, "decode", decode)
    (speech,) = spoken(engine.speak([line(TEXTS[2])]))
    assert len(speech.samples)
    assert len({seeds[0] for seeds in calls}) == len(calls) == 3


def test_a_line_that_never_begins_is_an_error(engine, monkeypatch):
    from engines.cosyvoice3 import runtime as module
    from engines.cosyvoice3.stopping import Decoded

    monkeypatch.setattr(module, "decode", lambda _, inputs, seeds: [(Decoded((), "end"),) for _ in inputs])
    (result,) = engine.speak([line(TEXTS[2])])
    assert isinstance(result, SpeechError)
    assert result.code == "unspeakable"


# ---------------------------------------------------------------- choice before sound


def test_of_several_takes_only_the_one_in_the_window_is_rendered(engine, monkeypatch):
    runtime = engine._load()
    rendered = []
    real = runtime.flow.run
    monkeypatch.setattr(runtime.flow, "run", lambda tokens, *rest: rendered.append(len(tokens)) or real(tokens, *rest))
    lengths = [
        len(spoken(engine.speak([line(TEXTS[2], candidates=6, window_seconds=(aim, aim))]))[0].samples) / 24_000
        for aim in (0.0, 100.0)
    ]
    assert lengths[0] < lengths[1]
    assert rendered == [1, 1]
    middle = sum(lengths) / 2
    (chosen,) = spoken(engine.speak([line(TEXTS[2], candidates=6, window_seconds=(middle, middle))]))
    assert any("outside the window" in note for note in chosen.notes) == (len(chosen.samples) / 24_000 != middle)


def test_the_engine_can_be_told_to_choose_for_every_line():
    engine = with_extra(candidates=4, window_seconds=[0.5, 1.0])
    told, asked, other = (
        line(TEXTS[2]), line(TEXTS[2], candidates=4, window_seconds=(0.5, 1.0)), line(TEXTS[3], candidates=1, window_seconds=(0, 100)),
    )  # fmt: skip
    assert [len(engine._load().line(one).seeds) for one in (told, asked, other)] == [4, 4, 1]
    results = spoken(engine.speak([told, asked, other]))
    np.testing.assert_allclose(results[0].samples, results[1].samples, atol=1e-6)
    assert results[2].notes == ()
    engine.close()


@pytest.mark.parametrize("stop", ["length", "repeat", "silence"])
def test_why_a_take_stopped_is_passed_through(engine, monkeypatch, stop):
    from engines.cosyvoice3 import runtime as module
    from engines.cosyvoice3.stopping import Decoded

    monkeypatch.setattr(
        module, "decode", lambda _, inputs, seeds: [(Decoded((5, 6, 7), stop, own[0]),) for own in seeds]
    )
    (speech,) = spoken(engine.speak([line(TEXTS[2])]))
    assert speech.stop == stop


# ---------------------------------------------------------------- styles, voices, modes


def test_an_unknown_style_is_noted_and_a_known_one_is_not(engine):
    known, unknown = spoken(
        engine.speak([line(TEXTS[2], style="请非常开心地说一句话。"), line(TEXTS[2], style="像海盗一样")])
    )
    assert known.notes == ()
    assert "像海盗一样" in unknown.notes[0]


def test_the_modes_follow_transcript_language_and_style(engine):
    runtime = engine._load()
    zero, cross, foreign, told = (
        runtime.line(one)
        for one in (
            line("好的。"), line("好的。", SILENT_ABOUT_WORDS), line("Good night."), line("好的。", style="用开心的语气说"),
        )
    )  # fmt: skip
    prompt = len(zero.pack.tokens)
    assert [len(one.input.prompt_speech) for one in (zero, cross, foreign, told)] == [prompt, 0, 0, 0]
    assert [bool(one.input.prompt_text) for one in (zero, cross, foreign, told)] == [True, False, False, True]


def test_a_voice_can_ask_for_its_mode(engine):
    runtime = engine._load()
    always = replace(VOICE, params={"mode": "zero_shot"})
    made = runtime.line(line("Good night.", always, style="请非常开心地说一句话。"))
    assert made.input.prompt_speech
    assert "not followed" in made.notes[0]


@pytest.mark.parametrize(
    ("voice", "said"),
    [
        (Voice("zf_xiaobei", "kokoro", "晓北", "zh", "female", params={"pack": "zf_xiaobei"}), "reference clip"),
        (replace(VOICE, reference=None), "voicepress voices add"),
        (replace(VOICE, params={"mode": "singing"}), "singing"),
        (replace(VOICE, params={"mode": "zero_shot"}, transcript=""), "transcript"),
    ],
)
def test_a_voice_that_cannot_be_used_is_explained(engine, voice, said):
    assert engine.accepts(VOICE) == ""
    assert said in engine.accepts(voice)


def test_a_clip_without_pack_and_encoders_is_explained(tmp_path):
    model = tmp_path / "model"
    shutil.copytree(MODEL, model, ignore=shutil.ignore_patterns("*.onnx"))
    assert "campplus.onnx" in CosyVoice3Engine(EngineOptions(model_dir=model)).accepts(VOICE)


def test_a_voice_pack_speaks_as_its_clip_does_without_the_encoders(engine, tmp_path):
    from engines.cosyvoice3 import pack
    from engines.cosyvoice3.encoders import Encoders

    path = tmp_path / "anna.safetensors"
    pack.save(pack.make(VOICE.reference, VOICE.transcript, Encoders(MODEL)), path)
    model = tmp_path / "model"
    shutil.copytree(MODEL, model, ignore=shutil.ignore_patterns("*.onnx"))
    bare = CosyVoice3Engine(EngineOptions(model_dir=model))
    packed = replace(VOICE, reference=path, transcript="")
    assert bare.accepts(packed) == ""
    with_clip, with_pack = spoken([engine.speak([line("好的。")])[0], bare.speak([line("好的。", packed)])[0]])
    np.testing.assert_array_equal(with_clip.samples, with_pack.samples)
    assert bare.fingerprint() == engine.fingerprint()


# ---------------------------------------------------------------- fingerprint, settings, doctor


def test_the_fingerprint_follows_files_and_settings_that_sound(engine, tmp_path):
    model = tmp_path / "model"
    shutil.copytree(MODEL, model)
    copy = CosyVoice3Engine(EngineOptions(model_dir=model))
    assert copy.fingerprint() == engine.fingerprint()
    for name in ("llm.pt", "flow.pt", "hift.pt", "cosyvoice3.yaml", "CosyVoice-BlankEN/merges.txt"):
        before = copy.fingerprint()
        with open(model / name, "ab") as file:
            file.write(b"\n")
        assert copy.fingerprint() != before, name
    plain = engine.fingerprint()
    assert with_extra(idle_minutes=3, compile=False).fingerprint() == plain
    for extra in (
        {"candidates": 2},
        {"flow_steps": 5},
        {"dtype": "bfloat16"},
        {"min_length": "strict"},
        {"quantise": "int8"},
    ):
        assert with_extra(**extra).fingerprint() != plain, extra


def test_the_fingerprint_hashes_a_file_once(engine, monkeypatch):
    from engines.cosyvoice3 import checksums

    engine.fingerprint()
    monkeypatch.setattr(checksums, "sha256_of", lambda path: pytest.fail(f"hashed again: {path}"))
    assert CosyVoice3Engine(EngineOptions(model_dir=MODEL)).fingerprint() == engine.fingerprint()


@pytest.mark.parametrize(
    ("extra", "key", "said"),
    [
        ({"candidate": 2}, "engine.extra.candidate", "candidates"),
        ({"candidates": 0}, "engine.extra.candidates", "greater"),
        ({"window_seconds": [3, 1]}, "engine.extra.window_seconds", "smaller one first"),
        ({"llm": "../llm.pt"}, "engine.extra.llm", "pattern"),
        ({"zzz": 1}, "engine.extra.zzz", "known settings"),
    ],
)
def test_a_wrong_setting_is_named(extra, key, said):
    with pytest.raises(VoicepressError) as caught:
        with_extra(**extra)
    assert caught.value.key == key
    assert said in str(caught.value)


def test_a_missing_model_directory_is_named(tmp_path, monkeypatch):
    with pytest.raises(VoicepressError, match="model_dir"):
        CosyVoice3Engine(EngineOptions())
    with pytest.raises(VoicepressError, match="nowhere"):
        CosyVoice3Engine(EngineOptions(model_dir=tmp_path / "nowhere"))
    monkeypatch.setenv("VOICEPRESS_COSYVOICE3", str(MODEL))
    assert CosyVoice3Engine(EngineOptions()).fingerprint()


def test_a_budget_of_gpu_memory_chooses_a_preset():
    from engines.cosyvoice3.options import PRESETS, budget_for

    assert [budget_for("cuda:0", size).lines for size in (4, 5, 6, 8, 11.9, 12, 24, 141)] == [
        8,
        8,
        16,
        32,
        32,
        64,
        96,
        96,
    ]
    assert list(PRESETS) == [4, 6, 8, 12, 24]
    with pytest.raises(VoicepressError, match="at least 4"):
        CosyVoice3Engine(EngineOptions(model_dir=MODEL, vram_gb=3))


def test_asking_for_a_gpu_where_there_is_none_is_an_error():
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(VoicepressError, match="cuda"):
        CosyVoice3Engine(EngineOptions(model_dir=MODEL, device="cuda")).prepare()


def test_auto_says_loudly_that_it_lands_on_the_cpu(caplog):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with caplog.at_level(logging.WARNING):
        assert CosyVoice3Engine(EngineOptions(model_dir=MODEL, device="auto")).resource == "cpu"
    assert "working on the CPU" in caplog.text


def test_expandable_segments_are_asked_for_before_torch_starts(monkeypatch):
    for name in ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"):
        monkeypatch.delenv(name, raising=False)
    with_extra()
    assert "expandable_segments:True" in (
        os.environ.get("PYTORCH_ALLOC_CONF"),
        os.environ.get("PYTORCH_CUDA_ALLOC_CONF"),
    )
    for name in ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"):
        monkeypatch.delenv(name, raising=False)


def test_the_doctor_finds_a_whole_model_well(engine):
    found = engine.doctor()
    assert {one.level for one in found} == {"ok"}, found
    said = " ".join(one.what for one in found)
    assert all(
        name in said
        for name in ("llm.pt", "flow.pt", "hift.pt", "campplus.onnx", "speech_tokenizer_v3.onnx", "vocab.json")
    )


@pytest.mark.parametrize(
    ("name", "damage", "level", "said"),
    [
        ("llm.pt", "gone", "fail", "llm.pt"),
        ("flow.pt", "cut", "fail", "flow.pt"),
        ("flow.pt", "swapped", "fail", "lacks"),
        ("hift.pt", "text", "fail", "hift.pt"),
        ("cosyvoice3.yaml", "gone", "fail", "cosyvoice3.yaml"),
        ("CosyVoice-BlankEN/vocab.json", "gone", "fail", "vocab.json"),
        ("CosyVoice-BlankEN/merges.txt", "empty", "fail", "merges.txt"),
        ("campplus.onnx", "gone", "warn", "campplus.onnx"),
        ("campplus.onnx", "text", "fail", "campplus.onnx"),
        ("speech_tokenizer_v3.onnx", "gone", "warn", "speech_tokenizer_v3.onnx"),
    ],
)
def test_the_doctor_names_what_is_missing_or_wrong(tmp_path, name, damage, level, said):
    model = tmp_path / "model"
    shutil.copytree(MODEL, model)
    path = model / name
    if damage == "gone":
        path.unlink()
    elif damage == "swapped":
        torch.save({"llm_decoder.weight": torch.zeros(1_000_000)}, path)
    else:
        path.write_bytes({"cut": path.read_bytes()[:5000], "text": b"<html>404</html>", "empty": b""}[damage])
    found = [one for one in CosyVoice3Engine(EngineOptions(model_dir=model)).doctor() if one.level != "ok"]
    assert [one.level for one in found] == [level], found
    assert said in found[0].what
    assert found[0].todo


# ---------------------------------------------------------------- memory


def test_close_gives_the_models_back_and_speak_loads_them_anew(engine):
    first = spoken(engine.speak([line(TEXTS[1])]))[0]
    engine.close()
    assert engine._runtime is None
    engine.clean()
    np.testing.assert_array_equal(spoken(engine.speak([line(TEXTS[1])]))[0].samples, first.samples)


def test_idle_models_are_given_back():
    engine = with_extra(idle_minutes=0.005)
    engine.speak([line(TEXTS[0])])
    for _ in range(600):
        if engine._runtime is None:
            break
        time.sleep(0.1)
    assert engine._runtime is None
    assert spoken(engine.speak([line(TEXTS[0])]))
    engine.close()


def test_two_threads_may_speak(engine):
    expected = spoken(engine.speak([line(text) for text in TEXTS[:2]]))
    heard: dict[int, Speech] = {}

    def speak(place: int) -> None:
        heard[place] = spoken(engine.speak([line(TEXTS[place])]))[0]

    threads = [threading.Thread(target=speak, args=(place,)) for place in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for place in (0, 1):
        assert len(heard[place].samples) == len(expected[place].samples)


@pytest.mark.slow
def test_memory_is_flat_over_a_thousand_batches(engine, request):
    """Lines of half a second, so that a thousand batches take a minute; every stage and every clean-up is real."""
    from engines.cosyvoice3.stopping import Rules

    engine._load().rules = Rules(max_ratio=4)
    gc.freeze()  # what the test run holds by itself need not be searched a thousand times
    request.addfinalizer(gc.unfreeze)
    levels = []
    for number in range(1000):
        spoken(engine.speak([line("雨", seed=number), line("好的", seed=number)]))
        engine.clean()
        if number in (199, 999):
            levels.append(rss_bytes())
    growth = levels[1] / levels[0] - 1
    assert growth < 0.01, f"grown by {growth:.2%} over the last 800 of 1000 batches"


def test_a_module_of_the_package_without_torch_imports_without_it():
    for name in ("engine", "options", "files", "pack", "encoders", "audio", "clip", "checksums", "doctor", "config"):
        source = Path(importlib.import_module(f"engines.cosyvoice3.{name}").__file__).read_text(encoding="utf-8")
        assert "\nimport torch" not in source, name


def test_a_decoder_kept_between_batches_says_the_same(engine):
    first = spoken(engine.speak([line(text, seed=3) for text in TEXTS]))
    assert engine._runtime is not None
    engine._runtime.keep_decoder = True  # as on a GPU
    for _ in range(2):
        again = spoken(engine.speak([line(text, seed=3) for text in TEXTS]))
        assert all(np.array_equal(one.samples, other.samples) for one, other in zip(first, again, strict=True))
    engine.speak([line(TEXTS[0], seed=9)])
    again = spoken(engine.speak([line(text, seed=3) for text in reversed(TEXTS)]))
    for one, other in zip(first, reversed(again), strict=True):
        assert len(one.samples) == len(other.samples)
        assert np.abs(one.samples - other.samples).max() < 1e-3


def test_every_line_has_noise_of_its_own():
    from engines.cosyvoice3.runtime import first_seed

    seeds = {first_seed(line(text, seed=seed, take=take)) for text in TEXTS for seed in (0, 100) for take in (0, 1)}
    assert len(seeds) == len(set(TEXTS)) * 4
    assert first_seed(line(TEXTS[0], seed=3)) == first_seed(line(TEXTS[0], seed=3))
