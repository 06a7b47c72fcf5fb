"""The files of a model directory, found without loading anything. Imports no torch."""

from __future__ import annotations

from pathlib import Path

from common.errors import VoicepressError

SUFFIXES = (".pt", ".safetensors")
TEXT_FILES = ("vocab.json", "merges.txt", "tokenizer_config.json", "config.json")
"""What is read of ``CosyVoice-BlankEN/``; its ``model.safetensors`` is not, ``llm.pt`` has those weights anew."""


def find_weights(model_dir: Path, name: str) -> Path:
    """The file of ``name``: ``llm`` (``.pt`` before ``.safetensors``), or a file name such as ``llm.rl.pt``."""
    if Path(name).name != name:
        raise VoicepressError(
            "bad-model", f"'{name}' must be the name of a file inside the model directory", file=model_dir,
            hint="write the file's name alone, such as llm.rl.pt",
        )  # fmt: skip
    wanted = [name] if name.endswith(SUFFIXES) else [name + suffix for suffix in SUFFIXES]
    for file in wanted:
        if (model_dir / file).is_file():
            return model_dir / file
    there = sorted(path.name for path in model_dir.glob("*") if path.suffix in SUFFIXES) if model_dir.is_dir() else []
    raise VoicepressError(
        "no-model", f"the model directory has no {' or '.join(wanted)}", file=model_dir / wanted[0],
        hint=f"complete the download (found: {', '.join(there) or 'no weights at all'})",
    )  # fmt: skip
