"""Markdown (CommonMark with tables) to chapters.

Contract: ``parse`` keeps the raw Markdown as source and reads its text; emphasis marks, link targets, images, code
blocks, HTML, list marks and footnotes are left out with their reason. Lines indented by four spaces are prose here,
not code: Chinese authors indent paragraphs so.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tasks.domain import LeftOut, Span
from tasks.read.account import uncovered
from tasks.read.blocks import Block, assemble
from tasks.read.paragraphs import Piece, cut, trim, visible
from tasks.read.parsed import Parsed

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_FRONT = re.compile(r"---[ \t]*\n(?P<body>(?:[^\n]*\n){0,60}?)(?:---|\.\.\.)[ \t]*(?:\n|$)")
_FRONT_LINE = re.compile(r"\s*$|\s*#|\s+\S|-\s|[\w\-. ]{1,40}:")
_ASCII_ENTITY = re.compile(r"(?<=&)amp;|&lt;|&gt;")
_NOTE = re.compile(r"^ {0,3}(\[\^[^\]\s]{1,40}\]):", re.MULTILINE)
_NOTE_MARK = re.compile(r"\[\^[^\]\s]{1,40}\]")
_VEILED = re.compile("\ue001\ue002+")


def parse(text: str) -> Parsed:
    """Read Markdown ``text`` (line ends ``\\n``). Entities of characters beyond ASCII are replaced first."""
    source = _ENTITY.sub(_beyond_ascii, text.replace("\r", "\n").replace("\0", "\ufffd"))
    left_out: list[LeftOut] = []
    body, facts = _front_matter(source, left_out)
    blocks = _Reader(source, body, left_out).blocks()
    made = assemble(source, blocks, left_out)
    spans = [(entry.span.start, entry.span.end) for entry in left_out]
    for chapter in made.chapters:
        if chapter.heading is not None:
            spans.append((chapter.heading.start, chapter.heading.end))
        for paragraph in chapter.paragraphs:
            spans.extend((run.source_start, run.source_start + run.length) for run in paragraph.runs)
    for span in uncovered(source, sorted(spans)):
        piece = source[span.start : span.end]
        head = source[source.rfind("\n", 0, span.start) + 1 : span.end].lstrip()
        reason = "heading-mark" if set(piece) <= {"#", "="} else "footnote" if head.startswith("[^") else "markup"
        left_out.append(LeftOut(span, reason, piece))
    left_out.sort(key=lambda entry: entry.span.start)
    return Parsed(
        source,
        made.chapters,
        tuple(left_out),
        facts.get("title", "") or made.title,
        facts.get("author", ""),
        facts.get("lang", "") or facts.get("language", ""),
        made.warnings,
    )


def _beyond_ascii(found: re.Match[str]) -> str:
    char = html.unescape(found.group())
    return char if len(char) == 1 and (not char.isascii() or char in "\"'") else found.group()


def _front_matter(source: str, left_out: list[LeftOut]) -> tuple[int, dict[str, str]]:
    found = _FRONT.match(source)
    if found is None or not all(_FRONT_LINE.match(line) for line in found["body"].split("\n")):
        return 0, {}
    facts = {}
    for line in found["body"].split("\n"):
        key, colon, value = line.partition(":")
        if colon and not line[0].isspace():
            facts[key.strip().lower()] = value.strip().strip("\"'")
    left_out.append(LeftOut(Span(0, len(found.group().rstrip())), "metadata", found.group().rstrip()))
    return found.end(), facts


class _Reader:
    """Walks markdown-it's tokens and finds every text of them again in the source.

    What is parsed is a mirror of the source, as long as it is, with footnote marks veiled: CommonMark would take them for
    links.
    """

    def __init__(self, source: str, body: int, left_out: list[LeftOut]) -> None:
        notes = {found.group(1) for found in _NOTE.finditer(source)}
        self.source, self.body, self.left_out = source, body, left_out
        self.mirror = _NOTE_MARK.sub(
            lambda mark: _veil(mark.group()) if mark.group() in notes else mark.group(), source
        )
        self.starts = [body]
        place = source.find("\n", body)
        while place >= 0:
            self.starts.append(place + 1)
            place = source.find("\n", place + 1)
        self.starts.append(len(source) + 1)
        self.cursor = body

    def blocks(self) -> list[Block]:
        parser = MarkdownIt("commonmark", {"maxNesting": 50}).enable("table").disable(["code", "entity", "text_join"])
        made: list[Block] = []
        level = 0
        for token in parser.parse(self.mirror[self.body :]):
            if token.type == "heading_open":
                level = int(token.tag[1])
            elif token.type == "heading_close":
                level = 0
            elif token.type == "inline":
                self._inline(token, level, made)
            elif token.type == "hr":
                self._leave(token, "scene-break")
                made.append(Block("scene_break"))
            elif token.type == "fence":
                self._leave(token, "code")
            elif token.type == "html_block":
                self._leave(token, "markup")
        return made

    def _lines(self, token: Token) -> Piece:
        first, last = token.map or (0, 0)
        return self.starts[first], self.starts[min(last, len(self.starts) - 1)] - 1

    def _leave(self, token: Token, reason: str) -> None:
        start, end = self._lines(token)
        for low, high in trim(self.source, [(max(start, self.cursor), end)]):
            self.left_out.append(LeftOut(Span(low, high), reason, self.source[low:high]))
            self.cursor = high

    def _inline(self, token: Token, level: int, made: list[Block]) -> None:
        """One paragraph, heading or table cell; a footnote's text is left out whole."""
        start, end = self._lines(token)
        place = max(start, self.cursor)
        content = token.content
        if (veiled := _VEILED.match(content)) and content[veiled.end() : veiled.end() + 1] == ":":
            self._leave(token, "footnote")
            return
        pieces: list[Piece] = []
        skip = 0
        for child in token.children or []:
            if child.type == "link_open" and child.info == "auto":
                skip += 1
            elif child.type == "link_close" and child.info == "auto":
                skip -= 1
            elif child.type in ("text", "code_inline"):
                place = self._text(child.content, place, end, pieces, left=skip > 0)
            elif child.type == "text_special":
                found = self.mirror.find(child.markup, place, end)
                if found >= 0:
                    place = found + len(child.markup)
                    pieces.append((place - 1, place))
            elif child.type in ("html_inline", "image"):
                place = self._object(child, place, end)
            elif child.type == "link_close":
                place = self._target(place, end)
        self.cursor = max(self.cursor, place)
        marks = [found.span() for low, high in pieces for found in _VEILED.finditer(self.mirror, low, high)]
        self.left_out.extend(LeftOut(Span(*mark), "footnote-mark", self.source[slice(*mark)]) for mark in marks)
        escapes = [found.span() for low, high in pieces for found in _ASCII_ENTITY.finditer(self.source, low, high)]
        self.left_out.extend(LeftOut(Span(*hole), "markup", self.source[slice(*hole)]) for hole in escapes)
        seen = [
            part
            for piece in cut(pieces, sorted(marks + escapes))
            for part in visible(self.source, piece, self.left_out)
        ]
        kept = trim(self.source, seen)
        if kept:
            made.append(Block("heading" if level else "text", _join(kept, self.source), level))

    def _text(self, text: str, place: int, end: int, pieces: list[Piece], *, left: bool) -> int:
        """Find ``text`` from ``place`` on; where the parser changed blanks, word by word."""
        for part in [text] if self.mirror.find(text, place, end) >= 0 else text.split():
            found = self.mirror.find(part, place, end) if part else -1
            if found < 0:
                continue
            place = found + len(part)
            if left:
                self.left_out.append(LeftOut(Span(found, place), "markup", part))
            else:
                pieces.append((found, place))
        return place

    def _object(self, child: Token, place: int, end: int) -> int:
        if child.type == "html_inline":
            found = self.mirror.find(child.content, place, end)
            stop = found + len(child.content)
        else:
            found = self.mirror.find("![", place, end)
            label = self.mirror.find("]", found, end)
            for inner in child.children or []:
                spot = self.mirror.find(inner.content, max(found, 0), end) if inner.content else -1
                if spot >= 0:
                    label = max(label, self.mirror.find("]", spot + len(inner.content), end))
            stop = self._target(label, end)
        if found < 0 or stop <= found:
            return place
        reason = "image" if child.type == "image" else "markup"
        self.left_out.append(LeftOut(Span(found, stop), reason, self.source[found:stop]))
        return stop

    def _target(self, place: int, end: int) -> int:
        """The place after ``](url "title")`` or ``][label]`` that begins at ``place`` (marks before the bracket skipped)."""
        bracket = self.mirror.find("]", place, min(end, place + 8)) if place >= 0 else -1
        if bracket < 0:
            return max(place, 0)
        after = self.source[bracket + 1 : bracket + 2]
        if after == "[":
            return self.mirror.find("]", bracket + 2, end) + 1 or bracket + 1
        if after != "(":
            return bracket + 1
        depth = 0
        for index in range(bracket + 1, end):
            char = self.source[index]
            if char == "\\":
                continue
            depth += (char == "(") - (char == ")")
            if depth == 0:
                return index + 1
        return bracket + 1


def _veil(mark: str) -> str:
    return "\ue001" + "\ue002" * (len(mark) - 1)


def _join(pieces: Sequence[Piece], source: str) -> list[Piece]:
    """Neighbouring pieces made one; trailing blanks before a line end dropped."""
    joined: list[Piece] = []
    for start, end in pieces:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    tidy: list[Piece] = []
    for index, (start, end) in enumerate(joined):
        following = joined[index + 1][0] if index + 1 < len(joined) else end
        if "\n" in source[end:following]:
            end = start + len(source[start:end].rstrip())
        if start < end:
            tidy.append((start, end))
    return tidy
