"""What is wrong with a book's files: one list, for people and for programs.

Contract: ``Problems`` gathers and never raises; the same problem is kept once. A pydantic error is taken apart into its
findings, each with its own line. ``render`` fits 100 columns whatever the files are called.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ValidationError

from common.errors import VoicepressError, plain
from common.terminal import width
from common.yamlio import explain, load_with_lines

Level = Literal["error", "warning"]
COLUMNS = 100
_INDENT = 4


@dataclass(frozen=True, slots=True)
class Problem:
    """``file`` as the user may open it, ``line`` 1-based; ``code`` is stable; ``hint`` says what to do."""

    level: Level
    code: str
    what: str
    file: str = ""
    line: int | None = None
    key: str = ""
    hint: str = ""


class Problems:
    """The problems found so far, in the order of finding."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Problem] = {}

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._found.values())

    def errors(self) -> int:
        return sum(one.level == "error" for one in self)

    def add(self, problem: Problem) -> None:
        place = (problem.code, problem.file, problem.line, problem.key, problem.what)
        self._found.setdefault(place, problem)

    def error(self, error: VoicepressError, level: Level = "error") -> None:
        """Take in an error; its ``where`` becomes the place."""
        self.add(Problem(level, error.code, error.what, error.file or "", error.line, error.key or "", error.hint))

    def warn(
        self, code: str, what: str, file: Path | None = None, line: int | None = None, hint: str = "", key: str = ""
    ) -> None:
        self.add(Problem("warning", code, what, "" if file is None else str(file), line, key, hint))

    @contextmanager
    def catching(self, model: type[BaseModel] | None = None, what: str = "") -> Iterator[None]:
        """What is raised inside is taken in. With ``model``, the one that was read, every finding of it counts."""
        try:
            yield
        except VoicepressError as error:
            if model is not None and isinstance(error.__cause__, ValidationError) and error.file:
                for one in _each(error.__cause__, Path(error.file), model, what):
                    self.error(one)
            else:
                self.error(error)


def _each(error: ValidationError, path: Path, model: type[BaseModel], what: str) -> Iterator[VoicepressError]:
    """One error for each finding of a validation."""
    node: yaml.Node | None = load_with_lines(path, what)[1]
    for found in error.errors():
        detail: Any = {name: found[name] for name in ("type", "loc", "input", "ctx") if name in found}
        alone = ValidationError.from_exception_data(error.title, [detail])
        yield explain(alone, path, node, model, what)


def to_json(found: Sequence[Problem]) -> str:
    """All problems as JSON, with the counts."""
    errors = sum(one.level == "error" for one in found)
    value = {"errors": errors, "warnings": len(found) - errors, "problems": [asdict(one) for one in found]}
    return json.dumps(value, ensure_ascii=False, indent=1)


def render(found: Sequence[Problem], shown: Callable[[Path], str] = str) -> str:
    """The problems as a person reads them: by file, in the order of lines."""
    rows: list[str] = []
    files = list(dict.fromkeys(one.file for one in found))
    for file in files:
        if rows:
            rows.append("")
        rows += wrapped(shown(Path(file)) if file else "the book", 0)
        own = sorted((one for one in found if one.file == file), key=lambda one: one.line or 0)
        for one in own:
            place = f"{one.line}: " if one.line else ""
            rows += wrapped(f"{place}{one.level} [{one.code}]: {plain(one.what, 600)}", 2)
            if one.hint:
                rows += wrapped(f"to do: {plain(one.hint, 400)}", 2 + _INDENT)
    errors = sum(one.level == "error" for one in found)
    warnings = len(found) - errors
    if rows:
        rows.append("")
    rows.append(f"{_count(errors, 'error')}, {_count(warnings, 'warning')}" if found else "nothing to mend")
    return "\n".join(rows)


def _count(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


def wrapped(text: str, indent: int, columns: int = COLUMNS) -> list[str]:
    """``text`` in rows of at most ``columns``, broken between words, and within what has no spaces (Chinese, paths)."""
    rows: list[str] = []
    row, used = "", indent
    for word in _words(text):
        room = columns - (indent if not rows else indent + _INDENT)
        used = width(row)
        if row and used + width(word.rstrip()) > room:
            rows.append(row.rstrip())
            row = ""
            room = columns - indent - _INDENT
        while width(word.rstrip()) > room:
            cut = next(place for place in range(1, len(word) + 1) if width(word[:place]) > room) - 1
            rows.append(word[:cut])
            word = word[cut:]
            room = columns - indent - _INDENT
        row += word
    rows.append(row.rstrip())
    return [" " * (indent if place == 0 else indent + _INDENT) + one for place, one in enumerate(rows)]


def _words(text: str) -> list[str]:
    """Words with the space behind them; every wide character is a word of its own."""
    words: list[str] = []
    current = ""
    for char in text:
        if width(char) == 2:
            if current:
                words.append(current)
            words.append(char)
            current = ""
        elif char == " ":
            words.append(current + " ")
            current = ""
        else:
            current += char
    return [*words, current] if current else words
