"""The parts of an EPUB and their order: container, package document, table of contents, rights.

Contract: ``open_package`` reads what says how the book hangs together, and refuses books that are locked (DRM) or
whose container, package or spine is missing or broken, naming the part.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from tasks.read.safezip import Archive
from tasks.read.tree import OPS_TYPE, local_name
from tasks.read.xml import MarkupError, parse_html, parse_xml

_FONT_LOCKS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document")
_CONTAINER = "META-INF/container.xml"


@dataclass(frozen=True, slots=True)
class Item:
    """A part of the spine. ``linear``: it stands in the reading order."""

    path: str
    media_type: str
    linear: bool
    is_nav: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the table of contents: ``level`` 1 is the outermost; ``path`` is empty for a heading without link."""

    title: str
    level: int
    path: str
    anchor: str


@dataclass(slots=True)
class Package:
    title: str = ""
    author: str = ""
    language: str = ""
    spine: list[Item] = field(default_factory=list)
    contents: list[Entry] = field(default_factory=list)
    guide: dict[str, str] = field(default_factory=dict)
    """``{path: type}`` of the EPUB 2 guide (cover, toc, title-page …)."""
    warnings: list[str] = field(default_factory=list)


def open_package(archive: Archive) -> Package:
    """Everything about the book but its text. Raises ``epub-drm``, ``epub-missing``, ``epub-broken``."""
    _refuse_locked(archive)
    container = document(archive, _CONTAINER, "the container")
    roots = [element.get("full-path") or "" for element in container.iter() if local_name(element) == "rootfile"]
    if not roots or not roots[0]:
        raise archive.error("broken", "the container names no package document (META-INF/container.xml)")
    opf = roots[0]
    root = document(archive, opf, "the package document")
    package = Package()
    items: dict[str, tuple[str, str, str]] = {}
    toc_id = ""
    idrefs: list[tuple[str, bool]] = []
    for element in root.iter():
        name = local_name(element)
        text = " ".join("".join(element.itertext()).split()) if name in ("title", "creator", "language") else ""
        if name == "title":
            package.title = package.title or text
        elif name == "creator":
            package.author = f"{package.author}, {text}".strip(", ")
        elif name == "language":
            package.language = package.language or text
        elif name == "item":
            href = resolve(archive, opf, element.get("href") or "")[0]
            items[element.get("id") or ""] = (href, element.get("media-type") or "", element.get("properties") or "")
        elif name == "spine":
            toc_id = element.get("toc") or ""
        elif name == "itemref":
            idrefs.append((element.get("idref") or "", (element.get("linear") or "yes").lower() != "no"))
        elif name == "reference":
            package.guide[resolve(archive, opf, element.get("href") or "")[0]] = (element.get("type") or "").lower()
    if not idrefs:
        raise archive.error("broken", f"the package document has no reading order (spine): {opf}")
    for idref, linear in idrefs:
        if idref not in items:
            raise archive.error("broken", f"the reading order names a part that the package does not list: {idref!r}")
        href, media_type, properties = items[idref]
        if media_type not in _PAGES and not href.lower().endswith((".xhtml", ".html", ".htm")):
            package.warnings.append(f"{href} ({media_type or 'no type'}) holds no text and was passed over")
            continue
        package.spine.append(Item(href, media_type, linear, "nav" in properties.split()))
    navs = [href for href, _, properties in items.values() if "nav" in properties.split()]
    ncx = (
        [items[toc_id][0]]
        if toc_id in items
        else [href for href, kind, _ in items.values() if kind == "application/x-dtbncx+xml"]
    )
    package.contents = _contents(archive, package, navs, ncx)
    return package


def document(archive: Archive, name: str, what: str) -> Any:
    """The root element of an XML part; an error that names the part."""
    try:
        return parse_xml(archive.read(name, what))
    except MarkupError as error:
        raise archive.error("broken", f"{what} is broken ({name}): {error}") from error


