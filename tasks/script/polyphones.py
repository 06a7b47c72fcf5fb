"""The classifier of polyphones: which reading of a character the sentence around it makes likeliest.

Contract: ``Polyphones.judge(char, evidence, seen)`` gives every candidate reading its probability. It is a multinomial
logistic regression in two layers. The lower one is shared by all characters and weighs the evidence: what phrases,
rules and usage propose. The upper one belongs to one character and weighs words, characters and classes of characters
around it; where a character was seen too seldom in training it is silent and the evidence decides. Weights are data
(``configs/lexicon/data/polyphones.z``, made by ``benchmarks/train_polyphones.py``), unpacked character by character
when first needed. Pure Python: one look-up a feature is quicker than arrays for lines of forty characters.
"""

from __future__ import annotations

import json
import math
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tasks.script.phrases import DATA

SCALE = 64
"""Weights of the upper layer are whole numbers of this part of a unit of log-odds."""

_CLASSES = {
    "N": "0一二两三四五六七八九十百千万亿几数半零〇双",
    "P": "我你您他她它咱俺谁吾汝尔自其之彼此",
    "L": "个只条张把件位根本句次遍回场顿番阵股块片口双对群座间层杯碗瓶封首颗粒滴串束袋箱排行队名家",
    "D": "这那哪每某各诸该另",
    "F": "的了着过吧吗呢啊呀嘛么哦哟啦嘿哎唉",
    "A": "不没未别莫勿非无",
    "M": "能会可要想肯敢应该当须必得愿",
    "B": "也都就才又还再更最很太极甚颇挺真好正刚已曾将便却仍竟忽渐常总只",
    "C": "和与及或跟同而且但因所若如虽则即既",
    "R": "在到从向往朝对于由自把被给让叫使为以用按照替比",
    "S": "上下里外中前后内间旁边左右东西南北",
    "V": "说道问答看听想走跑跳打拿吃喝坐站来去回进出起做作写读讲叫喊哭笑",
    "H": "手脚头眼脸口嘴鼻耳身心腿肩背腰肚胸指发牙舌",
    "Z": "人者士兵生师员长子女男客工民王官帝臣",
    "T": "年月日时天夜晚早午春夏秋冬分秒刻",
    "G": "国省市县镇乡村区州城山河江湖海路街桥岛",
    "X": "得地",
}
_CLASS_OF = {char: name for name, chars in _CLASSES.items() for char in chars}
EDGE = "\x02"
"""Stands around a text; no name of a feature may hold the line feed that parts them in the file."""
PAD = 2
"""How many edge characters stand around a text that ``features`` reads."""


def _class(char: str) -> str:
    found = _CLASS_OF.get(char)
    if found is None:
        found = "w" if "\u4e00" <= char <= "\u9fff" else "a" if char.isalpha() else "p" if char in "，、：；" else "e"
        _CLASS_OF[char] = found
    return found


class Evidence(NamedTuple):
    """What speaks for readings of one character. ``proposal``: the phrases' and ``grade`` how well founded that is
    (grade and length of the phrase, ``s1`` for none); ``rule``: the rules' or an empty string, its ``kind`` and ``name``;
    ``supported``: readings in other phrases that cover the character."""

    proposal: str
    grade: str
    rule: str = ""
    kind: str = ""
    name: str = ""
    supported: frozenset[str] = frozenset()

    def keys(self, reading: str, usual: bool, known: bool) -> Iterator[str]:
        """The shared layer's features of one candidate."""
        if reading == self.proposal:
            yield "p" + self.grade
        if usual:
            yield "u" + self.grade
        if not known:
            yield "unknown"
        if reading == self.rule:
            yield "r" + self.kind
            yield "r" + self.kind + self.grade[0]
        if reading in self.supported:
            yield "c" + self.grade[0]


