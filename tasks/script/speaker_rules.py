"""Who speaks by rule, from the surest to the weakest, over one chapter.

Contract: ``Walker.walk`` gives every spoken quotation a speaker, a gender (of the speaker, or guessed), the rule that
decided and a confidence (how often the rule is right, roughly). A quotation nobody can be found for is ``domain.UNKNOWN``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import ModuleType

from tasks.domain import UNKNOWN
from tasks.script.attribution import NOBODY, Attribution
from tasks.script.names import PRONOUNS, Mention, Names, compatible, distinct
from tasks.script.quotes import Quote


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


_NEAR_PARAGRAPHS = 2
_HISTORY_CHARS = 400
_FAR_TURNS = 3
# Weights of what tells who speaks next; the differences matter, not the values. A turn two away by the same person
# counts for, one next door against; narration between turns fades them.
_FADE_NARRATION = 0.7
_FADE_AHEAD = 0.5  # whoever speaks two turns later may just have come in
_WEIGHT_NEAR = 0.3
_WEIGHT_BELOW = 0.4
_WEIGHT_SPOKEN_TO = 0.5
_COST_CALLED = 1.5
_COST_MENTIONED = 0.4
_SHORT_TAG_CHARS = 24
_BARE_TAG_CHARS = 8
_TAGGED_SHARE = 0.3


def _sounds(text: str) -> bool:
    return any(sign.isalnum() for sign in text)


class Walker:
    def __init__(
        self, paragraphs: Sequence[str], quotes: Sequence[Sequence[Quote]], names: Names, tags: ModuleType
    ) -> None:
        self._paragraphs = paragraphs
        self._quotes = quotes
        self._names = names
        self._tags = tags
        self._turns: dict[int, Attribution | None] = {}
        """Who spoke last in each paragraph with speech; ``None`` where it is not known (yet)."""
        self._spoken_to: dict[int, str] = {}
        spoken = [index for index, row in enumerate(quotes) if any(quote.speech for quote in row)]
        self._narration = [self._told(index) for index in range(len(paragraphs))]
        tagged = sum(_sounds(self._narration[index]) for index in spoken)
        book = tagged >= max(2, _TAGGED_SHARE * len(spoken))
        self._short_tag_chars = _BARE_TAG_CHARS if book else _SHORT_TAG_CHARS
        """Where tags stand in the paragraph of their quotation the next one tells of somebody else."""

    def _close(self, out: list[list[Attribution | None]]) -> None:
        """A paragraph that begins with the closing mark of the quotation before: the mark goes with that."""
        for index, row in enumerate(self._quotes):
            for at, quote in enumerate(row):
                if quote.speech and out[index][at] is None and index:
                    out[index][at] = next((one for one in reversed(out[index - 1]) if one is not None), NOBODY)

    def walk(self) -> list[list[Attribution | None]]:
        out: list[list[Attribution | None]] = [[None] * len(row) for row in self._quotes]
        places = [self._places(index) for index in range(len(self._paragraphs))]
        for row in places:  # first what the text says itself, so that the exchange can lean on both sides
            if row:
                self._say_explicit(row, out[row[0][1].paragraph])
        for row in places:
            if row and out[row[0][1].paragraph][row[0][0]] is None:
                place = row[0][1]
                found = self._implicit(place)
                for at, _ in row:
                    out[place.paragraph][at] = found
                self._turns[place.paragraph] = found
        self._close(out)
        return out

    def _say_explicit(self, row: list[tuple[int, _Place]], out: list[Attribution | None]) -> None:
        previous: Attribution | None = None
        index = row[0][1].paragraph
        self._turns[index] = None
        found = {}
        for at, place in row:
            who = self._explicit(place)
            if previous is not None and who is not None and who.rule.endswith("-pronoun"):
                who = self._same_person(previous, who)
            if who is None and place.continued and (before := self._turns.get(index - 1)):
                who = replace(before, rule="continued", introduction="")
            found[at], previous = who, who or previous
            told = self._tags.addressee(place.before[-30:], self._names) or self._tags.addressee(
                place.after[:30], self._names
            )
            if told and not told.pronoun:
                self._spoken_to[index] = told.name
        named = next((who for who in found.values() if who is not None), None)
        if named is None:
            named = self._acting(row)
        if named is None:
            return
        last = replace(named, rule="same-paragraph", confidence=named.confidence * 0.95, introduction="")
        for order, (at, _) in enumerate(row):
            who = found[at]
            if who is None:
                who = named if order == 0 and named not in found.values() else last
            out[at] = who
            last = replace(who, rule="same-paragraph", confidence=who.confidence * 0.95, introduction="")
        self._turns[index] = out[row[-1][0]]

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
        spoken = [
            (at, quote) for at, quote in enumerate(self._quotes[index])
            if quote.speech and not (quote.continued and not _sounds(text[quote.start : quote.end]))
        ]  # fmt: skip
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
        before, told = place.before, place.told
        above_counts = False
        if not before and place.first and place.paragraph:
            above = self._paragraphs[place.paragraph - 1].rstrip()
            if above[-1:] in "：:" or (above[-1:] in "，," and self._tags.VERB.search(above[-12:])):
                before, above_counts = self._narration[place.paragraph - 1].strip(), True
                told = before
        tag = self._tags.before_tag(before, self._names) if before else None
        if tag and tag[0] is not None:
            # Whoever is named behind the pronoun in the tag is not meant by it.
            start = told.rfind(tag[1])
            history = told[: max(start, 0)] + tag[1][: max(tag[1].lower().find(tag[0].name), 0)]
            named = self._named(tag[0], place, "tag-before", 0.95 if tag[2] else 0.85, tag[1], history, above_counts)
            if tag[2]:
                return named
        behind = self._tags.after_tag(place.after, self._names, not place.last)
        if behind:
            return self._named(behind[0], place, "tag-after", 0.95, behind[1])
        return named if tag and tag[0] is not None else None

    def _acting(self, row: list[tuple[int, _Place]]) -> Attribution | None:
        """Who acts beside the quotations of a paragraph, or says so in the next one."""
        first, last = row[0][1], row[-1][1]
        if first.before and (who := self._tags.acting(first.before, self._names, True)):
            return self._named(who, first, "acts-before", 0.75)
        for _, place in row:
            if place.after and (who := self._tags.acting(place.after, self._names, False)):
                return self._named(who, place, "acts-after", 0.75)
        below = last.paragraph + 1
        if not last.after and below < len(self._paragraphs) and not self._quotes[below]:
            text = self._paragraphs[below].strip()
            if (
                len(text) <= self._short_tag_chars
                and text[-1:] in "。.！!"
                and (tag := self._tags.after_tag(text, self._names, False))
            ):
                return self._named(tag[0], last, "tag-below", 0.8, tag[1])
        return None

    def _implicit(self, place: _Place) -> Attribution:
        """Who is likeliest in the exchange around: turns alternate, the near ones tell more than the far ones."""
        here = place.paragraph
        scores: dict[str, float] = {}
        before, after = self._side(here, -1), self._side(here, 1)
        for side in (before, after):
            for distance, turn in side:
                weight = turn.confidence / distance
                if side is after and distance % 2 == 0:
                    weight *= _FADE_AHEAD
                scores[turn.speaker] = scores.get(turn.speaker, 0.0) + (weight if distance % 2 == 0 else -weight)
        in_exchange = bool(scores)
        for distance, index in ((1, here - 1), (1, here + 1), (2, here - 2)):
            if told := self._spoken_to.get(index):
                scores[told] = scores.get(told, 0.0) + _WEIGHT_SPOKEN_TO / distance
        for rank, name in enumerate(self._nearby(here)[:4]):
            scores[name] = scores.get(name, 0.0) + _WEIGHT_NEAR / (rank + 1)
        for index in range(here + 1, min(here + 3, len(self._paragraphs))):
            if self._quotes[index] or self._paragraphs[index].rstrip().endswith(("：", ":")):
                break  # that tells of the next speaker
            for mention in self._names.mentions(self._narration[index]):
                if not mention.pronoun:
                    scores[mention.name] = scores.get(mention.name, 0.0) + _WEIGHT_BELOW / (index - here)
        for name in self._called(place):
            if name in scores:
                scores[name] -= _COST_CALLED
        for mention in self._names.mentions(place.words):
            if mention.name in scores:
                scores[mention.name] -= _COST_MENTIONED
        if not scores:
            return NOBODY
        best = max(scores, key=lambda name: scores[name])
        if scores[best] <= -0.5:
            return NOBODY
        return self._made(best, "alternation" if in_exchange else "nearby", 0.6 if in_exchange else 0.4)

    def _side(self, here: int, step: int) -> list[tuple[int, Attribution]]:
        """The turns before (``step`` -1) or after a paragraph while the exchange lasts, with their distance in turns."""
        out: list[tuple[int, Attribution]] = []
        distance, gap, told, index = 0, 0, 0, here + step
        while 0 <= index < len(self._paragraphs) and gap <= _NEAR_PARAGRAPHS and distance < _FAR_TURNS:
            if index in self._turns:
                distance, gap = distance + 1, 0
                turn = self._turns[index]
                if turn is not None and turn.speaker != UNKNOWN:
                    out.append((distance, replace(turn, confidence=turn.confidence * _FADE_NARRATION**told)))
            else:
                gap, told = gap + 1, told + 1
            index += step
        return out

    # -------------------------------------------------------------- people

    def _named(
        self, who: Mention, place: _Place, rule: str, confidence: float, words: str = "", history: str | None = None,
        above: bool = False,
    ) -> Attribution:  # fmt: skip
        """The one a mention means. ``history`` is the text before a pronoun in its paragraph (``above``: in the one
        above); without it all narration of the paragraph before the quotation."""
        if not who.pronoun:
            return self._made(who.name, rule, confidence, words)
        if who.name in ("我", "i"):
            return Attribution(self._names.canonical("我" if who.name == "我" else "I"), "", rule, confidence, words)
        text = place.told if history is None else history
        name = self._antecedent(who.name, place, text, place.paragraph - 1 if above else place.paragraph)
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

    def _antecedent(self, pronoun: str, place: _Place, history: str, paragraph: int) -> str:
        called = self._called(place)
        known = [
            name for name in self._nearby(paragraph, history)
            if compatible(name, self._names.gender(name), pronoun) and name not in called
        ]  # fmt: skip
        recent = [turn.speaker for _, turn in self._side(place.paragraph, -1) if turn.speaker != UNKNOWN]
        # In an exchange the one who has just spoken is seldom the next "he".
        if recent and place.first and known and known[0] == recent[0]:
            other = [name for name in known[1:] if name in recent]
            if other:
                return other[0]
        if known:
            return known[0]
        fitting = [n for n in recent if compatible(n, self._names.gender(n), pronoun) and n not in called]
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

    def _called(self, place: _Place) -> set[str]:
        """Who is called by name at the head of the quotation: not its speaker."""
        inner = place.words.strip("“”「」『』\"' ")
        return {
            m.name for m in self._names.mentions(inner[:12])
            if not m.pronoun and m.start <= 3 and inner[m.end : m.end + 1] in tuple("，,！!、…—")
        }  # fmt: skip
