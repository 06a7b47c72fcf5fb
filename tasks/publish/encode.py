"""From a stitched chapter to AAC, mp3, Opus, FLAC and WAV, and from AAC parts to one m4b with chapters, cover and tags.

Contract: each function writes one file to the path it is given (a temporary one) and looks at what came out before it
returns; it raises ``VoicepressError`` where ffmpeg failed or the result is shorter than the sound that went in.
``trim_db`` takes a little off the whole chapter, for encoders that overshoot the ceiling.

Chapters of the m4b: each is encoded alone, so they can be made side by side and kept, and the streams are joined
without encoding again. A chapter then takes whole frames of 1024 samples (23 ms), one of them the encoder's delay. The
chapter marks are counted from the frames, so every mark stands exactly on its chapter's first sample however long the
book is (the first chapter's at 0, one frame before it), and up to two frames of silence lie between chapters.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from common.errors import VoicepressError
from tasks.domain import Acceptance, BookInfo, StitchedChapter
from tasks.publish import ffmpeg
from tasks.publish.adts import FRAME_SAMPLES, PRIMING_SAMPLES, count_frames
from tasks.publish.cover import Cover
from tasks.publish.tags import GENRE, chapter_title, language_code, tags_of, write_tags

OPUS_RATE_HZ = 48_000
"""Opus knows no other rate that we use."""


class Encoding(Protocol):
    """What of a mastering preset concerns encoders."""

    @property
    def sample_rate_hz(self) -> int: ...
    @property
    def aac_kbps(self) -> int: ...
    @property
    def mp3_kbps(self) -> int: ...
    @property
    def opus_kbps(self) -> int: ...
    @property
    def accept(self) -> Acceptance: ...
    @property
    def sample_seconds(self) -> float: ...


@dataclass(frozen=True, slots=True)
class AacPart:
    """One chapter's AAC stream and how many frames it holds."""

    path: Path
    frames: int


def encode_aac(chapter: StitchedChapter, encoding: Encoding, target: Path, trim_db: float = 0.0) -> int:
    """Write the chapter's AAC stream (ADTS); returns its number of frames."""
    what = f"the AAC of chapter {chapter.number}"
    ffmpeg.run(
        [
            *_sound(chapter, encoding.sample_rate_hz, trim_db), "-c:a", "aac", "-b:a", f"{encoding.aac_kbps}k",
            *ffmpeg.EXACT, "-f", "adts", target,
        ],
        what,
    )  # fmt: skip
    frames = count_frames(target)
    if frames is None or frames * FRAME_SAMPLES < _samples_at(chapter, encoding):
        raise _incomplete(what)
    return frames


def encode_chapter(
    kind: str, chapter: StitchedChapter, info: BookInfo, cover: Cover | None, encoding: Encoding, of_chapters: int,
    target: Path, trim_db: float = 0.0, until_seconds: float | None = None,
) -> None:  # fmt: skip
    """Write a chapter as ``mp3`` (constant bit rate), ``opus`` (Ogg), ``flac`` or ``wav`` (both 24 bit), tagged.

    ``until_seconds`` ends it there, faded out over the last half second: a sample.
    """
    what = f"the {kind} of chapter {chapter.number}"
    rate = OPUS_RATE_HZ if kind == "opus" else encoding.sample_rate_hz
    codec = {
        "mp3": ["-c:a", "libmp3lame", "-b:a", f"{encoding.mp3_kbps}k", "-id3v2_version", "0", "-write_id3v1", "0"],
        "opus": ["-c:a", "libopus", "-b:a", f"{encoding.opus_kbps}k", "-application", "audio"],
        "flac": ["-c:a", "flac", "-sample_fmt", "s32", "-bits_per_raw_sample", "24"],
        "wav": ["-c:a", "pcm_s24le"],
    }[kind]
    ffmpeg.run([*_sound(chapter, rate, trim_db, until_seconds), *codec, *ffmpeg.EXACT, "-f", kind, target], what)
    wanted = chapter.timeline.samples / chapter.timeline.sample_rate
    if _length(target, kind) + 0.1 < min(wanted, until_seconds or wanted):
        raise _incomplete(what)
    write_tags(kind, tags_of(chapter, info, of_chapters), cover, target)


