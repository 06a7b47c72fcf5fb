"""Real speech: the packaged model says real lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from common.errors import VoicepressError
from engines.base import Engine, EngineOptions, Speech, SpeechError, Utterance, Voice
from engines.kokoro import KokoroEngine
from engines.kokoro import engine as module

Voices = Callable[[str], Voice]
TEXT = "他说：“你好！”今天天气很好，我用iPhone拍了一张照片。"


def speech(said: Speech | SpeechError) -> Speech:
    assert isinstance(said, Speech), said
    return said


def test_it_is_an_engine_that_is_cheap_to_make() -> None:
    made = KokoroEngine(EngineOptions())
    assert isinstance(made, Engine)
    assert made.name == "kokoro"
    assert made.resource == "cpu"
    assert made.limits.sample_rate == 24000
    assert made.fingerprint() == KokoroEngine(EngineOptions(workers=7)).fingerprint()


def test_fingerprint_tells_the_graph_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEPRESS_KOKORO_GRAPH", "plain")
    assert " plain-0 " in KokoroEngine(EngineOptions()).fingerprint()


def test_wishes_it_cannot_meet_are_errors() -> None:
    with pytest.raises(VoicepressError, match="runs on the CPU"):
        KokoroEngine(EngineOptions(device="cuda"))
    with pytest.raises(VoicepressError, match="temperature"):
        KokoroEngine(EngineOptions(extra={"temperature": 1}))


def test_voices_of_other_engines_and_unknown_packs_are_refused(voice_of: Voices) -> None:
    made = KokoroEngine(EngineOptions())
    assert made.accepts(voice_of("zf_xiaobei")) == ""
    assert "tone" in made.accepts(replace(voice_of("zf_xiaobei"), engine="tone"))
    assert "zf_nobody" in made.accepts(voice_of("zf_nobody"))
    assert "names no pack" in made.accepts(Voice("x", "kokoro", "x", "zh", ""))


@pytest.mark.slow
def test_a_line_is_spoken_with_a_mark_for_each_character_and_word(engine: KokoroEngine, voice_of: Voices) -> None:
    said = speech(engine.speak([Utterance(TEXT, voice_of("zf_xiaobei"))])[0])
    assert 4.0 < len(said.samples) / 24000 < 9.0
    assert np.isfinite(said.samples).all()
    assert 0.1 < float(np.abs(said.samples).max()) < 1.5
    wanted = [(place, place + 1) for place, char in enumerate(TEXT) if "\u4e00" <= char <= "\u9fff"]
    wanted.append((TEXT.index("iPhone"), TEXT.index("iPhone") + 6))
    assert [(mark.start_char, mark.end_char) for mark in said.marks] == sorted(wanted)
    at = 0
    for mark in said.marks:
        assert at <= mark.start < mark.end <= len(said.samples)
        at = mark.end
    assert at <= len(said.samples) - 1000  # the last one ends where the sound ends
    assert said.notes == ()


@pytest.mark.slow
def test_samples_do_not_depend_on_workers_or_on_the_batch(engine: KokoroEngine, voice_of: Voices, cache: Path) -> None:
    batch = [
        Utterance(TEXT, voice_of("zf_xiaobei")),
        Utterance("好。", voice_of("zm_yunjian"), style="悲伤"),
        Utterance("The lamps did not reach three steps ahead.", voice_of("af_heart"), "en"),
    ]
    alone = [speech(engine.speak([one])[0]) for one in batch]
    three = KokoroEngine(EngineOptions(workers=3))
    for first, second in zip(alone, three.speak([*batch, *batch]), strict=False):
        assert first.samples.tobytes() == speech(second).samples.tobytes()
        assert first.marks == speech(second).marks
    three.close()


@pytest.mark.slow
def test_a_bad_line_spoils_nothing(engine: KokoroEngine, voice_of: Voices, monkeypatch: pytest.MonkeyPatch) -> None:
    good = Utterance("今天天气很好。", voice_of("zf_xiaobei"))
    batch = [good, replace(good, text="！？……"), replace(good, text=""), replace(good, text="😀"), good]
    said = engine.speak(batch)
    assert [one.code if isinstance(one, SpeechError) else "" for one in said] == [
        "",
        "unspeakable",
        "unspeakable",
        "unspeakable",
        "",
    ]
    assert speech(said[0]).samples.tobytes() == speech(said[4]).samples.tobytes()

    say = module._say

    def fails_on_trouble(sessions: object, work: object, one: object) -> object:
        if any(unit.start == 0 and unit.phones.startswith("xwai") for unit in one.units):  # type: ignore[attr-defined]
            raise RuntimeError("boom")
        return say(sessions, work, one)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "_say", fails_on_trouble)
    said = engine.speak([good, replace(good, text="坏了。")])
    assert isinstance(said[0], Speech)
    assert said[1] == SpeechError("engine-fault", "RuntimeError: boom")


@pytest.mark.slow
def test_readings_style_speed_and_split_change_the_sound(engine: KokoroEngine, voice_of: Voices) -> None:
    base = Utterance("院子里有一口井，井沿上的青石很光滑。", voice_of("zf_xiaobei"))
    changed = [
        base,
        replace(
            base, readings=((0, "yuan4"), (1, "zi3"), (2, "li5"), (3, "you3"), (4, "yi4"), (5, "kou3"), (6, "jing4"))
        ),
        replace(base, style="高兴"),
        replace(base, speed=0.8),
        replace(base, split=1),
        replace(base, voice=voice_of("zm_yunxi")),
    ]
    said = [speech(one) for one in engine.speak(changed)]
    assert len({one.samples.tobytes() for one in said}) == len(said)
    assert len(said[3].samples) > len(said[0].samples) * 1.1
    assert any("approximated" in note for note in said[2].notes)
    assert any("split 1" in note for note in said[4].notes)


@pytest.mark.slow
def test_style_of_loudness_is_a_gain(engine: KokoroEngine, voice_of: Voices) -> None:
    plain, soft = (
        speech(one).samples
        for one in engine.speak([Utterance("院子里有一口井。", voice_of("zf_xiaobei"), style=s) for s in ("", "小声")])
    )
    assert np.allclose(soft, plain * 10 ** (-6 / 20), atol=1e-6)


@pytest.mark.slow
def test_longest_line_is_said_whole(engine: KokoroEngine, voice_of: Voices) -> None:
    text = ("山路又窄又滑，马车走得很慢，车灯照不到三步以外的地方，" * 7)[:179] + "。"
    said = speech(engine.speak([Utterance(text, voice_of("zm_yunjian"))])[0])
    assert len(said.marks) == sum("\u4e00" <= char <= "\u9fff" for char in text)
    assert 20 < len(said.samples) / 24000 < 60


def test_quota_of_the_control_group_counts(tmp_path: Path) -> None:
    assert module.quota_cores(tmp_path) > 1000
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert module.quota_cores(tmp_path) > 1000
    (tmp_path / "cpu.max").write_text("250000 100000\n")
    assert module.quota_cores(tmp_path) == 2
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    assert module.quota_cores(tmp_path) == 1


def test_doctor_finds_everything_in_place(cache: Path) -> None:
    assert all(finding.level != "fail" for finding in KokoroEngine(EngineOptions()).doctor())
