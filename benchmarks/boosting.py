"""Training of boosted trees that choose one of a group: for ``benchmarks/train_speakers.py``; needs scikit-learn.

Contract: ``train`` maximises the likelihood of the right row of each group under a softmax over its rows (listwise
gradient boosting, Newton leaves) and gives a ``Forest``. Same data and seed, same forest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

from tasks.script.forest import Forest

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Settings:
    """``rows`` and ``columns`` are the shares of groups and features a tree sees."""

    trees: int = 200
    rate: float = 0.06
    depth: int = 4
    leaf_rows: int = 15
    rows: float = 0.7
    columns: float = 0.4
    shrink: float = 1.0
    seed: int = 0


def softmax(scores: Floats, groups: NDArray[np.int64]) -> Floats:
    """Probabilities within each group; the rows of a group stand together."""
    starts, index = _groups(groups)
    top = np.maximum.reduceat(scores, starts)[index]
    shares = np.exp(scores - top)
    return np.asarray(shares / np.add.reduceat(shares, starts)[index], np.float64)


def train(
    table: NDArray[np.float32], right: NDArray[np.bool_], groups: NDArray[np.int64], settings: Settings
) -> Forest:
    """``table`` (rows, features); ``right`` marks one row of every group."""
    random = np.random.RandomState(settings.seed)
    starts, index = _groups(groups)
    scores = np.zeros(len(right))
    grown = []
    for _ in range(settings.trees):
        chance = softmax(scores, groups)
        slope, bend = right - chance, np.maximum(chance * (1 - chance), 1e-4)
        use = (random.rand(len(starts)) < settings.rows)[index]
        tree = DecisionTreeRegressor(
            max_depth=settings.depth, min_samples_leaf=settings.leaf_rows, max_features=settings.columns,
            random_state=random.randint(1 << 30),
        )  # fmt: skip
        tree.fit(table[use], slope[use] / bend[use], sample_weight=bend[use])
        leaves = tree.apply(table[use])
        size = tree.tree_.node_count
        value = np.bincount(leaves, slope[use], size) / (np.bincount(leaves, bend[use], size) + settings.shrink)
        grown.append(_perfect(tree.tree_, settings.rate * value, settings.depth))
        scores += grown[-1].scores(table)
    return _stack(grown)


def _groups(groups: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    edge = np.r_[True, groups[1:] != groups[:-1]]
    return np.flatnonzero(edge), np.cumsum(edge) - 1


def _perfect(tree: object, value: Floats, depth: int) -> Forest:
    """A tree whose missing nodes all lead left."""
    left, right = tree.children_left, tree.children_right  # type: ignore[attr-defined]
    feature, threshold = tree.feature, tree.threshold  # type: ignore[attr-defined]
    inner = 2**depth - 1
    features, thresholds = np.zeros((1, inner), np.int16), np.full((1, inner), np.inf, np.float32)
    values = np.zeros((1, inner + 1), np.float32)
    waiting = [(0, 0)]
    while waiting:
        node, place = waiting.pop()
        if left[node] < 0:
            while place < inner:
                place = 2 * place + 1
            values[0, place - inner] = value[node]
            continue
        features[0, place], thresholds[0, place] = feature[node], threshold[node]
        waiting += [(left[node], 2 * place + 1), (right[node], 2 * place + 2)]
    return Forest(features, thresholds, values)


def _stack(trees: list[Forest]) -> Forest:
    return Forest(
        np.concatenate([one.features for one in trees]), np.concatenate([one.thresholds for one in trees]),
        np.concatenate([one.values for one in trees]),
    )  # fmt: skip
