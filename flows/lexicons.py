"""Which lexicons hold for a book: the house's, its series', its own.

Contract: the user's lexicon for every book of this machine is the file that ``VOICEPRESS_LEXICON`` names; the series' and
the book's own are named in ``series.yaml`` and ``book.yaml``. The phrase table that ships in ``configs/lexicon/house.yaml``
is no lexicon of the user's: it only says what is usual.
"""

from __future__ import annotations

import os
from pathlib import Path

from common.files import require_file
from flows.config import Book
from tasks.domain import Level

VARIABLE = "VOICEPRESS_LEXICON"


def layers(job: Book) -> list[tuple[Level, Path]]:
    """The lexicon files of a book with their levels, the weakest first."""
    found: list[tuple[Level, Path]] = []
    if named := os.environ.get(VARIABLE):
        path = Path(named).expanduser().absolute()
        found.append(("house", require_file(path, "the house lexicon", f"mend {VARIABLE}, or unset it")))
    series = job.series.lexicon if job.series else None
    if series:
        found.append(("series", series))
    own = own_lexicon(job)
    if own:
        found.append(("book", own))
    return found


def own_lexicon(job: Book) -> Path | None:
    """The lexicon that the book.yaml names."""
    series = job.series.lexicon if job.series else None
    own = job.lexicons[1:] if series else job.lexicons
    return own[0] if own else None
