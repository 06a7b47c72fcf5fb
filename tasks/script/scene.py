"""A chapter as a row of told sentences and turns of speech: what the features of ``speaker_features`` are read from.

Contract: ``Scene`` splits the narration of every paragraph into sentences and joins quotations that go on over paragraphs
into one turn. It knows who is named in each unit, and what each sentence does: who acts, who is spoken to, whether it
says that somebody speaks. Each is worked out once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import ModuleType

from tasks.script.names import Mention, Names
from tasks.script.quotes import Quote

_VERB_NEAR_END_CHARS = 10
_MY_SENTENCES = 3
_MY_SHARE = 0.15


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence of narration. ``subject``: the first who can be one; ``last_subject``: that of its last
    clause with one; ``spoken_to``: the one whom somebody speaks to.
    ``noun_gender``: that of a subject who is called by a word that fits many (父亲, 那女人)."""

    paragraph: int
    text: str
    mentions: tuple[Mention, ...]
    subject: Mention | None
    last_subject: Mention | None
    spoken_to: Mention | None
    noun_gender: str
    verb: bool
    verb_at_end: bool
    colon: bool
    comma: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """A quotation, or several that are one. ``unit`` is its place in ``Scene.units``; ``places``: paragraph and number of
    each of its quotations; ``mentions`` count in ``words``, the text without the outer marks."""

    unit: int
    places: tuple[tuple[int, int], ...]
    words: str
    mentions: tuple[Mention, ...]

    @property
    def paragraph(self) -> int:
        """Where it begins."""
        return self.places[0][0]


class Scene:
    """``units``: the sentences and turns in order. ``turns``: the turns alone. ``joined``: the share of units that
    stand with another one in a paragraph; near 0 where every sentence is a paragraph of its own."""

    def __init__(
        self, paragraphs: Sequence[str], quotes: Sequence[Sequence[Quote]], names: Names, tags: ModuleType
    ) -> None:
        self.names = names
        self._tags = tags
        self.units: list[Told | Turn] = []
        self.turns: list[Turn] = []
        for index, text in enumerate(paragraphs):
            at = 0
            for order, quote in enumerate(quotes[index]):
                if not quote.speech:
                    continue
                self._tell(text[at : quote.start], index)
                self._speak(text[quote.start : quote.end], (index, order), quote.continued)
                at = quote.end
            self._tell(text[at:], index)
        self.joined = self._joined()
        self.me = names.canonical("我") if self._is_told_by_me() else ""
        """Who tells the story, where it is told by somebody who says 我."""
        if self.me:
            self.units = [_with_me(unit, self.me) if isinstance(unit, Told) else unit for unit in self.units]

    def _is_told_by_me(self) -> bool:
        told = [unit for unit in self.units if isinstance(unit, Told)]
        mine = sum(unit.subject is not None and unit.subject.name == "我" for unit in told)
        return mine >= _MY_SENTENCES and mine >= _MY_SHARE * len(told)

    def _joined(self) -> float:
        counts: dict[int, int] = {}
        for unit in self.units:
            counts[unit.paragraph] = counts.get(unit.paragraph, 0) + 1
        return sum(number for number in counts.values() if number > 1) / max(1, len(self.units))

    def _tell(self, text: str, paragraph: int) -> None:
        for part in self._tags.sentences(text):
            words = part.strip()
            if not any(sign.isalnum() for sign in words):
                continue
            mentions = self.names.mentions(words)
            verb = None
            for verb in self._tags.VERB.finditer(words):  # noqa: B007 - the last one counts
                pass
            subject = self._tags.subject(words, self.names)
            noun = subject is not None and not subject.pronoun and not self.names.known_name(subject.name)
            self.units.append(Told(
                paragraph, words, tuple(mentions), subject, self._tags.last_subject(words, self.names),
                self._tags.addressee(words, self.names),
                self.names.gender(subject.name) if subject is not None and noun else "", verb is not None,
                verb is not None and len(words) - verb.end() <= _VERB_NEAR_END_CHARS, words[-1] in "：:",
                words[-1] in "，,",
            ))  # fmt: skip

    def _speak(self, text: str, place: tuple[int, int], continued: bool) -> None:
        words = text.strip("“”「」『』\"'‘’ \u3000")
        if continued and self.units and isinstance(last := self.units[-1], Turn):
            joined = f"{last.words}\n{words}"
            self.units.pop()
            self.turns.pop()
            turn = Turn(len(self.units), (*last.places, place), joined, tuple(self.names.mentions(joined)))
        else:
            turn = Turn(len(self.units), (place,), words, tuple(self.names.mentions(words)))
        self.units.append(turn)
        self.turns.append(turn)


def _with_me(told: Told, me: str) -> Told:
    def named(mention: Mention | None) -> Mention | None:
        return replace(mention, name=me, pronoun=False) if mention is not None and mention.name == "我" else mention

    return replace(
        told, mentions=tuple(one for one in map(named, told.mentions) if one is not None), subject=named(told.subject),
        last_subject=named(told.last_subject), spoken_to=named(told.spoken_to),
    )  # fmt: skip
