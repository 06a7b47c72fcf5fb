"""From a stretch of a paragraph to the written and spoken forms of its lines.

Contract: ``speakable`` normalizes the stretch as a whole (so that figures keep their context), cuts it, and gives
parts whose spans, apart from whitespace between them, tile the stretch; no part is longer than ``max_chars``, written
or spoken, respelling included.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tasks.script.normalize import Normalized, language_of, normalize
from tasks.script.split import Edit, fit_edits, split

_EDGE_PAUSES = "，、；：,;: \t\n\u3000"
_HEADING_GAP = re.compile(r"(?<=\w)[ \t\u3000\xa0\n]+(?=\w)")


@dataclass(frozen=True, slots=True)
class Speakable:
    """One line to be: ``[start, end)`` of the paragraph, without outer whitespace."""

    start: int
    end: int
    text: str
    spoken: str
    language: str


def has_sound(spoken: str) -> bool:
    """Whether there is anything to say: a letter or a figure."""
    return any(sign.isalnum() for sign in spoken)


def speakable(
    text: str,
    start: int,
    end: int,
    max_chars: int,
    min_chars: int,
    language: str,
    respell: Callable[[str], str],
    *,
    heading: bool = False,
    languages: str = "",
) -> list[Speakable]:
    """The lines of ``text[start:end]``. ``languages`` forces one language, else each stretch has that of its script."""
    stretch = text[start:end]
    spoken_in = languages or language_of(stretch, language)
    normalized = normalize(stretch, spoken_in)
    if heading:
        normalized = _with_gaps(normalized, spoken_in)
    edits = fit_edits(normalized.edits, max_chars)
    normalized = Normalized(stretch, tuple(edits))
    parts: list[Speakable] = []
    pending = split(stretch, max_chars, min_chars, edits)
    while pending:
        low, high = pending.pop(0)
        said = respell(_trim(normalized.slice(low, high)))
        if len(said) > max_chars and high - low > 1:
            pending[:0] = _halve(stretch, low, high, edits, max_chars, len(said))
            continue
        inner = stretch[low:high]
        lead = len(inner) - len(inner.lstrip())
        core = inner.strip()
        if core:
            first = start + low + lead
            parts.append(Speakable(first, first + len(core), core, said, languages or language_of(core, spoken_in)))
    return parts


def _trim(spoken: str) -> str:
    """Without pauses at the head and whitespace at the tail; a comma at the tail stays (the voice goes on)."""
    return re.sub(r"\s+", " ", spoken.lstrip(_EDGE_PAUSES + "。").rstrip())


def _halve(stretch: str, low: int, high: int, edits: list[Edit], max_chars: int, said: int) -> list[tuple[int, int]]:
    """Respelling has made a line too long: cut it again with as much less room."""
    room = max(2, min(max_chars * max_chars // said, high - low - 1))
    within = [Edit(e.start - low, e.end - low, e.spoken) for e in edits if low <= e.start and e.end <= high]
    return [(low + a, low + b) for a, b in split(stretch[low:high], room, 0, within)]


def _with_gaps(normalized: Normalized, language: str) -> Normalized:
    """第十二章 风起, and a heading of two rows: the gap in a heading is a pause. Words in Latin letters have gaps anyway."""
    written = normalized.written
    blank = [edit for edit in normalized.edits if not written[edit.start : edit.end].strip()]
    worded = [edit for edit in normalized.edits if edit not in blank]
    claimed = {at for edit in worded for at in range(edit.start, edit.end)}
    gaps = [
        Edit(m.start(), m.end(), "，" if language == "zh" else ", ")
        for m in _HEADING_GAP.finditer(written)
        if not claimed.intersection(range(m.start(), m.end()))
        and ("\n" in m.group() or (language == "zh" and not (written[m.start() - 1] + written[m.end()]).isascii()))
    ]
    blank = [edit for edit in blank if not any(gap.start < edit.end and edit.start < gap.end for gap in gaps)]
    return Normalized(written, tuple(sorted([*worded, *blank, *gaps], key=lambda edit: edit.start)))
