"""A take of the real engine that does not pass, and the re-take that does."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.places import VOICES
from engines.base import EngineOptions, Utterance
from engines.kokoro.engine import KokoroEngine
from flows.session import Session
from tasks.check.check import Asked, Checker
from tasks.check.judge import LineFacts, needed_seconds
from tasks.check.limits import load_limits
from tasks.check.signal import measure
from tasks.domain import ChapterScript, Line, Span
from tasks.speak.recipes import apply
from tasks.speak.record import record_batch
from tasks.speak.takes import TakeStore
from tasks.speak.voices import VoiceLibrary

TEXT = "院子中间有一口井，井沿上的青石被绳子磨出了深深的印子，不知道用了多少年。"


@pytest.mark.slow
def test_a_line_said_too_fast_heals_when_said_slower(tmp_path: Path) -> None:
    engine, store = KokoroEngine(EngineOptions(workers=1)), TakeStore(tmp_path)
    voice = VoiceLibrary([VOICES / "profiles"]).get("zf_xiaobei")

    def said(line: Line, chapter: int, take: int) -> tuple[Utterance, float]:
        return apply(Utterance(line.spoken, voice, take=take), engine.limits), 0.0

    script = [ChapterScript(1, "井", (Line("a", "narration", TEXT, TEXT, Span(0, len(TEXT))),))]
    session = Session(script, engine=engine, store=store, utterance_of=said, retakes=2, batch=4)
    limits = load_limits()
    first = session.recorded(record_batch(engine, store, session.next_jobs()))
    take = store.get(first[0].key)
    assert take is not None
    sounding = measure(store.samples(take), take.sample_rate).sounding_seconds
    # Held against a reader who needs two per cent longer than this take did.
    ratio = 1.02 * sounding / needed_seconds(LineFacts(TEXT), limits)
    checker = Checker(
        limits.model_copy(update={"shortest_ratio": ratio, "shortest_slack_seconds": 0.0, "longest_ratio": 4.0})
    )

    def judge(slots: list) -> None:  # type: ignore[type-arg]
        session.judged(slots, checker.check(store, [Asked(one.key, TEXT, "zh", voice.id) for one in slots]))

    judge(first)
    jobs = session.next_jobs()
    assert [(job.utterance.take, job.utterance.speed, job.meta["because"]) for job in jobs] == [(2, 0.96, ["too-fast"])]
    judge(session.recorded(record_batch(engine, store, jobs)))
    (slot,) = session.slots()
    assert slot.healed
    assert [one.recipe for one in session.tries_of(slot)] == ["plain", "speed x0.96"]
    healed = store.get(slot.chosen)
    assert healed is not None
    assert healed.meta["recipe"] == "speed x0.96"
    assert 1.02 < measure(store.samples(healed), healed.sample_rate).sounding_seconds / sounding < 1.07
