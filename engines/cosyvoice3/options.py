"""What a book may ask of this engine under ``engine: {extra: …}``, checked, and what a budget of GPU memory buys.

Contract: an unknown or wrong setting is an error that names it. ``sound`` lists the settings that change what is heard;
they are part of the engine's fingerprint.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator

from common.errors import VoicepressError
from common.yamlio import Strict

DType = Literal["auto", "float32", "bfloat16"]


class Settings(Strict):
    """``engine.extra`` of a book.

    ``llm``: the language model's file, ``llm.rl.pt`` for the variant after reinforcement learning. ``dtype``: of the
    language model and the flow; ``auto`` is bfloat16 on a GPU, float32 on a CPU. ``quantise``: int8 weights for the
    language model. ``candidates``: takes decoded for every line, of which one is rendered. ``idle_minutes``: after so
    long without work the models are given back, 0 never. ``prompt_seconds``: how much of a clip the flow hears at
    most, 0 all. ``flow_steps``: Euler steps, 10 as in training. ``min_length``: ``reference`` lets a line end before
    its least length as the released code does, ``strict`` does not. ``compile``: let torch compile what it can.
    """

    llm: Annotated[str, Field(pattern=r"^[\w.\-]+$")] = "llm"
    dtype: DType = "auto"
    quantise: Literal["none", "int8"] = "none"
    candidates: Annotated[int, Field(ge=1, le=16)] = 1
    window_seconds: tuple[float, float] | None = None
    idle_minutes: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 15.0
    prompt_seconds: Annotated[float, Field(ge=0, le=30)] = 0.0
    flow_steps: Annotated[int, Field(ge=1, le=100)] = 10
    min_length: Literal["reference", "strict"] = "reference"
    compile: bool = False

    @field_validator("window_seconds")
    @classmethod
    def _window_is_one(cls, window: tuple[float, float] | None) -> tuple[float, float] | None:
        if window is not None and not 0 <= window[0] <= window[1] < float("inf"):
            raise ValueError("give two numbers of seconds, the smaller one first")
        return window

    def sound(self, device: str) -> dict[str, Any]:
        """The settings that change the sound, as plain data."""
        return {
            "dtype": self.dtype_on(device),
            "quantise": self.quantise,
            "candidates": self.candidates,
            "window_seconds": list(self.window_seconds) if self.window_seconds else [],
            "prompt_seconds": self.prompt_seconds,
            "flow_steps": self.flow_steps,
            "min_length": self.min_length,
        }

    def dtype_on(self, device: str) -> str:
        if self.dtype != "auto":
            return self.dtype
        return "float32" if device == "cpu" else "bfloat16"


def settings_of(extra: Mapping[str, Any]) -> Settings:
    """``extra`` checked."""
    try:
        return Settings.model_validate(dict(extra))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(step) for step in first["loc"])
        if first["type"] == "extra_forbidden":
            near = difflib.get_close_matches(name, Settings.model_fields, n=1, cutoff=0.5)
            what = f"the engine cosyvoice3 has no setting '{name}'"
            hint = (
                f"did you mean '{near[0]}'?" if near else f"known settings: {', '.join(sorted(Settings.model_fields))}"
            )
        else:
            what = (
                f"the engine cosyvoice3: {first['msg'].removeprefix('Value error, ')} (given: {first.get('input')!r})"
            )
            hint = "mend the value"
        raise VoicepressError("bad-config", what, key=f"engine.extra.{name}", hint=hint) from error


@dataclass(frozen=True, slots=True)
class Budget:
    """How much is worked on at once. ``lines``: sequences that the language model decodes side by side; ``positions``:
    what its cache holds of each, prefix and speech; ``flow_frames`` and ``vocoder_frames``: padded mel frames in one pass
    of each, ``None`` for what suits the device."""

    lines: int
    positions: int
    flow_frames: int | None = None
    vocoder_frames: int | None = None


PRESETS: dict[int, Budget] = {
    4: Budget(8, 1536, 3_000, 1_500),
    6: Budget(16, 2048, 6_000, 3_000),
    8: Budget(32, 2048, 10_000, 6_000),
    12: Budget(64, 2560, 16_000, 10_000),
    24: Budget(96, 3072, 32_000, 24_000),
}
"""By GB of GPU memory. Estimated for the released sizes in bfloat16: weights and CUDA take about 2.5 GB, a position of
the cache 12 kB, a frame of the flow at most 100 kB (two rows of it for guidance) and one of the vocoder 400 kB."""
ON_CPU = Budget(8, 3072)
ON_GPU = PRESETS[24]


def budget_for(device: str, vram_gb: float | None) -> Budget:
    """The largest preset that fits into ``vram_gb``. Error: less than the smallest preset.

    The lines decoded side by side have a say in a line's last digits, so what happens to be free at the moment has none
    in their number.
    """
    if device == "cpu":
        return ON_CPU
    if vram_gb is None:
        return ON_GPU
    fitting = [size for size in PRESETS if size <= vram_gb]
    if not fitting:
        raise VoicepressError(
            "vram-too-small", f"{vram_gb:g} GB of GPU memory are too little; at least {min(PRESETS)} are needed",
            key="engine.vram_gb", hint="allow more, or write device: cpu",
        )  # fmt: skip
    return PRESETS[max(fitting)]
