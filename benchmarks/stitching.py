"""How fast chapters are stitched and books published, and how much memory that takes.

``python -m benchmarks.stitching [--chapters 4] [--minutes 15] [--workers 2] [--long-minutes 180]`` makes speech-like
takes (syllables of filtered noise, no two alike, silence around them), stitches and publishes them in a temporary
folder and prints a table. Each measurement runs in a process of its own, so that peak memory is that of the work.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tasks.domain import BookInfo, Part, StitchedChapter, Take
from tasks.publish.publish import FORMATS, publish_book
from tasks.stitch.mastering import load_mastering
from tasks.stitch.pauses import load_pauses
from tasks.stitch.stitch import stitch_chapter

RATE = 24_000
LINE_SECONDS = 6.0
TEXT = "风停了，雪还在下；她轻轻地叹了一口气，把窗子关上，又回头看了看那盏灯。"


def take_samples(take: Take) -> npt.NDArray[np.float32]:
    """Six seconds that sound like a voice to a meter: made from the take's key, the same every time."""
    import scipy.signal

    rng = np.random.default_rng(int(take.key))
    noise = scipy.signal.lfilter([1.0], [1.0, -0.92], rng.standard_normal(take.samples).astype(np.float32))
    syllables = np.repeat(rng.random(-(-take.samples // 4800)) ** 2, 4800)[: take.samples]
    syllables[: RATE * 2 // 5] = 0.0
    syllables[-RATE * 9 // 10 :] = 0.0
    samples: npt.NDArray[np.float32] = (0.08 * noise * syllables).astype(np.float32)
    return samples


def chapter_parts(number: int, minutes: float) -> list[Part]:
    lines = max(1, round(minutes * 60 / (LINE_SECONDS - 0.8)))
    return [
        Part(str(i), Take(str(number * 100_000 + i), Path("none"), RATE, round(LINE_SECONDS * RATE)), TEXT, TEXT, "narrator", "sentence")
        for i in range(lines)
    ]  # fmt: skip


def stitch(number: int, minutes: float, folder: Path) -> tuple[StitchedChapter, float, float]:
    """The chapter, seconds of stitching alone and seconds that making the takes cost."""
    made = 0.0

    def samples_of(take: Take) -> npt.NDArray[np.float32]:
        nonlocal made
        begun = time.perf_counter()
        samples = take_samples(take)
        made += time.perf_counter() - begun
        return samples

    begun = time.perf_counter()
    chapter = stitch_chapter(
        number, f"第{number}章", "", chapter_parts(number, minutes), samples_of, load_pauses(), load_mastering(), folder
    )
    return chapter, time.perf_counter() - begun - made, made


def measured(work: Callable[..., tuple[float, float]], *arguments: Any) -> tuple[float, float, float]:
    """Run ``work`` in a fresh process: seconds of audio, seconds of work, peak megabytes (plus those of its largest ffmpeg)."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_with_memory, (work, arguments))


def _with_memory(work: Callable[..., tuple[float, float]], arguments: tuple[Any, ...]) -> tuple[float, float, float]:
    audio, seconds = work(*arguments)
    peak = sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return audio, seconds, peak / 1000.0


def stitch_work(chapters: int, minutes: float, folder: Path) -> tuple[float, float]:
    results = [stitch(number, minutes, folder) for number in range(1, chapters + 1)]
    return sum(c.timeline.samples / c.timeline.sample_rate for c, _, _ in results), sum(s for _, s, _ in results)


def publish_work(chapters: int, minutes: float, folder: Path, kind: str, workers: int) -> tuple[float, float]:
    made = [stitch(number, minutes, folder / "chapters")[0] for number in range(1, chapters + 1)]  # as they stand
    begun = time.perf_counter()
    publish_book(BookInfo("测速"), made, load_mastering(), folder / "publish", [kind], workers)
    return sum(c.timeline.samples / c.timeline.sample_rate for c in made), time.perf_counter() - begun


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--chapters", type=int, default=4)
    options.add_argument("--minutes", type=float, default=15.0, help="of each chapter")
    options.add_argument("--workers", type=int, default=min(4, os.cpu_count() or 1))
    options.add_argument("--long-minutes", type=float, default=180.0, help="of one long chapter; 0 leaves it out")
    given = options.parse_args()
    print(f"{os.cpu_count()} cores, {given.workers} workers, {given.chapters} chapters of {given.minutes:g} minutes")
    print(f"{'what':34}{'audio':>10}{'work':>10}{'x real time':>14}{'peak MB':>10}")
    with tempfile.TemporaryDirectory(prefix="voicepress-") as scratch:
        folder = Path(scratch)

        def show(what: str, work: Callable[..., tuple[float, float]], *arguments: Any) -> None:
            audio, seconds, peak = measured(work, *arguments)
            print(f"{what:34}{audio:9.0f}s{seconds:9.2f}s{audio / max(seconds, 1e-9):14.0f}{peak:10.0f}", flush=True)

        book = (given.chapters, given.minutes)
        show("stitch", stitch_work, *book, folder / "chapters")
        show("stitch, nothing changed", stitch_work, *book, folder / "chapters")
        for kind in FORMATS:
            show(f"publish {kind}", publish_work, *book, folder, kind, given.workers)
        show("publish m4b, nothing changed", publish_work, *book, folder, "m4b", given.workers)
        if given.long_minutes:
            show(
                f"stitch one chapter of {given.long_minutes:g} min", stitch_work, 1, given.long_minutes, folder / "long"
            )


if __name__ == "__main__":
    main()
