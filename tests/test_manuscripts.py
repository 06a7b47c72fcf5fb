"""The demo books and the house casts are what their README says, read by the code that makes them."""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path

import pytest

from common import places
from flows.castfile import load_cast
from flows.config import Book, load_book
from tasks.domain import Cast, Manuscript
from tasks.read.manuscript import read_manuscript
from tasks.script.lexicon import load_lexicon
from tasks.script.readings import Reader
from tasks.script.write import ScriptSettings, write_script
from tasks.speak.voices import VoiceLibrary

MANUSCRIPTS = places.HOME / "manuscripts"
BOOKS = ("ferry", "lighthouse")
CHAPTERS = {"ferry": 3, "lighthouse": 2}


def book(name: str) -> Book:
    return load_book(MANUSCRIPTS / name)


def manuscript(name: str) -> Manuscript:
    found = book(name)
    return read_manuscript(found.manuscript, language=found.language, title=found.title)


def voices_of(cast: Cast) -> set[str]:
    roles = (cast.narrator, *cast.characters)
    changed = {change.voice for role in roles for change in role.chapters.values()}
    return {*(role.voice for role in roles), *cast.defaults.values(), *cast.pool.voices, cast.english, *changed} - {
        "",
        None,
    }  # type: ignore[return-value]


def shipped_voices() -> set[str]:
    return {voice.id for voice in VoiceLibrary((places.VOICES / "profiles",)).offered()}


@pytest.mark.parametrize("name", BOOKS)
def test_a_demo_book_loads_with_all_its_files(name: str) -> None:
    found = book(name)
    assert found.slug == name
    assert found.engine == "kokoro"
    assert found.options.device == "cpu"
    assert found.formats == ("m4b", "mp3", "srt")
    assert found.info.author
    assert found.info.description
    assert found.info.cover is not None


@pytest.mark.parametrize("name", BOOKS)
def test_the_manuscript_is_plain_utf8(name: str) -> None:
    data = book(name).manuscript.read_bytes()
    assert not data.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in data
    assert data.endswith(b"\n")
    assert "\ufffd" not in data.decode("utf-8")


@pytest.mark.parametrize("name", BOOKS)
def test_the_manuscript_is_read_in_its_chapters_with_one_scene_break(name: str) -> None:
    read = manuscript(name)
    assert read.encoding == "utf-8"
    assert not read.warnings
    assert len(read.chapters) == CHAPTERS[name]
    assert all(chapter.heading is not None and chapter.title for chapter in read.chapters)
    breaks = [
        paragraph for chapter in read.chapters for paragraph in chapter.paragraphs if paragraph.kind == "scene_break"
    ]
    assert len(breaks) == 1


def test_the_chinese_chapters_are_a_few_minutes_each() -> None:
    lengths = [sum(len(paragraph.text) for paragraph in chapter.paragraphs) for chapter in manuscript("ferry").chapters]
    assert all(500 <= length <= 700 for length in lengths), lengths
    assert 1700 <= sum(lengths) <= 2000


def test_the_english_chapters_are_about_350_words_each() -> None:
    lengths = [sum(len(p.text.split()) for p in chapter.paragraphs) for chapter in manuscript("lighthouse").chapters]
    assert all(300 <= length <= 400 for length in lengths), lengths


def test_the_chinese_story_shows_what_the_front_end_can_do() -> None:
    text = book("ferry").manuscript.read_text(encoding="utf-8")
    for kind, pattern in {
        "date": r"\d{4}年\d+月\d+日", "time": r"\d:\d\d", "money": r"\d+块\d毛", "decimal": r"0\.5元",
        "thousands": r"1,200", "room": r"302室", "English": r"“[A-Z][a-z ]+[a-zA-Z ]+\.”",
    }.items():  # fmt: skip
        assert re.search(pattern, text), kind
    for polyphone in "重长行还得着了好为觉数调":
        assert polyphone in text
    assert text.count("“") == text.count("”")


@pytest.mark.parametrize("name", BOOKS)
def test_every_character_of_the_cast_is_in_the_story(name: str) -> None:
    found = book(name)
    text = found.manuscript.read_text(encoding="utf-8")
    assert len(found.cast.characters) == {"ferry": 3, "lighthouse": 2}[name]
    for role in found.cast.characters:
        for called in (role.name, *role.aliases):
            assert called in text or called.capitalize() in text, called
        assert role.gender in ("female", "male")


@pytest.mark.parametrize("name", BOOKS)
def test_everyone_has_a_voice_of_their_own(name: str) -> None:
    cast = book(name).cast
    voices = [cast.narrator.voice, *(role.voice for role in cast.characters)]
    assert len(set(voices)) == len(voices)


@pytest.mark.parametrize("name", BOOKS)
def test_the_casts_name_shipped_voices_only(name: str) -> None:
    assert voices_of(book(name).cast) <= shipped_voices()


