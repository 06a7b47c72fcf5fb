import pytest

from flows.review.diff import Pieces, compared


def test_what_sounds_alike_is_the_same() -> None:
    assert compared("他在那儿，走了37步。", "她在那儿走了三十七步", "zh")[0] == [("他在那儿，走了37步。", "same")]


@pytest.mark.parametrize(
    ("spoken", "heard", "language", "lost", "added"),
    [
        ("雾散了，船靠岸了。", "雾散了", "zh", [("船靠岸", "lost")], []),
        ("雾散了。", "雾散了雾散了", "zh", [], [("雾散", "added")]),
        ("The boat came back.", "the goat came back", "en", [], []),
        ("The boat came back at night.", "The boat came back", "en", [("at", "lost"), ("night", "lost")], []),
    ],
)
def test_what_is_lost_and_what_is_added_is_marked(
    spoken: str, heard: str, language: str, lost: Pieces, added: Pieces
) -> None:
    said, told = compared(spoken, heard, language)
    assert "".join(text for text, _ in said) == spoken
    assert "".join(text for text, _ in told) == heard
    for text, kind in lost:
        assert any(kind == other and text in piece for piece, other in said), said
    for text, kind in added:
        assert any(kind == other and text in piece for piece, other in told), told


def test_another_word_is_marked_on_both_sides() -> None:
    said, told = compared("他走过了山。", "他走过了海。", "zh")
    assert ("山", "other") in said
    assert ("海", "other") in told


def test_where_nothing_was_heard_nothing_is_marked() -> None:
    assert compared("雾散了。", " ", "zh") == ([("雾散了。", "same")], [])


def test_what_is_heard_is_shown_as_the_book_is_written() -> None:
    assert compared("霧散了。", "霧散了", "zh")[1] == [("霧散了", "same")]
    assert compared("雾散了。", "霧散了", "zh")[1] == [("雾散了", "same")]