def page(archive: Archive, name: str, warnings: list[str]) -> Any:
    """The root element of a text part; what is not well-formed XML is read as browsers would, with a warning."""
    data = archive.read(name, "a part of the book")
    try:
        return parse_xml(data)
    except MarkupError as error:
        if "entities" in str(error):
            raise archive.error("entities", f"{name}: {error}") from error
        try:
            root = parse_html(re.sub(r"^\s*<\?xml[^>]{0,300}\?>", "", data.decode("utf-8-sig")))
        except (MarkupError, UnicodeDecodeError) as second:
            raise archive.error("broken", f"{name} cannot be read: {second}") from second
        warnings.append(f"{name} is {error}; it was read as a browser would".replace("\n", " "))
        return root


def resolve(archive: Archive, base: str, href: str) -> tuple[str, str]:
    """``(member name, anchor)`` of ``href`` as written in part ``base``. Raises ``epub-path`` where it leads out."""
    path, _, anchor = href.partition("#")
    if re.match(r"[A-Za-z][A-Za-z0-9+.\-]*:", path):
        return "", unquote(anchor)
    path = unquote(path)
    if not path:
        return base, unquote(anchor)
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(base), path))
    if joined.startswith(("../", "/")) or joined == "..":
        raise archive.error("path", f"{base} names a part outside the book: {href!r}")
    return joined, unquote(anchor)


def _refuse_locked(archive: Archive) -> None:
    name = "META-INF/encryption.xml"
    if name not in archive:
        return
    root = document(archive, name, "the list of locked parts")
    for element in root.iter():
        if local_name(element) == "encrypteddata":
            methods = [inner.get("Algorithm") for inner in element.iter() if local_name(inner) == "encryptionmethod"]
            if not methods or any(method not in _FONT_LOCKS for method in methods):
                raise archive.error(
                    "drm", "this book is locked (DRM): its text is encrypted", "use a copy without copy protection"
                )


def _contents(archive: Archive, package: Package, navs: list[str], ncx: list[str]) -> list[Entry]:
    for name, read in [(name, _from_nav) for name in navs] + [(name, _from_ncx) for name in ncx]:
        if name not in archive:
            package.warnings.append(f"the table of contents is missing: {name}")
            continue
        entries = read(archive, name, page(archive, name, package.warnings))
        if entries:
            return entries
    return []


def _from_nav(archive: Archive, name: str, root: Any) -> list[Entry]:
    navs = [element for element in root.iter() if local_name(element) == "nav"]
    typed = [nav for nav in navs if "toc" in (nav.get(OPS_TYPE) or nav.get("epub:type") or "").split()]
    entries: list[Entry] = []
    for nav in (typed or navs)[:1]:
        for item in nav.iter():
            if local_name(item) != "li":
                continue
            level = sum(local_name(parent) in ("ol", "ul") for parent in item.iterancestors())
            for label in item:
                if local_name(label) in ("a", "span"):
                    title = " ".join("".join(label.itertext()).split())
                    href = label.get("href") or ""
                    path, anchor = resolve(archive, name, href) if href else ("", "")
                    entries.append(Entry(title, max(1, level), path, anchor))
                    break
    return [entry for entry in entries if entry.title]


def _from_ncx(archive: Archive, name: str, root: Any) -> list[Entry]:
    entries: list[Entry] = []
    for point in root.iter():
        if local_name(point) != "navpoint":
            continue
        level = 1 + sum(local_name(parent) == "navpoint" for parent in point.iterancestors())
        title = href = ""
        for child in point:
            if local_name(child) == "navlabel":
                title = " ".join("".join(child.itertext()).split())
            elif local_name(child) == "content":
                href = child.get("src") or ""
        if title:
            path, anchor = resolve(archive, name, href) if href else ("", "")
            entries.append(Entry(title, level, path, anchor))
    return entries
