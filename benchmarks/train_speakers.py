"""Train the weights of ``tasks/script/context.py``: ``python -m benchmarks.train_speakers --data DIR [--write]``.

``DIR`` as for ``benchmarks/speakers.py``. Prints the cross-validated figures: texts that share a sentence are in the same
fold, each is judged by weights that have not seen it. ``--write`` trains on everything and replaces
``tasks/script/speaker_weights.npz``. Needs scikit-learn (``pip install scikit-learn``); nothing but this script does.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.as_book import as_book
from benchmarks.boosting import Settings, train
from benchmarks.speakers import Case, cases_of, cast_of, report, run, show
from tasks.script import context
from tasks.script.attribute import Attribution, scene_of
from tasks.script.forest import Forest
from tasks.script.names import Names
from tasks.script.quotes import find
from tasks.script.speaker_features import rows

SETTINGS = Settings(trees=160, rate=0.09, depth=5, leaf_rows=40, columns=0.15)
NEIGHBOURS = 8
"""How far from the middle of a case its neighbours are used too."""
SHARED_CHARS = 8
"""A sentence this long in two texts means that they overlap."""


class Table:
    """The candidates of labelled quotations as rows: of every case its own, and those of its neighbours that are another
    overlapping case's own (the same quotation with another stretch of text around it); each as it comes, one sentence a
    paragraph, and once more laid out as a book. ``owner``: the case of a row."""

    def __init__(self, cases: Sequence[Case], names: Names) -> None:
        self._names = names
        self._rows: list[list[float]] = []
        self._right: list[bool] = []
        self._groups: list[int] = []
        self._owner: list[int] = []
        labels: dict[tuple[int, str], set[str]] = defaultdict(set)
        together = {index: number for number, part in enumerate(overlapping(cases)) for index in part}
        for index, case in enumerate(cases):
            labels[together[index], case.sentences[case.at]].add(case.speaker)
        chance = random.Random(0)
        for index, case in enumerate(cases):
            said = [labels.get((together[index], sentence), set()) for sentence in case.sentences]
            said[case.at] = {case.speaker}
            self._add(index, case, said, case.sentences, [[at] for at in range(len(case.sentences))])
            self._add(index, case, said, *as_book(case.sentences, said, names, chance))
        self.table = np.array(self._rows, np.float32)
        self.right = np.array(self._right)
        self.groups = np.array(self._groups)
        self.owner = np.array(self._owner)

    def _add(
        self, index: int, case: Case, said: list[set[str]], paragraphs: Sequence[str], parts: list[list[int]]
    ) -> None:
        quotes = find(paragraphs)
        scene, votes = scene_of(paragraphs, quotes, self._names)
        for order, turn in enumerate(scene.turns):
            paragraph, number = turn.places[0]
            start = quotes[paragraph][number].start
            here, size = parts[paragraph][0], 0
            for at in parts[paragraph]:
                if size <= start:
                    here = at
                size += len(case.sentences[at])
            if len(said[here]) != 1 or abs(here - case.at) > NEIGHBOURS:
                continue
            candidates, features = rows(scene, votes, order)
            known = [
                (one, row) for one, row in zip(candidates, features, strict=True) if self._names.known_name(one)
            ]  # fmt: skip
            if not any(one in said[here] for one, _ in known):
                continue
            group = self._groups[-1] + 1 if self._groups else 0
            for one, row in known:
                self._rows.append(row)
                self._right.append(one in said[here])
                self._groups.append(group)
                self._owner.append(index)

    def train(self, without: Sequence[int] = ()) -> Forest:
        """Weights from all cases but some."""
        seen = ~np.isin(self.owner, without)
        return train(self.table[seen], self.right[seen], self.groups[seen], SETTINGS)


def overlapping(cases: Sequence[Case]) -> list[list[int]]:
    """The cases in groups that share no sentence with each other."""
    parent = list(range(len(cases)))

    def root(one: int) -> int:
        while parent[one] != one:
            one = parent[one]
        return one

    first: dict[str, int] = {}
    for index, case in enumerate(cases):
        for sentence in case.sentences:
            if len(sentence) >= SHARED_CHARS:
                parent[root(index)] = root(first.setdefault(sentence, index))
    together: dict[int, list[int]] = defaultdict(list)
    for index in range(len(cases)):
        together[root(index)].append(index)
    return list(together.values())


def folds(cases: Sequence[Case], number: int, seed: int) -> list[list[int]]:
    """The cases in ``number`` parts of about the same size; those that share sentences are in one part."""
    groups = overlapping(cases)
    random.Random(seed).shuffle(groups)
    parts: list[list[int]] = [[] for _ in range(number)]
    for group in sorted(groups, key=len, reverse=True):
        min(parts, key=len).extend(group)
    return parts


def best_scale(cases: Sequence[Case], found: Sequence[Attribution | None]) -> float:
    """What to multiply the scores by so that the probabilities are honest: the likeliest on texts not seen."""
    sets = [
        (np.log([chance for _, chance in one.candidates]), [name for name, _ in one.candidates].index(case.speaker))
        for case, one in zip(cases, found, strict=True)
        if one is not None and any(name == case.speaker for name, _ in one.candidates)
    ]

    def loss(scale: float) -> float:
        return float(sum(np.log(np.exp(scale * logs).sum()) - scale * logs[at] for logs, at in sets))

    return min((round(0.4 + 0.02 * step, 2) for step in range(40)), key=loss)


def scaled(one: Attribution | None, scale: float) -> Attribution | None:
    """The attribution as weights with scaled scores would give it."""
    if one is None or not one.candidates:
        return one
    rest = max(0.0, 1.0 - sum(chance for _, chance in one.candidates))
    powers = [chance**scale for _, chance in one.candidates]
    total = sum(powers) + rest**scale
    return replace(one, confidence=one.confidence**scale / total)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with wp2021_*.jsonl and name_list.txt")
    parser.add_argument("--folds", type=int, default=5, help="0: no cross-validation (default: 5)")
    parser.add_argument("--scale", type=float, default=0.0, help="of the scores (default: what cross-validation says)")
    parser.add_argument("--seed", type=int, default=0, help="of the split into folds")
    parser.add_argument("--write", action="store_true", help="train on everything and replace the weights")
    options = parser.parse_args()
    cast = cast_of(options.data)
    cases = cases_of(options.data, cast)
    names = Names(cast, "", "zh")
    data = Table(cases, names)
    found: dict[int, Attribution | None] = {}
    scale = 1.0
    if options.folds:
        for part in folds(cases, options.folds, options.seed):
            with context.using(data.train(part)):
                for index in part:
                    found[index] = run(cases[index], names)
        made = [found[index] for index in range(len(cases))]
        scale = best_scale(cases, made)
        show(report(cases, [scaled(one, scale) for one in made]))
        print(f"scores scaled by {scale}")
    if options.write:
        forest = data.train()
        forest = replace(forest, values=(forest.values * np.float32(options.scale or scale)).astype(np.float32))
        np.savez_compressed(context.WEIGHTS, **forest.arrays("first"))
        print(f"{context.WEIGHTS.name}: {context.WEIGHTS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
