"""Publishing as a Prefect task: a log line, the pure function, nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE

from tasks.domain import BookInfo, Deliverable, StitchedChapter
from tasks.publish.encode import Encoding
from tasks.publish.publish import publish_book


class PublishJob:
    """What ``publish_book`` is called with. On purpose no dataclass: Prefect walks through those, and a book has many
    thousands of cues."""

    def __init__(
        self,
        info: BookInfo,
        chapters: Sequence[StitchedChapter],
        mastering: Encoding,
        folder: Path,
        formats: Sequence[str],
        workers: int = 2,
        feed_url: str = "",
    ) -> None:
        self.info, self.chapters, self.mastering = info, chapters, mastering
        self.folder, self.formats, self.workers, self.feed_url = folder, formats, workers, feed_url

    def __str__(self) -> str:
        return self.info.title


@task(name="publish", task_run_name="publish {job}", cache_policy=NO_CACHE, persist_result=False)
def publish(job: PublishJob) -> tuple[Deliverable, ...]:
    """Make the deliverables, keeping those that stand. Errors are the user's to mend: no retries."""
    made = publish_book(job.info, job.chapters, job.mastering, job.folder, job.formats, job.workers, job.feed_url)
    get_run_logger().info("%d files, %.1f MB, in %s", len(made), sum(d.bytes for d in made) / 1e6, job.folder)
    return made
