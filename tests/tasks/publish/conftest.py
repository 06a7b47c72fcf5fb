"""Stitched chapters on disk, as the stitch room would leave them: a FLAC and its timeline."""

from __future__ import annotations

import shutil
import struct
import subprocess
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tasks.domain import Acceptance, Cue, StitchedChapter, Timeline

RATE = 24_000


@dataclass(frozen=True)
class Preset:
    sample_rate_hz: int = 44_100
    aac_kbps: int = 64
    mp3_kbps: int = 96
    opus_kbps: int = 32
    sample_seconds: float = 0.0
    accept: Acceptance = field(default_factory=Acceptance)


def make_chapter(
    folder: Path,
    number: int,
    title: str = "",
    volume: str = "",
    seconds: float = 4.0,
    onset: float = 0.75,
    hz: float = 440.0,
    texts: Sequence[str] = ("他来了。", "“你是谁？”她问。"),
) -> StitchedChapter:
    """A tone from ``onset`` on, cut into as many cues as there are texts; 0.3 s of silence at the end."""
    count, start = round(seconds * RATE), round(onset * RATE)
    stop = count - round(0.3 * RATE)
    samples = np.zeros(count)
    samples[start:stop] = 0.2 * np.sin(2 * np.pi * hz * np.arange(stop - start) / RATE)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number:03d}.flac"
    soundfile.write(path, samples, RATE, subtype="PCM_24")
    edges = np.linspace(start, stop, len(texts) + 1).astype(int).tolist()
    cues = tuple(
        Cue(f"{number}-{i}", "narrator", text, text, low, high)
        for i, (text, low, high) in enumerate(zip(texts, edges, edges[1:], strict=False))
    )
    fingerprint = f"{number}-{seconds}-{onset}-{hz}-{title}-{volume}-{texts!r}"
    return StitchedChapter(
        number, title, path, Timeline(number, title, RATE, count, cues), fingerprint, 0.0, -18.0, -3.0, volume
    )


def png(width: int = 64, height: int = 48) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(
        b"\0" + bytes((x * 3 % 256, y * 5 % 256, 90)[c] for x in range(width) for c in range(3)) for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.fixture(scope="session")
def ffmpeg() -> str:
    import imageio_ffmpeg

    return str(imageio_ffmpeg.get_ffmpeg_exe())


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory, ffmpeg: str) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pictures")
    (folder / "cover.png").write_bytes(png())
    for name in ("cover.jpg", "cover.gif", "cover.bmp"):
        subprocess.run(
            [ffmpeg, "-nostdin", "-loglevel", "error", "-i", folder / "cover.png", folder / name], check=True
        )
    return {path.suffix[1:]: path for path in folder.iterdir()}


@pytest.fixture
def preset() -> Preset:
    return Preset()


@pytest.fixture
def other_preset() -> Callable[..., Preset]:
    return lambda **changes: replace(Preset(), **changes)


@pytest.fixture
def chapter_maker(tmp_path: Path) -> Callable[..., StitchedChapter]:
    def make(number: int, title: str = "", **changes: object) -> StitchedChapter:
        return make_chapter(tmp_path / "chapters", number, title, **changes)  # type: ignore[arg-type]

    return make


@pytest.fixture
def decoded(ffmpeg: str) -> Callable[[Path], np.ndarray]:
    """The sound of any file as float32 at 44.1 kHz, mono."""

    def decode(path: Path) -> np.ndarray:
        said = subprocess.run(
            [ffmpeg, "-nostdin", "-loglevel", "error", "-i", path, "-map", "0:a", "-ac", "1", "-ar", "44100", "-f", "f32le", "-"],
            capture_output=True, check=True,
        )  # fmt: skip
        return np.frombuffer(said.stdout, np.float32)

    return decode


@pytest.fixture
def probed(ffmpeg: str) -> Callable[[Path], str]:
    """What ``ffmpeg -i`` says of a file."""
    return lambda path: (
        subprocess.run([ffmpeg, "-nostdin", "-hide_banner", "-i", path], capture_output=True, text=True).stderr
    )


@pytest.fixture
def failing_ffmpeg(tmp_path: Path, ffmpeg: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Make ffmpeg fail whenever a word stands among its arguments, after it has written something."""

    def fail_on(word: str) -> None:
        script = tmp_path / "ffmpeg-that-fails"
        script.write_text(
            f'#!{shutil.which("bash")}\nfor a in "$@"; do last="$a"; done\n'
            f'case "$*" in *{word}*) echo half > "$last"; echo "first line" >&2; echo "the encoder is on strike" >&2; exit 7;; esac\n'
            f'exec {ffmpeg} "$@"\n'
        )
        script.chmod(0o755)
        monkeypatch.setenv("VOICEPRESS_FFMPEG", str(script))

    return fail_on
