from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import VoicepressError
from tasks.publish.cover import load_cover


@pytest.mark.parametrize(("kind", "mime"), [("png", "image/png"), ("jpg", "image/jpeg")])
def test_pictures_are_known_by_content(tmp_path: Path, pictures: dict[str, Path], kind: str, mime: str) -> None:
    path = tmp_path / "cover.dat"
    path.write_bytes(pictures[kind].read_bytes())
    cover = load_cover(path)
    assert (cover.mime, cover.width, cover.height) == (mime, 64, 48)


@pytest.mark.parametrize("kind", ["gif", "bmp"])
def test_other_pictures_are_refused_with_what_to_do(pictures: dict[str, Path], kind: str) -> None:
    with pytest.raises(VoicepressError) as caught:
        load_cover(pictures[kind])
    assert caught.value.code == "bad-cover"
    assert "JPEG or PNG" in caught.value.hint


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"\xff\xd8\xff\xe0\x00\x00" + b"\0" * 50]
)
def test_what_is_no_picture_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "cover.jpg"
    path.write_bytes(data)
    with pytest.raises(VoicepressError) as caught:
        load_cover(path)
    assert caught.value.code == "bad-cover"


def test_half_a_png_is_refused(tmp_path: Path, pictures: dict[str, Path]) -> None:
    data = pictures["png"].read_bytes()
    path = tmp_path / "cover.png"
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(VoicepressError):
        load_cover(path)


def test_a_cover_that_is_too_big_is_refused(tmp_path: Path, pictures: dict[str, Path]) -> None:
    path = tmp_path / "cover.png"
    path.write_bytes(pictures["png"].read_bytes() + b"\0" * 11_000_000)
    with pytest.raises(VoicepressError) as caught:
        load_cover(path)
    assert caught.value.code == "cover-too-big"
    data = bytearray(pictures["png"].read_bytes())
    data[16:20] = (20_000).to_bytes(4, "big")
    path.write_bytes(bytes(data))
    with pytest.raises(VoicepressError) as caught:
        load_cover(path)
    assert caught.value.code == "cover-too-big"


def test_a_missing_cover_is_named(tmp_path: Path) -> None:
    with pytest.raises(VoicepressError) as caught:
        load_cover(tmp_path / "none.png")
    assert caught.value.code == "file-missing"
