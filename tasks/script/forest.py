"""Small boosted trees as plain arrays: read from a file of the project, run with numpy.

Contract: a tree of depth d is perfect: node k has the children 2k + 1 and 2k + 2, ``features`` and ``thresholds`` are
(trees, 2^d - 1), ``values`` (trees, 2^d). A row goes right where its feature is greater than the threshold; a row's score
is the sum of the leaves it reaches. Same input, same scores. Method: Friedman, "Greedy function approximation" (2001).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROWS_AT_ONCE = 512


@dataclass(frozen=True, slots=True)
class Forest:
    """``features`` (trees, 2^depth - 1) int16, ``thresholds`` likewise float32, ``values`` (trees, 2^depth) float32."""

    features: NDArray[np.int16]
    thresholds: NDArray[np.float32]
    values: NDArray[np.float32]

    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """The score of each of ``rows`` (rows, features)."""
        import numpy as np

        trees, inner = self.features.shape
        depth = (inner + 1).bit_length() - 1
        features, thresholds = self.features.ravel().astype(np.intp), self.thresholds.ravel()
        values, width = self.values.ravel(), self.values.shape[1]
        out = np.zeros(len(rows))
        base = np.arange(trees) * inner
        leaf_base = np.arange(trees) * width - inner
        for low in range(0, len(rows), _ROWS_AT_ONCE):
            part = np.ascontiguousarray(rows[low : low + _ROWS_AT_ONCE])
            flat = part.ravel()
            starts = (np.arange(len(part)) * part.shape[1])[:, None]
            node = np.zeros((len(part), trees), np.intp)
            for _ in range(depth):
                at = node + base
                node = 2 * node + 1 + (flat[features[at] + starts] > thresholds[at])
            out[low : low + _ROWS_AT_ONCE] = values[node + leaf_base].sum(axis=1, dtype=np.float64)
        return out

    def arrays(self, name: str) -> dict[str, Any]:
        """What ``load`` reads under ``name``."""
        return {f"{name}_features": self.features, f"{name}_thresholds": self.thresholds, f"{name}_values": self.values}


def load(path: Path, name: str) -> Forest:
    """The forest ``name`` of an npz file."""
    import numpy as np

    with np.load(path, allow_pickle=False) as data:
        return Forest(data[f"{name}_features"], data[f"{name}_thresholds"], data[f"{name}_values"])
