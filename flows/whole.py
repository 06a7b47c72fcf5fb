"""Passing things to Prefect tasks in one piece."""

from __future__ import annotations

from typing import TypeVar, cast

from prefect.utilities.annotations import quote

_T = TypeVar("_T")


def whole(value: _T) -> _T:
    """``value`` as a task's argument, which the task receives unchanged: Prefect neither walks through it nor tracks
    it. A book has many thousands of lines, and walking costs more than recording them with the tone engine."""
    return cast(_T, quote(value))
