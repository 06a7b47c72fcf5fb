"""Cutting a piece of text into lines: pure, on plain data.

Contract: ``split`` gives spans that tile ``[0, len(text))``; each is at most ``max_chars`` long both as written and as
spoken. Cuts are made after a sentence end, else after a clause (；： then ，、), else between words, and never inside a
word, a number, an edit of the normalizer, an annotation such as ``[h][ào]`` or ``[breath]``, or before closing
punctuation. Only a unit that alone is longer than ``max_chars`` is cut inside.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters ``[start, end)`` of the written text are said as ``spoken``."""

    start: int
    end: int
    spoken: str


CLOSING = "”’」』》〉）)】］]}〕"
OPENING = "“‘「『《〈（(【［[{〔"
_SENTENCE = re.compile(rf"[。．！？!?…]+[。．！？!?…—～~]*[{re.escape(CLOSING)}\"']*\s*")
_SENTENCE_EN = re.compile(
    rf"(?:[!?…]+|(?<![A-Z])(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bProf)(?<!\bCapt)(?<!\bNo)\.+)[.!?…]*[{re.escape(CLOSING)}\"']*(?:\s+|$)"
)
_CLAUSE = re.compile(rf"[；;：:]+[{re.escape(CLOSING)}\"']*(?:\s+|(?<=[；：{re.escape(CLOSING)}\"']))")
_COMMA = re.compile(rf"(?:[，、]|[,—–](?!\d))+[{re.escape(CLOSING)}\"']*\s*")
_SPACE = re.compile(r"\s+")
_ATOM = re.compile(
    r"(?:\[[^\[\]\s]{1,16}\])+|[0-9０-９]+(?:[.,:：/\-][0-9]+)*[%％‰℃]?|[A-Za-zÀ-ɏ]+(?:['’\-][A-Za-zÀ-ɏ]+)*"
)
_NOT_BEFORE = re.compile(rf"[{re.escape(CLOSING)}。！？!?…，、；：,.;:～~—％%℃‰\"'\u0300-\u036f\ufe0e\ufe0f\u200d\s]")
_NOT_AFTER = frozenset(OPENING)


def split(
    text: str,
    max_chars: int,
    min_chars: int = 8,
    edits: Sequence[Edit] = (),
    words: Callable[[str], list[str]] | None = None,
) -> list[tuple[int, int]]:
    """Spans of the lines of ``text``.

    ``edits`` are sorted and disjoint, each at most ``max_chars`` long on both sides (``fit_edits`` sees to that).
    ``words`` cuts a text into words (default: jieba); it is asked only where a clause alone is too long. A piece
    shorter than ``min_chars`` is avoided where a better cut of the same kind exists.
    """
    if max_chars < 2:
        raise ValueError("max_chars must be at least 2")
    size = len(text)
    if size <= max_chars and size + sum(len(e.spoken) - (e.end - e.start) for e in edits) <= max_chars:
        return [(0, size)] if size else []
    ruler = _Ruler(text, edits)
    by_rank = [ruler.legal(_ends(pattern, text)) for pattern in (_SENTENCE, _SENTENCE_EN, _CLAUSE, _COMMA)]
    ranks = [sorted({*by_rank[0], *by_rank[1]}), by_rank[2], by_rank[3]]
    spans: list[tuple[int, int]] = []
    start = 0
    while start < size:
        limit = ruler.reach(start, max_chars)
        if limit >= size:
            spans.append((start, size))
            break
        cut = _best(ranks, start, limit, size, min_chars) or _between_words(text, start, limit, ruler, words)
        spans.append((start, cut))
        start = cut
    return spans


