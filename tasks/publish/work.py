"""The files of one book: how each is called, what it is made from, how it is made.

Contract: every method keeps a file that stands as made from the same, else makes it whole (``tasks.publish.made``).
Names are relative to the folder of deliverables.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from common import files
from tasks.domain import BookInfo, StitchedChapter
from tasks.publish.adts import FRAME_SAMPLES, PRIMING_SAMPLES
from tasks.publish.captions import WRITERS
from tasks.publish.cover import Cover
from tasks.publish.encode import AacPart, Encoding, encode_aac, encode_chapter, join_m4b
from tasks.publish.epub import write_epub
from tasks.publish.made import Encoded, Entry, Made
from tasks.publish.measure import fitted
from tasks.publish.names import chapter_stem, safe_stem
from tasks.publish.shelf import Episode, Mark, feed, metadata
from tasks.publish.subtitles import Subtitle, shifted, subtitles_of
from tasks.publish.tags import chapter_title

PARTS = ".parts"
"""Folder of what others are made from: the chapters' AAC streams, mp3s that only an EPUB needs."""
SHELF = "audiobookshelf"

PUBLISH_VERSION = 2
"""Counts up whenever the same chapters would give other deliverables."""

Row = tuple[str, Entry]


class Work:
    """One book's deliverables; safe for several threads, as ``Made`` is."""

    def __init__(
        self, info: BookInfo, chapters: tuple[StitchedChapter, ...], cover: Cover | None, encoding: Encoding, made: Made,
        formats: Sequence[str],
    ) -> None:  # fmt: skip
        self.info, self.chapters, self.cover, self.encoding, self.made = info, chapters, cover, encoding, made
        highest = max(chapter.number for chapter in chapters)
        self._of_chapters, self._digits = highest, max(3, len(str(highest)))
        self._written = asdict(info) | {"cover": None if cover is None else cover.sha256}
        self._accept = asdict(encoding.accept)
        self._stem = safe_stem(info.title)
        self._shown: dict[int, tuple[Subtitle, ...]] = {}  # the same subtitles serve every form, and the whole
        self._with_m4b = "m4b" in formats or SHELF in formats

    # -------------------------------------------------------------- by chapter

    def aac(self, chapter: StitchedChapter) -> Row:
        made_from = self._made_from(
            "aac", chapter.fingerprint, self.encoding.sample_rate_hz, self.encoding.aac_kbps, self._accept
        )

        def encode(path: Path) -> Encoded:
            return fitted(
                lambda trim_db: encode_aac(chapter, self.encoding, path, trim_db), path, ".m4b", self.encoding.accept
            )

        return self._make(f"{PARTS}/{chapter.number:0{self._digits}d}.aac", "aac", made_from, encode)

    def sound(self, kind: str, *, hidden: bool = False) -> Callable[[StitchedChapter], Row]:
        """The maker of a chapter's file of ``kind``; ``hidden`` among the parts."""
        return lambda chapter: self._sound(kind, chapter, hidden)

    def _sound(self, kind: str, chapter: StitchedChapter, hidden: bool) -> Row:
        title = chapter_title(chapter, self.info.language)
        preset = self.encoding
        made_from = self._made_from(
            kind, chapter.fingerprint, preset.sample_rate_hz, {"mp3": preset.mp3_kbps, "opus": preset.opus_kbps}.get(kind, 0),
            self._accept, self._written, title, self._of_chapters,
        )  # fmt: skip

        def encode(path: Path) -> Encoded:
            def once(trim_db: float) -> None:
                encode_chapter(kind, chapter, self.info, self.cover, preset, self._of_chapters, path, trim_db)

            return fitted(once, path, f".{kind}", preset.accept)

        if hidden:
            return self._make(f"{PARTS}/{chapter.number:0{self._digits}d}.{kind}", f"part-{kind}", made_from, encode)
        return self._make(f"{chapter_stem(chapter.number, title, self._digits)}.{kind}", kind, made_from, encode)

    def captions(self, kind: str) -> Callable[[StitchedChapter], Row]:
        """The maker of a chapter's subtitles in the form ``kind``."""
        return lambda chapter: self._captions(kind, chapter)

    def _captions(self, kind: str, chapter: StitchedChapter) -> Row:
        title = chapter_title(chapter, self.info.language)
        name = f"{chapter_stem(chapter.number, title, self._digits)}.{kind}"

        def write(path: Path) -> None:
            _write(path, WRITERS[kind](self._subtitles(chapter), self.info))

        return self._make(
            name, kind, self._made_from(kind, chapter.fingerprint, self.info.title, self.info.author), write
        )

    def _subtitles(self, chapter: StitchedChapter) -> tuple[Subtitle, ...]:
        if chapter.number not in self._shown:
            self._shown[chapter.number] = subtitles_of(chapter.timeline)
        return self._shown[chapter.number]

    # -------------------------------------------------------------- the whole book

    def m4b(self, aac: Sequence[Row]) -> Row:
        parts = self._parts(aac)
        titles = [chapter_title(chapter, self.info.language) for chapter in self.chapters]
        made_from = self._made_from(
            "m4b", self.encoding.sample_rate_hz, self._written, [entry.sha256 for _, entry in aac], titles
        )

        def join(path: Path) -> Encoded:
            join_m4b(self.chapters, parts, self.info, self.cover, self.encoding, path)
            wrong = [
                f"chapter {chapter.number}: {fault}"
                for chapter, (_, entry) in zip(self.chapters, aac, strict=True)
                for fault in entry.faults
            ]
            return Encoded(faults=tuple(wrong))

        return self._make(f"{self._stem}.m4b", "m4b", made_from, join)

    def whole_captions(self, kind: str, aac: Sequence[Row] | None) -> Row:
        """Subtitles of the whole book, timed for the m4b if one is made, else for the chapters end to end."""
        starts = list(self._starts(aac))
        made_from = self._made_from(
            f"whole-{kind}",
            [chapter.fingerprint for chapter in self.chapters],
            starts,
            self.info.title,
            self.info.author,
        )

        def write(path: Path) -> None:
            found: list[Subtitle] = []
            for chapter, start in zip(self.chapters, starts, strict=True):
                found.extend(shifted(self._subtitles(chapter), round(start * 1000)))
            _write(path, WRITERS[kind](found, self.info))

        return self._make(f"{self._stem}.{kind}", kind, made_from, write)

    def sample(self) -> Row:
        """The beginning of the book for those who have not bought it, ended with a line."""
        chapter = self.chapters[0]
        for candidate in self.chapters:  # credits are no sample
            if candidate.timeline.samples / candidate.timeline.sample_rate > 60.0:
                chapter = candidate
                break
        rate = chapter.timeline.sample_rate
        ends = [cue.end / rate for cue in chapter.timeline.cues if cue.end / rate + 1.0 <= self.encoding.sample_seconds]
        until = min((ends[-1] if ends else self.encoding.sample_seconds) + 1.0, chapter.timeline.samples / rate)
        made_from = self._made_from(
            "sample",
            chapter.fingerprint,
            until,
            self.encoding.mp3_kbps,
            self.encoding.sample_rate_hz,
            self._accept,
            self._written,
        )

        def encode(path: Path) -> Encoded:
            def once(trim_db: float) -> None:
                encode_chapter(
                    "mp3", chapter, self.info, self.cover, self.encoding, self._of_chapters, path, trim_db, until
                )

            return fitted(once, path, ".mp3", self.encoding.accept)

        return self._make(f"{self._stem} (sample).mp3", "sample", made_from, encode)

    def epub(self, sounds: Sequence[Row]) -> Row:
        made_from = self._made_from(
            "epub",
            self._written,
            [chapter.fingerprint for chapter in self.chapters],
            [entry.sha256 for _, entry in sounds],
        )

        def write(path: Path) -> None:
            paths = [self.made.folder / name for name, _ in sounds]
            write_epub(self.info, self.chapters, paths, self.cover, made_from, path)

        return self._make(f"{self._stem}.epub", "epub", made_from, write)

    def shelf(self, m4b: Row, aac: Sequence[Row]) -> list[Row]:
        """``audiobookshelf/Author/Title/``: the m4b (linked where the file system can), the cover, ``metadata.json``."""
        place = f"{SHELF}/{safe_stem(self.info.author, 'Unknown')}/{self._stem}"
        name, entry = m4b
        rows = [
            self._make(
                f"{place}/{self._stem}.m4b", SHELF, self._made_from("shelf", entry.sha256),
                lambda path: _link(self.made.folder / name, path),
            )
        ]  # fmt: skip
        if self.cover is not None:
            picture = self.cover
            target = f"{place}/cover.{'jpg' if picture.kind == 'jpeg' else 'png'}"
            rows.append(
                self._make(
                    target, SHELF, self._made_from("cover", picture.sha256), lambda path: _copy(picture.path, path)
                )
            )
        text = metadata(self.info, list(self._marks(aac)))
        rows.append(
            self._make(
                f"{place}/metadata.json", SHELF, self._made_from("metadata", text), lambda path: _write(path, text)
            )
        )
        return rows

    def rss(self, mp3: Sequence[Row], url: str) -> Row:
        episodes = [
            Episode(
                chapter_title(chapter, self.info.language), name, entry.bytes,
                chapter.timeline.samples / chapter.timeline.sample_rate, files.digest([self.info.title, chapter.number]),
            )
            for chapter, (name, entry) in zip(self.chapters, mp3, strict=True)
        ]  # fmt: skip
        picture = ""
        if self.cover is not None:
            cover, picture = self.cover, f"cover.{'jpg' if self.cover.kind == 'jpeg' else 'png'}"
            self._make(
                picture, "rss-cover", self._made_from("cover", cover.sha256), lambda path: _copy(cover.path, path)
            )
        text = feed(self.info, episodes, url, picture)
        return self._make("feed.xml", "rss", self._made_from("rss", text), lambda path: _write(path, text))

    # -------------------------------------------------------------- times

    def seconds(self, kind: str, aac: Sequence[Row], count: int) -> list[float]:
        """How long each of the ``count`` files of a kind lasts; 0 for those that are not played."""
        lengths = [chapter.timeline.samples / chapter.timeline.sample_rate for chapter in self.chapters]
        if kind == "m4b":
            return [sum(entry.frames for _, entry in aac) * FRAME_SAMPLES / self.encoding.sample_rate_hz]
        if kind in ("epub", "sample", "rss", SHELF):
            return [sum(lengths) if kind == "epub" else 0.0] * count
        return [*lengths, sum(lengths)][:count]

    def _parts(self, aac: Sequence[Row]) -> list[AacPart]:
        return [AacPart(self.made.folder / name, entry.frames) for name, entry in aac]

    def _starts(self, aac: Sequence[Row] | None) -> Iterator[float]:
        """Where each chapter's first sample sounds in the whole, in seconds."""
        if aac is not None and self._with_m4b:
            frames = 0
            for _, entry in aac:
                yield (frames * FRAME_SAMPLES + PRIMING_SAMPLES) / self.encoding.sample_rate_hz
                frames += entry.frames
            return
        at = 0.0
        for chapter in self.chapters:
            yield at
            at += chapter.timeline.samples / chapter.timeline.sample_rate

    def _marks(self, aac: Sequence[Row]) -> Iterator[Mark]:
        starts = [0.0, *list(self._starts(aac))[1:]]
        ends = [*starts[1:], self.seconds("m4b", aac, 1)[0]]
        for chapter, start, end in zip(self.chapters, starts, ends, strict=True):
            yield Mark(chapter_title(chapter, self.info.language), start, end)

    def _make(self, name: str, kind: str, made_from: str, maker: Callable[[Path], Encoded | None]) -> Row:
        return name, self.made.make(name, kind, made_from, maker)

    def _made_from(self, *things: object) -> str:
        return files.digest([PUBLISH_VERSION, *things])


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)


def _link(source: Path, target: Path) -> None:
    """The same file under a second name where the file system knows that, else a copy."""
    try:
        target.unlink(missing_ok=True)
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
