"""HTML files to chapters.

Contract: ``parse_bytes`` reads one HTML document; its source is the readable text, one block a line. Nothing is fetched
and no entity beyond those of HTML is expanded.
"""

from __future__ import annotations

import re
from pathlib import Path

from common.errors import VoicepressError
from tasks.read.blocks import assemble
from tasks.read.encoding import decode
from tasks.read.parsed import Parsed
from tasks.read.tree import Writer, local_name, note_targets
from tasks.read.xml import MarkupError, parse_html

_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_\-]{1,30})""", re.IGNORECASE)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,300}\?>")


def parse_bytes(data: bytes, path: Path, *, encoding: str = "") -> tuple[str, Parsed]:
    """``(encoding, what was read)``. The bytes decide the encoding; the document's own word counts where they cannot."""
    try:
        decoded = decode(data, path, encoding=encoding)
    except VoicepressError as error:
        said = _CHARSET.search(data[:4096])
        if error.code != "encoding-unknown" or said is None:
            raise
        decoded = decode(data, path, encoding=said.group(1).decode("ascii"))
    try:
        root = parse_html(_DECLARATION.sub("", decoded.text, count=1))
    except MarkupError as error:
        raise VoicepressError(
            "html-broken", str(error), file=path, hint="save the page again, or as plain text"
        ) from error
    title = author = ""
    for element in root.iter():
        if local_name(element) == "title" and not title:
            title = " ".join((element.text or "").split())
        if local_name(element) == "meta" and (element.get("name") or "").lower() == "author":
            author = element.get("content") or ""
    writer = Writer()
    targets = {href.removeprefix("#") for href in note_targets(root) if href.startswith("#")}
    writer.walk(root, note_ids=targets)
    source = writer.source
    left_out = writer.left_out
    made = assemble(source, writer.blocks, left_out)
    parsed = Parsed(
        source,
        made.chapters,
        tuple(left_out),
        made.title or title,
        author.strip(),
        root.get("lang") or "",
        made.warnings,
    )
    return decoded.encoding, parsed
