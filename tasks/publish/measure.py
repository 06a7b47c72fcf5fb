"""What a finished file measures, whoever made it, and whether that is what its preset asks.

Contract: ``measure`` decodes a file with ffmpeg and meters it as it comes, in memory that does not grow with its length
(but for 100 numbers a second). ``faults`` is a pure comparison; each fault is a phrase with the figure and the bound.
Raises ``VoicepressError`` ``not-audio`` for a file that ffmpeg finds no sound in.
"""

from __future__ import annotations

import importlib
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from common.errors import VoicepressError
from common.meter import Measured, Meter
from tasks.domain import Acceptance, Range
from tasks.publish import ffmpeg
from tasks.publish.made import Encoded

_BLOCK_BYTES = 1 << 20
_TRIES = 4
_CLASSES = {
    ".mp3": ("mp3", "MP3"), ".m4b": ("mp4", "MP4"), ".m4a": ("mp4", "MP4"), ".aac": ("aac", "AAC"),
    ".opus": ("oggopus", "OggOpus"), ".flac": ("flac", "FLAC"), ".wav": ("wave", "WAVE"),
}  # fmt: skip
_CODECS = {"oggopus": "opus", "mp4a": "aac", "wave": "wav"}
_WITHOUT_LIMIT = (".m4b",)
"""Kinds that hold a whole book: how long a file may be, and its head and tail, is said of files that hold a chapter."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the container says: ``codec`` by its usual name; ``kbps`` 0 where it is unknown; ``constant``: the bit rate is."""

    codec: str
    kbps: int
    constant: bool


def measure(path: Path) -> Measured:
    """Everything that is measured on the sound of ``path``, at its own rate and channels."""
    command: list[str | Path] = [
        "-i",
        path.absolute(),
        "-map",
        "0:a:0",
        "-f",
        "wav",
        "-c:a",
        "pcm_f32le",
        "-bitexact",
        "pipe:1",
    ]
    with ffmpeg.reading(command, f"sense of {path.name}") as stream:
        header = _wav_header(stream)
        if header is None:
            ffmpeg.drain(stream)
            raise VoicepressError(
                "not-audio",
                "ffmpeg finds no sound in this file",
                file=path,
                hint="name an audio file, or a folder of them",
            )
        channels, rate = header
        meter = Meter(rate, channels)
        left = b""
        while data := stream.read(_BLOCK_BYTES):
            data = left + data
            whole = len(data) // (4 * channels) * (4 * channels)
            meter.feed(np.frombuffer(data[:whole], dtype="<f4"))
            left = data[whole:]
    return meter.measured()


def fitted(encode: Callable[[float], int | None], path: Path, suffix: str, accept: Acceptance) -> Encoded:
    """Encode, measure what came out, and take off what an encoder put over the ceiling, until it passes or nothing more
    helps. ``encode(trim_db)`` writes ``path`` (its own ending may be a temporary one; ``suffix`` is what it will be) and
    may return a count of frames."""
    trim_db = 0.0
    for _ in range(_TRIES):
        frames = encode(trim_db) or 0
        found = measure(path)
        over = max(
            (value - bound for value, bound in (
                (found.true_peak_dbtp, accept.true_peak_dbtp), (found.peak_dbfs, accept.peak_dbfs),
            ) if bound is not None),
            default=0.0,
        )  # fmt: skip
        if over <= 0.0:
            break
        trim_db += over + 0.02
    wrong = faults(found, facts(path, suffix), accept, suffix)
    return Encoded(frames, round(found.loudness_lufs, 2), round(found.true_peak_dbtp, 2), wrong)


def _wav_header(stream: IO[bytes]) -> tuple[int, int] | None:
    """``(channels, rate)``, the stream standing at the first sample; ``None`` where there is no WAV."""
    if stream.read(12)[:4] != b"RIFF":
        return None
    found: tuple[int, int] | None = None
    while len(head := stream.read(8)) == 8:
        name, size = struct.unpack("<4sI", head)
        if name == b"data":
            return found
        body = stream.read(size + size % 2)
        if name == b"fmt ":
            _, channels, rate = struct.unpack("<HHI", body[:8])
            found = channels, rate
    return None


def facts(path: Path, suffix: str = "") -> Facts:
    """What kind of file ``path`` is; ``suffix`` is its ending where it has none of its own."""
    import mutagen

    ending = suffix or path.suffix.lower()
    try:
        if ending in _CLASSES:
            module, name = _CLASSES[ending]
            file: Any = getattr(importlib.import_module(f"mutagen.{module}"), name)(path)
        else:
            file = mutagen.File(path)
    except mutagen.MutagenError:
        file = None
    if file is None or file.info is None:
        return Facts(ending.lstrip(".").lower(), 0, False)
    info = file.info
    codec = str(getattr(info, "codec", "") or type(file).__name__).lower()
    codec = _CODECS.get(codec.split(".")[0], codec)
    kbps = round(getattr(info, "bitrate", 0) / 1000)
    mode = str(getattr(info, "bitrate_mode", ""))
    # mutagen calls an mp3 without a Xing or Info header unknown: then it is constant if all its frames are alike
    constant = mode.endswith(("CBR", "UNKNOWN")) and codec == "mp3"
    return Facts(codec, kbps, constant)


def faults(measured: Measured, file: Facts, accept: Acceptance, suffix: str = "") -> tuple[str, ...]:
    """How a file of this kind misses what is asked, in words; empty for one that passes."""
    found: list[str] = []

    def within(name: str, value: float, bounds: Range | None, unit: str) -> None:
        if bounds is not None and not bounds[0] - 1e-9 <= value <= bounds[1] + 1e-9:
            found.append(f"{name} {value:.2f} {unit}, not {bounds[0]:g} to {bounds[1]:g}")

    def at_most(name: str, value: float, bound: float | None, unit: str) -> None:
        if bound is not None and value > bound + 0.005:  # figures are given to hundredths
            found.append(f"{name} {value:.2f} {unit}, over {bound:g}")

    within("loudness", measured.loudness_lufs, accept.loudness_lufs, "LUFS")
    within("RMS level", measured.rms_db, accept.rms_db, "dB")
    at_most("true peak", measured.true_peak_dbtp, accept.true_peak_dbtp, "dBTP")
    at_most("peak", measured.peak_dbfs, accept.peak_dbfs, "dBFS")
    at_most("noise floor", measured.noise_floor_db, accept.noise_floor_db, "dB")
    if suffix not in _WITHOUT_LIMIT:
        within("head", measured.head_seconds, accept.head_seconds, "s")
        within("tail", measured.tail_seconds, accept.tail_seconds, "s")
        at_most("length", measured.seconds / 60.0, accept.max_minutes, "min")
    if accept.sample_rate_hz is not None and measured.rate_hz != accept.sample_rate_hz and file.codec != "opus":
        found.append(f"sample rate {measured.rate_hz} Hz, not {accept.sample_rate_hz}")
    if accept.channels is not None and measured.channels != accept.channels:
        found.append(f"{measured.channels} channels, not {accept.channels}")
    if accept.mp3_kbps is not None and file.codec == "mp3":
        if not file.constant:
            found.append("the bit rate is not constant")
        if file.kbps < accept.mp3_kbps:
            found.append(f"bit rate {file.kbps} kbit/s, under {accept.mp3_kbps}")
    return tuple(found)
