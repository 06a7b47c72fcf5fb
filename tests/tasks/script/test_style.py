"""The style that the words around a quotation ask for."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from common.errors import VoicepressError
from tasks.domain import Cast, Role
from tasks.script.attribute import attribute
from tasks.script.names import Names
from tasks.script.pieces import pieces
from tasks.script.quotes import find
from tasks.script.style import MOODS, line_style, marks_style, mood_of, rules, styles_of

PEOPLE = ("秦伯", "沈禾", "阿南")


def subject_of(clause: str) -> str:
    return next((name for name in PEOPLE if clause.startswith(name)), "")


@pytest.mark.parametrize(
    ("words", "mood"),
    [
        ("他低声说道。", "soft"), ("她在他耳边轻声说。", "soft"), ("他压低了声音：", "soft"), ("他喃喃道。", "soft"),
        ("她凑到他耳边说：", "whisper"), ("他悄声问。", "whisper"),
        ("他大喊。", "loud"), ("阿南喊道：", "loud"), ("她尖叫起来：", "loud"), ("他吼道：", "loud"),
        ("她哭着说，", "crying"), ("她哽咽着说：", "crying"), ("她难过地说。", "sad"),
        ("父亲怒道：", "angry"), ("他怒喝一声：", "angry"), ("他咬牙切齿地说：", "angry"), ("她没好气地说：", "angry"),
        ("他笑道，", "glad"), ("他笑着说。", "glad"), ("她兴奋地喊道：", "loud"), ("她兴奋地说：", "glad"), ("他大笑道：", "laughing"),
        ("他冷笑道：", "cold"), ("他冷冷地说。", "cold"), ("她淡淡地说。", "calm"), ("他急道：", "fast"),
        ("他结结巴巴地说：", "slow"), ("他叹道：", "weary"), ("他苦笑着说：", "weary"), ("他惊叹道：", "surprised"), ("他惊讶地问：", "surprised"),
        ("她撒娇道：", "tender"), ("她温柔地说。", "tender"), ("他颤声问道：", "fearful"), ("他厉声道：", "serious"),
        ("他懒洋洋地说：", "weary"), ("老人有气无力地说。", "weary"), ("他说，声音很低。", "soft"), ("他叹了口气，说：", "weary"),
        ("他忍不住笑道：", "glad"), ("她笑骂道：", "glad"), ("他不由得大笑起来，说：", "laughing"), ("他用颤抖的声音说：", "fearful"),
        ("他说。", ""), ("", ""), ("他问道：", ""), ("他喊来小二，说：", ""),
    ],
)  # fmt: skip
def test_chinese_words(words: str, mood: str) -> None:
    assert mood_of(line_style(words)) == mood


@pytest.mark.parametrize(
    ("words", "mood"),
    [
        ("she whispered.", "whisper"), ("he shouted,", "loud"), ("she sobbed.", "crying"), ("he snapped.", "angry"), ("she sighed.", "weary"),
        ("he said softly.", "soft"), ("she murmured,", "soft"), ("he said, laughing.", "laughing"), ("she said with a smile", ""),
        ("he stammered.", "slow"), ("she gasped.", "surprised"), ("he said coldly.", "cold"), ("she said gently.", "tender"), ("he said.", ""),
        ("he said in a trembling voice.", "fearful"), ("she said, and he laughed.", ""), ("he said without shouting.", ""),
        ("he never shouted,", ""),
    ],
)  # fmt: skip
def test_english_words(words: str, mood: str) -> None:
    assert mood_of(line_style(words, "en")) == mood or (
        mood == "" and line_style(words, "en") in ("", "Speak happily.")
    )


@pytest.mark.parametrize(
    "words",
    [
        "他没有笑，说：",
        "他没有大声，说：",
        "他不敢大声说：",
        "她没哭，说：",
        "他忍住笑，说：",
        "她险些哭出来，说：",
        "他收起笑容，说：",
        "她不高兴地说：",
        "他毫不犹豫地说：",
        "他在心里喊道：",
        "他开玩笑说：",
    ],
)
def test_a_negated_word_asks_for_nothing(words: str) -> None:
    assert line_style(words) == ""


@pytest.mark.parametrize(
    "words",
    [
        "听着她的哭声，他说：",
        "身后传来一声怒吼，他说：",
        "看着她大哭，沈禾说：",
        "他的怒吼吓了众人一跳，沈禾说：",
        "牌子上写着“不要大声喧哗”，他说：",
    ],
)
def test_what_others_do_or_what_is_quoted_asks_for_nothing(words: str) -> None:
    assert line_style(words, subject_of=subject_of) == ""


def test_the_tag_of_another_quotation_does_not_leak() -> None:
    assert mood_of(line_style("秦伯吼道，沈禾轻声说：", subject_of=subject_of)) == "soft"
    assert line_style("秦伯吼道，沈禾说：", subject_of=subject_of) == ""
    assert line_style("他说，她笑了。") == ""
    assert mood_of(line_style("他吼道，把门一摔。")) == "loud"


@pytest.mark.parametrize(
    ("quotation", "mood"),
    [("“滚！！”", "loud"), ("“什么？！”", "surprised"), ("“我……我……不知道……”", "slow"), ("“好！”", ""), ("“嗯……”", ""), ("“那就好……回去说，我什么都好着哩！叫她不要急……”", ""), ("“你说什么？”", ""),
     ("“GET OUT NOW”", "loud"), ("“The BBC said so.”", ""), ("“What?!”", "surprised"), ("“I have a TV and a PC.”", "")],
)  # fmt: skip
def test_marks_are_weak_evidence(quotation: str, mood: str) -> None:
    assert mood_of(marks_style(quotation)) == mood


def _styles(text: str) -> list[str]:
    quotes = find([text], "zh")
    cast = Cast(Role("narrator"), tuple(Role(name) for name in PEOPLE))
    names = Names(cast, text, "zh")
    row = pieces(text, quotes[0], attribute([text], quotes, names, "zh")[0])
    return [mood_of(style) for style in styles_of(row, text)[0]]


def test_a_further_quotation_of_the_same_speaker_keeps_the_style_and_narration_has_none() -> None:
    assert _styles("秦伯吼道：“走！”他一把推开门。“快走！”") == ["", "loud", "", "loud"]


def test_another_speaker_in_the_paragraph_does_not_inherit() -> None:
    assert _styles("秦伯吼道：“走！”沈禾说：“好。”") == ["", "loud", "", ""]


def test_an_introduction_wins_over_marks() -> None:
    assert _styles("秦伯低声说：“快走！！”") == ["", "soft"]


@pytest.mark.parametrize(
    ("style", "mood"),
    [
        ("用四川话凶狠地说", "angry"),
        ("Speak softly.", "soft"),
        ("用开心的语气说", "glad"),
        ("轻声细语", "soft"),
        ("不要大声", ""),
        ("像一只企鹅", ""),
        ("", ""),
    ],
)
def test_a_style_in_anybodys_words_has_a_mood(style: str, mood: str) -> None:
    assert mood_of(style) == mood


def test_every_style_of_the_house_has_its_mood_in_plain_words_too() -> None:
    assert set(rules().mood_of_style.values()) == set(MOODS)


def test_a_books_own_table_is_tried_first(tmp_path: Path) -> None:
    own = tmp_path / "styles.yaml"
    own.write_text("zh:\n  - {says: 嘶声|低声, style: 用沙哑的语气说, mood: weary}\n", encoding="utf-8")
    assert line_style("他低声说：", path=own) == "用沙哑的语气说"
    assert line_style("他怒道：", path=own) == line_style("他怒道：")
    assert mood_of("用沙哑的语气说", own) == "weary"


def test_a_changed_table_counts_at_once(tmp_path: Path) -> None:
    own = tmp_path / "styles.yaml"
    own.write_text("zh: [{says: 嘶声, style: 用沙哑的语气说, mood: weary}]\n", encoding="utf-8")
    assert line_style("他嘶声说：", path=own) == "用沙哑的语气说"
    own.write_text("zh: [{says: 嘶声, style: 用疲惫的语气慢慢说, mood: weary}]\n", encoding="utf-8")
    assert line_style("他嘶声说：", path=own) == "用疲惫的语气慢慢说"


@pytest.mark.parametrize("says", ["(嘶+)+声", "(?:说|说说)*了", ".*?.*?.*?声", "嘶("])
def test_an_expression_of_a_book_that_is_broken_or_could_take_a_night_is_refused(tmp_path: Path, says: str) -> None:
    own = tmp_path / "styles.yaml"
    own.write_text(f"zh: [{{says: '{says}', style: 用沙哑的语气说, mood: weary}}]\n", encoding="utf-8")
    with pytest.raises(VoicepressError, match=r"could be very slow|no regular expression") as caught:
        rules(own)
    assert caught.value.key == "zh.0.says"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("zh:\n  - {say: 喊, style: x, mood: loud}\n", "says"),
        ("zh:\n  - {says: 喊, style: x, mood: noisy}\n", "mood"),
        ("zh:\n  - {says: '喊(', style: x, mood: loud}\n", "regular expression"),
        ("zh:\n  - {says: '喊*', style: x, mood: loud}\n", "fits an empty text"),
    ],
)
def test_a_table_with_a_mistake_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "styles.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(VoicepressError, match=says):
        line_style("喊", path=path)


def test_casts_know_the_same_moods() -> None:
    from flows.fields import Mood

    assert get_args(Mood) == MOODS
