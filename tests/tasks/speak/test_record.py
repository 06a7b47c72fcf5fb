"""Recording a batch: once, stored at once, one failure at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from common.errors import VoicepressError
from engines.base import EngineOptions, Speech, SpeechError, Utterance, Voice
from engines.tone import ToneEngine
from tasks.speak import record
from tasks.speak.record import BatchReport, Job, Recorded, record_batch
from tasks.speak.takes import TakeStore

VOICE = Voice("one", "tone", "One", "zh", "female", content="c")


class Counting(ToneEngine):
    """The tone engine, keeping count of what it is asked."""

    def __init__(self, **extra: object) -> None:
        super().__init__(EngineOptions(extra=extra))
        self.asked: list[str] = []
        self.cleaned = 0

    def speak(self, batch: Sequence[Utterance]) -> list[Speech | SpeechError]:
        self.asked += [utterance.text for utterance in batch]
        return super().speak(batch)

    def clean(self) -> None:
        self.cleaned += 1


def jobs(*texts: str) -> list[Job]:
    return [Job(f"l{number}", 1, Utterance(text, VOICE)) for number, text in enumerate(texts)]


@pytest.fixture
def store(tmp_path: Path) -> TakeStore:
    return TakeStore(tmp_path / "takes")


def test_a_batch_is_recorded_and_stored_in_order(store: TakeStore) -> None:
    engine = Counting()
    report = record_batch(engine, store, jobs("一。", "二。", "三。"))
    assert [one.line_id for one in report] == ["l0", "l1", "l2"]
    assert all(one.take is not None and one.error is None and not one.cached for one in report)
    assert all(store.get(one.key, verify=True) == one.take for one in report)
    assert engine.cleaned == 1


def test_what_is_stored_is_not_recorded_again(store: TakeStore) -> None:
    first = record_batch(Counting(), store, jobs("一。", "二。"))
    engine = Counting()
    report = record_batch(engine, store, jobs("二。", "三。", "一。"))
    assert engine.asked == ["三。"]
    assert [one.cached for one in report] == [True, False, True]
    assert report.recorded[2].take == first.recorded[0].take
    assert report.lines == 1


def test_a_whole_batch_from_the_store_does_not_touch_the_engine(store: TakeStore) -> None:
    record_batch(Counting(), store, jobs("一。"))
    engine = Counting()
    report = record_batch(engine, store, jobs("一。"))
    assert (engine.asked, engine.cleaned) == ([], 0)
    assert (report.lines, report.chars, report.audio_seconds, report.engine_seconds) == (0, 0, 0.0, 0.0)


def test_equal_lines_of_a_batch_are_recorded_once(store: TakeStore) -> None:
    engine = Counting()
    report = record_batch(engine, store, jobs("是。", "不是。", "是。", "是。"))
    assert engine.asked == ["是。", "不是。"]
    assert [one.cached for one in report] == [False, False, True, True]
    assert report.recorded[0].take == report.recorded[3].take
    assert report.lines == 2


def test_a_line_that_cannot_be_said_fails_alone_with_every_equal_line(store: TakeStore) -> None:
    report = record_batch(Counting(fail_on="坏"), store, jobs("好。", "坏。", "坏。"))
    assert [one.take is None for one in report] == [False, True, True]
    assert [one.error.code for one in report.failed if one.error] == ["engine-fault"] * 2
    assert store.get(report.recorded[1].key) is None


def test_samples_that_are_no_numbers_fail_alone(store: TakeStore) -> None:
    class Broken(Counting):
        def speak(self, batch: Sequence[Utterance]) -> list[Speech | SpeechError]:
            results = super().speak(batch)
            assert isinstance(results[0], Speech)
            results[0].samples[5] = float("nan")
            return results

    report = record_batch(Broken(), store, jobs("一。", "二。"))
    assert [one.take is None for one in report] == [True, False]
    assert report.lines == 1


def test_every_job_is_told_once_and_its_take_is_already_there(store: TakeStore) -> None:
    record_batch(Counting(), store, jobs("一。"))
    told: list[str] = []

    def on_line(one: Recorded) -> None:
        assert one.take is None or store.get(one.key) == one.take
        told.append(one.line_id)

    report = record_batch(Counting(fail_on="坏"), store, jobs("一。", "二。", "坏。", "二。"), on_line)
    assert sorted(told) == [one.line_id for one in report]


def test_what_was_stored_before_an_interruption_stays(store: TakeStore) -> None:
    def on_line(one: Recorded) -> None:
        if one.line_id == "l1":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        record_batch(Counting(), store, jobs("一。", "二。", "三。"), on_line)
    engine = Counting()
    report = record_batch(engine, store, jobs("一。", "二。", "三。"))
    assert set(engine.asked) <= {"三。"}
    assert [one.cached for one in report][:2] == [True, True]


def test_a_store_that_cannot_be_written_stops_the_batch_and_keeps_what_was_stored(store: TakeStore) -> None:
    texts = ["一。", "二。", "三。"]
    blocked = store.key_for(jobs(*texts)[1].utterance, ToneEngine())
    store.root.mkdir(parents=True)
    (store.root / blocked[:2]).write_text("in the way")
    with pytest.raises(VoicepressError) as caught:
        record_batch(Counting(), store, jobs(*texts))
    assert caught.value.code == "not-a-folder"
    (store.root / blocked[:2]).unlink()
    engine = Counting()
    record_batch(engine, store, jobs(*texts))
    assert engine.asked == ["二。"]


def test_an_engine_that_cannot_work_at_all_says_so_and_is_cleaned(store: TakeStore) -> None:
    class Dead(Counting):
        def speak(self, batch: Sequence[Utterance]) -> list[Speech | SpeechError]:
            raise VoicepressError("model-missing", "there is no model")

    engine = Dead()
    with pytest.raises(VoicepressError, match="no model"):
        record_batch(engine, store, jobs("一。"))
    assert engine.cleaned == 1


def test_an_engine_that_loses_lines_is_a_bug_that_shows(store: TakeStore) -> None:
    class Losing(Counting):
        def speak(self, batch: Sequence[Utterance]) -> list[Speech | SpeechError]:
            return super().speak(batch)[:-1]

    with pytest.raises(RuntimeError, match="1 results for 2"):
        record_batch(Losing(), store, jobs("一。", "二。"))


def test_an_empty_batch_is_an_empty_report(store: TakeStore) -> None:
    assert record_batch(Counting(), store, []).recorded == ()


def test_the_report_counts_what_was_recorded_now(store: TakeStore) -> None:
    report = record_batch(Counting(delay_seconds=0.01), store, jobs("今天好。", "今天好。", "坏"))
    assert report.lines == 2
    assert report.chars == 5
    assert report.length == 4.0
    assert report.audio_seconds == pytest.approx(
        sum(one.take.samples for one in report.recorded[1:] if one.take) / 24_000
    )
    assert report.engine_seconds >= 0.02
    assert report.store_seconds > 0
    assert report.peak_rss_bytes >= report.rss_bytes * 0.5 > 0
    assert isinstance(report, BatchReport)


def test_the_sidecar_says_how_a_take_was_made(store: TakeStore) -> None:
    job = Job("l7", 3, Utterance("好。", VOICE, style="轻", speed=0.9, seed=4, take=1), {"book": "demo"})
    take = record_batch(Counting(), store, [job]).recorded[0].take
    assert take is not None
    wanted = {
        "text": "好。",
        "voice": "one",
        "style": "轻",
        "speed": 0.9,
        "seed": 4,
        "take": 1,
        "engine": "tone",
        "book": "demo",
    }
    assert {name: take.meta[name] for name in wanted} == wanted


def test_the_module_needs_no_prefect() -> None:
    assert "prefect" not in vars(record)


@pytest.mark.slow
def test_takes_are_stored_while_the_batch_is_still_being_said(tmp_path: Path) -> None:
    from common import places
    from engines.kokoro import KokoroEngine
    from tasks.speak.voices import VoiceLibrary

    voice = VoiceLibrary((places.VOICES / "profiles",)).get("zf_xiaobei")
    texts = ("天亮了。", "雾还没有散，渡口上一个人也没有。", "他走了很久。", "船慢慢离开了岸，水声很轻，谁也没有说话。")
    jobs = [Job(str(number), 1, Utterance(text, voice)) for number, text in enumerate(texts)]
    stored: list[int] = []
    report = record_batch(
        KokoroEngine(EngineOptions(workers=1)),
        TakeStore(tmp_path),
        jobs,
        lambda _: stored.append(len(list(tmp_path.rglob("*.json")))),
    )
    assert report.lines == len(texts)
    assert stored[0] < len(texts)
    assert [one.line_id for one in report] == ["0", "1", "2", "3"]
