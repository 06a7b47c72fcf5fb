"""One measure for every script."""

import pytest

from tasks.speak.length import LETTER, length_of


@pytest.mark.parametrize(
    ("text", "length"),
    [("", 0.0), ("……！", 0.0), ("天亮了。", 3.0), ("“Oh, no!”", 4 * LETTER), ("去GPU店", 2 + 3 * LETTER)],
)
def test_a_letter_is_a_third_of_a_character(text: str, length: float) -> None:
    assert length_of(text) == pytest.approx(length)
