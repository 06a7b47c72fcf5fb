"""EPUB 3 with media overlays: the text of a book that highlights as it is read aloud.

Contract: one file, made from the stitched chapters and their mp3s alone, whatever the manuscript was; the same input
gives the same bytes. Every line of the script is one ``span`` and one ``par`` of SMIL; paragraphs, headings and scene
breaks are those of the script. Sound is stored, not compressed again, and copied block by block. EPUB 3.3, 9.3 (media
overlays); clip times are those of the timeline, in milliseconds.
"""

from __future__ import annotations

import uuid
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from tasks.domain import BookInfo, Cue, StitchedChapter
from tasks.publish.cover import Cover
from tasks.publish.tags import chapter_title

_EPOCH = (1980, 1, 1, 0, 0, 0)
_MODIFIED = "1980-01-01T00:00:00Z"
"""The same input gives the same file; readers tell editions apart by their identifier, which is made from the content."""
_TOP_LINES = 12
"""So far down a chapter a heading may reach: a volume's title, the chapter's own, in pieces."""
_ACTIVE = "voicepress-reading"
_CSS = f"""\
body {{ line-height: 1.7; margin: 1em; }}
h1 {{ font-size: 1.4em; line-height: 1.4; margin: 2em 0 1.5em; }}
p {{ margin: 0 0 0.6em; }}
body.han p {{ text-indent: 2em; }}
hr {{ border: 0; margin: 1.5em auto; width: 30%; border-top: 1px solid #999; }}
.{_ACTIVE} {{ background-color: #ffe9a8; color: #000; }}
"""
_SPACES = 'xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'  # names, not addresses


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph or a scene break (``hr``, without cues) of a chapter; ``first`` is the place of its first cue."""

    kind: str
    cues: tuple[Cue, ...]
    first: int = 0

    def placed(self) -> Iterator[tuple[int, Cue]]:
        """The cues with their places in the chapter."""
        return enumerate(self.cues, self.first)


def write_epub(
    info: BookInfo,
    chapters: Sequence[StitchedChapter],
    sounds: Sequence[Path],
    cover: Cover | None,
    identity: str,
    target: Path,
) -> None:
    """Write the book to ``target``. ``sounds`` are the chapters' mp3s in order; ``identity`` is a hash of all that goes in."""
    book = _Book(info, tuple(chapters), cover, identity)
    with zipfile.ZipFile(target, "w", allowZip64=True) as archive:

        def put(name: str, text: str, method: int = zipfile.ZIP_DEFLATED) -> None:
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type, entry.external_attr = method, 0o644 << 16
            archive.writestr(entry, text)

        def copy(name: str, path: Path) -> None:
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr, entry.file_size = 0o644 << 16, path.stat().st_size
            with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as sink:
                while data := source.read(1 << 20):
                    sink.write(data)

        put("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        put("META-INF/container.xml", _CONTAINER)
        put("EPUB/book.css", _CSS)
        put("EPUB/package.opf", book.package())
        put("EPUB/nav.xhtml", book.navigation())
        if cover is not None:
            copy(f"EPUB/{book.cover_name}", cover.path)
            put("EPUB/cover.xhtml", book.cover_page())
        for chapter, sound in zip(chapters, sounds, strict=True):
            name = book.name(chapter)
            blocks = list(blocks_of(chapter.timeline.cues))
            put(f"EPUB/{name}.xhtml", book.page(chapter, blocks))
            put(f"EPUB/{name}.smil", book.overlay(chapter, blocks))
            copy(f"EPUB/{name}.mp3", sound)


def blocks_of(cues: Sequence[Cue]) -> Iterator[Block]:
    """Lines gathered to the paragraphs they were: headings at the top, a break where a scene ends."""
    tops = [index + 1 for index, cue in enumerate(cues[:_TOP_LINES]) if cue.after == "heading"]
    first = tops[-1] if tops else 0
    if first:
        yield Block("h1", tuple(cues[:first]))
    for index, cue in enumerate(cues):
        if index >= first and (cue.after not in ("clause", "sentence") or index == len(cues) - 1):
            yield Block("p", tuple(cues[first : index + 1]), first)
            first = index + 1
            if cue.after == "scene" and first < len(cues):
                yield Block("hr", (), first)


class _Book:
    def __init__(
        self, info: BookInfo, chapters: tuple[StitchedChapter, ...], cover: Cover | None, identity: str
    ) -> None:
        self._info, self._chapters, self._cover = info, chapters, cover
        self._identity = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, identity)}"
        self._language = info.language or "zh"
        self._digits = max(3, len(str(max(chapter.number for chapter in chapters))))
        self.cover_name = f"cover.{'jpg' if cover and cover.kind == 'jpeg' else 'png'}"

    def name(self, chapter: StitchedChapter) -> str:
        return f"c{chapter.number:0{self._digits}d}"

    def package(self) -> str:
        info = self._info
        total = sum(round(_seconds(chapter), 3) for chapter in self._chapters)
        meta = [
            f'<dc:identifier id="id">{self._identity}</dc:identifier>',
            f"<dc:title>{_text(info.title or 'untitled')}</dc:title>",
            f"<dc:language>{_text(self._language)}</dc:language>",
            f'<meta property="dcterms:modified">{_MODIFIED}</meta>',
            f'<meta property="media:duration">{_clock(total)}</meta>',
            f'<meta property="media:active-class">{_ACTIVE}</meta>',
        ]
        if info.author:
            meta.append(f'<dc:creator id="author">{_text(info.author)}</dc:creator>')
            meta.append('<meta refines="#author" property="role" scheme="marc:relators">aut</meta>')
        if info.narrator:
            meta.append(f'<meta property="media:narrator">{_text(info.narrator)}</meta>')
        if info.description:
            meta.append(f"<dc:description>{_text(info.description)}</dc:description>")
        if info.year:
            meta.append(f"<dc:date>{_text(info.year)}</dc:date>")
        if info.series:
            meta.append(f'<meta property="belongs-to-collection" id="series">{_text(info.series)}</meta>')
            meta.append('<meta refines="#series" property="collection-type">series</meta>')
        items = [
            '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>',
            '<item id="css" href="book.css" media-type="text/css"/>',
        ]
        spine = []
        if self._cover is not None:
            items.append(
                f'<item id="cover" href="{self.cover_name}" media-type="{self._cover.mime}" properties="cover-image"/>'
            )
            items.append('<item id="cover-page" href="cover.xhtml" media-type="application/xhtml+xml"/>')
            spine.append('<itemref idref="cover-page" linear="no"/>')
            meta.append('<meta name="cover" content="cover"/>')
        for chapter in self._chapters:
            name = self.name(chapter)
            meta.append(f'<meta property="media:duration" refines="#{name}-smil">{_clock(_seconds(chapter))}</meta>')
            items += [
                f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml" media-overlay="{name}-smil"/>',
                f'<item id="{name}-smil" href="{name}.smil" media-type="application/smil+xml"/>',
                f'<item id="{name}-mp3" href="{name}.mp3" media-type="audio/mpeg"/>',
            ]
            spine.append(f'<itemref idref="{name}"/>')
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang={quoteattr(self._language)}>\n'
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\n' + "\n".join(meta) + "\n</metadata>\n"
            "<manifest>\n"
            + "\n".join(items)
            + "\n</manifest>\n<spine>\n"
            + "\n".join(spine)
            + "\n</spine>\n</package>\n"
        )

    def navigation(self) -> str:
        rows = "\n".join(
            f'<li><a href="{self.name(chapter)}.xhtml">{_text(chapter_title(chapter, self._language))}</a></li>'
            for chapter in self._chapters
        )
        return self._html(self._info.title, f'<nav epub:type="toc" id="toc"><ol>\n{rows}\n</ol></nav>')

    def cover_page(self) -> str:
        return self._html(self._info.title, f'<p><img src="{self.cover_name}" alt={_attribute(self._info.title)}/></p>')

    def page(self, chapter: StitchedChapter, blocks: Sequence[Block]) -> str:
        title = chapter_title(chapter, self._language)
        rows = []
        for block in blocks:
            if block.kind == "hr":
                rows.append("<hr/>")
                continue
            spans = ""
            for place, cue in block.placed():
                apart = (
                    place > block.first
                    and block.cues[place - block.first - 1].text[-1:].isascii()
                    and cue.text[:1].isascii()
                )
                spans += f'{" " if apart else ""}<span id="l{place}">{_text(cue.text)}</span>'
            rows.append(f"<{block.kind}>{spans}</{block.kind}>")
        return self._html(title, "\n".join(rows) or "<p></p>")

    def overlay(self, chapter: StitchedChapter, blocks: Sequence[Block]) -> str:
        name, rate = self.name(chapter), chapter.timeline.sample_rate
        rows = []
        for block in blocks:
            for place, cue in block.placed():
                if cue.end <= cue.start:
                    continue
                rows.append(
                    f'<par id="p{place}"><text src="{name}.xhtml#l{place}"/><audio src="{name}.mp3" '
                    f'clipBegin="{_clock(cue.start / rate)}" clipEnd="{_clock(cue.end / rate)}"/></par>'
                )
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<smil xmlns="http://www.w3.org/ns/SMIL" '
            'xmlns:epub="http://www.idpf.org/2007/ops" version="3.0">\n'
            f'<body epub:textref="{name}.xhtml#text">\n' + "\n".join(rows) + "\n</body>\n</smil>\n"
        )

    def _html(self, title: str, body: str) -> str:
        lang, kind = quoteattr(self._language), "han" if self._language.startswith(("zh", "ja")) else "latin"
        return (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n<html {_SPACES} lang={lang} xml:lang={lang}>\n'
            f'<head><meta charset="utf-8"/><title>{_text(title or "untitled")}</title>'
            f'<link rel="stylesheet" type="text/css" href="book.css"/></head>\n<body id="text" class="{kind}">\n{body}\n</body>\n</html>\n'
        )


_CONTAINER = """\
<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""


def _seconds(chapter: StitchedChapter) -> float:
    return chapter.timeline.samples / chapter.timeline.sample_rate


def _clock(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest // 1000:02d}.{rest % 1000:03d}"


def _text(text: str) -> str:
    return escape("".join(char for char in text if char >= " " or char in "\t\n"))


def _attribute(text: str) -> str:
    return quoteattr(_text(text))
