"""The tone engine: as long as speech, as sure as a ruler, and faulty when asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from common.errors import VoicepressError
from engines import load
from engines.base import Engine, EngineOptions, Speech, SpeechError, Utterance, Voice
from engines.tone import SAMPLE_RATE_HZ, ToneEngine, pitch_hz

VOICE = Voice("one", "tone", "One", "zh", "female", content="c")
TEXT = "他说，今天天气很好。We go out."


def say(text: str = TEXT, engine: ToneEngine | None = None, **changes: object) -> Speech:
    speech = (engine or ToneEngine()).speak([replace(Utterance(text, VOICE), **changes)])[0]  # type: ignore[arg-type]
    assert isinstance(speech, Speech)
    return speech


def engine(**extra: object) -> ToneEngine:
    return ToneEngine(EngineOptions(extra=extra))


def test_it_is_an_engine_and_loads_by_name() -> None:
    assert isinstance(load("tone"), Engine)
    assert load("tone").resource == "none"
    assert load("tone").limits.phonetic == "pinyin"


def test_duration_follows_the_text() -> None:
    silence = 0.7
    assert len(say("今天天气很好今天").samples) / SAMPLE_RATE_HZ == pytest.approx(silence + 8 / 4.5, abs=0.01)
    assert len(say("abcdefghijklmn").samples) / SAMPLE_RATE_HZ == pytest.approx(silence + 1.0, abs=0.01)
    assert len(say("今天，好").samples) > len(say("今天好").samples)
    assert len(say("今……好").samples) == len(say("今…好").samples)


def test_speed_shortens_what_sounds() -> None:
    slow, fast = say(speed=0.5), say(speed=2.0)
    silence = round(0.7 * SAMPLE_RATE_HZ)
    assert (len(slow.samples) - silence) / (len(fast.samples) - silence) == pytest.approx(4.0, rel=0.01)


def test_every_sounding_character_has_its_mark_in_order() -> None:
    speech = say()
    assert [mark.start_char for mark in speech.marks] == [i for i, c in enumerate(TEXT) if c.isalnum()]
    for mark, following in zip(speech.marks, speech.marks[1:], strict=False):
        assert mark.start < mark.end <= following.start
    assert np.abs(speech.samples[: speech.marks[0].start]).max() == 0.0
    assert np.abs(speech.samples[speech.marks[-1].end :]).max() == 0.0
    for mark in speech.marks:
        assert np.abs(speech.samples[mark.start : mark.end]).max() > 0.1


def test_the_same_utterance_gives_the_same_samples_whoever_shares_the_batch() -> None:
    alone = say().samples
    shared = ToneEngine().speak([Utterance("别的。", VOICE), Utterance(TEXT, VOICE), Utterance("再来。", VOICE)])[1]
    assert isinstance(shared, Speech)
    np.testing.assert_array_equal(alone, shared.samples)


def test_a_result_may_be_changed_without_changing_the_next() -> None:
    first = say()
    before = first.samples.copy()
    first.samples[:] = 0
    np.testing.assert_array_equal(say().samples, before)


def test_voices_and_takes_differ_in_pitch() -> None:
    pitches = {pitch_hz(replace(VOICE, id=f"v{n}")) for n in range(40)}
    assert len(pitches) > 8
    assert pitch_hz(replace(VOICE, gender="male")) < pitch_hz(VOICE)
    assert pitch_hz(VOICE, 1) > pitch_hz(VOICE)
    assert not np.array_equal(say(take=1).samples, say().samples)


def test_the_pitch_is_heard() -> None:
    speech = say("今" * 4)
    tone = speech.samples[speech.marks[0].start : speech.marks[0].end]
    spectrum = np.abs(np.fft.rfft(tone, 2**18))
    assert np.argmax(spectrum) * SAMPLE_RATE_HZ / 2**18 == pytest.approx(pitch_hz(VOICE), abs=4.0)


def test_a_style_is_noted_as_ignored() -> None:
    assert "低声" in say(style="低声").notes[0]
    assert say().notes == ()


@pytest.mark.parametrize("text", ["", "。", "……！？", "   "])
def test_a_text_without_sound_fails_alone(text: str) -> None:
    results = ToneEngine().speak([Utterance(text, VOICE), Utterance(TEXT, VOICE)])
    assert isinstance(results[0], SpeechError)
    assert results[0].code == "unspeakable"
    assert isinstance(results[1], Speech)


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf"), 1e9])
def test_an_impossible_speed_fails_alone(speed: float) -> None:
    result = ToneEngine().speak([Utterance(TEXT, VOICE, speed=speed)])[0]
    assert isinstance(result, SpeechError)


def test_an_empty_batch_gives_nothing() -> None:
    assert ToneEngine().speak([]) == []


def test_any_voice_is_accepted() -> None:
    assert ToneEngine().accepts(replace(VOICE, engine="kokoro")) == ""


def test_a_planted_failure_fails_its_line_alone_until_it_is_mended() -> None:
    faulty = engine(fail_on="天气", mend_at_take=2)
    first, other = faulty.speak([Utterance(TEXT, VOICE), Utterance("你好。", VOICE)])
    assert isinstance(first, SpeechError)
    assert first.code == "engine-fault"
    assert isinstance(other, Speech)
    assert isinstance(faulty.speak([Utterance(TEXT, VOICE, take=1)])[0], SpeechError)
    assert isinstance(faulty.speak([Utterance(TEXT, VOICE, take=2)])[0], Speech)


def test_a_planted_silence_is_silent_and_part_of_the_fingerprint() -> None:
    muted = engine(mute_on="天气")
    assert not say(engine=muted).samples.any()
    assert say("你好。", muted).samples.any()
    assert muted.fingerprint() != ToneEngine().fingerprint()
    assert engine(fail_on="x", delay_seconds=0.0).fingerprint() == ToneEngine().fingerprint()


@pytest.mark.parametrize("above", [1, 2, 3, 7, 8])
def test_planted_lack_of_memory_changes_no_result(above: int) -> None:
    batch = [Utterance(f"第{'一二三四五六七八'[n]}句。", VOICE) for n in range(8)]
    for got, wanted in zip(engine(oom_above=above).speak(batch), ToneEngine().speak(batch), strict=True):
        assert isinstance(got, Speech)
        assert isinstance(wanted, Speech)
        np.testing.assert_array_equal(got.samples, wanted.samples)


def test_lines_that_do_not_fit_even_alone_fail_alone() -> None:
    results = engine(oom_above=0).speak([Utterance(TEXT, VOICE)] * 3)
    assert [result.code for result in results if isinstance(result, SpeechError)] == ["out-of-memory"] * 3


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        ({"delay_second": 1}, "did you mean 'delay_seconds'"),
        ({"delay_seconds": -1}, "delay_seconds"),
        ({"oom_above": "many"}, "oom_above"),
        ({"delay_seconds": float("nan")}, "delay_seconds"),
    ],
)
def test_wrong_settings_are_clear_errors(extra: dict[str, object], says: str) -> None:
    with pytest.raises(VoicepressError, match=says):
        engine(**extra)
