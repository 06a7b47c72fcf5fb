"""The thresholds of the signal check, from ``configs/check.yaml`` or a file of the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from common.places import CONFIGS
from common.yamlio import Strict, load_model
from tasks.domain import SCHEMA

DEFAULT_FILE = CONFIGS / "check.yaml"


class EarFile(Strict):
    """Who listens: ``model`` is ``base`` (embedded) or a folder with a CTranslate2 Whisper."""

    model: str = "base"
    device: Literal["cpu", "cuda", "auto"] = "cpu"
    compute_type: str = "int8"
    threads: int = Field(default=1, ge=1, le=64)


class CheckLimits(Strict):
    """See the comments in ``configs/check.yaml``. A key that is left out keeps the value it has here."""

    schema_number: int = Field(default=SCHEMA, alias="schema")
    han_per_second: float = Field(default=5.0, gt=0.0, le=50.0)
    letters_per_second: float = Field(default=15.0, gt=0.0, le=100.0)
    spelled_per_second: float = Field(default=3.5, gt=0.0, le=100.0)
    clause_pause_seconds: float = Field(default=0.20, ge=0.0, le=5.0)
    sentence_pause_seconds: float = Field(default=0.35, ge=0.0, le=5.0)
    shortest_ratio: float = Field(default=0.5, gt=0.0, lt=1.0)
    longest_ratio: float = Field(default=1.9, gt=1.0, le=100.0)
    shortest_slack_seconds: float = Field(default=0.25, ge=0.0, le=10.0)
    longest_slack_seconds: float = Field(default=0.7, ge=0.0, le=10.0)
    longest_gap_seconds: float = Field(default=1.0, gt=0.0, le=60.0)
    longest_head_seconds: float = Field(default=2.5, gt=0.0, le=60.0)
    longest_tail_seconds: float = Field(default=3.0, gt=0.0, le=60.0)
    cut_off_db: float = Field(default=30.0, gt=0.0, le=60.0)
    quietest_db: float = Field(default=-45.0, ge=-90.0, le=0.0)
    loudest_db: float = Field(default=-6.0, ge=-60.0, le=20.0)
    largest_dc: float = Field(default=0.01, gt=0.0, le=1.0)
    most_clipped_runs: int = Field(default=3, ge=0)

    # How many times faster or slower than the voice's usual pace
    fastest_pace: float = Field(default=0.72, gt=0.0, lt=1.0)
    slowest_pace: float = Field(default=1.4, gt=1.0, le=100.0)
    longest_unmarked_gap_seconds: float = Field(default=0.7, gt=0.0, le=60.0)
    click_factor: float = Field(default=4.8, gt=1.0, le=1000.0)
    largest_edge: float = Field(default=0.02, gt=0.0, le=1.0)
    level_seconds: float = Field(default=1.0, ge=0.0, le=60.0)
    level_off_db: float = Field(default=2.2, gt=0.0, le=60.0)
    level_step_db: float = Field(default=9.0, gt=0.0, le=60.0)
    least_noise_db: float = Field(default=30.0, ge=0.0, le=120.0)
    least_likeness: float = Field(default=0.75, ge=-1.0, le=1.0)
    likeness_seconds: float = Field(default=1.5, ge=0.0, le=60.0)
    likeness_margin: float = Field(default=0.05, ge=-1.0, le=2.0)
    # Units are syllables of Chinese, words of other languages; particles, interjections and articles do not count.
    least_units: int = Field(default=4, ge=1, le=100)
    least_omission: float = Field(default=1.0, ge=0.5, le=100.0)
    least_insertion: float = Field(default=2.0, ge=0.5, le=100.0)
    least_substitution: float = Field(default=1.3, ge=0.1, le=100.0)
    least_word_substitution: float = Field(default=0.7, ge=0.1, le=100.0)
    largest_error: float = Field(default=0.35, gt=0.0, le=10.0)
    suspect_error: float = Field(default=0.25, gt=0.0, le=10.0)
    foreign_error: float = Field(default=0.5, gt=0.0, le=10.0)
    ear: EarFile = EarFile()

    @field_validator("schema_number")
    @classmethod
    def _known_schema(cls, number: int) -> int:
        if number != SCHEMA:
            raise ValueError(f"this version reads schema {SCHEMA}")
        return number


def load_limits(path: Path | None = None) -> CheckLimits:
    """The limits in ``path``, or those that ship."""
    return load_model(path or DEFAULT_FILE, CheckLimits, "the check's limits")
