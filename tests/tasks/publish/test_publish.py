"""Books published with the real ffmpeg and read back with mutagen and ffmpeg."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import mutagen.id3
import mutagen.mp3
import mutagen.mp4
import numpy as np
import pytest

from common.errors import VoicepressError
from tasks.domain import Acceptance, BookInfo, Deliverable, StitchedChapter
from tasks.publish.measure import measure
from tasks.publish.publish import FORMATS, publish_book

Maker = Callable[..., StitchedChapter]
FRAME_SECONDS = 1024 / 44_100


@pytest.fixture
def info(pictures: dict[str, Path]) -> BookInfo:
    return BookInfo("雨夜；#1=\\x", "余光", "小北", "zh-CN", "灯塔", "第一行；x=1\n第二行 #", "2026", pictures["png"])


@pytest.fixture
def chapters(chapter_maker: Maker) -> list[StitchedChapter]:
    return [
        chapter_maker(1, "楔子", seconds=3.123, onset=0.5),
        chapter_maker(2, "第一章 来信; #=\\?", volume="卷一", seconds=4.777, onset=0.8, hz=300),
        chapter_maker(3, "", seconds=5.01, onset=1.1, hz=500),
        chapter_maker(4, "Chapter 3: <Rain>", seconds=2.3456, onset=0.25, hz=600),
    ]


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".made.json"
    }


def of_kind(made: tuple[Deliverable, ...], kind: str) -> list[Path]:
    return [item.path for item in made if item.kind == kind]


def test_a_book_comes_out_whole(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path, decoded: Callable[[Path], np.ndarray]
) -> None:
    made = publish_book(info, chapters, preset, tmp_path / "publish")
    assert [item.kind for item in made] == ["m4b"] + ["mp3"] * 4 + ["srt"] * 5
    assert [item.path.name for item in made if item.kind == "mp3"] == [
        "001 楔子.mp3",
        "002 卷一 第一章 来信; #=_.mp3",
        "003 第3章.mp3",
        "004 Chapter 3 - _Rain_.mp3",
    ]
    for item in made:
        assert item.bytes == item.path.stat().st_size
    for path, chapter in zip(of_kind(made, "mp3"), chapters, strict=True):
        assert len(decoded(path)) / 44_100 == pytest.approx(chapter.timeline.samples / 24_000, abs=0.002)
    assert not list((tmp_path / "publish").rglob(".tmp-*"))


def test_every_chapter_mark_of_the_m4b_stands_on_its_chapter(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path, decoded: Callable[[Path], np.ndarray]
) -> None:
    (path,) = of_kind(publish_book(info, chapters, preset, tmp_path, ["m4b"]), "m4b")
    sound, book = decoded(path), mutagen.mp4.MP4(path)
    assert len(sound) / 44_100 == pytest.approx(book.info.length, abs=1e-3)
    marks = [mark.start for mark in book.chapters]
    assert marks[0] == 0.0
    for mark, chapter in zip(marks, chapters, strict=True):
        onset = chapter.timeline.cues[0].start / 24_000
        heard = int(np.argmax(np.abs(sound[round(mark * 44_100) :]) > 0.05)) / 44_100
        assert abs(heard - onset) <= FRAME_SECONDS + 0.002
    for start, end, chapter in zip(marks, [*marks[1:], book.info.length], chapters, strict=True):
        assert -1e-3 <= end - start - chapter.timeline.samples / 24_000 <= (2 if start else 3) * FRAME_SECONDS


def test_marks_do_not_drift_over_many_chapters(
    chapter_maker: Maker, preset: Any, tmp_path: Path, decoded: Callable[[Path], np.ndarray]
) -> None:
    chapters = [chapter_maker(i, f"第{i}章", seconds=1.0 + 0.0371 * (i % 17), onset=0.3) for i in range(1, 301)]
    (path,) = of_kind(publish_book(BookInfo("长"), chapters, preset, tmp_path, ["m4b"]), "m4b")
    sound = decoded(path)
    # the old kind of chapter list ends at 255; the chapter track that players read goes on, as ffmpeg shows
    said = subprocess.run(
        [os.environ.get("VOICEPRESS_FFMPEG") or _ffmpeg(), "-nostdin", "-i", path], capture_output=True, text=True
    ).stderr
    starts = [float(row.split("start ")[1].split(",")[0]) for row in said.splitlines() if "Chapter #" in row]
    assert len(starts) == 300
    for start in starts[1:]:
        heard = int(np.argmax(np.abs(sound[round(start * 44_100) :]) > 0.05)) / 44_100
        assert heard == pytest.approx(0.3, abs=0.004)


def _ffmpeg() -> str:
    import imageio_ffmpeg

    return str(imageio_ffmpeg.get_ffmpeg_exe())


def test_the_m4b_says_what_the_book_is(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path, probed: Callable[[Path], str]
) -> None:
    (path,) = of_kind(publish_book(info, chapters, preset, tmp_path, ["m4b"]), "m4b")
    book = mutagen.mp4.MP4(path)
    assert book.tags is not None
    tags = {key: book.tags[key][0] for key in book.tags}
    assert tags["©nam"] == tags["©alb"] == info.title
    assert tags["©ART"] == tags["aART"] == "余光"
    assert tags["©wrt"] == "小北"
    assert tags["©gen"] == "Audiobook"
    assert tags["©day"] == "2026"
    assert tags["©grp"] == "灯塔"
    assert tags["desc"] == info.description
    assert tags["stik"] == 2
    assert info.cover is not None
    assert bytes(tags["covr"]) == info.cover.read_bytes()
    assert [mark.title for mark in book.chapters] == ["楔子", "卷一 第一章 来信; #=\\?", "第3章", "Chapter 3: <Rain>"]
    said = probed(path)
    assert "M4B" in said
    assert "(zho): Audio: aac (LC)" in said
    assert "44100 Hz, mono" in said
    assert path.read_bytes().index(b"moov") < path.read_bytes().index(b"mdat")  # plays while it loads


@pytest.mark.parametrize("kind", ["png", "jpg"])
def test_an_mp3_says_what_it_is(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path, pictures: dict[str, Path], kind: str
) -> None:
    info = replace(info, cover=pictures[kind])
    paths = of_kind(publish_book(info, chapters, preset, tmp_path, ["mp3", "m4b"]), "mp3")
    tags = mutagen.id3.ID3(paths[1])
    assert tags.version == (2, 3, 0)
    assert str(tags["TIT2"]) == "卷一 第一章 来信; #=\\?"
    assert (str(tags["TALB"]), str(tags["TPE1"]), str(tags["TCOM"])) == (info.title, "余光", "小北")
    assert (str(tags["TRCK"]), str(tags["TDRC"]), str(tags["TLAN"])) == ("2/4", "2026", "zho")
    (picture,) = tags.getall("APIC")
    assert picture.data == pictures[kind].read_bytes()
    sound = mutagen.mp3.MP3(paths[1]).info
    assert (sound.sample_rate, sound.channels) == (44_100, 1)
    assert sound.bitrate == pytest.approx(96_000, rel=1e-3)


def test_a_book_without_cover_author_or_titles_works(chapter_maker: Maker, preset: Any, tmp_path: Path) -> None:
    made = publish_book(BookInfo("", language="en"), [chapter_maker(1)], preset, tmp_path / "out")
    assert [item.path.name for item in made] == ["untitled.m4b", "001 Chapter 1.mp3", "001 Chapter 1.srt"]


@pytest.mark.parametrize("title", ["a\\", "\\\\", "x\r\ny", "[CHAPTER]", "a=b;c#d", ";x", "\x07", " x "])
def test_no_title_breaks_the_tags_of_the_m4b(chapter_maker: Maker, preset: Any, tmp_path: Path, title: str) -> None:
    chapters = [chapter_maker(1, title, seconds=1.0), chapter_maker(2, "完", seconds=1.0)]
    info = BookInfo(title, title, title, "zh", title, title, "2026")
    (path,) = of_kind(publish_book(info, chapters, preset, tmp_path / "out", ["m4b"]), "m4b")
    book = mutagen.mp4.MP4(path)
    assert book.tags is not None
    wanted = title.rstrip("\\") + "＼" * (len(title) - len(title.rstrip("\\")))
    wanted = wanted.replace("\r", "").replace("\x07", "")
    assert book.tags.get("©nam", [""])[0].strip() == wanted.strip()
    assert book.tags["©day"] == ["2026"]
    assert [mark.title.strip() for mark in book.chapters] == [wanted.strip(), "完"]


def test_subtitles_fit_the_chapter(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path
) -> None:
    path = of_kind(publish_book(info, chapters, preset, tmp_path, ["srt"]), "srt")[0]
    assert path.read_text(encoding="utf-8").startswith("1\n00:00:00,500 --> ")
    assert "“你是谁？”她问。" in path.read_text(encoding="utf-8")


def test_the_same_book_gives_the_same_bytes(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path
) -> None:
    for name, workers in (("a", 1), ("b", 4)):
        publish_book(info, chapters, preset, tmp_path / name, workers=workers)
    first, second = (snapshot(tmp_path / name) for name in "ab")
    assert {name: data for name, (_, data) in first.items()} == {name: data for name, (_, data) in second.items()}


def test_what_stands_is_kept(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = publish_book(info, chapters, preset, tmp_path / "out")
    before = snapshot(tmp_path / "out")
    monkeypatch.setenv("VOICEPRESS_FFMPEG", "/nothing/at/all")  # proof that nothing is encoded
    assert publish_book(info, chapters, preset, tmp_path / "out") == first
    assert snapshot(tmp_path / "out") == before


def test_a_changed_chapter_alone_is_encoded_again(
    info: BookInfo, chapters: list[StitchedChapter], chapter_maker: Maker, preset: Any, tmp_path: Path
) -> None:
    publish_book(info, chapters, preset, tmp_path / "out")
    before = snapshot(tmp_path / "out")
    chapters[2] = chapter_maker(3, "", seconds=4.5, hz=700)
    publish_book(info, chapters, preset, tmp_path / "out")
    after = snapshot(tmp_path / "out")
    assert after.keys() == before.keys()
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {".parts/003.aac", "003 第3章.mp3", "003 第3章.srt", "雨夜；#1=_x.m4b", "雨夜；#1=_x.srt"}


def test_changed_tags_cost_no_encoding_of_the_m4b_parts(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path
) -> None:
    publish_book(info, chapters, preset, tmp_path / "out", ["m4b"])
    before = snapshot(tmp_path / "out")
    (path,) = of_kind(publish_book(replace(info, author="某"), chapters, preset, tmp_path / "out", ["m4b"]), "m4b")
    after = snapshot(tmp_path / "out")
    assert {name for name in after if after[name] != before[name]} == {path.name}


def test_another_preset_is_heeded(
    info: BookInfo, chapters: list[StitchedChapter], other_preset: Callable[..., Any], tmp_path: Path
) -> None:
    publish_book(info, chapters, other_preset(), tmp_path / "out", ["mp3"])
    made = publish_book(info, chapters, other_preset(mp3_kbps=192, sample_rate_hz=48_000), tmp_path / "out", ["mp3"])
    sound = mutagen.mp3.MP3(made[0].path).info
    assert sound.sample_rate == 48_000
    assert sound.bitrate == pytest.approx(192_000, rel=1e-3)


def test_a_damaged_or_deleted_file_is_made_again(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path
) -> None:
    made = publish_book(info, chapters, preset, tmp_path / "out")
    before = {name: data for name, (_, data) in snapshot(tmp_path / "out").items()}
    made[1].path.write_bytes(made[1].path.read_bytes()[:-1] + b"?")
    made[2].path.unlink()
    (tmp_path / "out" / ".parts" / "002.aac").unlink()
    publish_book(info, chapters, preset, tmp_path / "out")
    assert {name: data for name, (_, data) in snapshot(tmp_path / "out").items()} == before


def test_our_stale_files_go_and_all_others_stay(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    publish_book(info, chapters, preset, out)
    (out / "notes.txt").write_text("mine")
    (out / "099 mine.mp3").write_text("mine")
    chapters[0] = replace(chapters[0], title="序", fingerprint="new")
    publish_book(replace(info, title="新名"), chapters[:3], preset, out, ["m4b", "mp3"])
    names = {path.name for path in out.iterdir()}
    assert {"新名.m4b", "001 序.mp3", "notes.txt", "099 mine.mp3"} <= names
    assert not {"雨夜；#1=_x.m4b", "001 楔子.mp3", "004 Chapter 3 - _Rain_.mp3"} & names
    assert "001 楔子.srt" in names  # subtitles were not asked for this time


def test_a_record_that_names_files_outside_removes_nothing_there(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path
) -> None:
    out, outside = tmp_path / "out", tmp_path / "precious.mp3"
    outside.write_text("precious")
    publish_book(info, chapters, preset, out, ["mp3"])
    record = json.loads((out / ".made.json").read_text(encoding="utf-8"))
    record["files"]["../precious.mp3"] = {"kind": "mp3", "fingerprint": "x", "bytes": 8, "sha256": "x", "frames": 0}
    (out / ".made.json").write_text(json.dumps(record), encoding="utf-8")
    publish_book(info, chapters, preset, out, ["mp3"])
    assert outside.read_text() == "precious"


@pytest.mark.parametrize(
    "record",
    ["", "[]", "{", '{"schema": 1}', '{"schema": 1, "files": {"a": {"kind": 1}}}', '{"schema": 9, "files": {}}'],
)
def test_a_record_that_cannot_be_read_costs_only_time(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path, record: str
) -> None:
    publish_book(info, chapters[:1], preset, tmp_path / "out", ["mp3"])
    (tmp_path / "out" / ".made.json").write_text(record)
    (made,) = publish_book(info, chapters[:1], preset, tmp_path / "out", ["mp3"])
    assert made.path.is_file()


@pytest.mark.parametrize("word", ["libmp3lame", "adts", "ipod"])
def test_an_encoder_that_fails_leaves_the_earlier_files(
    info: BookInfo,
    chapters: list[StitchedChapter],
    preset: Any,
    other_preset: Callable[..., Any],
    tmp_path: Path,
    failing_ffmpeg: Callable[[str], None],
    word: str,
) -> None:
    publish_book(info, chapters, preset, tmp_path / "out")
    before = snapshot(tmp_path / "out")
    failing_ffmpeg(word)
    with pytest.raises(VoicepressError) as caught:
        publish_book(info, chapters, other_preset(mp3_kbps=64, aac_kbps=48), tmp_path / "out")
    assert caught.value.code == "encoder-failed"
    assert "on strike" in caught.value.what
    after = snapshot(tmp_path / "out")
    assert after.keys() == before.keys()
    spared = {"libmp3lame": ".mp3", "adts": ".aac", "ipod": ".m4b"}[word]
    for name in before:
        if name.endswith((spared, ".m4b")):
            assert after[name] == before[name]


def test_an_encoder_that_writes_too_little_is_caught(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "ffmpeg"
    script.write_text(
        f'#!/bin/bash\nargs=("$@"); last="${{args[-1]}}"; unset "args[-1]"\nexec {_ffmpeg()} "${{args[@]}}" -t 1 "$last"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("VOICEPRESS_FFMPEG", str(script))
    for kind in ("mp3", "m4b"):
        with pytest.raises(VoicepressError, match="shorter"):
            publish_book(info, chapters, preset, tmp_path / "out", [kind])


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], capture_output=True)
    if made.returncode:
        pytest.skip("a file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk_is_one_clear_error_and_leaves_what_stood(
    chapter_maker: Maker, preset: Any, small_disk: Path
) -> None:
    short = chapter_maker(1, "一", seconds=2.0)
    publish_book(BookInfo("书"), [short], preset, small_disk)
    before = snapshot(small_disk)
    long = chapter_maker(1, "一", seconds=60.0)
    with pytest.raises(VoicepressError) as caught:
        publish_book(BookInfo("书"), [long], preset, small_disk, ["mp3"])
    assert caught.value.code == "disk-full"
    assert snapshot(small_disk) == before


def test_what_cannot_be_made_is_said_before_work_begins(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path, pictures: dict[str, Path]
) -> None:
    out = tmp_path / "out"
    for code, call in {
        "unknown-format": lambda: publish_book(info, chapters, preset, out, ["ogg"]),
        "no-feed-url": lambda: publish_book(info, chapters, preset, out, ["rss"]),
        "nothing-to-publish": lambda: publish_book(info, [], preset, out),
        "bad-cover": lambda: publish_book(replace(info, cover=pictures["gif"]), chapters, preset, out),
    }.items():
        with pytest.raises(VoicepressError) as caught:
            call()
        assert caught.value.code == code
    assert not out.exists()


def test_what_a_killed_run_left_half_written_is_cleared_away(chapter_maker: Maker, preset: Any, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / ".parts").mkdir(parents=True)
    old, parts_old, young = out / ".tmp-a.m4b", out / ".parts" / ".tmp-b.aac", out / ".tmp-c.mp3"
    for path in (old, parts_old, young):
        path.write_bytes(b"half")
    for path in (old, parts_old):
        os.utime(path, (1, 1))
    publish_book(BookInfo("书"), [chapter_maker(1)], preset, out, ["srt"])
    assert [path.exists() for path in (old, parts_old, young)] == [False, False, True]


def test_every_format_comes_out_of_one_run(
    info: BookInfo, chapters: list[StitchedChapter], other_preset: Callable[..., Any], tmp_path: Path
) -> None:
    preset = other_preset(sample_seconds=2.0)
    made = publish_book(info, chapters, preset, tmp_path, FORMATS, feed_url="https://example.org/b")
    count = {kind: len(of_kind(made, kind)) for kind in (*FORMATS, "sample")}
    assert count == {
        "m4b": 1, "mp3": 4, "opus": 4, "flac": 4, "wav": 4, "srt": 5, "vtt": 5, "lrc": 5, "ass": 5, "epub": 1,
        "audiobookshelf": 3, "rss": 1, "sample": 1,
    }  # fmt: skip
    for item in made:
        assert item.path.stat().st_size == item.bytes > 0
    before = snapshot(tmp_path)
    again = publish_book(info, chapters, preset, tmp_path, FORMATS, feed_url="https://example.org/b")
    assert (again, snapshot(tmp_path)) == (made, before)


def test_what_is_asked_for_no_longer_is_left_but_what_is_stale_goes(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path
) -> None:
    publish_book(info, chapters, preset, tmp_path, ["vtt", "epub"])
    assert (tmp_path / ".parts" / "001.mp3").is_file()  # an epub alone needs mp3s that nobody asked for
    publish_book(info, chapters[:2], preset, tmp_path, ["vtt"])
    assert sorted(path.name for path in tmp_path.glob("*.vtt")) == [
        "001 楔子.vtt", "002 卷一 第一章 来信; #=_.vtt", "雨夜；#1=_x.vtt",
    ]  # fmt: skip
    assert list(tmp_path.glob("*.epub"))


def test_subtitles_of_the_whole_book_stand_where_the_m4b_sounds(
    chapter_maker: Maker, preset: Any, tmp_path: Path, decoded: Callable[[Path], np.ndarray]
) -> None:
    chapters = [
        chapter_maker(i, f"第{i}章", seconds=1.5 + 0.0371 * (i % 17), onset=0.4, texts=["嗯。"]) for i in range(1, 81)
    ]
    made = publish_book(BookInfo("长"), chapters, preset, tmp_path, ["m4b", "srt"])
    (m4b,), whole = of_kind(made, "m4b"), of_kind(made, "srt")[-1]
    sound = decoded(m4b)
    rows = [row.split(" --> ")[0] for row in whole.read_text(encoding="utf-8").splitlines() if " --> " in row]
    assert len(rows) == 80
    for row in rows:
        hours, minutes, seconds = row.replace(",", ".").split(":")
        at = int(hours) * 3600 + int(minutes) * 60 + float(seconds)
        before = np.abs(sound[round((at - 0.15) * 44_100) : round((at - 0.02) * 44_100)])
        after = np.abs(sound[round((at + 0.02) * 44_100) : round((at + 0.15) * 44_100)])
        assert before.max() < 0.02 < 0.1 < after.max()  # within 20 ms, in the 80th chapter as in the first


@pytest.mark.parametrize("kind", ["opus", "flac", "wav"])
def test_each_kind_of_sound_says_what_it_is(
    info: BookInfo, chapters: list[StitchedChapter], preset: Any, tmp_path: Path, kind: str, probed: Callable[[Path], str],
    decoded: Callable[[Path], np.ndarray],
) -> None:  # fmt: skip
    paths = of_kind(publish_book(info, chapters, preset, tmp_path, [kind]), kind)
    said = probed(paths[1])
    assert "卷一 第一章 来信; #=\\?" in said
    assert "雨夜" in said
    assert {"opus": "48000 Hz, mono", "flac": "44100 Hz, mono, s32 (24 bit)", "wav": "pcm_s24le"}[kind] in said
    assert "Video" in said  # the cover
    assert len(decoded(paths[1])) / 44_100 == pytest.approx(4.777, abs=0.005)


def test_an_overshoot_of_the_encoder_is_taken_off(
    chapter_maker: Maker, other_preset: Callable[..., Any], tmp_path: Path, probed: Callable[[Path], str]
) -> None:
    chapter = chapter_maker(1, hz=3000.0)  # peaks at -14 dB
    preset = other_preset(accept=Acceptance(true_peak_dbtp=-20.0))
    (mp3,) = publish_book(BookInfo("书"), [chapter], preset, tmp_path, ["mp3"])
    assert mp3.true_peak_dbtp == pytest.approx(-20.0, abs=0.1)
    assert mp3.true_peak_dbtp <= -20.0
    assert mp3.faults == ()
    assert measure(mp3.path).true_peak_dbtp == pytest.approx(mp3.true_peak_dbtp, abs=0.01)


def test_a_file_that_misses_its_preset_is_delivered_and_says_so(
    chapters: list[StitchedChapter], other_preset: Callable[..., Any], tmp_path: Path
) -> None:
    preset = other_preset(accept=Acceptance(loudness_lufs=(-10.0, -9.0), max_minutes=0.07))
    made = publish_book(BookInfo("书"), chapters, preset, tmp_path, ["m4b", "mp3"])
    m4b, first, _, third, _ = made
    assert first.faults == (f"loudness {first.loudness_lufs:.2f} LUFS, not -10 to -9",)
    assert third.faults[1:] == ("length 0.08 min, over 0.07",)
    assert len(m4b.faults) == 4  # a whole book may be long, but each chapter of it is as quiet
    assert m4b.faults[0].startswith("chapter 1: loudness")
    assert (
        publish_book(BookInfo("书"), chapters, preset, tmp_path, ["m4b", "mp3"]) == made
    )  # remembered, not measured anew
