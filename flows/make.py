"""The commands that run flows: connect to a server, run, say what was made."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from common.errors import VoicepressError, plain
from flows.config import load_book
from flows.console import clock, say, size
from flows.server import connected

if TYPE_CHECKING:
    from flows.book import Made

# Prefect logs a failed run with its traceback; here the error is shown as one block instead, and the server has the rest.
QUIET = "CRITICAL"


def make_books(books: Sequence[Path], *, engine: str, terminal: bool) -> int:
    """Make ``books`` one after the other; the exit code. One that fails does not stop the others."""
    paths = [load_book(book, engine=engine).path for book in books]  # what is wrong with a file is said before any work
    failed = 0
    with connected(console_level=QUIET):
        from flows.book import produce_book

        for path in paths:
            try:
                made = produce_book(str(path), engine, terminal and sys.stderr.isatty())
                click.echo(plain(describe(made), rows=True))
            except VoicepressError as error:
                if len(paths) == 1:
                    raise
                failed += 1
                sys.stdout.flush()
                say(error.render())
    return 1 if failed else 0


def make_night(library: Path, *, engine: str) -> int:
    """Run the night's flow here and now; the exit code."""
    with connected(console_level=QUIET):
        from flows.night import night

        report = night(str(library), engine, sys.stderr.isatty())
    click.echo(plain(report.render(), rows=True))
    return 1 if report.failed else 0


def describe(made: Made) -> str:
    """What a person wants to know at the end: the files, and how it went."""
    reused = made.lines - made.recorded
    page = made.receipt.with_suffix(".html")
    receipt = shown(page if page.is_file() else made.receipt)
    rows = [
        f"{made.title}: {clock(made.audio_seconds)} of audio, {made.lines} lines, {made.recorded} recorded now"
        + (f", {reused} reused" if reused > 0 else "")
    ]
    if made.flagged:
        flagged = "1 line is" if made.flagged == 1 else f"{made.flagged} lines are"
        rows.append(f"{flagged} flagged: listen before you publish (listed in {receipt})")
    rows += [f"  {shown(item.path)}  ({size(item.bytes)})" for item in made.deliverables]
    rows.append(f"  {receipt}  (what was made, in which voices, and what to listen to)")
    return "\n".join(rows)


def shown(path: Path) -> str:
    """A path relative to the current folder where that is shorter."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
