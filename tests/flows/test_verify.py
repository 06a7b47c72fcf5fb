from __future__ import annotations

import json
import subprocess
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result

from flows.cli import main

RATE = 44_100


def ask(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["verify", *map(str, arguments)])


@pytest.fixture
def sounds(tmp_path: Path) -> Path:
    """A folder with a chapter that passes ACX, and one that is too quiet and ends at once."""
    folder = tmp_path / "book" / "publish"
    (folder / ".parts").mkdir(parents=True)
    rng = np.random.default_rng(2)
    beat = np.repeat(rng.uniform(0.4, 1.0, 30), RATE // 5)
    tone = beat * np.sin(2 * np.pi * 300 * np.arange(len(beat)) / RATE)
    for name, level, tail in (("good", 0.2, 2.0), ("quiet", 0.05, 0.1)):
        sound = np.concatenate([np.zeros(round(0.7 * RATE)), level * tone, np.zeros(round(tail * RATE))])
        sound += 10 ** (-75 / 20) * rng.standard_normal(len(sound))
        soundfile.write(tmp_path / f"{name}.wav", sound, RATE, subtype="PCM_24")
        arguments = ["-i", tmp_path / f"{name}.wav", "-b:a", "192k", folder / f"{name}.mp3"]
        subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), "-nostdin", "-loglevel", "error", *arguments], check=True)
    (folder / ".parts" / "001.aac").write_bytes(b"not looked at")
    return folder


def test_each_file_is_judged_by_its_own_figures(sounds: Path) -> None:
    said = ask(sounds, "--preset", "acx", "--second-meter")
    assert said.exit_code == 1
    rows = said.output.splitlines()
    good, quiet = (next(row for row in rows if row.startswith(name)) for name in ("good.mp3", "quiet.mp3"))
    assert good.endswith("pass")
    assert quiet.endswith("FAIL")
    columns = good.split()
    assert float(columns[2]) == pytest.approx(float(columns[9]), abs=0.15)  # loudness, ours and ffmpeg's
    assert float(columns[4]) == pytest.approx(float(columns[11]), abs=0.25)
    assert "tail 0.1" in said.output
    assert "RMS level -3" in said.output
    assert "1 of 2 files pass" in said.output
    assert all(len(row) <= 100 for row in rows if not row.startswith(str(sounds)))


def test_a_book_is_judged_by_the_preset_it_was_made_with(sounds: Path) -> None:
    (sounds.parent / "receipt.json").write_text('{"mastering": "acx"}', encoding="utf-8")
    said = json.loads(ask(sounds, "--json").output)
    assert said["preset"] == "acx"
    assert said["passed"] is False
    assert [Path(row["path"]).name for row in said["files"] if row["passed"]] == ["good.mp3"]
    assert said["files"][0]["facts"] == {"codec": "mp3", "kbps": 192, "constant": True}


def test_one_good_file_is_exit_code_0(sounds: Path) -> None:
    assert ask(sounds / "good.mp3", "--preset", "acx").exit_code == 0


def test_what_cannot_be_read_is_named_and_the_rest_is_measured(sounds: Path) -> None:
    (sounds / "broken.mp3").write_text("no sound")
    said = ask(sounds, "--preset", "acx")
    assert said.exit_code == 1
    assert "unreadable" in said.output
    assert "1 of 3 files pass" in said.output


@pytest.mark.parametrize(("name", "code"), [("nowhere.mp3", "file-missing"), ("empty", "no-audio")])
def test_nothing_to_measure_is_an_error(tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / "empty").mkdir()
    said = ask(tmp_path / name)
    assert said.exit_code == 1
    assert f"error [{code}]" in said.output
