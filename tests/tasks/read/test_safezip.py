"""Archives from strangers are read within limits or refused."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from common.errors import VoicepressError
from tasks.read import safezip
from tasks.read.safezip import open_archive


def read_all(path: Path) -> None:
    with open_archive(path, "epub") as archive:
        for name in list(archive.members):
            archive.read(name, "a part")


def refused(path: Path) -> str:
    with pytest.raises(VoicepressError) as caught:
        read_all(path)
    return caught.value.code


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/passwd", "a/../../b", "..\\evil", "C:\\x.txt"])
def test_names_that_lead_out_are_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "b.epub"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, "x")
    assert refused(path) == "epub-path"


def test_links_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "b.epub"
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    assert refused(path) == "epub-path"


def test_a_member_that_shrinks_too_well_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "b.epub"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb", b"\0" * 20_000_000)
    assert refused(path) == "epub-bomb"


def test_a_member_that_lies_about_its_size_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "b.epub"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("part", b"0123456789" * 1000)
    data = path.read_bytes().replace((10_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(data)
    assert refused(path) == "epub-broken"
    monkeypatch.setattr(safezip, "MAX_MEMBER_BYTES", 100)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("part", b"0" * 101)
    assert refused(path) == "epub-bomb"


def test_too_many_members_and_too_much_in_all_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "b.epub"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(5):
            archive.writestr(f"{number}", "0123456789")
    monkeypatch.setattr(safezip, "MAX_DECLARED_BYTES", 49)
    assert refused(path) == "epub-bomb"
    monkeypatch.setattr(safezip, "MAX_DECLARED_BYTES", 1000)
    monkeypatch.setattr(safezip, "MAX_MEMBERS", 4)
    assert refused(path) == "epub-bomb"


def test_locked_doubled_and_damaged_members_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "b.epub"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("part", "text")
    good = path.read_bytes()
    locked = bytearray(good)
    place = good.index(b"PK\x01\x02")
    locked[place + 8] |= 1
    path.write_bytes(locked)
    assert refused(path) == "epub-encrypted"
    path.write_bytes(good.replace(b"text", b"tixt"))
    assert refused(path) == "epub-broken"
    path.write_bytes(good[:-30])
    assert refused(path) == "epub-broken"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("part_a", "a")
        archive.writestr("part_b", "b")
    path.write_bytes(path.read_bytes().replace(b"part_b", b"part_a"))
    assert refused(path) == "epub-broken"
