from __future__ import annotations

from pathlib import Path
from typing import Any

from prefect.logging import disable_run_logger
from prefect.utilities.collections import visit_collection

from tasks.stitch.mastering import load_mastering
from tasks.stitch.pauses import load_pauses
from tasks.stitch.stitch import stitch_chapter
from tasks.stitch.task import StitchJob, stitch


def test_the_task_gives_what_the_function_gives(studio: Any, tmp_path: Path) -> None:
    parts = [studio.part(studio.voice()), studio.part(studio.voice(hz=300))]
    rest = (parts, studio.samples_of, load_pauses(), load_mastering())
    job = StitchJob(1, "题", "卷", *rest, tmp_path / "a")
    with disable_run_logger():
        made = stitch.fn(job)
    stitch_chapter(1, "题", "卷", *rest, tmp_path / "b")
    assert made.audio.read_bytes() == (tmp_path / "b" / "001.flac").read_bytes()
    assert str(job) == "chapter 1"


def test_prefect_does_not_walk_through_a_chapters_parts(studio: Any, tmp_path: Path) -> None:
    part = studio.part(studio.voice())
    job = StitchJob(1, "题", "", [part] * 5, studio.samples_of, load_pauses(), load_mastering(), tmp_path)
    seen: list[object] = []
    visit_collection({"job": job}, visit_fn=lambda item: seen.append(item) or item, return_data=False)
    assert part not in seen
