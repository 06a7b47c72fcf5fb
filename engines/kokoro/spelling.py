"""Letter-to-sound rules for English words that no lexicon holds: names, coinages, foreign words.

Contract: ``by_rules(word)`` gives symbols of the model for any word of Latin letters, never an empty string and never a
letter that was not understood. The rules go from left to right; at each place the first that fits is taken. A rule is
letters, what must stand before and after (regular expressions), and symbols. Stress falls on the first syllable of
words of up to two syllables, else on the last but two, which is right more often than any other simple choice.
"""

from __future__ import annotations

import re
from functools import lru_cache

VOWEL_SYMBOLS = "AIOQWYaiuæɑɔəɛɜɪʊʌᵻ"

_RULES: tuple[tuple[str, str, str, str], ...] = (
    # letters, before, after, symbols
    ("augh", "", "t", "ɔ"), ("ough", "", "t", "ɔ"), ("ough", "", "", "O"), ("eigh", "", "", "A"), ("igh", "", "", "I"),
    ("tion", ".", "", "ʃən"), ("sion", "[aeiou]", "", "ʒən"), ("sion", ".", "", "ʃən"), ("cious", ".", "", "ʃəs"),
    ("tious", ".", "", "ʃəs"), ("cial", ".", "", "ʃəl"), ("tial", ".", "", "ʃəl"), ("ture", ".", "", "ʧəɹ"),
    ("tch", "", "", "ʧ"), ("sch", "^", "", "ʃ"), ("sch", "", "", "sk"), ("dge", "", "", "ʤ"), ("ch", "", "[rl]", "k"),
    ("ch", "", "", "ʧ"), ("sh", "", "", "ʃ"), ("ph", "", "", "f"), ("th", "", "", "θ"), ("wh", "^", "", "w"),
    ("zh", "", "", "ʒ"), ("kh", "", "", "k"), ("gh", "^", "", "ɡ"), ("gh", "", "", ""), ("kn", "^", "", "n"),
    ("gn", "^", "", "n"), ("wr", "^", "", "ɹ"), ("ps", "^", "", "s"), ("pn", "^", "", "n"), ("mb", "", "$", "m"),
    ("ck", "", "", "k"), ("qu", "", "", "kw"), ("que", ".", "$", "k"), ("ng", "", "$", "ŋ"), ("ng", "", "[^aeiouy]", "ŋ"),
    ("nk", "", "", "ŋk"), ("sc", "", "[eiy]", "s"), ("cc", "", "[eiy]", "ks"), ("x", "^", "", "z"), ("x", "", "", "ks"),
    ("ee", "", "", "i"), ("ea", "", "r", "ɪ"), ("ea", "", "", "i"), ("eau", "", "", "O"), ("eu", "", "", "ju"),
    ("ew", "", "", "u"), ("ei", "", "", "A"), ("ey", ".", "$", "i"), ("ey", "", "", "A"), ("ie", ".", "$", "i"),
    ("ie", "", "", "i"), ("oo", "", "k", "ʊ"), ("oo", "", "", "u"), ("oa", "", "", "O"), ("oi", "", "", "Y"),
    ("oy", "", "", "Y"), ("ou", "", "", "W"), ("ow", "", "$", "O"), ("ow", "", "", "W"), ("ai", "", "", "A"),
    ("ay", "", "", "A"), ("au", "", "", "ɔ"), ("aw", "", "", "ɔ"), ("ui", "", "", "u"), ("ue", ".", "$", "u"),
    ("air", "", "", "ɛɹ"), ("are", ".", "$", "ɛɹ"), ("ar", "", "", "ɑɹ"), ("er", ".", "$", "əɹ"), ("er", "", "", "ɜɹ"),
    ("ir", "", "", "ɜɹ"), ("ur", "", "", "ɜɹ"), ("or", ".", "$", "əɹ"), ("or", "", "", "ɔɹ"),
    ("a", "", "[bcdfgklmnpqstvz]e$", "A"), ("e", "", "[bcdfgklmnpqstvz]e$", "i"), ("i", "", "[bcdfgklmnpqstvz]e$", "I"),
    ("o", "", "[bcdfgklmnpqstvz]e$", "O"), ("u", "", "[bcdfgklmnpqstvz]e$", "u"), ("a", ".", "$", "ə"), ("e", "..", "$", ""),
    ("e", "", "$", "i"), ("i", "", "$", "i"), ("o", "", "$", "O"), ("u", "", "$", "u"), ("y", "..", "$", "i"),
    ("y", "^[^aeiou]+", "$", "I"), ("y", "^", "[aeiou]", "j"), ("y", "[aeiou]", "[aeiou]", "j"), ("y", "", "", "ɪ"),
    ("es", ".[sxz]|[cs]h", "$", "ᵻz"), ("ed", "[td]", "$", "ᵻd"),
    ("a", "", "", "æ"), ("e", "", "", "ɛ"), ("i", "", "[aou]", "i"), ("i", "", "", "ɪ"), ("o", "", "", "ɑ"), ("u", "[bfhjmp]", "[^aeiou][aeiou]", "u"),
    ("u", "", "", "ʌ"),
    ("c", "", "[eiy]", "s"), ("c", "", "", "k"), ("g", "^", "e", "ɡ"), ("g", "", "[eiy]", "ʤ"), ("g", "", "", "ɡ"),
    ("s", "[aeiou]", "[aeiou]", "z"), ("s", "[bdglmnrvw]", "$", "z"), ("s", "", "", "s"), ("j", "", "", "ʤ"), ("r", "", "", "ɹ"),
    ("b", "", "", "b"), ("d", "", "", "d"), ("f", "", "", "f"), ("h", "", "$", ""), ("h", "", "", "h"), ("k", "", "", "k"), ("l", "", "", "l"),
    ("m", "", "", "m"), ("n", "", "", "n"), ("p", "", "", "p"), ("q", "", "", "k"), ("t", "", "", "t"), ("v", "", "", "v"),
    ("w", "", "", "w"), ("z", "", "", "z"),
)  # fmt: skip