@pytest.mark.parametrize("path", sorted((places.VOICES / "casts").glob("*.yaml")), ids=lambda path: path.stem)
def test_a_house_cast_loads_and_has_a_voice_for_anybody(path: Path) -> None:
    cast = load_cast(path)
    assert not cast.characters
    assert voices_of(cast) <= shipped_voices()
    assert set(cast.defaults) == {"female", "male"}
    assert cast.unknown == "pool"
    assert cast.narrator.voice not in cast.pool.voices


def test_there_is_a_house_cast_for_each_language() -> None:
    assert {path.stem for path in (places.VOICES / "casts").glob("*.yaml")} >= {"zh", "en"}


def test_the_lexicon_of_the_demo_names_words_of_the_demo() -> None:
    found = book("ferry")
    entries = [entry for path in found.lexicons for entry in load_lexicon(path)]
    text = found.manuscript.read_text(encoding="utf-8")
    assert entries
    for entry in entries:
        assert entry.word in text


@pytest.mark.parametrize("name", BOOKS)
def test_the_cover_is_a_whole_square_png_of_modest_size(name: str) -> None:
    cover = book(name).info.cover
    assert cover is not None
    data = cover.read_bytes()
    assert len(data) < 200_000
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, _colour, _, _, interlace = struct.unpack(">IIBBBBB", data[16:29])
    assert (width, height, depth, interlace) == (1400, 1400, 8, 0)
    at, pixels, last = 8, b"", b""
    while at < len(data):
        length, last = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        (checksum,) = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert checksum == zlib.crc32(last + body)
        pixels += body if last == b"IDAT" else b""
        at += 12 + length
    assert last == b"IEND"
    assert len(zlib.decompress(pixels)) % (height) == 0


def test_the_readme_names_every_book_and_the_licence() -> None:
    text = (MANUSCRIPTS / "README.md").read_text(encoding="utf-8")
    assert "CC0" in text
    for folder in MANUSCRIPTS.iterdir():
        if (folder / "book.yaml").exists() and folder.name in BOOKS:
            assert f"`{folder.name}/`" in text


def test_the_demo_reads_its_polyphones_right() -> None:
    found = book("ferry")
    reader = Reader(load_lexicon(*found.lexicons))
    for words, char, phones in [
        ("数了数木箱里的票钱", "数", "shu3"), ("长长地叹了口气", "长", "chang2"), ("个头还没长过船桨", "长", "zhang3"),
        ("一只重重的旅行包", "重", "zhong4"), ("把缆绳重新系了一遍", "重", "chong2"), ("走桥只要八分钟，坐船得半个多钟头", "得", "dei3"),
        ("怪不得，眼睛长得一模一样", "长", "zhang3"), ("背面有两行钢笔字", "行", "hang2"), ("下面那行洋文呢", "行", "hang2"),
        ("一只重重的旅行包", "行", "xing2"), ("欠秦师傅五毛，要还。", "还", "huan2"), ("顾老师还的", "还", "huan2"),
        ("我还能在这儿跟你说话", "还", "hai2"), ("不着急", "着", "zhao2"), ("她使劲地挥着手", "着", "zhe5"),
        ("小满数学好", "数", "shu4"), ("替他数着", "数", "shu3"), ("慢慢地调过头来", "调", "diao4"), ("她觉得过意不去", "觉", "jue2"),
        ("秦伯为了看清水路", "为", "wei4"), ("人家赶时间，是好事", "好", "hao3"),
    ]:  # fmt: skip
        said = {words[reading.start]: reading.phones for reading in reversed(reader.read(words))}
        assert said[char] == phones, words


def test_the_demo_knows_who_speaks() -> None:
    found = book("ferry")
    script = write_script(manuscript("ferry"), found.cast, ScriptSettings(), Reader().read)
    said = {
        line.spoken: line.speaker for chapter in script.chapters for line in chapter.lines if line.kind == "dialogue"
    }
    assert set(said.values()) == {"秦伯", "沈禾", "小满"}
    assert said["等一等！请等一等！"] == "沈禾"
    assert said["我都长了三年了！"] == "小满"
    assert said["等你再长高一点。"] == "秦伯"
    assert said["那个孩子，就是我妈妈。"] == "沈禾"
    assert said["干什么？"] == "小满"
    assert said["See you on the other side."] == "沈禾"


def test_the_english_demo_knows_who_speaks() -> None:
    found = book("lighthouse")
    script = write_script(manuscript("lighthouse"), found.cast, ScriptSettings(language="en"), Reader().read)
    said = {
        line.spoken: line.speaker for chapter in script.chapters for line in chapter.lines if line.kind == "dialogue"
    }
    assert set(said.values()) == {"Nora", "Amos"}
    assert said["Why did they switch it off?"] == "Nora"
    assert said["Somebody has to count the steps."] == "Amos"
