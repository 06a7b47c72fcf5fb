"""What is settled about speakers before anything is recorded: errors that list them all, and the extras' memory."""

import json
from pathlib import Path

import pytest

from common.errors import VoicepressError
from flows.casting import Casting
from flows.settling import yaml_key
from tests.flows.press import write_book

NAMES = ["王秀英", "李桂芳", "张建国", "刘志强"]
POOL = "pool: [zf_xiaoxiao, zf_xiaoyi, zm_yunxi, zm_yunyang, zm_yunxia]\n"


@pytest.fixture(autouse=True)
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOICEPRESS_OUTPUTS", str(tmp_path / "outputs"))
    return tmp_path / "outputs"


def text(*names: str) -> str:
    said = "\n\n".join(f"“第{n}句。”{name}说道。{name}笑了。" for n, name in enumerate(names, 1))
    return f"第一章 一\n\n天亮了。\n\n{said}\n"


def settled(folder: Path, story: str, cast: str = "") -> tuple[tuple[str, ...], dict[str, str]]:
    """The notes, and who has which voice."""
    path = write_book(
        folder, story, cast=f"narrator: {{voice: zf_xiaobei}}\n{cast}", settings="engine: tone\nlanguage: zh\n"
    )
    casting = Casting.open(path)
    notes = casting.desk.require_speakable(casting.script)
    voices = {
        line.speaker: casting.desk.utterance_of(line, chapter.number, 0)[0].voice.id
        for chapter in casting.script.chapters
        for line in chapter.lines
        if line.kind == "dialogue"
    }
    return notes, voices


def refused(folder: Path, story: str, cast: str = "") -> VoicepressError:
    with pytest.raises(VoicepressError) as caught:
        settled(folder, story, cast)
    return caught.value


def test_all_speakers_without_a_cast_are_one_error_with_the_lines_to_paste(tmp_path: Path) -> None:
    error = refused(tmp_path / "book", text(*NAMES, "张建国"), "characters: {刘志强: {voice: zm_yunxi}}\n")
    assert error.code == "unknown-speaker"
    assert "3 speakers (4 lines): 张建国 (2), 王秀英 (1), 李桂芳 (1)" in error.what
    assert (error.file, error.key) == (str(tmp_path / "book" / "cast.yaml"), "characters")
    assert error.rows[0] == "characters:"
    assert error.rows[1].startswith("  张建国: {")
    assert error.rows[1].endswith("# 2 lines, first in chapter 1: “第3句。”")
    assert len(error.rows) == 4
    pasted = "\n".join(row.replace("voice: }", "voice: zm_yunyang}") for row in error.rows[1:])
    assert (
        settled(tmp_path / "book", text(*NAMES), f"characters:\n  刘志强: {{voice: zm_yunxi}}\n{pasted}\n")[1]["张建国"]
        == "zm_yunyang"
    )


@pytest.mark.parametrize(
    ("unknown", "voice"), [("unknown: narrator\n", "zf_xiaobei"), ("unknown: pool\npool: [zm_yunxi]\n", "zm_yunxi")]
)
def test_a_cast_may_say_who_reads_for_them(tmp_path: Path, unknown: str, voice: str) -> None:
    assert set(settled(tmp_path / "book", text("王秀英"), unknown)[1].values()) == {voice}


def test_a_name_mistyped_in_the_script_is_told_with_the_name_meant(tmp_path: Path, outputs: Path) -> None:
    cast = "characters:\n" + "".join(f"  {name}: {{voice: zm_yunxi}}\n" for name in NAMES)
    settled(tmp_path / "book", text(*NAMES), cast)
    script = outputs / "book" / "script" / "001.yaml"
    script.write_text(
        script.read_text(encoding="utf-8").replace("speaker: 张建国", "speaker: 张建囯"), encoding="utf-8"
    )
    error = refused(tmp_path / "book", text(*NAMES), cast)
    assert "1 speaker (1 line): 张建囯 (1)" in error.what
    assert "did you mean '张建国'?" in error.rows[0]
    assert "001.yaml" in error.rows[0]
    notes, _ = settled(tmp_path / "book", text(*NAMES), cast + "unknown: narrator\n")
    assert any("'张建囯' (chapter 1" in note and "'张建国'" in note for note in notes)


def test_lines_nobody_is_sure_of_may_be_one_error(tmp_path: Path) -> None:
    cast = POOL + "unsure: error\nunsure_below: 1\n"
    error = refused(tmp_path / "book", text(*NAMES), cast)
    assert error.code == "unsure-speaker"
    assert len(error.rows) == 4
    assert "001.yaml" in error.rows[0]
    notes, voices = settled(tmp_path / "book", text(*NAMES), POOL + "unsure: narrator\nunsure_below: 1\n")
    assert set(voices.values()) == {"zf_xiaobei"}
    assert any(
        f"of 4 lines the speaker is not sure: 'voicepress cast {tmp_path}/book --unsure'" in note for note in notes
    )


