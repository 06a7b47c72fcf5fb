"""State dicts are loaded strictly, from either kind of file, and nothing in them is run."""

import pickle
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from common.errors import VoicepressError
from engines.cosyvoice3.config import load_config, released
from engines.cosyvoice3.shapes import flow_shapes, hift_shapes, lm_shapes
from engines.cosyvoice3.weights import (
    find_weights,
    fold_weight_norm,
    load_flow,
    load_hift,
    load_lm,
    random_state,
)

MODEL = Path(__file__).parents[2] / "data/cosyvoice3/model"
SHARED = Path(__file__).parents[3].parent / "shared/cosyvoice3-parity"
CONFIG = load_config(MODEL)
NORM = "llm.model.model.norm.weight"


@pytest.fixture
def state() -> dict:
    return load_lm(MODEL, CONFIG)


def saved(folder: Path, state: dict, name: str = "llm.pt") -> Path:
    torch.save(state, folder / name)
    return folder


def test_all_three_files_have_exactly_the_tensors_of_inference():
    for load, shapes in (
        (load_lm, lm_shapes(CONFIG.lm)), (load_flow, flow_shapes(CONFIG.flow)), (load_hift, hift_shapes(CONFIG.hift)),
    ):  # fmt: skip
        loaded = load(MODEL, CONFIG)
        assert {key: tuple(value.shape) for key, value in loaded.items()} == shapes
        for key, value in loaded.items():
            assert value.dtype == (torch.float64 if key.startswith("f0_predictor.") else torch.float32)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the golden files are not here")
