"""Pinyin syllables: notations, validity, and the parts that an engine's tokens are made of.

House notation is lower-case letters and a tone digit 1-5 (5 is neutral), ``v`` for ü: ``hao4``, ``lv4``, ``er5``.
"""

from __future__ import annotations

import difflib
import unicodedata
from functools import lru_cache

_MARKS = {"\u0304": "1", "\u0301": "2", "\u030c": "3", "\u0300": "4"}
_ACCENTS = {digit: mark for mark, digit in _MARKS.items()}

_INITIALS = ("zh", "ch", "sh", *"bpmfdtnlgkhjqxrzcsyw")

# Which finals stand after which initials in Standard Mandarin (spelling as written, v for ü).
_FINALS = {
    "": "a o e ai ei ao ou an en ang eng er",
    "b": "a o ai ei ao an en ang eng i ie iao ian in ing u",
    "p": "a o ai ei ao ou an en ang eng i ie iao ian in ing u",
    "m": "a o e ai ei ao ou an en ang eng i ie iao iu ian in ing u",
    "f": "a o ei ou an en ang eng u iao",
    "d": "a e ai ei ao ou an en ang eng ong i ia ie iao iu ian ing u uo ui uan un",
    "t": "a e ai ei ao ou an ang eng ong i ie iao ian ing u uo ui uan un",
    "n": "a e ai ei ao ou an en ang eng ong i ia ie iao iu ian in iang ing u uo uan un v ve ue",
    "l": "a o e ai ei ao ou an ang eng ong i ia ie iao iu ian in iang ing u uo uan un v ve ue",
    "g": "a e ai ei ao ou an en ang eng ong u ua uo uai ui uan un uang",
    "k": "a e ai ei ao ou an en ang eng ong u ua uo uai ui uan un uang",
    "h": "a e ai ei ao ou an en ang eng ong u ua uo uai ui uan un uang",
    "j": "i ia ie iao iu ian in iang ing iong u ue uan un",
    "q": "i ia ie iao iu ian in iang ing iong u ue uan un",
    "x": "i ia ie iao iu ian in iang ing iong u ue uan un",
    "zh": "a e i ai ei ao ou an en ang eng ong u ua uo uai ui uan un uang",
    "ch": "a e i ai ao ou an en ang eng ong u ua uo uai ui uan un uang",
    "sh": "a e i ai ei ao ou an en ang eng u ua uo uai ui uan un uang",
    "r": "e i ao ou an en ang eng ong u ua uo ui uan un",
    "z": "a e i ai ei ao ou an en ang eng ong u uo ui uan un",
    "c": "a e i ai ei ao ou an en ang eng ong u uo ui uan un",
    "s": "a e i ai ao ou an en ang eng ong u uo ui uan un",
    "y": "a o e i ai ao ou an in ang ing ong u ue uan un",
    "w": "a o ai ei an en ang eng u",
}
_VALID = frozenset(initial + final for initial, finals in _FINALS.items() for final in finals.split())


@lru_cache(maxsize=8192)
def to_digits(syllable: str) -> str | None:
    """``hào``, ``hao4``, ``HAO4``, ``lü4``, ``lu:4`` or ``hao`` (neutral) as ``hao4``; ``None`` if it is no syllable.

    Erhua written together (``huar1``) is not one character's syllable and is refused.
    """
    text = syllable.strip().lower().replace("u:", "v")
    tone = ""
    if text[-1:] in ("0", "1", "2", "3", "4", "5"):
        text, tone = text[:-1], "5" if text[-1] == "0" else text[-1]
    letters: list[str] = []
    for char in unicodedata.normalize("NFD", text):
        if char in _MARKS:
            if tone:
                return None
            tone = _MARKS[char]
        elif char == "\u0308":
            if letters[-1:] != ["u"]:
                return None
            letters[-1] = "v"
        else:
            letters.append(char)
    plain = "".join(letters)
    if plain in {"nue", "lue"}:
        plain = plain[0] + "ve"
    return plain + (tone or "5") if plain in _VALID else None


def nearest(syllable: str) -> str:
    """The valid syllable that a mistyped one is most like, with its tone (``xaing2`` -> ``xiang2``); empty if none is."""
    text = unicodedata.normalize("NFD", syllable.strip().lower().replace("u:", "v"))
    plain = "".join(char for char in text if "a" <= char <= "z")
    tone = next((char for char in reversed(text) if char in "12345"), "") or next(
        (_MARKS[char] for char in text if char in _MARKS), ""
    )
    if not plain:
        return ""
    alike = {one: difflib.SequenceMatcher(None, plain, one).ratio() for one in sorted(_VALID)}
    best = max(
        alike, key=lambda one: (sorted(one) == sorted(plain), alike[one])
    )  # letters in the wrong order come first
    return best + tone if alike[best] >= 0.5 else ""


def split(syllable: str) -> tuple[str, str, int]:
    """Initial, final and tone of a syllable in house notation: ``zhuang1`` -> ``("zh", "uang", 1)``."""
    plain, tone = syllable[:-1], int(syllable[-1])
    for initial in _INITIALS:
        if plain.startswith(initial) and len(plain) > len(initial):
            return initial, plain[len(initial) :], tone
    return "", plain, tone


def accented(final: str, tone: int) -> str:
    """A final with its tone mark as a precomposed letter: ``("iao", 4)`` -> ``iào``; tone 5 has none.

    The mark stands on a, o or e, else on the last vowel. ``v`` becomes ü, except in ``ve``, where the mark says
    everything (the form in which engines spell it).
    """
    if tone == 5:
        return final
    place = next((final.index(vowel) for vowel in "aoe" if vowel in final), -1)
    if place < 0:
        place = max(final.rfind(vowel) for vowel in "iuv")
    if place < 0:
        return final
    vowel = "ü" if final[place] == "v" else final[place]
    return final[:place] + unicodedata.normalize("NFC", vowel + _ACCENTS[str(tone)]) + final[place + 1 :]
