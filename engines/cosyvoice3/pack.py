"""Voice packs: what the model needs to know of a reference clip, computed once.

A pack holds the clip's speech tokens, its mel, its speaker vector, the transcript and the checksums of what it was made
from, in one safetensors file. It is found again by the content of clip and encoders, so a clip is never encoded twice on
a machine; with a pack beside it, or as a voice's reference itself, a clip can be used where the encoders are absent.

Contract: reading a pack runs no code and checks every shape; a damaged pack in the cache is a miss, elsewhere an error.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from common import places
from common.errors import VoicepressError
from common.files import digest, require_file, sha256_of, write_bytes
from engines.cosyvoice3 import audio, clip
from engines.cosyvoice3.audio import PROMPT_MEL, Array
from engines.cosyvoice3.checksums import sha256_cached
from engines.cosyvoice3.config import MelConfig
from engines.cosyvoice3.encoders import SPEAKER_SIZE, Encoders, Tokens

log = logging.getLogger(__name__)

FORMAT = 1
"""Version of the file and of what is computed; part of a pack's place in the cache."""
SUFFIX = ".safetensors"
RATIO = 2
"""Mel frames a speech token stands for."""


@dataclass(frozen=True, slots=True)
class VoicePack:
    """``tokens`` int32 ``(n,)``; ``mel`` float32 ``(2n, 80)``; ``speaker`` float32 ``(192,)``, not normalised.

    ``clip`` is the SHA-256 of the reference clip, ``encoders`` those of the models, by role. ``notes`` are the warnings.
    """

    tokens: Tokens
    mel: Array
    speaker: Array
    transcript: str = ""
    clip: str = ""
    encoders: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        return len(self.tokens) / 25


def make(
    path: Path, transcript: str, encoders: Encoders, spec: MelConfig = PROMPT_MEL, trim: bool = True, ratio: int = RATIO
) -> VoicePack:
    """Listen to the clip at ``path``. Errors: no clip to work with (``engines.cosyvoice3.clip``), an encoder missing."""
    samples, rate = audio.load_mono(path)
    try:
        if trim:
            samples = clip.trimmed(samples, rate)
        clip.refuse(samples, rate)
        wave = audio.resample(samples, rate, 16_000)
        tokens = encoders.speech_tokens(audio.whisper_mel(wave))
    except VoicepressError as error:
        if error.file is None:
            raise VoicepressError(error.code, error.what, file=path, hint=error.hint) from error
        raise
    speaker = encoders.speaker(audio.speaker_features(wave))
    mel = audio.prompt_mel(audio.resample(samples, rate, spec.sample_rate), spec)
    frames, kept = audio.keep_whole_tokens(len(mel), len(tokens), ratio)
    tokenizer, speaker_file = encoders.files()
    return VoicePack(
        tokens=tokens[:kept],
        mel=np.ascontiguousarray(mel[:frames]),
        speaker=speaker,
        transcript=transcript,
        clip=sha256_of(path),
        encoders={"tokenizer": sha256_cached(tokenizer), "speaker": sha256_cached(speaker_file)},
        notes=clip.warnings(samples, rate, transcript),
    )


def save(pack: VoicePack, path: Path) -> None:
    """Write ``pack`` to ``path``, whole or not at all. Equal packs give equal bytes."""
    write_bytes(path, to_bytes(pack))


def to_bytes(pack: VoicePack) -> bytes:
    """``pack`` as the bytes of a safetensors file."""
    about = {
        "format": FORMAT,
        "transcript": pack.transcript,
        "clip": pack.clip,
        "encoders": dict(pack.encoders),
        "notes": list(pack.notes),
    }
    data: bytes = _safetensors().save(
        {"tokens": pack.tokens, "mel": pack.mel, "speaker": pack.speaker},
        metadata={"voice_pack": json.dumps(about, ensure_ascii=False, sort_keys=True)},
    )
    return data


def load(path: Path, ratio: int = RATIO) -> VoicePack:
    """Read the pack at ``path``. Errors: not there, no pack, shapes that do not fit."""
    require_file(path, "the voice pack")
    try:
        with _safetensors_package().safe_open(path, "np") as file:
            about = json.loads((file.metadata() or {})["voice_pack"])
            tensors = {name: np.array(file.get_tensor(name)) for name in file.keys()}  # noqa: SIM118  # no mapping
        if about["format"] != FORMAT:
            raise ValueError(f"it is of format {about['format']}, this version reads {FORMAT}")
        _check(tensors, ratio)
        return VoicePack(
            tokens=tensors["tokens"],
            mel=tensors["mel"],
            speaker=tensors["speaker"],
            transcript=str(about["transcript"]),
            clip=str(about["clip"]),
            encoders={str(role): str(checksum) for role, checksum in about["encoders"].items()},
            notes=tuple(str(note) for note in about["notes"]),
        )
    except Exception as error:  # whatever is wrong inside, it is the file that has to be replaced
        raise VoicepressError(
            "bad-voice-pack", f"this is no voice pack that can be used: {str(error)[:200]}", file=path,
            hint="make it again with 'voicepress voices add'",
        ) from error  # fmt: skip


