"""How a line of dialogue is said, from the verb that introduces it.

The door for later, deeper work: a table of verb patterns in ``configs/styles.yaml``, tried in order.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from common.places import CONFIGS
from common.yamlio import Strict, load_model


class StyleRule(Strict):
    """``says`` is a regular expression found in the words that introduce a quotation; ``style`` the instruction."""

    says: str
    style: str


class StyleTable(Strict):
    """The file ``configs/styles.yaml``."""

    zh: tuple[StyleRule, ...] = ()
    en: tuple[StyleRule, ...] = ()


@lru_cache(maxsize=8)
def _table(path: Path) -> dict[str, tuple[tuple[re.Pattern[str], str], ...]]:
    table = load_model(path, StyleTable, "the table of styles")
    return {
        language: tuple((re.compile(rule.says), rule.style) for rule in rules)
        for language, rules in (("zh", table.zh), ("en", table.en))
    }


def line_style(introduction: str, language: str = "zh", path: Path | None = None) -> str:
    """The style that ``introduction`` (他低声说道) asks for, or an empty string."""
    if not introduction:
        return ""
    for pattern, style in _table(path or CONFIGS / "styles.yaml")[language]:
        if pattern.search(introduction):
            return style
    return ""
