"""The speed log: measured, merged, never worth failing for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engines.base import EngineOptions
from engines.tone import ToneEngine
from tasks.speak.record import BatchReport
from tasks.speak.speed import HALF_LIFE_SECONDS, KEPT_ENTRIES, Speed, expected, merged, note

ENGINE = ToneEngine()


def report(work: float = 10.0, audio: float = 40.0, length: float = 200.0, lines: int = 16) -> BatchReport:
    return BatchReport((), lines, 200, audio, engine_seconds=work * 0.9, store_seconds=work * 0.1, length=length)


def now() -> Speed | None:
    return expected(ENGINE.name, ENGINE.fingerprint())


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOICEPRESS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "speed.json"


def test_nothing_measured_is_nothing_known() -> None:
    assert now() is None


def test_a_batch_gives_the_speed() -> None:
    note(ENGINE, report())
    speed = now()
    assert speed is not None
    assert speed.audio_per_work == pytest.approx(4.0)
    assert speed.length_per_audio == pytest.approx(5.0)
    assert speed.work_seconds == pytest.approx(10.0)


def test_other_engines_and_settings_are_measured_apart() -> None:
    note(ENGINE, report())
    muted = ToneEngine(EngineOptions(extra={"mute_on": "x"}))
    assert expected("tone", muted.fingerprint()) is None
    assert expected("kokoro", ENGINE.fingerprint()) is None
    note(muted, report(audio=20.0))
    assert now() is not None
    assert now().audio_per_work == pytest.approx(4.0)  # type: ignore[union-attr]


def test_batches_count_by_their_work() -> None:
    note(ENGINE, report(work=1.0, audio=1.0))
    note(ENGINE, report(work=3.0, audio=9.0))
    assert now().audio_per_work == pytest.approx(10.0 / 4.0, rel=0.01)  # type: ignore[union-attr]


def test_the_past_fades_with_the_work_done() -> None:
    sums = {"work_seconds": 100.0, "audio_seconds": 100.0, "length": 100.0, "lines": 1.0}
    added = {"work_seconds": HALF_LIFE_SECONDS, "audio_seconds": 0.0, "length": 0.0, "lines": 0.0}
    assert merged(sums, added)["audio_seconds"] == pytest.approx(50.0)
    assert merged(None, sums) == sums


def test_a_machine_that_became_slower_is_soon_believed() -> None:
    for _ in range(200):
        note(ENGINE, report(work=60.0, audio=600.0))
    for _ in range(150):
        note(ENGINE, report(work=60.0, audio=60.0))
    assert now().audio_per_work == pytest.approx(1.0, abs=0.4)  # type: ignore[union-attr]


@pytest.mark.parametrize("empty", [report(lines=0), report(work=0.0), report(audio=0.0), report(length=0.0)])
def test_a_batch_that_recorded_nothing_is_not_counted(empty: BatchReport, file: Path) -> None:
    note(ENGINE, empty)
    assert not file.exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"schema": 0, "entries": {}}', '{"schema": 1, "entries": []}', "\x00\xff"]
)
def test_a_damaged_file_is_unknown_and_mended_by_the_next_batch(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert now() is None
    note(ENGINE, report())
    assert now() is not None


@pytest.mark.parametrize("value", [0, -1, "many", None, True, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["work_seconds", "audio_seconds", "length", "noted_at"])
def test_senseless_figures_are_unknown(file: Path, name: str, value: object) -> None:
    note(ENGINE, report())
    content = json.loads(file.read_text())
    (entry,) = content["entries"].values()
    entry[name] = value
    file.write_text(json.dumps(content))
    assert now() is None


def test_a_cache_that_cannot_be_written_is_said_and_no_error(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    file.parent.write_text("in the way")
    note(ENGINE, report())
    assert now() is None
    assert "could not be kept" in caplog.text


def test_old_settings_are_forgotten(file: Path) -> None:
    for number in range(KEPT_ENTRIES + 5):
        note(ToneEngine(EngineOptions(extra={"mute_on": str(number)})), report())
    assert len(json.loads(file.read_text())["entries"]) == KEPT_ENTRIES


_NOTING = """
import sys
from engines.tone import ToneEngine
from tasks.speak.record import BatchReport
from tasks.speak.speed import note
for _ in range(25):
    note(ToneEngine(), BatchReport((), 1, 1, 1.0, engine_seconds=0.001, length=1.0))
"""


def test_processes_lose_none_of_each_others_figures(file: Path) -> None:
    house = Path(__file__).resolve().parents[3]
    processes = [subprocess.Popen([sys.executable, "-c", _NOTING], cwd=house) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    (entry,) = json.loads(file.read_text())["entries"].values()
    assert entry["lines"] == pytest.approx(75.0, rel=0.001)
