"""The take store: every recording once, found again by what was said and how.

Contract: a take's key is a hash of everything that changes the sound. A take is two files, ``takes/ab/abcd….flac``
and ``abcd….json`` beside it; the sidecar is written last and names the size and SHA-256 of the sound, so that
whatever is killed when, a take is whole or it is a miss. Several processes may write and read the same store: the
two files of a take change under a lock, and equal samples give equal bytes. Samples are stored as 24-bit integers;
a peak above full scale is scaled down and the factor kept, never clipped.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from common.errors import VoicepressError
from common.files import as_user_error, digest, make_folder, replacing, sweep
from engines.base import Engine, Samples, Speech, SpeechError, Utterance, Voice
from tasks.domain import SCHEMA, Take, TakeMark

_FULL_SCALE = 2**23
_TOP = (_FULL_SCALE - 1) / _FULL_SCALE
"""The highest sample that 24 bits hold."""


class TakeStore:
    """Takes under ``root`` (the folder ``takes``). Creating a store touches no disk."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def key_for(self, utterance: Utterance, engine: Engine) -> str:
        """32 hexadecimal digits: what is said, by which voice, how, by which engine."""
        return digest(
            {
                "schema": SCHEMA,
                "text": utterance.text,
                "language": utterance.language,
                "readings": [[index, phones] for index, phones in utterance.readings],
                "voice": _content_of(utterance.voice),
                "style": utterance.style,
                "speed": round(float(utterance.speed), 4),
                "seed": utterance.seed,
                "take": utterance.take,
                "engine": engine.name,
                "fingerprint": engine.fingerprint(),
                **_choice_of(utterance),
            }
        )

    def paths(self, key: str) -> tuple[Path, Path]:
        """Where the sound and the sidecar of ``key`` lie."""
        folder = self.root / key[:2]
        return folder / f"{key}.flac", folder / f"{key}.json"

    def get(self, key: str, *, verify: bool = False) -> Take | None:
        """The take, or ``None`` where it is missing, half-written or damaged.

        The quick look compares the sound file's size with the sidecar; ``verify`` hashes the sound as well.
        """
        sound, sidecar = self.paths(key)
        try:
            with open(sidecar, "rb") as source:
                meta = json.loads(source.read())
            if os.stat(sound).st_size != meta["flac_bytes"]:
                return None
            take = _take_of(key, sound, meta)
            if verify and hashlib.sha256(sound.read_bytes()).hexdigest() != meta["flac_sha256"]:
                return None
            return take
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(
        self, key: str, speech: Speech, sample_rate: int, meta: Mapping[str, Any] | None = None
    ) -> Take | SpeechError:
        """Store ``speech`` under ``key`` and give the take; ``meta`` is kept in the sidecar (plain data).

        Samples that are no sound (none at all, NaN, infinite, not one channel) are refused as a ``SpeechError``. A full
        disk or a folder that cannot be written to is a ``VoicepressError``, and an earlier take stays.
        """
        if refusal := _refuse(speech):
            return refusal
        data, scale = encode(speech.samples, sample_rate)
        sidecar_meta = {
            **(meta or {}),
            "schema": SCHEMA,
            "key": key,
            "flac_bytes": len(data),
            "flac_sha256": hashlib.sha256(data).hexdigest(),
            "sample_rate": int(sample_rate),
            "samples": len(speech.samples),
            "scale": scale,
            "stop": speech.stop,
            "notes": list(speech.notes),
            "timings": {stage: round(float(seconds), 6) for stage, seconds in speech.timings.items()},
            "marks": [[mark.start_char, mark.end_char, mark.start, mark.end] for mark in speech.marks],
            "recorded_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        row = json.dumps(sidecar_meta, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
        sound, sidecar = self.paths(key)
        with self._changing(key):
            _replace_both(sound, data, sidecar, row.encode("utf-8"))
        return _take_of(key, sound, json.loads(row))

    def samples(self, take: Take) -> Samples:
        """Float32 ``(samples,)`` at the engine's level, every one of them as recorded.

        A sound that is no longer what was stored is an error, and its sidecar is removed: the take is a miss from then
        on and recorded again by the next run.
        """
        try:
            data = take.path.read_bytes()
        except OSError:
            data = b""
        if hashlib.sha256(data).hexdigest() != take.meta.get("flac_sha256"):
            self.discard(take.key)
            raise VoicepressError(
                "take-damaged", "this recording is damaged or gone", file=take.path,
                hint="run the same command again: it is recorded anew",
            )  # fmt: skip
        return decode(data, take.scale)

    def discard(self, key: str) -> None:
        """Make ``key`` a miss. The sound itself stays until another takes its place."""
        _, sidecar = self.paths(key)
        try:
            sidecar.unlink(missing_ok=True)
        except OSError as error:
            raise as_user_error(error, sidecar) from error

    def sweep(self, older_than_seconds: float = 3600.0) -> int:
        """Remove temporary files that killed processes left behind; how many there were."""
        return sum(sweep(folder, older_than_seconds) for folder in self.root.glob("*") if folder.is_dir())

    @contextmanager
    def _changing(self, key: str) -> Iterator[None]:
        """Alone in changing the takes of ``key``'s folder; a killed process leaves no lock behind."""
        from filelock import FileLock

        folder = make_folder(self.root / key[:2])
        lock = FileLock(folder / ".lock")
        try:
            lock.acquire()
        except OSError as error:
            raise as_user_error(error, folder) from error
        try:
            yield
        finally:
            lock.release()


def decode(data: bytes, scale: float) -> Samples:
    """Float32 samples of a stored sound."""
    import soundfile

    samples: Samples = soundfile.read(io.BytesIO(data), dtype="float32")[0]
    if scale != 1.0:
        samples *= np.float32(scale)
    return samples


def encode(samples: Samples, sample_rate: int) -> tuple[bytes, float]:
    """A FLAC file of 24 bits and the factor that brings its samples back to their level. Equal samples, equal bytes."""
    import soundfile

    peak = float(np.max(np.abs(samples)))
    scale = 1.0 if peak <= _TOP else peak / _TOP
    if scale == 1.0:  # a power of two changes no digit, so that float32 is exact here, and half as much to move
        steps = samples.astype(np.float32, copy=False) * np.float32(_FULL_SCALE)
    else:
        steps = samples.astype(np.float64) * (_FULL_SCALE / scale)
    stored = np.rint(steps, out=steps).astype(np.int32)
    stored <<= 8
    target = io.BytesIO()
    # Whole numbers go in, so that no library's own rounding or clipping has a say.
    soundfile.write(target, stored, sample_rate, format="FLAC", subtype="PCM_24")
    return target.getvalue(), scale


def _replace_both(sound: Path, data: bytes, sidecar: Path, row: bytes) -> None:
    # Both files are on disk under temporary names before anything changes: a full disk costs no earlier take. Between
    # the two swaps there is no sidecar at all, so that none ever stands beside another sound than its own.
    with replacing(sidecar) as new_sidecar:
        new_sidecar.write_bytes(row)
        with replacing(sound) as new_sound:
            new_sound.write_bytes(data)
            if sidecar.exists():
                with open(new_sound, "rb") as written:
                    os.fsync(written.fileno())
                sidecar.unlink(missing_ok=True)


def _refuse(speech: Speech) -> SpeechError | None:
    samples = speech.samples
    if samples.ndim != 1:
        return SpeechError("engine-fault", f"the engine gave samples of shape {samples.shape}, not one channel")
    if not len(samples):
        return SpeechError("engine-fault", "the engine gave no samples")
    if not np.isfinite(samples).all():
        bad = int(np.count_nonzero(~np.isfinite(samples)))
        return SpeechError("engine-fault", f"the engine gave {bad} samples that are no numbers")
    return None


def _choice_of(utterance: Utterance) -> dict[str, Any]:
    # Only where asked for, so that the keys of all other takes stay what they were.
    choice: dict[str, Any] = {"split": utterance.split} if utterance.split else {}
    if utterance.window_seconds is not None or utterance.candidates:
        choice |= {"window_seconds": list(utterance.window_seconds or ()), "candidates": utterance.candidates}
    return choice


def _content_of(voice: Voice) -> str:
    # A voice made by hand may lack a content hash; what its engine reads of it stands in.
    return voice.content or digest([voice.id, voice.engine, voice.language, dict(voice.params), voice.transcript])


def _take_of(key: str, sound: Path, meta: Mapping[str, Any]) -> Take:
    if meta["schema"] != SCHEMA or meta["key"] != key:
        raise ValueError("the sidecar is of another schema or key")
    return Take(
        key=key,
        path=sound,
        sample_rate=int(meta["sample_rate"]),
        samples=int(meta["samples"]),
        scale=float(meta["scale"]),
        marks=tuple(TakeMark(*row) for row in meta["marks"]),
        meta=meta,
    )
