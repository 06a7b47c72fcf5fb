"""A folder of golden numbers: a model directory ``tiny-model/`` and, in ``golden/``, ``cases.json`` and the arrays.

Contract: nothing here knows a size, a rate or a text; all of it is read from the folder.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from common.errors import VoicepressError

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Result:
    """``stage`` of ``case`` came within ``error`` of the golden number; more than ``limit`` is too much.

    Exact quantities count what differs, with limit 0. ``case`` is ``batch`` where all cases shared one batch.
    """

    stage: str
    case: str
    error: float
    limit: float

    @property
    def passed(self) -> bool:
        return self.error <= self.limit  # false for NaN


@dataclass(frozen=True, slots=True)
class Case:
    """One golden run: what ``cases.json`` says of it, and its arrays."""

    id: str
    facts: dict[str, Any]
    arrays: dict[str, Array]

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]

    def __contains__(self, name: str) -> bool:
        return name in self.arrays


class Fixture:
    """Errors: ``VoicepressError`` naming what the folder lacks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model_dir = folder / "tiny-model"
        self.golden = folder / "golden"
        for path in (self.model_dir, self.golden / "cases.json"):
            if not path.exists():
                raise VoicepressError(
                    "no-fixture", f"{folder} has no {path.relative_to(folder)}", file=folder,
                    hint="name a folder with tiny-model/ and golden/",
                )  # fmt: skip

    @cached_property
    def index(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.golden / "cases.json").read_text(encoding="utf-8"))
        return found

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The offline cases, in the order of ``cases.json``."""
        loaded = []
        for facts in self.index["cases"]:
            with np.load(self.golden / f"{facts['id']}.npz") as arrays:
                loaded.append(Case(facts["id"], facts, {name: arrays[name] for name in arrays.files}))
        return tuple(loaded)


def worst(ours: Any, golden: Array, relative: bool = False) -> float:
    """The greatest absolute (or relative) difference; NaN where a number is none, infinite where the shapes differ."""
    mine = np.asarray(ours)
    if mine.shape != golden.shape:
        return float("inf")
    if not mine.size:
        return 0.0
    difference = np.abs(mine.astype(np.float64) - golden.astype(np.float64))
    if relative:
        difference = difference / np.maximum(np.abs(golden.astype(np.float64)), 1e-12)
    return float(np.max(difference))


def mismatches(ours: Any, golden: Array) -> float:
    """How many elements differ; all of the longer one's where the shapes differ."""
    mine = np.asarray(ours)
    if mine.shape != golden.shape:
        return float(max(mine.size, golden.size, 1))
    return float(np.count_nonzero(mine != golden))


__all__ = ["Case", "Fixture", "Result", "mismatches", "worst"]
