from pathlib import Path

import pytest
from pydantic import Field

from common.errors import VoicepressError
from common.yamlio import Strict, load_model


class Inner(Strict):
    speed: float = Field(1.0, ge=0.5, le=2.0)
    voice: str = ""


class Outer(Strict):
    title: str
    roles: dict[str, Inner] = Field(default_factory=dict)
    pool: tuple[Inner, ...] = ()


def refused(tmp_path: Path, text: str) -> VoicepressError:
    path = tmp_path / "x.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(VoicepressError) as caught:
        load_model(path, Outer, "the test file")
    assert caught.value.file == str(path)
    return caught.value


def test_reads_what_is_right(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes("\ufefftitle: 渡口\nroles: {老周: {speed: 0.9}}\n".encode())
    assert load_model(path, Outer, "it").roles["老周"].speed == 0.9


def test_a_wrong_value_is_named_with_line_and_key(tmp_path: Path) -> None:
    error = refused(tmp_path, "title: x\nroles:\n  a:\n    voice: v\n    speed: 9\n")
    assert (error.code, error.line, error.key) == ("bad-config", 5, "roles.a.speed")
    assert "given: 9" in error.what


def test_an_unknown_key_brings_the_nearest_known_one(tmp_path: Path) -> None:
    error = refused(tmp_path, "title: x\nroles:\n  a:\n    spede: 1\n")
    assert (error.line, error.key, error.hint) == (4, "roles.a.spede", "did you mean 'speed'?")
    error = refused(tmp_path, "title: x\npool:\n  - voice: a\n  - vioce: b\n")
    assert (error.line, error.hint) == (4, "did you mean 'voice'?")


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    assert "'title' is missing" in refused(tmp_path, "roles: {}\n").what


def test_a_key_that_stands_twice_is_an_error(tmp_path: Path) -> None:
    error = refused(tmp_path, "title: x\nroles: {}\ntitle: y\n")
    assert error.line == 3
    assert "stands twice" in error.what


def test_broken_yaml_is_named_with_its_line(tmp_path: Path) -> None:
    assert refused(tmp_path, "title: x\nroles: [\n").line in (2, 3)
    assert refused(tmp_path, "title: 'x\n").code == "bad-yaml"
    assert refused(tmp_path, "title: 2024-13-45\n").code == "bad-yaml"


def test_no_code_runs_from_yaml(tmp_path: Path) -> None:
    error = refused(tmp_path, "title: !!python/object/apply:os.system ['touch /tmp/voicepress-was-here']\n")
    assert error.code == "bad-yaml"
    assert error.line == 1
    assert not Path("/tmp/voicepress-was-here").exists()


def test_alias_bombs_cycles_and_depth_are_refused(tmp_path: Path) -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9))
    assert "aliases" in refused(tmp_path, bomb).what
    assert refused(tmp_path, "title: &x [*x]\n").code == "bad-yaml"
    assert refused(tmp_path, "title: " + "[" * 5000 + "]" * 5000).code == "bad-yaml"


def test_empty_binary_and_missing_files_are_clear_errors(tmp_path: Path) -> None:
    assert refused(tmp_path, "").code == "empty-file"
    path = tmp_path / "b.yaml"
    path.write_bytes(b"title: \xd6\xd0\n")
    with pytest.raises(VoicepressError) as caught:
        load_model(path, Outer, "it")
    assert caught.value.code == "not-utf8"
    with pytest.raises(VoicepressError) as caught:
        load_model(tmp_path / "none.yaml", Outer, "it")
    assert caught.value.code == "file-missing"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("title: x\nroles: [a]\n", "must be keys with values"),
        ("title: x\nroles: {a: b}\n", "must be keys with values (key: value) (given: 'b')"),
        ("title: x\nroles: {a: }\n", "must be keys with values (key: value) (nothing is given)"),
        ("title: x\npool: a\n", "must be a list"),
        ("title: 2020-01-01\n", "must be text (numbers and dates in quotes)"),
        ("title: x\nroles: {a: {speed: fast}}\n", "must be a number (given: 'fast')"),
        ("title: x\nroles: {a: {speed: 9}}\n", "must be less than or equal to 2 (given: 9)"),
    ],
)
def test_a_wrong_kind_of_value_is_told_in_the_words_of_the_file(tmp_path: Path, text: str, what: str) -> None:
    assert what in refused(tmp_path, text).what