def test_an_extra_keeps_the_voice_when_text_and_pool_change(tmp_path: Path, outputs: Path) -> None:
    _, first = settled(tmp_path / "book", text(*NAMES[:3]), POOL)
    assert len(set(first.values())) == 3
    memory = outputs / "book" / "extras.json"
    assert json.loads(memory.read_text(encoding="utf-8"))["voices"] == first
    wider = POOL.replace("[", "[zm_yunjian, ")
    _, second = settled(tmp_path / "book", text("刘志强", *reversed(NAMES[:3])), wider)
    assert {name: second[name] for name in first} == first
    assert len(set(second.values())) == 4
    settled(tmp_path / "book", text("刘志强"), wider)  # who is gone for a while is not forgotten
    assert settled(tmp_path / "book", text(*NAMES), wider)[1] == second


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"schema": 99, "voices": {"张建国": "zm_yunxi"}}', '{"schema": 1, "voices": 3}']
)
def test_a_damaged_memory_is_forgotten(tmp_path: Path, outputs: Path, damage: str) -> None:
    _, first = settled(tmp_path / "book", text(*NAMES), POOL)
    (outputs / "book" / "extras.json").write_text(damage, encoding="utf-8")
    assert settled(tmp_path / "book", text(*NAMES), POOL)[1] == first


def test_too_few_voices_are_told(tmp_path: Path) -> None:
    notes, voices = settled(tmp_path / "book", text(*NAMES), "pool: [zm_yunxi, zf_xiaoyi]\n")
    assert set(voices.values()) == {"zm_yunxi", "zf_xiaoyi"}
    assert any(note.startswith("the pool has too few voices: 2 speakers share one in a scene") for note in notes)


def test_a_series_remembers_and_a_later_book_changes_no_earlier_one(tmp_path: Path, outputs: Path) -> None:
    (tmp_path / "series.yaml").write_text("title: 河\n", encoding="utf-8")
    _, one = settled(
        tmp_path / "one", text("王秀英") + "\n＊＊＊\n\n“好。”张建国说道。张建国笑了。\n", "pool: [zm_yunxi]\n"
    )
    assert one == {"王秀英": "zm_yunxi", "张建国": "zm_yunxi"}  # never in one scene
    _, two = settled(tmp_path / "two", text("张建国", "王秀英"), "pool: [zm_yunxi, zm_yunyang]\n")
    assert two == {"张建国": "zm_yunxi", "王秀英": "zm_yunyang"}
    _, three = settled(tmp_path / "three", text("王秀英"), "pool: [zm_yunyang, zm_yunxi]\n")
    assert three == {"王秀英": "zm_yunxi"}
    again = settled(
        tmp_path / "one",
        text("王秀英") + "\n＊＊＊\n\n“好。”张建国说道。张建国笑了。\n",
        "pool: [zm_yunxi, zm_yunyang]\n",
    )
    assert again[1] == one
    memory = outputs / f"series-{tmp_path.name}" / "extras.json"
    assert json.loads(memory.read_text(encoding="utf-8"))["voices"] == one


def test_two_series_of_one_name_do_not_share_a_memory(tmp_path: Path) -> None:
    for house in ("a", "b"):
        (tmp_path / house / "river").mkdir(parents=True)
        (tmp_path / house / "river" / "series.yaml").write_text("title: 河\n", encoding="utf-8")
    settled(tmp_path / "a" / "river" / "one", text("王秀英"), POOL)
    error = refused(tmp_path / "b" / "river" / "two", text("王秀英"), POOL)
    assert error.code == "folder-taken"
    assert "rename the series' folder" in error.hint


@pytest.mark.parametrize(
    ("name", "key"),
    [("张三", "张三"), ("no", '"no"'), ("Mr. Bell", '"Mr. Bell"'), ("1998", '"1998"'), ('a"b', '"a\\"b"')],
)
def test_names_are_quoted_where_yaml_would_take_them_otherwise(name: str, key: str) -> None:
    assert yaml_key(name) == key


def test_a_voice_that_nobody_has_is_named_with_its_line(tmp_path: Path) -> None:
    error = refused(tmp_path / "book", text("王秀英"), "unknown: pool\npool: [zm_yunxi, zm_yunxo]\n")
    assert (error.code, error.file, error.line, error.key) == (
        "unknown-voice", str(tmp_path / "book" / "cast.yaml"), 3, "pool",
    )  # fmt: skip
    assert "did you mean zm_yunxi" in error.hint


def test_a_roles_own_way_with_a_mood_reaches_the_engine(tmp_path: Path) -> None:
    cast = "characters:\n  老周: {gender: male, voice: zm_yunxi, style: 平静地说, moods: {angry: 咬着牙说}}\n"
    path = write_book(
        tmp_path / "book", "第一章 一\n\n“滚！”老周愤怒地吼道。\n\n“你走吧。”老周说道。\n",
        cast=f"narrator: {{voice: zf_xiaobei}}\n{cast}", settings="engine: tone\nlanguage: zh\n",
    )  # fmt: skip
    casting = Casting.open(path)
    casting.desk.require_speakable(casting.script)
    lines = [line for line in casting.script.chapters[0].lines if line.speaker == "老周"]
    assert [casting.desk.utterance_of(line, 1, 0)[0].style for line in lines] == ["咬着牙说", "平静地说"]


def test_a_book_in_which_nobody_speaks_needs_nobody(tmp_path: Path, outputs: Path) -> None:
    notes, voices = settled(tmp_path / "book", "第一章 一\n\n天亮了。\n", POOL)
    assert (notes, voices) == ((), {})
    assert not (outputs / "book" / "extras.json").exists()
