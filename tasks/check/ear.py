"""What is heard of takes: Whisper on the CPU beside the recording, or on a GPU by configuration.

Contract: ``Ear.hear`` gives for every clip the words heard with their time in the clip. Several clips share one call,
for a call costs the same whatever its length (Whisper hears 30 s windows): trimmed clips are laid one after another with
silence between, and word times tell whose a word is. A word may still go to a neighbour, and a listener errs: whoever
doubts has the clip heard again, in other company.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from common.errors import VoicepressError
from tasks.check.earmodel import EMBEDDED, INSTALL, folder_of

RATE_HZ = 16_000
WINDOW_SECONDS = 25.0
GAP_SECONDS = 0.6
SLACK_SECONDS = 0.15
_PROMPTS = {"zh": "以下是普通话的句子。"}

Audio = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of heard text, punctuation with it, and its seconds in the clip. ``sure`` is the listener's probability."""

    text: str
    start: float
    end: float
    sure: float = 1.0


Words = tuple[Word, ...]


class Hears(Protocol):
    """Whoever can listen."""

    def hear(self, clips: Sequence[Audio], language: str, *, careful: bool = False) -> list[Words]:
        """The words of every clip (mono, 16 kHz), in order; ``careful`` takes longer over it."""
        ...

    def language_of(self, clip: Audio) -> tuple[str, float]:
        """The language that is spoken, as a two-letter code, with its probability."""
        ...


def text_of(words: Words) -> str:
    return "".join(word.text for word in words).strip()


class Ear:
    """Whisper by faster-whisper. Construction is cheap; the model is loaded by the first call. Safe to share by threads.

    ``model``: ``base`` or a folder with a CTranslate2 Whisper; ``device``: ``cpu`` or ``cuda``; ``compute_type`` as
    CTranslate2 names them; ``threads`` of the CPU.
    """

    def __init__(
        self, model: str = EMBEDDED, device: str = "cpu", compute_type: str = "int8", threads: int = 1
    ) -> None:
        self._model_name, self._device, self._compute_type, self._threads = model, device, compute_type, threads
        self._model: Any = None
        self._lock = threading.Lock()

    def hear(self, clips: Sequence[Audio], language: str, *, careful: bool = False) -> list[Words]:
        heard: list[Words] = [()] * len(clips)
        for group in pack([len(clip) / RATE_HZ for clip in clips]):
            joined, starts = join([clips[i] for i in group])
            words = self._listen(joined, language, beam=5 if careful else 1)
            for i, own in zip(group, share_out(words, starts), strict=True):
                heard[i] = own
        return heard

    def language_of(self, clip: Audio) -> tuple[str, float]:
        with self._lock:
            language, sure, _ = self._load().detect_language(clip)
        return str(language), float(sure)

    def _listen(self, audio: Audio, language: str, *, beam: int) -> Words:
        with self._lock:
            segments, _ = self._load().transcribe(
                audio,
                language=language,
                beam_size=beam,
                temperature=0.0,
                condition_on_previous_text=False,
                initial_prompt=_PROMPTS.get(language),
                word_timestamps=True,
            )
            return tuple(
                Word(word.word, float(word.start), float(word.end), float(word.probability))
                for segment in segments
                for word in segment.words or ()
            )

    def _load(self) -> Any:
        if self._model is None:
            try:
                from faster_whisper import WhisperModel
            except ImportError as error:
                raise VoicepressError("package-missing", "faster-whisper is not installed", hint=INSTALL) from error
            folder = folder_of(self._model_name)
            try:
                self._model = WhisperModel(
                    str(folder), device=self._device, compute_type=self._compute_type,
                    cpu_threads=self._threads, local_files_only=True,
                )  # fmt: skip
            except (ValueError, RuntimeError) as error:
                raise VoicepressError(
                    "no-ear", f"the model in {folder} cannot be loaded: {error}", key="ear",
                    hint="look at model, device and compute_type under 'ear:' in configs/check.yaml",
                ) from error  # fmt: skip
        return self._model


def pack(seconds: Sequence[float], window: float = WINDOW_SECONDS, gap: float = GAP_SECONDS) -> list[list[int]]:
    """Which clips share a call: first fit, longest first; a clip longer than the window has one to itself."""
    groups: list[list[int]] = []
    room: list[float] = []
    for i in sorted(range(len(seconds)), key=lambda i: -seconds[i]):
        need = seconds[i] + gap
        place = next((k for k, left in enumerate(room) if left >= need), None)
        if place is None:
            groups.append([i])
            room.append(window - need)
        else:
            groups[place].append(i)
            room[place] -= need
    return [sorted(group) for group in groups]


def join(clips: Sequence[Audio], gap: float = GAP_SECONDS) -> tuple[Audio, list[tuple[float, float]]]:
    """The clips one after another with ``gap`` seconds of silence around each, and the seconds ``(start, end)`` of each."""
    silence = np.zeros(round(gap * RATE_HZ), np.float32)
    pieces: list[Audio] = [silence[: len(silence) // 2]]
    places, at = [], len(silence) // 2
    for clip in clips:
        places.append((at / RATE_HZ, (at + len(clip)) / RATE_HZ))
        pieces += [clip, silence]
        at += len(clip) + len(silence)
    return np.concatenate(pieces), places


def share_out(words: Words, places: Sequence[tuple[float, float]]) -> list[Words]:
    """Every word to the clip in which most of it lies, its time counted in the clip. A word that lies wholly in silence
    (beyond ``SLACK_SECONDS``) was not said by anybody."""
    own: list[list[Word]] = [[] for _ in places]
    for word in words:
        inside = [min(end, word.end) - max(start, word.start) for start, end in places]
        best = max(range(len(places)), key=inside.__getitem__)
        if inside[best] > -SLACK_SECONDS:
            start = places[best][0]
            own[best].append(Word(word.text, word.start - start, word.end - start, word.sure))
    return [tuple(one) for one in own]
