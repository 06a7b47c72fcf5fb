from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.domain import Cue, TakeMark, Timeline
from tasks.publish.captions import to_srt
from tasks.publish.subtitles import Subtitle, subtitles_of

RATE = 1000  # a sample is a millisecond

TEXT = "今天是2024年5月2日，天气很好，我们一起去公园散步，看看花，听听鸟叫，再回家吃晚饭吧！"
SPOKEN = "今天是二零二四年五月二日，天气很好，我们一起去公园散步，看看花，听听鸟叫，再回家吃晚饭吧！"


def timeline(*cues: Cue, samples: int = 100_000) -> Timeline:
    return Timeline(1, "", RATE, samples, cues)


def marked(text: str, spoken: str, start: int, each: int = 200) -> Cue:
    """A cue whose every sounding character takes ``each`` samples."""
    marks, at = [], start
    for index, c in enumerate(spoken):
        if c.isalnum():
            marks.append(TakeMark(index, index + 1, at, at + each))
            at += each
    return Cue("id", "narrator", text, spoken, start, at, tuple(marks))


def test_a_short_line_is_one_subtitle_at_its_cue() -> None:
    assert subtitles_of(timeline(Cue("a", "n", "他来了。", "他来了。", 750, 2100))) == (
        Subtitle(750, 2100, ("他来了。",), "n"),
    )


def test_a_long_line_is_split_where_its_voice_is() -> None:
    cue = marked(TEXT, SPOKEN, 1000)
    found = subtitles_of(timeline(cue))
    assert len(found) > 1
    assert "".join("".join(item.rows) for item in found) == TEXT
    assert found[0].start_ms == cue.start
    assert found[-1].end_ms == cue.end
    for item in found[1:]:
        first = "".join(item.rows)[0]
        index = SPOKEN.index("".join(item.rows)[:3])
        assert SPOKEN[index] == first
        assert item.start_ms == next(mark.start for mark in cue.marks if mark.start_char == index)


def test_without_marks_time_goes_by_characters() -> None:
    found = subtitles_of(timeline(Cue("a", "n", TEXT, SPOKEN, 0, 10_000)))
    assert len(found) > 1
    for item, following in pairwise(found):
        assert item.end_ms == following.start_ms
    shown = len("".join(found[0].rows)) / len(TEXT)
    assert found[0].end_ms / 10_000 == pytest.approx(shown, abs=0.1)


def test_lines_without_sound_or_text_are_not_shown() -> None:
    silent = Cue("a", "n", "……", "", 500, 500)
    empty = Cue("b", "n", " \n", "嗯", 500, 900)
    assert subtitles_of(timeline(silent, empty)) == ()
    assert to_srt(()) == ""


def test_a_very_short_one_stays_as_long_as_the_next_allows() -> None:
    found = subtitles_of(
        timeline(Cue("a", "n", "嗯。", "嗯。", 0, 100), Cue("b", "n", "好。", "好。", 400, 500), samples=5000)
    )
    assert [(item.start_ms, item.end_ms) for item in found] == [(0, 400), (400, 1100)]


def test_srt_is_written_as_players_read_it() -> None:
    text = to_srt((Subtitle(750, 2_100, ("一", "二")), Subtitle(3_723_004, 3_724_000, ("三",))))
    assert text == "1\n00:00:00,750 --> 00:00:02,100\n一\n二\n\n2\n01:02:03,004 --> 01:02:04,000\n三\n"


words = st.text(alphabet="天地人，。！“”ab 12", max_size=150)


@given(st.lists(st.tuples(words, words, st.integers(0, 3000), st.integers(0, 900), st.booleans()), max_size=8))
def test_subtitles_are_in_order_and_never_overlap(lines: list[tuple[str, str, int, int, bool]]) -> None:
    cues, at = [], 0
    for text, spoken, length, gap, with_marks in lines:
        if with_marks:
            cue = marked(text, spoken, at + gap, each=37)
            cues.append(cue)
            at = cue.end
        else:
            cues.append(Cue("id", "n", text, spoken, at + gap, at + gap + length))
            at += gap + length
    found = subtitles_of(timeline(*cues, samples=at + 1000))
    assert all(item.start_ms < item.end_ms for item in found)
    assert all(item.end_ms <= following.start_ms for item, following in pairwise(found))
    assert all(1 <= len(item.rows) <= 2 for item in found)
    shown = re.sub(r"\s", "", "".join("".join(item.rows) for item in found))
    assert shown == re.sub(r"\s", "", "".join(cue.text for cue in cues if cue.start < cue.end))


def test_a_slow_long_line_is_cut_so_that_nothing_stays_longer_than_seven_seconds() -> None:
    found = subtitles_of(timeline(Cue("a", "n", TEXT, SPOKEN, 0, 30_000)))
    assert all(item.end_ms - item.start_ms <= 7_000 for item in found)
    assert "".join("".join(item.rows) for item in found) == TEXT


def test_quick_speech_stays_long_enough_to_be_read_where_there_is_room() -> None:
    text = "他把灯吹灭了然后走进雨里"
    (found,) = subtitles_of(timeline(Cue("a", "n", text, text, 0, 800)))
    assert found.end_ms == 12 * 111
    first, second = subtitles_of(timeline(Cue("a", "n", text, text, 0, 800), Cue("b", "n", "嗯。", "嗯。", 900, 1700)))
    assert (first.end_ms, second.start_ms) == (900, 900)