def features(
    text: str, at: int, words: tuple[str, str, str, int], evidence: Evidence, company: Mapping[str, str]
) -> list[str]:
    """What the upper layer sees at ``text[at]``; ``text`` is simplified and padded by ``PAD`` edge characters.

    ``words``: the phrase before the character's, its own, the one after, and the character's place in its own.
    ``company`` names the class of characters that a character stands in like company with.
    """
    b2, b1, a1, a2 = text[at - 2], text[at - 1], text[at + 1], text[at + 2]
    cb2, cb1, ca1, ca2 = _class(b2), _class(b1), _class(a1), _class(a2)
    kb2, kb1, ka1, ka2 = company.get(b2, b2), company.get(b1, b1), company.get(a1, a1), company.get(a2, a2)
    before, own, after, offset = words
    proposal, rule = evidence.proposal + evidence.grade, evidence.rule
    found = [
        "a" + b1, "b" + a1, "c" + b2, "d" + a2, "e" + b2 + b1, "f" + a1 + a2, "g" + b1 + a1,
        "n" + cb1, "o" + ca1, "p" + cb1 + ca1, "q" + cb2 + cb1, "r" + ca1 + ca2, "s" + cb1 + a1, "t" + b1 + ca1,
        "u" + before, "v" + after, "P" + proposal, "R" + rule + evidence.name, "Q" + proposal + rule, "B",
        "L" + str(min(len(own), 4)) + str(offset) + cb1 + ca1,
        "1" + kb1, "2" + ka1, "3" + kb1 + "_" + ka1, "4" + kb2 + "_" + kb1, "5" + ka1 + "_" + ka2,
    ]  # fmt: skip
    if len(own) > 1:
        found.append(f"w{own}{offset}")
    return found


def company_of(classes: Sequence[str]) -> dict[str, str]:
    """The name of each character's class, for ``features``."""
    return {char: str(number) for number, chars in enumerate(classes) for char in chars}


class Character(NamedTuple):
    """One character's part: its candidates with their prior score in the lower layer, and the upper layer's weights."""

    readings: tuple[str, ...]
    usual: str
    known: frozenset[str]
    priors: tuple[float, ...]
    weights: Mapping[str, tuple[int, ...]]


class Polyphones:
    """The model of a file. ``characters`` are those that it has candidates for. Read-only but for a cache."""

    def __init__(self, packed: bytes) -> None:
        head, names, numbers = zlib.decompress(packed).split(b"\0\0\0", 2)
        model = json.loads(head)
        self._shared: dict[str, float] = model["shared"]
        self._temperature: float = model["temperature"]
        self._table: dict[str, list[Any]] = model["characters"]
        self._names = names.decode("utf-8").split("\0")
        self._numbers = numbers
        self._unpacked: dict[str, Character] = {}
        self.company = company_of(model["company"])
        self.characters = frozenset(self._table)

    def character(self, char: str) -> Character:
        found = self._unpacked.get(char)
        if found is None:
            readings, usual, known, priors, block, start, count = self._table[char]
            width = len(readings)
            weights: dict[str, tuple[int, ...]] = {}
            if count:
                rows = memoryview(self._numbers)[start : start + count * width].cast("b")
                for place, name in enumerate(self._names[block].split("\n")):
                    weights[name] = tuple(rows[place * width : (place + 1) * width])
            found = Character(tuple(readings), usual, frozenset(known), tuple(priors), weights)
            self._unpacked[char] = found
        return found

    def judge(self, char: str, evidence: Evidence, seen: Sequence[str]) -> list[tuple[str, float]]:
        """Every candidate reading of ``char`` with its probability, the likeliest first. ``seen``: ``features``."""
        model, shared = self.character(char), self._shared
        scores = list(model.priors)
        for place, reading in enumerate(model.readings):
            for key in evidence.keys(reading, reading == model.usual, reading in model.known):
                scores[place] += shared.get(key, 0.0)
        if model.weights:
            hits = [row for row in map(model.weights.get, seen) if row]
            for place, whole in enumerate(map(sum, zip(*hits, strict=True))):
                scores[place] += whole / SCALE
        best = max(scores)
        raised = [math.exp((one - best) * self._temperature) for one in scores]
        total = sum(raised)
        found = [(reading, one / total) for reading, one in zip(model.readings, raised, strict=True)]
        return sorted(found, key=_likelihood, reverse=True)


def _likelihood(candidate: tuple[str, float]) -> float:
    return candidate[1]


_lock = threading.Lock()
_shared: Polyphones | None = None


def shared() -> Polyphones:
    """The one model of this process, loaded when first asked for."""
    global _shared
    if _shared is None:
        with _lock:
            if _shared is None:
                _shared = Polyphones((DATA / "polyphones.z").read_bytes())
    return _shared
