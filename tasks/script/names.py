"""Who can be meant by the words of a text: names, aliases, pronouns, and what they tell of gender.

Contract: ``Names`` is built from a cast and the text of a book (or chapter). It finds mentions in order of place and
gives each its canonical name (``他`` and ``she`` stay pronouns; ``attribute`` resolves them). Names the cast does not
know are learnt from speech tags (杜衡说道) and kept only where the text bears them out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tasks.domain import Cast, Role
from tasks.script.found_names import find_people
from tasks.script.found_names_en import find_people_en
from tasks.script.person_words import (
    HONORIFICS,
    KIN,
    PEOPLE_EN,
    TITLE_SURNAMES,
    TITLES,
    guess_gender,
)

PRONOUNS = {"他": "male", "她": "female", "它": "", "我": "", "he": "male", "she": "female", "i": ""}
_HIS = re.compile(rf"(?:的)?(?:[大小老]|[二三四五六])?(?P<kin>{KIN})(?!妹们|们)")
"""Behind a pronoun: 他哥, 她的丈夫."""
_THEIR = re.compile(rf"[他她](?:[大小老]|[二三四五六])?(?:{KIN})|(?:妈妈?|娘|爸爸?|爹|媳妇|老婆)(?!妹)")
"""Behind a name: 林晓她妈, 林晓妈."""
_THAT = re.compile(r"^[那这](?:个|位|名)?(?=[\u4e00-\u9fff])")
_REMEMBERED_TEXTS = 4096  # the same clauses are looked at again and again, but never long after
_CROWDS = frozenset(["众人", "大家"])


@dataclass(frozen=True, slots=True)
class Mention:
    """A name or pronoun at ``[start, end)``; ``name`` is canonical, or the pronoun in lower case."""

    start: int
    end: int
    name: str
    pronoun: bool


class Names:
    """The names of a text. ``language`` is that of the text."""

    def __init__(self, cast: Cast, text: str, language: str) -> None:
        self._language = language
        self._canonical: dict[str, str] = {}
        self._gender: dict[str, str] = {}
        self.evidence: dict[str, tuple[str, ...]] = {}
        """Of people found in the text: why a form is theirs, what their gender rests on."""
        for role in cast.characters:
            self._add_role(role)
        self.cast_names = frozenset(role.name for role in cast.characters)
        if language == "en":
            self._learn_en(text)
        else:
            self._learn_zh(text)
        self._pattern = self._compile()
        self._seen: dict[str, list[Mention]] = {}

    def gender(self, name: str) -> str:
        """``male``, ``female`` or empty."""
        if name not in self._gender:
            self._gender[name] = guess_gender(name)
        return self._gender[name]

    def note_gender(self, name: str, gender: str) -> None:
        """Remember what a pronoun said of a name whose gender nobody knew."""
        if gender and not self.gender(name):
            self._gender[name] = gender

    def canonical(self, written: str) -> str:
        """The canonical name of an alias, or the words themselves."""
        return self._canonical.get(written, written)

    def known(self) -> list[str]:
        """The canonical names, those of the cast first; titles that any text may use (老板) are not among them."""
        return distinct(self._canonical.values())

    def known_name(self, name: str) -> bool:
        """Whether ``name`` is somebody's name and no word that fits anybody (老板)."""
        return name in self._canonical

    def mentions(self, text: str) -> list[Mention]:
        """Names and pronouns in ``text``, in order."""
        found = self._seen.get(text)
        if found is None:
            if len(self._seen) >= _REMEMBERED_TEXTS:
                self._seen.clear()
            found = self._seen[text] = self._find(text)
        return list(found)

    def _find(self, text: str) -> list[Mention]:
        found: list[Mention] = []
        zh = self._language != "en"
        for match in self._pattern.finditer(text):
            word = match.group()
            lower = word.lower()
            start, end = match.span()
            if found and found[-1].end > start:
                continue  # 少安他妈: within the words of the one before
            if word.startswith("The "):
                word = lower
            if lower in PRONOUNS and word not in self._canonical:
                if zh and (relative := _HIS.match(text, end)):
                    found.append(Mention(start, relative.end(), relative["kin"], False))
                else:
                    found.append(Mention(start, end, lower, True))
            elif zh and word in self._canonical and (relative := _THEIR.match(text, end)):
                found.append(Mention(start, relative.end(), text[start : relative.end()], False))
            else:
                found.append(Mention(start, end, self.canonical(_THAT.sub("", word)), False))
        if not zh:
            return found
        # 司机金俊海: the title only says what he is.
        return [
            one for at, one in enumerate(found)
            if one.pronoun or one.name in self._canonical or at + 1 == len(found)
            or found[at + 1].start != one.end or found[at + 1].name not in self._canonical
        ]  # fmt: skip

    def _add_role(self, role: Role) -> None:
        for word in (role.name, *role.aliases):
            if word:
                self._canonical.setdefault(word, role.name)
        if role.gender:
            self._gender[role.name] = {"m": "male", "f": "female"}.get(role.gender[:1].lower(), role.gender)

    def _learn_zh(self, text: str) -> None:
        found = find_people(text, self._canonical, self._gender)
        for name, person in found.items():
            self._canonical.setdefault(name, name)
            for alias in person.aliases:
                self._canonical.setdefault(alias, name)
            self.note_gender(name, person.gender)
            self.evidence[name] = person.evidence

    def _learn_en(self, text: str) -> None:
        for name, aliases, gender, why in find_people_en(text, self._canonical):
            for form in (name, *aliases):
                self._canonical.setdefault(form, name)
            self.note_gender(name, gender)
            if why:
                self.evidence[name] = why

    def _compile(self) -> re.Pattern[str]:
        words = sorted(self._canonical, key=len, reverse=True)
        if self._language == "en":
            listed = "|".join([*(re.escape(w) for w in words), PEOPLE_EN, "[Hh]e", "[Ss]he", "I"])
            return re.compile(rf"\b(?:{listed})\b(?!['’]s\b)")
        listed = "|".join(
            [*(re.escape(w) for w in words), _nouns(), "他(?!们|人|妈|日|乡)", "她(?!们)", "(?<!自)我(?!们)"]
        )
        heads = {word[0] for word in (*words, *TITLES.split("|"), *TITLE_SURNAMES, *"那这小老他她我")}
        return re.compile(f"(?=[{re.escape(''.join(sorted(heads)))}])(?:{listed})")  # most places begin nothing


def _nouns() -> str:
    common = rf"(?:(?:那|这|小|老)(?:个|位|名)?)?(?:{TITLES})(?!们)"
    return rf"(?:[{TITLE_SURNAMES}](?:{HONORIFICS}))(?!们)|{common}"


def compatible(name: str, gender: str, pronoun: str) -> bool:
    """Whether ``name``, a person of ``gender``, may be called ``pronoun``."""
    if name in _CROWDS:
        return False
    wanted = PRONOUNS.get(pronoun, "")
    return not wanted or not gender or gender == wanted


def distinct(names: Iterable[str]) -> list[str]:
    """The names in order, each once."""
    return list(dict.fromkeys(names))
