"""The Prefect task of the room, called as a plain function."""

from __future__ import annotations

from pathlib import Path

import pytest
from prefect.cache_policies import NO_CACHE
from prefect.logging import disable_run_logger

from engines.base import EngineOptions, Utterance, Voice
from engines.tone import ToneEngine
from tasks.speak.record import Job
from tasks.speak.speed import expected
from tasks.speak.takes import TakeStore
from tasks.speak.task import record_task

VOICE = Voice("one", "tone", "One", "zh", "female", content="c")


def test_a_batch_is_recorded_and_its_speed_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEPRESS_CACHE", str(tmp_path / "cache"))
    engine = ToneEngine(EngineOptions(extra={"fail_on": "坏"}))
    jobs = [Job(f"l{number}", 1, Utterance(text, VOICE)) for number, text in enumerate(["好。", "坏。", "很好。"])]
    with disable_run_logger():
        report = record_task.fn(engine, TakeStore(tmp_path / "takes"), jobs)
    assert [one.take is None for one in report] == [False, True, False]
    assert expected(engine.name, engine.fingerprint()) is not None


def test_results_are_neither_cached_nor_persisted_by_prefect() -> None:
    assert record_task.persist_result is False
    assert record_task.cache_policy == NO_CACHE
