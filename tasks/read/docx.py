"""Word files (docx) to chapters.

Contract: headings are told by style or outline level; where there are none, by their words. Tables are read cell by
cell, one paragraph each, text boxes behind the paragraph that they hang on. Tables of contents, footnotes, endnotes and their marks, and the document's title are left
out. Deleted text (tracked changes), fields' codes, headers, footers and pictures are no text of the book.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from tasks.domain import LeftOut, Span
from tasks.read.blocks import Block, assemble
from tasks.read.paragraphs import INVISIBLE, cut, trim
from tasks.read.parsed import Parsed
from tasks.read.safezip import Archive, open_archive
from tasks.read.tree import local_name
from tasks.read.xml import MarkupError, parse_xml

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SKIPPED = frozenset(
    ("del", "movefrom", "instrtext", "deltext", "fallback", "drawing", "pict", "object", "ppr", "rpr", "sectpr")
)
_HEADING = re.compile(r"(?:heading|标题|標題|überschrift|titre)\s*([1-9])$", re.IGNORECASE)
_MARK = re.compile(r"[\[［(（〔]?[0-9①-⑳*†‡]{1,3}[\]］)）〕]?")
_MAX_STYLES_DEEP = 20


@dataclass(slots=True)
class _Style:
    name: str = ""
    base: str = ""
    outline: int = 0


@dataclass(slots=True)
class _Book:
    parts: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    title: str = ""

    def line(self, text: str, holes: list[LeftOut]) -> tuple[int, int]:
        start = self.length
        self.parts.extend((text, "\n"))
        self.length += len(text) + 1
        self.left_out.extend(
            LeftOut(Span(hole.span.start + start, hole.span.end + start), hole.reason, hole.text) for hole in holes
        )
        return start, start + len(text)


def parse(path: Path) -> Parsed:
    """Read the docx in ``path``. Raises ``docx-missing``, ``docx-broken``, ``docx-bomb`` and their like."""
    with open_archive(path, "docx") as archive:
        main = _main_part(archive)
        styles = _styles(archive, main)
        book = _Book()
        for paragraph, contents in _paragraphs(_root(archive, main, "the document's text")):
            _paragraph(book, paragraph, contents, styles)
        for name in ("footnotes", "endnotes"):
            _notes(book, archive, f"{main.rpartition('/')[0]}/{name}.xml", name[:-1])
        title, author = _properties(archive)
    source = "".join(book.parts)
    made = assemble(source, book.blocks, book.left_out)
    return Parsed(
        source, made.chapters, tuple(book.left_out), book.title or made.title or title, author, warnings=made.warnings
    )


def _root(archive: Archive, name: str, what: str) -> Any:
    try:
        return parse_xml(archive.read(name, what))
    except MarkupError as error:
        raise archive.error("broken", f"{what} is broken ({name}): {error}") from error


def _main_part(archive: Archive) -> str:
    if "word/document.xml" in archive:
        return "word/document.xml"
    for element in _root(archive, "_rels/.rels", "the list of parts").iter():
        if (element.get("Type") or "").endswith("/officeDocument"):
            return str(element.get("Target") or "").lstrip("/")
    raise archive.error("missing", "the document's text is missing: word/document.xml")


def _styles(archive: Archive, main: str) -> dict[str, _Style]:
    name = f"{main.rpartition('/')[0]}/styles.xml"
    styles: dict[str, _Style] = {}
    if name not in archive:
        return styles
    for element in _root(archive, name, "the list of styles").iter(f"{_W}style"):
        style = _Style()
        for child in element.iter():
            value = child.get(f"{_W}val") or ""
            if child.tag == f"{_W}name":
                style.name = value
            elif child.tag == f"{_W}basedOn":
                style.base = value
            elif child.tag == f"{_W}outlineLvl" and value.isdigit():
                style.outline = int(value) + 1
        styles[element.get(f"{_W}styleId") or ""] = style
    return styles


def _paragraphs(root: Any) -> list[tuple[Any, bool]]:
    """``(w:p, whether it stands in a generated table of contents)`` in order; of a text box that is there in two forms
    (a drawing, and the same for older programs) those of the first."""
    found = []
    for element in root.iter(f"{_W}p"):
        contents = skipped = in_box = False
        for parent in element.iterancestors():
            name = local_name(parent)
            in_box = in_box or name == "txbxcontent"
            skipped = skipped or (name in _SKIPPED and not (in_box and name in ("drawing", "pict")))
            if name == "sdt":
                gallery = parent.find(f"{_W}sdtPr/{_W}docPartObj/{_W}docPartGallery")
                contents = contents or (gallery is not None and "Contents" in (gallery.get(f"{_W}val") or ""))
        if not skipped:
            found.append((element, contents))
    return found


def _paragraph(book: _Book, element: Any, contents: bool, styles: dict[str, _Style]) -> None:
    name, level = _look(element, styles)
    for text, holes in _texts(element):
        bare = text.strip()
        if not bare:
            continue
        start, end = book.line(text, holes)
        reason = "table-of-contents" if contents or re.match(r"toc\s?\d|目录 ?\d", name, re.IGNORECASE) else ""
        if not reason and name.lower() in ("title", "subtitle", "标题", "副标题") and not level:
            reason = "title-page"
            book.title = book.title or (bare if name.lower() in ("title", "标题") else "")
        if reason:
            del book.left_out[len(book.left_out) - len(holes) :]
            book.left_out.append(LeftOut(Span(start, end), reason, text))
            continue
        pieces = cut([(start, end)], [(start + hole.span.start, start + hole.span.end) for hole in holes])
        kept = trim(text, [(low - start, high - start) for low, high in pieces])
        if kept:
            block = Block("heading" if level else "text", [(low + start, high + start) for low, high in kept], level)
            book.blocks.append(block)


def _look(element: Any, styles: dict[str, _Style]) -> tuple[str, int]:
    """``(style name, heading level or 0)`` of a paragraph."""
    own = element.find(f"{_W}pPr/{_W}outlineLvl")
    chosen = element.find(f"{_W}pPr/{_W}pStyle")
    key = "" if chosen is None else chosen.get(f"{_W}val") or ""
    name = styles[key].name if key in styles else key
    level = 0
    if own is not None and (own.get(f"{_W}val") or "").isdigit():
        level = int(own.get(f"{_W}val")) + 1
    for _ in range(_MAX_STYLES_DEEP):
        if level or not key:
            break
        style = styles.get(key, _Style(name=key))
        found = _HEADING.match(style.name)
        level = int(found.group(1)) if found else style.outline
        key = style.base
    return name, level if level <= 9 else 0


def _texts(element: Any) -> list[tuple[str, list[LeftOut]]]:
    """The lines of a paragraph (a line break begins a new one), each with what is left out of it."""
    lines: list[tuple[list[str], list[LeftOut]]] = [([], [])]
    start = 0
    for run in element.iter():
        name = local_name(run)
        inside = takewhile(lambda parent: parent is not element, run.iterancestors())
        if any(local_name(parent) in _SKIPPED for parent in inside):
            continue
        parts, holes = lines[-1]
        if name in ("br", "cr") and run.get(f"{_W}type") in (None, "textWrapping", "page"):
            lines.append(([], []))
            start = 0
        elif name == "tab" and local_name(run.getparent()) == "r":
            parts.append("\t")
            start += 1
        elif name == "nobreakhyphen":
            parts.append("-")
            start += 1
        elif name == "t" and run.text and run.tag == f"{_W}t":
            before = parts[-1][-1:] if parts else ""
            text = run.text.replace("\n", " ")
            parts.append(text)
            raised = run.getparent().find(f"{_W}rPr/{_W}vertAlign")
            # After an ASCII letter or digit a raised number may be a power (m², 10⁶): it is read.
            after_text = bool(before) and not (before.isascii() and before.isalnum())
            is_raised = raised is not None and raised.get(f"{_W}val") == "superscript"
            if is_raised and after_text and _MARK.fullmatch(text.strip()):
                holes.append(LeftOut(Span(start, start + len(text)), "footnote-mark", text))
            else:
                holes.extend(
                    LeftOut(Span(start + found.start(), start + found.end()), "markup", found.group())
                    for found in INVISIBLE.finditer(text)
                )
            start += len(text)
    return [("".join(parts), holes) for parts, holes in lines]


def _notes(book: _Book, archive: Archive, name: str, kind: str) -> None:
    if name not in archive:
        return
    for note in _root(archive, name, f"the {kind}s").iter(f"{_W}{kind}"):
        if note.get(f"{_W}type") in ("separator", "continuationSeparator", "continuationNotice"):
            continue
        for element, _ in _paragraphs(note):
            for text, _holes in _texts(element):
                if text.strip():
                    start, end = book.line(text, [])
                    book.left_out.append(LeftOut(Span(start, end), "footnote", text))


def _properties(archive: Archive) -> tuple[str, str]:
    if "docProps/core.xml" not in archive:
        return "", ""
    title = author = ""
    for element in _root(archive, "docProps/core.xml", "the document's properties").iter():
        if local_name(element) == "title":
            title = (element.text or "").strip()
        elif local_name(element) == "creator":
            author = (element.text or "").strip()
    return title, author if author != "python-docx" else ""