@lru_cache(maxsize=1)
def _compiled() -> tuple[tuple[str, re.Pattern[str] | None, re.Pattern[str] | None, str], ...]:
    return tuple(
        (
            letters,
            re.compile(f"(?:{before})$") if before not in ("", "^") else (re.compile(r"^$") if before else None),
            re.compile(after) if after else None,
            symbols,
        )
        for letters, before, after, symbols in _RULES
    )


@lru_cache(maxsize=4096)
def by_rules(word: str) -> str:
    """Symbols for ``word`` (Latin letters and apostrophes, any case); a vowel is put in where there is none."""
    letters = re.sub(r"[^a-z]", "", word.lower())
    letters = re.sub(r"([bcdfghjklmnpqrstvwxz])\1+", r"\1", letters)
    said, place = [], 0
    while place < len(letters):
        for spelled, before, after, symbols in _compiled():
            if not letters.startswith(spelled, place):
                continue
            if before is not None and not before.search(letters[:place]):
                continue
            if after is not None and not after.match(letters[place + len(spelled) :]):
                continue
            said.append(symbols)
            place += len(spelled)
            break
        else:
            place += 1
    phones = "".join(said)
    if not any(symbol in VOWEL_SYMBOLS for symbol in phones):
        phones += "ə"
    return stressed(phones)


def stressed(phones: str) -> str:
    """``phones`` with a primary stress mark before the vowel that bears it."""
    places = [place for place, symbol in enumerate(phones) if symbol in VOWEL_SYMBOLS]
    full = [place for place in places if phones[place] not in "əᵻ"] or places
    chosen = places[0] if len(places) <= 2 else places[-3]
    if chosen not in full:
        chosen = full[0]
    return phones[:chosen] + "ˈ" + phones[chosen:]
