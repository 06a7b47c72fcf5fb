"""What every speech engine is: its contract, and the plain data it takes and gives.

An engine is asked to say a batch of utterances and gives, in the same order, a ``Speech`` or a ``SpeechError`` for
each. One bad utterance never spoils its batch. The samples of an utterance depend on the utterance alone, never on
who shares the batch or on how many threads work. An engine that cannot work at all raises ``VoicepressError``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]
"""Mono audio, shape ``(samples,)``, full scale ±1.0 (peaks may exceed it)."""


@dataclass(frozen=True, slots=True)
class Voice:
    """An engine's way to sound like someone.

    ``engine`` names the engine the profile was made for. ``params`` holds what that engine needs (for kokoro:
    ``{"pack": "zf_xiaobei"}``). ``gain_db`` brings the voice to the house level and is applied when stitching, so it
    is no part of ``content``; ``levelled`` is false where nobody has measured it. ``content`` is a hash of everything about the voice that changes the sound.
    """

    id: str
    engine: str
    name: str
    language: str
    gender: str
    description: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    reference: Path | None = None
    transcript: str = ""
    gain_db: float = 0.0
    content: str = ""
    levelled: bool = True


@dataclass(frozen=True, slots=True)
class Utterance:
    """What an engine is asked to say.

    ``text`` is in spoken form. Where the engine's ``limits.phonetic`` is ``"pinyin"``, ``readings`` gives for every Han
    character its index in ``text`` and its syllable in pinyin with tone digit 1-5 (``hao4``, ``lv4`` with v for ü, ``er5``),
    一 and 不 already in their surface tone; ARPAbet for an English word is given at its first letter as
    ``"M IH1 N AH0 T"``. Where it is ``"inline"`` (CosyVoice3), readings stand in ``text`` itself as ``[h][ào]`` and
    ``readings`` is empty. ``style`` is an instruction in plain language or empty, ``speed`` 1.0 is the voice's own.
    ``take`` counts recordings of the same line: 0 first, then 1, 2 … for re-takes; an engine that draws lots draws others.
    ``split`` is into how many more pieces the engine shall cut it than it would (0 to 3), where its limits say that it
    ``cuts``. ``window_seconds`` is how long it should sound, at least and at most, and ``candidates`` how
    many takes to choose from (0: the engine's own number); engines that cannot choose pay no heed.
    """

    text: str
    voice: Voice
    language: str = "zh"
    readings: tuple[tuple[int, str], ...] = ()
    style: str = ""
    speed: float = 1.0
    seed: int = 0
    take: int = 0
    split: int = 0
    window_seconds: tuple[float, float] | None = None
    candidates: int = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters ``[start_char, end_char)`` of an utterance's text sound in samples ``[start, end)`` of its speech."""

    start_char: int
    end_char: int
    start: int
    end: int


Honour = Literal["full", "approximate", "none"]
"""What becomes of a style: done as the model was trained to, nearly (by level, tempo, pitch, or a wish that is only
passed on), or left out."""

Stop = Literal["end", "length", "silence", "repeat"]
"""Why generation stopped: ``end`` is the good one."""


@dataclass(frozen=True, slots=True)
class Speech:
    """One utterance, said.

    ``samples``: float32 ``(n,)`` at the engine's sample rate, head and tail silence included. ``marks`` may be empty.
    ``notes`` name what of the utterance could not be honoured (``"style '低声' approximated: gain -6 dB"``).
    ``timings`` are seconds of work by stage.
    """

    samples: Samples
    marks: tuple[Mark, ...] = ()
    stop: Stop = "end"
    notes: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SpeechError:
    """One utterance that could not be said. ``code`` is stable (``out-of-memory``, ``unspeakable``, ``engine-fault``)."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What an engine can do. ``batch`` is the number of utterances it likes to get at once. ``deterministic``: it says the
    same utterance always alike, whatever its seed. ``cuts``: it heeds ``Utterance.split``."""

    sample_rate: int
    max_chars: int
    batch: int
    languages: tuple[str, ...]
    phonetic: Literal["pinyin", "inline", "none"]
    deterministic: bool
    cuts: bool = False


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """What a book or the machine asks of an engine.

    ``device``: ``cpu``, ``cuda``, ``cuda:1`` or ``auto``. ``workers``: 0 lets the engine choose. ``extra``: settings of one
    engine, checked by that engine.
    """

    device: str = "cpu"
    workers: int = 0
    vram_gb: float | None = None
    model_dir: Path | None = None
    url: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of ``voicepress doctor``: ``level`` is ``ok``, ``warn`` or ``fail``; ``todo`` says what to do about it."""

    level: Literal["ok", "warn", "fail"]
    what: str
    todo: str = ""


@runtime_checkable
class Engine(Protocol):
    """A speech engine. Construction is cheap; models are loaded by the first ``speak`` or by ``prepare``."""

    @property
    def name(self) -> str: ...

    @property
    def limits(self) -> Limits: ...

    @property
    def resource(self) -> str:
        """What only one process at a time may use, as a lock's name: ``cpu``, ``cuda-0``, ``none`` for no lock."""
        ...

    def fingerprint(self) -> str:
        """Everything of the engine that changes the sound: version, model checksum, graph variant, sampling. Part of
        every take's key. Cheap: no model is loaded."""
        ...

    def accepts(self, voice: Voice) -> str:
        """Empty if the engine can use the voice, else the reason why not, with what to do."""
        ...

    def honours(self, style: str) -> Honour:
        """What the engine makes of a style in plain language; an empty one asks for nothing and is ``full``. Cheap: no
        model is loaded."""
        ...

    def prepare(self) -> None:
        """Load models and build caches now. Raises ``VoicepressError`` if that cannot work."""
        ...

    def speak(self, batch: Sequence[Utterance]) -> list[Speech | SpeechError]: ...

    def clean(self) -> None:
        """Give back what a batch has left behind (called between batches)."""
        ...

    def close(self) -> None:
        """Give back everything; ``speak`` may be called again and loads anew."""
        ...

    def doctor(self) -> list[Finding]:
        """Look at packages, models and device without loading a model."""
        ...


@runtime_checkable
class SpeaksEach(Protocol):
    """What an engine may offer beside ``speak``: results of a batch as soon as each is there, in any order. A killed run
    then loses only the utterances under way, and progress is seen within a batch."""

    def speak_each(self, batch: Sequence[Utterance]) -> Iterator[tuple[int, Speech | SpeechError]]:
        """``(place in batch, result)``, every place once."""
        ...