def fit_edits(edits: Sequence[Edit], max_chars: int) -> list[Edit]:
    """The same edits, those too long for a line divided evenly into shorter ones."""
    fitted: list[Edit] = []
    for edit in edits:
        longest = max(edit.end - edit.start, len(edit.spoken))
        # A number fills at most half a line, or it would force very short neighbours.
        parts = -(-longest // (max_chars // 2)) if longest > max_chars else 1
        parts = min(parts, edit.end - edit.start)
        for part in range(parts):
            low, high = (edit.start + (edit.end - edit.start) * (part + k) // parts for k in (0, 1))
            said = edit.spoken[len(edit.spoken) * part // parts : len(edit.spoken) * (part + 1) // parts]
            fitted.append(Edit(low, high, said))
    return fitted


class _Ruler:
    """Measures pieces as written and as spoken, and knows where a cut is forbidden."""

    def __init__(self, text: str, edits: Sequence[Edit]) -> None:
        self.text = text
        self.edits = edits
        self.starts = [edit.start for edit in edits]
        self.ends = [edit.end for edit in edits]
        self.gain = [0]
        for edit in edits:
            self.gain.append(self.gain[-1] + len(edit.spoken) - (edit.end - edit.start))

    def spoken_length(self, start: int, end: int) -> int:
        low, high = bisect.bisect_left(self.starts, start), bisect.bisect_right(self.ends, end)
        return end - start + (self.gain[high] - self.gain[low] if high > low else 0)

    def inside_edit(self, position: int) -> bool:
        index = bisect.bisect_right(self.starts, position) - 1
        return index >= 0 and self.starts[index] < position < self.ends[index]

    def legal(self, positions: list[int]) -> list[int]:
        return [p for p in positions if p < len(self.text) and self.may_cut(p)]

    def may_cut(self, position: int) -> bool:
        return (
            not self.inside_edit(position)
            and not _NOT_BEFORE.match(self.text, position)
            and self.text[position - 1] not in _NOT_AFTER
        )

    def reach(self, start: int, max_chars: int) -> int:
        """The furthest end of a line from ``start`` that no measure forbids."""
        end = min(len(self.text), start + max_chars)
        while self.inside_edit(end):
            end = self.starts[bisect.bisect_right(self.starts, end) - 1]
        while end > start and self.spoken_length(start, end) > max_chars:
            index = bisect.bisect_right(self.ends, end) - 1
            over = self.spoken_length(start, end) - max_chars
            if index >= 0 and self.ends[index] > start:
                plain = end - self.ends[index]
                end = end - over if plain >= over else max(self.starts[index], start)
            else:
                end -= over
        return end


def _ends(pattern: re.Pattern[str], text: str) -> list[int]:
    return [match.end() for match in pattern.finditer(text)]


def _best(ranks: Sequence[list[int]], start: int, limit: int, size: int, min_chars: int) -> int:
    """The last cut of the best rank that leaves no crumb on either side; 0 where there is none."""
    crumb = 0
    min_chars = max(min_chars, 1)
    for cuts in ranks:
        index = bisect.bisect_right(cuts, limit) - 1
        while index >= 0 and cuts[index] - start >= min_chars:
            if size - cuts[index] >= min_chars:
                return cuts[index]
            crumb = crumb or cuts[index]
            index -= 1
    return crumb


def _between_words(text: str, start: int, limit: int, ruler: _Ruler, words: Callable[[str], list[str]] | None) -> int:
    window_end = min(len(text), limit + 24)
    window = text[start:window_end]
    if not window.isascii() and words is None:
        from tasks.script.words import cut

        words = cut
    bounds: set[int] = {start + end for end in _ends(_SPACE, window)}
    if words is not None:
        at = start
        for word in words(window):
            at += len(word)
            bounds.add(at)
    for atom in _ATOM.finditer(window):
        bounds -= set(range(start + atom.start() + 1, start + atom.end()))
    good = [b for b in bounds if start < b <= limit and ruler.may_cut(b)]
    if good:
        return max(good)
    # One unit fills the line: cut where no other rule is hurt, else where the line is full.
    for position in range(limit, start, -1):
        if ruler.may_cut(position):
            return position
    return limit if limit > start else start + 1
