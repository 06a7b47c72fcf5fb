"""The language model's parity stages pass on the golden files, and fail where something is wrong."""

import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("tokenizers")

import torch

from benchmarks.parity.fixture import Fixture
from benchmarks.parity.lm_stages import stages

SHARED = Path(__file__).parents[3].parent / "shared/cosyvoice3-parity"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the golden files are not here")


def test_every_stage_of_every_case_is_within_its_limit():
    found = list(stages(Fixture(SHARED)))
    assert [one for one in found if not one.passed] == []
    assert {
        "text front end",
        "tokenizer",
        "prompt assembly",
        "lm_input_emb",
        "ras_logp, whole sequence",
        "ras_logp, cached steps",
        "ras_logp, left-padded batch",
        "draws",
        "decode, sampled, all in one batch",
        "decode, greedy, all in one batch",
        "silent filter",
    } <= {one.stage for one in found}


def test_a_wrong_weight_is_seen(tmp_path):
    folder = Path(shutil.copytree(SHARED, tmp_path / "fixture", ignore=shutil.ignore_patterns("stream_*", "*.onnx")))
    folder.chmod(0o755)
    for path in (folder / "tiny-model", folder / "tiny-model/llm.pt"):
        path.chmod(0o755)
    state = torch.load(folder / "tiny-model/llm.pt", weights_only=True)
    state["llm.model.model.layers.1.self_attn.k_proj.bias"] += 0.5
    torch.save(state, folder / "tiny-model/llm.pt")
    failed = {one.stage for one in stages(Fixture(folder)) if not one.passed}
    assert {"ras_logp, whole sequence", "ras_logp, cached steps", "ras_logp, left-padded batch"} <= failed
    assert "lm_input_emb" not in failed
