"""The schemas for editors and the models that read the files say the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from common.places import CONFIGS, HOME, VOICES
from flows.schemas import FOLDER, schemas

MINIMAL: dict[str, dict[str, Any]] = {
    "book": {"manuscript": "a.txt"}, "cast": {"narrator": {"voice": "v"}}, "lexicon": {}, "series": {"title": "x"}, "styles": {},
}  # fmt: skip


def fits(kind: str, value: object) -> bool:
    schema = schemas()[kind]
    return not list(jsonschema.validators.validator_for(schema)(schema).iter_errors(value))


def keys(schema: dict[str, Any]) -> dict[str, tuple[list[str], list[str]]]:
    """Every mapping of a schema: its keys and those it needs. Versions of pydantic word the rest differently."""
    parts = {"": schema, **schema.get("$defs", {})}
    return {name: (list(one.get("properties", ())), one.get("required", [])) for name, one in parts.items()}


@pytest.mark.parametrize("kind", [*MINIMAL, "script", "receipt"])
def test_the_shipped_files_are_those_of_the_models(kind: str) -> None:
    shipped = json.loads((FOLDER / f"{kind}.schema.json").read_text(encoding="utf-8"))
    assert keys(shipped) == keys(schemas()[kind]), "run python -m flows.schemas"
    jsonschema.validators.validator_for(shipped).check_schema(shipped)


def shipped_files() -> list[tuple[str, Path]]:
    found = [("book", path) for path in sorted((HOME / "manuscripts").glob("*/book.yaml"))]
    found += [("cast", path) for path in sorted((HOME / "manuscripts").glob("*/cast*.yaml"))]
    found += [("cast", path) for path in sorted((VOICES / "casts").glob("*.yaml"))]
    found += [("lexicon", path) for path in sorted((HOME / "manuscripts").glob("*/lexicon.yaml"))]
    return [*found, ("styles", CONFIGS / "styles.yaml")]


@pytest.mark.parametrize(("kind", "path"), shipped_files(), ids=lambda value: getattr(value, "name", value))
def test_our_own_files_fit(kind: str, path: Path) -> None:
    assert fits(kind, yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("kind", "value", "good"),
    [
        ("book", {"engine": "tone"}, True), ("book", {"engine": {"name": "http", "url": "x"}}, True), ("book", {"engine": 3}, False),
        ("book", {"title": 1998}, True), ("book", {"titel": "x"}, False), ("book", {"retakes": 99}, False),
        ("book", {"styles": False}, True), ("book", {"styles": "styles.yaml"}, True),
        ("cast", {"pool": ["a", "b"]}, True), ("cast", {"pool": {"male": ["a"]}}, True), ("cast", {"pool": "a"}, False),
        ("cast", {"characters": {"x": {"moods": {"angry": "y"}}}}, True), ("cast", {"characters": {"x": {"moods": {"odd": "y"}}}}, False),
        ("cast", {"characters": {"x": {"chapters": {"12-": {"speed": 1.1}}}}}, True),
        ("lexicon", {"entries": {"重庆": "chong2 qing4", "GPU": {"spoken": "显卡"}}}, True), ("lexicon", {"entries": {"x": {"phone": "a"}}}, False),
        ("lexicon", {"entries": {"长": [{"phones": "zhang3", "before": "队"}]}}, True),
        ("series", {"autor": "y"}, False),
        ("styles", {"zh": [{"says": "x", "style": "y", "mood": "sad"}]}, True), ("styles", {"zh": [{"says": "x", "style": "y"}]}, False),
    ],
)  # fmt: skip
def test_values_are_judged_as_the_models_judge_them(kind: str, value: dict[str, Any], good: bool) -> None:
    assert fits(kind, MINIMAL[kind] | value) is good
