"""What ``voicepress doctor`` says of this engine: packages, cached model, CPU, voice packs. No model is loaded."""

from __future__ import annotations

import hashlib
import importlib.util
import zipfile

from common.errors import VoicepressError
from engines.base import Finding
from engines.kokoro import model, packs


def findings(workers: int) -> list[Finding]:
    return [*_packages(), _runtime(), _variant(workers), _cached(), *_voices()]


def _packages() -> list[Finding]:
    parts = model.find_parts()
    if parts.missing:
        return [
            Finding("fail", f"kokoro: not installed: {', '.join(parts.missing)}", model.install_hint(parts.missing))
        ]
    size = sum(part.stat().st_size for part in parts.found)
    if size != model.BYTES:
        return [
            Finding(
                "fail", f"kokoro: the model's packages hold {size} bytes instead of {model.BYTES}", model.install_hint()
            )
        ]
    return [Finding("ok", f"kokoro: model packages complete ({size / 1e6:.0f} MB)")]


def _runtime() -> Finding:
    missing = [name for name in ("onnxruntime", "onnx", "jieba", "pypinyin") if importlib.util.find_spec(name) is None]
    if missing:
        return Finding("fail", f"kokoro: not installed: {', '.join(missing)}", f"pip install {' '.join(missing)}")
    return Finding("ok", "kokoro: onnxruntime, onnx, jieba and pypinyin are installed")


def _variant(workers: int) -> Finding:
    kind = model.variant()
    threads = f"{workers} worker{'s' if workers != 1 else ''}"
    if kind == "vnni":
        return Finding("ok", f"kokoro: CPU with AVX-VNNI, mended graph, {threads}")
    return Finding(
        "warn",
        f"kokoro: CPU without AVX-VNNI: packaged graph, about half the speed, {threads}",
        "nothing; a newer CPU is faster",
    )


def _cached() -> Finding:
    kind = model.variant()
    encoder, _, _ = model.files_of(kind)
    if model.whole(kind):
        return Finding("ok", f"kokoro: model prepared in {encoder.parent}")
    if encoder.exists():
        return Finding(
            "warn",
            f"kokoro: the prepared model in {encoder.parent} is damaged",
            "nothing: it is made again at the next use",
        )
    return Finding("ok", f"kokoro: model not prepared yet (made at first use in {encoder.parent}, 92 MB)")


def _voices() -> list[Finding]:
    import numpy as np

    try:
        known = packs.checksums()
        bad = []
        with np.load(packs.folder() / "kokoro.npz", allow_pickle=False) as archive:
            for name, wanted in known.items():
                if name not in archive.files or hashlib.sha256(archive[name].tobytes()).hexdigest() != wanted:
                    bad.append(name)
    except VoicepressError as error:
        return [Finding("fail", f"kokoro: {error.what}", error.hint)]
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        return [Finding("fail", f"kokoro: the voice packs cannot be read: {error}", packs.HINT)]
    if bad:
        return [Finding("fail", f"kokoro: damaged voice packs: {', '.join(bad)}", packs.HINT)]
    return [Finding("ok", f"kokoro: {len(known)} voice packs, all whole")]
