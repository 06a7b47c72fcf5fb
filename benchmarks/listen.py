"""What an independent ear hears: ``python -m benchmarks.listen AUDIO… --text FILE``.

Whisper base (CTranslate2, MIT, joined from two packages of the extra ``ear``) writes down each audio file; what it heard
is held against the text: character error rate, and for Chinese the error rate over toneless pinyin, which forgives
homophones and judges the speech rather than Whisper's spelling. Long files are cut into windows of at most 25 s at quiet
places, since a call costs the same whatever its length and a word cut in half is lost. Nothing is downloaded.
"""

from __future__ import annotations

import argparse
import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from common.errors import VoicepressError
from tasks.check import earmodel

RATE = 16_000
WINDOW_SECONDS = 25.0
SEEK_SECONDS = 6.0


@dataclass(frozen=True, slots=True)
class Heard:
    """What was heard of one recording. ``cer`` and ``pinyin_error`` are edit distance over reference length; for English
    text ``pinyin_error`` is the word error rate instead."""

    text: str
    cer: float
    pinyin_error: float


class Ear:
    """Whisper base, int8, beam 1; ``hear`` takes mono float32 samples at 16 kHz."""

    def __init__(self, threads: int = 1) -> None:
        try:
            from faster_whisper import WhisperModel
        except ImportError as error:
            raise VoicepressError(
                "package-missing", "faster-whisper is not installed", hint=earmodel.INSTALL
            ) from error
        self._model: Any = WhisperModel(
            str(earmodel.folder_of()), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )

    def hear(self, samples: npt.NDArray[np.float32], language: str = "zh") -> str:
        said: list[str] = []
        for window in windows(samples):
            segments, _ = self._model.transcribe(
                window,
                language=language,
                beam_size=1,
                temperature=0.0,
                condition_on_previous_text=False,
                without_timestamps=True,
                initial_prompt="以下是普通话的句子。" if language == "zh" else None,
            )
            said.extend(segment.text.strip() for segment in segments)
        return ("" if language == "zh" else " ").join(said)


def windows(samples: npt.NDArray[np.float32]) -> Iterator[npt.NDArray[np.float32]]:
    """Cut ``samples`` into pieces of at most 25 s, each ending at the quietest 0.2 s of its last 6 s."""
    most, seek, hop = int(WINDOW_SECONDS * RATE), int(SEEK_SECONDS * RATE), RATE // 50
    start = 0
    while len(samples) - start > most:
        zone = samples[start + most - seek : start + most].astype(np.float64)
        energy = np.square(zone[: len(zone) // hop * hop]).reshape(-1, hop).mean(axis=1)
        quiet = np.convolve(energy, np.ones(10), mode="valid")
        cut = start + most - seek + (int(np.argmin(quiet)) + 5) * hop
        yield samples[start:cut]
        start = cut
    yield samples[start:]


def load(path: Path) -> npt.NDArray[np.float32]:
    """Any audio file as mono float32 at 16 kHz (decoded by the ffmpeg of imageio-ffmpeg)."""
    import subprocess

    import imageio_ffmpeg

    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", str(path), "-vn", "-ac", "1", "-ar", str(RATE)]
    made = subprocess.run([*command, "-f", "f32le", "-"], capture_output=True, check=False)
    if made.returncode:
        raise VoicepressError(
            "not-audio", f"ffmpeg cannot read it: {made.stderr.decode(errors='replace').strip()}", file=path
        )
    return np.frombuffer(made.stdout, dtype=np.float32).copy()


def plain(text: str) -> str:
    """Letters, digits and Han characters of ``text``, folded to lower case; everything else is a space or gone."""
    folded = unicodedata.normalize("NFKC", text).lower().replace("'", "").replace("’", "")
    return " ".join(re.sub(r"[^\w]+|_", " ", folded).split())


def toneless(text: str) -> list[str]:
    """Syllables without tone for Han characters, words for the rest; digits are read as Chinese numbers first."""
    from pypinyin import lazy_pinyin

    def read(match: re.Match[str]) -> str:
        return chinese_number(match.group())

    said = re.sub(r"\d+(?:\.\d+)?", read, plain(text))
    return [unit for syllable in lazy_pinyin(said) for unit in syllable.split()]


def chinese_number(digits: str) -> str:
    """A number below a hundred million in Chinese characters (Whisper writes figures where a voice said words)."""
    whole, _, fraction = digits.partition(".")
    names = "零一二三四五六七八九"
    if len(whole) > 8 or (len(whole) > 1 and whole[0] == "0"):
        said = "".join(names[int(c)] for c in whole)
    else:
        high, low = divmod(int(whole), 10_000)
        said = (_below_ten_thousand(high) + "万" if high else "") + (
            _below_ten_thousand(low, high > 0) if low or not high else ""
        )
    return said + ("点" + "".join(names[int(c)] for c in fraction) if fraction else "")


def _below_ten_thousand(value: int, inside: bool = False) -> str:
    names, units = "零一二三四五六七八九", ("千", "百", "十", "")
    digits = f"{value:04d}"
    said, zero = "", inside and value < 1000
    for digit, unit in zip(digits, units, strict=True):
        if digit == "0":
            zero = zero or bool(said)
            continue
        said += ("零" if zero else "") + names[int(digit)] + unit
        zero = False
    if said.startswith("一十") and not inside:
        said = said[1:]
    return said or "零"


def edit_distance(first: Sequence[str], second: Sequence[str]) -> int:
    """Levenshtein distance: insertions, deletions and substitutions that turn ``first`` into ``second``."""
    row = list(range(len(second) + 1))
    for i, left in enumerate(first, 1):
        previous, row[0] = row[0], i
        for j, right in enumerate(second, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (left != right))
    return row[-1]


def compare(text: str, heard: str, language: str = "zh") -> Heard:
    """Error rates of ``heard`` against ``text``."""
    if language == "zh":
        wanted, got = list(plain(text).replace(" ", "")), list(plain(heard).replace(" ", ""))
        units, said = toneless(text), toneless(heard)
    else:
        wanted, got = list(plain(text)), list(plain(heard))
        units, said = plain(text).split(), plain(heard).split()
    return Heard(
        heard,
        edit_distance(wanted, got) / max(1, len(wanted)),
        edit_distance(units, said) / max(1, len(units)),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.listen", description=__doc__)
    parser.add_argument("audio", nargs="+", type=Path)
    parser.add_argument("--text", type=Path, required=True, help="what was to be said (UTF-8), all files together")
    parser.add_argument("--language", choices=("zh", "en"), default="zh")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args(arguments)
    try:
        ear = Ear(given.threads)
        said = [ear.hear(load(path), given.language) for path in given.audio]
        result = compare(given.text.read_text(encoding="utf-8"), " ".join(said), given.language)
    except VoicepressError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"heard: {result.text}")
    print(
        f"CER {result.cer:.1%}   {'toneless pinyin error' if given.language == 'zh' else 'WER'} {result.pinyin_error:.1%}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
