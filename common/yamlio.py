"""YAML from strangers, safely, with line numbers in every complaint.

Contract: ``load_model`` reads a YAML file into a pydantic model. Only plain YAML types exist here (no tags run
code); a file that is too big, nests too deep or grows without bound through aliases is refused; duplicate and
unknown keys are errors, the latter with the nearest known key; every error names file, line and key.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from common.errors import VoicepressError, plain
from common.files import read_file, require_file

MAX_BYTES = 16 * 1024 * 1024
MAX_NODES = 1_000_000
MAX_DEPTH = 50

_MESSAGES = (
    dict.fromkeys(
        ("dict_type", "mapping_type", "model_type", "model_attributes_type"), "must be keys with values (key: value)"
    )
    | dict.fromkeys(("tuple_type", "list_type", "set_type"), "must be a list ([one, another])")
    | dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "must be a whole number")
    | dict.fromkeys(("float_type", "float_parsing"), "must be a number")
    | dict.fromkeys(("bool_type", "bool_parsing"), "must be true or false")
    | {"string_type": "must be text (numbers and dates in quotes)", "invalid_key": "a key must be text (in quotes)"}
)
"""What pydantic says in the words of Python, in words for people."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Model = TypeVar("_Model", bound=BaseModel)


class Strict(BaseModel):
    """Base of every model that is read from YAML: unknown keys are errors, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def load_model(path: Path, model: type[_Model], what: str) -> _Model:
    """Read ``path`` as YAML and validate it as ``model``; ``what`` names the kind of file in errors."""
    return load_with_model(path, model, what)[0]


def load_with_model(path: Path, model: type[_Model], what: str) -> tuple[_Model, yaml.Node | None]:
    """As ``load_model``, with the node tree (for ``line_of``)."""
    return _validated(*load_with_lines(path, what), path, model, what)


def parse_with_model(text: str, path: Path, model: type[_Model], what: str) -> tuple[_Model, yaml.Node | None]:
    """As ``load_with_model``, from text; ``path`` only names it."""
    return _validated(*parse_with_lines(text, path, what), path, model, what)


def _validated(
    value: Any, node: yaml.Node | None, path: Path, model: type[_Model], what: str
) -> tuple[_Model, yaml.Node | None]:
    if value is None:
        raise VoicepressError(
            "empty-file", f"{what} is empty", file=path, hint="start from one of the shipped examples"
        )
    try:
        return model.model_validate(value), node
    except ValidationError as error:
        raise explain(error, path, node, model, what) from error


def load_with_lines(path: Path, what: str) -> tuple[Any, yaml.Node | None]:
    """The plain value of a YAML file and its node tree (for ``line_of``)."""
    require_file(path, what)
    if path.stat().st_size > MAX_BYTES:
        raise VoicepressError(
            "too-big", f"{what} has more than {MAX_BYTES // 2**20} MiB", file=path, hint="is it the right file?"
        )
    data = read_file(path, what)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise VoicepressError(
            "not-utf8", f"{what} is not UTF-8", file=path, line=line, hint="save it as UTF-8"
        ) from error
    return parse_with_lines(text, path, what)


def parse_with_lines(text: str, path: Path | str, what: str) -> tuple[Any, yaml.Node | None]:
    """As ``load_with_lines``, from text; ``path`` only names it."""
    loader = None
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return None, None
        _refuse_bombs(node, path, what)
        _refuse_duplicates(node, path, what)
        return loader.construct_document(node), node
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(part for part in (error.context, error.problem) if part)
        if "could not determine a constructor" in problem:
            problem = f"the tag in {problem.split('the tag ')[-1]} is not allowed; only plain YAML is read"
        raise VoicepressError(
            "bad-yaml", f"{what} is not valid YAML: {problem}", file=path,
            line=None if mark is None else mark.line + 1, hint="mind indentation, colons and quotation marks",
        ) from error  # fmt: skip
    except yaml.YAMLError as error:
        raise VoicepressError(
            "bad-yaml", f"{what} is not valid YAML: {error}", file=path, hint="mend the file"
        ) from error
    except RecursionError as error:
        raise VoicepressError("bad-yaml", f"{what} nests too deep", file=path, hint="is it the right file?") from error
    except (ValueError, OverflowError) as error:  # e.g. the date 2024-13-45
        raise VoicepressError(
            "bad-yaml", f"{what} holds a value that cannot be read: {error}", file=path, hint="put it in quotes"
        ) from error
    finally:
        if loader is not None:
            loader.dispose()


def line_of(node: yaml.Node | None, location: Sequence[str | int]) -> int | None:
    """The 1-based line of the innermost node on the way to ``location`` that exists."""
    line = None
    for step in (*location, None):
        if node is None:
            return line
        line = node.start_mark.line + 1
        if step is None:
            return line
        if isinstance(node, yaml.MappingNode):
            for key, child in node.value:
                if key.value == str(step):
                    line, node = key.start_mark.line + 1, child
                    break
            else:
                continue  # pydantic names unions and validators in locations: such a step has no node
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
    return line


def explain(
    error: ValidationError, path: Path | str, node: yaml.Node | None, model: type[BaseModel], what: str
) -> VoicepressError:
    """The first finding of a validation as one error with line, key and advice; further ones are counted."""
    findings = sorted(error.errors(), key=lambda finding: finding["type"] != "extra_forbidden")  # a slip explains a gap
    first = findings[0]
    location = tuple(first["loc"])
    key = ".".join(str(step) for step in location)
    hint = ""
    if first["type"] == "extra_forbidden":
        known = _known_keys(model, location)
        near = difflib.get_close_matches(str(location[-1]), known, n=1, cutoff=0.5)
        message = f"unknown key '{location[-1]}'"
        hint = f"did you mean '{near[0]}'?" if near else f"known keys: {', '.join(sorted(known))}"
    elif first["type"] == "missing":
        message = f"the key '{location[-1]}' is missing"
        hint = "add it"
    else:
        message = _MESSAGES.get(first["type"], "")
        message = message or first["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
        given = first.get("input")
        if isinstance(given, str | int | float | bool) or given is None:
            message += " (nothing is given)" if given is None else f" (given: {plain(repr(given), 100)})"
    if len(findings) > 1:
        message += f"; {len(findings) - 1} more problem{'s' if len(findings) > 2 else ''} in this file"
    return VoicepressError(
        "bad-config",
        f"{what}: {message}",
        file=path,
        line=line_of(node, location),
        key=key,
        hint=hint or "mend the value",
    )


def _known_keys(model: type[BaseModel], location: Sequence[str | int]) -> list[str]:
    current: Any = model
    for step in location[:-1]:
        fields = getattr(current, "model_fields", None)
        if fields is not None and str(step) in fields:
            current = fields[str(step)].annotation
        current = _model_inside(current)
    fields = getattr(_model_inside(current), "model_fields", {})
    return [field.alias or name for name, field in fields.items()]


def _model_inside(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _model_inside(argument)
        if isinstance(found, type) and issubclass(found, BaseModel):
            return found
    return annotation


def _refuse_bombs(node: yaml.Node, path: Path | str, what: str) -> None:
    """Count nodes as a reader would expand them, aliases included; refuse cycles and depth."""
    sizes: dict[int, int] = {}
    on_path: set[int] = set()

    def size(current: yaml.Node, depth: int) -> int:
        if depth > MAX_DEPTH or id(current) in on_path:
            raise VoicepressError(
                "bad-yaml",
                f"{what} nests too deep",
                file=path,
                line=current.start_mark.line + 1,
                hint="is it the right file?",
            )
        if id(current) in sizes:
            return sizes[id(current)]
        on_path.add(id(current))
        total = 1
        if isinstance(current, yaml.MappingNode):
            total += sum(size(key, depth + 1) + size(value, depth + 1) for key, value in current.value)
        elif isinstance(current, yaml.SequenceNode):
            total += sum(size(item, depth + 1) for item in current.value)
        on_path.discard(id(current))
        sizes[id(current)] = total
        if total > MAX_NODES:
            raise VoicepressError(
                "bad-yaml",
                f"{what} grows without bound through its aliases",
                file=path,
                line=current.start_mark.line + 1,
                hint="write the values out",
            )
        return total

    size(node, 0)


def _refuse_duplicates(node: yaml.Node, path: Path | str, what: str) -> None:
    seen_nodes: set[int] = set()
    stack = [node]
    while stack:
        current = stack.pop()
        if id(current) in seen_nodes:
            continue
        seen_nodes.add(id(current))
        if isinstance(current, yaml.MappingNode):
            seen: dict[str, int] = {}
            for key, value in current.value:
                if isinstance(key, yaml.ScalarNode):
                    if key.value in seen and key.value != "<<":
                        raise VoicepressError(
                            "bad-config", f"{what}: the key '{key.value}' stands twice (first on line {seen[key.value]})",
                            file=path, line=key.start_mark.line + 1, key=key.value, hint="keep one of them",
                        )  # fmt: skip
                    seen[key.value] = key.start_mark.line + 1
                stack.append(value)
        elif isinstance(current, yaml.SequenceNode):
            stack.extend(current.value)
