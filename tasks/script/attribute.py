"""Who speaks, over one chapter: what the rules say, weighed against everybody who may be meant.

Contract: ``attribute`` gives every spoken quotation a speaker, a gender (of the speaker, or guessed), the rule that
decided (``context``: none did, whoever is likeliest) and a confidence: the probability that it is right, measured in
Chinese on texts not seen, a rule's usual rate in English. From ``SURE`` on about 95 in 100 are right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from tasks.domain import UNKNOWN
from tasks.script import tags_en, tags_zh
from tasks.script.attribution import Attribution as Attribution
from tasks.script.bounded import bounded, joined
from tasks.script.context import weigh
from tasks.script.names import Names
from tasks.script.quotes import Quote
from tasks.script.scene import Scene
from tasks.script.speaker_features import Vote
from tasks.script.speaker_rules import Walker

SURE = 0.8
"""Attributions at least this confident are right about 95 times in 100; the others are unsure."""
_CANDIDATES = 4
_ALONE = 0.6
_FAINT = 1e-3  # of somebody whom one turn of several does not know
_NAMED_RULES = frozenset(["tag-before", "tag-after", "tag-below"])


def attribute(
    paragraphs: Sequence[str], quotes: Sequence[Sequence[Quote]], names: Names, language: str = "zh"
) -> list[list[Attribution | None]]:
    """For each paragraph and each of its quotations who says it; ``None`` for those that are no speech."""
    tags = tags_en if language == "en" else tags_zh
    paragraphs, quotes, counts = bounded(paragraphs, quotes)
    made = Walker(paragraphs, quotes, names, tags).walk()
    if language == "en":
        return joined([[one if one is None else _alone(one) for one in row] for row in made], counts)
    scene = Scene(paragraphs, quotes, names, tags)
    return joined(_weighed(scene, names, made, weigh(scene, _votes(scene, made))), counts)


def scene_of(
    paragraphs: Sequence[str], quotes: Sequence[Sequence[Quote]], names: Names
) -> tuple[Scene, list[Vote | None]]:
    """A Chinese chapter as ``context`` sees it, and what the rules say of each turn: for training."""
    scene = Scene(paragraphs, quotes, names, tags_zh)
    return scene, _votes(scene, Walker(paragraphs, quotes, names, tags_zh).walk())


def _votes(scene: Scene, made: Sequence[Sequence[Attribution | None]]) -> list[Vote | None]:
    out: list[Vote | None] = []
    for turn in scene.turns:
        paragraph, order = turn.places[0]
        said = made[paragraph][order]
        out.append(None if said is None else Vote(said.speaker, said.rule in _NAMED_RULES, said.confidence))
    return out


def _weighed(
    scene: Scene, names: Names, made: list[list[Attribution | None]], weighed: list[list[tuple[str, float]]]
) -> list[list[Attribution | None]]:
    """The likeliest of those around a turn. Turns of one paragraph that nothing sets apart have one speaker."""
    together: list[list[int]] = []
    for order, turn in enumerate(scene.turns):
        paragraph, place = turn.places[0]
        said = made[paragraph][place]
        before = scene.turns[order - 1].places[-1] if order else (-1, 0)
        last = made[before[0]][before[1]] if before[0] == paragraph else None
        if said is not None and last is not None and (said.rule == "same-paragraph" or said.speaker == last.speaker):
            together[-1].append(order)
        else:
            together.append([order])
    for orders in together:
        candidates = _joint([weighed[order] for order in orders])
        for order in orders:
            for paragraph, place in scene.turns[order].places:
                said = made[paragraph][place]
                if said is None:
                    continue
                if scene.me and said.rule.endswith("-pronoun"):  # he said: not the one who tells the story
                    candidates = _without(candidates, scene.me)
                if candidates:
                    made[paragraph][place] = _likeliest(said, candidates, names)
    return made


def _joint(rows: list[list[tuple[str, float]]]) -> list[tuple[str, float]]:
    """Candidates of several turns that one person speaks."""
    if len(rows) == 1:
        return rows[0]
    chances = [dict(row) for row in rows]
    product = {name: prod(one.get(name, _FAINT) for one in chances) for one in chances for name in one}
    total = sum(product.values())
    if not total:
        return []
    return sorted(((name, chance / total) for name, chance in product.items()), key=lambda one: (-one[1], one[0]))


def _without(candidates: list[tuple[str, float]], name: str) -> list[tuple[str, float]]:
    rest = [one for one in candidates if one[0] != name]
    total = sum(chance for _, chance in rest)
    return [(one, chance / total) for one, chance in rest] if total else []


def _likeliest(said: Attribution, candidates: list[tuple[str, float]], names: Names) -> Attribution:
    """What the rules said, with how sure that is, or whoever is likelier."""
    if len(candidates) == 1 and said.rule not in _NAMED_RULES:  # others may be there whose names we do not know
        candidates = [(candidates[0][0], min(candidates[0][1], _ALONE))]
    (name, chance), kept = candidates[0], tuple(candidates[:_CANDIDATES])
    if name == said.speaker:
        return replace(said, confidence=chance, candidates=kept)
    return Attribution(name, names.gender(name) or said.gender, "context", chance, said.introduction, kept)


def _alone(said: Attribution) -> Attribution:
    """With what a rule found as its only candidate."""
    return replace(said, candidates=((said.speaker, said.confidence),) if said.speaker != UNKNOWN else ())
