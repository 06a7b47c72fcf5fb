from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tasks.publish.adts import FRAME_SAMPLES, PRIMING_SAMPLES, count_frames


@pytest.fixture
def stream(tmp_path: Path, ffmpeg: str) -> Path:
    path = tmp_path / "a.aac"
    command = [
        ffmpeg,
        "-nostdin",
        "-loglevel",
        "error",
        "-f",
        "lavfi",
        "-i",
        "sine=d=3.3:sample_rate=44100",
        "-f",
        "adts",
        path,
    ]
    subprocess.run(command, check=True)
    return path


def test_frames_hold_the_sound_and_the_encoders_delay(stream: Path) -> None:
    samples = round(3.3 * 44_100)
    assert count_frames(stream) == -(-(samples + PRIMING_SAMPLES) // FRAME_SAMPLES)


def test_streams_end_to_end_have_the_sum_of_their_frames(stream: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.aac"
    both.write_bytes(stream.read_bytes() * 2)
    frames = count_frames(stream)
    assert frames is not None
    assert count_frames(both) == 2 * frames


@pytest.mark.parametrize("keep", [0, 5, 100, -1])
def test_a_cut_stream_is_not_whole(stream: Path, tmp_path: Path, keep: int) -> None:
    path = tmp_path / "cut.aac"
    path.write_bytes(stream.read_bytes()[:keep])
    assert count_frames(path) is None


def test_something_else_is_no_stream(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for data in (b"RIFF" * 100, b"\xff" * 100, b"\xff\xf1" + b"\0" * 20):
        path.write_bytes(data)
        assert count_frames(path) is None
