"""Tones in silence: an engine for tests, dry runs and timing rehearsals.

Contract: every voice and every text is accepted; a line lasts about as long as a reader would need for it, each
character that sounds is one short tone with a mark of its own, and punctuation is silence. The pitch comes from the
voice, so that casting can be heard; ``take`` shifts it a little, so that a re-take is another recording. The same
utterance always gives the same samples.

The tone of one character is made once and copied into place, so that the engine costs next to nothing beside the
store and the flow that it rehearses. ``options.extra`` plants faults (see ``ToneFaults``), for tests of what stands
around an engine.
"""

from __future__ import annotations

import hashlib
import math
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from pydantic import Field, ValidationError

from common.yamlio import Strict, explain
from engines.base import EngineOptions, Finding, Honour, Limits, Mark, Samples, Speech, SpeechError, Utterance, Voice
from engines.memory import halving

VERSION = "1"
SAMPLE_RATE_HZ = 24_000
HEAD_SECONDS, TAIL_SECONDS = 0.3, 0.4
HAN_PER_SECOND, LETTERS_PER_SECOND = 4.5, 14.0
EDGE_SECONDS = 0.008
AMPLITUDE = 0.16
PAUSE_SECONDS = {
    **dict.fromkeys("。！？!?…．", 0.40),
    **dict.fromkeys("；;：:—", 0.28),
    **dict.fromkeys("，,、", 0.20),
    **dict.fromkeys(" \t\n　", 0.03),
}
_LIMITS = Limits(
    sample_rate=SAMPLE_RATE_HZ, max_chars=180, batch=32, languages=("zh", "en"), phonetic="pinyin", deterministic=True
)


class ToneFaults(Strict):
    """Faults a test may plant.

    ``delay_seconds`` of work for every utterance; utterances that hold ``fail_on`` fail, those that hold ``mute_on``
    come out silent (both only while ``take`` is below ``mend_at_take``); a batch of more than ``oom_above``
    utterances does not fit into memory.
    """

    delay_seconds: float = Field(default=0.0, ge=0.0, le=3600.0, allow_inf_nan=False)
    fail_on: str = ""
    mute_on: str = ""
    mend_at_take: int = Field(default=1_000_000, ge=0)
    oom_above: int | None = Field(default=None, ge=0)


