"""Paragraphs of any length are cut for attribution between sentences, outside quotations, and nothing is lost."""

from tasks.domain import Cast, Role
from tasks.script.attribute import attribute
from tasks.script.bounded import LONGEST, bounded, joined
from tasks.script.names import Names
from tasks.script.quotes import find

CAST = Cast(Role("narrator", voice="a"), (Role("阿婆", gender="female"), Role("小禾", gender="female")))


def test_a_short_paragraph_stays_as_it_is() -> None:
    paragraphs = ["“好。”小禾说。", "她走了。"]
    quotes = find(paragraphs)
    assert bounded(paragraphs, quotes) == (paragraphs, quotes, [1, 1])


def test_the_parts_of_a_long_paragraph_are_its_text_and_no_quotation_is_cut() -> None:
    text = "他走了。" * 400 + "“" + "很长的话。" * 900 + "”小禾说。" + "没有句号" * 1200 + "“好。”阿婆说。"
    quotes = find([text])
    texts, rows, counts = bounded([text], quotes)
    assert "".join(texts) == text
    assert counts == [len(texts)]
    assert len(texts) > 3
    said = [part[quote.start : quote.end] for part, row in zip(texts, rows, strict=True) for quote in row]
    assert said == [text[quote.start : quote.end] for quote in quotes[0]]
    assert all(len(part) <= LONGEST or row for part, row in zip(texts, rows, strict=True))


def test_what_was_found_goes_back_to_its_paragraph() -> None:
    assert joined([[1], [2, 3], [], [4]], [1, 2, 1]) == [[1], [2, 3], [4]]


def test_a_book_without_line_ends_is_attributed_like_one_with_them() -> None:
    turns = ["“走吧。”小禾说。", "“等一等。”阿婆说。"] * 300
    names = Names(CAST, "\n".join(turns), "zh")
    whole = "".join(turns)
    said = [one.speaker if one else "" for one in attribute([whole], find([whole]), names)[0]]
    assert said == ["小禾", "阿婆"] * 300
