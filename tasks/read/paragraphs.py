"""Pieces of source text to paragraphs, exactly.

Contract: ``compose`` makes a ``Paragraph`` from source pieces in order; its ``runs`` map every character back, except
the single space put where two hard-wrapped Latin lines were joined. Invisible characters (zero width, byte order mark,
controls, private use) are not read: they come back as holes for the account. ``wrap_width`` tells whether lines are hard-wrapped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from tasks.domain import LeftOut, Paragraph, Run, Span
from tasks.read.lines import Line

Piece = tuple[int, int]
"""Characters ``[start, end)`` of the source."""

INVISIBLE = re.compile(
    "[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ue000-\uf8ff\ufffe\uffff]+"
)
_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uffef\U00020000-\U0003fffd‘’“”…—]"
)
_SENTENCE_END = "。！？!?.…”’」』\"'）)—~～"
_SAMPLE_LINES = 20_000
SCENE_BREAK = Paragraph("", (), "scene_break")


def compose(source: str, pieces: Sequence[Piece]) -> Paragraph:
    """The paragraph of ``pieces`` (not empty, trimmed at both ends). Where a line end stood between two pieces and Latin
    meets Latin, a space is put; pieces of one line are joined as they are."""
    if len(pieces) == 1:
        start, end = pieces[0]
        return Paragraph(source[start:end], (Run(0, start, end - start),))
    texts: list[str] = []
    runs: list[Run] = []
    length = 0
    before = 0
    for start, end in pieces:
        if start >= end:
            continue
        between = source[before:start]
        # A hyphen left out at the line end joins the halves of a word.
        if texts and "\n" in between and between[0] not in "-\u2010" and needs_space(texts[-1][-1], source[start]):
            texts.append(" ")
            length += 1
        texts.append(source[start:end])
        runs.append(Run(length, start, end - start))
        length += end - start
        before = end
    return Paragraph("".join(texts), tuple(runs))


def needs_space(last: str, first: str) -> bool:
    """Whether a line end between these two characters stands for a space (it does between Latin words)."""
    if last.isspace() or first.isspace() or last in "-‐–—/":
        return False
    return not (_WIDE.match(last) or _WIDE.match(first))


def visible(source: str, piece: Piece, left_out: list[LeftOut]) -> list[Piece]:
    """``piece`` without its invisible characters, which are entered into ``left_out``; trimmed at both ends."""
    start, end = piece
    if INVISIBLE.search(source, start, end) is None:
        return [piece]
    kept = []
    for found in INVISIBLE.finditer(source, start, end):
        left_out.append(LeftOut(Span(*found.span()), "markup", found.group()))
        kept.append((start, found.start()))
        start = found.end()
    kept.append((start, end))
    return trim(source, kept)


def trim(source: str, pieces: Sequence[Piece]) -> list[Piece]:
    """``pieces`` without whitespace before the first and after the last character, and without empty ones."""
    kept = [piece for piece in pieces if piece[0] < piece[1]]
    while kept:
        start, end = kept[0]
        text = source[start:end]
        bare = text.lstrip()
        if bare:
            kept[0] = (end - len(bare), end)
            break
        kept.pop(0)
    while kept:
        start, end = kept[-1]
        bare = source[start:end].rstrip()
        if bare:
            kept[-1] = (start, start + len(bare))
            break
        kept.pop()
    return kept


def cut(pieces: Sequence[Piece], holes: Sequence[Piece]) -> list[Piece]:
    """``pieces`` without the characters of ``holes``; both sorted, each hole inside one piece."""
    kept: list[Piece] = []
    place = 0
    for start, end in pieces:
        while place < len(holes) and holes[place][1] <= end:
            low, high = holes[place]
            place += 1
            if low >= start:
                if low > start:
                    kept.append((start, low))
                start = high
        if start < end:
            kept.append((start, end))
    return kept


def wrap_width(source: str, lines: Sequence[Line]) -> int:
    """The width in characters at which lines are hard-wrapped, 0 where one line is one paragraph.

    Hard-wrapped means: many lines run on into the next one, nearly all of those are nearly as long as the longest,
    and many stop in the middle of a sentence.
    """
    sample = lines[:_SAMPLE_LINES]
    if len(sample) < 4:
        return 0
    base = usual_indent(sample)
    lengths = sorted(line.end - line.start for line in sample)
    width = lengths[min(len(lengths) - 1, int(len(lengths) * 0.95))]
    if not 16 <= width <= 130:
        return 0
    going_on = [
        line
        for line, after in pairwise(sample)
        if after.blanks == 0 and after.indent <= base and line.end - line.start >= 0.5 * width
    ]
    if len(going_on) < 3 or len(going_on) < 0.25 * len(sample):
        return 0
    full = [line for line in going_on if line.end - line.start >= 0.75 * width]
    open_ended = sum(source[line.end - 1] not in _SENTENCE_END for line in full)
    if len(full) >= 0.8 * len(going_on) and open_ended >= 0.5 * len(full):
        return width
    return 0


def continues(source: str, line: Line, after: Line, width: int, base_indent: int) -> bool:
    """Whether ``after`` goes on with the paragraph of ``line`` in a text hard-wrapped at ``width``."""
    if not width or after.blanks or after.indent > base_indent:
        return False
    if "a" <= source[after.start] <= "z" and (source[line.end - 1] in ",-" or source[line.end - 1].isalpha()):
        return True
    length = line.end - line.start
    first = source[after.start : min(after.end, after.start + 30)]
    word = 1 if _WIDE.match(first) else len(first.split(None, 1)[0])
    return length + word >= 0.8 * width


def usual_indent(lines: Sequence[Line]) -> int:
    """The most common indentation of ``lines`` in characters."""
    return Counter(line.indent for line in lines[:_SAMPLE_LINES]).most_common(1)[0][0] if lines else 0
