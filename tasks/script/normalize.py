"""Written form to spoken form: numbers, units and signs become words, marks become pauses the engine understands.

Contract: ``normalize(text, language)`` is pure and gives the spoken text together with the edits that made it, so that
a piece of one side can be found on the other. Our own rules for novels (``rules_zh``, ``rules_en``) claim what they
know; wetext's grammars get the English clauses with figures that are left. Text without figures, Latin letters or
unusual marks passes at the speed of one regular expression.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from functools import cached_property

from tasks.script import marks, rules_en, rules_zh
from tasks.script.split import Edit

_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0002fa1f]")
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ɏ]+(?:['’][A-Za-zÀ-ɏ]+)*")
_FULL_WIDTH = {0xFF01 + k: 0x21 + k for k in range(94) if chr(0x21 + k).isalnum() or chr(0x21 + k) in "%+-=/@#&*<>"}
_NEEDS_RULES = re.compile(
    r"[0-9A-Za-z０-９Ａ-Ｚａ-ｚ\u2150-\u218f\u2460-\u24ff\u2776-\u2793\u3220-\u3229\u3280-\u3289½¼¾‰℃℉°№＋×÷≈≥≤±=＝&＆@＠%％$￥¥€£₩₽₹฿²³⁰¹⁴-⁹₀-₉√≠∞㎏-㎡㎥±÷\u0370-\u03ff￣▽□◕≧≦╯╰ω°^_>\U0001f000-\U0001faff☀-➿\ufe0f]"
)
_NEEDS_RULES_EN = re.compile(
    r"[0-9&@%$¥€£½¼¾°²³=+×÷¢\u2150-\u218f\U0001f000-\U0001faff☀-➿\ufe0f]|[A-Z][a-z]{0,4}\.|\b(?:Mr|Mrs|Ms|Dr|WWI)\b|\bWWII\b|\b[VX]\b|\b[IVX]{2,}\b|\b(?:Chapter|CHAPTER|Book|BOOK|Part|PART|Volume|VOLUME) [IVXLC]+\b|\b(?:vs|etc|e\.g|i\.e)\.|\bw/|www\.|https?:|, [A-Z]{2}\b|\b(?:[Aa]ct|[Ss]cene|[Cc]hapter|[Cc]anto|[Bb]ook) [ivxl]+\b|\.(?:com|org|net|edu|gov|io|uk)\b"
)


@dataclass(frozen=True, slots=True)
class Aligned:
    """``spoken[spoken_start:spoken_end]`` says ``written[start:end]``."""

    spoken_start: int
    spoken_end: int
    start: int
    end: int


@dataclass(frozen=True)
class Normalized:
    """A text and how it is said: outside of ``edits`` (sorted, disjoint) both sides are the same."""

    written: str
    edits: tuple[Edit, ...] = ()

    @cached_property
    def spoken(self) -> str:
        return self.slice(0, len(self.written)) if self.edits else self.written

    @cached_property
    def spans(self) -> tuple[Aligned, ...]:
        """The whole alignment, in order; unchanged stretches are one span each."""
        spans: list[Aligned] = []
        at = said = 0
        for edit in (*self.edits, Edit(len(self.written), len(self.written), "")):
            if edit.start > at:
                spans.append(Aligned(said, said + edit.start - at, at, edit.start))
                said += edit.start - at
            if edit.end > edit.start:
                spans.append(Aligned(said, said + len(edit.spoken), edit.start, edit.end))
                said += len(edit.spoken)
            at = edit.end
        return tuple(spans)

    def slice(self, start: int, end: int) -> str:
        """The spoken form of the written characters ``[start, end)``; an edit belongs to where it begins."""
        out: list[str] = []
        first = bisect.bisect_left(self._starts, start)
        at = max(start, min(self.edits[first - 1].end, end)) if first else start
        for edit in self.edits[first : bisect.bisect_left(self._starts, end)]:
            out.append(self.written[at : edit.start])
            out.append(edit.spoken)
            at = min(edit.end, end)
        out.append(self.written[at:end])
        return "".join(out)

    @cached_property
    def _starts(self) -> list[int]:
        return [edit.start for edit in self.edits]


def language_of(text: str, default: str = "zh") -> str:
    """``zh`` or ``en`` by what most of the words are; ``default`` for a text without letters."""
    if text.isascii() and default == "en":
        return "en"
    han = len(_HAN.findall(text))
    if han > len(text) // 2:
        return "zh"
    latin = len(_LATIN_WORD.findall(text))
    if han == latin == 0:
        return default
    return "en" if latin > han else "zh"


def normalize(text: str, language: str) -> Normalized:
    """The spoken form of ``text``. ``language`` is ``zh`` or ``en``: whose words figures become."""
    if language == "en":
        edits = rules_en.edits(text) if _NEEDS_RULES_EN.search(text) else []
    elif _NEEDS_RULES.search(text):
        edits = rules_zh.edits(text.translate(_FULL_WIDTH))
        edits = _with_width(text, edits)
    else:
        edits = []
    edits = marks.edits(text, edits, language)
    return Normalized(text, tuple(edits))


def _with_width(text: str, edits: list[Edit]) -> list[Edit]:
    """Full-width letters that no rule has claimed are said as the ordinary ones."""
    if text.isascii():
        return edits
    claimed = bytearray(len(text))
    for edit in edits:
        claimed[edit.start : edit.end] = b"\1" * (edit.end - edit.start)
    extra = [
        Edit(at, at + 1, chr(_FULL_WIDTH[ord(sign)]))
        for at, sign in enumerate(text)
        if ord(sign) in _FULL_WIDTH and not claimed[at]
    ]
    return sorted([*edits, *extra], key=lambda edit: edit.start) if extra else edits
