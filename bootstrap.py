"""From a fresh clone to a finished audiobook, or to passed tests, with nothing but Python 3.11 or newer.

    python3 bootstrap.py demo       makes the demo audiobook manuscripts/ferry
    python3 bootstrap.py test       runs the tests; further words go to pytest (bootstrap.py test -k read)

Contract: standard library only. The virtual environment is .venv beside this file. It is filled once and again when
pyproject.toml changes: a stamp in it holds a hash of what was installed, is taken away before an install begins and
written after it has succeeded, so that an interrupted install is seen and redone. The exit code is that of the command
that ran; 2 for bad usage or an older Python, 1 where no environment could be made. Any Python must be
able to read this file, so that an old one can say its one line: no annotations, no f-strings, no new modules at the top.
"""
# Older spellings on purpose.
# ruff: noqa: UP031, RUF005

import hashlib
import os
import re
import shutil
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(ROOT, ".venv")
STAMP = "voicepress-installed"
DEMO_BOOK = os.path.join("manuscripts", "ferry", "book.yaml")
EXTRAS = {"demo": (), "test": ("dev", "ear")}
# What is installed, GB fetched, GB on disk; measured with Python 3.11 on Linux.
SIZES = {
    "demo": ("voicepress with its speech model", 0.3, 1.0),
    "test": ("voicepress and what its tests need", 0.5, 1.5),
}
NEEDED = (3, 11)
ATTEMPTS = 2
WAIT_SECONDS = 3
TAIL_LINES = 12
BIG_MB = 5
USAGE = """usage: python3 bootstrap.py demo [options of voicepress make]
       python3 bootstrap.py test [options of pytest]

demo  installs voicepress into .venv and makes the demo audiobook
test  installs what the tests need as well and runs them
"""


class SetupError(Exception):
    """The environment cannot be made; the message says what to do."""


def say(text):
    """One progress line, at once."""
    sys.stdout.write("bootstrap: " + text + "\n")
    sys.stdout.flush()


def bin_folder(venv):
    return os.path.join(venv, "Scripts" if os.name == "nt" else "bin")


def venv_python(venv):
    return os.path.join(bin_folder(venv), "python.exe" if os.name == "nt" else "python")


def wanted_stamp(root, extras):
    """What a good install for ``extras`` leaves behind: a hash of pyproject.toml, this place, this Python, the extras."""
    with open(os.path.join(root, "pyproject.toml"), "rb") as source:
        project = hashlib.sha256(source.read()).hexdigest()
    place = hashlib.sha256(os.path.realpath(root).encode("utf-8", "surrogateescape")).hexdigest()
    return [project, place, "python %d.%d" % sys.version_info[:2], " ".join(["extras"] + sorted(extras))]


def look(venv, root):
    """``(state, extras)`` of ``venv``. The state is ``good``; ``stale`` (whole, but pyproject.toml has changed since);
    ``broken`` (an install that did not finish, another Python, a folder that was moved); or ``none``."""
    if not os.path.lexists(venv):
        return "none", ()
    try:
        with open(os.path.join(venv, STAMP), encoding="utf-8") as source:
            found = source.read().splitlines()
    except (OSError, ValueError):
        found = []
    if len(found) != 4 or found[3].split()[:1] != ["extras"] or not os.path.exists(venv_python(venv)):
        return "broken", ()
    extras = tuple(found[3].split()[1:])
    wanted = wanted_stamp(root, extras)
    if found[1:] != wanted[1:]:
        return "broken", ()
    return ("good" if found == wanted else "stale"), extras


