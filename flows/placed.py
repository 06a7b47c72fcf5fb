"""Which files a book or a series may name: those of its own folder, those of the house, and the user's further roots.

Contract: ``inside`` and ``shared`` give an absolute path of a file that is there, or one ``VoicepressError`` that names
the file, line and key where it was asked for. Both come from strangers: links count by where they lead.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from common import places
from common.errors import VoicepressError, plain
from common.files import require_file
from common.yamlio import line_of


@dataclass(frozen=True, slots=True)
class Names:
    """The file that names others: its path, its node tree (for lines), and what its folder is called in advice."""

    path: Path
    node: yaml.Node | None
    folder: str = "the book's folder"

    def line(self, key: str) -> int | None:
        return line_of(self.node, (key,))


def shared(file: Names, key: str, value: str, house: Path) -> Path:
    """A file of the folder, or, where ``value`` is a bare name, one that the house ships."""
    if re.fullmatch(r"[\w\-]+", value):
        shipped = house / f"{value}.yaml"
        if len(value) < 100 and shipped.is_file():
            return shipped
        known = sorted(path.stem for path in house.glob("*.yaml"))
        raise VoicepressError(
            "file-missing", f"there is no shared {key} '{plain(value, 80)}'", file=file.path, line=file.line(key), key=key,
            hint=f"name a file of {file.folder} ({plain(value, 80)}.yaml) or one of: {', '.join(known)}",
        )  # fmt: skip
    return inside(file, key, value, f"the {key}")


def inside(file: Names, key: str, value: str, named: str) -> Path:
    """The file that ``value`` names; ``named`` is what it is called in errors."""
    line = file.line(key)
    if "\0" in value or not value.strip():
        raise VoicepressError(
            "bad-config",
            f"{named} has no usable path",
            file=file.path,
            line=line,
            key=key,
            hint=f"name a file in {file.folder}",
        )
    try:
        path = (file.path.parent / value).resolve()
    except (OSError, RuntimeError) as error:  # a name too long, links in a circle
        raise VoicepressError(
            "bad-config", f"{named} '{plain(value, 80)}' is no usable path: {_why(error)}", file=file.path, line=line,
            key=key, hint=f"name a file in {file.folder}",
        ) from error  # fmt: skip
    roots = [file.path.parent.resolve(), places.VOICES.resolve(), places.CONFIGS.resolve()]
    roots += [
        Path(root).expanduser().resolve() for root in os.environ.get("VOICEPRESS_ROOTS", "").split(os.pathsep) if root
    ]
    if not any(path.is_relative_to(root) for root in roots):
        raise VoicepressError(
            "outside-book", f"{named} '{value}' lies outside {file.folder}", file=file.path, line=line, key=key,
            hint=f"move it into {file.folder}, or list its folder in the environment variable VOICEPRESS_ROOTS",
        )  # fmt: skip
    try:
        return require_file(path, f"{named} '{plain(value, 80)}'", f"check the name; it is looked for in {file.folder}")
    except VoicepressError as error:
        raise VoicepressError(error.code, error.what, file=file.path, line=line, key=key, hint=error.hint) from error


def _why(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "links lead round in a circle"
