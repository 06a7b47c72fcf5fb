"""A series of two small books, made as a user makes them: one cast, the same voices."""

import json
from pathlib import Path
from typing import Any

from tests.flows.press import voicepress

SERIES = "title: 河上旧事\nauthor: 某人\ncast: cast.yaml\n"
CAST = """narrator: {voice: zf_xiaobei}
characters:
  老周:
    gender: male
    voice: zm_yunjian
    chapters: {"2-": {voice: zm_yunyang}}   # grown old
unknown: pool
pool: {female: [zf_xiaoxiao, zf_xiaoyi], male: [zm_yunxi, zm_yunxia]}
"""
ONE = """第一章 一

“过河吗？”老周问道。

“过河。”王秀英说道。她上了船。

“等等我！”张建国喊道。他跑了过来。

第二章 二

“到了。”老周说道。
"""
TWO = """第一章 一

“又是你。”老周笑道。

“是我。”张建国说道。他老了。

“还有我。”林晓兰说道。她也来了。
"""


def write_series(folder: Path) -> tuple[Path, Path]:
    folder.mkdir()
    (folder / "series.yaml").write_text(SERIES, encoding="utf-8")
    (folder / "cast.yaml").write_text(CAST, encoding="utf-8")
    for name, text, more in (("one", ONE, ""), ("two", TWO, "cast: own.yaml\n")):
        (folder / name).mkdir()
        (folder / name / "story.txt").write_text(text, encoding="utf-8")
        book = f"title: {name}\nlanguage: zh\nmanuscript: story.txt\nengine: tone\npublish: [m4b]\n{more}"
        (folder / name / "book.yaml").write_text(book, encoding="utf-8")
    (folder / "two" / "own.yaml").write_text(
        "characters:\n  林晓兰: {gender: female, voice: af_heart}\n", encoding="utf-8"
    )
    return folder / "one", folder / "two"


def voices(outputs: Path, book: str) -> dict[str, dict[str, Any]]:
    """By voice: the speakers and the number of lines."""
    receipt = json.loads((outputs / book / "receipt.json").read_text(encoding="utf-8"))
    return {voice["id"]: {"speakers": voice["speakers"], "lines": voice["lines"]} for voice in receipt["voices"]}


def test_two_books_of_a_series_have_one_cast_and_one_memory(tmp_path: Path, house: dict[str, str]) -> None:
    one, two = write_series(tmp_path / "river")
    done = voicepress("make", one, two, env=house)
    assert done.returncode == 0, done.stderr
    outputs = tmp_path / "outputs"
    first, second = voices(outputs, "one"), voices(outputs, "two")
    assert first["zm_yunjian"] == {"speakers": ["老周"], "lines": 1}
    assert first["zm_yunyang"] == {"speakers": ["老周"], "lines": 1}  # from chapter 2 on
    assert second["zm_yunjian"] == {"speakers": ["老周"], "lines": 1}
    memory = json.loads((outputs / "series-river" / "extras.json").read_text(encoding="utf-8"))["voices"]
    assert memory["张建国"] in ("zm_yunxi", "zm_yunxia")
    assert memory["王秀英"] in ("zf_xiaoxiao", "zf_xiaoyi")
    assert first[memory["张建国"]]["speakers"] == second[memory["张建国"]]["speakers"] == ["张建国"]
    assert second["af_heart"]["speakers"] == ["林晓兰"]  # whom the book's own cast adds

    again = voicepress("make", one, two, env=house)
    assert again.returncode == 0, again.stderr
    assert "0 recorded now" in again.stdout.splitlines()[0]
    assert voices(outputs, "one") == first
