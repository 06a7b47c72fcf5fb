from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from common.errors import VoicepressError
from tasks.publish import ffmpeg

NOISE = ["-f", "lavfi", "-i", "anoisesrc=d=60:seed=1", "-c:a", "pcm_s24le", "-f", "wav"]


def test_there_is_an_ffmpeg_without_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VOICEPRESS_FFMPEG", raising=False)
    assert ffmpeg.find().is_file()


def test_another_ffmpeg_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "ffmpeg"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("VOICEPRESS_FFMPEG", str(other))
    assert ffmpeg.find() == other


def test_a_name_that_is_no_program_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEPRESS_FFMPEG", str(tmp_path / "nothing"))
    with pytest.raises(VoicepressError) as caught:
        ffmpeg.find()
    assert caught.value.code == "ffmpeg-missing"


def test_what_ffmpeg_said_last_reaches_the_user(tmp_path: Path) -> None:
    with pytest.raises(VoicepressError) as caught:
        ffmpeg.run(["-f", "flac", "-i", tmp_path / "missing.flac", tmp_path / "x.mp3"], "the mp3 of chapter 3")
    assert caught.value.code == "encoder-failed"
    assert "the mp3 of chapter 3" in caught.value.what
    assert "No such file" in caught.value.what


def test_a_full_disk_is_told_as_such() -> None:
    with pytest.raises(VoicepressError) as caught:
        ffmpeg.run([*NOISE, "/dev/full"], "noise")
    assert caught.value.code == "disk-full"


def test_files_are_fed_one_after_the_other(tmp_path: Path) -> None:
    for name in ("a", "b"):
        ffmpeg.run(["-f", "lavfi", "-i", "sine=d=1", "-f", "s16le", tmp_path / name], "a tone")
    out = tmp_path / "out.s16"
    ffmpeg.run(
        ["-f", "s16le", "-ar", "44100", "-ac", "1", "-i", "pipe:0", "-f", "s16le", out],
        "both",
        [tmp_path / "a", tmp_path / "b"],
    )
    assert out.read_bytes() == (tmp_path / "a").read_bytes() + (tmp_path / "b").read_bytes()


def test_an_encoder_that_stops_while_it_is_fed_is_an_error(tmp_path: Path) -> None:
    big = tmp_path / "big"
    big.write_bytes(bytes(5_000_000))
    with pytest.raises(VoicepressError) as caught:
        ffmpeg.run(["-f", "aac", "-i", "pipe:0", tmp_path / "x.m4a"], "nothing", [big])
    assert caught.value.code == "encoder-failed"


def test_a_program_that_says_nothing_is_named_by_its_status(
    failing_ffmpeg: Callable[[str], None], tmp_path: Path
) -> None:
    failing_ffmpeg("never")
    (tmp_path / "ffmpeg-that-fails").write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(VoicepressError, match="status 3"):
        ffmpeg.run(["-version"], "a thing")
