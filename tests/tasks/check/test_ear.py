"""Several takes a call: who shares one, and whose a word is."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tasks.check.ear import GAP_SECONDS, RATE_HZ, WINDOW_SECONDS, Word, join, pack, share_out


@given(st.lists(st.floats(0.2, 24.0), max_size=40))
def test_every_clip_is_in_one_call_and_calls_are_no_longer_than_a_window(seconds: list[float]) -> None:
    groups = pack(seconds)
    assert sorted(i for group in groups for i in group) == list(range(len(seconds)))
    assert all(sum(seconds[i] + GAP_SECONDS for i in group) <= WINDOW_SECONDS + 1e-6 for group in groups)


def test_a_clip_longer_than_a_window_has_a_call_to_itself() -> None:
    assert [0] in pack([40.0, 3.0, 4.0])


def test_words_go_to_the_clip_they_lie_in_and_words_in_silence_to_none() -> None:
    clips = [np.ones(2 * RATE_HZ, np.float32), np.ones(RATE_HZ, np.float32)]
    audio, places = join(clips)
    assert len(audio) / RATE_HZ == 2 + 1 + 2.5 * GAP_SECONDS
    (first, second) = places
    words = (
        Word("一", first[0] + 0.1, first[0] + 0.4),
        Word("二", second[0] - 0.1, second[0] + 0.3),
        Word("三", second[1] + 0.25, second[1] + 0.5),
    )
    own = share_out(words, places)
    assert [[word.text for word in one] for one in own] == [["一"], ["二"]]
    assert abs(own[0][0].start - 0.1) < 1e-9
