"""The room's door: a file to a ``Manuscript``.

Contract: ``read_manuscript`` chooses the reader by the file's content first and its suffix second, reads it, and
proves that every character of it is accounted for. Whatever is wrong with the file is a ``VoicepressError``; a
manuscript that comes back has something to read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from common.errors import VoicepressError
from common.files import require_file
from tasks.domain import Chapter, LeftOut, Manuscript
from tasks.read import account
from tasks.read import language as languages
from tasks.read.parsed import Parsed
from tasks.read.store import load, quiet_gc, save

__all__ = ["MAX_BYTES", "format_of", "load", "read_manuscript", "save"]

MAX_BYTES = 512 * 1024 * 1024
"""The biggest file that is read; a novel of a million words is 6 MB."""

_SUFFIXES = {
    ".txt": "txt", ".text": "txt", "": "txt", ".md": "md", ".markdown": "md", ".html": "html", ".htm": "html",
    ".xhtml": "html", ".epub": "epub", ".docx": "docx",
}  # fmt: skip
_OTHERS = {
    "pdf": (
        "a PDF holds pages, not text",
        "convert it to EPUB, docx or txt first (a word processor or Calibre does it)",
    ),
    "mobi": (
        "this is an e-book in a format of one maker (Kindle, CHM, UMD)",
        "convert it to EPUB first (Calibre does it)",
    ),
    "doc": ("this is an old Word file (.doc)", "open it in a word processor and save it as .docx"),
    "rtf": ("this is an RTF file", "open it in a word processor and save it as .docx or .txt"),
    "odt": ("this is an OpenDocument file", "open it in a word processor and save it as .docx"),
    "archive": ("this is an archive, not a book", "unpack it and name the book inside"),
    "audio": ("this is a sound or film, not text", "name a txt, md, html, epub or docx file"),
    "program": ("this is a program, not text", "name a txt, md, html, epub or docx file"),
    "database": ("this is a database, not text", "name a txt, md, html, epub or docx file"),
    "word": ("this is a Word file under another name", "rename it so that it ends in .docx"),
    "xml": ("this is a FictionBook file (FB2)", "convert it to EPUB first (Calibre does it)"),
    "image": ("this is a picture, not text", "name a txt, md, html, epub or docx file"),
    "subtitles": ("this is a subtitle file, not a manuscript", "name a txt, md, html, epub or docx file"),
}
_OTHER_SUFFIXES = {
    ".pdf": "pdf", ".mobi": "mobi", ".azw": "mobi", ".azw3": "mobi", ".kfx": "mobi", ".prc": "mobi", ".doc": "doc",
    ".rtf": "rtf", ".odt": "odt", ".zip": "archive", ".rar": "archive", ".7z": "archive", ".gz": "archive",
    ".jpg": "image", ".jpeg": "image", ".png": "image", ".gif": "image", ".webp": "image", ".srt": "subtitles",
    ".ass": "subtitles", ".ssa": "subtitles", ".vtt": "subtitles",
}  # fmt: skip
_MAGIC = (
    (b"%PDF-", "pdf"), (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "doc"), (b"{\\rtf", "rtf"), (b"Rar!", "archive"),
    (b"7z\xbc\xaf\x27\x1c", "archive"), (b"\x1f\x8b", "archive"), (b"BZh", "archive"), (b"\xfd7zXZ\0", "archive"),
    (b"\x89PNG", "image"), (b"\xff\xd8\xff", "image"), (b"GIF8", "image"), (b"AT&TFORM", "pdf"), (b"ITSF", "mobi"),
    (b"\x89\x9b\x9a\xde", "mobi"), (b"TPZ", "mobi"), (b"ID3", "audio"), (b"RIFF", "audio"), (b"OggS", "audio"),
    (b"fLaC", "audio"), (b"\x7fELF", "program"), (b"MZ\x90\0", "program"), (b"SQLite format 3\0", "database"),
)  # fmt: skip
_HTML = re.compile(rb"\s*(?:<!DOCTYPE\s+html|<html[\s>])", re.IGNORECASE)
_FICTION_BOOK = re.compile(rb"\s*(?:<\?xml[^>]{0,200}>\s*)?<FictionBook")
_SUBTITLES = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:WEBVTT|\[Script Info\]|1\r?\n\d\d:\d\d:\d\d[,.]\d{3} -->)")


def read_manuscript(
    path: Path,
    *,
    language: str = "",
    title: str = "",
    encoding: str = "",
    convert: str = "",
    max_bytes: int = MAX_BYTES,
) -> Manuscript:
    """Read the book in ``path``.

    ``language`` (``zh`` or ``en``) and ``title`` override what the file says; ``encoding`` forces one for txt, md and
    html; ``convert="simplified"`` reads traditional characters as simplified ones (the source stays). Raises ``VoicepressError``: ``file-missing``, ``not-a-file``, ``too-big``, ``empty-book``,
    ``format-unsupported``, and those of the readers.
    """
    require_file(path, "the manuscript")
    size = path.stat().st_size
    if size > max_bytes:
        raise VoicepressError("too-big", f"the file has {size:,} bytes, the limit is {max_bytes:,}", file=path,
                              hint="split it into several books")  # fmt: skip
    if size == 0:
        raise VoicepressError("empty-book", "the file is empty", file=path, hint="put the text of the book into it")
    data = path.read_bytes()
    kind = format_of(path, data)
    with quiet_gc():
        used, parsed = _READERS[kind](path, data, encoding)
        checksum = hashlib.sha256(data).hexdigest()
        del data
        if not any(chapter.heading or chapter.paragraphs for chapter in parsed.chapters):
            raise VoicepressError("empty-book", f"there is nothing to read in this file{_left(parsed.left_out)}", file=path,
                                  hint="put the text of the book into it")  # fmt: skip
        told = (language or parsed.language or "").lower().replace("_", "-").split("-")[0]
        manuscript = Manuscript(
            path=str(path),
            format=kind,
            encoding=used,
            sha256=checksum,
            source=parsed.source,
            chapters=_converted(parsed.chapters, convert),
            left_out=parsed.left_out,
            title=title or parsed.title or path.stem,
            author=parsed.author,
            language=told if told in ("zh", "en") else languages.detect(_sample(parsed)),
            warnings=parsed.warnings,
            convert=convert,
            judged=parsed.judged,
        )
        missed = account.gaps(manuscript)
    if missed:
        first = missed[0]
        raise VoicepressError(
            "unexplained-text",
            f"{len(missed)} stretches of the text would be lost, the first: {parsed.source[first.start : first.end][:60]!r}",
            file=path,
            line=parsed.source.count("\n", 0, first.start) + 1,
            hint="this is a fault of voicepress; please report it with these lines of the manuscript",
        )
    return manuscript


def _converted(chapters: tuple[Chapter, ...], convert: str) -> tuple[Chapter, ...]:
    if not convert:
        return chapters
    if convert != "simplified":
        raise VoicepressError(
            "bad-value", f"{convert!r} is no conversion", key="convert", hint="use simplified, or leave it out"
        )
    from tasks.read.convert import simplified

    return simplified(chapters)


def _left(left_out: Sequence[LeftOut]) -> str:
    """The first things that were left out, for an error."""
    shown = ", ".join(f"'{' '.join(entry.text.split())[:30]}' ({entry.reason})" for entry in left_out[:3])
    more = len(left_out) - 3
    return f"; left out: {shown}" + (f" and {more} more" if more > 0 else "") if shown else ""


def format_of(path: Path, head: bytes) -> str:
    """``txt``, ``md``, ``html``, ``epub`` or ``docx``, by the first bytes, then by the suffix.

    Raises ``VoicepressError`` (``format-unsupported``) that says what to do with any other kind of file.
    """
    suffix = path.suffix.lower()
    for magic, name in _MAGIC:
        if head.startswith(magic):
            raise _unsupported(path, name)
    if b"%PDF-" in head[:1024]:
        raise _unsupported(path, "pdf")
    if head[4:8] == b"ftyp":
        raise _unsupported(path, "audio")
    if head[60:68] in (b"BOOKMOBI", b"TEXtREAd"):
        raise _unsupported(path, "mobi")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        kind = _SUFFIXES.get(suffix, "")
        if kind in ("epub", "docx"):
            return kind
        if b"mimetypeapplication/epub+zip" in head[:200]:
            return "epub"
        if b"META-INF/container.xml" in head:
            return "epub"
        if b"word/document.xml" in head:
            raise _unsupported(path, "word")
        raise _unsupported(path, _OTHER_SUFFIXES.get(suffix, "archive"))
    if suffix in _OTHER_SUFFIXES:
        raise _unsupported(path, _OTHER_SUFFIXES[suffix])
    kind = _SUFFIXES.get(suffix, "")
    if kind in ("epub", "docx"):
        raise VoicepressError(f"{kind}-broken", f"this is not a valid {kind} file: it is no zip archive", file=path,
                              hint="get the file again, or export it again from the program that made it")  # fmt: skip
    if kind in ("txt", ""):
        # Saved pages and others are often named .txt.
        for pattern, name in ((_SUBTITLES, "subtitles"), (_FICTION_BOOK, "xml")):
            if pattern.match(head):
                raise _unsupported(path, name)
        if _HTML.match(head):
            return "html"
    return kind or "txt"


def _unsupported(path: Path, name: str) -> VoicepressError:
    what, hint = _OTHERS[name]
    return VoicepressError("format-unsupported", what, file=path, hint=hint)


def _sample(parsed: Parsed) -> str:
    parts: list[str] = []
    size = 0
    for chapter in parsed.chapters:
        for paragraph in chapter.paragraphs:
            parts.append(paragraph.text)
            size += len(paragraph.text)
            if size > languages.SAMPLE_CHARS:
                return "\n".join(parts)
    return "\n".join(parts) or " ".join(chapter.title for chapter in parsed.chapters)


def _plain(path: Path, data: bytes, encoding: str) -> tuple[str, Parsed]:
    from tasks.read.encoding import decode
    from tasks.read.plain import parse

    decoded = decode(data, path, encoding=encoding)
    return decoded.encoding, _cut(parse(decoded.text), decoded.cut_bytes)


def _markdown(path: Path, data: bytes, encoding: str) -> tuple[str, Parsed]:
    from tasks.read.encoding import decode
    from tasks.read.markdown import parse

    decoded = decode(data, path, encoding=encoding)
    return decoded.encoding, _cut(parse(decoded.text), decoded.cut_bytes)


def _html(path: Path, data: bytes, encoding: str) -> tuple[str, Parsed]:
    from tasks.read.html import parse_bytes

    return parse_bytes(data, path, encoding=encoding)


def _epub(path: Path, data: bytes, encoding: str) -> tuple[str, Parsed]:
    from tasks.read.epub import parse

    return "utf-8", parse(path)


def _docx(path: Path, data: bytes, encoding: str) -> tuple[str, Parsed]:
    from tasks.read.docx import parse

    return "utf-8", parse(path)


def _cut(parsed: Parsed, cut_bytes: int) -> Parsed:
    if not cut_bytes:
        return parsed
    return replace(
        parsed,
        warnings=(f"the file ends inside a character: its last {cut_bytes} bytes were not read", *parsed.warnings),
    )


_READERS: dict[str, Callable[[Path, bytes, str], tuple[str, Parsed]]] = {
    "txt": _plain,
    "md": _markdown,
    "html": _html,
    "epub": _epub,
    "docx": _docx,
}
