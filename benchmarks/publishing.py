"""How fast and in how much memory a long series is published: ``python -m benchmarks.publishing --hours 10 [--formats …]``.

A chapter of real length is made once (a given chapter of speech repeated, or syllables of coloured noise, which encoders
overshoot and so take two or three tries; mastered to the preset) and stands for all chapters,
each with its own fingerprint, titles, and a timeline with a mark for every character; so disk and time go into what is
measured: encoding, measuring again, joining, subtitles. Printed are times real time, peak memory of this process
and of the largest child, how far the last subtitle stands from the sound of the m4b, and what a changed chapter costs.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from tasks.domain import BookInfo, Cue, StitchedChapter, TakeMark, Timeline
from tasks.publish.ffmpeg import reading
from tasks.publish.publish import FORMATS, publish_book
from tasks.stitch.master import settle
from tasks.stitch.mastering import load_mastering
from tasks.stitch.stitch import write_flac

RATE = 24_000
_LINE = "雨下了一整夜，他没有睡，天快亮的时候推开门，河面上浮着雾。"


def sample_chapter(folder: Path, minutes: float, preset: str, speech: Path | None = None) -> StitchedChapter:
    """One chapter with its sound, lines and marks; its last line ends in a burst that can be found again."""
    import scipy.signal

    rng = np.random.default_rng(7)
    count = round(minutes * 60 * RATE)
    noise = scipy.signal.lfilter([1.0], [1.0, -0.9], rng.standard_normal(count))
    beat = np.repeat(rng.random(count // (RATE // 5) + 1), RATE // 5)[:count]
    sound = 0.03 * noise * np.where(beat > 0.2, beat, 0.0)
    if speech is not None:
        import soundfile

        given, rate = soundfile.read(speech, dtype="float64")
        if rate != RATE:
            raise SystemExit(f"{speech} has {rate} Hz, not {RATE}")
        sound = np.tile(given, -(-count // len(given)))[:count]
    each = RATE // 4
    cues: list[Cue] = []
    at = RATE
    spoken = [index for index, char in enumerate(_LINE) if char.isalnum()]
    while at + (len(spoken) + 4) * each < count - RATE:
        marks = tuple(TakeMark(index, index + 1, at + n * each, at + (n + 1) * each) for n, index in enumerate(spoken))
        cues.append(Cue(str(len(cues)), "narrator", _LINE, _LINE, at, marks[-1].end, marks))
        at = marks[-1].end + 2 * each
    last = cues[-1]
    sound[last.start - RATE // 2 : last.start] = 0.0
    sound[last.start : last.start + RATE // 10] = 0.3 * np.sin(2 * np.pi * 1000 * np.arange(RATE // 10) / RATE)
    level = settle(lambda a, b: sound[a:b], count, RATE, load_mastering(preset)).reader(lambda a, b: sound[a:b])
    folder.mkdir(parents=True)
    path = folder / "chapter.flac"
    write_flac(path, lambda a, b: np.rint(level(a, b) * (1 << 23)).astype(np.int32), count, RATE)
    return StitchedChapter(1, "第1章", path, Timeline(1, "第1章", RATE, count, tuple(cues)), "", 0.0, 0.0, 0.0)


def last_cue_error(m4b: Path, srt: Path, sample_rate_hz: int) -> float:
    """Seconds from the last line's beginning in the subtitles of the whole to the burst that begins it in the sound."""
    # The last line may be cut into several subtitles; its first begins where a line's first characters stand.
    blocks = srt.read_text(encoding="utf-8").split("\n\n")
    stamp = next(block for block in reversed(blocks) if _LINE[:4] in block).split("\n")[1].split(" --> ")[0]
    hours, minutes, seconds = stamp.replace(",", ".").split(":")
    at = int(hours) * 3600 + int(minutes) * 60 + float(seconds)
    begin = at - 0.4
    with reading(
        ["-ss", f"{begin:.6f}", "-i", m4b, "-t", "1", "-f", "f32le", "-ac", "1", "pipe:1"], "the last line"
    ) as stream:
        sound = np.frombuffer(stream.read(), dtype="<f4")
    found = int(np.argmax(np.abs(sound) > 0.1)) / sample_rate_hz
    return begin + found - at


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=10.0)
    parser.add_argument("--chapter-minutes", type=float, default=20.0)
    parser.add_argument("--preset", default="audiobook")
    parser.add_argument("--speech", type=Path, help="a stitched chapter (FLAC) to be repeated, instead of noise")
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=["m4b", "srt"])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        one = sample_chapter(Path(place) / "chapters", options.chapter_minutes, options.preset, options.speech)
        # In a process of its own, whose memory is not that of making the sample.
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            found = pool.submit(
                measured, one, options.hours, options.preset, options.formats, options.workers, Path(place) / "publish"
            ).result()
    print(json.dumps(found) if options.json else "\n".join(f"{name:30} {value}" for name, value in found.items()))


def _peak_mb() -> int:
    """The high-water mark of this process's memory; what ``getrusage`` says is that of whoever started it, if higher."""
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def measured(
    one: StitchedChapter, hours: float, preset: str, formats: list[str], workers: int, out: Path
) -> dict[str, object]:
    """Publish, publish again, publish with one chapter changed."""
    rate, encoding, info = one.timeline.sample_rate, load_mastering(preset), BookInfo("长篇", "某人")
    count = max(2, round(hours * 3600 * rate / one.timeline.samples))
    chapters = [replace(one, number=n, title=f"第{n}章", fingerprint=str(n)) for n in range(1, count + 1)]
    seconds = len(chapters) * one.timeline.samples / rate

    def timed() -> float:
        began = time.perf_counter()
        publish_book(info, chapters, encoding, out, formats, workers)
        return time.perf_counter() - began

    first, nothing = timed(), timed()
    chapters[len(chapters) // 2] = replace(chapters[len(chapters) // 2], fingerprint="changed")
    changed = timed()
    found: dict[str, object] = {
        "hours": round(seconds / 3600, 2),
        "chapters": len(chapters),
        "formats": formats,
        "seconds": round(first, 1),
        "times_real_time": round(seconds / first, 1),
        "nothing_new_seconds": round(nothing, 2),
        "one_chapter_changed_seconds": round(changed, 2),
        "peak_mb": _peak_mb(),
        "largest_child_peak_mb": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024),
    }
    if {"m4b", "srt"} <= set(formats):
        error = last_cue_error(out / "长篇.m4b", out / "长篇.srt", encoding.sample_rate_hz)
        found["last_cue_error_ms"] = round(1000 * error, 1)
    return found


if __name__ == "__main__":
    main()
