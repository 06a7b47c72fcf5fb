"""Where someone speaks, whatever marks the writer used or forgot."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.script.quotes import Quote, find


def spoken(*paragraphs: str, language: str = "zh") -> list[list[str]]:
    rows = zip(paragraphs, find(paragraphs, language), strict=True)
    return [[text[q.start : q.end] for q in row if q.speech] for text, row in rows]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他说：“走吧。”", ["“走吧。”"]),
        ("「走吧。」他说。", ["「走吧。」"]),
        ("『走吧。』他说。", ["『走吧。』"]),
        ('他说"走吧。"然后走了。', ['"走吧。"']),
        ("‘走吧。’他说。", ["‘走吧。’"]),
        ("“你好，”他说，“走吧。”", ["“你好，”", "“走吧。”"]),
        ("他问：“真的‘好’吗？”", ["“真的‘好’吗？”"]),
        ("「他说『好』。」", ["「他说『好』。」"]),
        ("他喊“救命”。", ["“救命”"]),
        ("“救命”他喊道。", ["“救命”"]),
        ("“走”", ["“走”"]),
        ("“滚！”、“出去！”人群喊着。", ["“滚！”", "“出去！”"]),
        ("她心想：“算了。”", ["“算了。”"]),
        ("他大叫“救命”。", ["“救命”"]),
        ("他说：“甲。”“乙。”", ["“甲。”", "“乙。”"]),
        ('“这里？"他问，“好。”', ['“这里？"', "“好。”"]),
        ("“你好，“他说。", ["“你好，“"]),
        ("”你好，”他说。", ["”你好，”"]),
    ],
)
def test_speech_is_found(text: str, expected: list[str]) -> None:
    assert spoken(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "所谓“自由”，不过如此。",
        "“自由”是什么？",
        "他对“自由”二字没有“感觉”。",
        "墙上写着“禁止吸烟”。",
        "他写了个“走”字。",
        "没有标记的一段。",
        "他叫“阿福”，是个哑巴。",
        "“砰！”枪响了。",
        "“砰！”",
        "门“吱呀”一声开了。",
        "他想起那句“天下没有不散的筵席”。",
        "他一口一个“大哥”，叫得亲热。",
        "空的“”引号。",
    ],
)
def test_terms_and_signs_are_no_speech(text: str) -> None:
    assert spoken(text) == [[]]


def test_a_quotation_over_paragraphs_with_repeated_marks() -> None:
    rows = find(["他说：“第一段。", "“第二段。", "“第三段。”他停了。"])
    assert [[q.continued for q in row] for row in rows] == [[False], [True], [True]]


def test_a_quotation_over_paragraphs_with_one_pair() -> None:
    assert spoken("他念道：“床前明月光，", "疑是地上霜。”", "完了。") == [["“床前明月光，"], ["疑是地上霜。”"], []]


def test_a_mark_never_closed_ends_with_its_paragraph() -> None:
    assert spoken("他说：“没关上", "天黑了。", "她说：“好。”") == [["“没关上"], [], ["“好。”"]]


def test_dashes_open_dialogue_where_there_are_no_marks() -> None:
    assert spoken("——你来了。", "——来了。——他说。——坐吧。", "天黑了。") == [
        ["——你来了。"],
        ["——来了。", "——坐吧。"],
        [],
    ]


def test_one_dash_alone_is_narration() -> None:
    assert spoken("——这是后话。", "天黑了。") == [[], []]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"Go," he said. "Now."', ['"Go,"', '"Now."']),
        ("“It’s ‘fine’,” she said.", ["“It’s ‘fine’,”"]),
        ("'Hello,' said Tom. 'I'm fine, don't worry.'", ["'Hello,'", "'I'm fine, don't worry.'"]),
        ("It was the boys' house.", []),
        ('He said "yes" and left.', []),
        ('The so-called "freedom" was gone.', []),
    ],
)
def test_english_marks(text: str, expected: list[str]) -> None:
    assert spoken(text, language="en") == [expected]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.text(alphabet="“”「」『』‘’\"'好，。——他说 ab", max_size=40), max_size=6), st.sampled_from(["zh", "en"])
)
def test_quotations_are_ordered_and_inside_their_paragraph(paragraphs: list[str], language: str) -> None:
    for text, row in zip(paragraphs, find(paragraphs, language), strict=True):
        at = 0
        for quote in row:
            assert isinstance(quote, Quote)
            assert at <= quote.start <= quote.end <= len(text)
            at = quote.end


def test_a_tag_behind_a_dash_line_is_narration() -> None:
    assert spoken("——来了吗？老罗问。", "——来了。", "——好。韩梅笑着说。") == [["——来了吗？"], ["——来了。"], ["——好。"]]
