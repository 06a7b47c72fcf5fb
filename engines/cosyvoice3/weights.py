"""The three state dicts of a model directory, loaded strictly.

Contract: ``load_lm``, ``load_flow`` and ``load_hift`` give exactly the tensors of ``shapes``, on the CPU, float32 (the
F0 predictor float64), or raise an error that names the file, the key and the shape it should have. Files are
``.pt`` (read with ``weights_only``, so nothing in them is run) or ``.safetensors``; they are mapped, not copied, where
that is possible. ``random_state`` makes weights of the same form for benchmarks.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from common.errors import VoicepressError
from engines.cosyvoice3.config import ModelConfig
from engines.cosyvoice3.files import find_weights
from engines.cosyvoice3.shapes import Shapes, flow_shapes, hift_shapes, lm_shapes

if TYPE_CHECKING:
    from torch import Tensor

_TIED = ("llm.model.lm_head.weight", "decoder.estimator.rotary_embed.inv_freq")
_NORMED = (
    (".parametrizations.weight.original0", ".parametrizations.weight.original1"),
    (".weight_g", ".weight_v"),
)
_F0 = "f0_predictor."


def load_lm(model_dir: Path, config: ModelConfig, name: str = "llm") -> dict[str, Tensor]:
    """The language model's tensors; ``name`` may be ``llm.rl.pt`` for the variant after reinforcement learning."""
    path = find_weights(model_dir, name)
    return _strict(_read(path), lm_shapes(config.lm), path)


def load_flow(model_dir: Path, config: ModelConfig, name: str = "flow") -> dict[str, Tensor]:
    path = find_weights(model_dir, name)
    return _strict(_read(path), flow_shapes(config.flow), path)


def load_hift(model_dir: Path, config: ModelConfig, name: str = "hift") -> dict[str, Tensor]:
    """The vocoder's tensors with weight norm folded; those of ``f0_predictor.`` are float64, folded in float64."""
    path = find_weights(model_dir, name)
    state = {key.replace("generator.", ""): value for key, value in _read(path).items()}
    return _strict(fold_weight_norm(state, path), hift_shapes(config.hift), path, float64=_F0)


def fold_weight_norm(state: Mapping[str, Tensor], path: Path) -> dict[str, Tensor]:
    """``weight = g * v / ||v||``, the norm over all dimensions but the first, in the parts' own precision; float64
    for the F0 predictor. Both ways to name the two parts are understood; other keys stay as they are."""
    folded = dict(state)
    for magnitude, direction in _NORMED:
        for key in [key for key in state if key.endswith(magnitude)]:
            name = key.removesuffix(magnitude)
            if name + direction not in folded:
                raise _bad(path, f"{path.name} has '{key}' without its other half", name + direction)
            g, v = folded.pop(key), folded.pop(name + direction)
            if name.startswith(_F0):
                g, v = g.double(), v.double()
            if g.numel() != v.shape[0]:
                raise _bad(path, f"'{key}' has shape {tuple(g.shape)}, expected {(v.shape[0], 1, 1)}", key)
            norm = v.reshape(v.shape[0], -1).norm(dim=1)
            folded[f"{name}.weight"] = v * (g.reshape(-1) / norm).reshape(-1, *[1] * (v.dim() - 1))
    return folded


def random_state(shapes: Shapes, seed: int = 0) -> dict[str, Tensor]:
    """Random weights of a sane size (normal, 1/sqrt(inputs); norms at 1) for benchmarks. Not parity: nothing is
    known about real speech here."""
    generator = torch.Generator().manual_seed(seed)
    state = {}
    for key, shape in shapes.items():
        if key.endswith(("norm.weight", "layernorm.weight", ".alpha")):
            state[key] = torch.ones(shape)
        else:
            inputs = math.prod(shape[1:]) or 1
            scale = 0.02 if "embed" in key or key.endswith("bias") else 1 / math.sqrt(inputs)
            state[key] = torch.empty(shape).normal_(0.0, scale, generator=generator)
        if key.startswith(_F0):
            state[key] = state[key].double()
    return state


def _bad(path: Path, what: str, key: str | None = None) -> VoicepressError:
    return VoicepressError(
        "bad-model", what, file=path, key=key,
        hint="download the file again; it must belong to this cosyvoice3.yaml",
    )  # fmt: skip


def _read(path: Path) -> dict[str, Tensor]:
    """Names and tensors of the file, whatever they are."""
    try:
        loaded = _read_safetensors(path) if path.suffix == ".safetensors" else _read_pt(path)
    except VoicepressError:
        raise
    except Exception as error:  # a damaged pickle can fail in any way
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise _bad(path, f"{path.name} cannot be read as a plain state dict: {first}") from error
    if not isinstance(loaded, dict) or not all(
        isinstance(key, str) and isinstance(value, torch.Tensor) for key, value in loaded.items()
    ):
        raise _bad(path, f"{path.name} holds something else than a plain state dict (names to tensors)")
    return loaded


def _read_pt(path: Path) -> Any:
    # Only the zip form can be mapped; files of torch before 1.6 are another form.
    return torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))


def _read_safetensors(path: Path) -> Any:
    try:
        from safetensors.torch import load_file  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise VoicepressError(
            "missing-package", "reading .safetensors needs the package safetensors", file=path,
            hint="pip install 'voicepress[cosyvoice3]'",
        ) from error  # fmt: skip
    return load_file(path, device="cpu")


def _strict(state: dict[str, Tensor], shapes: Shapes, path: Path, float64: str = "?") -> dict[str, Tensor]:
    missing = [key for key in shapes if key not in state]
    unknown = [key for key in state if key not in shapes and key not in _TIED]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise _bad(path, f"{path.name} lacks '{missing[0]}' of shape {shapes[missing[0]]}{more}", missing[0])
    if unknown:
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        raise _bad(path, f"{path.name} has an unknown tensor '{unknown[0]}'{more}", unknown[0])
    checked = {}
    for key, shape in shapes.items():
        value = state[key]
        if tuple(value.shape) != shape:
            raise _bad(path, f"'{key}' in {path.name} has shape {tuple(value.shape)}, expected {shape}", key)
        if not value.is_floating_point():
            raise _bad(path, f"'{key}' in {path.name} is {value.dtype}, expected floating point", key)
        checked[key] = value.to(torch.float64 if key.startswith(float64) else torch.float32)
    return checked
