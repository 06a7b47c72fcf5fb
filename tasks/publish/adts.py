"""Counting the frames of an AAC stream in ADTS form (ISO/IEC 14496-3, 1.A.3.2).

Contract: chapters are encoded one by one, side by side, and their streams are put end to end. A frame holds exactly
1024 samples, so the count of frames says exactly where the next chapter begins.
"""

from __future__ import annotations

from pathlib import Path

FRAME_SAMPLES = 1024
PRIMING_SAMPLES = 1024
"""ffmpeg's encoder delays its input by one frame: a stream's own first sample sounds one frame after its start."""


def count_frames(path: Path) -> int | None:
    """How many frames ``path`` holds, or ``None`` if it is not whole ADTS."""
    data = path.read_bytes()
    at, frames = 0, 0
    while at < len(data):
        if at + 7 > len(data) or data[at] != 0xFF or data[at + 1] & 0xF6 != 0xF0:
            return None
        length = (data[at + 3] & 0x03) << 11 | data[at + 4] << 3 | data[at + 5] >> 5
        if length < 7:
            return None
        frames += 1 + (data[at + 6] & 0x03)
        at += length
    return frames if at == len(data) and frames else None
