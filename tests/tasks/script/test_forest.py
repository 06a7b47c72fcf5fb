"""Trees as arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tasks.script.context import WEIGHTS
from tasks.script.forest import Forest, load
from tasks.script.speaker_features import FEATURES

TREE = Forest(
    np.array([[0, 1, 0]], np.int16), np.array([[0.5, 2.0, np.inf]], np.float32), np.array([[1, 2, 3, 4]], np.float32)
)


def test_a_row_reaches_the_leaf_its_features_lead_to() -> None:
    rows = np.array([[0, 0], [0, 3], [1, 0], [0.5, 2]], np.float32)
    assert TREE.scores(rows).tolist() == [1, 2, 3, 1]


def test_many_rows_are_scored_as_few_are() -> None:
    rows = np.random.default_rng(0).normal(size=(1300, 2)).astype(np.float32)
    assert TREE.scores(rows).tolist() == [TREE.scores(row[None])[0] for row in rows]


def test_what_is_kept_is_what_is_loaded(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "w.npz", **TREE.arrays("first"))
    again = load(tmp_path / "w.npz", "first")
    assert again.scores(np.zeros((1, 2), np.float32)).tolist() == [1]


def test_the_weights_fit_the_features_and_are_small() -> None:
    forest = load(WEIGHTS, "first")
    assert int(forest.features.max()) < len(FEATURES)
    assert np.isfinite(forest.values).all()
    assert WEIGHTS.stat().st_size < 1_000_000
