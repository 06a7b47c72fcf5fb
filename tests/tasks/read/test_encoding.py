"""Encodings are told strictly: the right characters or an error that says where."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import VoicepressError
from tasks.read.encoding import decode

SIMPLIFIED = "山里的灯一盏一盏地亮了。他说：“我们走吧，天要黑了。”她没有回答，只是看着远处的河。\n" * 3
TRADITIONAL = "山裡的燈一盞一盞地亮了。他說：「我們走吧，天要黑了。」她沒有回答，只是看著遠處的河。\n" * 3
ENGLISH = 'The lamps in the hills were lit one by one. "Let us go," he said.\n' * 3


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (SIMPLIFIED, "utf-8", "utf-8"),
        (SIMPLIFIED, "utf-8-sig", "utf-8-sig"),
        (SIMPLIFIED, "gb18030", "gb18030"),
        (TRADITIONAL, "gb18030", "gb18030"),
        (TRADITIONAL, "big5hkscs", "big5hkscs"),
        (SIMPLIFIED, "utf-16", "utf-16-le"),
        (SIMPLIFIED, "utf-16-le", "utf-16-le"),
        (SIMPLIFIED, "utf-16-be", "utf-16-be"),
        (ENGLISH, "ascii", "utf-8"),
        (ENGLISH, "utf-16-le", "utf-16-le"),
        (ENGLISH, "utf-32", "utf-32-le"),
        (ENGLISH.replace("'", "’").replace('"', "“"), "cp1252", "cp1252"),
    ],
)
def test_an_encoding_is_told_and_read_exactly(text: str, codec: str, name: str) -> None:
    decoded = decode(text.encode(codec), "book.txt")
    assert (decoded.text, decoded.encoding, decoded.cut_bytes) == (text, name, 0)


def test_a_big_endian_mark_is_honoured() -> None:
    assert decode(codecs.BOM_UTF16_BE + "灯亮了".encode("utf-16-be"), "b").text == "灯亮了"


@pytest.mark.parametrize("codec", ["utf-8", "gb18030", "big5hkscs", "utf-16-le", "utf-16-be"])
def test_a_character_cut_in_two_by_the_end_is_dropped_and_reported(codec: str) -> None:
    text = TRADITIONAL if codec.startswith("big5") else SIMPLIFIED
    data = text.rstrip("\n").encode(codec) + "河".encode(codec)[:1]
    decoded = decode(data, "b")
    assert decoded.text == text.rstrip("\n")
    assert decoded.cut_bytes == 1


@pytest.mark.parametrize("codec", ["utf-8", "gb18030", "big5hkscs"])
def test_a_byte_that_does_not_belong_is_an_error_with_offset_line_and_guess(codec: str) -> None:
    text = TRADITIONAL if codec.startswith("big5") else SIMPLIFIED
    first = (text.split("\n")[0] + "\n").encode(codec)
    data = first + b"\xff" + text.encode(codec)
    with pytest.raises(VoicepressError) as caught:
        decode(data, "book.txt")
    assert caught.value.code == "undecodable"
    assert f"offset {len(first)}" in caught.value.what
    assert f"best guess for the whole file: {codec}" in caught.value.what
    assert caught.value.line == 2


@pytest.mark.parametrize("codec", ["gb18030", "big5hkscs"])
def test_a_utf8_line_inside_another_encoding_is_refused_not_misread(codec: str) -> None:
    text = TRADITIONAL if codec.startswith("big5") else SIMPLIFIED
    for line in ("更多的书在这里看", "我们在山里看着河水流过"):
        data = text.encode(codec) + line.encode("utf-8") + b"\n" + text.encode(codec)
        with pytest.raises(VoicepressError) as caught:
            decode(data, "book.txt")
        assert caught.value.code in ("undecodable", "encoding-mixed")
        assert caught.value.line in (4, 5)


def test_a_text_with_a_character_that_makes_it_binary_is_told_where() -> None:
    with pytest.raises(VoicepressError, match=r"the first U\+0000") as caught:
        decode("第一章 山\n\n山里的灯亮了。\n河水\0流过。\n".encode(), "book.txt")
    assert (caught.value.code, caught.value.line) == ("binary-file", 4)


@pytest.mark.parametrize("data", [bytes(range(256)) * 40, b"\x7fELF\x01\x01\0\0\0" * 300, b"\0" * 500])
def test_binary_files_are_a_clear_error(data: bytes) -> None:
    with pytest.raises(VoicepressError) as caught:
        decode(data, "book.txt")
    assert caught.value.code in ("binary-file", "encoding-unknown", "undecodable")


def test_text_in_an_encoding_that_is_not_offered_is_refused_rather_than_guessed() -> None:
    with pytest.raises(VoicepressError) as caught:
        decode(("Съешь же ещё этих мягких французских булок. " * 20).encode("cp1251"), "b.txt")
    assert caught.value.code == "encoding-unknown"
    assert "encoding:" in caught.value.hint


def test_an_encoding_may_be_forced() -> None:
    assert decode("огонь".encode("cp1251"), "b", encoding="cp1251").text == "огонь"
    assert decode("灯".encode("gbk"), "b", encoding="GBK").text == "灯"
    with pytest.raises(VoicepressError) as caught:
        decode(b"x", "b", encoding="klingon")
    assert caught.value.code == "encoding-name"
    with pytest.raises(VoicepressError) as caught:
        decode(b"x", "b", encoding="base64")
    assert caught.value.code == "encoding-name"
    with pytest.raises(VoicepressError) as caught:
        decode(SIMPLIFIED.encode("gb18030"), "b", encoding="utf-8")
    assert caught.value.code == "undecodable"
    assert "gb18030" in caught.value.what


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_line_ends_become_newlines(end: str) -> None:
    assert decode(f"一{end}二{end}".encode(), "b").text == "一\n二\n"


def told(data: bytes) -> tuple[str | None, str]:
    try:
        return decode(data, "b").text, ""
    except VoicepressError as error:
        return None, f"{error.code}: {error.hint}"


@given(st.binary(max_size=400))
def test_any_bytes_are_text_or_an_error_with_a_hint(data: bytes) -> None:
    text, error = told(data)
    assert (text is None) == bool(error)
    assert not error.endswith(": ")


@given(st.text(min_size=1, max_size=200).filter(lambda text: not {"\r", "\0"} & set(text) and text[0] != "\ufeff"))
def test_any_text_in_utf8_comes_back(text: str) -> None:
    got, error = told(text.encode("utf-8"))
    assert got == text or error.startswith("binary-file")


def test_short_utf16_that_passes_for_utf8_by_chance_is_told_and_stray_controls_do_not_matter() -> None:
    text = "呵，好孩子。爹爹做‘猫洗"
    assert decode(text.encode("utf-16-le"), "b").text == text
    assert decode((ENGLISH * 10 + "\x08").encode(), "b").encoding == "utf-8"
    assert decode((SIMPLIFIED * 10 + "\x08").encode(), "b").encoding == "utf-8"


@pytest.mark.parametrize(
    ("codec", "text", "what"),
    [
        ("euc-kr", "산의 등불이 하나씩 켜졌다. 그는 말했다. 날이 저물었다.", "Korean"),
        ("shift_jis", "これは日本語の小説です。彼は言った。「行こう」と。", "Japanese"),
        ("euc-jp", "これは日本語の小説です。彼は言った。「行こう」と。", "Japanese"),
        ("cp1251", "Съешь же ещё этих мягких французских булок.", "Russian"),
    ],
)
def test_text_of_another_script_is_named_not_misread(codec: str, text: str, what: str) -> None:
    data = (text * 5).encode(codec)
    with pytest.raises(VoicepressError) as caught:
        decode(data, "b.txt")
    assert caught.value.code == "encoding-unknown"
    assert f"looks like {what}" in caught.value.what
    assert codec in caught.value.hint
    assert decode(data, "b.txt", encoding=codec).text == text * 5


@pytest.mark.parametrize(("codec", "other"), [("gb18030", "big5hkscs"), ("big5hkscs", "gb18030")])
def test_a_line_that_decodes_by_chance_is_refused(codec: str, other: str) -> None:
    texts = {"gb18030": SIMPLIFIED, "big5hkscs": TRADITIONAL}
    data = texts[codec].encode(codec) + texts[other].split("\n")[0].encode(other) + b"\n" + texts[codec].encode(codec)
    with pytest.raises(VoicepressError) as caught:
        decode(data, "book.txt")
    assert caught.value.code in ("encoding-mixed", "undecodable")
    assert caught.value.line == 4


def test_four_byte_characters_and_tiny_files_are_read() -> None:
    assert decode(("㐀䶵𠮷" + SIMPLIFIED).encode("gb18030"), "b").text == "㐀䶵𠮷" + SIMPLIFIED
    for word in ("你好", "第一章", "他走了"):
        for codec in ("gb18030", "utf-8"):
            assert decode(word.encode(codec), "b").text == word
    assert decode(b"a", "b") == decode(b"a", "b", encoding="utf-8")
    assert decode("Él dijo: ¡vámonos! ".encode("latin-1") * 5, "b").encoding == "cp1252"
