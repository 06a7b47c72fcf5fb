from __future__ import annotations

import pytest

from engines.kokoro import styles


@pytest.mark.parametrize(
    ("instruction", "name"),
    [("慢一点", "slow"), ("语速快", "fast"), ("大声地说", "loud"), ("低声", "soft"), ("悲伤地", "sad"), ("愤怒", "angry"), ("开心地", "glad"),
     ("平静", "calm"), ("低沉的声音", "deep"), ("speak slowly", "slow"), ("in a sad voice", "sad"), ("shouting with anger", "angry"),
     ("cheerful", "glad"), ("calm and gentle", "calm"), ("激动", "stirred"), ("害怕地", "afraid"), ("严肃", "stern"), ("疲惫", "tired"),
     ("惊讶地问", "surprised")],
)  # fmt: skip
def test_instruction_is_approximated_and_says_so(instruction: str, name: str) -> None:
    style = styles.style_of(instruction)
    assert any(f"approximated as {name}" in note or f", {name}" in note for note in style.notes), style.notes


@pytest.mark.parametrize(
    ("instruction", "what"),
    [
        ("用四川话说", "dialect"),
        ("with a British accent", "dialect"),
        ("耳语", "whisper"),
        ("哭着说", "crying"),
        ("大笑", "laughter"),
        ("唱出来", "singing"),
    ],
)
def test_what_cannot_be_done_is_noted(instruction: str, what: str) -> None:
    notes = styles.style_of(instruction).notes
    assert any(what in note and "cannot" in note for note in notes)


def test_dialect_changes_nothing() -> None:
    style = styles.style_of("用粤语说")
    assert (style.speed, style.pitch, style.spread, style.gain_db) == (1.0, 1.0, 1.0, 0.0)


def test_unknown_instruction_is_noted_and_no_instruction_is_not() -> None:
    assert "not understood" in styles.style_of("像一只企鹅").notes[0]
    assert styles.style_of("") == styles.style_of("自然") == styles.Style()


def test_gladness_is_no_haste() -> None:
    assert "fast" not in styles.style_of("快乐地").notes[0]
    assert "fast" not in styles.style_of("愉快地").notes[0]


def test_speed_is_held_in_what_the_model_can_do() -> None:
    assert styles.speed_of(1.0, styles.Style()) == (1.0, ())
    held, notes = styles.speed_of(1.5, styles.Style())
    assert held == 1.15
    assert "held" in notes[0]
    assert styles.speed_of(0.5, styles.style_of("慢"))[0] == 0.7


def test_several_wishes_stay_within_bounds() -> None:
    style = styles.style_of("高兴、激动、高亢、抑扬顿挫、大声、愤怒地喊")
    assert style.pitch <= styles.PITCH_RANGE[1]
    assert style.spread <= styles.SPREAD_RANGE[1]
    assert style.gain_db <= styles.GAIN_RANGE_DB[1]


@pytest.mark.parametrize(
    "instruction",
    ["用小声的语气说", "用悲伤的语气说", "用生气的语气说", "用大声的语气说", "用开心的语气说", "用平静的语气说", "Speak softly.", "Speak sadly.",
     "Speak angrily.", "Speak loudly.", "Speak happily.", "Speak calmly."],
)  # fmt: skip
def test_the_instructions_that_the_script_writes_are_all_understood(instruction: str) -> None:
    style = styles.style_of(instruction)
    assert "approximated" in style.notes[0]
    assert len(style.notes) == 1


def test_not_too_fast_is_slow() -> None:
    assert styles.style_of("不要太快").speed < 1.0


@pytest.mark.parametrize(
    ("style", "honour"),
    [("", "full"), ("用正常的语气说", "full"), ("用悲伤的语气说", "approximate"), ("Speak loudly.", "approximate"), ("用悄悄话的语气说", "none"),
     ("用哭腔说", "none"), ("大笑着说", "none"), ("用四川话说", "none"), ("像一只企鹅", "none")],
)  # fmt: skip
def test_what_is_honoured_is_told(style: str, honour: str) -> None:
    assert styles.honours(style) == honour


@pytest.mark.parametrize("style", ["不要大声", "not loudly", "别生气", "不高兴"])
def test_a_negated_word_changes_nothing(style: str) -> None:
    made = styles.style_of(style)
    assert (made.speed, made.pitch, made.spread, made.gain_db) == (1.0, 1.0, 1.0, 0.0)


def test_the_figures_of_the_map() -> None:
    figures = {
        name: styles.style_of(f"用{name}的语气说")
        for name in ("悲伤", "生气", "开心", "平静", "大声", "小声", "缓慢", "急促")
    }
    assert [(one.speed, one.pitch, one.spread, one.gain_db) for one in figures.values()] == [
        (0.90, 0.95, 0.70, -2.0), (1.05, 1.04, 1.25, 2.0), (1.05, 1.08, 1.30, 1.0), (0.93, 0.98, 0.85, -1.0),
        (1.0, 1.0, 1.0, 3.0), (1.0, 1.0, 1.0, -6.0), (0.88, 1.0, 1.0, 0.0), (1.12, 1.0, 1.0, 0.0),
    ]  # fmt: skip
