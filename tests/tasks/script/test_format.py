"""What is written is what is read, whatever a text holds."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from tasks.domain import NARRATOR
from tasks.script.format import FIELDS, default, emit, item, plain_spoken, quoted_id, scalar
from tasks.script.parse import read

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


@given(TEXT)
@example("y")
@example("null")
@example("你好: 世界")
@example("你好 # 不是注释")
@example("“引号”")
@example("a\u2028b\x85c\ufeff")
@example("\\n")
@example("结尾 ")
@example("- 列表")
@example("1e5")
def test_a_text_survives_both_kinds_of_reader(text: str) -> None:
    if any(ord(char) < 32 and char not in "\t\n\r" for char in text):
        return
    assert yaml.safe_load(f"key: {scalar(text)}\n") == {"key": text}
    assert YAML(typ="safe").load(f"key: {scalar(text)}\n") == {"key": text}


@pytest.mark.parametrize("line_id", ["123456789012", "1e2345678901", "0b1010101010", "0123456789e1", "abcdef012345"])
def test_an_id_stays_text(line_id: str) -> None:
    assert yaml.safe_load(f"id: {quoted_id(line_id)}") == {"id": line_id}
    assert YAML(typ="safe").load(f"id: {quoted_id(line_id)}") == {"id": line_id}


@given(
    st.lists(
        st.tuples(
            TEXT.filter(lambda text: text.isprintable() and plain_spoken(text) != ""),
            st.sampled_from([NARRATOR, "林晓"]),
            st.sampled_from([None, 0.8, 1.25]),
        ),
        max_size=5,
    )
)
def test_a_chapter_file_reads_back(lines: list[tuple[str, str, float | None]]) -> None:
    wanted = []
    for place, (text, speaker, speed) in enumerate(lines):
        fields = {name: default(name, text) for name in FIELDS} | {"speaker": speaker, "speed": speed}
        wanted.append((f"{place:012x}", text, fields, ""))
    page = read(emit(3, "第三章: # 题", wanted), Path("003.yaml"), 3)
    assert (page.number, page.title) == (3, "第三章: # 题")
    assert [(one.id, one.text, one.fields, "") for one in page.items] == wanted


def test_defaults_are_not_written() -> None:
    fields = {name: default(name, "“你好，”") for name in FIELDS}
    assert item("abc", "“你好，”", fields) == "  - id: abc\n    text: “你好，”\n"
    assert fields["spoken"] == "你好，"
