"""Who speaks: rules from the surest to the weakest, over one chapter.

Contract: ``attribute`` gives every spoken quotation a speaker, a gender (of the speaker, or guessed), the rule that
decided and a confidence from 0 to 1 (how often the rule is right, roughly). A quotation nobody can be found for is
``domain.UNKNOWN``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import ModuleType

from tasks.domain import UNKNOWN
from tasks.script import tags_en, tags_zh
from tasks.script.names import PRONOUNS, Mention, Names, compatible, distinct
from tasks.script.quotes import Quote


@dataclass(frozen=True, slots=True)
class Attribution:
    """``introduction`` is the tag's own words, for the style."""

    speaker: str
    gender: str
    rule: str
    confidence: float
    introduction: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    """One spoken quotation and what stands around it; ``told``: all narration of its paragraph before it."""

    paragraph: int
    words: str
    told: str
    before: str
    after: str
    first: bool
    last: bool
    continued: bool


_NEAR_PARAGRAPHS = 3
_HISTORY_CHARS = 400


def attribute(
    paragraphs: Sequence[str], quotes: Sequence[Sequence[Quote]], names: Names, language: str = "zh"
) -> list[list[Attribution | None]]:
    """For each paragraph and each of its quotations who says it; ``None`` for those that are no speech."""
    walker = _Walker(paragraphs, quotes, names, tags_en if language == "en" else tags_zh)
    return walker.walk()


