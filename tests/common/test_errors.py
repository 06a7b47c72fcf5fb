import pickle

from common.errors import VoicepressError


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
