"""``voicepress lint``: all that is wrong at once, with its place, and nothing touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from common.terminal import width
from flows.cli import main
from flows.lint import lint
from flows.plan import plan_book
from flows.problems import COLUMNS, Problem, render, wrapped
from tests.flows.press import write_book

TEXT = """第一章 渡口

老周低声说：“船来了。”

“上去吧。”阿南说。

他们上了船。

“你们去哪儿？”

没有人回答。

第二章 对岸

天亮了，雾散了。

老周大声喊道：“到了！”
"""


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOICEPRESS_OUTPUTS", str(tmp_path / "outputs"))
    return write_book(tmp_path / "library/ferry", TEXT)


def script_of(book: Path) -> Path:
    return book.parents[2] / "outputs/ferry/script"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, text
    path.write_text(text.replace(old, new), encoding="utf-8")


def row_of(path: Path, text: str) -> int:
    return next(row for row, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if text in line)


def found(problems: list[Problem]) -> list[tuple[str, str, str, int | None]]:
    return [(one.level, one.code, Path(one.file).name, one.line) for one in problems]


def state(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_book_without_a_script_is_looked_at_and_left_alone(book: Path) -> None:
    before = state(book.parents[2])
    problems = lint([book])
    assert not [one for one in problems if one.level == "error"]
    assert ("warning", "style-left-out") in {(one.level, one.code) for one in problems}
    assert state(book.parents[2]) == before


def test_every_mistake_of_every_script_file_is_told_with_its_row(book: Path) -> None:
    plan_book(book, measure=False)
    one, two = script_of(book) / "001.yaml", script_of(book) / "002.yaml"
    edit(one, "    text: “船来了。”\n", "    text: “船来了。”\n    spedd: 2\n    speed: schnell\n")
    edit(one, "    text: 他们上了船。\n", f"    text: 他们上了船。\n    spoken: {'长' * 200}\n")
    edit(two, "    text: 天亮了，雾散了。\n", "    text: 天亮了，雾散了。\n    reading: 天亮了\n    take: 200\n")
    before = state(book.parents[2])
    problems = [problem for problem in lint([book]) if problem.level == "error"]
    assert found(problems) == [
        ("error", "bad-script", "001.yaml", row_of(one, "spedd")),
        ("error", "bad-script", "001.yaml", row_of(one, "speed: schnell")),
        ("error", "line-too-long", "001.yaml", row_of(one, "spoken: 长长")),
        ("error", "bad-script", "002.yaml", row_of(two, "take: 200")),
        ("error", "bad-reading", "002.yaml", row_of(two, "reading: 天亮了")),
    ]
    assert problems[0].hint == "did you mean 'speed'?"
    assert state(book.parents[2]) == before


def test_what_is_doubtful_is_a_warning(book: Path) -> None:
    plan_book(book, measure=False)
    one, two = script_of(book) / "001.yaml", script_of(book) / "002.yaml"
    edit(one, "    text: 没有人回答。\n", "    text: 没有人回答。\n    speaker: 老州\n    style: 像一只企鹅\n")
    edit(two, "    text: 天亮了，雾散了。\n", "    text: 天亮了，雾散了。\n    style: 缓慢\n    pause: 1\n")
    (book.parent / "story.txt").write_text(TEXT.replace("天亮了，雾散了。", "下了三天的雨停在黄昏。"), encoding="utf-8")
    problems = lint([book])
    codes = {(problem.level, problem.code): problem for problem in problems}
    assert codes["warning", "script-stale"].what.startswith("chapter files 002 ")
    assert "天亮了，雾散了。" in codes["warning", "orphans-waiting"].what
    stranger = codes["error", "unknown-speaker"]
    assert (stranger.line, Path(stranger.file).name) == (row_of(one, "老州"), "001.yaml")
    assert "老周" in stranger.hint
    assert any("像一只企鹅" in problem.what and problem.line == row_of(one, "企鹅") for problem in problems)
    assert not (script_of(book) / "orphans.yaml").exists()


def test_every_mistake_of_book_cast_and_lexicon_is_told(book: Path) -> None:
    book.write_text(
        "schema: 1\ntitel: x\nmanuscript: story.txt\nretakes: 99\ncast: cast.yaml\nlexicon: lexicon.yaml\n", "utf-8"
    )
    cast = book.parent / "cast.yaml"
    cast.write_text("schema: 1\nnarrator: {voice: zf_xiaobei, sped: 1}\ncharacters:\n  老周: {speed: 9}\n", "utf-8")
    lexicon = book.parent / "lexicon.yaml"
    lexicon.write_text("schema: 1\nentries:\n  重庆: chong2\n  天: tian1\n  长江: xxx9 jiang1\n", "utf-8")
    places = {(Path(one.file).name, one.line) for one in lint([book])}
    assert places == {
        ("book.yaml", 2), ("book.yaml", 4), ("cast.yaml", 2), ("cast.yaml", 4), ("lexicon.yaml", 3), ("lexicon.yaml", 5),
    }  # fmt: skip


def test_voices_that_nobody_has_are_told_where_the_cast_names_them(book: Path) -> None:
    cast = book.parent / "cast.yaml"
    cast.write_text(
        "schema: 1\nnarrator: {voice: zf_xiaobei}\ncharacters:\n  老周: {voice: zm_yunjan}\n  阿南:\n    voice: nobody\n",
        "utf-8",
    )
    problems = [one for one in lint([book]) if one.level == "error"]
    assert found(problems) == [("error", "unknown-voice", "cast.yaml", 4), ("error", "unknown-voice", "cast.yaml", 6)]
    assert "zm_yunjian" in problems[0].hint


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("cast.yaml", "narrator: {voice: x}\ncharacters: {老周: {speed: 9}}\n", 2),
        ("lexicon.yaml", "entries:\n  重庆: chong2\n", 2),
        ("styles.yaml", "zh:\n  - {says: x, style: y, mood: odd}\n", 2),
        ("series.yaml", "title: a\nautor: b\n", 2),
        ("cast.yaml", "narrator: [\n", 2),
        ("lexicon.yaml", "entries:\n  天: tian1\n  天: tian2\n", 3),
        ("lexicon.yaml", "entries: [\n", 2),
    ],
)
def test_a_file_can_be_looked_at_alone(tmp_path: Path, name: str, text: str, line: int) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert [(Path(one.file).name, one.line) for one in lint([tmp_path / name])] == [(name, line)]


def test_a_script_file_alone_knows_its_book(book: Path) -> None:
    plan_book(book, measure=False)
    edit(script_of(book) / "001.yaml", "    text: 他们上了船。\n", "    text: 他们上了船。\n    speed: 9\n")
    edit(script_of(book) / "002.yaml", "    text: 天亮了，雾散了。\n", "    text: 天亮了，雾散了。\n    speed: 9\n")
    assert {Path(one.file).name for one in lint([script_of(book) / "002.yaml"])} == {"002.yaml"}


def test_the_command_ends_with_one_where_there_are_errors(book: Path) -> None:
    plan_book(book, measure=False)
    runner = CliRunner()
    assert runner.invoke(main, ["lint", str(book.parent)]).exit_code == 0
    edit(script_of(book) / "001.yaml", "    text: 他们上了船。\n", "    text: 他们上了船。\n    skip: maybe\n")
    shown = runner.invoke(main, ["lint", str(book.parent), "--json"])
    assert shown.exit_code == 1
    value = json.loads(shown.output)
    assert value["errors"] == 1
    assert value["problems"][0]["key"] == "skip"


def test_rows_fit_a_hundred_columns_and_lose_nothing() -> None:
    long = Problem("error", "bad", "很长的一句话，" * 40 + "word " * 30, "/a/" + "b" * 150, 7, hint="改" * 120)
    rows = render([long]).splitlines()
    assert max(width(row) for row in rows) <= COLUMNS
    text = "abc 你好 " * 60
    assert "".join(wrapped(text, 2)).replace(" ", "") == text.replace(" ", "")


def test_a_cast_laid_over_that_of_the_series_is_looked_at_as_such(tmp_path: Path) -> None:
    (tmp_path / "series.yaml").write_text("title: 渡\ncast: all.yaml\n", encoding="utf-8")
    (tmp_path / "all.yaml").write_text(
        "narrator: {voice: zf_xiaobei}\ncharacters: {老周: {voice: zm_yunjian, aliases: [周伯]}}\n", encoding="utf-8"
    )
    book = write_book(tmp_path / "one", "第一章\n\n雾散了。\n", cast="characters:\n  阿南: {aliases: [周伯]}\n")
    (problem,) = lint([book])
    assert (problem.what, Path(problem.file).name, problem.line) == (
        "the cast: '周伯' names both 老周 and 阿南",
        "cast.yaml",
        2,
    )
    (book.parent / "cast.yaml").write_text("characters: {阿南: {voice: zm_yunxia}}\n", encoding="utf-8")
    assert lint([book.parent / "cast.yaml"]) == []
