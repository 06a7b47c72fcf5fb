"""English words in the model's symbols.

A lexicon of 184,000 words (American English, made by ``build_data``) with one pronunciation each; inflected forms,
compounds and abbreviations are built from it, the rest by the letter-to-sound rules of ``spelling``. Readings in ARPAbet
map to the same symbols. Function words are reduced as in running speech.
"""

from __future__ import annotations

import gzip
import re
import unicodedata
from functools import lru_cache
from pathlib import Path

from common.english import BELOW_TWENTY, TENS
from engines.kokoro.spelling import by_rules

_LEXICON = Path(__file__).parent / "data" / "english.tsv.gz"
VOWELS = frozenset("AIOQWYaiuæɑɐɒɔəɚɛɜɪʊʌᵻ")
_ARPABET = {
    "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "W", "AY": "I", "EH": "ɛ", "ER": "ɜɹ", "EY": "A", "IH": "ɪ",
    "IY": "i", "OW": "O", "OY": "Y", "UH": "ʊ", "UW": "u", "B": "b", "CH": "ʧ", "D": "d", "DH": "ð", "F": "f",
    "G": "ɡ", "HH": "h", "JH": "ʤ", "K": "k", "L": "l", "M": "m", "N": "n", "NG": "ŋ", "P": "p", "R": "ɹ", "S": "s",
    "SH": "ʃ", "T": "t", "TH": "θ", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip
_REDUCED = {"AH": "ə", "ER": "əɹ", "IH": "ɪ"}
_STRESS = {"1": "ˈ", "2": "ˌ"}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@lru_cache(maxsize=1)
def lexicon() -> dict[str, str]:
    rows = gzip.decompress(_LEXICON.read_bytes()).decode("utf-8").splitlines()
    return {word: phones for word, _, phones in (row.partition("\t") for row in rows)}


def from_arpabet(phones: str) -> str:
    """``"M IH1 N AH0 T"`` -> ``mˈɪnət``; an empty string where a phone is unknown."""
    said = []
    for phone in phones.upper().split():
        base, stress = (phone[:-1], phone[-1]) if phone[-1:].isdigit() else (phone, "")
        if base not in _ARPABET:
            return ""
        symbol = _REDUCED.get(base, _ARPABET[base]) if stress == "0" else _ARPABET[base]
        said.append(_STRESS.get(stress, "") + symbol)
    return "".join(said)


def phones_of(word: str, following: str | None = None) -> str:
    """The symbols of one word as it stands in running text.

    ``following``: the symbols of the next word of the sentence, ``None`` at its end; articles and ``to`` depend on it.
    """
    plain = _fold(word)
    if not plain:
        return ""
    weak = _weak_form(plain, following)
    return weak or _word(plain)


def _fold(word: str) -> str:
    decomposed = unicodedata.normalize(
        "NFKD", word.replace("’", "'").replace("ß", "ss").replace("æ", "ae").replace("ø", "o")
    )
    return re.sub(r"[^A-Za-z']", "", decomposed).strip("'")


def _weak_form(word: str, following: str | None) -> str:
    lower = word.lower()
    if word.isupper() and len(word) > 1:
        return ""
    if following is None:
        return {"i": "ˈI"}.get(lower, "") if word != "a" else "A"
    vowel = starts_with_vowel(following)
    forms = {
        "a": "ɐ" if word == "a" or word == "A" else "",
        "an": "ɐn",
        "the": "ði" if vowel else "ðə",
        "to": "tʊ" if vowel else "tə",
        "of": "ʌv",
        "i": "ˌI",
        "am": "ɐm",
        "in": "ɪn",
    }
    return forms.get(lower, "")


def starts_with_vowel(phones: str) -> bool:
    return next((symbol in VOWELS for symbol in phones if symbol not in 'ˈˌ“"( '), False)


@lru_cache(maxsize=8192)
def _word(word: str) -> str:
    known = _known(word)
    if known:
        return known
    lower = word.lower()
    if word.isupper() and 2 <= len(word) <= 5 and not (len(word) >= 4 and _known(lower)):
        return spell(word)
    if not word.islower() and not word.isupper() and word[1:] != word[1:].lower():
        parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z']+", word)
        if len(parts) > 1:
            return "".join(_word(part) for part in parts)
    return (
        _known(lower) or _inflected(lower) or _compound(lower) or (spell(lower) if _is_mute(lower) else by_rules(lower))
    )


def certainty(word: str) -> str:
    """How a word comes to its symbols: ``known`` (from the lexicon, or built from words of it), ``spelled letter by
    letter``, or ``guessed from its letters``."""
    word = _fold(word)
    lower = word.lower()
    stem = lower.removesuffix("'s")
    if not word or _known(word):
        return "known"
    if word.isupper() and 2 <= len(word) <= 5 and not (len(word) >= 4 and _known(lower)):
        return _SPELLED
    if not word.islower() and not word.isupper() and word[1:] != word[1:].lower():
        parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z']+", word)
        if len(parts) > 1:
            return next((how for part in parts if (how := certainty(part)) != "known"), "known")
    if _known(stem) or _inflected(stem) or _compound(stem):
        return "known"
    return _SPELLED if _is_mute(stem) else _GUESSED


_SPELLED, _GUESSED = "spelled letter by letter", "guessed from its letters"


def _known(word: str) -> str:
    entries = lexicon()
    if len(word) == 1:
        return entries.get(word.upper(), "")
    return entries.get(word) or entries.get(word.lower()) or entries.get(word.capitalize()) or ""


def _is_mute(word: str) -> bool:
    """No vowel letter: nobody can say it as a word."""
    return not re.search(r"[aeiouy]", word)


def spell(word: str) -> str:
    """Letter names, the last one stressed (``A P I`` -> ``ˌApˌiˈI``)."""
    names = [lexicon().get(letter.upper(), "") for letter in word if letter.lower() in _LETTERS]
    said = [name.replace("ˈ", "ˌ") for name in names[:-1]] + names[-1:]
    return "".join(said)


def _inflected(word: str) -> str:
    """Possessives, plurals, past tenses, participles, comparatives, adverbs of known words."""
    if word.endswith("'s"):
        stem = _known(word[:-2]) or _inflected(word[:-2]) or by_rules(word[:-2])
        return plural(stem)
    for ending, replaced, join in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            root = word[: -len(ending)]
            candidates = [root + replaced] if replaced is not None else [root, root + "e"]
            if replaced is None and len(root) > 2 and root[-1] == root[-2]:
                candidates.insert(0, root[:-1])
            for candidate in candidates:
                stem = _known(candidate) if len(candidate) > 2 else ""
                if stem:
                    return join(stem)
    for prefix, said in _PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= 4:
            stem = _known(word[len(prefix) :])
            if stem:
                return said + stem
    return ""


def plural(stem: str) -> str:
    """The sound of -s after ``stem``: s after voiceless, ᵻz after sibilants, else z."""
    if stem[-1:] in tuple("ptkfθ"):
        return stem + "s"
    return stem + ("ᵻz" if stem[-1:] in tuple("szʃʒʧʤ") else "z")


def past(stem: str) -> str:
    """The sound of -ed after ``stem``."""
    if stem[-1:] == "t" and stem[-2:-1] in VOWELS:
        return stem[:-1] + "ɾᵻd"
    if stem[-1:] in tuple("td"):
        return stem + "ᵻd"
    return stem + ("t" if stem[-1:] in tuple("pkfθʃsʧ") else "d")


def _flapped(stem: str) -> str:
    return stem[:-1] + "ɾ" if stem[-1:] == "t" and stem[-2:-1] in VOWELS else stem


_ENDINGS = (
    ("ies", "y", plural),
    ("es", "", plural),
    ("s", "", plural),
    ("ied", "y", past),
    ("ed", None, past),
    ("ing", None, lambda stem: _flapped(stem) + "ɪŋ"),
    ("ier", "y", lambda stem: stem + "əɹ"),
    ("iest", "y", lambda stem: stem + "ᵻst"),
    ("er", None, lambda stem: _flapped(stem) + "əɹ"),
    ("est", None, lambda stem: _flapped(stem) + "ᵻst"),
    ("ily", "y", lambda stem: stem + "li"),
    ("ly", "", lambda stem: stem + "li"),
    ("ness", "", lambda stem: stem + "nəs"),
    ("less", "", lambda stem: stem + "ləs"),
    ("ful", "", lambda stem: stem + "fəl"),
    ("ment", "", lambda stem: stem + "mənt"),
    ("able", None, lambda stem: stem + "əbᵊl"),
    ("ish", None, lambda stem: stem + "ɪʃ"),
    ("y", None, lambda stem: stem + "i"),
)
_PREFIXES = (
    ("un", "ʌn"), ("re", "ɹi"), ("non", "nɑn"), ("over", "Ovəɹ"), ("under", "ʌndəɹ"), ("mis", "mɪs"), ("dis", "dɪs"),
    ("pre", "pɹi"), ("anti", "ænti"), ("super", "supəɹ"), ("inter", "ɪntəɹ"), ("micro", "mIkɹO"), ("multi", "mʌlti"),
)  # fmt: skip


def _compound(word: str) -> str:
    """Two known words of at least three letters each, the longest first part first."""
    for cut in range(len(word) - 3, 2, -1):
        first, second = _known(word[:cut]), _known(word[cut:])
        if first and second:
            return first + second.replace("ˈ", "ˌ")
    return ""


def number_words(digits: str) -> str:
    """A number left in figures, as English words (``1,024`` -> one thousand twenty four; ``3.5`` -> three point five)."""
    whole, _, fraction = digits.replace(",", "").partition(".")
    if len(whole) > 15 or (len(whole) > 1 and whole[0] == "0"):
        said = " ".join(BELOW_TWENTY[int(digit)] for digit in whole)
    else:
        said = _count(int(whole or 0))
    return said + (" point " + " ".join(BELOW_TWENTY[int(digit)] for digit in fraction) if fraction else "")


def _count(value: int) -> str:
    if value < 20:
        return BELOW_TWENTY[value]
    if value < 100:
        return TENS[value // 10] + (f" {BELOW_TWENTY[value % 10]}" if value % 10 else "")
    for size, name in (
        (10**12, "trillion"),
        (10**9, "billion"),
        (10**6, "million"),
        (1000, "thousand"),
        (100, "hundred"),
    ):
        if value >= size:
            rest = value % size
            return f"{_count(value // size)} {name}" + (f" {_count(rest)}" if rest else "")
    raise AssertionError(value)
