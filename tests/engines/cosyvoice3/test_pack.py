"""Encoders and voice packs: made once, found again, trusted only as far as they fit."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("safetensors")

from common.errors import VoicepressError
from engines.cosyvoice3 import audio, pack
from engines.cosyvoice3.encoders import Encoders

DATA = Path(__file__).parents[2] / "data/cosyvoice3"
MODEL = DATA / "model"
GOLDEN = DATA / "golden"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("VOICEPRESS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def clip(tmp_path) -> Path:
    return Path(shutil.copy(GOLDEN / "prompt_d_24k.wav", tmp_path / "anna.wav"))


@pytest.fixture
def bare(tmp_path) -> Path:
    """A model directory without the encoders."""
    folder = tmp_path / "bare"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def golden() -> dict[str, np.ndarray]:
    facts = json.loads((GOLDEN / "cases.json").read_text(encoding="utf-8"))["cases"][0]
    with np.load(GOLDEN / f"{facts['id']}.npz") as arrays:
        return {name: arrays[name] for name in arrays.files}


def test_encoders_give_upstreams_tokens_and_speaker(golden):
    encoders = Encoders(MODEL)
    np.testing.assert_array_equal(encoders.speech_tokens(golden["whisper_feat"][0]), golden["speech_token_raw"][0])
    np.testing.assert_allclose(encoders.speaker(golden["fbank"]), golden["spk_embedding"][0], atol=1e-4)


def test_an_untrimmed_pack_is_what_upstream_feeds_the_flow(golden, clip):
    made = pack.make(clip, "", Encoders(MODEL), trim=False)
    np.testing.assert_array_equal(made.tokens, golden["flow_prompt_speech_token"][0])
    np.testing.assert_allclose(made.mel, golden["prompt_speech_feat"][0], atol=1e-3)
    np.testing.assert_allclose(made.speaker, golden["spk_embedding"][0], atol=1e-4)


def test_a_pack_survives_its_file(clip, tmp_path):
    made = pack.make(clip, "雨停了。", Encoders(MODEL))
    pack.save(made, tmp_path / "a.safetensors")
    read = pack.load(tmp_path / "a.safetensors")
    assert (read.transcript, read.clip, read.encoders, read.notes) == (
        made.transcript,
        made.clip,
        made.encoders,
        made.notes,
    )
    for name in ("tokens", "mel", "speaker"):
        np.testing.assert_array_equal(getattr(read, name), getattr(made, name))
    assert pack.to_bytes(read) == pack.to_bytes(made)
    assert len(made.mel) == 2 * len(made.tokens)


def test_the_encoders_are_asked_once(clip, cache, bare):
    first = pack.Packs(Encoders(MODEL)).of(clip, "雨。")
    (kept,) = (cache / "voice-packs").iterdir()
    before = kept.stat().st_mtime_ns
    again = pack.Packs(Encoders(MODEL)).of(clip, "另一句。")
    assert kept.stat().st_mtime_ns == before
    np.testing.assert_array_equal(first.tokens, again.tokens)
    assert (first.transcript, again.transcript) == ("雨。", "另一句。")
    assert pack.Packs(Encoders(MODEL)).of(clip, "").transcript == ""


def test_a_damaged_pack_in_the_cache_is_made_again(clip, cache):
    pack.Packs(Encoders(MODEL)).of(clip, "")
    (kept,) = (cache / "voice-packs").iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[: len(whole) // 2])
    pack.Packs(Encoders(MODEL)).of(clip, "")
    assert kept.read_bytes() == whole


def test_without_encoders_a_pack_beside_the_clip_serves(clip, bare):
    made = pack.make(clip, "雨。", Encoders(MODEL))
    pack.save(made, clip.with_suffix(pack.SUFFIX))
    packs = pack.Packs(Encoders(bare))
    assert packs.available(clip)
    np.testing.assert_array_equal(packs.of(clip, "").tokens, made.tokens)
    assert packs.of(clip, "").transcript == "雨。"


def test_a_pack_can_be_the_reference_itself(clip, bare, tmp_path):
    made = pack.make(clip, "雨。", Encoders(MODEL))
    pack.save(made, tmp_path / "sent/anna.safetensors")
    np.testing.assert_array_equal(pack.Packs(Encoders(bare)).of(tmp_path / "sent/anna.safetensors", "").mel, made.mel)


def test_without_encoders_and_pack_the_missing_file_is_named(clip, bare):
    packs = pack.Packs(Encoders(bare))
    assert not packs.available(clip)
    with pytest.raises(VoicepressError, match=r"speech_tokenizer_v3\.onnx"):
        packs.of(clip, "")


def test_a_pack_of_another_clip_is_not_used(clip, bare, caplog):
    made = pack.make(clip, "", Encoders(MODEL))
    pack.save(made, clip.with_suffix(pack.SUFFIX))
    shutil.copyfile(GOLDEN / "prompt_d_24k.wav", clip)
    with open(clip, "ab") as file:  # another file, though it sounds the same
        file.write(b"\0\0")
    with pytest.raises(VoicepressError, match="another clip"):
        pack.Packs(Encoders(bare)).of(clip, "")
    pack.Packs(Encoders(MODEL)).of(clip, "")
    assert "encoded anew" in caplog.text


@pytest.mark.parametrize("damage", ["cut", "text", "shape", "dtype", "code", "format", "missing"])
def test_a_pack_that_does_not_fit_is_an_error_that_names_it(clip, tmp_path, damage):
    from safetensors.numpy import save

    made = pack.make(clip, "", Encoders(MODEL))
    path = tmp_path / "voice.safetensors"
    tensors = {"tokens": made.tokens, "mel": made.mel, "speaker": made.speaker}
    about = {"format": 1, "transcript": "", "clip": "", "encoders": {}, "notes": []}
    if damage == "shape":
        tensors["mel"] = made.mel[:-1]
    elif damage == "dtype":
        tensors["speaker"] = made.speaker.astype(np.float16)
    elif damage == "code":
        tensors["tokens"] = -1 - made.tokens
    elif damage == "missing":
        del tensors["speaker"]
    elif damage == "format":
        about["format"] = 99
    data = save(tensors, metadata={"voice_pack": json.dumps(about)})
    path.write_bytes({"cut": data[:100], "text": b"no pack"}.get(damage, data))
    with pytest.raises(VoicepressError) as caught:
        pack.load(path)
    assert caught.value.code == "bad-voice-pack"
    assert "voice.safetensors" in str(caught.value)


def test_an_unfit_clip_is_named(tmp_path):
    import soundfile

    soundfile.write(tmp_path / "short.wav", np.full(2000, 0.1), 24_000)
    with pytest.raises(VoicepressError, match=r"short\.wav"):
        pack.make(tmp_path / "short.wav", "", Encoders(MODEL))


@pytest.mark.parametrize(("name", "said"), [("speech_tokenizer_v3.onnx", "feats"), ("campplus.onnx", "input")])
def test_a_wrong_encoder_file_is_named(tmp_path, clip, name, said):
    folder = tmp_path / "model"
    shutil.copytree(MODEL, folder)
    (folder / name).write_bytes(b"no model")
    with pytest.raises(VoicepressError) as caught:
        pack.make(clip, "", Encoders(folder))
    assert caught.value.code == "wrong-model-file"
    assert name in str(caught.value)
    other = "campplus.onnx" if name != "campplus.onnx" else "speech_tokenizer_v3.onnx"
    shutil.copyfile(MODEL / other, folder / name)
    with pytest.raises(VoicepressError, match=f"expected {said}"):
        pack.make(clip, "", Encoders(folder))


def test_more_than_thirty_seconds_are_refused_by_the_tokenizer():
    with pytest.raises(VoicepressError, match=r"30\.0 s|at most 30"):
        Encoders(MODEL).speech_tokens(np.zeros((128, 3001), np.float32))


def test_a_mel_can_be_of_another_rate(clip):
    from dataclasses import replace

    spec = replace(audio.PROMPT_MEL, sample_rate=16_000, hop=320, n_fft=1280, window=1280)
    made = pack.make(clip, "", Encoders(MODEL), spec)
    assert made.mel.shape == (2 * len(made.tokens), 80)
