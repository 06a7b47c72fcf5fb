import threading
from pathlib import Path

import pytest

from common.errors import VoicepressError
from engines.tone import ToneEngine
from flows.review.recorder import Recorder, Work
from tasks.speak.lock import EngineLock


class LockedEngine(ToneEngine):
    """The tone engine as if on a device that only one process may use."""

    closed = 0

    @property
    def resource(self) -> str:
        return "review-test"

    def close(self) -> None:
        LockedEngine.closed += 1
        super().close()


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEPRESS_CACHE", str(tmp_path))


def free() -> bool:
    lock = EngineLock("review-test", "somebody", timeout_seconds=0.0)
    try:
        lock.acquire()
    except VoicepressError:
        return False
    lock.release()
    return True


def test_the_engine_is_held_between_lines_and_given_back_when_idle() -> None:
    recorder, engine = Recorder("the page", idle_seconds=0.3), LockedEngine()
    before = LockedEngine.closed
    first = recorder.submit(1, "a", lambda work, own: own.own(engine))
    assert first.finished.wait(30)
    assert first.state == "done"
    assert not free()
    given_back = threading.Event()
    while not free():
        given_back.wait(0.05)
    assert LockedEngine.closed == before + 1
    recorder.close()


def test_a_busy_engine_is_an_error_that_names_who_has_it() -> None:
    recorder = Recorder("the page")
    with EngineLock("review-test", "书 (book.yaml)"):
        work = recorder.submit(1, "a", lambda work, own: own.own(LockedEngine()))
        assert work.finished.wait(30)
    assert work.state == "failed"
    assert work.error is not None
    assert work.error.code == "engine-busy"
    assert "书 (book.yaml)" in work.error.what
    recorder.close()


def test_a_fault_of_ours_fails_one_line_and_the_next_goes_on() -> None:
    def fault(work: Work, _: Recorder) -> None:
        raise RuntimeError("oh")

    recorder = Recorder("the page")
    first, second = recorder.submit(1, "a", fault), recorder.submit(1, "b", lambda work, _: None)
    assert second.finished.wait(30)
    assert (first.state, second.state) == ("failed", "done")
    assert first.error is not None
    assert first.error.code == "review-fault"
    assert recorder.find(first.id) is first
    recorder.close()
