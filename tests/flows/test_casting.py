"""``voicepress cast``: who is in a book, which voices are proposed, and casts written without harm."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from common import places
from common.terminal import width
from flows.castfile import load_cast
from flows.casting import Casting
from flows.casting_page import COLUMNS
from flows.cli import main
from flows.desk import Desk
from tests.flows.press import write_book

TEXT = """第一章 清晨

“过河吗？”老周问道。

“过河。”林晓兰说道，“我要去对岸。”

“我也去！”小满喊道。

“船钱三块。”老周说道。老周笑了笑。

“太贵了！”王秀英喊道。

“两块。”老周说道。

＊＊＊

“到了。”老周说道。

第二章 黄昏

“谢谢你。”林晓兰说道。她转身走了。

“再见！”小满喊道。
"""
CAST = "narrator: {voice: zf_xiaobei}\ncharacters:\n  老周: {gender: male, voice: zm_yunxi}\nunknown: error\n"


@pytest.fixture(autouse=True)
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOICEPRESS_OUTPUTS", str(tmp_path / "outputs"))
    return tmp_path / "outputs"


def book(tmp_path: Path, cast: str = CAST) -> Path:
    return write_book(tmp_path / "book", TEXT, cast=cast, settings="engine: tone\nlanguage: zh\n")


def asked(*arguments: object) -> Result:
    done = CliRunner().invoke(main, ["cast", *map(str, arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def test_everybody_who_speaks_is_found_with_lines_and_a_voice(tmp_path: Path) -> None:
    report = Casting.open(book(tmp_path)).report()
    found = {one.name: one for one in report.characters}
    assert set(found) == {"老周", "林晓兰", "小满", "王秀英"}
    assert [found[name].lines for name in ("老周", "林晓兰", "小满", "王秀英")] == [4, 3, 2, 1]
    assert (found["老周"].voice, Path(found["老周"].file).name) == ("zm_yunxi", "cast.yaml")
    assert {found[name].file for name in ("林晓兰", "小满", "王秀英")} == {""}
    assert found["小满"].voice == "zm_yunxia"  # the boy's voice
    assert {found["林晓兰"].voice, found["王秀英"].voice} == {"zf_xiaoxiao", "zf_xiaoyi"}
    assert found["林晓兰"].chapter == 1
    assert report.dialogue == 10


def test_voices_that_run_out_are_shared_outside_of_scenes(tmp_path: Path) -> None:
    women = ["王秀英", "李桂芳", "陈玉莲", "赵金花"]
    text = "第一章 一\n\n" + "\n\n＊＊＊\n\n".join(f"“好。”{name}说道。\n\n“是。”{name}说道。" for name in women) + "\n"
    cast = "narrator: {voice: zf_xiaobei}\nunknown: error\n"
    report = Casting.open(
        write_book(tmp_path / "women", text, cast=cast, settings="engine: tone\nlanguage: zh\n")
    ).report()
    voices = {one.name: one.voice for one in report.characters}
    assert set(voices) == set(women)
    assert "zf_xiaobei" not in voices.values()
    own = [one for one in report.characters if not one.shares]
    assert len({one.voice for one in own}) == len(own) == 2
    assert all(one.shares in women for one in report.characters if one.shares)


def test_the_terminal_shows_it_in_a_hundred_columns(tmp_path: Path) -> None:
    shown = asked(book(tmp_path)).output
    assert max(width(row) for row in shown.splitlines() if not row.startswith("cast: ")) <= COLUMNS
    for part in ("老周", "zm_yunxi", "cast.yaml", "proposed", "in no cast: 3, an error in 'make'"):
        assert part in shown
    found = json.loads(asked(book(tmp_path), "--json").output)
    assert next(one["name"] for one in found["characters"]) == "老周"


def test_written_they_can_be_spoken_and_nothing_else_has_changed(tmp_path: Path) -> None:
    cast = "# my cast\nnarrator: {voice: zf_xiaobei}   # she reads\ncharacters:\n  老周:\n    voice: zm_yunxi   # deep\n\nunknown: error\n"
    path = book(tmp_path, cast)
    said = asked(path, "--write").output
    assert said.startswith("3 characters added to ")
    after = (tmp_path / "book" / "cast.yaml").read_text(encoding="utf-8")
    rows = after.splitlines()
    assert [*rows[:5], *rows[8:]] == cast.splitlines()
    assert "  林晓兰: {gender: female, voice: zf_xiao" in rows[5]
    casting = Casting.open(path)
    casting.desk.require_speakable(casting.script)
    assert asked(path, "--write").output.startswith("nothing to add to ")
    assert (tmp_path / "book" / "cast.yaml").read_text(encoding="utf-8") == after


def test_a_cast_that_is_named_and_not_there_yet_is_written(tmp_path: Path) -> None:
    path = book(tmp_path)
    (tmp_path / "book" / "cast.yaml").unlink()
    said = asked(path, "--write").output
    assert "characters written to " in said
    assert "say 'cast:" not in said
    cast = load_cast(tmp_path / "book" / "cast.yaml")
    assert {role.name for role in cast.characters} >= {"林晓兰", "小满", "王秀英"}
    assert (cast.narrator.voice, cast.unknown) == ("zf_xiaobei", "pool")


def test_a_file_of_ones_own_choice_is_written_and_the_rest_is_said(tmp_path: Path) -> None:
    said = asked(book(tmp_path), "--write", tmp_path / "book" / "extra.yaml").output
    assert "say 'cast: extra.yaml' in " in said
    assert len(load_cast(tmp_path / "book" / "extra.yaml").characters) == 3
    before = (tmp_path / "book" / "extra.yaml").read_bytes()
    again = asked(tmp_path / "book", "--write", tmp_path / "book" / "extra.yaml")  # not named in book.yaml yet
    assert again.exit_code == 0
    assert again.output.startswith("nothing to add to ")
    assert "say 'cast: extra.yaml' in " in again.output
    assert (tmp_path / "book" / "extra.yaml").read_bytes() == before


def test_what_is_no_cast_file_is_left_alone(tmp_path: Path) -> None:
    path = book(tmp_path)
    before = path.read_bytes()
    done = asked(path, "--write", path)
    assert done.exit_code == 1
    assert path.read_bytes() == before


def test_the_lines_of_one_speaker(tmp_path: Path) -> None:
    rows = asked(book(tmp_path), "--lines", "老周").output.splitlines()
    assert len(rows) == 6
    assert [row.split()[0] for row in rows[2:]] == ["1"] * 4
    assert "“过河吗？”" in rows[2]
    done = asked(book(tmp_path), "--lines", "老舟")
    assert done.exit_code == 1
    assert "did you mean '老周'?" in done.stderr
    assert len(json.loads(asked(book(tmp_path), "--lines", "林晓兰", "--json").output)) == 3


def test_unsure_lines_are_listed_with_how_to_settle_them(tmp_path: Path) -> None:
    sure = asked(book(tmp_path, CAST + "unsure_below: 0\n"), "--unsure").output
    assert sure == "no line has a speaker below 0\n"
    path = book(tmp_path, CAST + "unsure_below: 1\n")
    found = json.loads(asked(path, "--unsure", "--json").output)
    assert found
    assert {"chapter", "id", "text", "guess", "confidence", "rule", "other", "chance", "near", "script"} == set(
        found[0]
    )
    shown = asked(path, "--unsure").output
    assert found[0]["id"] in shown
    assert "set its 'speaker:'" in shown
    assert Path(found[0]["script"]).is_file()
    assert max(width(row) for row in shown.splitlines()) <= COLUMNS or str(tmp_path) in shown


def test_one_question_at_a_time(tmp_path: Path) -> None:
    assert asked(book(tmp_path), "--unsure", "--lines", "老周").exit_code == 2


def test_a_book_without_a_cast_is_proposed_one_over_the_houses(tmp_path: Path) -> None:
    path = book(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("cast: cast.yaml\n", ""), encoding="utf-8")
    (tmp_path / "book" / "cast.yaml").unlink()
    said = asked(path, "--write").output
    assert "say 'cast: cast.yaml' in " in said
    path.write_text(path.read_text(encoding="utf-8") + "cast: cast.yaml\n", encoding="utf-8")
    casting = Casting.open(path)
    assert all(one.file for one in casting.report().characters)
    assert isinstance(casting.desk, Desk)


def test_the_demo_is_cast_as_a_person_would(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    story = (places.HOME / "manuscripts" / "ferry" / "story.txt").read_text(encoding="utf-8")
    (tmp_path / "demo" / "story.txt").write_text(story, encoding="utf-8")
    (tmp_path / "demo" / "book.yaml").write_text("manuscript: story.txt\ncast: cast.yaml\n", encoding="utf-8")
    assert "written to" in asked(tmp_path / "demo", "--write").output
    cast = load_cast(tmp_path / "demo" / "cast.yaml")
    voices = {role.name: role.voice for role in cast.characters}
    assert {"秦伯", "沈禾", "小满"} <= set(voices)
    assert cast.narrator.voice == "zf_xiaobei"
    assert len({"zf_xiaobei", *(voices[name] for name in ("秦伯", "沈禾", "小满"))}) == 4
    assert voices["秦伯"] in ("zm_yunjian", "zm_yunyang")
    assert voices["沈禾"].startswith("zf_")
