"""A tree of HTML elements to source text and blocks.

Contract: a ``Writer`` collects the readable text of one or more documents, each block of it on a line of its own, and
says what of it is read: ``walk`` appends one tree. Scripts, styles and metadata are no readable text and are not
collected; navigation, footnotes and their marks, ruby, hidden text, listings and alternative texts of pictures are
collected and left out with their reason.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from tasks.domain import LeftOut, Span
from tasks.read.blocks import Block
from tasks.read.paragraphs import INVISIBLE, cut, trim

OPS_TYPE = "{http://www.idpf.org/2007/ops}type"

_UNREAD = frozenset(
    ("head", "script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "math", "audio", "video",
     "canvas", "select", "button", "input", "textarea", "map", "title", "meta", "link")
)  # fmt: skip
_INLINE = frozenset(
    ("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd",
     "label", "mark", "q", "rb", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt",
     "u", "var", "wbr", "rt", "rp", "rtc", "img", "image", "nobr")
)  # fmt: skip
_NAVIGATION = frozenset(("toc", "landmarks", "page-list", "pagebreak", "loi", "lot", "index"))
_FOOTNOTES = frozenset(
    ("footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes", "note", "doc-footnote", "doc-endnote",
     "doc-endnotes")
)  # fmt: skip
_TITLE_PAGES = frozenset(("cover", "titlepage", "halftitlepage", "halftitle", "copyright-page", "imprint", "colophon"))
_NOTEREFS = frozenset(("noteref", "doc-noteref", "backlink", "doc-backlink", "referrer"))
_MARK = re.compile(
    r"\s*[\[［(（〔【]?\s*(?:[0-9０-９]{1,4}|[*†‡§¶＊※]{1,3}|[①-⑳]|[a-z]|[ivx]{1,5}|注\s?[0-9０-９一二三四五六七八九十]{0,3})\s*[\]］)）〕】]?\s*$"
)
_BRACKETED = re.compile(r"\s*(?:[\[［〔【].{1,6}[\]］〕】]|[①-⑳]|[*†‡＊※]{1,3})\s*$")
_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


@dataclass(slots=True)
class _Region:
    """An element whose text is left out as a whole."""

    element: Any
    reason: str
    start: int


@dataclass(slots=True)
class Writer:
    """``anchors`` of ``walk`` name ids at which the table of contents lets a chapter begin: ``{id: (title, level)}``."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    _start: int = 0
    _holes: list[LeftOut] = field(default_factory=list)
    _level: int = 0
    _space: bool = True
    _last: str = ""

    @property
    def source(self) -> str:
        return "".join(self.parts)

    def put(self, text: str) -> None:
        """Append ``text`` to the source as it is."""
        self.parts.append(text)
        self._last = text[-1:] or self._last
        self.length += len(text)

    def walk(
        self,
        root: Any,
        *,
        anchors: Mapping[str, tuple[str, int]] | None = None,
        note_ids: Collection[str] = (),
        reason: str = "",
    ) -> None:
        """Append the text of ``root``. ``note_ids``: elements that footnote marks point to. ``reason``: leave all of it out
        for that reason."""
        region = _Region(root, reason, self.length) if reason else None
        preformatted: Any = None
        first = 0
        walker = etree.iterwalk(root, events=("start", "end"))
        for event, element in walker:
            name = local_name(element)
            if event == "start":
                if name in _UNREAD or not name:
                    walker.skip_subtree()
                    continue
                for mark in (element.get("id"), element.get("name") if name == "a" else None):
                    if anchors and mark and mark in anchors and region is None:
                        self._anchor(*anchors[mark])
                if name not in _INLINE and name != "br":
                    self._break(region)
                if region is None:
                    why = self._reason(element, name, note_ids)
                    if why:
                        region = _Region(element, why, self.length)
                if name in ("img", "image") and (element.get("alt") or "").strip():
                    self._alternative(element.get("alt"), region)
                if region is None and _is_heading(name):
                    self._level, first = int(name[1]), len(self.blocks)
                if region is None and name == "hr":
                    self.blocks.append(Block("scene_break"))
                if name == "pre":
                    preformatted = element
                self._text(element.text, region, preformatted is not None)
                continue
            if region is not None and region.element is element:
                self._leave(region)
                region = None
            if name == "br" and not self._level:
                self._break(region)
            elif name == "br":
                self._text(" ", region, False)
            elif name not in _INLINE:
                self._break(region)
                if region is None and self._level and _is_heading(name):
                    self._level = 0
                    self._merge(first)
            if element is preformatted:
                preformatted = None
            if element is not root:
                self._text(element.tail, region, preformatted is not None)
        self.close()

    def close(self) -> None:
        """End the block that is open, if it holds anything."""
        if self.length > self._start:
            start, text = self._start, "".join(self._tail(self._start))
            outside = cut([(0, len(text))], [(hole.span.start - start, hole.span.end - start) for hole in self._holes])
            for low, high in outside:
                for found in INVISIBLE.finditer(text, low, high):
                    span = Span(start + found.start(), start + found.end())
                    self._holes.append(LeftOut(span, "markup", found.group()))
            self._holes.sort(key=lambda hole: hole.span.start)
            holes = [(hole.span.start - start, hole.span.end - start) for hole in self._holes]
            kept = trim(text, cut([(0, len(text))], holes))
            self.left_out.extend(self._holes)
            if kept:
                pieces = [(low + start, high + start) for low, high in kept]
                self.blocks.append(Block("heading" if self._level else "text", pieces, self._level))
            self.put("\n")
        self._start = self.length
        self._holes = []
        self._space = True

    def _break(self, region: _Region | None) -> None:
        """A block ends here; inside a region that is left out this is a line end and no more."""
        if region is None:
            self.close()
        elif self.length > region.start and self._last != "\n":
            self.put("\n")
            self._space = True

    def _merge(self, first: int) -> None:
        """A heading of several lines is one heading."""
        lines = [block for block in self.blocks[first:] if block.kind == "heading" and block.pieces]
        if len(lines) > 1 and len(lines) == len(self.blocks) - first:
            pieces = [piece for block in lines for piece in block.pieces]
            self.blocks[first:] = [Block("heading", pieces, lines[0].level)]

    def _tail(self, start: int) -> list[str]:
        texts: list[str] = []
        size = self.length - start
        for part in reversed(self.parts):
            if size <= 0:
                break
            texts.append(part)
            size -= len(part)
        return texts[::-1]

    def _text(self, text: str | None, region: _Region | None, preformatted: bool) -> None:
        if not text:
            return
        if preformatted:
            first, *others = text.split("\n")
            self.put(first)
            for line in others:
                self._break(region)
                self.put(line)
            return
        flat = _SPACE.sub(" ", text)
        if self._space and flat.startswith(" "):
            flat = flat[1:]
        if flat:
            self.put(flat)
            self._space = flat.endswith(" ")

    def _anchor(self, title: str, level: int) -> None:
        self.close()
        self.blocks.append(Block("heading", [], level, title))

    def _alternative(self, text: str, region: _Region | None) -> None:
        flat = _SPACE.sub(" ", text).strip()
        start = self.length
        self.put(flat)
        self._space = False
        if region is None and flat:
            self._holes.append(LeftOut(Span(start, self.length), "image", flat))

    def _leave(self, region: _Region) -> None:
        """Everything since the region began is left out. It lies in the block that is open: regions do not end blocks."""
        text = "".join(self._tail(region.start))
        bare = text.strip()
        if bare:
            low = region.start + len(text) - len(text.lstrip())
            self._holes.append(LeftOut(Span(low, low + len(bare)), region.reason, bare))

    def _reason(self, element: Any, name: str, note_ids: Collection[str]) -> str:
        """Why the element's text is not read; empty where it is."""
        kinds = set((element.get(OPS_TYPE) or element.get("epub:type") or "").lower().split())
        kinds.update((element.get("role") or "").lower().split())
        if (
            name in ("rt", "rp", "rtc")
            or element.get("hidden") is not None
            or _HIDDEN.search(element.get("style") or "")
        ):
            return "markup"
        if name == "nav" or kinds & _NAVIGATION or "doc-toc" in kinds:
            return "navigation"
        if kinds & _FOOTNOTES and not (name == "body" and "note" in kinds):
            return "footnote"
        if kinds & _TITLE_PAGES:
            return "title-page"
        if kinds & _NOTEREFS:
            return "footnote-mark"
        if note_ids and element.get("id") in note_ids and name not in _INLINE and not _is_heading(name):
            return "footnote"
        if name == "pre" and (element.find("code") is not None or element.find("{*}code") is not None):
            return "code"
        if name == "sup" or (name == "a" and element.get("href", "").find("#") >= 0):
            return "footnote-mark" if self._is_mark(element, name) else ""
        return ""

    def _is_mark(self, element: Any, name: str) -> bool:
        text = "".join(element.itertext())
        if not text.strip() or not _MARK.match(text) or self.length == self._start:
            return False
        linked = name == "a" or any(local_name(inner) == "a" for inner in element.iter())
        if name == "a":
            parent = element.getparent()
            raised = any(local_name(inner) == "sup" for inner in element.iter()) or local_name(parent) == "sup"
            return raised or _BRACKETED.match(text) is not None
        if linked or _BRACKETED.match(text):
            return True
        # Without a link a raised number after a letter or a digit may be a power (m², 10⁶): it is read.
        return not (self._last.isascii() and self._last.isalnum())


def local_name(element: Any) -> str:
    """The element's name without its namespace, in lower case; empty for comments and the like."""
    tag = element.tag if element is not None else None
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def note_targets(root: Any) -> set[str]:
    """``href`` values of links that look like footnote marks: their targets are notes."""
    targets = set()
    for element in root.iter():
        if local_name(element) != "a":
            continue
        href = element.get("href") or ""
        text = "".join(element.itertext())
        kinds = {element.get(OPS_TYPE), element.get("epub:type"), element.get("role")}
        raised = local_name(element.getparent()) == "sup" or any(local_name(inner) == "sup" for inner in element)
        if "#" in href and (kinds & _NOTEREFS or (_MARK.match(text) and (raised or _BRACKETED.match(text)))):
            targets.add(href)
    return targets


def _is_heading(name: str) -> bool:
    return len(name) == 2 and name[0] == "h" and name[1] in "123456"
