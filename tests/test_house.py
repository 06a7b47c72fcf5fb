"""Rules of the house that import-linter cannot say: size of modules, heavy packages, names of tests."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("common", "engines", "tasks", "flows", "benchmarks")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MAX_LINES = 400
HEAVY = (
    "prefect",
    "torch",
    "onnxruntime",
    "onnx",
    "scipy",
    "jieba",
    "pypinyin",
    "wetext",
    "lxml",
    "docx",
    "pydub",
    "faster_whisper",
)
TORCH_ROOMS = ("engines/cosyvoice3/", "engines/memory.py", "benchmarks/parity/", "benchmarks/cosyvoice3")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), name_of(path))


def imports(tree: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """Every package named by an import anywhere in ``tree``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.split(".")[0], node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0], node


def at_import_time(tree: ast.Module) -> Iterator[str]:
    """The packages that importing the module imports: not those inside functions or under TYPE_CHECKING."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (name for name, _ in imports(node))
        for block in ("body", "orelse", "finalbody"):
            waiting += getattr(node, block, [])
        for handler in getattr(node, "handlers", []):
            waiting += handler.body


def loaded_by(*modules: str) -> set[str]:
    """The heavy packages in a fresh interpreter after importing ``modules``."""
    code = f"import importlib, json, sys\nfor name in {modules!r}: importlib.import_module(name)\nprint(json.dumps([n for n in {HEAVY!r} if n in sys.modules]))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_no_module_is_longer_than_400_lines() -> None:
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert lengths
    assert {name: lines for name, lines in lengths.items() if lines > MAX_LINES} == {}


def test_every_module_says_what_it_is_for() -> None:
    def bare(path: Path) -> bool:
        text = path.read_text(encoding="utf-8")
        return bool(text.strip()) and not ast.get_docstring(ast.parse(text, name_of(path)))

    assert [name_of(path) for path in MODULES if bare(path)] == []


def test_torch_is_imported_in_its_rooms_only() -> None:
    found = [name_of(path) for path in MODULES if any(name == "torch" for name, _ in imports(parsed(path)))]
    assert [name for name in found if not name.startswith(TORCH_ROOMS)] == []


def test_the_memory_module_imports_torch_lazily() -> None:
    path = ROOT / "engines" / "memory.py"
    assert "torch" not in set(at_import_time(parsed(path)))


def test_prefect_is_imported_in_flows_and_task_modules_only() -> None:
    found = [name_of(path) for path in MODULES if any(name == "prefect" for name, _ in imports(parsed(path)))]
    allowed = [
        name
        for name in found
        if name.startswith(("flows/", "benchmarks/")) or (name.startswith("tasks/") and name.endswith("/task.py"))
    ]
    assert found == allowed


def test_the_command_line_loads_nothing_heavy() -> None:
    assert loaded_by("flows.cli") == set()


def test_engines_and_rooms_can_be_named_without_loading_anything_heavy() -> None:
    packages = sorted(
        ".".join(path.parent.relative_to(ROOT).parts)
        for package in PACKAGES
        for path in (ROOT / package).rglob("__init__.py")
    )
    assert {"tasks.read", "tasks.publish", "engines"} <= set(packages)
    assert (
        loaded_by(*packages, "engines.base", "engines.registry", "engines.memory", "tasks.domain", "common.yamlio")
        == set()
    )


def test_every_test_stands_where_its_module_stands() -> None:
    """``tests/tasks/script/test_split.py`` tests ``tasks/script/split.py``; ``test_takes_crash.py`` is one more on takes.py.

    A test of a whole folder bears the folder's name (``tests/test_manuscripts.py``) or begins with ``test_real_`` or
    ``test_whole_`` (``tests/tasks/check/test_real_speech.py``: the room with real speech).
    """
    strays = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if path == Path(__file__).resolve():
            continue
        folder = ROOT / path.parent.relative_to(ROOT / "tests")
        words = path.stem.removeprefix("test_").split("_")
        if words[0] in ("real", "whole") and folder.is_dir():
            continue
        names = ["_".join(words[:count]) for count in range(len(words), 0, -1)]
        if not any(
            (folder / f"{name}.py").exists() or (folder / name).is_dir() or name == folder.name for name in names
        ):
            strays.append(name_of(path))
    assert strays == []


def test_tests_are_no_packages() -> None:
    assert [name_of(path) for path in (ROOT / "tests").rglob("__init__.py")] == []


@pytest.mark.skipif(os.name == "nt", reason="the CI script is for a POSIX shell")
def test_the_ci_script_can_be_run() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
    done = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_demo_command_of_the_readme_names_a_book_that_ships() -> None:
    import bootstrap

    assert (ROOT / bootstrap.DEMO_BOOK).is_file()
