"""From a stitched chapter to AAC and mp3, and from AAC parts to one m4b with chapters, cover and tags.

Contract: each function writes one file to the path it is given (a temporary one) and looks at what came out before it
returns; it raises ``VoicepressError`` where ffmpeg failed or the result is shorter than the sound that went in.

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
from typing import Any, Protocol

from common.errors import VoicepressError
from tasks.domain import BookInfo, StitchedChapter
from tasks.publish import ffmpeg
from tasks.publish.adts import FRAME_SAMPLES, PRIMING_SAMPLES, count_frames
from tasks.publish.cover import Cover

GENRE = "Audiobook"
_LANGUAGES = {"zh": "zho", "en": "eng", "ja": "jpn", "ko": "kor", "de": "deu", "fr": "fra", "es": "spa", "ru": "rus"}


class Encoding(Protocol):
    """What of a mastering preset concerns encoders."""

    @property
    def sample_rate_hz(self) -> int: ...
    @property
    def aac_kbps(self) -> int: ...
    @property
    def mp3_kbps(self) -> int: ...


@dataclass(frozen=True, slots=True)
class AacPart:
    """One chapter's AAC stream and how many frames it holds."""

    path: Path
    frames: int


def language_code(language: str) -> str:
    """ISO 639-2/T for ``zh``, ``zh-CN``, ``en`` …; ``und`` for what is not known."""
    short = language.lower().replace("_", "-").split("-")[0]
    return _LANGUAGES.get(short, short if len(short) == 3 else "und")


def chapter_title(chapter: StitchedChapter, language: str) -> str:
    """What players show: the volume and the title, or a number where there is no title."""
    title = chapter.title or (f"第{chapter.number}章" if language.startswith("zh") else f"Chapter {chapter.number}")
    return f"{chapter.volume} {title}" if chapter.volume else title


def encode_aac(chapter: StitchedChapter, encoding: Encoding, target: Path) -> int:
    """Write the chapter's AAC stream (ADTS); returns its number of frames."""
    what = f"the AAC of chapter {chapter.number}"
    ffmpeg.run(
        [
            *_sound(chapter, encoding),
            "-c:a",
            "aac",
            "-b:a",
            f"{encoding.aac_kbps}k",
            *ffmpeg.EXACT,
            "-f",
            "adts",
            target,
        ],
        what,
    )
    frames = count_frames(target)
    if frames is None or frames * FRAME_SAMPLES < _samples_at(chapter, encoding):
        raise _incomplete(what)
    return frames


def encode_mp3(
    chapter: StitchedChapter, info: BookInfo, cover: Cover | None, encoding: Encoding, of_chapters: int, target: Path
) -> None:
    """Write the chapter's mp3 with ID3v2.3 tags (every player reads those)."""
    import mutagen.mp3

    what = f"the mp3 of chapter {chapter.number}"
    ffmpeg.run(
        [
            *_sound(chapter, encoding), "-c:a", "libmp3lame", "-b:a", f"{encoding.mp3_kbps}k", *ffmpeg.EXACT,
            "-id3v2_version", "0", "-write_id3v1", "0", "-f", "mp3", target,
        ],
        what,
    )  # fmt: skip
    if _length(mutagen.mp3, "MP3", target) + 0.1 < chapter.timeline.samples / chapter.timeline.sample_rate:
        raise _incomplete(what)
    _tag_mp3(chapter, info, cover, of_chapters, target)


def join_m4b(
    chapters: Sequence[StitchedChapter],
    parts: Sequence[AacPart],
    info: BookInfo,
    cover: Cover | None,
    encoding: Encoding,
    target: Path,
) -> None:
    """Join the parts to one m4b without encoding again."""
    import mutagen.mp4

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
    if abs(_length(mutagen.mp4, "MP4", target) - frames * FRAME_SAMPLES / encoding.sample_rate_hz) > 0.1:
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


def _sound(chapter: StitchedChapter, encoding: Encoding) -> list[str | Path]:
    return [
        "-f", "flac", "-i", chapter.audio.absolute(), "-map", "0:a:0", "-map_metadata", "-1",
        "-ac", "1", "-ar", str(encoding.sample_rate_hz),
    ]  # fmt: skip


def _samples_at(chapter: StitchedChapter, encoding: Encoding) -> int:
    return chapter.timeline.samples * encoding.sample_rate_hz // chapter.timeline.sample_rate


def _length(module: Any, kind: str, path: Path) -> float:
    """Seconds of sound as the container says; mutagen's classes are not typed."""
    return float(getattr(module, kind)(path).info.length)


def _incomplete(what: str) -> VoicepressError:
    return VoicepressError(
        "encoder-failed",
        f"{what} came out shorter than its sound",
        hint="is the disk full? Then run the same command again",
    )


def _tag_mp3(chapter: StitchedChapter, info: BookInfo, cover: Cover | None, of_chapters: int, target: Path) -> None:
    import mutagen.id3

    id3: Any = mutagen.id3
    tags = id3.ID3()
    texts = {
        "TIT2": chapter_title(chapter, info.language),
        "TALB": info.title,
        "TPE1": info.author,
        "TPE2": info.author,
        "TCOM": info.narrator,
        "TIT1": info.series,
        "TCON": GENRE,
        "TRCK": f"{chapter.number}/{of_chapters}",
        "TDRC": info.year,
        "TLAN": language_code(info.language),
    }
    for frame, text in texts.items():
        if text:
            tags.add(getattr(id3, frame)(encoding=1, text=[text]))
    if info.description:
        tags.add(id3.COMM(encoding=1, lang=language_code(info.language), desc="", text=[info.description]))
    if cover is not None:
        tags.add(id3.APIC(encoding=0, mime=cover.mime, type=3, desc="", data=cover.path.read_bytes()))
    tags.update_to_v23()
    tags.save(target, v1=0, v2_version=3)
