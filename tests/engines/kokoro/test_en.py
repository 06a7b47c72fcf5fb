from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.kokoro import en, front, spelling


@pytest.mark.parametrize(
    ("word", "following", "symbols"),
    [("the", "k", "ðə"), ("the", "ˈæpᵊl", "ði"), ("a", "k", "ɐ"), ("an", "ˈɛ", "ɐn"), ("to", "k", "tə"), ("to", "ˈit", "tʊ"),
     ("to", None, "tu"), ("of", "k", "ʌv"), ("I", "k", "ˌI"), ("Hello", "k", "həlˈO"), ("HELLO", "k", "həlˈO"),
     ("API", "k", "ˌApˌiˈI"), ("don't", "k", "dˈOnt"), ("don’t", "k", "dˈOnt"), ("café", "k", "kæfˈA")],
)  # fmt: skip
def test_words(word: str, following: str | None, symbols: str) -> None:
    assert en.phones_of(word, following) == symbols


@pytest.mark.parametrize(
    ("word", "ending"),
    [
        ("blorgs", "z"),
        ("googled", "d"),
        ("vlogging", "ɪŋ"),
        ("James's", "ᵻz"),
        ("unhappier", "əɹ"),
        ("lighthouses", "z"),
    ],
)
def test_inflected_forms_end_as_they_should(word: str, ending: str) -> None:
    assert en.phones_of(word, "k").endswith(ending)


def test_default_reading_where_the_part_of_speech_decides() -> None:
    assert en.phones_of("read", "k") == "ɹˈid"
    assert en.phones_of("minute", "k") == "mˈɪnət"


def test_arpabet_maps_to_the_same_symbols() -> None:
    assert en.from_arpabet("M IH1 N AH0 T") == "mˈɪnət"
    assert en.from_arpabet("HH AH0 L OW1") == "həlˈO"
    assert en.from_arpabet("R EH1 D") == "ɹˈɛd"
    assert en.from_arpabet("XX") == ""


@pytest.mark.parametrize(
    ("figures", "words"),
    [("0", "zero"), ("21", "twenty one"), ("1,024", "one thousand twenty four"), ("3.05", "three point zero five"),
     ("007", "zero zero seven"), ("2000000", "two million"), ("100", "one hundred")],
)  # fmt: skip
def test_figures_left_by_normalization(figures: str, words: str) -> None:
    assert en.number_words(figures) == words


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZéüß'", min_size=1, max_size=20))
def test_any_word_becomes_symbols_of_the_model_and_never_raw_letters(word: str) -> None:
    said = en.phones_of(word, "k")
    assert set(said) <= set(front.vocabulary())
    if any(char.isalpha() for char in word):
        assert said


def test_unknown_names_are_said_by_rules_with_one_stress() -> None:
    said = spelling.by_rules("Blorfton")
    assert said.count("ˈ") == 1
    assert spelling.by_rules("xzq")


@pytest.mark.parametrize(
    ("word", "how"),
    [("walking", "known"), ("don't", "known"), ("café", "known"), ("NASA", "known"), ("GPU", "spelled letter by letter"),
     ("grrr", "spelled letter by letter"), ("Siobhan", "guessed from its letters"), ("Siobhan's", "guessed from its letters")],
)  # fmt: skip
def test_words_that_are_not_known_are_told_apart(word: str, how: str) -> None:
    assert en.certainty(word) == how
