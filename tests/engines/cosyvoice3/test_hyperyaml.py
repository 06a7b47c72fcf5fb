"""HyperPyYAML read as plain data: references resolved, nothing built, wrong files named."""

from pathlib import Path

import pytest

from common.errors import VoicepressError
from engines.cosyvoice3.hyperyaml import Section, read_tagged_yaml


def read(tmp_path: Path, text: str) -> dict:
    path = tmp_path / "cosyvoice3.yaml"
    path.write_text(text, encoding="utf-8")
    return read_tagged_yaml(path, "the model's configuration")


def test_references_are_followed_and_calculated(tmp_path):
    text = """
a: 25
b: 2
c: !ref <a> * <b>
d: !ref (<c> + 1) / 2 - -<b>
e: {inner: {deep: 7}, list: [3, 4]}
f: !ref <e[inner][deep]>
g: !ref <e.list[1]>
h: !new:some.Class
    size: !ref <d>
    parts: [!ref <f>, x]
i: !ref <h>
folder: models
j: !ref <folder>/file.pt
"""
    data = read(tmp_path, text)
    assert data["c"] == 50
    assert data["d"] == 27.5
    assert (data["f"], data["g"]) == (7, 4)
    assert data["h"] == data["i"] == {"size": 27.5, "parts": [7, "x"]}
    assert data["j"] == "models/file.pt"


def test_a_reference_may_stand_before_what_it_names(tmp_path):
    assert read(tmp_path, "a: !ref <b>\nb: !ref <c>\nc: 3\n")["a"] == 3


def test_numbers_that_yaml_takes_for_text_are_numbers(tmp_path):
    data = read(tmp_path, "a: 1e-06\nb: '1e-06'\nc: null\nd: True\ne: 0x10\nf: v1\n")
    assert data == {"a": 1e-6, "b": "1e-06", "c": None, "d": True, "e": 16, "f": "v1"}


def test_tags_build_and_import_nothing(tmp_path):
    text = "a: !apply:os.system ['touch {0}']\nb: !!python/object/apply:os.system ['touch {0}']\nc: !name:os.remove\n"
    marker = tmp_path / "ran"
    data = read(tmp_path, text.format(marker))
    assert not marker.exists()
    assert data["a"] == [f"touch {marker}"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: !ref <b>\nb: !ref <a>\n", "leads back"),
        ("a: !ref <nothing>\n", "names nothing"),
        ("a: {b: 1}\nc: !ref <a[x]>\n", "names nothing"),
        ("- 1\n", "not a mapping"),
        ("", "not a mapping"),
        ("a: [1\n", "not valid YAML"),
        ("a: &x [*x]\n", "too large or nests too deep"),
        ("a: &a [1,1,1,1,1,1,1,1]\n" + "".join(f"{b}: &{b} [{', '.join(['*' + a] * 8)}]\n" for a, b in zip("abcdef", "bcdefg", strict=True)), "too large"),
        ("a: " + "[" * 60 + "]" * 60 + "\n", "too deep"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_an_error_that_says_why(tmp_path, text, says):
    with pytest.raises(VoicepressError, match=says) as caught:
        read(tmp_path, text)
    assert caught.value.file is not None


def test_arithmetic_knows_numbers_and_four_operations_only(tmp_path):
    data = read(tmp_path, "x: 2\na: !ref <x> ** 99999999\nb: !ref __import__('os').getpid() + <x>\nc: !ref <x> / 0\n")
    assert data["a"] == "2 ** 99999999"
    assert data["b"].startswith("__import__")
    assert data["c"] == "2 / 0"


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(VoicepressError) as caught:
        read_tagged_yaml(tmp_path / "cosyvoice3.yaml", "the model's configuration")
    assert "cosyvoice3.yaml" in str(caught.value)


def test_a_section_names_the_whole_key_of_a_wrong_value(tmp_path):
    section = Section({"flow": {"depth": "many", "rates": [1, -2], "ok": 2.0}}, tmp_path / "x.yaml").section("flow")
    assert section.integer("ok") == 2
    for call, key in (
        (lambda: section.integer("depth"), "flow.depth"),
        (lambda: section.number("width"), "flow.width"),
        (lambda: section.integers("rates"), "flow.rates"),
        (lambda: section.section("none"), "flow.none"),
        (lambda: section.text("ok"), "flow.ok"),
    ):
        with pytest.raises(VoicepressError) as caught:
            call()
        assert caught.value.key == key
