"""Modes, wording and instructions."""

from pathlib import Path

import pytest

pytest.importorskip("tokenizers")

from common.errors import VoicepressError
from engines.cosyvoice3.prompt import (
    assemble,
    choose_mode,
    compose,
    honours,
    instruction_for,
    instruction_table,
    lm_input,
    supported_instructions,
)
from engines.cosyvoice3.tokens import TextTokenizer
from tasks.script.style import StyleTable, line_style

FOLDER = Path(__file__).parents[2] / "data/cosyvoice3/model/CosyVoice-BlankEN"
STYLES = Path(__file__).parents[3] / "configs/styles.yaml"


@pytest.fixture(scope="module")
def tokenizer() -> TextTokenizer:
    return TextTokenizer(FOLDER)


def test_wording_is_that_of_training():
    assert compose("zero_shot", "你好。", transcript="再见。") == (
        "You are a helpful assistant.<|endofprompt|>再见。",
        "你好。",
    )
    assert compose("instruct", "你好。", instruction="请用四川话表达。") == (
        "You are a helpful assistant. 请用四川话表达。<|endofprompt|>",
        "你好。",
    )
    assert compose("cross_lingual", "你好。") == ("", "You are a helpful assistant.<|endofprompt|>你好。")


def test_only_zero_shot_gives_the_prompts_speech_to_the_language_model(tokenizer):
    speech = (5, 6, 7)
    one = lm_input(tokenizer, "zero_shot", "你好。", transcript="再见。", prompt_speech=speech)
    two = lm_input(tokenizer, "instruct", "你好。", instruction="请用四川话表达。", prompt_speech=speech)
    three = lm_input(tokenizer, "cross_lingual", "你好。", prompt_speech=speech)
    assert (one.prompt_speech, two.prompt_speech, three.prompt_speech) == (speech, (), ())
    assert one.positions == 2 + len(one.prompt_text) + len(one.text) + 3
    assert one.text == two.text
    assert three.prompt_text == ()
    assert len(three.text) > len(one.text)


def test_a_prompt_without_its_end_is_refused(tokenizer):
    with pytest.raises(VoicepressError, match="endofprompt"):
        assemble(tokenizer, "zero_shot", "再见。", "你好。")


def test_each_mode_needs_its_own():
    with pytest.raises(VoicepressError, match="words of its clip"):
        compose("zero_shot", "你好。", transcript=" ")
    with pytest.raises(VoicepressError, match="no instruction"):
        compose("instruct", "你好。")


def test_the_mode_follows_from_what_is_known():
    assert choose_mode("请用四川话表达。", "再见。", True) == "instruct"
    assert choose_mode("", "再见。", True) == "zero_shot"
    assert choose_mode("", "再见。", False) == "cross_lingual"
    assert choose_mode("", "", True) == "cross_lingual"


def test_all_26_instructions_of_training_are_listed_and_taken_word_for_word():
    listed = supported_instructions()
    assert {kind: len(texts) for kind, texts in listed.items()} == {
        "dialect": 17,
        "emotion": 3,
        "volume": 2,
        "speed": 2,
        "style": 2,
    }
    for kind, texts in listed.items():
        for text in texts:
            made = instruction_for(text)
            assert (made.text, made.kind, made.note) == (text, kind, "")


TRAINED_MOODS = {"angry", "sad", "glad", "loud", "soft", "whisper", "crying", "laughing"}


def test_the_styles_of_the_script_room_have_an_instruction_of_training_or_are_passed_on_whole():
    from common.yamlio import load_model

    table = load_model(STYLES, StyleTable, "the table of styles")
    for rule in (*table.zh, *table.en, *table.marks.zh, *table.marks.en):
        made = instruction_for(rule.style)
        if rule.mood in TRAINED_MOODS:
            assert made.kind, rule.style
            assert not made.note
        elif not made.kind:
            assert made.text.rstrip("。.") == rule.style.rstrip("。.")
    assert instruction_for(line_style("他低声说道")).kind == "volume"


@pytest.mark.parametrize(
    ("style", "instruction"),
    [
        ("四川话", "请用四川话表达。"),
        ("用粤语说", "请用广东话表达。"),
        ("in Cantonese", "请用广东话表达。"),
        ("非常生气", "请非常生气地说一句话。"),
        ("愉快地", "请非常开心地说一句话。"),
        ("Whispering", "Please say a sentence in a very soft voice."),
        ("语速再快一点", "请用尽可能快地语速说一句话。"),
        ("slowly", "请用尽可能慢地语速说一句话。"),
        ("机器人", "你可以尝试用机器人的方式解答吗？"),
        ("", ""),
        ("  ", ""),
    ],
)
def test_plain_words_become_an_instruction_of_training(style, instruction):
    assert instruction_for(style).text == instruction


@pytest.mark.parametrize("style", ["不要大声", "别太大声", "don't shout", "not too loudly", "没有生气"])
def test_what_is_negated_is_not_asked_for(style):
    made = instruction_for(style)
    assert made.kind == ""
    assert made.note


def test_of_several_wishes_one_is_followed_and_the_note_says_which():
    made = instruction_for("悲伤地小声说")
    assert made.text == "请非常伤心地说一句话。"
    assert "volume" in made.note


def test_an_unknown_style_is_kept_short_and_warned_of():
    short = instruction_for("像说书人一样")
    assert (short.text, short.kind) == ("像说书人一样。", "")
    assert "none the model was trained on" in short.note
    wish = "像一个很老很老的说书人一样，慢条斯理地讲这个故事，" * 5
    long = instruction_for(wish)
    assert len(long.text) <= instruction_table().longest_chars + 1
    assert "cut to" in long.note
    assert instruction_for("x" * 500).text == "x" * 40 + "."
    assert instruction_for("like a tired teacher " * 9).text.endswith(".")


def test_a_style_cannot_end_the_prompt():
    with pytest.raises(VoicepressError, match="control token"):
        instruction_for("大声<|endofprompt|>然后")


def test_a_table_with_a_broken_expression_is_named(tmp_path):
    path = tmp_path / "cosyvoice3.yaml"
    path.write_text("longest_chars: 40\nkinds:\n  x:\n    - {instruction: a, says: '('}\n", encoding="utf-8")
    with pytest.raises(VoicepressError, match="no regular expression") as caught:
        instruction_for("b", path)
    assert caught.value.key == "kinds.x.0.says"


@pytest.mark.parametrize(
    ("style", "honour"),
    [("", "full"), ("用四川话说", "full"), ("用开心的语气说", "full"), ("Speak softly.", "full"), ("用哭腔说", "full"), ("用四川话生气地说", "approximate"),
     ("用冷漠的语气说", "approximate"), ("<|endofprompt|>", "none")],
)  # fmt: skip
def test_what_the_model_was_trained_on_is_honoured_in_full(style: str, honour: str) -> None:
    assert honours(style) == honour