def test_shapes_at_released_size_are_the_official_ones():
    official: dict[str, dict[str, tuple[int, ...]]] = {}
    for line in (SHARED / "keys-official.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            file, key, shape, _ = line.split("\t")
            official.setdefault(file, {})[key] = tuple(int(size) for size in shape.strip("[]").split(","))
    config = released()
    assert official["llm.pt"].pop("llm.model.lm_head.weight")
    assert official["flow.pt"].pop("decoder.estimator.rotary_embed.inv_freq")
    assert official["llm.pt"] == lm_shapes(config.lm)
    assert official["flow.pt"] == flow_shapes(config.flow)
    folded = {
        key.replace("parametrizations.weight.original1", "weight"): shape
        for key, shape in official["hift.pt"].items()
        if not key.endswith("original0")
    }
    assert folded == hift_shapes(config.hift)


def test_the_alternative_model_is_loaded_when_asked_for(tmp_path, state):
    saved(saved(tmp_path, state), {**state, NORM: state[NORM] + 1}, "llm.rl.pt")
    assert torch.equal(load_lm(tmp_path, CONFIG)[NORM], state[NORM])
    assert torch.equal(load_lm(tmp_path, CONFIG, "llm.rl.pt")[NORM], state[NORM] + 1)


def test_safetensors_are_read_too(tmp_path, state):
    pytest.importorskip("safetensors")
    from safetensors.torch import save_file

    save_file({key: value.contiguous() for key, value in state.items()}, tmp_path / "llm.safetensors")
    loaded = load_lm(tmp_path, CONFIG)
    assert all(torch.equal(loaded[key], value) for key, value in state.items())
    (tmp_path / "llm.safetensors").write_bytes(b"rubbish")
    with pytest.raises(VoicepressError, match="cannot be read"):
        load_lm(tmp_path, CONFIG)


def test_a_missing_file_is_named_with_what_is_there(tmp_path):
    (tmp_path / "flow.pt").touch()
    with pytest.raises(VoicepressError, match=r"llm\.pt or llm\.safetensors") as caught:
        load_lm(tmp_path, CONFIG)
    assert "flow.pt" in caught.value.hint
    with pytest.raises(VoicepressError, match=r"no llm\.rl\.pt"):
        load_lm(tmp_path, CONFIG, "llm.rl.pt")


def test_a_name_leads_nowhere_outside_the_directory(tmp_path):
    with pytest.raises(VoicepressError, match="inside the model directory"):
        find_weights(tmp_path, "../llm.pt")


def test_missing_unknown_and_misshapen_tensors_are_named(tmp_path, state):
    rest = {key: value for key, value in state.items() if key != NORM}
    with pytest.raises(VoicepressError, match=rf"llm\.pt lacks '{NORM}' of shape"):
        load_lm(saved(tmp_path, rest), CONFIG)
    with pytest.raises(VoicepressError, match="unknown tensor 'extra'"):
        load_lm(saved(tmp_path, {**state, "extra": state[NORM]}), CONFIG)
    with pytest.raises(VoicepressError, match=r"has shape \(3,\), expected"):
        load_lm(saved(tmp_path, {**state, NORM: torch.ones(3)}), CONFIG)
    with pytest.raises(VoicepressError, match="expected floating point"):
        load_lm(saved(tmp_path, {**state, NORM: state[NORM].long()}), CONFIG)


def test_the_tied_head_is_dropped(tmp_path, state):
    tied = {**state, "llm.model.lm_head.weight": state["llm.model.model.embed_tokens.weight"]}
    assert load_lm(saved(tmp_path, tied), CONFIG).keys() == state.keys()


class _Bomb:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_nothing_in_a_file_is_run(tmp_path):
    marker = tmp_path / "ran"
    torch.save({"x": _Bomb(marker)}, tmp_path / "llm.pt")
    with pytest.raises(VoicepressError, match="cannot be read as a plain state dict"):
        load_lm(tmp_path, CONFIG)
    (tmp_path / "llm.pt").write_bytes(pickle.dumps(_Bomb(marker), protocol=2))
    with pytest.raises(VoicepressError, match="cannot be read as a plain state dict"):
        load_lm(tmp_path, CONFIG)
    assert not marker.exists()


@pytest.mark.parametrize("content", [b"", b"rubbish", b"PK\x03\x04 half a file"])
def test_a_damaged_file_is_an_error_that_names_it(tmp_path, content):
    (tmp_path / "llm.pt").write_bytes(content)
    with pytest.raises(VoicepressError, match=r"llm\.pt cannot be read") as caught:
        load_lm(tmp_path, CONFIG)
    assert caught.value.file == str(tmp_path / "llm.pt")


def test_something_else_than_a_state_dict_is_refused(tmp_path):
    torch.save([1, 2], tmp_path / "llm.pt")
    with pytest.raises(VoicepressError, match="something else than a plain state dict"):
        load_lm(tmp_path, CONFIG)


@pytest.mark.parametrize(
    "names", [("parametrizations.weight.original0", "parametrizations.weight.original1"), ("weight_g", "weight_v")]
)
def test_weight_norm_is_folded_in_both_spellings(names):
    torch.manual_seed(0)
    g, v = torch.rand(4, 1, 1), torch.randn(4, 3, 5)
    conv = torch.nn.utils.parametrizations.weight_norm(torch.nn.Conv1d(3, 4, 5))
    conv.load_state_dict(
        {"bias": torch.zeros(4), "parametrizations.weight.original0": g, "parametrizations.weight.original1": v}
    )
    folded = fold_weight_norm({f"conv.{names[0]}": g, f"conv.{names[1]}": v}, Path("hift.pt"))
    assert list(folded) == ["conv.weight"]
    torch.testing.assert_close(folded["conv.weight"], conv.weight, atol=1e-7, rtol=0)


def test_the_prefix_of_the_vocoder_is_taken_off(tmp_path):
    state = load_hift(MODEL, CONFIG)
    torch.save({f"generator.{key}": value for key, value in state.items()}, tmp_path / "hift.pt")
    loaded = load_hift(tmp_path, CONFIG)
    assert all(torch.equal(loaded[key], value) for key, value in state.items())


def test_half_a_weight_norm_is_named():
    with pytest.raises(VoicepressError, match="without its other half"):
        fold_weight_norm({"ups.0.weight_g": torch.ones(2, 1, 1)}, Path("hift.pt"))


def test_random_weights_fit_and_repeat():
    one, two = random_state(lm_shapes(CONFIG.lm), 3), random_state(lm_shapes(CONFIG.lm), 3)
    assert all(torch.equal(one[key], two[key]) for key in one)
