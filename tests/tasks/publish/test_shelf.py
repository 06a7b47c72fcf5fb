from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mutagen.mp4
import pytest
from lxml import etree

from tasks.domain import BookInfo, StitchedChapter
from tasks.publish.publish import publish_book
from tasks.publish.shelf import Episode, feed

ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"


@pytest.fixture
def info(pictures: dict[str, Path]) -> BookInfo:
    return BookInfo("雨夜: 上", "余光/著", "小北", "zh-CN", "灯塔", "一句 <话> & 。", "2026", pictures["png"])


def test_an_audiobookshelf_item_has_book_cover_and_true_chapter_times(
    info: BookInfo, chapter_maker: Callable[..., StitchedChapter], preset: Any, tmp_path: Path
) -> None:
    chapters = [chapter_maker(1, "一"), chapter_maker(2, "二", seconds=5.5), chapter_maker(3, "三")]
    made = publish_book(info, chapters, preset, tmp_path, ["audiobookshelf"])
    place = tmp_path / "audiobookshelf" / "余光_著" / "雨夜 - 上"
    assert [item.path for item in made] == [place / "雨夜 - 上.m4b", place / "cover.png", place / "metadata.json"]
    book = mutagen.mp4.MP4(place / "雨夜 - 上.m4b")
    said = json.loads((place / "metadata.json").read_text(encoding="utf-8"))
    assert (said["title"], said["authors"], said["narrators"], said["series"]) == (
        "雨夜: 上",
        ["余光/著"],
        ["小北"],
        ["灯塔"],
    )
    assert (said["publishedYear"], said["language"]) == ("2026", "zh-CN")
    assert [row["title"] for row in said["chapters"]] == ["一", "二", "三"]
    for row, mark in zip(said["chapters"], book.chapters, strict=True):
        assert row["start"] == pytest.approx(mark.start, abs=0.001)
    assert said["chapters"][-1]["end"] == pytest.approx(book.info.length, abs=0.001)


def test_a_feed_names_every_chapter_in_order_with_its_size(
    info: BookInfo, chapter_maker: Callable[..., StitchedChapter], preset: Any, tmp_path: Path
) -> None:
    made = publish_book(info, [chapter_maker(1, "一 & 二"), chapter_maker(2)], preset, tmp_path, ["rss"], feed_url="https://a.example/x/")  # fmt: skip
    tree = etree.fromstring((tmp_path / "feed.xml").read_bytes())
    mp3s = [item for item in made if item.kind == "mp3"]
    rows = tree.findall(".//item")
    assert [row.findtext("title") for row in rows] == ["一 & 二", "第2章"]
    for row, mp3 in zip(rows, mp3s, strict=True):
        enclosure = row.find("enclosure")
        assert enclosure is not None
        assert enclosure.get("length") == str(mp3.bytes)
        assert enclosure.get("url", "").startswith("https://a.example/x/00")
        assert " " not in enclosure.get("url", "")
    assert tree.find(f"channel/{ITUNES}image").get("href") == "https://a.example/x/cover.png"  # type: ignore[union-attr]
    assert (tmp_path / "cover.png").is_file()


def test_episodes_are_dated_in_the_order_of_the_book() -> None:
    from email.utils import parsedate_to_datetime

    rows = [Episode(str(n), f"{n}.mp3", 10, 60.0, f"g{n}") for n in range(1, 131)]
    dates = [
        parsedate_to_datetime(row.findtext("pubDate") or "")
        for row in etree.fromstring(feed(BookInfo("书"), rows, "https://a.example").encode()).findall(".//item")
    ]
    assert dates == sorted(dates)
    assert len(set(dates)) == 130
