"""Rules for characters whose reading hangs on grammar, not on a fixed phrase: 得 地 着 为 还 了 长 行 …

Contract: ``Rules.judge(text, place, single)`` gives the reading that the context demands, or ``None`` where the rules
have no opinion. The rules are data (``configs/lexicon/rules.yaml``): for each character, in order, what must stand
before it and after it. Strong rules overrule a phrase of the dictionary, weak ones only speak where the character
stood alone. Only frequent and safe cases are there; a single phrase belongs in the house lexicon.
"""

from __future__ import annotations

import re
import threading
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, field_validator

from common.errors import VoicepressError
from common.places import CONFIGS
from common.yamlio import Strict, load_model
from tasks.domain import SCHEMA
from tasks.script.pinyin import to_digits

_SIGHT = 9
"""How many characters to either side a rule can see."""


class RuleEntry(Strict):
    """One rule as it stands in YAML."""

    read: str
    before: str = ""
    after: str = ""
    strong: bool = False

    @field_validator("read")
    @classmethod
    def _syllable(cls, value: str) -> str:
        if to_digits(value) != value:
            raise ValueError("not a pinyin syllable with tone digit")
        return value


class RulesFile(Strict):
    """The file of rules."""

    schema_: int = Field(default=SCHEMA, alias="schema")
    sets: dict[str, str] = Field(default_factory=dict)
    rules: dict[str, list[RuleEntry]]


class Rule(NamedTuple):
    """``kind``: ``S`` for strong, ``w`` for weak, ``o`` for one without conditions. ``name`` changes with its content."""

    phones: str
    before: re.Pattern[str] | None
    after: re.Pattern[str] | None
    kind: str
    name: str


class Rules:
    """The rules of a file, compiled. ``characters`` are those that have any."""

    def __init__(self, path: Path) -> None:
        model = load_model(path, RulesFile, "the file of reading rules")
        self._table: Mapping[str, list[Rule]] = {
            char: [_compiled(entry, model.sets, char, path) for entry in entries]
            for char, entries in model.rules.items()
        }
        self.characters = frozenset(self._table)

    def judge(self, text: str, place: int) -> Rule | None:
        """The rule that the context of ``text[place]`` meets first: strong ones overrule phrases, weak ones do not."""
        head, tail = text[max(0, place - _SIGHT) : place], text[place + 1 : place + 1 + _SIGHT]
        for rule in self._table.get(text[place], ()):
            if (rule.before is None or rule.before.search(head)) and (rule.after is None or rule.after.match(tail)):
                return rule
        return None


def _compiled(entry: RuleEntry, sets: Mapping[str, str], char: str, path: Path) -> Rule:
    before, after = entry.before, entry.after
    for name, content in sets.items():
        before, after = before.replace(f"{{{name}}}", content), after.replace(f"{{{name}}}", content)
    try:
        return Rule(
            entry.read,
            re.compile(f"(?:{before})$") if before else None,
            re.compile(after) if after else None,
            "S" if entry.strong else "w" if before or after else "o",
            f"{zlib.crc32(f'{before} {after}'.encode()):x}",
        )
    except re.error as error:
        raise VoicepressError(
            "bad-config", f"a rule for {char} is no regular expression: {error}", file=path, key=char, hint="mend it"
        ) from error


_lock = threading.Lock()
_shared: Rules | None = None


def shared() -> Rules:
    """The house rules, loaded when first asked for."""
    global _shared
    if _shared is None:
        with _lock:
            if _shared is None:
                _shared = Rules(CONFIGS / "lexicon" / "rules.yaml")
    return _shared
