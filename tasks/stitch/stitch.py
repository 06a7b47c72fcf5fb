"""Takes in, one chapter out: laid, levelled, written, with its timeline.

Contract: the same parts give the same bytes. The whole chapter is one pydub segment over one buffer (joining segment by
segment would copy the chapter once a line), cut by samples, never by milliseconds. One linear gain brings it to the
preset's aim; a limiter takes off peaks where the ceiling asks for it (``tasks.stitch.master``). Nothing is clipped. Three
hours at 24 kHz take about 1.3 GB of memory.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from common import files
from common.errors import VoicepressError
from tasks.domain import Part, StitchedChapter, Take, Timeline
from tasks.stitch import timeline as timelines
from tasks.stitch.lay import FULL_SCALE, lay
from tasks.stitch.mastering import Mastering
from tasks.stitch.pauses import Pauses
from tasks.stitch.timeline import audio_path, existing, fingerprint_of
from tasks.stitch.trim import Samples

_BLOCK = 1 << 18
_PCM24 = 1 << 23


def stitch_chapter(
    number: int,
    title: str,
    volume: str,
    parts: Sequence[Part],
    samples_of: Callable[[Take], Samples],
    pauses: Pauses,
    mastering: Mastering,
    folder: Path,
    fade_ms: int = 15,
) -> StitchedChapter:
    """Write ``folder/001.flac`` (24 bit, mono) and ``001.timeline.json``; do nothing if they stand already.

    ``samples_of`` gives a take's float32 samples ``(take.samples,)`` at the engine's level (its ``scale`` applied).
    Cues are the audible spans: from the end of one to the start of the next it is exactly the pause asked for. Raises
    ``VoicepressError``: ``chapter-silent`` (nothing can be heard), ``take-damaged``, ``too-loud``, and those of writing.
    """
    fingerprint = fingerprint_of(number, title, volume, parts, pauses, mastering, fade_ms)
    if (made := existing(folder, number, fingerprint)) is not None:
        return made
    pauses = mastering.pauses(pauses)
    laid = lay(parts, samples_of, pauses, fade_ms / 1000.0) if parts else None
    if laid is None:
        raise VoicepressError(
            "chapter-silent", f"chapter {number} ({title or 'without title'}) has nothing that can be heard",
            hint="look at its script: are all lines left out or empty?",
        )  # fmt: skip
    from common.loudness import integrated_lufs, true_peak_dbtp
    from tasks.stitch.master import settle

    count, rate = len(laid.buffer), laid.rate
    chapter = _segment(laid.buffer, rate)

    def raw(start: int, stop: int) -> npt.NDArray[np.float64]:
        return laid.buffer[start:stop] / float(FULL_SCALE)

    level = settle(raw, count, rate, mastering)

    def pcm24(start: int, stop: int) -> npt.NDArray[np.int32]:
        louder = chapter.get_sample_slice(start, stop).apply_gain(level.gain_db)
        values = np.frombuffer(louder.raw_data, dtype=np.int32)
        finished = level.finish(values / float(FULL_SCALE), start, stop)
        return np.rint(finished * _PCM24).astype(np.int32)

    def finished(start: int, stop: int) -> npt.NDArray[np.float64]:
        return pcm24(start, stop) / float(_PCM24)

    audio = audio_path(folder, number)
    files.sweep(folder)
    with files.replacing(audio) as temporary:
        write_flac(temporary, pcm24, count, rate)
    stitched = StitchedChapter(
        number=number,
        title=title,
        audio=audio,
        timeline=Timeline(number, title, rate, count, laid.cues),
        fingerprint=fingerprint,
        gain_db=level.gain_db,
        loudness_lufs=round(integrated_lufs(finished, count, rate), 3),
        true_peak_dbtp=round(true_peak_dbtp(finished, count), 3),
        volume=volume,
        limited_db=round(level.limited_db, 3),
        limited_share=round(level.limited_share, 5),
    )
    timelines.write(stitched)
    return stitched


def write_flac(path: Path, pcm24: Callable[[int, int], npt.NDArray[np.int32]], samples: int, rate: int) -> None:
    """Write ``samples`` mono 24-bit samples, read block by block; raises ``OSError`` as the disk gave it."""
    import soundfile

    with open(path, "w+b") as target:
        sink = _Sink(target)
        try:
            with soundfile.SoundFile(sink, "w", rate, 1, subtype="PCM_24", format="FLAC") as flac:
                for start in range(0, samples, _BLOCK):
                    if sink.error is not None:
                        break
                    block = pcm24(start, min(samples, start + _BLOCK))
                    flac.write(np.left_shift(block, 8))
        except (RuntimeError, AssertionError) as error:  # soundfile only says that something went wrong
            if sink.error is None:
                raise VoicepressError(
                    "cannot-write", f"cannot write sound: {error}", file=path, hint="look at the disk"
                ) from error
        if sink.error is not None:
            raise sink.error
        target.flush()
    written = soundfile.info(str(path)).frames
    if written != samples:
        raise VoicepressError(
            "cannot-write", f"{written} of {samples} samples were written", file=path, hint="run again"
        )


class _Sink:
    """A file for libsndfile that remembers what went wrong: errors cannot pass through its C code."""

    def __init__(self, target: Any) -> None:
        self._target = target
        self.error: OSError | None = None

    def write(self, data: bytes) -> int:
        if self.error is not None:
            return 0
        try:
            return int(self._target.write(data))
        except OSError as error:
            self.error = error
            return 0

    def seek(self, offset: int, whence: int = 0) -> int:
        try:
            return int(self._target.seek(offset, whence))
        except OSError as error:
            self.error = self.error or error
            return -1

    def tell(self) -> int:
        return int(self._target.tell())

    def read(self, size: int = -1) -> bytes:
        return bytes(self._target.read(size))

    def flush(self) -> None:
        return


def _segment(buffer: npt.NDArray[np.int32], rate: int) -> Any:
    """The whole buffer as one pydub segment, without a copy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pydub looks for an ffmpeg that it will not need here
        from pydub import AudioSegment
    return AudioSegment(data=buffer.data.cast("B"), sample_width=4, frame_rate=rate, channels=1)
