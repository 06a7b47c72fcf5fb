"""Characters of an English text whom nobody listed: the twin of ``found_names``.

Contract: ``find_people_en`` reads names from speech tags and joins the forms of one person (Amos, Amos Bell) where only one
fits; the commonest form is the name, or the cast's own. Gender comes from the pronouns that follow.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from tasks.script.person_words import guess_gender

_SHE = re.compile(r"[^.!?“”\"]{0,60}?\b(?P<p>he|she|his|her|himself|herself)\b")
_PRONOUNS = frozenset(["he", "she", "i", "it", "we", "they", "you"])
_TITLE = re.compile(r"^(?:Mr|Mrs|Ms|Miss|Dr|Sir|Lady|Lord|Captain|Aunt|Uncle)\b")


def find_people_en(text: str, known: Mapping[str, str]) -> list[tuple[str, tuple[str, ...], str, tuple[str, ...]]]:
    """(name, aliases, gender, evidence) of each person. ``known``: the forms of the cast with the names they stand for; of
    these people only further aliases and a gender are told."""
    from tasks.script.tags_en import LEARN

    counts: Counter[str] = Counter()
    for match in LEARN.finditer(text):
        word = match["n"] or match["n2"]
        if word and word not in known and word.lower() not in _PRONOUNS:
            counts[word] += 1
    forms = list(counts)
    full = [form for form in dict.fromkeys([*known, *forms]) if " " in form and not _TITLE.match(form)]
    joined: dict[str, list[str]] = {}
    owner: dict[str, str] = dict(known)
    for form in sorted(forms, key=lambda one: -text.count(one)):
        if form in owner:
            continue
        group = [form]
        if " " not in form:
            longer = [one for one in full if form in one.split()]
            if len(longer) == 1:
                group.append(longer[0])
        elif not _TITLE.match(form):
            shorter = [one for one in known if " " not in one and one in form.split()]
            if len({known[one] for one in shorter}) == 1:
                group.append(shorter[0])
        name = next((owner[one] for one in group if one in owner), form)
        for one in group:
            if one not in owner:
                owner[one] = name
                joined.setdefault(name, []).append(one)
    out = []
    for name, group in joined.items():
        gender, why = _gender(text, list(dict.fromkeys([name, *group])))
        aliases = tuple(one for one in group if one != name)
        evidence = (*(f"{one}: the only {name} of the text" for one in aliases), *((why,) if why else ()))
        out.append((name, aliases, gender, evidence))
    return out


def _gender(text: str, forms: list[str]) -> tuple[str, str]:
    votes: Counter[str] = Counter()
    for form in forms:
        for place in re.finditer(rf"\b{re.escape(form)}\b", text):
            if match := _SHE.match(text, place.end()):
                votes["male" if match["p"] in ("he", "his", "himself") else "female"] += 1
    total = sum(votes.values())
    if total >= 2:
        gender, times = votes.most_common(1)[0]
        if times >= 0.75 * total:
            return gender, f"{times} of {total} pronouns that follow are {gender}"
    gender = guess_gender(forms[0])
    return gender, f"{forms[0]} sounds {gender}" if gender else ""