def make_venv(venv):
    """A virtual environment with pip: the standard library's way, else virtualenv, else uv."""
    say("making the virtual environment " + os.path.relpath(venv, ROOT))
    missing = ""
    try:
        import ensurepip  # noqa: F401  # Debian keeps it in python3-venv; venv fails late and cryptically without it
        import venv as venv_module  # noqa: F401
    except ImportError as error:
        missing = str(error)
    ways = [] if missing else [[sys.executable, "-m", "venv", "--clear", venv]]
    from importlib.util import find_spec

    if find_spec("virtualenv"):
        ways.append([sys.executable, "-m", "virtualenv", "--clear", venv])
    for name, options in (
        ("virtualenv", ["--clear", "-p", sys.executable]),
        ("uv", ["venv", "--seed", "--clear", "-p", sys.executable]),
    ):
        program = shutil.which(name)
        if program:
            ways.append([program] + options + [venv])
    complaints = [missing] if missing else []
    for way in ways:
        done = subprocess.run(way, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode == 0 and os.path.exists(venv_python(venv)):
            return
        complaints.append(done.stdout.decode("utf-8", "replace").strip())
    shown = "\n".join("    " + line for complaint in complaints for line in complaint.splitlines()[-3:])
    raise SetupError(
        "no virtual environment could be made:\n" + shown + "\n"
        "  to do: install the venv module of this Python (Debian, Ubuntu: sudo apt install python3-venv), "
        "or virtualenv, or uv; then run the same command again"
    )


def make_sure_of_pip(python):
    """An environment that uv made before, or one that was broken off, may lack pip."""
    if subprocess.run(
        [python, "-m", "pip", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    ).returncode:
        subprocess.run(
            [python, "-m", "ensurepip", "--upgrade"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        )


def pip_install(python, root, extras):
    """``pip install -e .[extras]``, tried again when a download fails. Shows what is fetched and how big it is."""
    target = root + ("[" + ",".join(sorted(extras)) + "]" if extras else "")
    command = [
        python,
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-input",
        "--progress-bar",
        "off",
        "--retries",
        "5",
        "-e",
        target,
    ]
    tail = []
    for attempt in range(1, ATTEMPTS + 1):
        code, tail = run_pip(command)
        if code == 0:
            return
        if attempt < ATTEMPTS:
            say("pip failed (attempt %d of %d): %s" % (attempt, ATTEMPTS, tail[-1] if tail else "no output"))
            time.sleep(WAIT_SECONDS)
    shown = "\n".join("    " + line for line in tail)
    raise SetupError(
        "pip could not install voicepress; its last lines:\n" + shown + "\n"
        "  to do: check that this machine reaches a Python package index (a proxy is named by HTTPS_PROXY, a mirror by "
        "PIP_INDEX_URL) and has enough free disk; then run the same command again, it goes on where it stopped"
    )


def run_pip(command):
    """Run pip and print a line for each big package it fetches. Returns its exit code and last lines."""
    tail, fetched_mb = [], 0.0
    before = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    pulse = Heartbeat()
    try:
        for raw in process.stdout:
            line = raw.decode("utf-8", "replace").rstrip()
            if not line:
                continue
            tail = (tail + [line])[-TAIL_LINES:]
            name, size_mb = download_in(line)
            fetched_mb += size_mb
            if size_mb >= BIG_MB:
                pulse.say("%4.0f s  fetching %s, %.0f MB" % (time.monotonic() - before, name, size_mb))
            elif line.startswith("Installing collected packages"):
                packages = line.count(",") + 1
                pulse.say(
                    "%4.0f s  %.0f MB fetched; installing %d packages"
                    % (time.monotonic() - before, fetched_mb, packages)
                )
    except BaseException:
        process.kill()
        raise
    finally:
        pulse.stop()
        process.wait()
        process.stdout.close()
    return process.returncode, tail


def download_in(line):
    """The file name and size in MB that a line of pip's says is being fetched, or ``("", 0.0)``."""
    found = re.match(r"\s*Downloading (\S+) \(([\d.]+) (bytes|kB|MB|GB)\)", line)
    if not found or found.group(1).endswith(".metadata"):
        return "", 0.0
    size_mb = float(found.group(2)) * {"bytes": 1e-6, "kB": 1e-3, "MB": 1.0, "GB": 1e3}[found.group(3)]
    return found.group(1).rsplit("/", 1)[-1].split("-")[0], size_mb


class Heartbeat:
    """Says something when pip has been silent for half a minute, so that nobody thinks it hangs."""

    def __init__(self):
        self._since = time.monotonic()
        self._begin = self._since
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def say(self, text):
        self._since = time.monotonic()
        say(text)

    def _watch(self):
        while not self._over.wait(1):
            if time.monotonic() - self._since > 30:
                self.say("%4.0f s  still at work" % (time.monotonic() - self._begin))

    def stop(self):
        self._over.set()
        self._thread.join()


def free_gigabytes(path):
    return shutil.disk_usage(path).free / 1e9


def ready_venv(extras, root=ROOT, venv=VENV):
    """Make ``venv`` hold voicepress with at least ``extras``; at once when it already does."""
    state, have = look(venv, root)
    if state == "good" and set(extras) <= set(have):
        return
    wanted = tuple(sorted(set(extras) | set(have)))
    stamp = os.path.join(venv, STAMP)
    if os.path.exists(stamp):
        os.remove(stamp)
    if state == "broken":
        say("what lies in .venv is not a finished install of this folder: doing it anew")
    if state in ("none", "broken"):
        make_venv(venv)
    make_sure_of_pip(venv_python(venv))
    what, fetch_gb, disk_gb = SIZES["test" if "dev" in wanted else "demo"]
    say("installing %s, once: about %.1f GB to fetch, %.1f GB on disk" % (what, fetch_gb, disk_gb))
    if free_gigabytes(root) < disk_gb + fetch_gb:
        say("only %.1f GB of disk are free: this may not be enough" % free_gigabytes(root))
    before = time.monotonic()
    pip_install(venv_python(venv), root, wanted)
    temporary = stamp + ".new"
    with open(temporary, "w", encoding="utf-8", newline="\n") as target:
        target.write("\n".join(wanted_stamp(root, wanted)) + "\n")
    os.replace(temporary, stamp)
    say("installed in %.0f s; next time this step is skipped" % (time.monotonic() - before))


def run(command):
    """Run ``command`` in the project's folder and give its exit code; Ctrl-C reaches it directly and it may tidy up."""
    say("running " + " ".join(os.path.relpath(word, ROOT) if word.startswith(VENV) else word for word in command))
    process = subprocess.Popen(command, cwd=ROOT)
    while True:
        try:
            code = process.wait()
        except KeyboardInterrupt:
            continue
        return code if code >= 0 else 128 - code


def command_for(mode, further):
    """The command of ``demo`` or ``test``, further words passed on."""
    python = venv_python(VENV)
    if mode == "demo":
        name = "voicepress.exe" if os.name == "nt" else "voicepress"
        return [os.path.join(bin_folder(VENV), name), "make", DEMO_BOOK] + list(further)
    return [python, "-m", "pytest"] + list(further)


def main(arguments):
    if sys.version_info[:2] < NEEDED:
        found = "%d.%d" % tuple(sys.version_info[:2])
        sys.stderr.write(
            "voicepress needs Python 3.11 or newer; this is Python %s. Run this with a newer python3.\n" % found
        )
        return 2
    if arguments[:1] in (["-h"], ["--help"], ["help"]):
        sys.stdout.write(USAGE)
        return 0
    if not arguments or arguments[0] not in EXTRAS:
        wrong = "there is no command '%s'\n" % arguments[0] if arguments else ""
        sys.stderr.write(wrong + USAGE)
        return 2
    mode, further = arguments[0], arguments[1:]
    try:
        ready_venv(EXTRAS[mode])
    except SetupError as error:
        sys.stderr.write("bootstrap: %s\n" % error)
        return 1
    except OSError as error:
        sys.stderr.write("bootstrap: %s\n  to do: check permissions and free disk of %s\n" % (error, ROOT))
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nbootstrap: stopped; the same command takes it up again\n")
        return 130
    return run(command_for(mode, further))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
