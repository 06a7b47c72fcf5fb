"""Chapters in, deliverables out.

Contract: ``publish_book`` makes what is asked for and keeps what stands: a chapter's encodings are made again only when
the chapter, the preset or what is written into them has changed. Chapters are encoded side by side. Nothing of ours is
removed before everything new stands; what other formats left in the folder stays. If one encoding fails, the others
are finished and kept, its earlier file stays in place, and the first error is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from common import files
from common.errors import VoicepressError
from tasks.domain import BookInfo, Deliverable, StitchedChapter
from tasks.publish.cover import Cover, load_cover
from tasks.publish.encode import AacPart, Encoding, chapter_title, encode_aac, encode_mp3, join_m4b
from tasks.publish.made import Entry, Made
from tasks.publish.names import chapter_stem, safe_stem
from tasks.publish.subtitles import subtitles_of, to_srt

FORMATS = ("m4b", "mp3", "srt")
PARTS = ".parts"
"""Folder of the chapters' AAC streams, which the m4b is joined from."""

PUBLISH_VERSION = 1
"""Counts up whenever the same chapters would give other deliverables."""


def publish_book(
    info: BookInfo,
    chapters: Sequence[StitchedChapter],
    mastering: Encoding,
    folder: Path,
    formats: Sequence[str] = FORMATS,
    workers: int = 2,
) -> tuple[Deliverable, ...]:
    """Make the deliverables in ``folder``; returns them in the order of ``formats`` and chapters.

    Raises ``VoicepressError``: ``unknown-format``, ``nothing-to-publish``, ``bad-cover``, ``cover-too-big``,
    ``ffmpeg-missing``, ``encoder-failed``, ``disk-full`` and others of writing.
    """
    _check(chapters, formats)
    cover = None if info.cover is None else load_cover(info.cover)
    formats = tuple(dict.fromkeys(formats))
    made = Made(files.make_folder(folder))
    for place in (folder, folder / PARTS):
        files.sweep(place)
    work = _Work(info, tuple(chapters), cover, mastering, made)
    try:
        jobs: list[tuple[str, Callable[[StitchedChapter], tuple[str, Entry]]]] = []
        if "m4b" in formats:
            jobs.append(("aac", work.aac))
        if "mp3" in formats:
            jobs.append(("mp3", work.mp3))
        if "srt" in formats:
            jobs.append(("srt", work.srt))
        with ThreadPoolExecutor(max_workers=max(1, workers), thread_name_prefix="publish") as pool:
            futures = [(kind, pool.submit(job, chapter)) for kind, job in jobs for chapter in chapters]
            for _, future in futures:
                future.exception()  # all are finished before the first error is raised
        results: dict[str, list[tuple[str, Entry]]] = {}
        for kind, future in futures:
            results.setdefault(kind, []).append(future.result())
        if "m4b" in formats:
            results["m4b"] = [work.m4b(results["aac"])]
        keep = [name for made_of_kind in results.values() for name, _ in made_of_kind]
        made.forget(results, keep)
    finally:
        made.save()
    return tuple(
        Deliverable(folder / name, kind, entry.bytes, seconds)
        for kind in formats
        for (name, entry), seconds in zip(results[kind], work.seconds(kind, results), strict=True)
    )


class _Work:
    """The files of one book: how each is called, what it is made from, how it is made."""

    def __init__(
        self, info: BookInfo, chapters: tuple[StitchedChapter, ...], cover: Cover | None, encoding: Encoding, made: Made
    ) -> None:
        self.info, self.chapters, self.cover, self.encoding, self.made = info, chapters, cover, encoding, made
        highest = max(chapter.number for chapter in chapters)
        self._of_chapters, self._digits = highest, max(3, len(str(highest)))
        written = asdict(info) | {"cover": None if cover is None else cover.sha256}
        self._common = [PUBLISH_VERSION, encoding.sample_rate_hz, written]

    def aac(self, chapter: StitchedChapter) -> tuple[str, Entry]:
        made_from = files.digest(
            [PUBLISH_VERSION, "aac", chapter.fingerprint, self.encoding.sample_rate_hz, self.encoding.aac_kbps]
        )
        name = f"{PARTS}/{chapter.number:0{self._digits}d}.aac"
        return name, self.made.make(name, "aac", made_from, lambda path: encode_aac(chapter, self.encoding, path))

    def mp3(self, chapter: StitchedChapter) -> tuple[str, Entry]:
        title = chapter_title(chapter, self.info.language)
        made_from = files.digest(
            [self._common, "mp3", chapter.fingerprint, self.encoding.mp3_kbps, title, self._of_chapters]
        )

        def encode(path: Path) -> None:
            encode_mp3(chapter, self.info, self.cover, self.encoding, self._of_chapters, path)

        name = f"{chapter_stem(chapter.number, title, self._digits)}.mp3"
        return name, self.made.make(name, "mp3", made_from, encode)

    def srt(self, chapter: StitchedChapter) -> tuple[str, Entry]:
        name = f"{chapter_stem(chapter.number, chapter_title(chapter, self.info.language), self._digits)}.srt"
        made_from = files.digest([PUBLISH_VERSION, "srt", chapter.fingerprint])

        def write(path: Path) -> None:
            path.write_text(to_srt(subtitles_of(chapter.timeline)), encoding="utf-8", newline="\n")

        return name, self.made.make(name, "srt", made_from, write)

    def m4b(self, aac: list[tuple[str, Entry]]) -> tuple[str, Entry]:
        parts = [AacPart(self.made.folder / name, entry.frames) for name, entry in aac]
        titles = [chapter_title(chapter, self.info.language) for chapter in self.chapters]
        made_from = files.digest([self._common, "m4b", [entry.sha256 for _, entry in aac], titles])

        def join(path: Path) -> None:
            join_m4b(self.chapters, parts, self.info, self.cover, self.encoding, path)

        name = f"{safe_stem(self.info.title)}.m4b"
        return name, self.made.make(name, "m4b", made_from, join)

    def seconds(self, kind: str, results: dict[str, list[tuple[str, Entry]]]) -> list[float]:
        if kind == "m4b":
            return [sum(entry.frames for _, entry in results["aac"]) * 1024 / self.encoding.sample_rate_hz]
        return [chapter.timeline.samples / chapter.timeline.sample_rate for chapter in self.chapters]


def _check(chapters: Sequence[StitchedChapter], formats: Sequence[str]) -> None:
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
