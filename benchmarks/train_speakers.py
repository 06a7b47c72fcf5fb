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
from pathlib import Path

import numpy as np

from benchmarks.boosting import Settings, train
from benchmarks.speakers import Case, cases_of, cast_of, report, run, show
from tasks.script import context
from tasks.script.attribute import scene_of
from tasks.script.names import Names
from tasks.script.quotes import find
from tasks.script.speaker_features import rows

SHARED_CHARS = 8
"""A sentence this long in two texts means that they overlap."""


class Table:
    """The candidates of the quotation of every case, as rows."""

    def __init__(self, cases: Sequence[Case], names: Names) -> None:
        table: list[list[float]] = []
        right: list[bool] = []
        groups: list[int] = []
        for number, case in enumerate(cases):
            scene, votes = scene_of(case.sentences, find(case.sentences), names)
            order = next(
                (o for o, turn in enumerate(scene.turns) if any(p == case.at for p, _ in turn.places)), None
            )  # fmt: skip
            if order is None:
                continue
            candidates, features = rows(scene, votes, order)
            known = [(one, row) for one, row in zip(candidates, features, strict=True) if names.known_name(one)]
            if not any(one == case.speaker for one, _ in known):
                continue
            for one, row in known:
                table.append(row)
                right.append(one == case.speaker)
                groups.append(number)
        self.table = np.array(table, np.float32)
        self.right = np.array(right)
        self.groups = np.array(groups)


def folds(cases: Sequence[Case], number: int, seed: int) -> list[list[int]]:
    """The cases in ``number`` parts of about the same size; those that share sentences are in one part."""
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
    groups = list(together.values())
    random.Random(seed).shuffle(groups)
    parts: list[list[int]] = [[] for _ in range(number)]
    for group in sorted(groups, key=len, reverse=True):
        min(parts, key=len).extend(group)
    return parts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with wp2021_*.jsonl and name_list.txt")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0, help="of the split into folds")
    parser.add_argument("--write", action="store_true", help="train on everything and replace the weights")
    options = parser.parse_args()
    cast = cast_of(options.data)
    cases = cases_of(options.data, cast)
    names = Names(cast, "", "zh")
    data = Table(cases, names)
    if options.write:
        forest = train(data.table, data.right, data.groups, Settings())
        np.savez_compressed(context.WEIGHTS, **forest.arrays("first"))
        print(f"{context.WEIGHTS.name}: {context.WEIGHTS.stat().st_size:,} bytes")
        return
    found = {}
    for part in folds(cases, options.folds, options.seed):
        seen = ~np.isin(data.groups, part)
        forest = train(data.table[seen], data.right[seen], data.groups[seen], Settings())
        with context.using(forest):
            for index in part:
                found[index] = run(cases[index], names)
    show(report(cases, [found[index] for index in range(len(cases))]))


if __name__ == "__main__":
    main()
