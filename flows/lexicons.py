"""Which lexicons hold for a book: the house's, its series', its own.

Contract: the user's lexicon for every book of this machine is the file that ``VOICEPRESS_LEXICON`` names; the series' and
the book's own are named in ``series.yaml`` and ``book.yaml``. The phrase table that ships in ``configs/lexicon/house.yaml``
is no lexicon of the user's: it only says what is usual. Answers to what was asked of a book go into its own lexicon.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from common.errors import VoicepressError
from common.files import read_file, require_file, write_text
from flows.config import Book
from tasks.domain import Level
from tasks.script import lexicon_edit

VARIABLE = "VOICEPRESS_LEXICON"
FILE = "lexicon.yaml"


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


def writable_lexicon(job: Book) -> Path:
    """The book's own lexicon, where answers are written; it need not be there yet."""
    path = own_lexicon(job) or job.folder / FILE
    if not path.resolve().is_relative_to(job.folder.resolve()):
        raise VoicepressError(
            "edit-by-hand", "the book's lexicon lies outside its folder and may serve other books", file=path,
            key="lexicon", hint="write the entry there yourself, or give the book a lexicon of its own",
        )  # fmt: skip
    return path


def write_answers(job: Book, answers: Sequence[tuple[str, dict[str, str]]]) -> Book:
    """Write answers (a word with its ``phones`` or ``spoken``) into the book's lexicon and name it in book.yaml; the job
    as it is then. Call it while holding the book. Every file whole or not at all."""
    path = writable_lexicon(job)
    text = _text(path, "the lexicon") if path.is_file() else ""
    for word, value in answers:
        text = lexicon_edit.with_entry(text, word, value, path)
    named = own_lexicon(job) is not None
    book = "" if named else lexicon_edit.with_key(_text(job.path, "the book file"), "lexicon", path.name, job.path)
    write_text(path, text)
    if named:
        return job
    write_text(job.path, book)
    return replace(job, lexicons=(*job.lexicons, path))


def _text(path: Path, what: str) -> str:
    data = read_file(path, what)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise VoicepressError(
            "not-utf8", f"{what} is not UTF-8", file=path, line=row, hint="save it as UTF-8"
        ) from error
