"""Who says a quotation, and how we know: what ``speaker_rules`` and ``attribute`` give."""

from __future__ import annotations

from dataclasses import dataclass

from tasks.domain import UNKNOWN


@dataclass(frozen=True, slots=True)
class Attribution:
    """``introduction`` is the tag's own words, for the style. ``candidates``: the likeliest speakers (at most four, the
    best first) with their probabilities, which add up to at most 1; empty where nobody was found."""

    speaker: str
    gender: str
    rule: str
    confidence: float
    introduction: str = ""
    candidates: tuple[tuple[str, float], ...] = ()


NOBODY = Attribution(UNKNOWN, "", "none", 0.0)
