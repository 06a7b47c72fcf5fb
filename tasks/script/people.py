"""The people of a book: who is in it, what they are called, how often, and of what gender.

Contract: ``propose`` finds the characters of a manuscript, those of the cast first and then the others by how often they
are mentioned. It would rather miss a name than take a verb or a place for one. It reads no file and keeps no state.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tasks.domain import Cast
from tasks.script.names import Names


@dataclass(frozen=True, slots=True)
class Person:
    """A character. ``aliases``: other forms that mean the same person, the commonest first. ``gender`` is ``male``,
    ``female`` or empty where nothing tells. ``mentions`` counts all forms, pronouns not included. ``in_cast``: the cast
    has this person. ``evidence`` says in short words why a form belongs to the person or what the gender rests on."""

    name: str
    aliases: tuple[str, ...] = ()
    gender: str = ""
    mentions: int = 0
    in_cast: bool = False
    evidence: tuple[str, ...] = ()


def propose(text: str, cast: Cast, language: str = "zh") -> list[Person]:
    """The characters of ``text`` (a whole manuscript) in ``language`` (``zh`` or ``en``)."""
    names = Names(cast, text, language)
    counts: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = {}
    for mention in names.mentions(text):
        if not mention.pronoun:
            counts[mention.name] += 1
            forms.setdefault(mention.name, Counter())[text[mention.start : mention.end]] += 1
    known = names.known()
    people = [
        Person(
            name, tuple(form for form, _ in forms[name].most_common() if form != name), names.gender(name), counts[name],
            name in names.cast_names, names.evidence.get(name, ()),
        )
        for name in known if counts[name]
    ]  # fmt: skip
    return sorted(people, key=lambda one: (not one.in_cast, -one.mentions, one.name))
