"""kill -9 at any moment, then the same command: the same book, and nothing recorded twice. With real speech."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from common.files import sha256_of
from tests.flows.press import voicepress, write_book

TEXT = """第一章 渡口

天亮了，雾还没有散，渡口上一个人也没有。

“过河吗？”老周问。

“过河。”阿南说，“我要去对岸找我的姐姐。”

船慢慢离开了岸，水声很轻。

第二章 对岸

对岸有一棵很老的柳树，树下站着一个人。

“姐姐！”阿南喊道。

老周笑了，没有收他的钱。
"""
KILLS = 10


def recordings(outputs: Path) -> dict[str, tuple[int, int]]:
    """Every finished take: its sidecar's inode and time. A take that was recorded again has others."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in (outputs / "takes").rglob("*.json")}


def book(outputs: Path) -> dict[str, str]:
    chapters = outputs / "book" / "chapters"
    files = [*chapters.glob("*.flac"), *chapters.glob("*.timeline.json")]
    files += [
        path for path in (outputs / "book" / "publish").iterdir() if path.is_file() and not path.name.startswith(".")
    ]
    return {path.name: sha256_of(path) for path in files}


@pytest.mark.slow
def test_kills_at_random_moments_cost_nothing_but_time(tmp_path: Path, house: dict[str, str]) -> None:
    path = write_book(tmp_path / "book", TEXT, settings="engine: kokoro\nbatch: 2\n")
    undisturbed = house | {"VOICEPRESS_OUTPUTS": str(tmp_path / "undisturbed")}
    started = time.monotonic()
    done = voicepress("make", path, env=undisturbed)
    assert done.returncode == 0, done.stderr
    whole_run_seconds = time.monotonic() - started

    seed = random.randrange(10**6)
    moments = random.Random(seed)
    killed, rounds, cut = 0, 0, 0
    outputs = tmp_path / "outputs-0"
    known: dict[str, tuple[int, int]] = {}
    while True:
        began = time.monotonic()
        running = subprocess.Popen(
            [sys.executable, "-m", "flows.cli", "make", str(path)],
            env=house | {"VOICEPRESS_OUTPUTS": str(outputs)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            running.wait(timeout=moments.uniform(0.2, 0.85) * whole_run_seconds if killed < KILLS else None)
        except subprocess.TimeoutExpired:
            running.kill()
            killed += 1
        _, said = running.communicate()
        now = recordings(outputs)
        changed = {name for name, stamp in known.items() if now.get(name) != stamp}
        assert not changed, f"recorded again after a kill (seed {seed}): {changed}"
        cut += len(now) > len(known) and running.returncode != 0
        known_before, known = known, now
        if running.returncode < 0:
            continue
        assert running.returncode == 0, said
        if not known_before:
            whole_run_seconds = min(whole_run_seconds, time.monotonic() - began)
        assert book(outputs) == book(tmp_path / "undisturbed"), f"seed {seed}"
        if killed >= KILLS:
            break
        # Finished before its kill came: another book is begun, so that there is something to disturb.
        rounds += 1
        outputs, known = tmp_path / f"outputs-{rounds}", {}
    print(f"{killed} kills, {cut} of them while recording, {rounds + 1} books finished, all equal, seed {seed}")