def _check(tensors: Mapping[str, Any], ratio: int) -> None:
    expected = {"tokens", "mel", "speaker"}
    if set(tensors) != expected:
        raise ValueError(f"it holds {', '.join(sorted(tensors))}; expected {', '.join(sorted(expected))}")
    tokens, mel, speaker = tensors["tokens"], tensors["mel"], tensors["speaker"]
    if tokens.dtype != np.int32 or tokens.ndim != 1 or not len(tokens) or tokens.min() < 0:
        raise ValueError(f"tokens of shape {tokens.shape} {tokens.dtype}; expected int32 codes from 0 on")
    for name, value, shape in (("mel", mel, (ratio * len(tokens), 80)), ("speaker", speaker, (SPEAKER_SIZE,))):
        if value.shape != shape or value.dtype != np.float32 or not np.isfinite(value).all():
            raise ValueError(f"{name} of shape {value.shape} {value.dtype}; expected finite float32 {shape}")


class Packs:
    """The packs of voices: beside their clips, or made once by ``encoders`` and kept in the cache."""

    def __init__(self, encoders: Encoders, spec: MelConfig = PROMPT_MEL, ratio: int = RATIO) -> None:
        self._encoders = encoders
        self._spec = spec
        self._ratio = ratio
        self._held: dict[tuple[Path, str, bool], VoicePack] = {}

    def of(self, reference: Path, transcript: str, trim: bool = True) -> VoicePack:
        """The pack of a reference: a clip, or a pack itself (``.safetensors``). ``transcript`` wins over the pack's own.

        Errors: no pack is to be had: the clip is unfit, or an encoder is missing.
        """
        key = (reference, transcript, trim)
        if key not in self._held:
            if len(self._held) >= 256:
                self._held.clear()
            self._held[key] = self._find(reference, transcript, trim)
        return self._held[key]

    def available(self, reference: Path) -> bool:
        """Whether ``of`` can be expected to work: a pack, or a clip with its pack beside it or the encoders at hand."""
        return reference.suffix == SUFFIX or self._encoders.present or reference.with_suffix(SUFFIX).is_file()

    def forget(self) -> None:
        """Give back what is held in memory."""
        self._held.clear()
        self._encoders.close()

    def _find(self, reference: Path, transcript: str, trim: bool) -> VoicePack:
        if reference.suffix == SUFFIX:
            pack = load(reference, self._ratio)
        else:
            pack = self._beside(reference) or self._cached(reference, transcript, trim)
        return replace(pack, transcript=transcript or pack.transcript)

    def _beside(self, reference: Path) -> VoicePack | None:
        """The pack that lies beside the clip, if it was made from this very clip."""
        path = reference.with_suffix(SUFFIX)
        if not path.is_file():
            return None
        pack = load(path, self._ratio)
        if pack.clip == sha256_of(require_file(reference, "the reference clip")):
            return pack
        if not self._encoders.present:
            raise VoicepressError(
                "voice-pack-stale", "this voice pack was made from another clip than the one beside it", file=path,
                hint="make it again with 'voicepress voices add' on a machine that has the two encoder models",
            )  # fmt: skip
        log.warning("%s was made from another clip than the one beside it; the clip is encoded anew", path)
        return None

    def _cached(self, reference: Path, transcript: str, trim: bool) -> VoicePack:
        tokenizer, speaker = self._encoders.files()
        made_from = {
            "format": FORMAT,
            "clip": sha256_of(require_file(reference, "the reference clip")),
            "encoders": [sha256_cached(tokenizer), sha256_cached(speaker)],
            "spec": repr(self._spec),
            "trim": trim,
        }
        path = places.cache() / "voice-packs" / f"{digest(made_from)}{SUFFIX}"
        if path.is_file():
            try:
                return load(path, self._ratio)
            except VoicepressError as error:
                log.warning("a damaged voice pack in the cache is made again: %s", error.what)
        pack = make(reference, transcript, self._encoders, self._spec, trim, self._ratio)
        for note in pack.notes:
            log.warning("reference clip %s: %s", reference.name, note)
        pack = replace(pack, transcript="", notes=())  # they belong to the voice; another may have the same clip
        try:
            save(pack, path)
        except VoicepressError as error:
            log.warning("the voice pack could not be kept: %s", error.what)
        return pack


def _safetensors() -> Any:
    _safetensors_package()
    import safetensors.numpy  # type: ignore[import-not-found, unused-ignore]

    return safetensors.numpy


def _safetensors_package() -> Any:
    try:
        import safetensors  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise VoicepressError(
            "package-missing", "the package safetensors is not installed", hint="pip install 'voicepress[cosyvoice3]'"
        ) from error
    return safetensors
