"""Where one book's files lie (DESIGN: data on disk), and the right to write there.

``outputs/<book>/`` belongs to one book.yaml and, while it is being made, to one process. The takes lie beside the
books, in ``outputs/takes/``, since all books share them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from common import places
from common.errors import VoicepressError
from common.files import as_user_error, make_folder, read_json, sweep, write_json
from tasks.domain import SCHEMA


@dataclass(frozen=True, slots=True)
class Workspace:
    """The paths of one book's outputs."""

    folder: Path
    takes: Path
    variant: str = ""

    @classmethod
    def of(cls, slug: str, variant: str = "") -> Workspace:
        """``variant`` names what is made beside the book proper: a rehearsal with another engine shares the script and
        the takes, and never takes the place of a finished book."""
        root = places.outputs()
        return cls(root / slug, root / "takes", variant)

    @property
    def made(self) -> Path:
        """Where chapters, deliverables and receipt lie."""
        return self.folder / f"as-{self.variant}" if self.variant else self.folder

    @property
    def manuscript(self) -> Path:
        return self.folder / "manuscript.json"

    @property
    def script(self) -> Path:
        return self.folder / "script"

    @property
    def judged(self) -> Path:
        return self.folder / "judge.json"

    @property
    def chapters(self) -> Path:
        return self.made / "chapters"

    @property
    def publish(self) -> Path:
        return self.made / "publish"

    @property
    def checks(self) -> Path:
        return self.made / "checks.json"

    @property
    def receipt(self) -> Path:
        return self.made / "receipt.json"

    @property
    def finished(self) -> Path:
        return self.made / "finished.json"

    def claim(self, book: Path) -> None:
        """Make the folder and note whose it is; a folder of another book is an error, never overwritten."""
        make_folder(self.folder)
        marker = self.folder / "made-from.json"
        owner = read_json(marker)
        if (
            isinstance(owner, dict)
            and owner.get("book") not in (None, str(book))
            and Path(str(owner["book"])).is_file()
        ):
            raise VoicepressError(
                "folder-taken", f"{self.folder} already holds another book, made from {owner['book']}", file=book, key="output",
                hint="give this book an output name of its own with 'output:'",
            )  # fmt: skip
        if not isinstance(owner, dict) or owner.get("book") != str(book):
            write_json(marker, {"schema": SCHEMA, "book": str(book)})

    @contextmanager
    def held(self, waiting: Callable[[str], None]) -> Iterator[None]:
        """Hold the right to make this book; a second process waits for the first (the lock dies with its holder)."""
        from filelock import FileLock, Timeout

        make_folder(self.folder)
        lock = FileLock(self.folder / ".lock")
        told = False
        while True:
            try:
                lock.acquire(timeout=0.2)
                break
            except Timeout:
                if not told:
                    waiting(f"{self.folder.name} is being made by another process; waiting for it to finish")
                    told = True
                time.sleep(0.3)
            except OSError as error:
                raise as_user_error(error, self.folder) from error
        try:
            yield
        finally:
            lock.release()

    def sweep(self) -> int:
        """Remove temporary files that a killed run left behind (call while holding the book); gives their number."""
        return sum(
            sweep(folder, older_than_seconds=0)
            for folder in (self.folder, self.made, self.script, self.chapters, self.publish)
        )
