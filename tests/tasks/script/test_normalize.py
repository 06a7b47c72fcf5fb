"""Figures, signs and marks as they are said, and the way back to the written text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.script.normalize import Normalized, language_of, normalize
from tests.tasks.script.tn_table import bare, rows

ZH = [
    ("5月2日", "五月二日"), ("2024年5月2日", "二零二四年五月二日"), ("1998年", "一九九八年"), ("1000年前", "一千年前"),
    ("1998-2001年", "一九九八到二零零一年"), ("公元前202年", "公元前二零二年"), ("3月份", "三月份"), ("2个月", "两个月"),
    ("早上8:30", "早上八点三十分"), ("0:00", "零点"), ("14:05", "十四点零五分"), ("9:00-17:00", "九点到十七点"),
    ("比分是3:2", "比分是三比二"), ("以2-0获胜", "以二比零获胜"), ("按1:3勾兑", "按一比三勾兑"),
    ("￥99.9元", "九十九点九元"), ("$5", "五美元"), ("12.9英寸", "十二点九英寸"), ("1.5倍", "一点五倍"),
    ("1980s", "一九八零年代"), ("90年代", "九十年代"), ("F-16战机", "F十六战机"), ("COVID-19", "COVID十九"), ("5G手机", "五G手机"),
    ("他说666。", "他说六六六。"), ("666个人", "六百六十六个人"), ("他给我发了520。", "他给我发了五二零。"), ("520元", "五百二十元"),
    ("编号9527", "编号九五二七"), ("QQ号12345678", "QQ号一二三四五六七八"), ("拨打110", "拨打幺幺零"), ("302室", "三零二室"),
    ("13912345678", "幺三九幺二三四五六七八"), ("代号007", "代号零零七"),
    ("+10", "加十"), ("-5℃", "负五摄氏度"), ("½杯", "二分之一杯"), ("3‰", "千分之三"), ("①②", "一二"), ("第Ⅲ部", "第三部"), ("10万+", "十万加"),
    ("100%", "百分之一百"), ("30%-50%", "百分之三十到百分之五十"), ("2两酒", "二两酒"), ("2人", "两人"), ("第2章", "第二章"), ("22次", "二十二次"),
    ("3-5天", "三到五天"), ("2~3个", "两到三个"), ("60km/h", "每小时六十公里"), ("12kg", "十二千克"), ("175cm", "一百七十五厘米"),
    ("1/3", "三分之一"), ("2分之1", "二分之一"), ("好😀的", "好的"), ("８月", "八月"), ("1,234元", "一千二百三十四元"), ("A&B", "A和B"),
]  # fmt: skip

EN = [
    ("in 1998", "in nineteen ninety eight"), ("the 1980s", "the nineteen eighties"), ("the '60s", "the 'sixties"), ("May 5, 1998", "May fifth, nineteen ninety eight"),
    ("5 May 1905", "the fifth of May nineteen oh five"), ("the 21st century", "the twenty first century"), ("$3.50", "three dollars fifty cents"),
    ("£1", "one pound"), ("$2 million", "two million dollars"), ("at 8:30", "at eight thirty"), ("at 8:05 p.m.", "at eight oh five PM."), ("at 9:00", "at nine o'clock"),
    ("Mr. Smith", "Mister Smith"), ("Dr. Brown", "Doctor Brown"), ("St. Paul", "Saint Paul"), ("Baker St. was", "Baker Street was"),
    ("50%", "fifty percent"), ("1,234 men", "one thousand two hundred and thirty four men"), ("3.14", "three point one four"), ("Chapter IV", "Chapter four"),
    ("Henry VIII", "Henry the Eighth"), ("12kg", "twelve kilograms"), ("salt & pepper", "salt and pepper"), ("4 1/2 miles", "four and a half miles"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "spoken"), ZH)
def test_chinese_figures(written: str, spoken: str) -> None:
    assert bare(normalize(written, "zh").spoken) == bare(spoken)


@pytest.mark.parametrize(("written", "spoken"), EN)
def test_english_figures(written: str, spoken: str) -> None:
    assert bare(normalize(written, "en").spoken) == bare(spoken)


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("“你好！”", "你好！"),
        ("《三体》第一部", "三体第一部"),
        ("他说——不行", "他说，不行"),
        ("我想……算了", "我想，算了"),
        ("“我想……”", "我想。"),
        ("什么？！", "什么？"),
        ("好～～", "好。"),
        ("他（那个人）走了。", "他，那个人，走了。"),
        ("约翰·史密斯", "约翰史密斯"),
        ("她[h][ào]干净[breath]", "她[h][ào]干净[breath]"),
    ],
)
def test_chinese_marks(written: str, spoken: str) -> None:
    assert normalize(written, "zh").spoken == spoken


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("“Stop!” he said.", "Stop! he said."),
        ("Don’t—please—go.", "Don’t, please, go."),
        ("Well... maybe.", "Well, maybe."),
        ("the boys' house", "the boys' house"),
        ("He (the boy) left.", "He, the boy, left."),
    ],
)
def test_english_marks(written: str, spoken: str) -> None:
    assert normalize(written, "en").spoken == spoken


@pytest.mark.parametrize(
    ("text", "language"),
    [("你好", "zh"), ("Hello there", "en"), ("他用iPhone15 Pro", "zh"), ("……", "zh"), ("OK OK OK 好", "en")],
)
def test_language_by_script(text: str, language: str) -> None:
    assert language_of(text, "zh") == language


def test_the_alignment_leads_back_to_the_written_text() -> None:
    said = normalize("他有3.5元。", "zh")
    assert said.spoken == "他有三点五元。"
    number = next(s for s in said.spans if "三" in said.spoken[s.spoken_start : s.spoken_end])
    assert "3.5" in said.written[number.start : number.end]


@settings(max_examples=3000, deadline=None)
@given(
    st.lists(st.sampled_from(["他有", "3.5", "元", "“", "”", "2024年", "……", "-", "10%", " ", "Hello", "①", "[breath]", "８", "。", "$", ":", "30"]), max_size=14),
    st.sampled_from(["zh", "en"]),
)  # fmt: skip
def test_the_alignment_tiles_both_sides(parts: list[str], language: str) -> None:
    said = normalize("".join(parts), language)
    at = spoken_at = 0
    for span in said.spans:
        assert (span.start, span.spoken_start) == (at, spoken_at)
        at, spoken_at = span.end, span.spoken_end
    assert (at, spoken_at) == (len(said.written), len(said.spoken))


@settings(max_examples=3000, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["zh", "en"]))
def test_any_text_can_be_said(text: str, language: str) -> None:
    said = normalize(text, language)
    assert said.slice(0, len(text)) == said.spoken


# Letters that are said as words of another kind: units, money, eras, Roman numerals, titles, halves of the day, tables of
# streets and states, the scheme of a web address, faces. Nothing else may lose a letter.
_SAID_OTHERWISE = re.compile(
    r"https?://|[a-zμ°/]*\d*|[A-Z]{3}|US|HK|NT|No|NO|no|Nos|[ivxlcIVXLC]+|[BA]\.?[CD]\.?|[ap]\.?m\.?|[oTQ^_=-]+|[KMGT]?[WVLBFCHhgGPax]+[zb]?|[A-Z][a-z]{0,5}|w/o?|s",
    re.IGNORECASE,
)


def lost(said: Normalized) -> list[tuple[str, str]]:
    """Edits that lose a Han character, or letters of a word: what was written and what is said."""
    out = []
    for edit in said.edits:
        written = said.written[edit.start : edit.end]
        han = [sign for sign in written if "\u4e00" <= sign <= "\u9fff"]
        rest = iter(edit.spoken)
        if not all(sign in rest for sign in han):
            out.append((written, edit.spoken))
        words = re.findall(r"[A-Za-z]{2,}", written)
        if any(word.lower() not in edit.spoken.lower() and not _SAID_OTHERWISE.fullmatch(word) for word in words):
            out.append((written, edit.spoken))
    return out


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_written_form_of_the_table_loses_a_character_of_sound(language: str) -> None:
    assert [
        lost(normalize(written, its))
        for its, _, written, _ in rows()
        if its == language and lost(normalize(written, its))
    ] == []


_PARTS = ["他有", "个人", "第", "年", "月", "元", "楼", "级", "两", "3", "12", "2024", "0.5", "1,000", "-", "+", ":", "/", "%", "~", "x", "×", "=", "(", ")", "（", "）",
          "A", "HP", "iPhone", "hello", "Ⅲ", "①", "½", "￥", "$", "km", "℃", "v2.0", "。", "，", "“", "”", " ", "……", "——", "α", "²", "→", ".", "^", "_"]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(_PARTS), max_size=12))
def test_no_han_character_and_no_word_is_lost(parts: list[str]) -> None:
    said = normalize("".join(parts), "zh")
    assert lost(said) == []
    kept = [sign for sign in said.spoken if "\u4e00" <= sign <= "\u9fff"]
    rest = iter(kept)
    assert all(sign in rest for sign in said.written if "\u4e00" <= sign <= "\u9fff")
    for word in ("iPhone", "hello"):
        assert said.spoken.count(word) == said.written.count(word)
    assert not re.search(r"[0-9]", said.spoken)
