"""What tells who speaks, as numbers: one row for every person who may be the speaker of a turn.

Contract: ``rows(scene, votes, turn)`` gives the candidates of a turn and their features in the order of ``FEATURES``. No
feature depends on which letters a name has. Distances count units (told sentences and turns), at most ``REACH`` each way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.domain import UNKNOWN
from tasks.script.names import PRONOUNS, Names
from tasks.script.scene import Scene, Told, Turn

REACH = 10
_SLOTS = ("b1", "b2", "b3", "a1", "a2", "a3")
_NEIGHBOURS = (-3, -2, -1, 1, 2, 3)
FEATURES: tuple[str, ...] = (
    *(f"{slot}_{what}" for slot in _SLOTS for what in ("subject", "object", "spoken_to", "pronoun", "noun", "last")),
    "b1_verb", "b1_verb_end", "b1_colon", "b1_len", "a1_verb", "a1_len", "a_colon", "gap_before", "gap_after",
    "b1_has_subject", "a1_has_subject", "b1_comma", "a_comma", "joined", "b1_same", "a1_same",
    "previous_same", "next_same", "b1_own", "a1_own", "b1_pronoun_gender", "a1_pronoun_gender",
    "vote", "vote_tag", "vote_confidence",
    *(f"turn{k:+d}_{what}" for k in _NEIGHBOURS for what in ("voted", "tagged", "gap")),
    "distance_before", "distance_after", "rank_before", "rank_after", "subject_before", "subject_after",
    "told_before", "told_after", "told_all", "in_quotes", "share",
    "in_words", "called_head", "called_tail", "called_before", "named_before", "called_after", "named_after",
    "candidates", "gender", "gender_known", "turns_near", "votes_near", "words_len", "question", "question_before",
    "spoken_to_before", "spoken_to_after", "exclaim", "spoken_to_previous", "self_named", "antecedent", "kin_called",
)  # fmt: skip
KIN = re.compile(
    r"(?:[父母]亲|爸爸?|妈妈?|爹|娘|爷爷?|奶奶?|外[公婆]|[叔伯舅姑姨婶哥弟姐妹嫂]|丈夫|妻子|[儿孙]子|[孙侄]?女儿?|阿姨|老婆|媳妇|老伴)$"
)
"""Words for relatives: they mean somebody who usually has a name as well."""
_SELF = re.compile(r"(?:我|在下|弟子|晚辈|属下|小弟|小人|贫[道僧]|老[夫朽]|奴婢|妾身|末将)(?:叫|是|就是|姓|乃)?$")
_SELF_CHARS = 8
_CALL_AFTER = "，,！!、…—。？?"


@dataclass(frozen=True, slots=True)
class Vote:
    """Whom the rules name for a turn; ``tag``: the text says so itself."""

    name: str
    tag: bool
    confidence: float


def rows(scene: Scene, votes: Sequence[Vote | None], order: int) -> tuple[list[str], list[list[float]]]:
    """The candidates of turn ``order`` and their features."""
    units, names = scene.units, scene.names
    turn = scene.turns[order]
    here = turn.unit
    low, high = max(0, here - REACH), min(len(units), here + REACH + 1)
    before: dict[str, int] = {}
    after: dict[str, int] = {}
    subject_before: dict[str, int] = {}
    subject_after: dict[str, int] = {}
    told_before: dict[str, int] = {}
    told_after: dict[str, int] = {}
    in_quotes: dict[str, int] = {}
    for at in range(here - 1, low - 1, -1):
        _collect(units[at], here - at, before, subject_before, told_before, in_quotes)
    for at in range(here + 1, high):
        _collect(units[at], at - here, after, subject_after, told_after, in_quotes)
    words_named = {m.name for m in turn.mentions if not m.pronoun}
    candidates = [
        name for name in dict.fromkeys([*before, *after, *in_quotes, *words_named])
        if names.known_name(name) or name == scene.me
    ]  # fmt: skip
    first, last = _gap(scene, order)
    near = [t for t in range(len(scene.turns)) if low <= scene.turns[t].unit < high] if len(scene.turns) < 40 else [
        t for t in range(max(0, order - REACH), min(len(scene.turns), order + REACH + 1))
        if low <= scene.turns[t].unit < high
    ]  # fmt: skip
    voted: dict[str, float] = {}
    for t in near:
        vote = votes[t]
        if vote is not None and vote.name != UNKNOWN and t != order:
            voted[vote.name] = voted.get(vote.name, 0) + 1
            if vote.name not in candidates and vote.tag and not KIN.search(vote.name):
                candidates.append(vote.name)
    own = votes[order]
    if own is not None and own.name != UNKNOWN and own.name not in candidates and own.tag and not KIN.search(own.name):
        candidates.append(own.name)
    gap_before = [unit for unit in units[max(first, low) : here] if isinstance(unit, Told)]
    gap_after = [unit for unit in units[here + 1 : min(last, high)] if isinstance(unit, Told)]
    slots: list[list[Told]] = [
        gap_before[-1:], gap_before[-2:-1], gap_before[:-2], gap_after[:1], gap_after[1:2], gap_after[2:],
    ]  # fmt: skip
    b1, a1 = (gap_before[-1] if gap_before else None), (gap_after[0] if gap_after else None)
    rank_before = _ranks(before)
    rank_after = _ranks(after)
    total = sum(told_before.values()) + sum(told_after.values()) or 1
    neighbours: list[tuple[Vote | None, int]] = []
    for k in _NEIGHBOURS:
        t = order + k
        if 0 <= t < len(scene.turns) and low <= scene.turns[t].unit < high:
            pair = range(t, order) if k < 0 else range(order, t)
            gap = sum(scene.turns[p + 1].unit - scene.turns[p].unit - 1 for p in pair)
            neighbours.append((votes[t], gap))
        else:
            neighbours.append((None, 12))
    previous = scene.turns[order - 1] if order and scene.turns[order - 1].unit >= low else None
    following = scene.turns[order + 1] if order + 1 < len(scene.turns) and scene.turns[order + 1].unit < high else None
    called_own = _called(turn)
    called_previous = _called(previous) if previous else (set[str](), set[str]())
    called_next = _called(following) if following else (set[str](), set[str]())
    named_previous = {m.name for m in previous.mentions} if previous else set()
    named_next = {m.name for m in following.mentions} if following else set()
    shared = [
        *_sentence(b1), float(b1.colon) if b1 else 0.0, float(len(b1.text)) if b1 else 0.0,
        float(a1.verb) if a1 else 0.0, float(len(a1.text)) if a1 else 0.0,
        float(bool(gap_after) and gap_after[-1].colon), float(len(gap_before)), float(len(gap_after)),
        float(b1 is not None and b1.subject is not None), float(a1 is not None and a1.subject is not None),
        float(len(gap_before)) if b1 and b1.comma else 0.0, float(len(gap_after)) if gap_after and gap_after[-1].comma else 0.0,
        *_layout(scene, turn, b1, a1, previous, following),
    ]  # fmt: skip
    told_previous = _spoken_to(scene, order - 1, low) if order else set()
    own_name = {m.name for m in turn.mentions if _SELF.search(turn.words[max(0, m.start - _SELF_CHARS) : m.start])}
    kin = _kin_called(turn, names)
    antecedent = _antecedent(units, here, low, names)
    out: list[list[float]] = []
    fallback = {"male": _nearest(before, names, "male"), "female": _nearest(before, names, "female")}
    for name in candidates:
        gender = names.gender(name)
        row: list[float] = []
        for slot in slots:
            row.extend(_in_slot(slot, name, gender, fallback))
        row.extend(shared)
        row.append(_agrees(b1, gender))
        row.append(_agrees(a1, gender))
        mine = own is not None and own.name == name
        row += [float(mine), float(mine and own is not None and own.tag), own.confidence if mine and own else 0.0]
        for vote, gap in neighbours:
            same = vote is not None and vote.name == name
            row += [
                1.0 if same else (0.0 if vote is None else -1.0),
                1.0 if same and vote is not None and vote.tag else (-1.0 if vote is not None and vote.tag else 0.0),
                float(gap),
            ]  # fmt: skip
        row += [
            float(before.get(name, 12)), float(after.get(name, 12)), float(rank_before.get(name, 9)),
            float(rank_after.get(name, 9)), float(subject_before.get(name, 12)), float(subject_after.get(name, 12)),
            float(told_before.get(name, 0)), float(told_after.get(name, 0)),
            float(told_before.get(name, 0) + told_after.get(name, 0)), float(in_quotes.get(name, 0)),
            (told_before.get(name, 0) + told_after.get(name, 0)) / total,
            float(name in words_named), float(name in called_own[0]), float(name in called_own[1]),
            float(name in called_previous[0] or name in called_previous[1]), float(name in named_previous),
            float(name in called_next[0] or name in called_next[1]), float(name in named_next),
            float(len(candidates)), 1.0 if gender == "male" else 0.0 if gender == "female" else 0.5, float(bool(gender)),
            float(len(near)), voted.get(name, 0.0), float(len(turn.words)),
            float(turn.words[-1:] in "？?"), float(previous is not None and previous.words[-1:] in "？?"),
            float(any(u.spoken_to is not None and u.spoken_to.name == name for u in gap_before)),
            float(any(u.spoken_to is not None and u.spoken_to.name == name for u in gap_after)),
            float(turn.words[-1:] in "！!"), float(name in told_previous), float(name in own_name), float(name == antecedent),
            0.0 if not kin else 0.5 if not gender else float(gender == kin),
        ]  # fmt: skip
        out.append(row)
    return candidates, out


def _collect(
    unit: Told | Turn, distance: int, seen: dict[str, int], subjects: dict[str, int], told: dict[str, int],
    in_quotes: dict[str, int],
) -> None:  # fmt: skip
    if isinstance(unit, Turn):
        for mention in unit.mentions:
            if not mention.pronoun:
                in_quotes[mention.name] = in_quotes.get(mention.name, 0) + 1
        return
    for mention in unit.mentions:
        if not mention.pronoun:
            seen.setdefault(mention.name, distance)
            told[mention.name] = told.get(mention.name, 0) + 1
    if unit.subject is not None and not unit.subject.pronoun:
        subjects.setdefault(unit.subject.name, distance)


def _spoken_to(scene: Scene, order: int, low: int) -> set[str]:
    """Who is spoken to in the narration before turn ``order``."""
    first, _ = _gap(scene, order)
    told = scene.units[max(first, low) : scene.turns[order].unit]
    return {unit.spoken_to.name for unit in told if isinstance(unit, Told) and unit.spoken_to is not None}


def _antecedent(units: Sequence[Told | Turn], here: int, low: int, names: Names) -> str:
    """Whom the pronoun that acts right before the turn means: who acted last before it and is of its gender."""
    if here <= low or not isinstance(near := units[here - 1], Told) or near.subject is None or not near.subject.pronoun:
        return ""
    wanted = PRONOUNS.get(near.subject.name, "")
    for at in range(here - 2, low - 1, -1):
        if isinstance(unit := units[at], Told):
            for who in (unit.last_subject, unit.subject):
                if who is not None and names.known_name(who.name) and names.gender(who.name) in ("", wanted):
                    return who.name
    return ""


def _gap(scene: Scene, order: int) -> tuple[int, int]:
    """The first unit after the turn before, and the unit of the turn behind."""
    first = scene.turns[order - 1].unit + 1 if order else 0
    last = scene.turns[order + 1].unit if order + 1 < len(scene.turns) else len(scene.units)
    return first, last


def _ranks(seen: dict[str, int]) -> dict[str, int]:
    return {name: rank for rank, name in enumerate(sorted(seen, key=lambda one: seen[one]))}


def _nearest(before: dict[str, int], names: Names, gender: str) -> str:
    for name in before:
        if names.gender(name) == gender:
            return name
    return ""


def _layout(
    scene: Scene, turn: Turn, b1: Told | None, a1: Told | None, previous: Turn | None, following: Turn | None
) -> list[float]:
    """What shares the paragraph of the turn; and whether the sentences next to it share that of another turn."""
    here, end = turn.paragraph, turn.places[-1][0]
    return [
        scene.joined, float(b1 is not None and b1.paragraph == here), float(a1 is not None and a1.paragraph == end),
        float(previous is not None and previous.places[-1][0] == here),
        float(following is not None and following.paragraph == end),
        float(b1 is not None and previous is not None and b1.paragraph == previous.places[-1][0]),
        float(a1 is not None and following is not None and a1.paragraph == following.paragraph),
    ]  # fmt: skip


def _sentence(told: Told | None) -> list[float]:
    return [float(told.verb), float(told.verb_at_end)] if told else [0.0, 0.0]


def _in_slot(slot: list[Told], name: str, gender: str, fallback: dict[str, str]) -> list[float]:
    subject = other = spoken_to = pronoun = noun = last = 0.0
    for told in slot:
        if told.subject is not None:
            if told.subject.name == name:
                subject = 1.0
            elif told.subject.pronoun and (wanted := PRONOUNS.get(told.subject.name, "")):
                fits = 1.0 if gender == wanted else 0.5 if not gender else -1.0
                pronoun = 2.0 if fallback.get(wanted) == name else fits
            elif wanted := told.noun_gender:
                fits = 1.0 if gender == wanted else 0.5 if not gender else -1.0
                noun = 2.0 if fallback.get(wanted) == name else fits
        if told.last_subject is not None and told.last_subject.name == name:
            last = 1.0
        if told.spoken_to is not None and told.spoken_to.name == name:
            spoken_to = 1.0
        elif subject == 0.0 and any(m.name == name for m in told.mentions):
            other = 1.0
    return [subject, other, spoken_to, pronoun, noun, last]


def _agrees(told: Told | None, gender: str) -> float:
    if told is None or told.subject is None or not told.subject.pronoun or not gender:
        return 0.0
    wanted = PRONOUNS.get(told.subject.name, "")
    return 0.0 if not wanted else 1.0 if wanted == gender else -1.0


def _kin_called(turn: Turn, names: Names) -> str:
    """The gender of the relative whom a turn calls at its head (妈，); empty if none."""
    for mention in turn.mentions[:1]:
        if mention.start <= 2 and KIN.search(mention.name) and turn.words[mention.end : mention.end + 1] in _CALL_AFTER:
            return names.gender(mention.name)
    return ""


def _called(turn: Turn) -> tuple[set[str], set[str]]:
    """Who is called by name at the head and at the tail of a turn."""
    head, tail = set(), set()
    size = len(turn.words)
    for mention in turn.mentions:
        if mention.pronoun:
            continue
        following = turn.words[mention.end : mention.end + 1]
        if mention.start <= 3 and (not following or following in _CALL_AFTER):
            head.add(mention.name)
        elif size - mention.end <= 2 and re.search(r"[，,、。！？]$", turn.words[: mention.start]):
            tail.add(mention.name)
    return head, tail
