"""Clean takes for ``benchmarks.check``: lines of the two demo books, said by every voice in turn, kept in the cache.

Contract: ``corpus(count)`` gives real recordings of the embedded engine with everything a flow knows of them. A second
run finds them in the take store under ``<cache>/check-bench``. Nothing is random: the same count gives the same takes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import engines
from common.places import HOME, VOICES, cache
from engines.base import Engine, EngineOptions, Utterance, Voice
from tasks.domain import Cast, Line, Role, Take
from tasks.read.manuscript import read_manuscript
from tasks.script.lexicon import load_layers
from tasks.script.readings import Reader
from tasks.script.scribe import Scribe
from tasks.script.write import ScriptSettings
from tasks.speak.record import Job, record_batch
from tasks.speak.takes import TakeStore
from tasks.speak.voices import VoiceLibrary

STORIES = {"zh": "ferry/story.txt", "en": "lighthouse/story.md"}
CHINESE_SHARE = 0.7
BATCH = 16
INSTRUCTIONS = {
    "zh": ("请用开心的语气说这句话。", "用温柔的声音慢慢地说。", "请非常生气地说一句话。"),
    "en": ("Please say a sentence as loudly as possible.", "Speak in a very soft voice.", "Say this sentence happily."),
}
"""What an engine may read aloud before the line."""


@dataclass(frozen=True, slots=True)
class Clean:
    """A line as recorded: what was to be said, by whom, and the take."""

    utterance: Utterance
    take: Take


def _lines(language: str) -> list[Line]:
    manuscript = read_manuscript(HOME / "manuscripts" / STORIES[language], language=language)
    cast = Cast(narrator=Role(name="narrator", voice=""))
    scribe = Scribe(cast, ScriptSettings(max_chars=90, language=language), load_layers(()))
    with tempfile.TemporaryDirectory() as folder:
        script = scribe.write(manuscript, Path(folder)).script
    return [line for chapter in script.chapters for line in chapter.lines if not line.skip]


def voices(language: str) -> list[Voice]:
    """The offered voices of the embedded engine in ``language``."""
    few = ("bf_emma", "am_michael", "af_heart", "bm_george")  # enough takes of each for what is usual to be known
    return [
        v
        for v in VoiceLibrary((VOICES / "profiles",)).offered()
        if v.engine == "kokoro" and v.language == language and (language == "zh" or v.id in few)
    ]


def store() -> TakeStore:
    return TakeStore(cache() / "check-bench")


def said_by(line: Line, voice: Voice) -> Utterance:
    readings = tuple((reading.start, reading.phones) for reading in line.readings)
    return Utterance(line.spoken, voice, line.language, readings=readings)


def plan(count: int) -> list[Utterance]:
    """What is said: every voice gets lines from all over the books; a line comes again only with another voice. The
    first of a longer plan are a shorter one."""
    every: list[tuple[float, Utterance]] = []
    for language, share in (("zh", CHINESE_SHARE), ("en", 1.0 - CHINESE_SHARE)):
        lines, speakers = _lines(language), voices(language)
        some = round(count * share)
        for number in range(some):
            line = lines[number * 7 % len(lines) if len(lines) % 7 else number % len(lines)]
            shift = number // len(lines)
            every.append(((number + 0.5) / share, said_by(line, speakers[(number + shift) % len(speakers)])))
    return [utterance for _, utterance in sorted(every, key=lambda pair: pair[0])]


def say(text: str, like: Utterance) -> Utterance:
    """``text`` in the voice and manner of ``like``."""
    readings = (
        tuple((reading.start, reading.phones) for reading in Reader(()).read(text)) if like.language == "zh" else ()
    )
    return replace(like, text=text, readings=readings)


def recorded(utterances: Sequence[Utterance], engine: Engine | None = None) -> list[Clean]:
    """The takes of ``utterances``, recorded where the store lacks them."""
    engine = engine or engines.load("kokoro", EngineOptions())
    takes: list[Clean] = []
    for start in range(0, len(utterances), BATCH):
        some = utterances[start : start + BATCH]
        jobs = [Job(str(start + i), 1, utterance) for i, utterance in enumerate(some)]
        for utterance, one in zip(some, record_batch(engine, store(), jobs), strict=True):
            if one.take is None:
                raise RuntimeError(f"{utterance.text}: {one.error}")
            takes.append(Clean(utterance, one.take))
    return takes
