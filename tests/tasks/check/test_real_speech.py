"""No false alarms on clean speech of the embedded engine, the shortest lines above all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engines import load
from engines.base import Speech, Utterance, Voice
from tasks.check.check import Asked, Checker
from tasks.check.judge import LineFacts, judge
from tasks.check.limits import load_limits
from tasks.check.signal import measure
from tasks.speak.takes import TakeStore

# Written for this test; the readings are spelled out so that no other room is needed.
CHINESE = [
    ("嗯。", "en5"),
    ("好！", "hao3"),
    ("走吧。", "zou3 ba5"),
    ("是吗？", "shi4 ma5"),
    ("不知道。", "bu4 zhi1 dao4"),
    ("渡船靠岸，天黑了。", "du4 chuan2 kao4 an4 tian1 hei1 le5"),
    ("老人摇了摇头……没有说话。", "lao3 ren2 yao2 le5 yao2 tou2 mei2 you3 shuo1 hua4"),
]
ENGLISH = ["Oh!", "Run!", "No, thank you.", "The keeper had not spoken to anyone for eleven days."]
VOICES = ["zf_xiaobei", "zm_yunjian"]


def voice(pack: str, language: str) -> Voice:
    return Voice(pack, "kokoro", pack, language, "", params={"pack": pack}, content=pack)


def utterances() -> list[Utterance]:
    made = []
    for number, (text, syllables) in enumerate(CHINESE):
        places = [index for index, character in enumerate(text) if character.isalpha()]
        readings = tuple(zip(places, syllables.split(), strict=True))
        speed = (1.0, 0.85, 1.12)[number % 3]
        made.append(Utterance(text, voice(VOICES[number % 2], "zh"), readings=readings, speed=speed))
    return made + [Utterance(text, voice("bf_emma", "en"), "en") for text in ENGLISH]


@pytest.mark.slow
def test_clean_speech_passes_and_is_told_from_speech_of_another_text() -> None:
    limits = load_limits()
    batch = utterances()
    results = load("kokoro").speak(batch)
    measured = []
    for utterance, speech in zip(batch, results, strict=True):
        assert isinstance(speech, Speech), utterance.text
        measured.append(measure(speech.samples, 24_000))
    for utterance, measures in zip(batch, measured, strict=True):
        line = LineFacts(utterance.text, utterance.language, utterance.speed)
        verdict = judge(measures, "end", line, limits)
        assert verdict.outcome == "pass", (utterance.text, verdict)
    longest = LineFacts("老人摇了摇头……没有说话，只是慢慢地走到窗前，看着外面的雨，看了很久很久。")
    assert judge(measured[0], "end", longest, limits).outcome == "retry"
    assert judge(measured[6], "end", LineFacts("嗯。"), limits).outcome == "retry"


@pytest.mark.slow
def test_the_ear_tells_whole_speech_from_speech_that_lost_or_doubled_words(tmp_path: Path) -> None:
    pytest.importorskip("faster_whisper")
    chosen = [utterances()[number] for number in (5, 6)]
    store = TakeStore(tmp_path)
    asked = []
    for number, (utterance, speech) in enumerate(zip(chosen, load("kokoro").speak(chosen), strict=True)):
        assert isinstance(speech, Speech)
        third, half = (speech.marks[len(speech.marks) * part // 6].start for part in (2, 4))
        for name, samples in (
            ("whole", speech.samples),
            ("lost", np.concatenate([speech.samples[:third], speech.samples[half:]])),
            ("doubled", np.concatenate([speech.samples[:half], speech.samples[third:]])),
        ):
            key = f"{name}{number}".encode().hex().ljust(32, "0")
            store.put(key, Speech(samples), 24_000, {"speed": utterance.speed})
            asked.append(Asked(key, utterance.text, utterance.language, utterance.voice.id, utterance.readings))
    verdicts = Checker(load_limits(), full=True).check(store, asked)
    found = [sorted({flaw.code for flaw in verdict.flaws}) for verdict in verdicts]
    assert found[0::3] == [[], []], [verdict.heard for verdict in verdicts]
    assert all(verdict.outcome == "retry" for verdict in verdicts[1::3] + verdicts[2::3]), found
