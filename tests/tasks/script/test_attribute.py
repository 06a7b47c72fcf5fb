"""Who speaks: one test a rule, on sentences of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.domain import UNKNOWN, Cast, Role
from tasks.script.attribute import SURE, Attribution, attribute
from tasks.script.names import Names
from tasks.script.person_words import guess_gender
from tasks.script.quotes import find

CAST = Cast(
    Role("narrator"),
    (
        Role("林晓", aliases=("晓晓", "林姑娘"), gender="female"),
        Role("王明", aliases=("老王",), gender="male"),
        Role("陈伯", gender="male"),
        Role("Anna", aliases=("Miss Reed",), gender="female"),
        Role("Tom", gender="male"),
    ),
)


def found(*paragraphs: str, language: str = "zh", cast: Cast = CAST) -> list[Attribution]:
    names = Names(cast, "\n".join(paragraphs), language)
    rows = attribute(paragraphs, find(paragraphs, language), names, language)
    return [one for row in rows for one in row if one is not None]


def who(*paragraphs: str, language: str = "zh", cast: Cast = CAST) -> list[str]:
    return [one.speaker for one in found(*paragraphs, language=language, cast=cast)]


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("“走吧。”林晓说道。", "林晓"),
        ("林晓笑着说：“走吧。”", "林晓"),
        ("“走吧，”王明低声说，“天黑了。”", "王明"),
        ("晓晓问道：“去哪里？”", "林晓"),
        ("林晓对王明喊道：“快走！”", "林晓"),
        ("看着王明，林晓说：“走吧。”", "林晓"),
        ("听了王明的话，林晓说：“走吧。”", "林晓"),
        ("林晓放下杯子，叹了口气，说：“走吧。”", "林晓"),
        ("“走吧。”说话的是陈伯。", "陈伯"),
        ("王明抬起头。“是吗？”", "王明"),
        ("“是吗？”王明抬起头。", "王明"),
        ("杜衡大喊：“救命！”", "杜衡"),
        ("“救命！”杜衡喊道。", "杜衡"),
        ("“请进。”老板说。", "老板"),
        ("王明打开收音机。一个女人的声音说：“有人吗？”", "女人"),
        ("我说：“走吧。”", "我"),
    ],
)
def test_a_tag_names_the_speaker(text: str, speaker: str) -> None:
    assert set(who(text)) == {speaker}


def test_a_pronoun_is_the_nearest_of_its_gender() -> None:
    assert who("林晓和王明坐在窗边。", "“下雨了。”她说。", "“带伞了吗？”他问。") == ["林晓", "王明"]


def test_whoever_is_named_behind_the_pronoun_is_not_meant_by_it() -> None:
    assert who("王明走进来。", "他对陈伯说：", "“您坐。”") == ["王明"]


def test_a_pronoun_nobody_fits_leaves_the_gender() -> None:
    one = found("“谁？”她问。", cast=Cast(Role("narrator")))[0]
    assert (one.speaker, one.gender) == (UNKNOWN, "female")


def test_the_paragraph_above_introduces() -> None:
    assert who("林晓想了想，说：", "“走吧。”") == ["林晓"]


def test_two_people_take_turns() -> None:
    talk = ("“走吗？”林晓问。", "“走。”王明说。", "“现在？”", "“现在。”", "“好。”")
    assert who(*talk) == ["林晓", "王明", "林晓", "王明", "林晓"]


def test_turns_are_found_from_behind_too() -> None:
    assert who("林晓和王明坐着。", "“走吗？”", "“走。”王明说。") == ["林晓", "王明"]


def test_whoever_is_called_is_not_the_speaker() -> None:
    assert who("林晓和王明坐着。", "“王明，走吧。”") == ["林晓"]


def test_a_paragraph_has_one_speaker_unless_it_says_otherwise() -> None:
    assert who("“走吧，”林晓说，“天黑了。”她站起来。“快。”") == ["林晓"] * 3
    assert who("“走吧。”林晓说。“不。”王明说。") == ["林晓", "王明"]


def test_a_quotation_over_paragraphs_keeps_its_speaker() -> None:
    assert who("林晓说：“第一段。", "“第二段。”", "“嗯。”王明说。") == ["林晓", "林晓", "王明"]


def test_words_that_only_look_like_verbs_are_none() -> None:
    assert who("王明写的小说很有名。林晓说：“我看过。”") == ["林晓"]


def test_nobody_to_be_found_is_unknown() -> None:
    assert who("“喂！”", cast=Cast(Role("narrator"))) == [UNKNOWN]


def test_the_tag_is_kept_for_the_style() -> None:
    assert "低声" in found("“走吧。”林晓低声说。")[0].introduction


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ('"Go," said Anna.', "Anna"),
        ('"Go," Anna said quietly.', "Anna"),
        ('Anna said, "Go."', "Anna"),
        ('"Go," whispered Miss Reed.', "Anna"),
        ('Tom looked up. "Never!"', "Tom"),
        ('"Go," said Mr. Brown.', "Mr. Brown"),
        ('"Go," said the old man.', "the old man"),
        ('Anna turned to Tom and said, "Go."', "Anna"),
    ],
)
def test_english_tags(text: str, speaker: str) -> None:
    assert who(text, language="en") == [speaker]


def test_english_pronouns_and_turns() -> None:
    talk = ("Anna met Tom at the door.", '"You are late," she said.', '"I know."', '"Come in."')
    assert who(*talk, language="en") == ["Anna", "Tom", "Anna"]


def test_names_give_a_gender_where_they_can() -> None:
    assert [guess_gender(n) for n in ("王太太", "张先生", "李娜", "Mrs. Hale", "the old man", "青云")] == [
        "female", "male", "female", "female", "male", "",
    ]  # fmt: skip


def test_a_pronoun_teaches_the_gender_of_a_name() -> None:
    names = Names(CAST, "“好。”杜衡说道。杜衡说道：", "zh")
    text = ["杜衡走进来。", "“好。”她说。"]
    attribute(text, find(text), names)
    assert names.gender("杜衡") == "female"


PASSAGES = Path(__file__).parents[2] / "data" / "speakers"


def passage(name: str) -> tuple[list[tuple[str, list[str]]], Cast, str]:
    """Paragraphs with the speakers of their quotations, the cast, and the language."""
    head, *rows = (PASSAGES / name).read_text(encoding="utf-8").splitlines()
    roles = []
    for word in head.split()[1:]:
        forms, gender = word.rsplit(":", 1)
        first, *aliases = [form.replace("_", " ") for form in forms.split("/")]
        roles.append(Role(first, aliases=tuple(aliases), gender="male" if gender == "m" else "female"))
    out = []
    for row in rows:
        text, _, speakers = row.partition("\t")
        out.append((text, [one.replace("_", " ") for one in speakers.split() if one != "-"]))
    return out, Cast(Role("narrator"), tuple(roles)), name.split(".")[1]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("wuxia.zh.txt", 0),
        ("xianxia.zh.txt", 2),
        ("modern.zh.txt", 3),
        ("first_person.zh.txt", 0),
        ("classical.zh.txt", 0),
        ("dashes.zh.txt", 0),
        ("storm.en.txt", 0),
    ],
)
def test_a_page_of_a_novel(name: str, wrong: int) -> None:
    rows, cast, language = passage(name)
    texts = [text for text, _ in rows]
    names = Names(cast, "\n".join(texts), language)
    made = attribute(texts, find(texts, language), names, language)
    missed = []
    for (text, speakers), row in zip(rows, made, strict=True):
        said = [one for one in row if one is not None]
        assert len(said) == len(speakers), text
        missed += [(text, one) for one, speaker in zip(said, speakers, strict=True) if one.speaker != speaker]
    assert len(missed) <= wrong, missed
    assert all(one.confidence < SURE for _, one in missed), "whoever is wrong must be unsure"


def test_candidates_are_at_most_four_with_their_chances() -> None:
    rows, cast, _ = passage("modern.zh.txt")
    texts = [text for text, _ in rows]
    for row in attribute(texts, find(texts), Names(cast, "", "zh")):
        for one in row:
            if one is not None:
                chances = [chance for _, chance in one.candidates]
                assert one.candidates[0] == (one.speaker, one.confidence)
                assert chances == sorted(chances, reverse=True)
                assert len(chances) <= 4
                assert sum(chances) <= 1 + 1e-9


def test_the_same_text_gives_the_same_answer() -> None:
    rows, cast, _ = passage("wuxia.zh.txt")
    texts = [text for text, _ in rows]
    first, second = (attribute(texts, find(texts), Names(cast, "", "zh")) for _ in range(2))
    assert first == second


def test_a_crowd_speaks_for_itself() -> None:
    assert who("林晓和王明走上台。", "众人齐声道：“好！”") == ["众人"]


def test_a_stranger_named_by_a_tag_is_kept() -> None:
    assert who("林晓走进店里。", "老板问道：“要点什么？”", "“一碗面。”林晓说。") == ["老板", "林晓"]


def test_relatives_are_not_the_person_they_are_named_after() -> None:
    assert "林晓" not in who("“回来啦？”林晓妈在厨房里喊道。")


def test_the_one_spoken_to_is_not_the_speaker() -> None:
    assert who("王明对站在门口的林晓说：“走吧。”") == ["王明"]


def test_where_only_one_is_known_nobody_is_sure() -> None:
    one = found("林晓坐着。", "“下雨了。”", cast=Cast(Role("narrator"), (Role("林晓"),)))[0]
    assert one.confidence < SURE
