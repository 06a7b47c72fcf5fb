"""How each Han character of a text is read when no lexicon of the user's says so, and how sure that is.

Contract: ``decide(text)`` gives a ``Decision`` for every Han character in order, before the sandhi of 一 and 不. Characters
with one reading, and those inside long well-founded phrases, are read at once; every other goes to the classifier, for
which phrases, rules and surnames are evidence. ``origin`` names what the decision agrees with: ``phrase``, ``rule``,
``default`` (the usual reading) or ``context`` (the classifier alone). ``confidence`` is the share of such decisions that are
right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tasks.script import phrases, polyphones, rules, surnames
from tasks.script.phrases import Phrases, Piece
from tasks.script.polyphones import EDGE, PAD, Evidence

_DIGITS = str.maketrans(dict.fromkeys("123456789０１２３４５６７８９", "0"))
_SAFE_GRADES = frozenset("ha")
_SAFE_CHARS = 4
_SURE = {"long": 0.99, "known": 0.98, "own": 0.85}
"""How sure long phrases, single known readings and our own rules are."""
_AGAINST = {"S": 0.99, "n": 0.985, "w": 0.8, "h": 0.7, "a": 0.75}
"""How sure the classifier must be against a strong rule, a surname, a weak rule where no good phrase stands, a phrase of
the house, a well-founded phrase. Rules and house phrases were written for what is too rare to be learned; held-out
sentences, where they meet what is frequent, side with the classifier from about here on."""

_EDGE = EDGE * PAD


class Decision(NamedTuple):
    """``text[place]`` is read as ``phones``. ``candidates``: every reading with its probability, the likeliest first."""

    place: int
    phones: str
    origin: str
    confidence: float
    candidates: tuple[tuple[str, float], ...]
    name: tuple[int, int] | None = None


class Scene(NamedTuple):
    """A text as the classifier sees it: simplified, padded, cut into phrases."""

    text: str
    padded: str
    pieces: Sequence[Piece]


def scene(text: str) -> Scene:
    plain = phrases.shared().simplified(text)
    return Scene(plain, _EDGE + plain.translate(_DIGITS) + _EDGE, tuple(phrases.shared().cut(plain)))


def decide(text: str) -> list[Decision]:
    """A decision for every Han character of ``text``, in order."""
    book, model = phrases.shared(), polyphones.shared()
    found = []
    here = scene(text)
    watched = rules.shared().characters | surnames.READINGS.keys()
    for number, piece in enumerate(here.pieces):
        safe = len(piece.phones) >= _SAFE_CHARS and piece.grade in _SAFE_GRADES
        for offset, given in enumerate(piece.phones):
            place = piece.start + offset
            char = here.text[place]
            if char not in model.characters or (char not in watched and not model.character(char).weights):
                found.append(_known(book, place, char, given, "default" if piece.grade == "s" else "phrase"))
            elif safe and not _overruled(here.text, place):
                found.append(_sure(place, given, "phrase", model.character(char).readings, _SURE["long"]))
            else:
                evidence, seen, name = look(book, here, number, offset, model.company)
                ways = settle(evidence, model.judge(char, evidence, seen))
                best, sure = ways[0]
                if best == evidence.rule:
                    origin = "rule"
                elif best != evidence.proposal:
                    origin = "context"
                else:
                    origin = "default" if piece.grade == "s" else "phrase"
                found.append(Decision(place, best, origin, sure, tuple(ways), name))
    return found


def look(
    book: Phrases, here: Scene, number: int, offset: int, company: Mapping[str, str]
) -> tuple[Evidence, list[str], tuple[int, int] | None]:
    """Evidence and features for one character of a scene, and the span of the name that it belongs to."""
    text, piece = here.text, here.pieces[number]
    place, length = piece.start + offset, len(piece.phones)
    char, own = text[place], text[piece.start : piece.start + length]
    rule, kind, label, name = "", "", "", None
    judged = rules.shared().judge(text, place) if char in rules.shared().characters else None
    if judged is not None:
        rule, kind, label = judged.phones, judged.kind, judged.name
    if (
        kind in ("", "o")
        and char in surnames.READINGS
        and (length == 1 or text[place - 1 : place] == "姓" or (offset == 0 and piece.grade in "bcd"))
    ):
        found = surnames.judge(text, place)
        if found:
            rule, kind, label, name = found, "n", "", (place, place + 1)
    evidence = Evidence(
        piece.phones[offset], piece.grade + str(min(length, 4)), rule, kind, label, _support(book, text, place, own)
    )
    words = (_before(here, number), own, _after(here, number), offset)
    return evidence, polyphones.features(here.padded, place + PAD, words, evidence, company), name


def settle(evidence: Evidence, ways: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """The candidates with what our own rules or phrases say put first, unless the classifier is sure of another."""
    kind, grade = evidence.kind, evidence.grade
    if kind not in ("S", "n") and not (kind == "w" and grade[0] in "scd"):
        kind = "h" if grade[0] == "h" else "a" if grade[0] == "a" and grade[1] > "1" else ""
    own = evidence.proposal if kind in "ha" else evidence.rule
    best, sure = ways[0]
    if not kind or own == best or sure >= _AGAINST[kind]:
        return ways
    share = dict(ways).get(own, 0.0)
    rest = [(reading, one) for reading, one in ways if reading != own]
    left = sum(one for _, one in rest)
    said = max(share, _SURE["own"])
    return [(own, said), *((reading, one / left * (1 - said)) for reading, one in rest)]


def _overruled(text: str, place: int) -> bool:
    if text[place] not in rules.shared().characters:
        return False
    judged = rules.shared().judge(text, place)
    return judged is not None and judged.kind == "S"


def _before(here: Scene, number: int) -> str:
    start = here.pieces[number].start
    if number:
        last = here.pieces[number - 1]
        if last.start + len(last.phones) == start:
            return here.text[last.start : start]
    return here.text[start - 1 : start] if start else ""


def _after(here: Scene, number: int) -> str:
    piece = here.pieces[number]
    end = piece.start + len(piece.phones)
    if number + 1 < len(here.pieces):
        following = here.pieces[number + 1]
        if following.start == end:
            return here.text[end : end + len(following.phones)]
    return here.text[end : end + 1]


def _support(book: Phrases, text: str, place: int, own: str) -> frozenset[str]:
    """The readings of the character in the phrases of two to four characters that cover it, its own one left out."""
    found = set()
    for start in range(max(0, place - 3), place + 1):
        for length in (2, 3, 4):
            if place < start + length <= len(text):
                word = text[start : start + length]
                if word != own:
                    known = book.graded(word)
                    if known is not None:
                        found.add(known[0][place - start])
    return frozenset(found)


def _known(book: Phrases, place: int, char: str, phones: str, origin: str) -> Decision:
    return _sure(place, phones, origin, book.readings_of(char), _SURE["known"])


def _sure(place: int, phones: str, origin: str, readings: Sequence[str], sure: float) -> Decision:
    others = [one for one in readings if one != phones]
    if not others:
        return Decision(place, phones, origin, 1.0, ((phones, 1.0),))
    rest = tuple((one, (1 - sure) / len(others)) for one in others)
    return Decision(place, phones, origin, sure, ((phones, sure), *rest))
