"""Chapters in, deliverables out.

Contract: ``publish_book`` makes what is asked for and keeps what stands: a chapter's files are made again only when the
chapter, the preset or what is written into them has changed. Chapters are encoded side by side, each in a process of
ffmpeg's own, so memory does not grow with the book. What was encoded is decoded and measured again; an encoder's
overshoot is taken off and the chapter encoded anew. Nothing of ours is removed before everything new stands; what other
formats left in the folder stays. If one file fails, the others are finished and kept, its earlier file stays in
place, and the first error is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from common import files
from common.errors import VoicepressError
from tasks.domain import BookInfo, Deliverable, StitchedChapter
from tasks.publish.captions import WRITERS
from tasks.publish.cover import load_cover
from tasks.publish.encode import Encoding
from tasks.publish.made import Entry, Made
from tasks.publish.work import PARTS, Work

SOUNDS = ("m4b", "mp3", "opus", "flac", "wav")
FORMATS = (*SOUNDS, *WRITERS, "epub", "audiobookshelf", "rss")
"""All that can be asked for: sound of the whole book or by chapter, subtitles, and what is made from those."""

_CHAPTER_KINDS = ("mp3", "opus", "flac", "wav", *WRITERS)
Results = dict[str, list[tuple[str, Entry]]]


def publish_book(
    info: BookInfo,
    chapters: Sequence[StitchedChapter],
    mastering: Encoding,
    folder: Path,
    formats: Sequence[str] = ("m4b", "mp3", "srt"),
    workers: int = 2,
    feed_url: str = "",
) -> tuple[Deliverable, ...]:
    """Make the deliverables in ``folder``; returns them in the order of ``formats`` and chapters.

    ``feed_url`` is where the files of an ``rss`` feed will lie. Raises ``VoicepressError``: ``unknown-format``,
    ``nothing-to-publish``, ``no-feed-url``, ``bad-cover``, ``cover-too-big``, ``ffmpeg-missing``, ``encoder-failed``,
    ``disk-full`` and others of writing.
    """
    formats = tuple(dict.fromkeys(formats))
    _check(chapters, formats, feed_url)
    cover = None if info.cover is None else load_cover(info.cover)
    made = Made(files.make_folder(folder))
    for place in (folder, folder / PARTS):
        files.sweep(place)
    work = Work(info, tuple(chapters), cover, mastering, made, formats)
    try:
        results = _by_chapter(work, formats, workers)
        for kind, rows in _of_the_whole(work, formats, results, feed_url):
            results.setdefault(kind, []).extend(rows)
        made.forget(results, [name for rows in results.values() for name, _ in rows])
    finally:
        made.save()
    return tuple(_deliverables(work, folder, formats, results))


def _by_chapter(work: Work, formats: Sequence[str], workers: int) -> Results:
    """Everything that is made chapter by chapter, side by side; all of it is finished before the first error is raised."""
    jobs: list[tuple[str, Callable[[StitchedChapter], tuple[str, Entry]]]] = []
    if "m4b" in formats or "audiobookshelf" in formats:
        jobs.append(("aac", work.aac))
    for kind in _CHAPTER_KINDS:
        if kind in formats or (kind == "mp3" and "rss" in formats):
            jobs.append((kind, work.captions(kind) if kind in WRITERS else work.sound(kind)))
    if "epub" in formats and not any(kind == "mp3" for kind, _ in jobs):
        jobs.append(("part-mp3", work.sound("mp3", hidden=True)))
    with ThreadPoolExecutor(max_workers=max(1, workers), thread_name_prefix="publish") as pool:
        futures = [(kind, pool.submit(job, chapter)) for kind, job in jobs for chapter in work.chapters]
        for _, future in futures:
            future.exception()
    results: Results = {}
    for kind, future in futures:
        results.setdefault(kind, []).append(future.result())
    return results


def _of_the_whole(
    work: Work, formats: Sequence[str], results: Results, feed_url: str
) -> Iterator[tuple[str, list[tuple[str, Entry]]]]:
    """What is made once, from what the chapters gave."""
    aac = results.get("aac")
    if aac is not None:
        m4b = work.m4b(aac)
        yield "m4b", [m4b]
        if "audiobookshelf" in formats:
            yield "audiobookshelf", work.shelf(m4b, aac)
    if len(work.chapters) > 1:
        for kind in WRITERS:
            if kind in formats:
                yield kind, [work.whole_captions(kind, aac)]
    if "mp3" in formats and work.encoding.sample_seconds > 0:
        yield "sample", [work.sample()]
    if "epub" in formats:
        yield "epub", [work.epub(results["mp3"] if "mp3" in results else results["part-mp3"])]
    if "rss" in formats:
        yield "rss", [work.rss(results["mp3"], feed_url)]


def _deliverables(work: Work, folder: Path, formats: Sequence[str], results: Results) -> list[Deliverable]:
    kinds = [*formats, *(["mp3"] if "rss" in formats and "mp3" not in formats else []), "sample"]
    found = []
    for kind in kinds:
        rows = results.get(kind, [])
        seconds = work.seconds(kind, results.get("aac", []), len(rows))
        for (name, entry), length in zip(rows, seconds, strict=True):
            found.append(
                Deliverable(
                    folder / name, kind, entry.bytes, length, entry.loudness_lufs, entry.true_peak_dbtp, entry.faults
                )
            )
    return found


def _check(chapters: Sequence[StitchedChapter], formats: Sequence[str], feed_url: str) -> None:
    for kind in formats:
        if kind not in FORMATS:
            raise VoicepressError(
                "unknown-format", f"there is no format '{kind}'", hint=f"choose from: {', '.join(FORMATS)}"
            )
    if len({chapter.number for chapter in chapters}) != len(chapters):
        raise ValueError("two chapters have the same number")
    if not chapters:
        raise VoicepressError(
            "nothing-to-publish", "no chapter is finished", hint="look at the flagged lines of the receipt"
        )
    if "rss" in formats and not feed_url:
        raise VoicepressError(
            "no-feed-url", "a feed must say where its files will lie", key="feed_url",
            hint="set feed_url in book.yaml to the address of the folder, or take rss out of publish",
        )  # fmt: skip
