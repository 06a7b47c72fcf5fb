import pickle
from pathlib import Path

from common.errors import VoicepressError, plain


def test_says_what_where_and_what_to_do() -> None:
    error = VoicepressError(
        "bad-config", "speed is too high", file="cast.yaml", line=7, key="narrator.speed", hint="choose less than 2"
    )
    assert error.render().splitlines() == [
        "error [bad-config]: speed is too high",
        "  where: cast.yaml:7, narrator.speed",
        "  to do: choose less than 2",
    ]


def test_leaves_out_what_is_not_known() -> None:
    assert VoicepressError("x", "wrong").render() == "error [x]: wrong"
    assert VoicepressError("x", "wrong", line=3).where == "line 3"


def test_survives_pickling_between_processes() -> None:
    error = pickle.loads(pickle.dumps(VoicepressError("x", "wrong", file="a", line=1, key="k", hint="h")))
    assert isinstance(error, VoicepressError)
    assert (error.code, error.file, error.line, error.key, error.hint) == ("x", "a", 1, "k", "h")
    assert str(error) == error.render()


def test_shows_nothing_that_a_terminal_obeys_or_that_has_no_end() -> None:
    error = VoicepressError("x", "no voice '\x1b[31mred\x07\n\u202e'", file="a\x1b]0;t", hint="天" * 10_000)
    assert error.render().splitlines()[0] == "error [x]: no voice '\\u001b[31mred\\u0007 \\u202e'"
    assert "\x1b" not in error.render()
    assert len(error.render()) < 1000


def test_plain_text_keeps_what_is_no_danger() -> None:
    assert plain("第一章 “渡口” é 👩‍👩‍👧\u3000x") == "第一章 “渡口” é 👩‍👩‍👧\u3000x"
    assert plain("a\n\tb\r", rows=True) == "a\n\tb\\u000d"
    assert plain("a\ud800b") == "a\\ud800b"
    assert plain("ab" * 50, 8) == "ababab … ab"


def test_a_file_is_named_where_none_was() -> None:
    assert VoicepressError("x", "wrong").at(Path("cast.yaml")).where == "cast.yaml"
    assert VoicepressError("x", "wrong", file="a").at(Path("cast.yaml")).where == "a"


def test_rows_stand_below_as_they_are_up_to_a_bound() -> None:
    error = VoicepressError("x", "wrong", hint="add", rows=("characters:", "  阿宝: {voice: }", "\x1b[31m"))
    assert error.render().splitlines()[2:] == ["    characters:", "      阿宝: {voice: }", "    \\u001b[31m"]
    assert pickle.loads(pickle.dumps(error)).rows == error.rows
    many = VoicepressError("x", "wrong", rows=tuple(map(str, range(1000)))).render().splitlines()
    assert (len(many), many[-1]) == (62, "    … and 940 more")
