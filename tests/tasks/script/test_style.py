"""The style that the words around a quotation ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import VoicepressError
from tasks.script.style import line_style


@pytest.mark.parametrize(
    ("words", "style"),
    [
        ("他低声说道。", "用小声的语气说"),
        ("她在他耳边轻声说。", "用小声的语气说"),
        ("他大喊。", "用大声的语气说"),
        ("小满喊道：", "用大声的语气说"),
        ("她哭着说，", "用悲伤的语气说"),
        ("父亲怒道：", "用生气的语气说"),
        ("他笑道，", "用开心的语气说"),
        ("他说。", ""),
        ("", ""),
    ],
)
def test_chinese_verbs(words: str, style: str) -> None:
    assert line_style(words) == style


@pytest.mark.parametrize(
    ("words", "style"), [("she whispered.", "Speak softly."), ("he shouted,", "Speak loudly."), ("he said.", "")]
)
def test_english_verbs(words: str, style: str) -> None:
    assert line_style(words, "en") == style


def test_a_table_with_an_unknown_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "styles.yaml"
    path.write_text("zh:\n  - {say: 喊, style: x}\n", encoding="utf-8")
    with pytest.raises(VoicepressError, match="says"):
        line_style("喊", path=path)
