"""``voicepress review``, apart from ``cli`` for its length alone."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Listen to what is doubtful, on a local page.")
@click.argument("book", type=click.Path(path_type=Path))
@click.option("--engine", default="", help="Use this engine instead of the book's.")
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 lets a phone on your network in.")
@click.option("--port", default=0, show_default="a free one", type=click.IntRange(0, 65535))
@click.option("--no-open", is_flag=True, help="Print the address only.")
def review(book: Path, engine: str, host: str, port: int, no_open: bool) -> None:
    """Serve a page on which you hear the lines of BOOK, the most doubtful first: approve, record again, edit.

    Its address is printed; only who has it gets in. Edits go to the script and the book's lexicon, what you approve to
    approvals.json; the next make goes by them. Ctrl-C ends the page.
    """
    from flows.review.serve import serve

    serve(book, engine=engine, host=host, port=port, opened=not no_open)
