"""The proof that a script says the whole manuscript.

Contract: every character of the source that is not whitespace is inside the span of a spoken line or listed as left
out with a reason; what is neither is a gap, and a book with a gap is not published. Lines that the user skips count
as left out for the reason ``skipped-by-user``, lines without a letter or a figure (……) for ``no-sound``. Linear in the
length of the source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tasks.domain import Manuscript, Script, Span

SKIPPED = "skipped-by-user"
NO_SOUND = "no-sound"
_SPEAKABLE = re.compile(r"\S+")
_EXCERPT = 40


@dataclass(frozen=True, slots=True)
class Gap:
    """Source characters that nothing accounts for; ``line`` is 1-based in the source text."""

    span: Span
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts are of characters that are not whitespace. ``left_out`` is by reason, in order of first appearance.
    ``source_chars == spoken_chars + sum(left_out) + characters in gaps``: a character in a line and in a ``LeftOut`` is spoken."""

    source_chars: int
    spoken_chars: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()

    @property
    def complete(self) -> bool:
        return not self.gaps


def coverage(manuscript: Manuscript, script: Script) -> Coverage:
    """Account for every character of ``manuscript.source``."""
    source = manuscript.source
    # One byte a character: 0 unaccounted, 1 spoken, 2 and up: index into the reasons.
    account = bytearray(len(source))
    reasons: list[str] = []

    def fill(span: Span, mark: int) -> None:
        start, end = max(0, span.start), min(len(source), span.end)
        if start < end:
            account[start:end] = bytes((mark,)) * (end - start)

    def number(reason: str) -> int:
        if reason not in reasons:
            reasons.append(reason)
        return min(255, reasons.index(reason) + 2)

    for part in manuscript.left_out:
        fill(part.span, number(part.reason))
    lines = [line for chapter in script.chapters for line in chapter.lines]
    for line in lines:
        if line.skip:
            fill(
                line.span,
                number(
                    SKIPPED if any(sign.isalnum() for sign in source[line.span.start : line.span.end]) else NO_SOUND
                ),
            )
    for line in lines:
        if not line.skip:
            fill(line.span, 1)

    counts = [0] * 256
    gaps: list[Gap] = []
    newlines, counted_to = 1, 0
    for run in _SPEAKABLE.finditer(source):
        start, end = run.span()
        here = account[start:end]
        for mark in set(here):
            counts[mark] += here.count(mark)
        if 0 not in here:
            continue
        for hole in re.finditer(rb"\0+", bytes(here)):
            low, high = start + hole.start(), start + hole.end()
            newlines += source.count("\n", counted_to, low)
            counted_to = low
            gaps.append(Gap(Span(low, high), newlines, source[low:high]))
    joined = _join(gaps, source)
    left_out = {reason: counts[index + 2] for index, reason in enumerate(reasons) if counts[index + 2]}
    return Coverage(sum(counts), counts[1], left_out, joined)


def _join(gaps: list[Gap], source: str) -> tuple[Gap, ...]:
    """Gaps with only whitespace between them are one; texts are cut to an excerpt."""
    joined: list[Gap] = []
    for gap in gaps:
        if joined and not source[joined[-1].span.end : gap.span.start].strip():
            joined[-1] = Gap(Span(joined[-1].span.start, gap.span.end), joined[-1].line, "")
        else:
            joined.append(gap)
    return tuple(Gap(gap.span, gap.line, _excerpt(source[gap.span.start : gap.span.end])) for gap in joined)


def _excerpt(text: str) -> str:
    flat = " ".join(text[: 4 * _EXCERPT].split())
    return flat if len(flat) <= _EXCERPT else flat[: _EXCERPT - 1] + "…"
