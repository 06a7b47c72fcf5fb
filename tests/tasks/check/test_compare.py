"""What was said against what was heard: nothing where only the spelling differs, the right name for what does not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.check.compare import Wanted, compare

SYLLABLES = "天人水火山土木日月风云雨雪春秋冬东西南北"
LINE = "三月的最后一天，江上起了雾。"


def codes(wanted: Wanted, heard: str) -> list[str]:
    return [flaw.code for flaw in compare(wanted, heard).flaws]


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        (LINE, "3月的最后1天,江上起了物"),
        ("他来了台湾，说了话。", "他來了臺灣說了話"),
        ("二零二六年四月一日，一千二百公里，下午五点四十。", "2026年4月1日,1,200公里,下午5:40"),
        ("百分之五十的人。", "50%的人"),
        ("拨打幺幺零。", "拨打110"),
        ("两百块钱。", "200块钱"),
        ("在这儿玩一会儿吧。", "在这玩一会吧"),
        ("嗯，我知道了。", "我知道了"),
    ],
)
def test_spelling_is_no_fault_in_chinese(text: str, heard: str) -> None:
    result = compare(Wanted(text), heard)
    assert result.flaws == ()
    assert result.error < 0.15


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        (
            "She didn't open the stepladder; it is forty-two years old.",
            "She did not open the step ladder, it's 42 years old.",
        ),
        ("In nineteen eighty-six, one thousand two hundred and fifty pounds.", "In 1986, 1,250 pounds"),
        ("They'll say we can't.", "They will say we cannot"),
    ],
)
def test_spelling_is_no_fault_in_english(text: str, heard: str) -> None:
    assert compare(Wanted(text, "en"), heard).flaws == ()


def test_a_lost_word_is_an_omission_with_its_characters() -> None:
    (flaw,) = compare(Wanted(LINE), "三月的一天江上起了雾").flaws
    assert (flaw.code, LINE[flaw.start_char : flaw.end_char], flaw.value) == ("omission", "最后", 2.0)


def test_a_phrase_said_twice_is_a_repeat() -> None:
    assert codes(Wanted(LINE), "三月的最后一天最后一天江上起了雾") == ["repeat"]
    assert codes(Wanted("She opened the window.", "en"), "she opened the window opened the window") == ["repeat"]


def test_an_instruction_read_aloud_is_a_leak() -> None:
    wanted = Wanted(LINE, leaks=("用温柔的语气慢慢地说",))
    assert codes(wanted, "用温柔的语气慢慢地说三月的最后一天江上起了雾") == ["leak"]
    assert codes(Wanted(LINE), "请用开心的语气说这句话三月的最后一天江上起了雾") == ["leak"]


def test_other_words_are_an_insertion() -> None:
    assert codes(Wanted(LINE), "三月的最后一天大家都很高兴江上起了雾") == ["insertion"]


def test_what_whisper_invents_is_not_blamed_on_the_take() -> None:
    result = compare(Wanted(LINE), LINE + "谢谢观看")
    assert (result.flaws, result.invented) == ((), True)
    assert compare(Wanted("谢谢观看。"), "谢谢观看").flaws == ()


def test_a_name_may_be_heard_as_anything_like_it() -> None:
    assert codes(Wanted("柳湾的灯火。", names=frozenset({"柳湾"})), "有蛮的灯火") == []


def test_a_reading_of_the_line_counts_beside_the_usual_ones() -> None:
    assert compare(Wanted("尉迟来了。", readings={0: "yu4"}), "玉池来了").error == 0.0


@settings(max_examples=60, deadline=None)
@given(st.text(SYLLABLES, min_size=1, max_size=40))
def test_what_is_heard_as_it_was_written_has_no_flaw(text: str) -> None:
    result = compare(Wanted(text), text)
    assert (result.error, result.flaws) == (0.0, ())


@settings(max_examples=60, deadline=None)
@given(st.permutations(list(SYLLABLES)), st.integers(1, 12), st.integers(2, 6))
def test_any_stretch_that_is_lost_or_doubled_is_named(order: list[str], at: int, size: int) -> None:
    text = "".join(order)
    lost = compare(Wanted(text), text[:at] + text[at + size :])
    assert sum(flaw.value for flaw in lost.flaws if flaw.code in ("omission", "substitution")) >= 1.0
    doubled = compare(Wanted(text), text[: at + size] + text[at:])
    assert [flaw.code for flaw in doubled.flaws] == ["repeat"]
