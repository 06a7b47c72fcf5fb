"""Makes the small model and the golden prompt beside this file: ``python tests/data/cosyvoice3/make.py PARITY_FOLDER``.

PARITY_FOLDER holds the fixtures (``tiny-model/`` and ``golden/``) that the runtime was built against. Taken over from
there: the tokenizer's files, the two encoders and what one case says of its prompt audio. The three networks are made
here, of the same layout and smaller sizes, with random weights in half precision.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import torch

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))

from engines.cosyvoice3.config import load_config  # noqa: E402
from engines.cosyvoice3.shapes import flow_shapes, hift_shapes, lm_shapes  # noqa: E402

SIZES = {
    "llm_input_size": 16,
    "llm_output_size": 16,
    "channels": 16,
    "dim": 32,
    "depth": 2,
    "heads": 2,
    "dim_head": 8,
    "base_channels": 16,
    "cond_channels": 16,
}
QWEN = {
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "num_hidden_layers": 2,
}
CASE = "xlingual_tags"
PROMPT = (
    "wav_16k", "wav_24k", "whisper_feat", "speech_token_raw", "prompt_mel_raw", "fbank_raw", "fbank", "spk_embedding",
    "flow_prompt_speech_token", "prompt_speech_feat",
)  # fmt: skip
# Logits this wide make a line of random weights end after some thirty tokens, as those of the fixtures do.
SPREAD = {
    "speech_embedding.weight": 0.8,
    "embed_tokens.weight": 0.8,
    "llm_decoder.weight": 1.1,
    "input_embedding.weight": 0.7,
}


def main(source: Path) -> None:
    model = HERE / "model"
    shutil.rmtree(model, ignore_errors=True)
    (model / "CosyVoice-BlankEN").mkdir(parents=True)
    for name in ("campplus.onnx", "speech_tokenizer_v3.onnx", "config.json", "configuration.json"):
        shutil.copyfile(source / "tiny-model" / name, model / name)
    for name in ("merges.txt", "vocab.json", "tokenizer_config.json", "generation_config.json"):
        shutil.copyfile(source / "tiny-model/CosyVoice-BlankEN" / name, model / "CosyVoice-BlankEN" / name)
    qwen = json.loads((source / "tiny-model/CosyVoice-BlankEN/config.json").read_text()) | QWEN
    (model / "CosyVoice-BlankEN/config.json").write_text(json.dumps(qwen, indent=2) + "\n")
    text = (source / "tiny-model/cosyvoice3.yaml").read_text()
    for key, size in SIZES.items():
        text = re.sub(rf"^(\s*{key}:) \d+$", rf"\1 {size}", text, flags=re.MULTILINE)
    (model / "cosyvoice3.yaml").write_text(text)

    config = load_config(model)
    generator = torch.Generator().manual_seed(3)
    for name, shapes in (
        ("llm", lm_shapes(config.lm)), ("flow", flow_shapes(config.flow)), ("hift", hift_shapes(config.hift)),
    ):  # fmt: skip
        state = {}
        for key, shape in shapes.items():
            if key.endswith(("norm.weight", "layernorm.weight", ".alpha")):
                state[key] = torch.ones(shape, dtype=torch.float16)
                continue
            inputs = int(np.prod(shape[1:])) or 1
            scale = next((spread for end, spread in SPREAD.items() if key.endswith(end)), 0.6 / inputs**0.5)
            state[key] = (torch.randn(shape, generator=generator) * scale).to(torch.float16)
        torch.save(state, model / f"{name}.pt")

    golden = HERE / "golden"
    shutil.rmtree(golden, ignore_errors=True)
    golden.mkdir()
    index = json.loads((source / "golden/cases.json").read_text())
    facts = next(case for case in index["cases"] if case["id"] == CASE)
    with np.load(source / f"golden/{CASE}.npz") as arrays:
        np.savez_compressed(golden / f"{CASE}.npz", **{name: arrays[name] for name in PROMPT})
    shutil.copyfile(source / "golden" / facts["prompt_wav"], golden / facts["prompt_wav"])
    kept = {key: facts[key] for key in ("id", "mode", "tts_text", "prompt_text", "prompt_wav")}
    (golden / "cases.json").write_text(json.dumps({"cases": [kept]}, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
