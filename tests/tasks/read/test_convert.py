"""Traditional text is read as simplified where asked, and every span still holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import VoicepressError
from tasks.read.account import gaps, untrue
from tasks.read.convert import to_simplified
from tasks.read.manuscript import read_manuscript
from tasks.read.store import load, save


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("山裡的燈一盞一盞地亮了，後來皇后也走了。", "山里的灯一盏一盏地亮了，后来皇后也走了。"),
        ("乾淨的乾坤", "干净的乾坤"),
        ("甚麼都沒有，他祇是看著。", "什么都没有，他只是看着。"),
        ("牠們跟著妳", "它们跟着你"),
        ("神祇", "神祇"),
        ("他看著她，沉著地說著話，穿著新衣，接著睡著了。", "他看着她，沉着地说着话，穿着新衣，接着睡着了。"),
        ("著名的名著，顯著的成就，著作等身", "著名的名著，显著的成就，著作等身"),
        ("著急的土著們", "着急的土著们"),
        ("原著是他寫的，見微知著", "原著是他写的，见微知著"),
    ],
)
def test_words_decide(text: str, wanted: str) -> None:
    assert to_simplified(text) == wanted


@given(st.text(max_size=60) | st.text("甚麼祇牠著名看燈亮後乾淨瞭解藉口髮發裡，。\n", max_size=60))
def test_the_length_never_changes(text: str) -> None:
    assert len(to_simplified(text)) == len(text)


def test_source_and_spans_stay_and_the_store_keeps_it(write: Callable[..., Path], tmp_path: Path) -> None:
    text = "卷一 風\n第一話 燈火\n　　他看著燈，甚麼也沒說。\n\u200b　　「走\u200b吧。」她說。\n"
    manuscript = read_manuscript(write(text), convert="simplified")
    chapter = manuscript.chapters[0]
    assert manuscript.source == text
    assert (chapter.title, chapter.volume) == ("第一话 灯火", "卷一 风")
    assert [paragraph.text for paragraph in chapter.paragraphs] == ["他看着灯，什么也没说。", "「走吧。」她说。"]
    span = chapter.paragraphs[0].source_span(1, 4)
    assert text[span.start : span.end] == "看著燈"
    assert gaps(manuscript) == untrue(manuscript) == []
    save(manuscript, tmp_path / "m.json")
    assert load(tmp_path / "m.json") == manuscript
    assert read_manuscript(write(text)).chapters[0].title == "第一話 燈火"


def test_an_unknown_conversion_is_an_error(write: Callable[..., Path]) -> None:
    with pytest.raises(VoicepressError) as caught:
        read_manuscript(write("灯"), convert="klingon")
    assert caught.value.key == "convert"
