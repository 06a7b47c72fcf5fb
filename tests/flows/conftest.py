"""A real Prefect server for the tests of flows, and a house of their own for their outputs."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The API URL of a ``voicepress server`` in a process of its own."""
    folder = tmp_path_factory.mktemp("server")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}/api"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    environment |= {"PREFECT_HOME": str(folder / "prefect")}
    log = open(folder / "server.log", "wb")  # noqa: SIM115  # the server writes to it until the session's end
    process = subprocess.Popen(
        [sys.executable, "-m", "flows.cli", "server", "--port", str(port)], env=environment, stdout=log, stderr=log
    )
    try:
        while True:
            assert process.poll() is None, (folder / "server.log").read_text()
            try:
                with urllib.request.urlopen(f"{url}/health", timeout=5):
                    break
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        yield url
    finally:
        process.terminate()
        process.wait()
        log.close()


@pytest.fixture
def house(tmp_path: Path, server: str) -> dict[str, str]:
    """The environment for a ``voicepress`` process: outputs in the test's folder, the test session's server.

    The cache is the user's (or CI's): joining and mending the model for every test would cost more than the test.
    """
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "VOICEPRESS_OUTPUTS"))
    }
    return environment | {
        "PREFECT_API_URL": server,
        "PREFECT_HOME": str(tmp_path / "prefect"),
        "VOICEPRESS_OUTPUTS": str(tmp_path / "outputs"),
    }
