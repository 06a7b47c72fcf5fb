"""Listing voices, and hearing one."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import engines
from common import places
from common.errors import VoicepressError
from common.files import replacing
from engines.base import EngineOptions, SpeechError, Utterance
from flows.config import load_book, slug_of
from flows.console import clip, table
from flows.make import shown
from tasks.script.inline import annotate
from tasks.script.normalize import normalize
from tasks.script.readings import Reader
from tasks.speak.voices import VoiceLibrary

SAMPLES = {
    "zh": "天刚亮，渡口的雾还没有散。老人把船桨放下，笑着说：今天的头一个客人，不收钱。",
    "en": "The fog had not yet lifted from the harbour. He put down the oars and smiled: the first guest of the day rides free.",
}


def listing() -> str:
    """Every voice on offer, as a table."""
    rows = []
    for voice in VoiceLibrary((places.VOICES / "profiles",)).offered():
        rows.append((voice.id, voice.name, voice.language, voice.gender, voice.engine, clip(voice.description, 60)))
    rows.sort(key=lambda row: (row[2] != "zh", row[2], row[0]))
    hear = "hear one:  voicepress voices audition ID [--text …] [--style …]"
    return table(("id", "name", "language", "gender", "engine", "description"), rows) + "\n\n" + hear


def audition(
    voice_id: str,
    *,
    text: str,
    style: str,
    speed: float,
    out: Path | None,
    book: Path | None = None,
    model_dir: Path | None = None,
) -> str:
    """Say ``text`` in a voice of the house or of ``book``, write a WAV file, and tell where."""
    import numpy as np
    import soundfile

    job = load_book(book) if book else None
    voice = VoiceLibrary(job.voices if job else (places.VOICES / "profiles",)).get(voice_id)
    options = (
        job.options if job and job.engine == voice.engine else EngineOptions(device="auto" if model_dir else "cpu")
    )
    engine = engines.load(voice.engine, replace(options, model_dir=model_dir or options.model_dir))
    language = voice.language[:2]
    if text and not any(character.isalnum() for character in text):
        raise VoicepressError(
            "nothing-to-say", f"there is nothing to say in '{text}'", key="--text", hint="give some words"
        )
    spoken = normalize(text or SAMPLES.get(language, SAMPLES["en"]), language).spoken
    readings = Reader().read(spoken, language)
    if engine.limits.phonetic == "inline":
        utterance = Utterance(annotate(spoken, readings), voice, language, (), style, speed)
    else:
        utterance = Utterance(spoken, voice, language, tuple((r.start, r.phones) for r in readings), style, speed)
    engine.prepare()
    started = time.monotonic()
    speech = engine.speak([utterance])[0]
    seconds = time.monotonic() - started
    if isinstance(speech, SpeechError):
        raise VoicepressError(
            speech.code, f"the engine could not say this: {speech.message}", key="--text", hint="try another text"
        )
    path = out or places.outputs() / "auditions" / f"{voice.id}{'-' + slug_of(style) if style else ''}.wav"
    samples = speech.samples * 10 ** (voice.gain_db / 20)
    samples = samples / max(1.0, float(np.abs(samples).max(initial=0.0)) / 0.98)
    with replacing(path, suffix=".wav") as temporary:
        soundfile.write(temporary, samples, engine.limits.sample_rate, subtype="PCM_16")
    length = len(samples) / engine.limits.sample_rate
    notes = "".join(f"\n  note: {note}" for note in speech.notes)
    return f"{shown(path)}  ({length:.1f} s of audio in {seconds:.1f} s){notes}"
