"""The project's own table of written and spoken forms, and how a spoken form is compared."""

from __future__ import annotations

import json
import unicodedata
from functools import cache
from pathlib import Path

from tasks.script.normalize import normalize

_TABLE = Path(__file__).parents[2] / "data" / "tn_own.jsonl"


def bare(text: str) -> str:
    """After NFKC, in lower case, without marks and spaces."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(sign for sign in folded if unicodedata.category(sign)[0] not in "PZC")


@cache
def rows() -> tuple[tuple[str, str, str, tuple[str, ...]], ...]:
    """Language, kind, written form, accepted spoken forms."""
    loaded = (json.loads(line) for line in _TABLE.read_text(encoding="utf-8").splitlines())
    return tuple((row["language"], row["kind"], row["written"], tuple(row["accept"])) for row in loaded)


def kinds(language: str) -> list[str]:
    return sorted({kind for spoken_in, kind, _, _ in rows() if spoken_in == language})


def misread(language: str, kind: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """Written form, what we say, what is accepted, for each row of the kind that we say otherwise."""
    return [
        (written, normalize(written, language).spoken, accepted)
        for spoken_in, its_kind, written, accepted in rows()
        if (spoken_in, its_kind) == (language, kind)
        and bare(normalize(written, language).spoken) not in {bare(form) for form in accepted}
    ]
