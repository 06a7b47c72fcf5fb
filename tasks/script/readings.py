"""How every character of a line is read.

Contract: ``Reader.read`` gives one ``Reading`` for every Han character of a spoken text, in order, in house notation
(``hao4``, neutral tone 5, ``er5`` for the suffix 儿 on its own character, 一 and 不 in their surface tone; no third-tone
sandhi, which engines do themselves), and ARPAbet for English words that the lexicon knows. What decides, strongest
first: the user's lexicon, the rules, the house lexicon's and the package's phrases by longest match, the character's
usual reading. ``annotate`` marks the readings that are worth forcing on an engine that reads Han characters itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.domain import LexiconEntry, Reading
from tasks.script import decide, phrases, sandhi
from tasks.script.lexicon_match import Lexicon

_QUIET = frozenset("的地得了着一不儿兒们么呢吗吧啊")
"""Characters whose two readings every engine tells apart by itself."""

_EVERYDAY = re.compile(
    "什么|为什么|怎么|因为|为了|似乎|好像|一切|高兴|几乎|部分|音乐|银行|觉得|睡觉|长大|校长|已经|曾经|答应|重新|重要|自觉|感觉|还有|还是"
    "|都是|目的|的确|教室|教师|教育|数学|数字|数量|质量|力量|大量|商量|空气|空间|中间|时间|房间|之间|应该|应当|反应|适应|处理|到处|好处"
    "|当时|当然|上当|适当|方便|便宜|快乐|可乐|行为|行动|进行|不行|旅行|调查|强调|调整|传说|传统|相信|相机|照相|首相|真相|供给|提供"
    "|会计|少年|少女|多少|爱好|背后|背景|角度|主角|着急|着火|睡着|沉着|夫子|儿子|孩子|妻子|肚子|模样|一模一样|记载|不禁|空隙|商量"
)
"""Words that every engine reads right by itself: nothing in them is worth forcing."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A character of a spoken text that could be read in more than one way, and what was chosen.

    ``place`` is its index in the spoken text; ``phones`` the reading chosen, in its surface tone; ``confidence`` (0 to 1)
    the share of such decisions that are right, 1.0 for what the user's lexicon says; ``candidates`` the possible readings
    with their probabilities, the likeliest first; ``origin`` as in ``Reading``. ``name`` is the span ``(start, end)`` of
    the personal or place name that the character is part of, as far as known, else ``None``.
    """

    place: int
    char: str
    phones: str
    confidence: float
    candidates: tuple[tuple[str, float], ...]
    origin: str
    name: tuple[int, int] | None = None

    @property
    def is_name(self) -> bool:
        return self.name is not None


class Reader:
    """Reads texts with one lexicon. Cheap to make; the dictionary is loaded by the first ``read``. Thread-safe."""

    def __init__(self, lexicon: tuple[LexiconEntry, ...] = ()) -> None:
        self.lexicon = lexicon
        self._matcher = Lexicon(lexicon) if any(entry.phones for entry in lexicon) else None

    def read(self, spoken: str, language: str = "zh") -> tuple[Reading, ...]:
        """One reading for every Han character of ``spoken`` in order, and one for every English word of the lexicon.

        ``language`` is the line's; Han characters in an English line are read as Chinese all the same.
        """
        if spoken.isascii() and self._matcher is None:
            return ()
        return self._read(spoken, decide.decide(spoken))

    def _read(self, spoken: str, decisions: list[decide.Decision]) -> tuple[Reading, ...]:
        """What the lexicon, sandhi and what is worth forcing make of ``decisions``."""
        forced, words = self._forced(spoken)
        book = phrases.shared()
        phones = {one.place: one.phones for one in decisions}
        origins = {one.place: one.origin for one in decisions}
        for place, given in forced.items():
            phones[place], origins[place] = given, "lexicon"
        for place, given in sandhi.apply(spoken, phones).items():
            if place not in forced:
                phones[place], origins[place] = given, "rule"
        everyday = {place for word in _EVERYDAY.finditer(spoken) for place in range(*word.span())}
        found = []
        for place, given in phones.items():
            annotate = place in forced or (place not in everyday and _worth_forcing(book, spoken[place], given))
            found.append(Reading(place, place + 1, given, origins[place], annotate))
        return tuple(sorted(found + words, key=_start)) if words else tuple(found)

    def candidates(self, spoken: str) -> tuple[Doubt, ...]:
        """Every Han character of ``spoken`` with more than one possible reading, or in a name, in order.

        ``phones`` agrees with ``read``. What is worth asking about: ``confidence`` below 0.9 or so, and names.
        """
        decisions = decide.decide(spoken)
        chosen = {one.start: one for one in self._read(spoken, decisions)}
        doubts = []
        for one in decisions:
            if len(one.candidates) < 2 and one.name is None:
                continue
            reading = chosen[one.place]
            sure, ways = one.confidence, one.candidates
            if reading.origin == "lexicon":
                sure, ways = 1.0, ((reading.phones, 1.0),)
            doubts.append(Doubt(one.place, spoken[one.place], reading.phones, sure, ways, reading.origin, one.name))
        return tuple(doubts)

    def _forced(self, spoken: str) -> tuple[dict[int, str], list[Reading]]:
        """What the lexicon says: readings by place of Han characters, and readings of words in Latin letters."""
        return self._matcher.forced(spoken) if self._matcher is not None else ({}, [])


def _start(reading: Reading) -> int:
    return reading.start


def _worth_forcing(book: phrases.Phrases, char: str, given: str) -> bool:
    if char in _QUIET or given[-1] == "5":
        return False
    usual = book.usual(char)
    return bool(usual) and given != usual
