"""Sizes of a model directory."""

import json
import shutil
from pathlib import Path

import pytest

from common.errors import VoicepressError
from engines.cosyvoice3.config import load_config, released, tiny

MODEL = Path(__file__).parents[2] / "data/cosyvoice3/model"
SHARED = Path(__file__).parents[3].parent / "shared/cosyvoice3-parity"


@pytest.fixture
def model_dir(tmp_path) -> Path:
    folder = tmp_path / "model"
    (folder / "CosyVoice-BlankEN").mkdir(parents=True)
    shutil.copy(MODEL / "cosyvoice3.yaml", folder)
    shutil.copy(MODEL / "CosyVoice-BlankEN/config.json", folder / "CosyVoice-BlankEN")
    return folder


def edit(folder: Path, old: str, new: str) -> None:
    path = folder / "cosyvoice3.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_test_model_is_read(model_dir):
    config = load_config(model_dir)
    assert config.hift.hop == 480
    assert config.token_seconds == 0.04
    assert config.flow.dit.chunk_frames == 50
    assert config.mel.fmax is None
    assert config.lm.rows == config.lm.speech_tokens + 200
    assert (config.lm.sos, config.lm.task) == (config.lm.speech_tokens, config.lm.speech_tokens + 2)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the golden files are not here")
def test_the_fixture_has_the_sizes_of_its_description():
    assert load_config(SHARED / "tiny-model") == tiny()


def test_released_and_tiny_differ_in_sizes_only():
    assert released().lm.sampling == tiny().lm.sampling
    assert released().lm.qwen.head_dim * released().lm.qwen.heads == released().lm.qwen.hidden
    assert released().hift.hop == 480


def test_values_are_taken_from_the_file(model_dir):
    edit(model_dir, "top_k: 25", "top_k: 12")
    edit(model_dir, "inference_cfg_rate: 0.7", "inference_cfg_rate: 0.5")
    config = load_config(model_dir)
    assert config.lm.sampling.top_k == 12
    assert config.flow.inference_cfg_rate == 0.5


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("    depth:", "    deepness:", "'depth' is missing"),
        ("upsample_rates: [8, 5, 3]", "upsample_rates: [8, 5, 2]", "do not make the sample rate"),
        ("upsample_kernel_sizes: [16, 11, 7]", "upsample_kernel_sizes: [16, 11]", "3 upsampling stages"),
        ("    top_p: 0.8", "    top_p: high", "must be a number"),
    ],
)
def test_a_wrong_file_is_an_error_that_says_why(model_dir, old, new, says):
    edit(model_dir, old, new)
    with pytest.raises(VoicepressError, match=says) as caught:
        load_config(model_dir)
    assert caught.value.key


def test_missing_files_are_named(model_dir):
    (model_dir / "CosyVoice-BlankEN/config.json").unlink()
    with pytest.raises(VoicepressError, match=r"config\.json"):
        load_config(model_dir)
    (model_dir / "cosyvoice3.yaml").unlink()
    with pytest.raises(VoicepressError, match=r"cosyvoice3\.yaml"):
        load_config(model_dir)


def test_a_text_model_of_another_kind_is_refused(model_dir):
    path = model_dir / "CosyVoice-BlankEN/config.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, "num_key_value_heads": 3}), encoding="utf-8")
    with pytest.raises(VoicepressError, match="cannot share"):
        load_config(model_dir)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(VoicepressError, match="no JSON"):
        load_config(model_dir)
