"""``voicepress doctor`` for this engine: packages, every file of the model directory, device and memory.

Contract: loads no model. Weights are looked at as names and shapes (their numbers stay on the disk, mapped); without
torch their sizes alone are judged. What is wrong or missing is named, with what it should be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from math import prod
from pathlib import Path

from common.errors import VoicepressError
from engines import memory
from engines.base import EngineOptions, Finding
from engines.cosyvoice3.config import TEXT_MODEL, YAML_NAME, ModelConfig, load_config
from engines.cosyvoice3.encoders import SPEAKER, TOKENIZERS, tokenizer_file
from engines.cosyvoice3.files import TEXT_FILES, find_weights
from engines.cosyvoice3.options import Settings, budget_for
from engines.cosyvoice3.shapes import Shapes, flow_shapes, hift_shapes, lm_shapes

PACKAGES = ("torch", "safetensors", "tokenizers", "onnxruntime")
_AGAIN = "take this file from the released model directory again"
_SMALLEST_ONNX = 10_000


def findings(folder: Path, options: EngineOptions, settings: Settings) -> list[Finding]:
    """What is there and what is not, in the order in which it would be mended."""
    found = list(_packages())
    try:
        config = load_config(folder)
    except VoicepressError as error:
        return [*found, _failed(error)]
    found.append(Finding("ok", f"{YAML_NAME}: {_sizes(config)}"))
    found += [_text_file(folder / TEXT_MODEL / name) for name in TEXT_FILES]
    if find_spec("tokenizers") is not None and not any(one.level == "fail" for one in found[-len(TEXT_FILES) :]):
        found.append(_tokenizer(folder, config))
    found += _weights(folder, config, settings)
    found += _encoders(folder)
    found += _device(options)
    return found


def _packages() -> Iterator[Finding]:
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        yield Finding("fail", f"not installed: {', '.join(missing)}", "pip install 'voicepress[cosyvoice3]'")
        return
    from importlib.metadata import version

    yield Finding("ok", ", ".join(f"{name} {version(name)}" for name in PACKAGES))


def _sizes(config: ModelConfig) -> str:
    qwen, dit = config.lm.qwen, config.flow.dit
    return (
        f"language model {qwen.layers} x {qwen.hidden}, flow {dit.depth} x {dit.dim}, {config.sample_rate} Hz, "
        f"{config.token_rate_hz} tokens a second"
    )


def _text_file(path: Path) -> Finding:
    name = f"{TEXT_MODEL}/{path.name}"
    if not path.is_file():
        return Finding("fail", f"{name} is missing", _AGAIN)
    size = path.stat().st_size
    return Finding("ok", f"{name}: {_bytes(size)}") if size else Finding("fail", f"{name} is empty", _AGAIN)


def _tokenizer(folder: Path, config: ModelConfig) -> Finding:
    from engines.cosyvoice3.tokens import TextTokenizer

    try:
        tokenizer = TextTokenizer(folder / TEXT_MODEL)
    except VoicepressError as error:
        return _failed(error)
    if tokenizer.size > config.lm.qwen.vocab:
        return Finding(
            "fail", f"the tokenizer has {tokenizer.size} entries, the language model {config.lm.qwen.vocab} rows",
            "take the folder CosyVoice-BlankEN from the same release",
        )  # fmt: skip
    return Finding("ok", f"tokenizer: {tokenizer.size} entries, special tokens from {tokenizer.end_of_prompt} on")


def _weights(folder: Path, config: ModelConfig, settings: Settings) -> Iterator[Finding]:
    parts: list[tuple[str, Shapes, Callable[..., object] | None]] = [
        (settings.llm, lm_shapes(config.lm), None),
        ("flow", flow_shapes(config.flow), None),
        ("hift", hift_shapes(config.hift), None),
    ]
    if find_spec("torch") is not None:
        from engines.cosyvoice3 import weights

        loaders: list[Callable[..., object]] = [weights.load_lm, weights.load_flow, weights.load_hift]
        parts = [(name, shapes, load) for (name, shapes, _), load in zip(parts, loaders, strict=True)]
    for name, shapes, load in parts:
        try:
            path = find_weights(folder, name)
            size, numbers = path.stat().st_size, sum(prod(shape) for shape in shapes.values())
            if size < 2 * numbers:  # half precision is the least that would be understood
                yield Finding(
                    "fail", f"{path.name} has {_bytes(size)}; its {len(shapes)} tensors take {_bytes(4 * numbers)} in float32",
                    f"the download broke off: {_AGAIN}",
                )  # fmt: skip
                continue
            if load is not None:
                load(folder, config, path.name)
            said = "names and shapes are right" if load is not None else "not looked into without torch"
            yield Finding("ok", f"{path.name}: {_bytes(size)}, {len(shapes)} tensors, {said}")
        except VoicepressError as error:
            yield _failed(error)


def _encoders(folder: Path) -> Iterator[Finding]:
    need = "needed to make voices from clips; voice packs made elsewhere work without"
    for path, name, what in (
        (tokenizer_file(folder), TOKENIZERS[0], "speech tokenizer"),
        (folder / SPEAKER if (folder / SPEAKER).is_file() else None, SPEAKER, "speaker encoder"),
    ):
        if path is None:
            yield Finding("warn", f"{name} ({what}) is missing: {need}", "copy it from the released model directory")
        elif path.stat().st_size < _SMALLEST_ONNX:
            yield Finding("fail", f"{path.name} has {_bytes(path.stat().st_size)}: that is no {what}", _AGAIN)
        else:
            yield _encoder(path, what)


def _encoder(path: Path, what: str) -> Finding:
    """A look at the graph's head without loading its weights into a session: the names of its inputs."""
    wanted = b"feats_length" if what == "speech tokenizer" else b"input"
    with open(path, "rb") as file:
        head = file.read(1 << 20)
        file.seek(max(0, path.stat().st_size - (1 << 20)))
        tail = file.read()
    if wanted not in head and wanted not in tail:
        return Finding("fail", f"{path.name} is no {what}: it has no input '{wanted.decode()}'", _AGAIN)
    return Finding("ok", f"{path.name}: {_bytes(path.stat().st_size)}")


def _device(options: EngineOptions) -> Iterator[Finding]:
    if find_spec("torch") is None:
        return
    try:
        device = memory.choose_device(options.device)
        budget = budget_for(device, options.vram_gb)
    except VoicepressError as error:
        yield _failed(error)
        return
    if device == "cpu":
        slow = "works on the CPU: at released size that is several times slower than speech"
        if options.device == "auto":
            yield Finding("warn", slow, "use a machine with an NVIDIA GPU for whole books")
        else:
            yield Finding("ok", slow)
        return
    import torch

    free, total = torch.cuda.mem_get_info(device)
    wanted = options.vram_gb or 0.0
    what = f"{torch.cuda.get_device_name(device)} as {device}: {free / 2**30:.1f} of {total / 2**30:.1f} GB free"
    if wanted > free / 2**30:
        yield Finding("warn", f"{what}, but vram_gb is {wanted:g}", "free the GPU, or write a smaller vram_gb")
    else:
        yield Finding("ok", f"{what}; {budget.lines} lines at once")


def _failed(error: VoicepressError) -> Finding:
    where = f" ({error.where})" if error.where else ""
    return Finding("fail", f"{error.what}{where}", error.hint)


def _bytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count:,} bytes"
