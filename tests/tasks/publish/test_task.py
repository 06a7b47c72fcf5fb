from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from prefect.logging import disable_run_logger

from tasks.domain import BookInfo, StitchedChapter
from tasks.publish.task import PublishJob, publish


def test_the_task_gives_what_the_function_gives(
    chapter_maker: Callable[..., StitchedChapter], preset: Any, tmp_path: Path
) -> None:
    job = PublishJob(BookInfo("书"), [chapter_maker(1, "一")], preset, tmp_path / "out", ("srt", "m4b"))
    with disable_run_logger():
        made = publish.fn(job)
    assert [item.path.name for item in made] == ["001 一.srt", "书.m4b"]
    assert str(job) == "书"
