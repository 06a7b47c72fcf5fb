from __future__ import annotations

import numpy as np
import pytest

from benchmarks import listen


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ("0", "零"),
        ("12", "十二"),
        ("20", "二十"),
        ("105", "一百零五"),
        ("2024", "二千零二十四"),
        ("30000", "三万"),
        ("3.5", "三点五"),
        ("007", "零零七"),
    ],
)
def test_figures_that_whisper_writes_are_read_as_words(figures: str, words: str) -> None:
    assert listen.chinese_number(figures) == words


def test_homophones_are_no_pinyin_error_but_count_as_characters() -> None:
    result = listen.compare("他在家。", "她在家")
    assert result.cer == pytest.approx(1 / 3)
    assert result.pinyin_error == 0.0


def test_a_wrong_syllable_and_a_lost_one_count() -> None:
    assert listen.compare("今天天气很好", "今天气很早").pinyin_error == pytest.approx(2 / 6)


def test_english_counts_words() -> None:
    assert listen.compare("Don't go there!", "dont go where", "en").pinyin_error == pytest.approx(1 / 3)


def test_windows_cover_every_sample_and_cut_where_it_is_quiet() -> None:
    rate = listen.RATE
    samples = np.random.default_rng(1).normal(0, 0.1, rate * 60).astype(np.float32)
    samples[rate * 22 : rate * 23] = 0.0
    pieces = list(listen.windows(samples))
    assert np.array_equal(np.concatenate(pieces), samples)
    assert all(len(piece) <= listen.WINDOW_SECONDS * rate for piece in pieces)
    assert 22 * rate <= len(pieces[0]) <= 23 * rate
