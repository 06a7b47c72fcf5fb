"""EPUB 2 and 3 to chapters.

Contract: the parts are read in spine order; titles come from the navigation document or the NCX, and where those say
too little, from the headings. Navigation, cover, title and copyright pages that are marked as such, footnotes and
their marks are left out. A missing or broken part is an error that names it: a book with a hole is not made.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from pathlib import Path
from typing import Any

from tasks.read.blocks import Block, assemble, text_of
from tasks.read.package import Entry, Package, open_package, page, resolve
from tasks.read.parsed import Parsed
from tasks.read.safezip import Archive, open_archive
from tasks.read.tree import OPS_TYPE, Writer, local_name, note_targets

_GUIDE_REASONS = {
    "toc": "navigation", "cover": "title-page", "title-page": "title-page", "copyright-page": "title-page",
    "index": "navigation", "loi": "navigation", "lot": "navigation",
}  # fmt: skip
_TYPE_REASONS = {
    "cover": "title-page", "titlepage": "title-page", "halftitlepage": "title-page", "copyright-page": "title-page",
    "toc": "navigation", "landmarks": "navigation", "index": "navigation", "footnotes": "footnote",
    "endnotes": "footnote", "rearnotes": "footnote",
}  # fmt: skip
_MAX_HEADING_CHARS = 120
_SUBHEADING = 100
"""Added to the level of a heading that the contents do not know: it may be the title's own line, else it is read."""


def parse(path: Path) -> Parsed:
    """Read the EPUB in ``path``."""
    with open_archive(path, "epub") as archive:
        package = open_package(archive)
        roots = {item.path: page(archive, item.path, package.warnings) for item in package.spine}
        notes = _notes(archive, roots)
        contents = _usable(package)
        depth = max((entry.level for entry in contents), default=0)
        starts: dict[str, list[Entry]] = {}
        for entry in contents:
            starts.setdefault(entry.path, []).append(entry)
        writer = Writer()
        for item in package.spine:
            root = roots[item.path]
            reason = (
                "navigation" if item.is_nav or not item.linear else _page_reason(root, package.guide.get(item.path, ""))
            )
            if not reason and _is_contents_page(archive, item.path, root, roots):
                reason = "table-of-contents"
            _write(writer, root, starts.get(item.path, []), depth, notes.get(item.path, set()), reason)
        source, left_out = writer.source, writer.left_out
        blocks = _titled(source, writer.blocks) if contents else writer.blocks
        made = assemble(source, blocks, left_out, title_heading=not contents)
    return Parsed(
        source,
        made.chapters,
        tuple(left_out),
        package.title or made.title,
        package.author,
        package.language,
        (*package.warnings, *made.warnings),
    )


def _write(writer: Writer, root: Any, here: list[Entry], depth: int, note_ids: set[str], reason: str) -> None:
    """One part. Where the contents (``depth`` levels, 0: none) name it, chapters begin at their targets, else at a heading
    that opens it."""
    ids = {element.get("id") for element in root.iter()} | {
        element.get("name") for element in root.iter() if local_name(element) == "a"
    }
    first = len(writer.blocks)
    anchors: dict[str, tuple[str, int]] = {}
    if not reason:
        for entry in here:
            if entry.anchor and entry.anchor in ids:
                anchors.setdefault(entry.anchor, (entry.title, entry.level))
            else:
                writer.blocks.append(Block("heading", [], entry.level, entry.title))
    body = next((element for element in root.iter() if local_name(element) == "body"), root)
    writer.walk(body, anchors=anchors, note_ids=note_ids, reason=reason)
    if not depth or reason:
        return
    opening = True
    for block in writer.blocks[first:]:
        if block.kind == "heading" and block.pieces:
            # Headings that the contents do not know are chapters only where they open a part of their own.
            if opening and not here and block.level <= 2:
                block.title = text_of(writer.source, block.pieces)
                block.level = depth
            else:
                block.level += _SUBHEADING
        opening = opening and not block.pieces


def _usable(package: Package) -> list[Entry]:
    """The lines of the contents, with links into the spine; none where they are too few to be chapters."""
    paths = {item.path for item in package.spine}
    entries = list(package.contents)
    for index in range(len(entries) - 2, -1, -1):
        # A part's name without a link begins where its first child begins.
        if entries[index].path not in paths and entries[index + 1].level > entries[index].level:
            entries[index] = Entry(
                entries[index].title, entries[index].level, entries[index + 1].path, entries[index + 1].anchor
            )
    linked = [entry for entry in entries if entry.path in paths]
    return linked if len(linked) >= 2 or len(package.spine) <= 2 else []


def _titled(source: str, blocks: list[Block]) -> list[Block]:
    """Give every title of the contents the heading that stands in the text, so that it is not read twice."""
    made: list[Block] = []
    index = 0
    while index < len(blocks):
        block = blocks[index]
        if block.kind == "heading" and not block.pieces:
            group = []
            while index < len(blocks) and blocks[index].kind == "heading" and not blocks[index].pieces:
                group.append(blocks[index])
                index += 1
            for title in group:
                index = _absorb(source, blocks, index, title)
            made.extend(group)
            continue
        made.append(Block("text", block.pieces) if block.level > _SUBHEADING else block)
        index += 1
    return made


def _absorb(source: str, blocks: list[Block], index: int, title: Block) -> int:
    """Take the blocks from ``index`` on that spell ``title`` into it; the index of the first that does not."""
    wanted, got = _plain(title.title), ""
    while index < len(blocks) and got != wanted and blocks[index].pieces:
        candidate = blocks[index]
        said = _plain(text_of(source, candidate.pieces))
        if not said or candidate.pieces[-1][1] - candidate.pieces[0][0] > _MAX_HEADING_CHARS:
            break
        if wanted.startswith(got + said):
            got += said
        elif candidate.kind == "heading" and not got and wanted and wanted in said:
            title.title = text_of(source, candidate.pieces)
            got = wanted
        else:
            break
        title.pieces = title.pieces + candidate.pieces
        index += 1
    return index


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).lower()


def _page_reason(root: Any, guide: str) -> str:
    if guide in _GUIDE_REASONS:
        return _GUIDE_REASONS[guide]
    body = next((element for element in root.iter() if local_name(element) == "body"), None)
    if body is None:
        return ""
    children = [child for child in body if local_name(child)]
    for element in [body, *(children if len(children) == 1 else [])]:
        for kind in (element.get(OPS_TYPE) or element.get("epub:type") or "").lower().split():
            if kind in _TYPE_REASONS:
                return _TYPE_REASONS[kind]
    return ""


def _is_contents_page(archive: Archive, path: str, root: Any, parts: Container[str]) -> bool:
    """A page that is nearly all links to other parts of the book."""
    body = next((element for element in root.iter() if local_name(element) == "body"), root)
    total = len(_plain("".join(body.itertext())))
    linked = links = 0
    for element in body.iter():
        if local_name(element) == "a" and element.get("href"):
            target = resolve(archive, path, element.get("href"))[0]
            if target in parts and target != path:
                linked += len(_plain("".join(element.itertext())))
                links += 1
    return links >= 3 and linked >= 0.8 * total


def _notes(archive: Archive, roots: dict[str, Any]) -> dict[str, set[str]]:
    """``{part: ids}`` of the elements that footnote marks point to."""
    notes: dict[str, set[str]] = {}
    for path, root in roots.items():
        for href in note_targets(root):
            target, anchor = resolve(archive, path, href)
            if target in roots and anchor:
                notes.setdefault(target, set()).add(anchor)
    return notes
