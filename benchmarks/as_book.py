"""Lays out texts that come one sentence a line as a book would: for ``benchmarks/train_speakers.py``.

Contract: ``as_book`` joins sentences to paragraphs by the customs of print: what introduces a quotation and what its
speaker does right after stand in its paragraph, somebody else's doings begin a new one. It needs to know who speaks, so it
can make training texts only. ``random`` decides where custom leaves a choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tasks.script import tags_zh
from tasks.script.names import PRONOUNS, Names
from tasks.script.quotes import find

_INTRODUCED = 0.9
_OWN_DEED = 0.9
_MORE_DEEDS = 0.4
_TOLD_ON = 0.6


def as_book(
    sentences: Sequence[str], speakers: Sequence[set[str]], names: Names, random: Random
) -> tuple[list[str], list[list[int]]]:
    """The paragraphs, and for each the numbers of its sentences. ``speakers``: who may speak a sentence (empty: unknown)."""
    quotes = find(sentences)
    parts: list[list[int]] = []
    for at, sentence in enumerate(sentences):
        spoken = any(quote.speech for quote in quotes[at])
        join = False
        if at and spoken and not sentence.startswith("”"):
            before = sentences[at - 1].rstrip()
            goes_on = any(quote.continued for quote in quotes[at])
            join = goes_on or (not quotes[at - 1] and before[-1:] in "：:，," and random.random() < _INTRODUCED)
        elif at:
            join = _told_on(at, sentences, quotes, speakers, names, random, bool(quotes[parts[-1][0]]))
        if join:
            parts[-1].append(at)
        else:
            parts.append([at])
    return ["".join(sentences[at] for at in part) for part in parts], parts


def _told_on(
    at: int, sentences: Sequence[str], quotes: Sequence[Sequence[object]], speakers: Sequence[set[str]], names: Names,
    random: Random, after_speech: bool,
) -> bool:  # fmt: skip
    sentence = sentences[at].rstrip()
    who = tags_zh.subject(sentence, names)
    introduces = sentence[-1:] in "：:"
    if not quotes[at - 1]:
        return not introduces and random.random() < (_MORE_DEEDS if after_speech else _TOLD_ON)
    if introduces:
        return False
    said = speakers[at - 1]
    if not said:
        own = who is not None and tags_zh.VERB.search(sentence) is not None
    elif who is None:
        own = random.random() < _MORE_DEEDS
    elif who.pronoun:
        own = any(names.gender(one) == PRONOUNS.get(who.name, "") for one in said)
    else:
        own = who.name in said
    return own and random.random() < _OWN_DEED
