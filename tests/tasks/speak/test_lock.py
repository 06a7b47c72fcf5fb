"""The engine lock: one process at a time, freed by any death, with a name for those who wait."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from common.errors import VoicepressError
from tasks.speak.lock import EngineLock, Holder, who_holds

HOUSE = Path(__file__).resolve().parents[3]

_HOLDER = """
import sys, time
from tasks.speak.lock import EngineLock
with EngineLock(sys.argv[1], sys.argv[2], poll_seconds=0.01):
    print("held", flush=True)
    sys.stdin.readline()
print("free", flush=True)
"""

_COUNTER = """
import sys
from pathlib import Path
from tasks.speak.lock import EngineLock
path = Path(sys.argv[1])
for _ in range(40):
    with EngineLock("cpu", "counter", poll_seconds=0.001):
        number = int(path.read_text())
        path.write_text(str(number + 1))
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOICEPRESS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def holder(resource: str = "cpu", name: str = "first book") -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, resource, name],
        cwd=HOUSE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "held"
    return process


def let_go(process: subprocess.Popen[str]) -> None:
    process.communicate("\n")


def busy(resource: str = "cpu") -> VoicepressError:
    with pytest.raises(VoicepressError) as caught:
        EngineLock(resource, "second", poll_seconds=0.01, timeout_seconds=0.05).acquire()
    return caught.value


def test_a_second_process_waits_and_is_told_for_whom(own_cache: Path) -> None:
    first = holder()
    told: list[Holder] = []

    def on_wait(who: Holder) -> None:
        told.append(who)
        assert first.stdin is not None
        first.stdin.write("\n")
        first.stdin.flush()

    with EngineLock("cpu", "second book", on_wait, poll_seconds=0.01):
        assert told[0].name == "first book"
        assert told[0].pid == first.pid
        assert f"first book (process {first.pid}, since " in str(told[0])
        assert who_holds(own_cache / "locks" / "cpu.lock").name == "second book"
    first.wait()


def test_a_free_lock_is_taken_without_waiting() -> None:
    told: list[Holder] = []
    with EngineLock("cpu", "a", told.append):
        pass
    with EngineLock("cpu", "b", told.append):
        pass
    assert told == []


def test_waiting_may_end_in_an_error_that_names_the_holder() -> None:
    first = holder()
    error = busy()
    let_go(first)
    assert error.code == "engine-busy"
    assert "first book" in error.what


def test_a_killed_holder_frees_the_lock() -> None:
    for _ in range(3):
        first = holder()
        first.send_signal(signal.SIGKILL)
        first.wait()
        with EngineLock("cpu", "second", poll_seconds=0.01, timeout_seconds=30):
            pass


def test_other_resources_are_free() -> None:
    first = holder("cuda-0")
    with EngineLock("cuda-1", "b", timeout_seconds=0, poll_seconds=0.01):
        pass
    assert "cuda-0" in busy("cuda-0").what
    let_go(first)


def test_none_locks_nothing_and_writes_nothing(own_cache: Path) -> None:
    with EngineLock("none", "a"), EngineLock("none", "b"):
        assert not own_cache.exists()


def test_processes_never_hold_it_together(tmp_path: Path) -> None:
    number = tmp_path / "number"
    number.write_text("0")
    processes = [subprocess.Popen([sys.executable, "-c", _COUNTER, str(number)], cwd=HOUSE) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert number.read_text() == "120"


def test_the_same_thread_may_enter_again_and_others_may_not() -> None:
    with EngineLock("cpu", "outer"):
        with EngineLock("cpu", "inner", timeout_seconds=0):
            pass
        errors: list[str] = []
        thread = threading.Thread(target=lambda: errors.append(busy().code))
        thread.start()
        thread.join()
        assert errors == ["engine-busy"]
    thread = threading.Thread(target=lambda: EngineLock("cpu", "other", timeout_seconds=0).__enter__().release())
    thread.start()
    thread.join()
    with EngineLock("cpu", "again", timeout_seconds=0):
        pass


def test_an_exception_frees_the_lock() -> None:
    with pytest.raises(RuntimeError), EngineLock("cpu", "a"):
        raise RuntimeError
    let_go(holder())


def test_a_child_made_by_fork_does_not_believe_that_it_holds_the_lock() -> None:
    with EngineLock("cpu", "parent"):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                EngineLock("cpu", "child", timeout_seconds=0, poll_seconds=0.001).acquire()
            except VoicepressError:
                code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_damaged_or_missing_holder_file_is_an_unknown_holder(own_cache: Path) -> None:
    first = holder()
    note = own_cache / "locks" / "cpu.holder.json"
    for text in ("", "[]", '{"name": 1}', '{"name": "a", "pid": "x", "since": 0}'):
        note.write_text(text)
        assert "another process" in busy().what
    note.unlink()
    assert "another process" in busy().what
    let_go(first)


def test_releasing_what_is_not_held_is_harmless() -> None:
    EngineLock("cpu", "a").release()


def test_a_resource_never_names_a_path_outside(own_cache: Path) -> None:
    assert EngineLock("../../x/y", "a").path.parent == own_cache / "locks"


def test_a_cache_that_cannot_be_written_is_a_clear_error(own_cache: Path) -> None:
    own_cache.write_text("in the way")
    with pytest.raises(VoicepressError) as caught:
        EngineLock("cpu", "a").acquire()
    assert caught.value.code == "not-a-folder"
