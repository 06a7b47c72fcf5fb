"""The night: every waiting book of a library, one after the other, on the one engine.

A book waits when its receipt does not say that it is finished from the present manuscript, cast and settings. One
that fails is reported and does not stop the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from prefect import flow
from prefect.artifacts import create_markdown_artifact
from prefect.logging import get_run_logger

from common import places
from common.errors import VoicepressError
from flows.book import produce_book
from flows.config import load_book
from flows.console import say
from flows.receipt import is_waiting


@dataclass(frozen=True, slots=True)
class NightReport:
    """What became of the books, by path."""

    made: tuple[str, ...]
    unchanged: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]

    def render(self) -> str:
        rows = [f"made: {len(self.made)}, unchanged: {len(self.unchanged)}, failed: {len(self.failed)}"]
        rows += [f"  made       {book}" for book in self.made]
        rows += [f"  unchanged  {book}" for book in self.unchanged]
        rows += [f"  failed     {book}\n             {why}" for book, why in self.failed]
        return "\n".join(rows)


@flow(name="night", description="Makes every waiting book of a library.")
def night(library: str = "manuscripts", engine: str = "", terminal: bool = False) -> NightReport:
    """Make every waiting book.

    Args:
        library: folder whose subfolders each hold a book.yaml.
        engine: an engine's name, instead of the one each book names.
        terminal: say on standard error which book is being made, with a progress bar.
    """
    made, unchanged, failed = [], [], []
    for path in waiting_books(Path(library)):
        try:
            job = load_book(path, engine=engine)
            if not is_waiting(job):
                unchanged.append(str(path))
                continue
            get_run_logger().info("making %s", path)
            if terminal:
                say(f"making {job.title} ({path})")
            produce_book(str(path), engine, terminal)
            made.append(str(path))
        except VoicepressError as error:
            failed.append((str(path), error.render().replace("\n", " ")))
        except Exception as error:  # a bug in one book must not cost the others their night
            get_run_logger().exception("a fault of voicepress while making %s", path)
            failed.append((str(path), f"{type(error).__name__}: {error}"))
    report = NightReport(tuple(made), tuple(unchanged), tuple(failed))
    create_markdown_artifact(
        f"```\n{report.render()}\n```", key="night-report", description="What became of the night's books"
    )
    return report


def waiting_books(library: Path) -> list[Path]:
    """Every ``book.yaml`` one or two folders down, in order of name. Relative paths as for ``find_book``."""
    if not library.is_dir():
        library = places.HOME / library
    if not library.is_dir():
        raise VoicepressError(
            "file-missing",
            "there is no such library of books",
            file=library,
            hint="name the folder that holds the book folders",
        )
    return sorted({*library.glob("*/book.yaml"), *library.glob("*/*/book.yaml")})
