import json
import subprocess
import sys
from pathlib import Path

import pytest

from common.errors import VoicepressError
from flows import approvals
from flows.approvals import Approval


def test_what_is_approved_is_read_back_with_when(tmp_path: Path) -> None:
    approvals.approve(tmp_path, "aa", Approval(1, 2, "l-1", "天亮了。"))
    found = approvals.load(tmp_path)
    assert (found["aa"].take, found["aa"].chapter, found["aa"].line, found["aa"].text) == (1, 2, "l-1", "天亮了。")
    assert found["aa"].at.endswith("Z")
    assert approvals.takes(tmp_path) == {"aa": 1}


def test_another_take_of_the_line_takes_the_place_of_the_first(tmp_path: Path) -> None:
    approvals.approve(tmp_path, "aa", Approval(0, 1, "l", "一"))
    approvals.approve(tmp_path, "zz", Approval(0, 1, "other", "二"))
    approvals.approve(tmp_path, "bb", Approval(1, 1, "l", "一"), instead_of=["aa"])
    assert approvals.takes(tmp_path) == {"bb": 1, "zz": 0}


def test_an_approval_is_taken_back(tmp_path: Path) -> None:
    approvals.approve(tmp_path, "aa", Approval(0, 1, "l", "一"))
    assert approvals.withdraw(tmp_path, ["aa", "unknown"]) == {}
    assert approvals.takes(tmp_path) == {}


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": 99, "approved": {}}'])
def test_a_file_that_is_none_counts_as_empty_and_is_not_written_over(tmp_path: Path, text: str) -> None:
    (tmp_path / approvals.NAME).write_text(text)
    assert approvals.takes(tmp_path) == {}
    with pytest.raises(VoicepressError) as error:
        approvals.approve(tmp_path, "aa", Approval(0, 1, "l", "一"))
    assert error.value.code == "bad-approvals"
    assert (tmp_path / approvals.NAME).read_text() == text


def test_rows_that_are_no_approvals_are_left_out(tmp_path: Path) -> None:
    good = {"take": 0, "chapter": 1, "line": "l", "text": "一"}
    rows = {"aa": good, "bb": {"take": "x"}, "cc": 3}
    (tmp_path / approvals.NAME).write_text(json.dumps({"schema": 1, "approved": rows}))
    assert approvals.takes(tmp_path) == {"aa": 0}


def test_two_processes_that_approve_at_once_lose_nothing(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from flows import approvals\n"
        "for i in range(20): approvals.approve(Path(sys.argv[1]), sys.argv[2] + str(i), approvals.Approval(0, 1, 'l', ''))"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path), name]) for name in "ab"]
    assert [one.wait() for one in running] == [0, 0]
    assert len(approvals.takes(tmp_path)) == 40
