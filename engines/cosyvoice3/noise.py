"""The fixed noise every utterance starts from, drawn by the recipe that the model was trained and released with.

Contract: the released model keeps no noise in its files; it is what a generator seeded with 0 yields at certain points
while the model is built. The same draws are made here in the same order, from a generator of our own (the process's
global one is not touched), without building anything. Uniform draws are equal to the last bit on every CPU; normal
draws may differ in the last bit between instruction sets. Only as much of the sine noise as was asked for is drawn
and kept: the whole of it would be 259 MB.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING

import torch

from engines.cosyvoice3.config import MEL_BINS

if TYPE_CHECKING:
    from torch import Tensor

FLOW_FRAMES = 15_000
"""Frames of flow noise there are: 300 seconds, the prompt included. A longer line cannot be made."""
SINE_ROWS = 7_200_000
"""Samples of sine noise there are: 300 seconds at 24 kHz."""
HARMONICS = 9
_SEED = 0
_SPEAKER = 192
_GROWTH = 1 << 18


@lru_cache(maxsize=1)
def flow_noise() -> Tensor:
    """The flow's first state, ``(80, 15000)`` float32, the same for every model. Not to be written to."""
    return torch.randn(1, MEL_BINS, FLOW_FRAMES, generator=torch.Generator().manual_seed(_SEED))[0]


class SineNoise:
    """The uniform noise [0, 1) of each sample and harmonic, for a model of the given sizes."""

    def __init__(self, vocabulary: int, f0_channels: int, harmonics: int = HARMONICS) -> None:
        """``vocabulary``: rows of the flow's token embedding; ``f0_channels``: width of the F0 predictor. Both count
        because their first weights were drawn before this noise."""
        self._generator = torch.Generator().manual_seed(_SEED)
        self._lock = threading.Lock()
        torch.empty(1, MEL_BINS, FLOW_FRAMES).normal_(generator=self._generator)
        torch.empty(vocabulary, MEL_BINS).normal_(generator=self._generator)
        self._skip_layer(MEL_BINS, _SPEAKER)
        self._skip_layer(f0_channels, MEL_BINS * 4)
        for _ in range(4):
            self._skip_layer(f0_channels, f0_channels * 3)
        self._skip_layer(1, f0_channels)
        self.first_phase = torch.rand(1, harmonics, generator=self._generator)
        self.first_phase[:, 0] = 0.0
        self._rows = torch.empty(0, harmonics)

    def _skip_layer(self, outputs: int, inputs: int) -> None:
        torch.empty(outputs, inputs).uniform_(generator=self._generator)
        torch.empty(outputs).uniform_(generator=self._generator)

    def rows(self, count: int) -> Tensor:
        """The first ``count`` rows, ``(count, harmonics)`` float32 on the CPU. Not to be written to.

        Errors: ``ValueError`` for more rows than there are.
        """
        if count > SINE_ROWS:
            raise ValueError(f"{count} samples of sine noise were asked for, there are {SINE_ROWS}")
        with self._lock:
            have, harmonics = self._rows.shape
            if have < count:
                wanted = min(SINE_ROWS, -(-count // _GROWTH) * _GROWTH)
                more = torch.rand(wanted - have, harmonics, generator=self._generator)
                self._rows = torch.cat([self._rows, more])
            return self._rows[:count]


__all__ = ["FLOW_FRAMES", "HARMONICS", "SINE_ROWS", "SineNoise", "flow_noise"]
