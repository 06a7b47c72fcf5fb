"""Patterns of a lexicon: what is refused because it could take a night, and what is not."""

import pytest

from tasks.script.lexicon_regex import MAX_CHARS, WINDOW, compiled, found_in, holds_groups_in_groups, looks_around


@pytest.mark.parametrize(
    "pattern",
    [
        "重(?=庆)",
        "[王李]重",
        "(?:甲|乙)+",
        "(?:看|听说){1,3}了",
        "(?<=老)[张王]{1,2}长",
        "(?i)gpu",
        ".+行",
        r"(.)\1",
        r"\d+",
    ],
)
def test_ordinary_patterns_pass(pattern: str) -> None:
    assert compiled(pattern).pattern == pattern


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(重+)+庆", "very slow"),
        ("(?:看|听说)+", "very slow"),
        ("(?:a|aa)*b", "very slow"),
        (".+重.+庆", "very slow"),
        ("(?:(?:a{1,9}){1,9}){1,9}", "very slow"),
        ("((((a?)?)?)?)?(重*)*b", "very slow"),
        ("(?=(重+)+庆)重", "very slow"),
        ("重*", "empty string"),
        ("^", "empty string"),
        ("(重", "no regular expression"),
        ("(?<=重+)庆", "no regular expression"),
        ("a{99999999999}", "no regular expression"),
        ("重" * (MAX_CHARS + 1), "at most"),
    ],
)
def test_slow_empty_and_broken_patterns_are_refused_with_the_reason(pattern: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        compiled(pattern)


def test_what_passes_is_quick_on_the_worst_text() -> None:
    pattern = compiled(".+行")
    assert list(found_in(pattern, "甲" * 20_000)) == []


def test_a_context_may_match_nothing() -> None:
    assert compiled("重?", may_be_empty=True)


def test_a_long_text_is_searched_window_by_window() -> None:
    text = "重" * (2 * WINDOW + 5)
    assert len(list(found_in(compiled("重"), text))) == len(text)


@pytest.mark.parametrize(("pattern", "nested"), [("(重)(庆)", False), ("((重)庆)", True), ("(?:(重)|(庆))", False)])
def test_groups_within_groups_are_seen(pattern: str, nested: bool) -> None:
    assert holds_groups_in_groups(pattern) is nested


@pytest.mark.parametrize(
    ("pattern", "looks"), [("重(?=庆)", True), ("(?<!沉)重", True), ("^重", True), ("重庆", False)]
)
def test_lookarounds_are_seen(pattern: str, looks: bool) -> None:
    assert looks_around(pattern) is looks