class _ToneOutOfMemory(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Slot:
    """One character's stretch of a line: ``samples`` long, sounding or not."""

    index: int
    samples: int
    sounds: bool


class ToneEngine:
    """See the module. ``options`` other than ``extra`` change nothing."""

    def __init__(self, options: EngineOptions | None = None) -> None:
        extra = dict((options or EngineOptions()).extra)
        try:
            self.faults = ToneFaults.model_validate(extra)
        except ValidationError as error:
            raise explain(error, "engine options", None, ToneFaults, "the tone engine's extra settings") from error

    @property
    def name(self) -> str:
        return "tone"

    @property
    def limits(self) -> Limits:
        return _LIMITS

    @property
    def resource(self) -> str:
        return "none"

    def fingerprint(self) -> str:
        planted = f";mute={self.faults.mute_on!r}<{self.faults.mend_at_take}" if self.faults.mute_on else ""
        return f"tone/{VERSION}{planted}"

    def accepts(self, voice: Voice) -> str:
        return ""

    def honours(self, style: str) -> Honour:
        return "none" if style.strip() else "full"

    def prepare(self) -> None:
        """Nothing to load."""

    def speak(self, batch: Sequence[Utterance]) -> list[Speech | SpeechError]:
        return halving(batch, self._run, lambda error: isinstance(error, _ToneOutOfMemory))

    def clean(self) -> None:
        """Nothing is left behind."""

    def close(self) -> None:
        _tone.cache_clear()

    def doctor(self) -> list[Finding]:
        return [Finding("ok", "tone engine: needs no model and no device")]

    def _run(self, batch: Sequence[Utterance]) -> list[Speech | SpeechError]:
        if self.faults.oom_above is not None and len(batch) > self.faults.oom_above:
            raise _ToneOutOfMemory(f"planted: a batch of {len(batch)} does not fit")
        return [self._say(utterance) for utterance in batch]

    def _say(self, utterance: Utterance) -> Speech | SpeechError:
        begun = time.perf_counter()
        faulty = utterance.take < self.faults.mend_at_take
        if self.faults.delay_seconds:
            time.sleep(self.faults.delay_seconds)
        if self.faults.fail_on and faulty and self.faults.fail_on in utterance.text:
            return SpeechError("engine-fault", f"planted: the text holds '{self.faults.fail_on}'")
        if not math.isfinite(utterance.speed) or not 0.1 <= utterance.speed <= 10.0:
            return SpeechError("unspeakable", f"speed {utterance.speed} is outside 0.1 to 10")
        slots = slots_of(utterance.text, utterance.speed)
        if not any(slot.sounds for slot in slots):
            return SpeechError("unspeakable", "the text holds nothing that sounds")
        samples, marks = _lay_out(slots, pitch_hz(utterance.voice, utterance.take))
        if self.faults.mute_on and faulty and self.faults.mute_on in utterance.text:
            samples[:] = 0.0
        notes = (f"style '{utterance.style}' ignored: tones have no style",) if utterance.style else ()
        return Speech(samples, marks, notes=notes, timings={"tone": time.perf_counter() - begun})


def seconds_of(character: str) -> tuple[float, bool]:
    """How long a character lasts at speed 1, and whether it sounds."""
    if character in PAUSE_SECONDS:
        return PAUSE_SECONDS[character], False
    if not character.isalnum():
        return 0.0, False
    wide = unicodedata.east_asian_width(character) in "WF" and not ("\uff10" <= character <= "\uff5a")
    return 1.0 / (HAN_PER_SECOND if wide else LETTERS_PER_SECOND), True


def slots_of(text: str, speed: float = 1.0) -> list[_Slot]:
    """The stretches of ``text``, in order; a run of the same pause counts once."""
    slots: list[_Slot] = []
    previous = ""
    for index, character in enumerate(text):
        seconds, sounds = _cached_seconds(character)
        if seconds and (sounds or character != previous):
            slots.append(_Slot(index, round(seconds / speed * SAMPLE_RATE_HZ), sounds))
        previous = character
    return slots


def pitch_hz(voice: Voice, take: int = 0) -> float:
    """110 to 440 Hz by a hash of the voice, higher for female voices; a re-take is a little sharper."""
    seed = hashlib.blake2b(f"{voice.id}\0{voice.content}".encode(), digest_size=4).digest()
    octave = 1 if voice.gender == "female" else 0
    steps = int.from_bytes(seed) % 12 + (take % 12) * 0.25
    return float(110.0 * 2.0 ** (octave + steps / 12.0))


_cached_seconds = lru_cache(maxsize=16_384)(seconds_of)


@lru_cache(maxsize=512)
def _tone(pitch: float, length: int) -> Samples:
    """One character's tone of ``length`` samples, faded at both ends."""
    clock = np.arange(length, dtype=np.float64) / SAMPLE_RATE_HZ
    wave = AMPLITUDE * (np.sin(2 * np.pi * pitch * clock) + 0.4 * np.sin(4 * np.pi * pitch * clock))
    edge = min(round(EDGE_SECONDS * SAMPLE_RATE_HZ), length // 2)
    if edge:
        fade = 0.5 - 0.5 * np.cos(np.pi * (np.arange(edge) + 0.5) / edge)
        wave[:edge] *= fade
        wave[length - edge :] *= fade[::-1]
    tone = wave.astype(np.float32)
    tone.setflags(write=False)
    return tone


def _lay_out(slots: Sequence[_Slot], pitch: float) -> tuple[Samples, tuple[Mark, ...]]:
    head, tail = round(HEAD_SECONDS * SAMPLE_RATE_HZ), round(TAIL_SECONDS * SAMPLE_RATE_HZ)
    samples = np.zeros(head + tail + sum(slot.samples for slot in slots), dtype=np.float32)
    marks: list[Mark] = []
    place = head
    for slot in slots:
        end = place + slot.samples
        if slot.sounds:
            samples[place:end] = _tone(pitch, slot.samples)
            marks.append(Mark(slot.index, slot.index + 1, place, end))
        place = end
    return samples, tuple(marks)
