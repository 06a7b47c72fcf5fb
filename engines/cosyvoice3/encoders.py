"""The two ONNX models that listen to a reference clip: the speech tokenizer and the speaker encoder.

Contract: needed only to make a voice pack; afterwards their files may be absent. A session is opened by the first use
and kept until ``close``. One thread by default, so that the same clip gives the same numbers on every machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from common.errors import VoicepressError
from common.files import sha256_of
from engines.cosyvoice3.audio import Array

TOKENIZERS = ("speech_tokenizer_v3.onnx", "speech_tokenizer_v3.batch.onnx")
"""File names of the speech tokenizer; the second does the same for batches and serves as well."""
SPEAKER = "campplus.onnx"
LONGEST_SECONDS = 30.0
CODES = 6561
SPEAKER_SIZE = 192

Tokens = npt.NDArray[np.int32]


class Encoders:
    """The encoders in ``folder`` (a model directory)."""

    def __init__(self, folder: Path, threads: int = 1, codes: int = CODES) -> None:
        self.folder, self.codes = folder, codes
        self._threads = threads
        self._sessions: dict[str, Any] = {}

    @property
    def present(self) -> bool:
        """Whether both files are there."""
        return tokenizer_file(self.folder) is not None and (self.folder / SPEAKER).is_file()

    def files(self) -> tuple[Path, Path]:
        """The two files; an error names the one that is missing."""
        tokenizer = tokenizer_file(self.folder)
        if tokenizer is None:
            raise _missing(self.folder / TOKENIZERS[0], "the speech tokenizer")
        if not (self.folder / SPEAKER).is_file():
            raise _missing(self.folder / SPEAKER, "the speaker encoder")
        return tokenizer, self.folder / SPEAKER

    def checksums(self) -> dict[str, str]:
        """SHA-256 of both files, by role."""
        tokenizer, speaker = self.files()
        return {"tokenizer": sha256_of(tokenizer), "speaker": sha256_of(speaker)}

    def speech_tokens(self, whisper_mel: Array) -> Tokens:
        """Tokens ``(n,)`` at 25 Hz, 0..6560, of a Whisper mel ``(128, frames)`` of at most 30 s."""
        frames = whisper_mel.shape[1]
        if frames > LONGEST_SECONDS * 100:
            raise VoicepressError(
                "clip-too-long", f"the reference clip is {frames / 100:.1f} s long; at most {LONGEST_SECONDS:.0f} s are heard",
                hint="cut it to 3-12 s of one voice",
            )  # fmt: skip
        path = self.files()[0]
        session = self._session(path)
        kinds = {one.name: one.type for one in session.get_inputs()}
        self._expect(path, set(kinds), {"feats", "feats_length"})
        length = np.array([frames], np.int64 if "int64" in kinds["feats_length"] else np.int32)
        given = session.run(None, {"feats": whisper_mel[None].astype(np.float32), "feats_length": length})[0]
        tokens = np.asarray(given).reshape(-1).astype(np.int32)
        if not len(tokens) or tokens.min() < 0 or tokens.max() >= self.codes:
            raise VoicepressError(
                "wrong-model-file", f"the speech tokenizer gave {len(tokens)} tokens that are not codes of 0..{self.codes - 1}",
                file=path, hint="download this file again",
            )  # fmt: skip
        return tokens

    def speaker(self, features: Array) -> Array:
        """The speaker vector ``(192,)`` of a mean-free filter bank ``(frames, 80)``; not normalised."""
        path = self.files()[1]
        session = self._session(path)
        self._expect(path, {one.name for one in session.get_inputs()}, {"input"})
        vector = np.asarray(session.run(None, {"input": features[None].astype(np.float32)})[0], np.float32).reshape(-1)
        if vector.shape != (SPEAKER_SIZE,) or not np.isfinite(vector).all():
            raise VoicepressError(
                "wrong-model-file", f"the speaker encoder gave a vector of {vector.size} numbers, not {SPEAKER_SIZE} finite ones",
                file=path, hint="download this file again",
            )  # fmt: skip
        return vector

    def close(self) -> None:
        """Forget the sessions (about 1 GB for the released tokenizer)."""
        self._sessions.clear()

    def _session(self, path: Path) -> Any:
        if path.name not in self._sessions:
            import onnxruntime

            onnxruntime.set_default_logger_severity(3)
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self._threads
            options.inter_op_num_threads = 1
            options.enable_cpu_mem_arena = False  # a voice is encoded once: no reason to keep its memory
            try:
                self._sessions[path.name] = onnxruntime.InferenceSession(
                    str(path), options, providers=["CPUExecutionProvider"]
                )
            except Exception as error:  # onnxruntime's errors share no public base
                raise VoicepressError(
                    "wrong-model-file", f"this is no ONNX model that can be loaded: {str(error)[:200]}", file=path,
                    hint="download this file again",
                ) from error  # fmt: skip
        return self._sessions[path.name]

    @staticmethod
    def _expect(path: Path, found: set[str], wanted: set[str]) -> None:
        if found != wanted:
            raise VoicepressError(
                "wrong-model-file", f"its inputs are {', '.join(sorted(found))}; expected {', '.join(sorted(wanted))}",
                file=path, hint="take this file from the released model directory",
            )  # fmt: skip


def tokenizer_file(folder: Path) -> Path | None:
    """The speech tokenizer in ``folder``, if there is one."""
    return next((folder / name for name in TOKENIZERS if (folder / name).is_file()), None)


def _missing(path: Path, what: str) -> VoicepressError:
    return VoicepressError(
        "model-file-missing", f"{what} is needed to make a voice from a clip and is not there", file=path,
        hint="copy it from the released model directory, or bring a voice pack (.safetensors) made elsewhere",
    )  # fmt: skip
