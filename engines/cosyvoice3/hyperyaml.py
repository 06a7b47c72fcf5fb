"""YAML with HyperPyYAML's tags, read as plain data.

Contract: ``read_tagged_yaml`` walks the node tree itself and builds dicts, lists and scalars; no YAML constructor
runs, so no tag can create anything. ``!ref`` is resolved by name and, where it is arithmetic, by evaluating numbers
and the four operations only. ``Section`` reads typed values out of the result; its errors name file and key.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from common.errors import VoicepressError
from common.files import require_file

MAX_BYTES = 1 << 20
MAX_NODES = 50_000
MAX_DEPTH = 40
_MISSING: Any = object()
_NAME = re.compile(r"<([^<>]+)>")
_FLOAT = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
_OPERATIONS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


class _Ref(str):
    """The text of a ``!ref`` that is not resolved yet."""

    __slots__ = ()


def read_tagged_yaml(path: Path, what: str) -> dict[str, Any]:
    """The file's top mapping as plain data, references resolved. Errors: not there, too big, no YAML, no mapping."""
    require_file(path, what)
    if path.stat().st_size > MAX_BYTES:
        raise _bad(path, f"{what} has more than {MAX_BYTES // 1024} KiB")
    try:
        root = yaml.compose(path.read_bytes().decode("utf-8-sig"), Loader=yaml.SafeLoader)
        tree = _Reader(path, what).plain(root, 0) if root is not None else None
    except UnicodeDecodeError as error:
        raise _bad(path, f"{what} is not UTF-8") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _bad(path, f"{what} is not valid YAML: {error.problem}", mark.line + 1 if mark else None) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise _bad(path, f"{what} is not valid YAML: {error}") from error
    if not isinstance(tree, dict):
        raise _bad(path, f"{what} is not a mapping")
    return _Resolver(tree, path).top()


def _bad(path: Path, what: str, line: int | None = None, key: str | None = None) -> VoicepressError:
    return VoicepressError(
        "bad-model", what, file=path, line=line, key=key, hint="download the file again, or mend it by the released one"
    )


