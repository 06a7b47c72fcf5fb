"""The prompt side's parity stages: they pass on what is right and notice what is wrong."""

import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("safetensors")

from benchmarks.parity.audio_stages import stages
from benchmarks.parity.fixture import Fixture

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared/cosyvoice3-parity"
DATA = ROOT / "tests/data/cosyvoice3"


@pytest.fixture
def shipped(tmp_path, monkeypatch) -> Path:
    """The shipped model and golden prompt as a folder of fixtures."""
    monkeypatch.setenv("VOICEPRESS_CACHE", str(tmp_path / "cache"))
    shutil.copytree(DATA / "model", tmp_path / "fixture/tiny-model")
    shutil.copytree(DATA / "golden", tmp_path / "fixture/golden")
    return tmp_path / "fixture"


def failed(folder: Path) -> set[str]:
    results = list(stages(Fixture(folder)))
    assert len(results) > 10
    return {result.stage for result in results if not result.passed}


def test_the_shipped_prompt_passes(shipped):
    assert failed(shipped) == set()


@pytest.mark.parametrize(
    "name", ["wav_16k", "whisper_feat", "prompt_mel_raw", "fbank", "spk_embedding", "speech_token_raw"]
)
def test_a_golden_number_that_differs_is_noticed(shipped, name):
    path = shipped / "golden/xlingual_tags.npz"
    with np.load(path) as arrays:
        changed = {key: arrays[key].copy() for key in arrays.files}
    changed[name].reshape(-1)[7] += 1
    np.savez_compressed(path, **changed)
    assert name in failed(shipped)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the full fixtures are not here")
def test_every_case_of_the_full_fixtures_passes(tmp_path, monkeypatch):
    monkeypatch.setenv("VOICEPRESS_CACHE", str(tmp_path / "cache"))
    assert failed(SHARED) == set()
