import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from common.errors import VoicepressError
from flows.server import connected, tuned_environment

RUN = """
import sys, time
from flows.server import connected
with connected(console_level="CRITICAL") as url:
    from prefect import flow, task
    @task
    def one(): return 1
    @flow
    def some(): return sum(one() for _ in range(5))
    print(some(), url, flush=True)
    if len(sys.argv) > 1: time.sleep(600)
"""


def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return {**kept, "VOICEPRESS_CACHE": str(tmp_path / "cache"), "PREFECT_HOME": str(tmp_path / "prefect")}


def processes(tmp_path: Path) -> list[int]:
    """Processes that run our own server with this test's cache."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if (
                b"flows.own_server" in (entry / "cmdline").read_bytes()
                and str(tmp_path).encode() in (entry / "environ").read_bytes()
            ):
                found.append(int(entry.name))
        except (OSError, ValueError):
            continue
    return found


def test_the_tuned_settings_are_known_to_prefect() -> None:
    from prefect.settings import Settings
    from prefect.settings.legacy import _get_settings_fields

    known = set(_get_settings_fields(Settings)) | {"DO_NOT_TRACK"}
    tuned = tuned_environment()
    assert set(tuned) <= known
    assert tuned["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert tuned["DO_NOT_TRACK"] == "1"


def test_a_configured_server_that_does_not_answer_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from prefect.context import refresh_global_settings_context

    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    refresh_global_settings_context()
    try:
        with pytest.raises(VoicepressError) as caught, connected():
            pass
    finally:
        monkeypatch.undo()
        refresh_global_settings_context()
    assert caught.value.code == "server-unreachable"
    assert "PREFECT_API_URL" in caught.value.hint


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks into /proc")
def test_our_own_server_serves_a_run_and_goes_with_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN], env=environment(tmp_path), capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.startswith("5 http://127.0.0.1:")
    assert "Traceback" not in done.stderr
    assert processes(tmp_path) == []

    running = subprocess.Popen(
        [sys.executable, "-c", RUN, "stay"], env=environment(tmp_path), stdout=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert running.stdout.readline().startswith("5 ")
    assert len(processes(tmp_path)) == 1
    running.send_signal(signal.SIGKILL)
    running.wait()
    for _ in range(300):
        if not processes(tmp_path):
            break
        time.sleep(0.1)
    assert processes(tmp_path) == []


def test_the_list_of_worker_types_needs_no_other_host() -> None:
    script = (
        "import asyncio, socket\n"
        "real = socket.getaddrinfo\n"
        "asked = []\n"
        "def noted(host, *rest, **more):\n"
        "    asked.append(host); return real(host, *rest, **more)\n"
        "socket.getaddrinfo = noted\n"
        "from flows.own_server import application\n"
        "application()\n"
        "from prefect.server.api.collections import get_collection_view\n"
        "view = asyncio.run(get_collection_view('aggregate-worker-metadata'))\n"
        "print('process' in view['prefect'], [host for host in asked if host not in ('localhost', '127.0.0.1')])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.strip() == "True []"