class _Walker:
    def __init__(
        self, paragraphs: Sequence[str], quotes: Sequence[Sequence[Quote]], names: Names, tags: ModuleType
    ) -> None:
        self._paragraphs = paragraphs
        self._quotes = quotes
        self._names = names
        self._tags = tags
        self._turns: list[tuple[int, str]] = []
        """Who spoke, by paragraph, latest last; one entry a paragraph and speaker."""
        self._spoken_to = ""
        self._narration = [self._told(index) for index in range(len(paragraphs))]

    def walk(self) -> list[list[Attribution | None]]:
        out: list[list[Attribution | None]] = []
        for index in range(len(self._paragraphs)):
            places = self._places(index)
            row: list[Attribution | None] = [None] * len(self._quotes[index])
            explicit = {at: self._explicit(place) for at, place in places}
            previous: Attribution | None = None
            for order, (at, place) in enumerate(places):
                found = explicit[at]
                if (
                    previous is not None
                    and found is not None
                    and found.rule.endswith("-pronoun")
                    and place.told.strip()
                ):
                    found = self._same_person(previous, found)
                if found is None and place.continued and self._turns:
                    found = self._made(self._turns[-1][1], "continued", 0.95)
                if found is None and previous is not None:
                    found = replace(
                        previous, rule="same-paragraph", confidence=previous.confidence * 0.95, introduction=""
                    )
                if found is None:
                    later = [explicit[other] for other, _ in places[order + 1 :]]
                    named = next((one for one in later if one is not None), None)
                    found = replace(named, rule="same-paragraph", confidence=0.9) if named else self._implicit(place)
                row[at] = previous = found
                self._note(index, found, place)
            out.append(row)
        return out

    # -------------------------------------------------------------- what stands around a quotation

    def _told(self, index: int) -> str:
        """The paragraph without its spoken quotations."""
        text, at, parts = self._paragraphs[index], 0, []
        for quote in self._quotes[index]:
            if quote.speech:
                parts.append(text[at : quote.start])
                at = quote.end
        return "".join([*parts, text[at:]])

    def _places(self, index: int) -> list[tuple[int, _Place]]:
        text = self._paragraphs[index]
        spoken = [(at, quote) for at, quote in enumerate(self._quotes[index]) if quote.speech]
        out = []
        told = ""
        for order, (at, quote) in enumerate(spoken):
            low = spoken[order - 1][1].end if order else 0
            high = spoken[order + 1][1].start if order + 1 < len(spoken) else len(text)
            told += text[low : quote.start]
            out.append((at, _Place(
                index, text[quote.start : quote.end], told, text[low : quote.start].strip(), text[quote.end : high].strip(),
                order == 0, order + 1 == len(spoken), quote.continued,
            )))  # fmt: skip
        return out

    # -------------------------------------------------------------- rules

    def _explicit(self, place: _Place) -> Attribution | None:
        before = place.before
        if not before and place.first and place.paragraph:
            above = self._paragraphs[place.paragraph - 1].rstrip()
            if above[-1:] in "：:" or (above[-1:] in "，," and self._tags.VERB.search(above[-12:])):
                before = self._narration[place.paragraph - 1].strip()
        tag = self._tags.before_tag(before, self._names) if before else None
        if tag and tag[0] is not None and tag[2]:
            return self._named(tag[0], place, "tag-before", 0.95, tag[1])
        behind = self._tags.after_tag(place.after, self._names, not place.last)
        if behind:
            return self._named(behind[0], place, "tag-after", 0.95, behind[1])
        if tag and tag[0] is not None:
            return self._named(tag[0], place, "tag-before", 0.85, tag[1])
        return None

    def _implicit(self, place: _Place) -> Attribution:
        called = self._called(place)
        if place.before and (who := self._tags.acting(place.before, self._names, True)):
            return self._named(who, place, "acts-before", 0.75)
        if place.after and (who := self._tags.acting(place.after, self._names, False)):
            return self._named(who, place, "acts-after", 0.75)
        above = place.paragraph - 1
        narrated = above >= 0 and not any(quote.speech for quote in self._quotes[above])
        if narrated and (who := self._tags.acting(self._narration[above], self._names, True)):
            found = self._named(who, place, "acts-above", 0.55)
            if found.speaker not in called and found.speaker != UNKNOWN:
                return found
        recent = self._recent(place.paragraph)
        if recent:
            last = recent[0]
            others = [name for name in recent[1:] if name not in called]
            if others:
                return self._made(others[0], "alternation", 0.7)
            if self._spoken_to and self._spoken_to not in (last, *called):
                return self._made(self._spoken_to, "spoken-to", 0.6)
            near = [n for n in self._nearby(place.paragraph) if n != last and n not in called]
            if near:
                return self._made(near[0], "nearby", 0.45)
        near = [n for n in self._nearby(place.paragraph) if n not in called]
        if near and not recent:
            return self._made(near[0], "nearby", 0.4)
        return Attribution(UNKNOWN, "", "none", 0.0)

    # -------------------------------------------------------------- people

    def _named(self, who: Mention, place: _Place, rule: str, confidence: float, words: str = "") -> Attribution:
        if not who.pronoun:
            return self._made(who.name, rule, confidence, words)
        if who.name in ("我", "i"):
            return Attribution(self._names.canonical("我" if who.name == "我" else "I"), "", rule, confidence, words)
        name = self._antecedent(who.name, place)
        gender = PRONOUNS[who.name]
        if not name:
            return Attribution(UNKNOWN, gender, f"{rule}-pronoun", confidence * 0.5, words)
        self._names.note_gender(name, gender)
        return Attribution(name, gender, f"{rule}-pronoun", confidence * 0.85, words)

    def _same_person(self, previous: Attribution, found: Attribution) -> Attribution:
        """“…，” she said, “…”: a pronoun within a paragraph is the one who has just spoken there."""
        if previous.speaker == UNKNOWN or (previous.gender and found.gender and previous.gender != found.gender):
            return found
        self._names.note_gender(previous.speaker, found.gender)
        return replace(found, speaker=previous.speaker)

    def _made(self, name: str, rule: str, confidence: float, words: str = "") -> Attribution:
        return Attribution(name, self._names.gender(name), rule, confidence, words)

    def _antecedent(self, pronoun: str, place: _Place) -> str:
        called = self._called(place)
        candidates = [
            name for name in self._nearby(place.paragraph, place.told) if compatible(self._names.gender(name), pronoun)
        ]
        recent = self._recent(place.paragraph)
        known = [name for name in candidates if name not in called]
        last = recent[0] if recent else ""
        # In an exchange the one who has just spoken is seldom the next "he".
        if last and place.first and known and known[0] == last:
            other = [n for n in known[1:] if n in recent]
            if other:
                return other[0]
        if known:
            return known[0]
        fitting = [n for n in recent if compatible(self._names.gender(n), pronoun) and n not in called]
        return fitting[0] if fitting else ""

    def _nearby(self, paragraph: int, before: str = "") -> list[str]:
        """Names told of before a place, the latest first; subjects of sentences come before objects."""
        subjects: list[str] = []
        others: list[str] = []
        budget = _HISTORY_CHARS
        texts = [before] if before else []
        index = paragraph - 1
        while index >= 0 and budget > 0:
            texts.append(self._narration[index])
            budget -= len(self._paragraphs[index])
            index -= 1
        for text in texts:
            for sentence in reversed(self._tags.sentences(text)):
                who = self._tags.subject(sentence, self._names)
                if who and not who.pronoun:
                    subjects.append(who.name)
                others.extend(m.name for m in reversed(self._names.mentions(sentence)) if not m.pronoun)
        return distinct([*subjects, *others])

    def _recent(self, paragraph: int) -> list[str]:
        """Speakers of the running exchange, the latest first."""
        out: list[str] = []
        edge = paragraph
        for index, name in reversed(self._turns):
            if edge - index > _NEAR_PARAGRAPHS:
                break
            edge = index
            out.append(name)
        return distinct(name for name in out if name != UNKNOWN)

    def _called(self, place: _Place) -> set[str]:
        """Who is called by name at the head of the quotation: not its speaker."""
        inner = place.words.strip("“”「」『』\"' ")
        return {
            m.name for m in self._names.mentions(inner[:12])
            if not m.pronoun and m.start <= 3 and inner[m.end : m.end + 1] in tuple("，,！!、…—")
        }  # fmt: skip

    def _note(self, index: int, found: Attribution, place: _Place) -> None:
        if not self._turns or self._turns[-1] != (index, found.speaker):
            self._turns.append((index, found.speaker))
        told = self._tags.addressee(f"{place.before[-30:]}", self._names) or self._tags.addressee(
            place.after[:30], self._names
        )
        if told and not told.pronoun:
            self._spoken_to = told.name
