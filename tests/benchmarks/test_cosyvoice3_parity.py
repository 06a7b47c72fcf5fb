"""The parity check: what it prints, and that it notices what is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from benchmarks.cosyvoice3_parity import ROOMS, main, table, worst_of
from benchmarks.parity.fixture import Result, mismatches, worst

SHARED = Path(__file__).resolve().parents[3] / "shared" / "cosyvoice3-parity"
needs_golden = pytest.mark.skipif(not SHARED.exists(), reason="the golden files are not here")


def test_differences_are_absolute_or_relative_and_a_wrong_shape_is_infinite() -> None:
    golden = np.array([1.0, -200.0])
    assert worst([1.5, -200.0], golden) == 0.5
    assert worst([1.0, -202.0], golden, relative=True) == pytest.approx(0.01)
    assert worst([1.0], golden) == float("inf")
    assert worst(np.zeros((0, 3)), np.zeros((0, 3))) == 0.0
    assert mismatches([1, 2, 3], np.array([1, 5, 3])) == 1
    assert mismatches([1, 2, 3], np.array([1, 2])) == 3


def test_no_number_is_no_pass() -> None:
    assert not Result("mel", "a", worst([np.nan], np.array([1.0])), 1e-4).passed
    assert Result("mel", "a", 1e-4, 1e-4).passed
    assert not Result("tokens", "a", 1.0, 0.0).passed


def test_the_table_shows_of_each_stage_what_is_worst() -> None:
    rows = worst_of(
        [
            Result("mel", "a", 1e-6, 1e-4),
            Result("audio", "a", float("nan"), 1e-3),
            Result("mel", "b", 3e-6, 1e-4),
            Result("audio", "b", 1e-4, 1e-3),
        ]
    )
    assert [(row.stage, row.case) for row in rows] == [("mel", "b"), ("audio", "a")]
    printed = table(rows).splitlines()
    assert "ok" in printed[1]
    assert "FAIL" in printed[2]


def test_a_folder_that_is_no_fixture_is_an_error_that_says_what_it_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path)]) == 1
    assert "tiny-model" in capsys.readouterr().err


@needs_golden
def test_all_golden_cases_pass(capsys: pytest.CaptureFixture[str]) -> None:
    for package in ("torch", "onnxruntime", "tokenizers"):
        pytest.importorskip(package)
    assert main([str(SHARED)]) == 0
    printed = capsys.readouterr().out
    for stage in ("mel, all in one batch", "audio, all in one batch", "hift_f0_f64", "ras_logp", "whisper_feat"):
        assert stage in printed
    assert "all within the limits" in printed


@needs_golden
@pytest.mark.parametrize(("name", "stage"), [("mel", "mel"), ("hift_f0_f64", "hift_f0_f64"), ("audio", "audio")])
def test_a_golden_number_that_differs_is_noticed(
    name: str, stage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    folder = tmp_path / "fixture"
    shutil.copytree(SHARED, folder, copy_function=shutil.copyfile)
    path = folder / "golden" / "zs_fast.npz"
    with np.load(path) as arrays:
        changed = {key: arrays[key] for key in arrays.files}
    changed[name] = changed[name] * 1.01
    path.chmod(0o644)
    np.savez(path, **changed)
    assert "flow_stages" in ROOMS
    assert main([str(folder), "--only", "flow_stages"]) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if "FAIL" in line]
    assert any(line.startswith(f"{stage} ") and "zs_fast" in line for line in failed)
