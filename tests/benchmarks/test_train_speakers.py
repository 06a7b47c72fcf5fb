"""Training of who speaks; needs scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn")

from benchmarks.boosting import Settings, softmax, train
from benchmarks.speakers import Case
from benchmarks.train_speakers import folds, overlapping, scaled
from tasks.script.attribution import Attribution


def case(*sentences: str) -> Case:
    return Case(sentences, 0, "林晓", "latent")


def test_texts_that_share_a_sentence_are_in_one_fold() -> None:
    shared = "这是两段文字里都有的句子。"
    cases = [case("甲。", shared), case("乙乙乙乙乙乙乙乙乙。"), case(shared, "丙。"), case("丁丁丁丁丁丁丁丁丁。")]
    assert [0, 2] in overlapping(cases)
    parts = folds(cases, 2, seed=3)
    assert sorted(index for part in parts for index in part) == [0, 1, 2, 3]
    assert any({0, 2} <= set(part) for part in parts)


def test_trees_learn_which_of_a_group_is_right() -> None:
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(200), 3)
    table = random.normal(size=(600, 4)).astype(np.float32)
    best = table[:, 2].reshape(200, 3).argmax(axis=1)
    right = np.zeros(600, bool)
    right[np.arange(200) * 3 + best] = True
    settings = Settings(trees=40, rate=0.2, depth=3, leaf_rows=5, columns=1.0)
    forest = train(table, right, groups, settings)
    chosen = forest.scores(table).reshape(200, 3).argmax(axis=1)
    assert (chosen == best).mean() > 0.95
    assert np.array_equal(forest.values, train(table, right, groups, settings).values)


def test_softmax_adds_up_in_each_group() -> None:
    shares = softmax(np.array([1.0, 1.0, 5.0]), np.array([0, 0, 1]))
    assert shares.tolist() == [0.5, 0.5, 1.0]


def test_a_smaller_scale_is_less_sure() -> None:
    one = Attribution("林晓", "", "context", 0.9, "", (("林晓", 0.9), ("王明", 0.1)))
    less = scaled(one, 0.5)
    assert less is not None
    assert less.confidence == pytest.approx(0.75)
