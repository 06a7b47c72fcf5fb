"""HTML: what a reader sees is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import VoicepressError
from tasks.read.html import parse_bytes
from tasks.read.parsed import Parsed


def read(body: str, head: str = "") -> Parsed:
    return parse_bytes(
        f"<!DOCTYPE html><html lang='zh-CN'><head>{head}</head><body>{body}</body></html>".encode(), Path("b.html")
    )[1]


def texts(parsed: Parsed, chapter: int = 0) -> list[str]:
    return [paragraph.text for paragraph in parsed.chapters[chapter].paragraphs]


def left(parsed: Parsed, reason: str) -> list[str]:
    return [entry.text for entry in parsed.left_out if entry.reason == reason]


def test_headings_paragraphs_and_bare_text() -> None:
    parsed = read(
        "<h1>第一章<br>河边</h1><p>灯<b>亮</b>了。</p>裸文<div>内段<p>又一段</p>尾</div><h1>第二章</h1><p>走<br/>吧</p>"
    )
    assert [chapter.title for chapter in parsed.chapters] == ["第一章 河边", "第二章"]
    assert texts(parsed) == ["灯亮了。", "裸文", "内段", "又一段", "尾"]
    assert texts(parsed, 1) == ["走", "吧"]
    assert parsed.language == "zh-CN"


def test_scripts_styles_and_metadata_are_no_text() -> None:
    parsed = read(
        "<p>灯。</p><script>var a = '假';</script><style>p{}</style>",
        "<title>山里的灯</title><meta name=author content=柳下客>",
    )
    assert parsed.source == "灯。\n"
    assert (parsed.title, parsed.author) == ("山里的灯", "柳下客")


def test_whitespace_is_that_of_html() -> None:
    assert texts(read("<p>  the\n   lamps <i> were</i> lit&nbsp;&hellip; </p>")) == ["the lamps were lit\xa0…"]


def test_footnotes_ruby_hidden_text_navigation_and_pictures_are_left_out() -> None:
    parsed = read(
        "<nav><a href='#a'>目录</a></nav><p>临安<sup><a href='#n1'>[1]</a></sup>，<ruby>漢<rp>(</rp><rt>han</rt><rp>)</rp></ruby>字"
        "<span style='display: none'>暗</span><img src='http://x/y.png' alt='灯'>。</p><p>m<sup>2</sup>，他说<sup>①</sup>。</p>"
        "<p id='n1'>[1] 今杭州。</p>"
    )
    assert texts(parsed) == ["临安，漢字。", "m2，他说。"]
    assert left(parsed, "footnote-mark") == ["[1]", "①"]
    assert left(parsed, "footnote") == ["[1] 今杭州。"]
    assert left(parsed, "navigation") == ["目录"]
    assert left(parsed, "image") == ["灯"]
    assert left(parsed, "markup") == ["(", "han", ")", "暗"]


def test_links_to_headings_are_no_footnotes() -> None:
    assert (
        texts(read("<p>见<a href='#c2'>第二章</a>和<a href='#c3'>3</a>。</p><h2 id='c2'>第二章</h2><p>文</p>"))[0]
        == "见第二章和3。"
    )


def test_listings_are_left_out_and_preformatted_prose_is_read_by_lines() -> None:
    parsed = read("<pre><code>x = 1</code></pre><pre>灯亮了。\n他走了。</pre>")
    assert texts(parsed) == ["灯亮了。", "他走了。"]
    assert left(parsed, "code") == ["x = 1"]


def test_number_and_title_as_two_headings_are_one() -> None:
    parsed = read("<h1>第一章</h1><h2>河边</h2><p>甲</p><h1>第二章</h1><h2>渡口</h2><p>乙</p>")
    assert [chapter.title for chapter in parsed.chapters] == ["第一章 河边", "第二章 渡口"]


@pytest.mark.parametrize("codec", ["gb18030", "big5hkscs", "utf-16"])
def test_the_bytes_decide_the_encoding(codec: str) -> None:
    text = "他說：「我們走吧，天要黑了。」她沒有回答，只是看著河。"
    name, parsed = parse_bytes(
        f"<html><head><meta charset=utf-8></head><body><p>{text}</p></body></html>".encode(codec), Path("b.html")
    )
    assert texts(parsed) == [text]
    assert name.startswith(codec[:6])


def test_the_declared_encoding_counts_where_the_bytes_do_not_say() -> None:
    data = '<html><head><meta charset="windows-1251"></head><body><p>Огонь горит</p></body></html>'.encode("cp1251")
    assert texts(parse_bytes(data, Path("b.html"))[1]) == ["Огонь горит"]


def test_entities_and_outside_files_are_not_expanded(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("geheim", encoding="utf-8")
    data = f'<!DOCTYPE html [<!ENTITY x SYSTEM "{secret.as_uri()}">]><html><body><p>灯&x;</p></body></html>'.encode()
    assert "geheim" not in parse_bytes(data, Path("b.html"))[1].source


def test_text_that_the_parser_would_drop_is_an_error_or_is_read() -> None:
    for body in ("<div>" * 5000 + "灯", "<p>" + "灯" * 4_000_000 + "</p><p>末</p>"):
        try:
            parsed = read(body)
        except VoicepressError as error:
            assert error.code == "html-broken"  # noqa: PT017
        else:
            assert sum(len(text) for text in texts(parsed)) == body.count("灯") + body.count("末")
