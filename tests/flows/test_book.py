"""The whole press, as a user runs it: real files, real ffmpeg, a real server; the tone engine where speech does not matter."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from common.files import sha256_of
from tasks.speak.lock import EngineLock
from tests.flows.press import voicepress, write_book

TEXT = """第一章 清晨

天亮了，雾还没有散。

“过河吗？”老周问。

“过河。”阿南说，“我要去对岸。”

＊＊＊

太阳出来了。

第二章 黄昏

他们回来了。

“明天见。”老周说。
"""


def takes(outputs: Path) -> dict[str, int]:
    """Every recording with its inode: a take that was recorded again is another file."""
    return {path.name: path.stat().st_ino for path in sorted((outputs / "takes").rglob("*.flac"))}


def sound(outputs: Path, book: str = "book") -> dict[str, str]:
    """What makes the book the same book: samples and timelines."""
    files = sorted((outputs / book / "chapters").glob("*.flac")) + sorted((outputs / book / "chapters").glob("*.json"))
    return {path.name: sha256_of(path) for path in files}


@pytest.fixture
def made(tmp_path: Path, house: dict[str, str]) -> Path:
    """A finished book; the folder of outputs."""
    done = voicepress("make", write_book(tmp_path / "book", TEXT), env=house)
    assert done.returncode == 0, done.stderr
    return tmp_path / "outputs"


def test_a_manuscript_becomes_an_audiobook(made: Path) -> None:
    book = made / "book"
    names = sorted(path.name for path in (book / "publish").iterdir() if not path.name.startswith("."))
    assert names == [
        "001 第一章 清晨.mp3",
        "001 第一章 清晨.srt",
        "002 第二章 黄昏.mp3",
        "002 第二章 黄昏.srt",
        "试.m4b",
        "试.srt",
    ]
    receipt = json.loads((book / "receipt.json").read_text(encoding="utf-8"))
    assert [chapter["title"] for chapter in receipt["chapters"]] == ["第一章 清晨", "第二章 黄昏"]
    assert receipt["coverage"]["unexplained"] == 0
    assert receipt["flagged"] == []
    assert {voice["id"] for voice in receipt["voices"]} == {"zf_xiaobei", "zm_yunjian", "zm_yunxia"}
    for number in (1, 2):
        timeline = json.loads((book / "chapters" / f"00{number}.timeline.json").read_text(encoding="utf-8"))
        samples, rate = soundfile.read(book / "chapters" / f"00{number}.flac")
        assert (len(samples), rate) == (timeline["samples"], timeline["sample_rate"])
        assert np.abs(samples).max() < 10 ** (-3 / 20) + 1e-3
    assert "天亮了" in (book / "receipt.html").read_text(encoding="utf-8") or "清晨" in (
        book / "receipt.html"
    ).read_text(encoding="utf-8")


def test_making_again_changes_nothing(made: Path, tmp_path: Path, house: dict[str, str]) -> None:
    before = takes(made), sound(made), (made / "book" / "publish" / "试.m4b").stat().st_mtime_ns
    done = voicepress("make", tmp_path / "book", env=house)
    assert done.returncode == 0, done.stderr
    assert "0 recorded now" in done.stdout
    assert (takes(made), sound(made), (made / "book" / "publish" / "试.m4b").stat().st_mtime_ns) == before


def test_an_edited_line_is_recorded_alone_and_only_its_chapter_stitched(
    made: Path, tmp_path: Path, house: dict[str, str]
) -> None:
    script = made / "book" / "script" / "002.yaml"
    text = script.read_text(encoding="utf-8")
    edited, count = re.subn(
        r"(?m)^(    text: .*他们回来了。.*\n)(    spoken: .*\n)?", r"\1    spoken: 他们终于回来了。\n", text
    )
    assert count == 1, text
    script.write_text(edited, encoding="utf-8")
    before, chapters = takes(made), sound(made)
    stamp = (made / "book" / "chapters" / "001.flac").stat().st_mtime_ns
    done = voicepress("make", tmp_path / "book", env=house)
    assert done.returncode == 0, done.stderr
    after = takes(made)
    assert len(set(after) - set(before)) == 1
    assert {name: after[name] for name in before} == before
    assert {name for name, value in sound(made).items() if chapters[name] != value} == {"002.flac", "002.timeline.json"}
    assert (made / "book" / "chapters" / "001.flac").stat().st_mtime_ns == stamp
    assert "终于" in script.read_text(encoding="utf-8")


def test_another_voice_records_its_lines_alone_and_going_back_costs_nothing(
    made: Path, tmp_path: Path, house: dict[str, str]
) -> None:
    cast = tmp_path / "book" / "cast.yaml"
    first = cast.read_text(encoding="utf-8")
    before, chapters = takes(made), sound(made)
    cast.write_text(first.replace("zm_yunjian", "zm_yunyang"), encoding="utf-8")
    assert voicepress("make", tmp_path / "book", env=house).returncode == 0
    after = takes(made)
    assert len(set(after) - set(before)) == 2  # what 老周 says
    cast.write_text(first, encoding="utf-8")
    done = voicepress("make", tmp_path / "book", env=house)
    assert "0 recorded now" in done.stdout
    assert takes(made) == after
    assert sound(made) == chapters


def test_a_style_of_the_cast_records_its_lines_alone(made: Path, tmp_path: Path, house: dict[str, str]) -> None:
    cast = tmp_path / "book" / "cast.yaml"
    before = takes(made)
    cast.write_text(
        cast.read_text(encoding="utf-8").replace("voice: zm_yunxia", "voice: zm_yunxia, style: 用开心的语气说"),
        encoding="utf-8",
    )
    assert voicepress("make", tmp_path / "book", env=house).returncode == 0
    assert len(set(takes(made)) - set(before)) == 2  # what 阿南 says


def test_a_line_that_cannot_be_said_holds_back_its_chapter_and_nothing_else(
    tmp_path: Path, house: dict[str, str]
) -> None:
    book = write_book(tmp_path / "book", TEXT, settings="engine: {name: tone, extra: {fail_on: 太阳}}\n")
    done = voicepress("make", book, env=house)
    assert done.returncode == 1
    assert "lines-failed" in done.stderr
    assert "太阳出来了" in done.stderr
    assert "Traceback" not in done.stderr
    outputs = tmp_path / "outputs"
    assert sorted(sound(outputs)) == ["002.flac", "002.timeline.json"]
    assert not list((outputs / "book" / "publish").glob("*"))
    script = outputs / "book" / "script" / "001.yaml"
    text = script.read_text(encoding="utf-8")
    script.write_text(re.sub(r"(?m)^(    text: .*太阳出来了。.*\n)", r"\1    skip: true\n", text), encoding="utf-8")
    done = voicepress("make", book, env=house)
    assert done.returncode == 0, done.stderr
    receipt = json.loads((outputs / "book" / "receipt.json").read_text(encoding="utf-8"))
    assert receipt["coverage"]["left_out"]["skipped-by-user"] == len("太阳出来了。")


@pytest.mark.parametrize(
    ("spoil", "code", "says"),
    [
        (lambda folder: (folder / "story.txt").write_text(""), "empty", "story.txt"),
        (lambda folder: (folder / "story.txt").unlink(), "file-missing", "story.txt"),
        (
            lambda folder: (folder / "cast.yaml").write_text("schema: 1\nnarrator: {voice: nobody}\n"),
            "unknown-voice",
            "nobody",
        ),
        (lambda folder: (folder / "book.yaml").write_text("title: [\n"), "bad-yaml", "book.yaml"),
        (
            lambda folder: (folder / "story.txt").write_bytes(TEXT.encode() + b"\xff\xff\xff" + TEXT.encode()),
            "undecodable",
            "story.txt",
        ),
        (
            lambda folder: (folder / "book.yaml").write_text("schema: 1\nmanuscript: story.epub\n"),
            "file-missing",
            "story.epub",
        ),
    ],
)
def test_a_bad_book_is_one_clear_error(
    tmp_path: Path, house: dict[str, str], spoil: object, code: str, says: str
) -> None:
    book = write_book(tmp_path / "book", TEXT)
    spoil(book.parent)  # type: ignore[operator]
    done = voicepress("make", book, env=house)
    assert done.returncode == 1
    assert done.stderr.count("error [") == 1
    assert code in done.stderr
    assert says in done.stderr
    assert "to do:" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_chapter_without_text_is_kept_as_its_heading(tmp_path: Path, house: dict[str, str]) -> None:
    book = write_book(tmp_path / "book", TEXT + "\n第三章 空\n\n第四章 完\n\n结束了。\n")
    done = voicepress("make", book, env=house)
    assert done.returncode == 0, done.stderr
    assert len(sound(tmp_path / "outputs")) == 8


def test_a_folder_that_cannot_be_written_to_is_one_clear_error(tmp_path: Path, house: dict[str, str]) -> None:
    (tmp_path / "file").write_text("")
    done = voicepress(
        "make", write_book(tmp_path / "book", TEXT), env=house | {"VOICEPRESS_OUTPUTS": str(tmp_path / "file")}
    )
    assert done.returncode == 1
    assert "not-a-folder" in done.stderr
    assert "Traceback" not in done.stderr


def test_two_books_with_one_name_do_not_mix(tmp_path: Path, house: dict[str, str]) -> None:
    assert voicepress("make", write_book(tmp_path / "a" / "book", TEXT), env=house).returncode == 0
    done = voicepress("make", write_book(tmp_path / "b" / "book", TEXT), env=house)
    assert done.returncode == 1
    assert "folder-taken" in done.stderr
    assert "output:" in done.stderr


def test_several_books_go_on_when_one_fails(tmp_path: Path, house: dict[str, str]) -> None:
    bad = write_book(tmp_path / "bad", TEXT, settings="engine: {name: tone, extra: {fail_on: 天}}\n")
    good = write_book(tmp_path / "good", TEXT)
    done = voicepress("make", bad, good, env=house)
    assert done.returncode == 1
    assert "lines-failed" in done.stderr
    assert (tmp_path / "outputs" / "good" / "publish" / "试.m4b").is_file()


def test_a_second_process_waits_for_the_first(tmp_path: Path, house: dict[str, str]) -> None:
    book = write_book(tmp_path / "book", TEXT, settings="engine: {name: tone, extra: {delay_seconds: 0.5}}\nbatch: 1\n")
    both = [
        subprocess.Popen(
            [sys.executable, "-m", "flows.cli", "make", str(book)],
            env=house,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=600) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    recorded = sorted(int(re.search(r"(\d+) recorded now", out)[1]) for out, _ in said)  # type: ignore[index]
    assert recorded[0] == 0
    assert recorded[1] > 0


def test_damaged_recordings_are_recorded_anew_and_the_book_is_the_same(
    made: Path, tmp_path: Path, house: dict[str, str]
) -> None:
    whole = sound(made)
    truncated, flipped, lost = sorted((made / "takes").rglob("*.flac"))[:3]
    truncated.write_bytes(truncated.read_bytes()[:1000])
    data = bytearray(flipped.read_bytes())
    data[len(data) // 2] ^= 0xFF
    flipped.write_bytes(data)  # the same size: seen only when it is stitched
    lost.unlink()
    for chapter in (made / "book" / "chapters").glob("*.flac"):
        chapter.unlink()
    done = voicepress("make", tmp_path / "book", env=house)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert sound(made) == whole


@pytest.mark.slow
def test_a_book_waits_while_another_holds_the_engine(tmp_path: Path, house: dict[str, str]) -> None:
    books = [
        write_book(tmp_path / "a", "天亮了。\n\n船慢慢离开了岸，水声很轻。\n", settings="engine: kokoro\n"),
        write_book(tmp_path / "b", "下雨了。\n\n路上一个人也没有，只有风声。\n", settings="engine: kokoro\n"),
    ]
    with EngineLock("cpu", "a third book"):
        running = [
            subprocess.Popen(
                [sys.executable, "-m", "flows.cli", "make", str(book)],
                env=house,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for book in books
        ]
        for process in running:
            assert process.stderr is not None
            said = ""
            while "waiting until it is free" not in said:
                said = process.stderr.readline()
                assert said, "it ended without waiting"
            assert "a third book" in said  # it says for whom
            assert process.poll() is None
        assert not list((tmp_path / "outputs" / "takes").rglob("*.flac"))
    for process in running:
        _, rest = process.communicate(timeout=900)
        assert process.returncode == 0, rest


def test_a_rehearsal_never_takes_the_place_of_the_book(tmp_path: Path, house: dict[str, str]) -> None:
    book = write_book(tmp_path / "book", TEXT, settings="engine: {name: tone, extra: {delay_seconds: 0.001}}\n")
    assert voicepress("make", book, env=house).returncode == 0
    before = sound(tmp_path / "outputs"), takes(tmp_path / "outputs")
    text = book.read_text(encoding="utf-8")
    book.write_text(re.sub("engine: .*", "engine: kokoro", text), encoding="utf-8")
    done = voicepress("make", book, "--engine", "tone", env=house)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "outputs" / "book" / "as-tone" / "publish" / "试.m4b").is_file()
    assert (sound(tmp_path / "outputs"), takes(tmp_path / "outputs")) == before