class _Reader:
    """Node tree to plain data. Tags on mappings and sequences are dropped; ``!ref`` becomes ``_Ref``."""

    def __init__(self, path: Path, what: str) -> None:
        self._path, self._what, self._nodes = path, what, 0
        self._scalars: Any = yaml.SafeLoader("")

    def plain(self, node: yaml.Node, depth: int) -> Any:
        self._nodes += 1  # counted as expanded: aliases that grow without bound end here
        if self._nodes > MAX_NODES or depth > MAX_DEPTH:
            raise _bad(self._path, f"{self._what} is too large or nests too deep", node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            return {str(self.plain(key, depth + 1)): self.plain(value, depth + 1) for key, value in node.value}
        if isinstance(node, yaml.SequenceNode):
            return [self.plain(item, depth + 1) for item in node.value]
        if node.tag in ("!ref", "!copy"):
            return _Ref(node.value)
        return self._scalar(node)

    def _scalar(self, node: yaml.Node) -> Any:
        text = str(node.value)
        kind = node.tag.removeprefix("tag:yaml.org,2002:")
        if kind in ("int", "float", "bool", "null"):
            try:
                return self._scalars.construct_object(node)
            except (ValueError, yaml.YAMLError) as error:
                raise _bad(self._path, f"cannot read the value {text!r}", node.start_mark.line + 1) from error
        plain = kind == "str" and getattr(node, "style", None) is None
        return float(text) if plain and _FLOAT.fullmatch(text) else text  # YAML 1.1 takes 1e-06 for a string


class _Resolver:
    """Replaces every ``_Ref``; a reference to itself, directly or in a ring, is an error."""

    def __init__(self, tree: dict[str, Any], path: Path) -> None:
        self._tree, self._path = tree, path
        self._done: dict[str, Any] = {}
        self._open: list[str] = []

    def top(self) -> dict[str, Any]:
        return {key: self._key(key) for key in self._tree}

    def _key(self, key: str) -> Any:
        if key in self._open:
            raise _bad(self._path, f"the reference <{key}> leads back to itself", key=key)
        if key not in self._done:
            self._open.append(key)
            self._done[key] = self._resolve(self._tree[key])
            self._open.pop()
        return self._done[key]

    def _resolve(self, value: Any) -> Any:
        if isinstance(value, _Ref):
            return self._follow(str(value).strip())
        if isinstance(value, dict):
            return {key: self._resolve(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._resolve(item) for item in value]
        return value

    def _follow(self, text: str) -> Any:
        whole = _NAME.fullmatch(text)
        if whole:
            return self._named(whole.group(1))
        filled = _NAME.sub(lambda found: str(self._named(found.group(1))), text)
        try:
            return _calculate(ast.parse(filled, mode="eval").body)
        except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError):
            return filled  # a path such as <folder>/file

    def _named(self, name: str) -> Any:
        """``key``, ``key.inner`` or ``key[inner]``; of a list, the inner name is the place."""
        steps = [step for step in re.split(r"[.\[\]]", name.strip()) if step]
        if not steps or steps[0] not in self._tree:
            raise _bad(self._path, f"the reference <{name}> names nothing in this file", key=name)
        value = self._key(steps[0])
        for step in steps[1:]:
            if isinstance(value, dict) and step in value:
                value = value[step]
            elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
                value = value[int(step)]
            else:
                raise _bad(self._path, f"the reference <{name}> names nothing in this file", key=name)
        return value


def _calculate(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value  # type: ignore[return-value, unused-ignore]
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        return _OPERATIONS[type(node.op)](_calculate(node.left), _calculate(node.right))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATIONS:
        return _OPERATIONS[type(node.op)](_calculate(node.operand))
    raise ValueError("no arithmetic")


class Section:
    """Typed reading of a mapping; ``key`` is its place in the file for errors."""

    def __init__(self, data: Any, path: Path, key: str = "") -> None:
        self._path, self._at = path, key
        if not isinstance(data, dict):
            raise _bad(path, f"'{key or path.name}' must be a mapping", key=key or None)
        self._data: dict[str, Any] = data

    def error(self, key: str, what: str) -> VoicepressError:
        return _bad(self._path, what, key=f"{self._at}.{key}" if self._at else key)

    def has(self, key: str) -> bool:
        return key in self._data

    def section(self, key: str) -> Section:
        if key not in self._data:
            raise self.error(key, f"the key '{key}' is missing")
        return Section(self._data[key], self._path, f"{self._at}.{key}" if self._at else key)

    def integer(self, key: str, default: int = _MISSING) -> int:
        """A whole number of at least 0; ``2.0`` counts as one (arithmetic gives it)."""
        value = self._get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or value < 0:
            raise self.error(key, f"it must be a whole number, not {value!r}")
        return int(value)

    def number(self, key: str, default: float = _MISSING) -> float:
        value = self._get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(key, f"it must be a number, not {value!r}")
        return float(value)

    def optional_number(self, key: str) -> float | None:
        return None if self._data.get(key) is None else self.number(key)

    def text(self, key: str, default: str = _MISSING) -> str:
        value = self._get(key, default)
        if not isinstance(value, str):
            raise self.error(key, f"it must be text, not {value!r}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        return bool(self._data.get(key, default))

    def integers(self, key: str) -> tuple[int, ...]:
        return self._integers(key, self._get(key, _MISSING))

    def integer_lists(self, key: str) -> tuple[tuple[int, ...], ...]:
        value = self._get(key, _MISSING)
        if not isinstance(value, list):
            raise self.error(key, f"it must be a list of lists, not {value!r}")
        return tuple(self._integers(key, item) for item in value)

    def _integers(self, key: str, value: Any) -> tuple[int, ...]:
        if not isinstance(value, list) or not value or not all(type(item) is int and item > 0 for item in value):
            raise self.error(key, f"it must be a list of whole numbers, not {value!r}")
        return tuple(value)

    def _get(self, key: str, default: Any) -> Any:
        value = self._data.get(key, default)
        if value is _MISSING:
            raise self.error(key, f"the key '{key}' is missing")
        return value