def join_m4b(
    chapters: Sequence[StitchedChapter],
    parts: Sequence[AacPart],
    info: BookInfo,
    cover: Cover | None,
    encoding: Encoding,
    target: Path,
) -> None:
    """Join the parts to one m4b without encoding again."""
    what = "the m4b"
    with tempfile.TemporaryDirectory(prefix="voicepress-") as scratch:
        notes = Path(scratch) / "notes.txt"
        notes.write_text(ffmetadata(chapters, parts, info, encoding), encoding="utf-8", newline="\n")
        picture: list[str | Path] = []
        if cover is not None:
            picture = ["-map", "2:v:0", "-c:v", "copy", "-disposition:v:0", "attached_pic"]
        ffmpeg.run(
            [
                "-f", "aac", "-i", "pipe:0", "-f", "ffmetadata", "-i", notes,
                *([] if cover is None else ["-f", "jpeg_pipe" if cover.kind == "jpeg" else "png_pipe", "-i", cover.path]),
                "-map", "0:a:0", *picture, "-map_metadata", "1", "-map_chapters", "1",
                "-c:a", "copy", "-metadata:s:a:0", f"language={language_code(info.language)}",
                *ffmpeg.EXACT, "-movflags", "+faststart", "-brand", "M4B ", "-f", "ipod", target,
            ],
            what, feed=[part.path for part in parts],
        )  # fmt: skip
    frames = sum(part.frames for part in parts)
    if abs(_length(target, "m4b") - frames * FRAME_SAMPLES / encoding.sample_rate_hz) > 0.1:
        raise _incomplete(what)


def ffmetadata(
    chapters: Sequence[StitchedChapter], parts: Sequence[AacPart], info: BookInfo, encoding: Encoding
) -> str:
    """ffmpeg's text form of tags and chapter marks; times count samples at the deliverables' rate."""
    tags = {
        "title": info.title,
        "artist": info.author,
        "album_artist": info.author,
        "album": info.title,
        "composer": info.narrator,
        "genre": GENRE,
        "date": info.year,
        "grouping": info.series,
        "description": info.description,
        "synopsis": info.description,
        "media_type": "2",  # "audiobook" in iTunes' list of kinds
    }
    rows = [";FFMETADATA1", *(f"{key}={_escaped(value)}" for key, value in tags.items() if value)]
    frames = 0
    for index, (chapter, part) in enumerate(zip(chapters, parts, strict=True)):
        start = frames * FRAME_SAMPLES + (PRIMING_SAMPLES if index else 0)
        frames += part.frames
        end = frames * FRAME_SAMPLES + (PRIMING_SAMPLES if index + 1 < len(parts) else 0)
        rows += ["[CHAPTER]", f"TIMEBASE=1/{encoding.sample_rate_hz}", f"START={start}", f"END={end}"]
        rows.append(f"title={_escaped(chapter_title(chapter, info.language))}")
    return "\n".join(rows) + "\n"


def _escaped(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    plain = text.rstrip("\\")  # ffmpeg takes a line's end for escaped after a backslash, even an escaped one
    text = plain + "＼" * (len(text) - len(plain))
    return "".join(f"\\{c}" if c in "=;#\\\n" else c for c in text if c >= " " or c == "\n")


def _sound(
    chapter: StitchedChapter, rate_hz: int, trim_db: float, until_seconds: float | None = None
) -> list[str | Path]:
    filters = []
    if until_seconds is not None:
        filters += [f"atrim=end={until_seconds:.6f}", f"afade=t=out:st={max(0.0, until_seconds - 0.5):.6f}:d=0.5"]
    if trim_db:
        filters.append(f"volume={-trim_db:.4f}dB:precision=double")
    return [
        "-f", "flac", "-i", chapter.audio.absolute(), "-map", "0:a:0", "-map_metadata", "-1",
        *(["-af", ",".join(filters)] if filters else []), "-ac", "1", "-ar", str(rate_hz),
    ]  # fmt: skip


def _samples_at(chapter: StitchedChapter, encoding: Encoding) -> int:
    return chapter.timeline.samples * encoding.sample_rate_hz // chapter.timeline.sample_rate


def _length(path: Path, kind: str) -> float:
    """Seconds of sound as the container says."""
    import importlib

    module, name = {
        "mp3": ("mp3", "MP3"), "m4b": ("mp4", "MP4"), "opus": ("oggopus", "OggOpus"), "flac": ("flac", "FLAC"),
        "wav": ("wave", "WAVE"),
    }[kind]  # fmt: skip
    return float(getattr(importlib.import_module(f"mutagen.{module}"), name)(path).info.length)


def _incomplete(what: str) -> VoicepressError:
    return VoicepressError(
        "encoder-failed",
        f"{what} came out shorter than its sound",
        hint="is the disk full? Then run the same command again",
    )
