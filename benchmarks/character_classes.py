"""Classes of characters that stand in like company, for ``benchmarks.train_polyphones``.

``classes`` weighs for every Han character what stands one and two places beside it, in phrases by their frequency and in
sentences (positive pointwise mutual information), brings that down to 60 dimensions (truncated SVD) and clusters it
(k-means). What an engine of feelings would call meaning comes out of company: surnames, vessels, verbs of motion. Needs
the extra ``train``. The same input gives the same classes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from tasks.script.phrases import is_han

COUNT = 128
_DIMENSIONS = 60
_LEAST_SEEN = 20.0
_EDGE = "\x02"


def classes(phrases: Mapping[str, float], sentences: Iterable[str]) -> tuple[str, ...]:
    """``COUNT`` strings of characters. ``phrases``: words with their relative frequency."""
    from scipy.sparse.linalg import svds
    from sklearn.cluster import MiniBatchKMeans

    beside: Counter[tuple[str, str]] = Counter()
    for word in sorted(phrases):
        _count(beside, word, math.log1p(phrases[word] * 1e7) + 0.2)
    for sentence in sentences:
        _count(beside, sentence, 1.0)
    chars = sorted({char for char, _ in beside if is_han(char)})
    company = sorted({name for _, name in beside})
    row_of, column_of = {c: i for i, c in enumerate(chars)}, {c: i for i, c in enumerate(company)}
    kept = [(row_of[char], column_of[name], seen) for (char, name), seen in sorted(beside.items()) if char in row_of]
    rows, columns, seen = (np.array(one) for one in zip(*kept, strict=True))
    counts: Any = sparse.csr_matrix((seen, (rows, columns)), shape=(len(chars), len(company)))
    of_char, of_company = np.asarray(counts.sum(1)).ravel(), np.asarray(counts.sum(0)).ravel()
    # The usual 0.75 takes some of the weight from company that is rare.
    total = float(counts.sum())
    share = np.log(seen * total / (of_char[rows] * of_company[columns] ** 0.75 * total**0.25))
    weighed = sparse.csr_matrix((np.maximum(share, 0.0), (rows, columns)), shape=counts.shape)
    left, strength, _ = svds(weighed, k=_DIMENSIONS, v0=np.ones(min(counts.shape)))
    points = left * np.sqrt(strength)
    points /= np.linalg.norm(points, axis=1, keepdims=True) + 1e-9
    enough = of_char > _LEAST_SEEN
    found = MiniBatchKMeans(COUNT, random_state=0, n_init=5, batch_size=4096).fit(points[enough])
    groups: list[list[str]] = [[] for _ in range(COUNT)]
    for char, label in zip((c for c, good in zip(chars, enough, strict=True) if good), found.labels_, strict=True):
        groups[label].append(char)
    return tuple("".join(group) for group in groups)


def _count(beside: Counter[tuple[str, str]], text: str, weight: float) -> None:
    text = _EDGE + text + _EDGE
    for distance, names, share in ((1, "RL", weight), (2, "rl", weight / 2)):
        for first, second in zip(text, text[distance:], strict=False):
            beside[first, names[0] + second] += share  # type: ignore[assignment]
            beside[second, names[1] + first] += share  # type: ignore[assignment]
