"""The same book through a deployment: a real server, a real worker, the commands of the README."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from common import places
from tests.flows.press import voicepress, write_book

TEXT = "第一章 清晨\n\n天亮了，雾还没有散。\n\n“过河吗？”老周问。\n\n“过河。”阿南说。\n"
PREFECT = str(Path(sys.executable).with_name("prefect"))


def prefect(*arguments: str, env: dict[str, str], cwd: Path, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PREFECT, *arguments], env=env, cwd=cwd, capture_output=True, text=True, timeout=timeout, check=False
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files that `prefect deploy --all` reads, in a folder of their own."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name in ("prefect.yaml", "prefect.toml"):
        shutil.copy(places.HOME / name, folder)
    return folder


@pytest.fixture
def worker(house: dict[str, str], checkout: Path, tmp_path: Path) -> Iterator[dict[str, str]]:
    """A process worker of the pool, as the README starts it."""
    env = house | {"PREFECT_WORKER_QUERY_SECONDS": "1", "DO_NOT_TRACK": "1"}
    log = open(tmp_path / "worker.log", "wb")  # noqa: SIM115  # the worker writes to it until the test's end
    process = subprocess.Popen(
        [PREFECT, "worker", "start", "--pool", "press", "--type", "process", "--limit", "1"],
        env=env, cwd=checkout, stdout=log, stderr=log, start_new_session=True,
    )  # fmt: skip
    for _ in range(240):
        assert process.poll() is None, (tmp_path / "worker.log").read_text()
        if prefect("work-pool", "inspect", "press", env=env, cwd=checkout).returncode == 0:
            break
        time.sleep(0.5)
    try:
        yield env
    finally:
        process.terminate()
        process.wait(timeout=60)
        log.close()


def test_the_deployments_are_what_the_readme_says() -> None:
    deployments = {
        one["name"]: one for one in yaml.safe_load((places.HOME / "prefect.yaml").read_text())["deployments"]
    }
    assert set(deployments) == {"book", "night"}
    night = deployments["night"]["schedules"][0]
    assert (night["cron"], night["timezone"]) == ("0 22 * * *", "Asia/Shanghai")
    assert deployments["book"]["concurrency_limit"] == {
        "limit": 1,
        "collision_strategy": "ENQUEUE",
        "grace_period_seconds": 60,
    }


@pytest.mark.slow
def test_a_book_is_made_by_a_worker(worker: dict[str, str], checkout: Path, tmp_path: Path) -> None:
    book = write_book(tmp_path / "library" / "book", TEXT)
    deployed = prefect("--no-prompt", "deploy", "--all", env=worker, cwd=checkout)
    assert deployed.returncode == 0, deployed.stdout + deployed.stderr

    run = prefect(
        "deployment", "run", "produce-book/book", "--param", f"book={book}", "--watch", env=worker, cwd=checkout
    )
    assert run.returncode == 0, run.stdout + run.stderr + (tmp_path / "worker.log").read_text()
    made = tmp_path / "outputs" / "book"
    assert (made / "publish" / "试.m4b").is_file()

    by_hand = tmp_path / "by-hand"
    assert voicepress("make", book, env=worker | {"VOICEPRESS_OUTPUTS": str(by_hand)}).returncode == 0
    for name in ("001.flac", "001.timeline.json"):
        assert (made / "chapters" / name).read_bytes() == (by_hand / "book" / "chapters" / name).read_bytes()

    # A book that cannot be made fails its run with the same words as on the command line, and a bad parameter is refused.
    (tmp_path / "library" / "broken").mkdir()
    (tmp_path / "library" / "broken" / "book.yaml").write_text("schema: 1\nmanuscript: none.txt\n")
    run = prefect(
        "deployment",
        "run",
        "produce-book/book",
        "--param",
        f"book={tmp_path / 'library' / 'broken'}",
        "--watch",
        env=worker,
        cwd=checkout,
    )
    assert run.returncode == 1
    assert "file-missing" in (tmp_path / "worker.log").read_text()
    assert (
        prefect(
            "deployment",
            "run",
            "produce-book/book",
            "--param",
            "book=7.5",
            "--param",
            "bok=x",
            env=worker,
            cwd=checkout,
        ).returncode
        == 1
    )

    # The night makes what waits, leaves what is finished, and goes on after the broken one.
    write_book(tmp_path / "library" / "second", TEXT)
    run = prefect(
        "deployment",
        "run",
        "night/night",
        "--param",
        f"library={tmp_path / 'library'}",
        "--watch",
        env=worker,
        cwd=checkout,
    )
    assert run.returncode == 0, run.stdout + run.stderr + (tmp_path / "worker.log").read_text()
    assert (tmp_path / "outputs" / "second" / "publish" / "试.m4b").is_file()
    report = night_report(worker)
    assert "made: 1, unchanged: 1, failed: 1" in report


def night_report(env: dict[str, str]) -> str:
    """The text of the night's artifact, asked of the server."""
    import urllib.request

    query = json.dumps({"artifacts": {"key": {"any_": ["night-report"]}}, "sort": "CREATED_DESC"}).encode()
    request = urllib.request.Request(
        f"{env['PREFECT_API_URL']}/artifacts/filter", data=query, headers={"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return str(json.load(answer)[0]["data"])


def test_the_night_runs_from_the_command_line_too(house: dict[str, str], tmp_path: Path) -> None:
    write_book(tmp_path / "library" / "a", TEXT)
    write_book(tmp_path / "library" / "b", "起风了。\n", settings="engine: {name: tone, extra: {fail_on: 风}}\n")
    done = voicepress("night", tmp_path / "library", env=house)
    assert done.returncode == 1
    assert "made: 1, unchanged: 0, failed: 1" in done.stdout
    assert "lines-failed" in done.stdout
    again = voicepress("night", tmp_path / "library", env=house)
    assert "made: 0, unchanged: 1, failed: 1" in again.stdout
    (tmp_path / "library" / "a" / "cast.yaml").write_text("narrator: {voice: zm_yunyang}\nunknown: narrator\n")
    assert "made: 1, unchanged: 0" in voicepress("night", tmp_path / "library", env=house).stdout
    assert "file-missing" in voicepress("night", tmp_path / "nowhere", env=house).stderr
    assert os.listdir(tmp_path / "outputs" / "a" / "publish")
