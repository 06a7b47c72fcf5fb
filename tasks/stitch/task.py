"""Stitching as a Prefect task: a log line, the pure function, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE

from tasks.domain import Part, StitchedChapter, Take
from tasks.stitch.mastering import Mastering
from tasks.stitch.pauses import Pauses
from tasks.stitch.stitch import stitch_chapter
from tasks.stitch.trim import Samples


class StitchJob:
    """What ``stitch_chapter`` is called with. On purpose no dataclass: Prefect walks through those, and a chapter has
    thousands of parts."""

    def __init__(
        self,
        number: int,
        title: str,
        volume: str,
        parts: Sequence[Part],
        samples_of: Callable[[Take], Samples],
        pauses: Pauses,
        mastering: Mastering,
        folder: Path,
    ) -> None:
        self.number, self.title, self.volume, self.parts = number, title, volume, parts
        self.samples_of, self.pauses, self.mastering, self.folder = samples_of, pauses, mastering, folder

    def __str__(self) -> str:
        return f"chapter {self.number}"


@task(name="stitch", task_run_name="stitch {job}", cache_policy=NO_CACHE, persist_result=False)
def stitch(job: StitchJob) -> StitchedChapter:
    """Stitch one chapter, or take it as it stands. Errors are the user's to mend: no retries."""
    chapter = stitch_chapter(
        job.number, job.title, job.volume, job.parts, job.samples_of, job.pauses, job.mastering, job.folder
    )
    get_run_logger().info(
        "chapter %d: %.0f s, %.1f LUFS, peak %.1f dBTP",
        chapter.number,
        chapter.timeline.samples / chapter.timeline.sample_rate,
        chapter.loudness_lufs,
        chapter.true_peak_dbtp,
    )
    return chapter
