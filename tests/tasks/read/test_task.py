"""The room's task is its pure function, a log and a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from prefect.logging import disable_run_logger

from tasks.read.manuscript import load, read_manuscript
from tasks.read.task import read_task


def test_the_task_reads_and_keeps(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write("第一章 河边\n灯亮了。\n第三章 渡口\n")
    keep = tmp_path / "manuscript.json"
    with disable_run_logger():
        book = read_task.fn(path, keep, title="山里的灯")
    assert book == read_manuscript(path, title="山里的灯")
    assert load(keep) == book
