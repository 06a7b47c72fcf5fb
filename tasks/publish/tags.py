"""What the files of a chapter say of themselves: title, author, narrator, series, cover, and one mark of the chapter.

Contract: ``tags_of`` is pure; ``write_tags`` writes ID3v2.3 (every player reads those) with a chapter frame into mp3 and
WAV, and Vorbis comments with the picture into FLAC and Ogg Opus.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.domain import BookInfo, StitchedChapter
from tasks.publish.cover import Cover

GENRE = "Audiobook"
_LANGUAGES = {"zh": "zho", "en": "eng", "ja": "jpn", "ko": "kor", "de": "deu", "fr": "fra", "es": "spa", "ru": "rus"}


@dataclass(frozen=True, slots=True)
class Tags:
    """Empty texts are not written. ``track`` is ``3/12``; ``language`` ISO 639-2/T; ``milliseconds`` of the whole file."""

    title: str
    album: str
    author: str
    narrator: str
    series: str
    description: str
    year: str
    language: str
    track: str
    milliseconds: int


def language_code(language: str) -> str:
    """ISO 639-2/T for ``zh``, ``zh-CN``, ``en`` …; ``und`` for what is not known."""
    short = language.lower().replace("_", "-").split("-")[0]
    return _LANGUAGES.get(short, short if len(short) == 3 else "und")


def chapter_title(chapter: StitchedChapter, language: str) -> str:
    """What players show: the volume and the title, or a number where there is no title."""
    title = chapter.title or (f"第{chapter.number}章" if language.startswith("zh") else f"Chapter {chapter.number}")
    return f"{chapter.volume} {title}" if chapter.volume else title


def tags_of(chapter: StitchedChapter, info: BookInfo, of_chapters: int) -> Tags:
    """The tags of one chapter's file."""
    return Tags(
        title=chapter_title(chapter, info.language),
        album=info.title,
        author=info.author,
        narrator=info.narrator,
        series=info.series,
        description=info.description,
        year=info.year,
        language=language_code(info.language),
        track=f"{chapter.number}/{of_chapters}",
        milliseconds=chapter.timeline.samples * 1000 // chapter.timeline.sample_rate,
    )


def write_tags(kind: str, tags: Tags, cover: Cover | None, target: Path) -> None:
    """Write the tags into a file of ``kind`` ``mp3``, ``wav``, ``flac`` or ``opus``."""
    if kind in ("mp3", "wav"):
        _id3(kind, tags, cover, target)
    else:
        _vorbis(kind, tags, cover, target)


def _id3(kind: str, tags: Tags, cover: Cover | None, target: Path) -> None:
    import mutagen.id3
    import mutagen.wave

    id3: Any = mutagen.id3
    wave: Any = mutagen.wave
    made = id3.ID3()
    texts = {
        "TIT2": tags.title,
        "TALB": tags.album,
        "TPE1": tags.author,
        "TPE2": tags.author,
        "TCOM": tags.narrator,
        "TIT1": tags.series,
        "TCON": GENRE,
        "TRCK": tags.track,
        "TDRC": tags.year,
        "TLAN": tags.language,
    }
    for frame, text in texts.items():
        if text:
            made.add(getattr(id3, frame)(encoding=1, text=[text]))
    if tags.description:
        made.add(id3.COMM(encoding=1, lang=tags.language, desc="", text=[tags.description]))
    if cover is not None:
        made.add(id3.APIC(encoding=0, mime=cover.mime, type=3, desc="", data=cover.path.read_bytes()))
    title = id3.TIT2(encoding=1, text=[tags.title])
    unused = 0xFFFFFFFF  # byte offsets, which players find by time
    made.add(id3.CTOC(element_id="toc", flags=3, child_element_ids=["chp0"], sub_frames=[title]))
    made.add(
        id3.CHAP(
            element_id="chp0", start_time=0, end_time=tags.milliseconds, start_offset=unused, end_offset=unused,
            sub_frames=[title],
        )
    )  # fmt: skip
    made.update_to_v23()
    if kind == "mp3":
        made.save(target, v1=0, v2_version=3)
        return
    file = wave.WAVE(target)
    file.add_tags()
    for frame in made.values():
        file.tags.add(frame)
    file.save(v2_version=3)


def _vorbis(kind: str, tags: Tags, cover: Cover | None, target: Path) -> None:
    import mutagen.flac
    import mutagen.oggopus

    flac: Any = mutagen.flac
    opus: Any = mutagen.oggopus
    file = flac.FLAC(target) if kind == "flac" else opus.OggOpus(target)
    if file.tags is None:
        file.add_tags()
    file.tags.clear()
    texts = {
        "title": tags.title,
        "album": tags.album,
        "artist": tags.author,
        "albumartist": tags.author,
        "composer": tags.narrator,
        "grouping": tags.series,
        "genre": GENRE,
        "tracknumber": tags.track.split("/")[0],
        "tracktotal": tags.track.split("/")[1],
        "date": tags.year,
        "language": tags.language,
        "description": tags.description,
        "chapter000": "00:00:00.000",
        "chapter000name": tags.title,
    }
    for name, text in texts.items():
        if text:
            file.tags[name] = text
    if cover is not None:
        picture = flac.Picture()
        picture.type, picture.mime, picture.data = 3, cover.mime, cover.path.read_bytes()
        picture.width, picture.height, picture.depth = cover.width, cover.height, 24
        if kind == "flac":
            file.add_picture(picture)
        else:
            file.tags["metadata_block_picture"] = base64.b64encode(picture.write()).decode("ascii")
    file.save()
