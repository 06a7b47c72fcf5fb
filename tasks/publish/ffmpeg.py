"""The one door to ffmpeg.

Contract: no shell, no terminal, no network; what ffmpeg says when it fails reaches the user; output is byte-for-byte
reproducible (``EXACT``). ``VOICEPRESS_FFMPEG`` names another binary than the one that comes with imageio-ffmpeg.
Where the output goes to is the caller's business (``common.files.replacing``).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from common.errors import VoicepressError

EXACT = ("-fflags", "+bitexact", "-flags:a", "+bitexact", "-threads", "1")
"""Output options without which ffmpeg writes its version and the time of day into files."""

_LAST_LINES = 8


def find() -> Path:
    """The ffmpeg binary to use; a ``VoicepressError`` (``ffmpeg-missing``) if there is none."""
    chosen = os.environ.get("VOICEPRESS_FFMPEG")
    if chosen:
        found = shutil.which(chosen)
        if found is None:
            raise VoicepressError(
                "ffmpeg-missing", "VOICEPRESS_FFMPEG names no program", file=chosen, hint="correct it or unset it"
            )
        return Path(found)
    import imageio_ffmpeg

    try:
        return Path(imageio_ffmpeg.get_ffmpeg_exe())
    except RuntimeError as error:
        raise VoicepressError(
            "ffmpeg-missing", "there is no ffmpeg for this machine in imageio-ffmpeg",
            hint="install ffmpeg and let VOICEPRESS_FFMPEG name it",
        ) from error  # fmt: skip


def run(arguments: Sequence[str | Path], what: str, feed: Iterable[Path] = ()) -> None:
    """Run ffmpeg with ``arguments``; ``what`` says in an error what was being made.

    The bytes of the files in ``feed``, one after the other, are its standard input (``pipe:0``). Raises
    ``VoicepressError``: ``disk-full``, or ``encoder-failed`` with the last lines of what ffmpeg said.
    """
    with _started(["-y", *arguments], what, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        try:
            for path in feed:
                with open(path, "rb") as source:
                    shutil.copyfileobj(source, process.stdin, 1 << 20)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it stopped early and its exit status says why


@contextmanager
def reading(arguments: Sequence[str | Path], what: str) -> Iterator[IO[bytes]]:
    """What ffmpeg writes to ``pipe:1``, as a stream that shall be read to its end. Errors as in ``run``, at its end."""
    with _started(arguments, what, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield process.stdout
        process.stdout.close()


@contextmanager
def _started(
    arguments: Sequence[str | Path], what: str, *, stdin: int, stdout: int
) -> Iterator[subprocess.Popen[bytes]]:
    """ffmpeg at work: waited for at the end, killed where the body raises, its own failure raised as an error."""
    command = [str(find()), "-nostdin", "-hide_banner", "-loglevel", "error", *(str(a) for a in arguments)]
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=said)
        except OSError as error:
            raise VoicepressError(
                "ffmpeg-missing", f"ffmpeg cannot be started: {error.strerror}", file=command[0],
                hint="let VOICEPRESS_FFMPEG name one that works",
            ) from error  # fmt: skip
        try:
            yield process
            status = process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
        if status:
            raise _failure(said, status, what)


@dataclass(frozen=True, slots=True)
class Second:
    """What ffmpeg's own meters say of a file: filters ``ebur128`` and ``astats``, to tenths."""

    loudness_lufs: float
    true_peak_dbtp: float
    rms_db: float
    peak_dbfs: float


def second_opinion(path: Path) -> Second | None:
    """Measure ``path`` with ffmpeg alone; ``None`` where it says nothing that can be understood."""
    filters = "ebur128=peak=true:framelog=quiet,astats=measure_perchannel=none"
    command = [str(find()), "-nostdin", "-hide_banner", "-i", str(path.absolute()), "-map", "0:a:0", "-af", filters]
    done = subprocess.run([*command, "-f", "null", "-"], capture_output=True, check=False)
    said = done.stderr.decode("utf-8", "replace")
    found = [
        re.findall(pattern, said)
        for pattern in (r"\bI:\s+(-?[\d.]+) LUFS", r"\bPeak:\s+(-?[\d.]+|-inf) dBFS", r"RMS level dB: (-?[\d.]+|-inf)",
                        r"Peak level dB: (-?[\d.]+|-inf)")
    ]  # fmt: skip
    if done.returncode or not all(found):
        return None
    return Second(*(max(-120.0, float(values[-1])) for values in found))


def drain(stream: IO[bytes]) -> None:
    """Read a stream to its end."""
    while stream.read(1 << 20):
        pass


def _failure(said: IO[bytes], status: int, what: str) -> VoicepressError:
    said.seek(0)
    rows = said.read().decode("utf-8", "replace").strip().splitlines()[-_LAST_LINES:]
    if any("No space left on device" in row or "Disk quota exceeded" in row for row in rows):
        return VoicepressError(
            "disk-full", f"the disk is full ({what})", hint="free some space, then run the same command again"
        )
    told = "\n    ".join(rows) or f"nothing; it ended with status {status}"
    return VoicepressError(
        "encoder-failed",
        f"ffmpeg could not make {what}; it said:\n    {told}",
        hint="`voicepress doctor` looks at ffmpeg",
    )
