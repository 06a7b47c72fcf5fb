"""JSON Schemas of the files that a user writes, for editors, and of the receipt: ``configs/schema/*.schema.json``.

Contract: made from the models that read (and write) the files, so that both know the same keys; ``python -m flows.schemas`` writes them
anew, and a test holds them to the models. What only a second look finds (a voice that is not there, two names for one
role) is for ``voicepress lint``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from common.files import write_text
from common.places import CONFIGS
from flows.castfile import CastFile
from flows.config import BookFile
from flows.seriesfile import SeriesFile
from tasks.publish.receipt import json_schema as receipt_schema
from tasks.script.lexicon import LexiconFile
from tasks.script.schema import schema as script_schema
from tasks.script.style import StyleTable

FOLDER = CONFIGS / "schema"
_MODELS: dict[str, tuple[str, type[BaseModel]]] = {
    "book": ("A voicepress book.yaml", BookFile),
    "cast": ("A voicepress cast.yaml", CastFile),
    "lexicon": ("A voicepress lexicon.yaml", LexiconFile),
    "series": ("A voicepress series.yaml", SeriesFile),
    "styles": ("A voicepress table of styles", StyleTable),
}


def schemas() -> dict[str, dict[str, Any]]:
    """The schemas by the name of their kind of file, ``script`` and ``receipt`` among them."""
    made = {
        name: _schema(title, model.model_json_schema(mode="validation")) for name, (title, model) in _MODELS.items()
    }
    return made | {"script": script_schema(), "receipt": _schema("A voicepress receipt.json", receipt_schema())}


def _schema(title: str, plain: dict[str, Any]) -> dict[str, Any]:
    plain.pop("description", None)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **plain, "title": title}


def text_of(schema: dict[str, Any]) -> str:
    """A schema as its file holds it."""
    return json.dumps(schema, ensure_ascii=False, indent=1) + "\n"


def write(folder: Path = FOLDER) -> None:
    """Write every schema to ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        write_text(folder / f"{name}.schema.json", text_of(schema))


if __name__ == "__main__":
    write()
