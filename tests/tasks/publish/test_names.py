from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.publish.names import MAX_BYTES, chapter_stem, safe_stem


@pytest.mark.parametrize(
    ("text", "stem"),
    [
        ("雨夜", "雨夜"),
        ("第一章 他/她:“来”?", "第一章 他_她_“来”_"),
        ("Chapter 1: One Finger", "Chapter 1 - One Finger"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("C:\\Windows\\x", "C_Windows_x"),
        ("a\0b\nc\td\u202ee\u200b", "ab c de"),
        (" . hidden. . ", "hidden"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("console", "console"),
        ("", "untitled"),
        ("...", "untitled"),
        ("e\u0301te\u0301", "\u00e9t\u00e9"),
    ],
)
def test_titles_become_names(text: str, stem: str) -> None:
    assert safe_stem(text) == stem


def test_chapters_sort_as_the_book_goes() -> None:
    names = [chapter_stem(number, "章") for number in (1, 2, 10, 100)]
    assert names == sorted(names)
    assert names[0] == "001 章"
    assert chapter_stem(7, "章", digits=4) == "0007 章"


def test_a_long_title_is_cut_between_characters() -> None:
    stem = safe_stem("很长的标题" * 100)
    assert len(stem.encode()) <= MAX_BYTES
    assert "很长的标题" * 10 in stem


@given(st.text())
def test_no_title_leaves_its_folder_or_breaks_a_system(text: str) -> None:
    stem = safe_stem(text)
    assert stem
    assert len(stem.encode()) <= MAX_BYTES + 1
    for path in (PurePosixPath(f"{stem}.mp3"), PureWindowsPath(f"{stem}.mp3")):
        assert len(path.parts) == 1
    assert not set('<>:"/\\|?*\0\n') & set(stem)
    assert stem == stem.strip(" .")


@given(st.text(max_size=300))
def test_every_name_can_be_written(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path: Path = tmp_path_factory.getbasetemp() / f"{chapter_stem(1, text)}.mp3"
    path.write_bytes(b"")
    path.unlink()
