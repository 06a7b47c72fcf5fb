"""The reference's text front end."""

import json
from pathlib import Path

import pytest

from engines.cosyvoice3.frontend import normalise, number_in_words, split

SHARED = Path(__file__).parents[3].parent / "shared/cosyvoice3-parity"


def words(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("今天 的 very good 天气，", "今天的very good天气。"),
        ("面积5m²（约）——【完】", "面积5m平方约 完"),
        ("A - B 三个 - 选项", "A，B三个-选项"),
        ("第一行\n第二行", "第一行第二行"),
        ("It costs 42 dollars", "It costs forty-two dollars"),
        ("[HH][AH0][L][OW1] 7", "[HH][AH0][L][OW1] seven"),
        ("你是<|endofprompt|>原样 123", "你是<|endofprompt|>原样 123"),
        ("", ""),
    ],
)
def test_normalise(text, expected):
    assert normalise(text) == expected


def test_tags_lose_their_digits_where_upstream_loses_them():
    assert normalise("[AH0] 7", keep_tags=False) == "[AHzero] seven"


def test_split_adds_a_final_mark_and_drops_what_has_no_words():
    assert split("前后空白", words) == ["前后空白。"]
    assert split("Hello", words) == ["Hello."]
    assert split("...", words) == []
    assert split("。。。", words) == []
    assert split("”。", words) == []


def test_long_texts_are_cut_between_sentences_and_nothing_is_lost():
    text = "".join(f"这是第{'一二三四五六七八九'[number % 9]}句话它有一点长。" for number in range(30))
    pieces = split(text, words)
    assert "".join(pieces) == text
    assert all(20 <= len(piece) <= 80 + 20 for piece in pieces)


def test_a_short_rest_joins_the_segment_before():
    text = "这句话正好有三十个字所以两句话就是六十多个字的样子了吧对不对。" * 3 + "好。"
    pieces = split(text, words)
    assert pieces[-1].endswith("好。")
    assert len(pieces[-1]) > 20


@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        ("0", "zero"), ("000", "zero"), ("007", "seven"), ("19", "nineteen"), ("20", "twenty"), ("100", "one hundred"),
        ("105", "one hundred and five"), ("1005", "one thousand and five"), ("1105", "one thousand, one hundred and five"),
        ("1005000", "one million, five thousand"), ("1000005", "one million and five"),
        ("123456", "one hundred and twenty-three thousand, four hundred and fifty-six"), ("42", "forty-two"),
        ("1" + "0" * 40, "one" + " zero" * 40), ("４２", "forty-two"),
    ],
)  # fmt: skip
def test_numbers_in_words(digits, expected):
    assert number_in_words(digits) == expected


@pytest.mark.skipif(not SHARED.is_dir(), reason="the golden files are not here")
def test_golden_texts():
    tokenizers = pytest.importorskip("engines.cosyvoice3.tokens")
    pytest.importorskip("tokenizers")
    tokenizer = tokenizers.TextTokenizer(SHARED / "tiny-model/CosyVoice-BlankEN")
    for case in json.loads((SHARED / "golden/text_frontend.json").read_text(encoding="utf-8")):
        text = case["text"]
        ours = split(text, lambda piece: len(tokenizer.encode(piece))) if case["split"] else normalise(text)
        assert ours == case["result"]
