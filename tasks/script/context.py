"""Who speaks where the text does not say it outright: weighs the people around a turn.

Contract: ``weigh`` takes what the rules found for each turn of a chapter and gives every turn its candidates with their
probabilities. The weights (``speaker_weights.npz``, made by ``benchmarks/train_speakers.py``) know no names and no words of
a text, only where somebody is named, acts, is spoken to, speaks. They were trained on Chinese.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tasks.script.forest import Forest, load
from tasks.script.scene import Scene
from tasks.script.speaker_features import FEATURES, Vote, rows

WEIGHTS = Path(__file__).with_name("speaker_weights.npz")


_using: list[Forest] = []


@cache
def _shipped() -> Forest:
    return load(WEIGHTS, "first")


@contextmanager
def using(forest: Forest) -> Iterator[None]:
    """Weigh with other weights for a while: for cross-validation."""
    _using.append(forest)
    try:
        yield
    finally:
        _using.pop()


def weigh(scene: Scene, votes: Sequence[Vote | None]) -> list[list[tuple[str, float]]]:
    """For each turn its candidates and their probabilities, the likeliest first; empty where nobody is near."""
    import numpy as np

    names: list[list[str]] = []
    table: list[list[float]] = []
    for order in range(len(scene.turns)):
        candidates, features = rows(scene, votes, order)
        names.append(candidates)
        table.extend(features)
    if not table:
        return [[] for _ in names]
    scores = (_using[-1] if _using else _shipped()).scores(np.array(table, np.float32).reshape(-1, len(FEATURES)))
    out: list[list[tuple[str, float]]] = []
    at = 0
    for candidates in names:
        part = scores[at : at + len(candidates)]
        at += len(candidates)
        if not len(part):
            out.append([])
            continue
        shares = np.exp(part - part.max())
        shares /= shares.sum()
        order_by = np.argsort(-shares, kind="stable")
        out.append([(candidates[i], float(shares[i])) for i in order_by])
    return out
