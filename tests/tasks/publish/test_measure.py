from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from common.errors import VoicepressError
from common.meter import Measured
from tasks.domain import Acceptance
from tasks.publish.measure import Facts, facts, faults, measure

GOOD = Measured(44_100, 1, 44_100 * 600, -18.0, -19.0, -3.4, -3.2, -70.0, 0.7, 2.0)
MP3 = Facts("mp3", 192, True)
ACX = Acceptance(
    rms_db=(-23.0, -18.0), peak_dbfs=-3.0, true_peak_dbtp=-3.0, noise_floor_db=-60.0, head_seconds=(0.5, 1.0),
    tail_seconds=(1.0, 5.0), max_minutes=120, sample_rate_hz=44_100, channels=1, mp3_kbps=192,
)  # fmt: skip


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    beat = np.repeat(rng.random(40), 6000)
    path = tmp_path / "a.wav"
    soundfile.write(path, 0.3 * beat * rng.standard_normal(240_000).clip(-2, 2) * 0.3, 24_000, subtype="PCM_24")
    return path


@pytest.mark.parametrize(
    ("ending", "arguments"),
    [
        ("mp3", ["-b:a", "128k"]),
        ("m4b", ["-c:a", "aac", "-b:a", "96k"]),
        ("flac", []),
        ("opus", []),
        ("wav", ["-ac", "2"]),
    ],
)
def test_it_agrees_with_ffmpegs_own_meter(
    sound: Path, tmp_path: Path, ffmpeg: str, ending: str, arguments: list[str]
) -> None:
    path = tmp_path / f"b.{ending}"
    subprocess.run([ffmpeg, "-nostdin", "-loglevel", "error", "-i", sound, *arguments, path], check=True)
    found = measure(path)
    said = subprocess.run(
        [ffmpeg, "-nostdin", "-hide_banner", "-i", path, "-af", "ebur128=peak=true,astats=measure_perchannel=none", "-f", "null", "-"],
        capture_output=True, text=True, check=True,
    ).stderr  # fmt: skip
    loudness, peak, rms = (float(said.split(mark)[-1].split()[0]) for mark in ("I:         ", "Peak:", "RMS level dB:"))
    assert found.loudness_lufs == pytest.approx(loudness, abs=0.15)
    assert found.true_peak_dbtp == pytest.approx(peak, abs=0.25)  # ffmpeg gives tenths
    assert found.rms_db == pytest.approx(rms, abs=0.05)
    assert found.channels == (2 if ending == "wav" else 1)


def test_what_is_no_sound_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.mp3"
    path.write_text("no sound at all")
    with pytest.raises(VoicepressError) as caught:
        measure(path)
    assert caught.value.code in ("not-audio", "encoder-failed")


def test_a_constant_mp3_is_told_from_a_variable_one(sound: Path, tmp_path: Path, ffmpeg: str) -> None:
    for name, arguments in (("cbr", ["-b:a", "192k"]), ("vbr", ["-q:a", "4"])):
        subprocess.run(
            [
                ffmpeg,
                "-nostdin",
                "-loglevel",
                "error",
                "-i",
                sound,
                "-ar",
                "44100",
                *arguments,
                tmp_path / f"{name}.mp3",
            ],
            check=True,
        )
    assert facts(tmp_path / "cbr.mp3") == Facts("mp3", 192, True)
    assert facts(tmp_path / "vbr.mp3").constant is False


def test_a_file_within_all_bounds_has_no_fault() -> None:
    assert faults(GOOD, MP3, ACX, ".mp3") == ()
    assert faults(GOOD, MP3, Acceptance()) == ()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"rms_db": -23.4}, "RMS level -23.40 dB, not -23 to -18"),
        ({"peak_dbfs": -2.9}, "peak -2.90 dBFS, over -3"),
        ({"true_peak_dbtp": -2.5}, "true peak -2.50 dBTP, over -3"),
        ({"noise_floor_db": -55.0}, "noise floor -55.00 dB, over -60"),
        ({"head_seconds": 0.2}, "head 0.20 s, not 0.5 to 1"),
        ({"tail_seconds": 6.0}, "tail 6.00 s, not 1 to 5"),
        ({"samples": 44_100 * 60 * 121}, "length 121.00 min, over 120"),
        ({"rate_hz": 48_000, "samples": 48_000}, "sample rate 48000 Hz, not 44100"),
        ({"channels": 2}, "2 channels, not 1"),
    ],
)
def test_each_bound_that_is_missed_is_named_with_its_figure(change: dict[str, float], fault: str) -> None:
    assert faults(replace(GOOD, **change), MP3, ACX, ".mp3") == (fault,)  # type: ignore[arg-type]


def test_bit_rates_are_asked_of_mp3s_alone() -> None:
    assert faults(GOOD, Facts("mp3", 128, False), ACX, ".mp3") == (
        "the bit rate is not constant",
        "bit rate 128 kbit/s, under 192",
    )
    assert faults(GOOD, Facts("flac", 400, False), ACX, ".flac") == ()


def test_a_whole_book_in_one_file_may_be_long() -> None:
    ten_hours = replace(GOOD, samples=44_100 * 36_000)
    assert faults(ten_hours, MP3, ACX, ".m4b") == ()
    assert faults(ten_hours, MP3, ACX, ".mp3") == ("length 600.00 min, over 120",)
