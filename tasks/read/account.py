"""The proof that nothing of a manuscript was lost.

Contract: every character of ``source`` that is not whitespace is in a paragraph's run, in a heading or in a
``LeftOut``; ``gaps`` gives the spans that are in none of them, ``untrue`` the paragraphs whose runs do not say what
the source says. Both are empty for every manuscript that the readers make, whatever the input.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.domain import Manuscript, Paragraph, Span

_SOLID = re.compile(r"\S(?:[^\n]*\S)?")


def gaps(manuscript: Manuscript) -> list[Span]:
    """Source spans (trimmed, within one line) that are neither read nor accounted for, in order."""
    return uncovered(manuscript.source, _covered(manuscript))


def uncovered(source: str, spans: Sequence[tuple[int, int]]) -> list[Span]:
    """Stretches of ``source`` outside ``spans`` (sorted) that hold more than whitespace, trimmed, within one line."""
    missing: list[Span] = []
    place = 0
    for start, end in [*spans, (len(source), len(source))]:
        if start > place and not source[place:start].isspace():
            missing.extend(Span(*found.span()) for found in _SOLID.finditer(source, place, start))
        place = max(place, end)
    return missing


def untrue(manuscript: Manuscript) -> list[Paragraph]:
    """Paragraphs whose text differs from the source at their runs, or holds more than runs and inserted spaces. Of a
    converted manuscript the source is converted in the same way before it is compared."""
    source = manuscript.source
    wrong = []
    for chapter in manuscript.chapters:
        for paragraph in chapter.paragraphs:
            parts: list[str] = []
            place = 0
            for run in paragraph.runs:
                inserted = paragraph.text[place : run.text_start]
                if inserted.strip(" ") or len(inserted) > 1:
                    break
                parts.extend((inserted, source[run.source_start : run.source_start + run.length]))
                place = run.text_start + run.length
            else:
                if place == len(paragraph.text) and _as_read("".join(parts), manuscript.convert) == paragraph.text:
                    continue
            wrong.append(paragraph)
    return wrong


def _as_read(text: str, convert: str) -> str:
    if not convert:
        return text
    from tasks.read.convert import to_simplified

    return to_simplified(text)


def _covered(manuscript: Manuscript) -> list[tuple[int, int]]:
    spans = [(entry.span.start, entry.span.end) for entry in manuscript.left_out]
    for chapter in manuscript.chapters:
        if chapter.heading is not None:
            spans.append((chapter.heading.start, chapter.heading.end))
        for paragraph in chapter.paragraphs:
            spans.extend((run.source_start, run.source_start + run.length) for run in paragraph.runs)
    spans.sort()
    return spans
