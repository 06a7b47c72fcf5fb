"""The cover: looked at before anything is encoded.

Contract: ``load_cover`` knows JPEG and PNG by content, whatever the file is called, and refuses the rest with what to
do about it.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from common.errors import VoicepressError
from common.files import require_file

MAX_BYTES = 10 * 1024 * 1024
MAX_PIXELS = 8192


@dataclass(frozen=True, slots=True)
class Cover:
    path: Path
    kind: Literal["jpeg", "png"]
    width: int
    height: int
    sha256: str

    @property
    def mime(self) -> str:
        return f"image/{self.kind}"


def load_cover(path: Path) -> Cover:
    """Check the picture at ``path``. Raises ``VoicepressError``: ``file-missing``, ``cover-too-big``, ``bad-cover``."""
    require_file(path, "the cover", "correct the path, or leave the cover out")
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise VoicepressError(
            "cover-too-big", f"the cover has {size / 2**20:.1f} MiB; players take up to {MAX_BYTES >> 20}", file=path,
            hint="save it as JPEG with 2400 x 2400 pixels",
        )  # fmt: skip
    data = path.read_bytes()
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        kind: Literal["jpeg", "png"] = "png"
        shape = _png_shape(data)
    elif data.startswith(b"\xff\xd8\xff"):
        kind = "jpeg"
        shape = _jpeg_shape(data)
    else:
        raise VoicepressError(
            "bad-cover", "the cover is neither a JPEG nor a PNG picture", file=path, hint="save it as JPEG or PNG"
        )
    if shape is None or not all(shape):
        raise VoicepressError(
            "bad-cover", f"the cover is a damaged {kind.upper()} picture", file=path, hint="save it again"
        )
    if max(shape) > MAX_PIXELS:
        raise VoicepressError(
            "cover-too-big", f"the cover is {shape[0]} x {shape[1]} pixels; players take up to {MAX_PIXELS}", file=path,
            hint="save it with 2400 x 2400 pixels",
        )  # fmt: skip
    return Cover(path.absolute(), kind, shape[0], shape[1], hashlib.sha256(data).hexdigest())


def _png_shape(data: bytes) -> tuple[int, int] | None:
    if len(data) < 33 or data[12:16] != b"IHDR" or b"IEND" not in data[-16:]:
        return None
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def _jpeg_shape(data: bytes) -> tuple[int, int] | None:
    """Walk the segments to the frame header (SOF0-SOF15 without DHT, JPG and DAC)."""
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
            continue
        length = struct.unpack(">H", data[at + 2 : at + 4])[0]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        if marker in (0xD9, 0xDA) or length < 2:
            return None
        at += 2 + length
    return None
