from __future__ import annotations

import re

import pytest

from tasks.domain import BookInfo
from tasks.publish.captions import WRITERS, to_ass, to_lrc, to_vtt
from tasks.publish.subtitles import Subtitle

SHOWN = (
    Subtitle(0, 1_500, ("雨下了一夜。",), "narrator"),
    Subtitle(1_500, 3_000, ("你是谁？", "从哪里来？"), "沈禾"),
    Subtitle(3_725_678, 3_727_000, ("<b>{\\i1} & -->",), "A < B, Jr."),
)
INFO = BookInfo("渡口", "余光")


def test_webvtt_names_who_speaks_and_escapes_markup() -> None:
    assert to_vtt(SHOWN, INFO) == (
        "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\n雨下了一夜。\n\n00:00:01.500 --> 00:00:03.000\n"
        "<v 沈禾>你是谁？\n从哪里来？</v>\n\n01:02:05.678 --> 01:02:07.000\n<v A &lt; B, Jr.>&lt;b&gt;{\\i1} &amp; --&gt;</v>\n"
    )


def test_lyrics_have_one_row_each_and_an_empty_one_before_long_silence() -> None:
    assert to_lrc(SHOWN, INFO).splitlines() == [
        "[ti:渡口]",
        "[ar:余光]",
        "[00:00.00]雨下了一夜。",
        "[00:01.50]你是谁？从哪里来？",
        "[00:03.00]",
        "[62:05.67]<b>{\\i1} & -->",
        "[62:07.00]",
    ]


def test_ass_has_a_row_for_each_and_no_override_from_the_text() -> None:
    rows = [row for row in to_ass(SHOWN, INFO).splitlines() if row.startswith("Dialogue")]
    assert rows == [
        "Dialogue: 0,0:00:00.00,0:00:01.50,Default,,0,0,0,,雨下了一夜。",
        "Dialogue: 0,0:00:01.50,0:00:03.00,Default,沈禾,0,0,0,,你是谁？\\N从哪里来？",
        "Dialogue: 0,1:02:05.67,1:02:07.00,Default,A < B， Jr.,0,0,0,,<b>｛＼i1｝ & -->",
    ]


@pytest.mark.parametrize("kind", sorted(WRITERS))
def test_nothing_at_all_is_a_valid_file(kind: str) -> None:
    assert not re.search(r"\d:\d", WRITERS[kind]((), INFO))


@pytest.mark.parametrize("kind", ["srt", "vtt", "ass"])
def test_ffmpeg_reads_back_what_was_written(kind: str, tmp_path: object, ffmpeg: str) -> None:
    import subprocess
    from pathlib import Path

    path = Path(str(tmp_path)) / f"a.{kind}"
    path.write_text(WRITERS[kind](SHOWN[:2], INFO), encoding="utf-8")
    said = subprocess.run(
        [ffmpeg, "-nostdin", "-loglevel", "error", "-i", path, "-f", "srt", "-"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    said = re.sub("<[^>]*>", "", said)  # the font of the style
    assert "00:00:00,000 --> 00:00:01,500\n雨下了一夜。" in said
    assert "00:00:01,500 --> 00:00:03,000" in said
    assert "从哪里来？" in said
