"""XML and HTML from strangers: no network, no entities, no unbounded trees.

Contract: ``parse_xml`` and ``parse_html`` give an lxml element, or ``MarkupError`` that says why not. Documents that
declare entities are refused; the named entities of HTML are known without a DTD.
"""

from __future__ import annotations

import codecs
import html.entities
import re
from typing import Any

from lxml import etree

_ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,30});")
_KEEP = frozenset((b"amp", b"lt", b"gt", b"quot", b"apos"))
_NAMED = {name.encode(): f"&#{value};".encode() for name, value in html.entities.name2codepoint.items()}
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._\-]{1,40})["']""")
_DECLARATION = re.compile(rb"^\s*<\?xml[^>]{0,300}\?>")


class MarkupError(Exception):
    """The document cannot be taken; the message says why."""


def parse_xml(data: bytes) -> Any:
    """The root element of an XML document."""
    body = _utf8(data)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False,
        remove_comments=True, remove_pis=True, recover=False, encoding="utf-8",
    )  # fmt: skip
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise MarkupError(f"not well-formed: {error}") from error
    if root is None:
        raise MarkupError("the document is empty")
    return root


def parse_html(text: str) -> Any:
    """The root element of an HTML document, as browsers would mend it. Text that the parser would drop is an error."""
    parser = etree.HTMLParser(
        no_network=True, huge_tree=False, recover=True, remove_comments=True, remove_pis=True, encoding="utf-8"
    )
    try:
        root = etree.fromstring(text.replace("\0", "").encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise MarkupError(f"not readable as HTML: {error}") from error
    if root is None:
        raise MarkupError("the document is empty")
    for entry in parser.error_log:
        if entry.level_name == "FATAL" or "excessive" in entry.message.lower() or "huge" in entry.message.lower():
            raise MarkupError(f"too big or too deep a document (line {entry.line}): {entry.message}")
    return root


def _utf8(data: bytes) -> bytes:
    """``data`` as UTF-8 without declaration, entities of HTML replaced; refuses declared entities."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        name = "utf-16"
    elif data.startswith((b"<\0?\0", b"\0<\0?")):
        name = "utf-16-le" if data[0] == 0x3C else "utf-16-be"
    else:
        declared = _DECLARED.match(data.removeprefix(codecs.BOM_UTF8))
        name = declared.group(1).decode("ascii").lower() if declared else "utf-8"
        name = {"gbk": "gb18030", "gb2312": "gb18030", "big5": "big5hkscs", "utf8": "utf-8"}.get(name, name)
    try:
        text = data.decode("utf-8-sig" if name == "utf-8" else name)
    except LookupError as error:
        raise MarkupError(f"unknown encoding {name!r}") from error
    except UnicodeDecodeError as error:
        raise MarkupError(f"byte {error.start} is not {name}") from error
    body = _DECLARATION.sub(b"", text.encode("utf-8", "replace"), count=1).lstrip()
    if b"<!ENTITY" in body:
        raise MarkupError("it declares entities, which are not accepted")
    return _ENTITY.sub(
        lambda found: found.group() if found.group(1) in _KEEP else _NAMED.get(found.group(1), found.group()), body
    )
