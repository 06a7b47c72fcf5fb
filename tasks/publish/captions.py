"""The forms in which subtitles are written: SubRip, WebVTT, LRC and Advanced SubStation Alpha.

Contract: pure. ``write`` gives the whole text of a file; what a manuscript says can neither end a cue early nor be
taken for markup.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence

from tasks.domain import NARRATOR, BookInfo
from tasks.publish.subtitles import Subtitle

_ASS_HEAD = """\
[Script Info]
Title: {title}
ScriptType: v4.00+
PlayResX: 1920
PlayResY: 1080
WrapStyle: 2
ScaledBorderAndShadow: yes

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, \
StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Default,sans-serif,60,&H00FFFFFF,&H000000FF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,3,0,2,60,60,50,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
"""


def to_srt(subtitles: Sequence[Subtitle], info: BookInfo | None = None) -> str:
    blocks = [
        f"{index}\n{_clock(item.start_ms)} --> {_clock(item.end_ms)}\n" + "\n".join(item.rows) + "\n"
        for index, item in enumerate(subtitles, 1)
    ]
    return "\n".join(blocks)


def to_vtt(subtitles: Sequence[Subtitle], info: BookInfo | None = None) -> str:
    """WebVTT with a voice span for whoever is not the narrator."""
    blocks = ["WEBVTT\n"]
    for item in subtitles:
        text = "\n".join(html.escape(row, quote=False) for row in item.rows)
        if item.speaker and item.speaker != NARRATOR:
            name = html.escape(" ".join(item.speaker.split()), quote=False)
            text = f"<v {name}>{text}</v>"
        blocks.append(f"{_clock(item.start_ms, '.')} --> {_clock(item.end_ms, '.')}\n{text}\n")
    return "\n".join(blocks)


def to_lrc(subtitles: Sequence[Subtitle], info: BookInfo | None = None) -> str:
    """One row a subtitle, in hundredths of a second as players expect; an empty row where it stays quiet for long."""
    rows = []
    if info is not None:
        rows += [f"[{tag}:{_flat(text)}]" for tag, text in (("ti", info.title), ("ar", info.author)) if text]
    for index, item in enumerate(subtitles):
        rows.append(f"[{_lrc_clock(item.start_ms)}]{_flat(_joined(item.rows))}")
        following = subtitles[index + 1].start_ms if index + 1 < len(subtitles) else None
        if following is None or following - item.end_ms > 2000:
            rows.append(f"[{_lrc_clock(item.end_ms)}]")
    return "\n".join(rows) + "\n"


def to_ass(subtitles: Sequence[Subtitle], info: BookInfo | None = None) -> str:
    head = _ASS_HEAD.format(title=_flat(info.title) if info else "")
    rows = []
    for item in subtitles:
        # Braces open override codes and a backslash begins an escape; look-alikes show the same and mean nothing.
        text = "\\N".join(row.translate(_ASS_SIGNS) for row in item.rows)
        speaker = "" if item.speaker == NARRATOR else _flat(item.speaker).replace(",", "，")
        rows.append(
            f"Dialogue: 0,{_ass_clock(item.start_ms)},{_ass_clock(item.end_ms)},Default,{speaker},0,0,0,,{text}\n"
        )
    return head + "".join(rows)


_ASS_SIGNS = str.maketrans({"{": "｛", "}": "｝", "\\": "＼"})

WRITERS: Mapping[str, Callable[[Sequence[Subtitle], BookInfo | None], str]] = {
    "srt": to_srt,
    "vtt": to_vtt,
    "lrc": to_lrc,
    "ass": to_ass,
}
"""``(subtitles, info) -> text`` by format."""


def _joined(rows: Sequence[str]) -> str:
    """Two rows as one: with a space between Latin letters, without one between Han characters."""
    text = rows[0] if rows else ""
    for row in rows[1:]:
        text += (" " if text[-1:].isascii() and row[:1].isascii() else "") + row
    return text


def _flat(text: str) -> str:
    return " ".join(text.split())


def _parts(milliseconds: int) -> tuple[int, int, int, int]:
    seconds, thousandths = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return hours, minutes, seconds, thousandths


def _clock(milliseconds: int, point: str = ",") -> str:
    hours, minutes, seconds, thousandths = _parts(milliseconds)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}{point}{thousandths:03d}"


def _lrc_clock(milliseconds: int) -> str:
    hours, minutes, seconds, thousandths = _parts(milliseconds)
    return f"{hours * 60 + minutes:02d}:{seconds:02d}.{thousandths // 10:02d}"


def _ass_clock(milliseconds: int) -> str:
    hours, minutes, seconds, thousandths = _parts(milliseconds)
    return f"{hours}:{minutes:02d}:{seconds:02d}.{thousandths // 10:02d}"
