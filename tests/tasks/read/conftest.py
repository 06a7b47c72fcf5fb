"""Builders of small books for the tests of the reading room. All text is written for these tests."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def page(body: str, attributes: str = "") -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops"><head><title>t</title></head><body{attributes}>{body}</body></html>'
    )


def opf(items: Mapping[str, str], spine: list[str], *, extra: str = "", toc: str = "") -> str:
    """A package document; ``items`` maps ids to the attributes of their manifest entry."""
    listed = "".join(f'<item id="{key}" {attributes}/>' for key, attributes in items.items())
    order = "".join(f'<itemref idref="{key}"/>' for key in spine)
    return (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>山里的灯</dc:title><dc:creator>柳下客</dc:creator>'
        f"<dc:language>zh-CN</dc:language></metadata><manifest>{listed}</manifest><spine{toc}>{order}</spine>{extra}</package>"
    )


def simple_parts(chapters: Mapping[str, str], nav: str = "") -> dict[str, str]:
    """The parts of an EPUB 3 of ``{file: body}``; ``nav`` is the inside of the navigation document's nav element."""
    items = {f"c{number}": f'href="{name}" media-type="application/xhtml+xml"' for number, name in enumerate(chapters)}
    spine = list(items)
    if nav:
        items["nav"] = 'href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"'
    parts = {"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": opf(items, spine)}
    parts.update({f"OEBPS/{name}": page(body) for name, body in chapters.items()})
    if nav:
        parts["OEBPS/nav.xhtml"] = page(f'<nav epub:type="toc">{nav}</nav>')
    return parts


@pytest.fixture
def make_epub(tmp_path: Path) -> Callable[..., Path]:
    def make(parts: Mapping[str, str | bytes], name: str = "book.epub") -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("mimetype", "application/epub+zip")
            for part, content in parts.items():
                archive.writestr(part, content, zipfile.ZIP_DEFLATED)
        return path

    return make


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write_file(content: str | bytes, name: str = "book.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write_file


@pytest.fixture
def epub_parts() -> Callable[..., dict[str, str]]:
    return simple_parts


@pytest.fixture
def epub_page() -> Callable[..., str]:
    return page


@pytest.fixture
def epub_opf() -> Callable[..., str]:
    return opf
