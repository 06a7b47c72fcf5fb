"""The Prefect task of the room, called as a plain function."""

from __future__ import annotations

from pathlib import Path

from prefect.logging import disable_run_logger

from engines.base import Utterance, Voice
from engines.tone import ToneEngine
from tasks.check.check import Asked, Checker
from tasks.check.limits import load_limits
from tasks.check.task import check_task
from tasks.speak.record import Job, record_batch
from tasks.speak.takes import TakeStore

VOICE = Voice("one", "tone", "One", "zh", "female", content="c")


def test_verdicts_come_in_the_order_of_the_facts(tmp_path: Path) -> None:
    store = TakeStore(tmp_path / "takes")
    texts = ["他很快就走了。", "天黑了，雨还没有停。"]
    report = record_batch(ToneEngine(), store, [Job("l", 1, Utterance(text, VOICE)) for text in texts])
    asked = [Asked(one.key, text) for one, text in zip(report, texts, strict=True)] + [Asked("ab" * 16, "没有。")]
    with disable_run_logger():
        verdicts = check_task.fn(store, asked, Checker(load_limits()))
    assert [verdict.outcome for verdict in verdicts] == ["pass", "pass", "retry"]
