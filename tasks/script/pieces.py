"""A paragraph as pieces of one speaker each: pure.

Contract: the pieces tile the paragraph, in order; neighbours of the same speaker are one piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.domain import NARRATOR
from tasks.script.attribute import Attribution
from tasks.script.quotes import Quote


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters ``[start, end)`` of a paragraph; ``attribution`` is ``None`` for the narrator."""

    start: int
    end: int
    dialogue: bool
    attribution: Attribution | None

    @property
    def speaker(self) -> str:
        """Whose voice it needs."""
        return self.attribution.speaker if self.attribution else NARRATOR


def pieces(text: str, quotes: Sequence[Quote], spoken_by: Sequence[Attribution | None]) -> list[Piece]:
    """The pieces of ``text``."""
    out: list[Piece] = []
    at = 0
    for quote, who in zip(quotes, spoken_by, strict=True):
        if not quote.speech:
            continue
        if quote.start > at:
            _add(out, text, Piece(at, quote.start, False, None))
        _add(out, text, Piece(quote.start, quote.end, True, who))
        at = quote.end
    if at < len(text):
        _add(out, text, Piece(at, len(text), False, None))
    return out


def _add(out: list[Piece], text: str, piece: Piece) -> None:
    """Append, or join to the last one: same voice and kind, or nothing but marks and space between quotations."""
    if out:
        last = out[-1]
        same = last.dialogue == piece.dialogue and last.speaker == piece.speaker
        # ”， or ”。 after a quotation: the mark goes with it.
        only_marks = not piece.dialogue and not any(sign.isalnum() for sign in text[piece.start : piece.end])
        if same or only_marks:
            out[-1] = Piece(last.start, piece.end, last.dialogue, last.attribution)
            return
    out.append(piece)
