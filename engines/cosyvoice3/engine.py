"""CosyVoice3 as an engine: a released model directory, cloned voices, one GPU (or a patient CPU).

Contract: ``engines.base.Engine``. Importing and constructing are light: torch is imported and models are loaded by the
first ``speak``. The samples of an utterance depend on the utterance, the model's files and the settings in the
fingerprint; beside whom it is said has no say (on a GPU but for rounding). Idle models are given back after a while.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.errors import VoicepressError
from common.files import digest
from engines import memory
from engines.base import EngineOptions, Finding, Honour, Limits, Speech, SpeechError, Utterance, Voice
from engines.cosyvoice3.checksums import sha256_cached
from engines.cosyvoice3.files import TEXT_FILES, find_weights
from engines.cosyvoice3.options import budget_for, settings_of

if TYPE_CHECKING:
    from engines.cosyvoice3.config import ModelConfig
    from engines.cosyvoice3.pack import Packs
    from engines.cosyvoice3.runtime import Runtime

log = logging.getLogger(__name__)

NAME = "cosyvoice3"
VERSION = 1
"""Version of what this runtime does with the model; part of the fingerprint. Raise it when the sound changes."""
RATE = 24_000
FOLDER_VARIABLE = "VOICEPRESS_COSYVOICE3"
"""Names the model directory where no book does."""
LANGUAGES = ("zh", "en", "ja", "ko", "de", "es", "fr", "it", "ru")


class CosyVoice3Engine:
    """``options.model_dir``: the released directory; ``device``: cpu, cuda, cuda:1 or auto; ``vram_gb``: at most so much of
    the GPU; ``workers``: threads on the CPU; ``extra``: see ``engines.cosyvoice3.options.Settings``."""

    def __init__(self, options: EngineOptions) -> None:
        self._settings = settings_of(options.extra)
        self._options = options
        self._folder = model_folder(options.model_dir)
        self._runtime: Runtime | None = None
        self._packs_held: Packs | None = None
        self._working = threading.RLock()
        self._timer: threading.Timer | None = None
        self._known: tuple[tuple[Any, ...], str] | None = None
        budget_for("cuda:0", options.vram_gb)  # a budget too small for any card is an error now
        memory.ask_for_expandable_segments()

    @property
    def name(self) -> str:
        return NAME

    @cached_property
    def device(self) -> str:
        """``cpu`` or ``cuda:N``. Error: a device that is not there."""
        return memory.choose_device(self._options.device)

    @property
    def limits(self) -> Limits:
        lines = budget_for(self.device, self._options.vram_gb).lines
        # Twice what is decoded side by side: as lines end, others take their places.
        return Limits(
            sample_rate=RATE, max_chars=180, batch=2 * lines, languages=LANGUAGES, phonetic="inline", deterministic=False
        )  # fmt: skip

    @property
    def resource(self) -> str:
        return self.device.replace(":", "-")

    def fingerprint(self) -> str:
        """Version, checksums of the model's files, settings that change the sound. The two encoders have no part in it:
        what they made of a clip is in the voice pack, which may be used without them."""
        files = [find_weights(self._folder, name) for name in (self._settings.llm, "flow", "hift")]
        files += [self._folder / "cosyvoice3.yaml"]
        files += [self._folder / "CosyVoice-BlankEN" / name for name in TEXT_FILES]
        state = tuple(_signature(path) for path in files)
        if self._known is None or self._known[0] != state:
            budget = budget_for(self.device, self._options.vram_gb)
            sums = [[path.name, sha256_cached(path)] for path in files]
            made = digest(
                {"files": sums, "sound": self._settings.sound(self.device), "lines": budget.lines, "room": budget.positions}, 24
            )  # fmt: skip
            self._known = (
                state,
                f"cosyvoice3-{VERSION} {sums[0][1][:12]} {self._settings.dtype_on(self.device)} {made}",
            )
        return self._known[1]

    def accepts(self, voice: Voice) -> str:
        if voice.engine != NAME or voice.reference is None:
            made_for = "" if voice.engine == NAME else f" and was made for the engine {voice.engine}"
            return (
                f"cosyvoice3 speaks with the voice of a reference clip, and the voice '{voice.id}' has none{made_for}; make one"
                " with 'voicepress voices add CLIP.wav --text \"what the clip says\" --id NAME' and name it in the cast"
            )
        mode = voice.params.get("mode", "")
        if mode not in ("", "zero_shot", "cross_lingual"):
            return f"the voice '{voice.id}' asks for mode '{mode}'; known are zero_shot and cross_lingual"
        if mode == "zero_shot" and not voice.transcript and voice.reference.suffix != ".safetensors":
            return f"the voice '{voice.id}' asks for mode zero_shot and has no transcript; add what its clip says"
        if not self._packs().available(voice.reference):
            return (
                f"the voice '{voice.id}' has a clip, but neither a voice pack beside it nor are the two encoders"
                f" (speech_tokenizer_v3.onnx, campplus.onnx) in {self._folder}; bring either of them"
            )
        return ""

    def honours(self, style: str) -> Honour:
        from engines.cosyvoice3 import prompt

        return prompt.honours(style)

    def prepare(self) -> None:
        with self._working:
            self._load()

    def speak(self, batch: Sequence[Utterance]) -> list[Speech | SpeechError]:
        with self._working:
            self._rest()
            refused = {place: why for place, one in enumerate(batch) if (why := self.accepts(one.voice))}
            runtime = self._load()
            try:
                said = iter(runtime.speak([one for place, one in enumerate(batch) if place not in refused]))
            finally:
                self._wake_later()
            return [
                SpeechError("engine-fault", refused[place]) if place in refused else next(said)
                for place in range(len(batch))
            ]

    def clean(self) -> None:
        if self._runtime is not None:
            memory.clean_up(self.device)
            memory.log_memory(self.device)

    def close(self) -> None:
        with self._working:
            self._rest()
            loaded = self._runtime is not None
            self._runtime = None
            if self._packs_held is not None:
                self._packs_held.forget()
            if loaded:
                memory.clean_up(self.device)

    def doctor(self) -> list[Finding]:
        from engines.cosyvoice3.doctor import findings

        return findings(self._folder, self._options, self._settings)

    # ---------------------------------------------------------------- inside

    def _load(self) -> Runtime:
        if self._runtime is None:
            device = self.device
            try:
                import torch

                from engines.cosyvoice3.runtime import Runtime
            except ModuleNotFoundError as error:
                if error.name not in ("torch", "safetensors", "tokenizers"):
                    raise
                raise VoicepressError(
                    "package-missing", f"the engine cosyvoice3 needs the package {error.name}, which is not installed",
                    hint="pip install 'voicepress[cosyvoice3]'",
                ) from error  # fmt: skip
            if device == "cpu" and self._options.workers:
                torch.set_num_threads(self._options.workers)
            memory.limit_vram(device, self._options.vram_gb)
            budget = budget_for(device, self._options.vram_gb)
            self._runtime = Runtime(self._folder, self._config, self._settings, budget, device, self._packs())
            log.info("cosyvoice3 is loaded from %s onto %s", self._folder, device)
            memory.log_memory(device)
        return self._runtime

    @cached_property
    def _config(self) -> ModelConfig:
        from engines.cosyvoice3.config import load_config

        return load_config(self._folder)

    def _packs(self) -> Packs:
        if self._packs_held is None:
            from engines.cosyvoice3.encoders import Encoders
            from engines.cosyvoice3.pack import Packs

            config = self._config
            encoders = Encoders(self._folder, codes=config.lm.speech_tokens)
            self._packs_held = Packs(encoders, config.mel, config.token_mel_ratio)
        return self._packs_held

    def _wake_later(self) -> None:
        """Give the models back once nothing has been said for ``idle_minutes``."""
        if self._settings.idle_minutes > 0:
            self._timer = threading.Timer(self._settings.idle_minutes * 60, self._idle)
            self._timer.daemon = True
            self._timer.start()

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _idle(self) -> None:
        with self._working:
            if self._timer is threading.current_thread():  # otherwise work has begun anew meanwhile
                log.info("cosyvoice3 was idle for %g minutes and gives its memory back", self._settings.idle_minutes)
                self.close()


def model_folder(given: Path | None) -> Path:
    """The model directory, absolute. Errors: none named, or none there."""
    named = given or (Path(chosen) if (chosen := os.environ.get(FOLDER_VARIABLE)) else None)
    if named is None:
        raise VoicepressError(
            "no-model", "the engine cosyvoice3 needs the released model's directory", key="engine.model_dir",
            hint=f"write engine: {{name: cosyvoice3, model_dir: …}}, or let {FOLDER_VARIABLE} name it",
        )  # fmt: skip
    folder = named.expanduser().absolute()
    if not folder.is_dir():
        raise VoicepressError(
            "no-model", "the model directory does not exist", file=folder, key="engine.model_dir",
            hint="download Fun-CosyVoice3-0.5B-2512 and name its folder",
        )  # fmt: skip
    return folder


def _signature(path: Path) -> tuple[str, int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise VoicepressError(
            "no-model", f"the model directory has no {path.name}", file=path, hint="complete the download"
        ) from error
    return str(path), status.st_size, status.st_mtime_ns


__all__ = ["FOLDER_VARIABLE", "LANGUAGES", "NAME", "VERSION", "CosyVoice3Engine", "model_folder"]
