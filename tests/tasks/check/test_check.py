"""Stored takes, checked; limits, read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from common.errors import VoicepressError
from engines.base import EngineOptions, Speech, Utterance, Voice
from engines.tone import ToneEngine
from tasks.check.check import Asked, Checker
from tasks.check.limits import DEFAULT_FILE, CheckLimits, load_limits
from tasks.domain import Take, Verdict
from tasks.speak.takes import TakeStore

LIMITS = load_limits()
VOICE = Voice("one", "tone", "One", "zh", "female", content="c")
TEXTS = [
    "嗯。", "好的。", "“你说什么？”", "他很快就走了。", "今天天气很好，我们去公园走一走吧；晚上再回来。", "Hello.",
    "It was a bright cold day in April, and the clocks were striking thirteen.", "他说：“OK，我们明天见。”然后挂了电话。",
    "一" * 180,
]  # fmt: skip


def stored(store: TakeStore, text: str, engine: ToneEngine | None = None, speed: float = 1.0) -> Take:
    engine = engine or ToneEngine()
    utterance = Utterance(text, VOICE, speed=speed)
    speech = engine.speak([utterance])[0]
    assert isinstance(speech, Speech)
    take = store.put(store.key_for(utterance, engine), speech, 24_000, {"speed": speed})
    assert isinstance(take, Take)
    return take


def check_take(store: TakeStore, take: Take, text: str) -> Verdict:
    return Checker(LIMITS).check(store, [Asked(take.key, text)])[0]


@pytest.fixture
def store(tmp_path: Path) -> TakeStore:
    return TakeStore(tmp_path / "takes")


@pytest.mark.parametrize("speed", [0.7, 1.0, 1.5])
@pytest.mark.parametrize("text", TEXTS)
def test_tones_pass(store: TakeStore, text: str, speed: float) -> None:
    verdict = check_take(store, stored(store, text, speed=speed), text)
    assert (verdict.outcome, verdict.reasons) == ("pass", ())


def test_a_take_of_another_text_does_not_pass(store: TakeStore) -> None:
    long, short = TEXTS[4], TEXTS[1]
    assert "too-fast" in check_take(store, stored(store, short), long).reasons[0]
    assert "too-slow" in check_take(store, stored(store, long), short).reasons[0]


def test_a_silent_take_is_recorded_again(store: TakeStore) -> None:
    muted = ToneEngine(EngineOptions(extra={"mute_on": "走"}))
    verdict = check_take(store, stored(store, TEXTS[3], muted), TEXTS[3])
    assert verdict.outcome == "retry"
    assert verdict.reasons[0].startswith("silent")


def test_the_stop_reason_comes_from_the_sidecar(store: TakeStore) -> None:
    samples = np.concatenate([ToneEngine().speak([Utterance(TEXTS[3], VOICE)])[0].samples])  # type: ignore[union-attr]
    take = store.put("ab" * 16, Speech(samples, stop="repeat"), 24_000)
    assert isinstance(take, Take)
    assert check_take(store, take, TEXTS[3]).reasons[0].startswith("stopped")


def test_missing_and_damaged_takes_are_recorded_again(store: TakeStore) -> None:
    assert Checker(LIMITS).check(store, [Asked("ab" * 16, "好。")])[0].outcome == "retry"
    take = stored(store, TEXTS[3])
    assert check_take(store, take, TEXTS[3]).outcome == "pass"
    data = bytearray(take.path.read_bytes())
    data[-9] ^= 4
    take.path.write_bytes(data)
    verdict = check_take(store, take, TEXTS[3])
    assert verdict.outcome == "retry"
    assert verdict.reasons[0].startswith("damaged")
    assert store.get(take.key) is None


def test_the_shipped_limits_are_those_of_the_model() -> None:
    assert load_limits() == CheckLimits()
    assert {line.split(":")[0] for line in DEFAULT_FILE.read_text().splitlines() if line and line[0] not in "# "} == {
        field.alias or name for name, field in CheckLimits.model_fields.items()
    }


def test_own_limits_may_name_only_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "check.yaml"
    path.write_text("schema: 1\nlongest_gap_seconds: 4.5\n")
    limits = load_limits(path)
    assert limits.longest_gap_seconds == 4.5
    assert limits.han_per_second == LIMITS.han_per_second


@pytest.mark.parametrize(
    "text",
    [
        "longest_gap: 3\n",
        "shortest_ratio: 2\n",
        "schema: 9\n",
        "han_per_second: .nan\n",
        "han_per_second: 0\n",
        "- 1\n",
        "",
    ],
)
def test_wrong_limits_are_clear_errors(tmp_path: Path, text: str) -> None:
    path = tmp_path / "check.yaml"
    path.write_text(text)
    with pytest.raises(VoicepressError) as caught:
        load_limits(path)
    assert caught.value.file == str(path)
