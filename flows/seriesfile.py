"""``series.yaml``: what the books of one series share.

Contract: the file stands in the folder that holds the books' folders. The user put it there: a book is never asked
where its series is, so that a book from a stranger cannot reach into one. What the series names lies inside its own
folder, or in the house. A book without such a file beside its folder belongs to no series.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from common import places
from common.yamlio import Strict, load_with_model
from flows.fields import Name, Text
from flows.placed import Names, inside, shared

FILE = "series.yaml"


class SeriesFile(Strict):
    """``series.yaml`` as it stands."""

    schema_: Literal[1] = Field(1, alias="schema")
    title: Name
    author: Text = ""
    cast: str = ""
    lexicon: str = ""
    mastering: str = ""
    pauses: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """A series, checked. Paths are absolute, ``None`` where the file names none; ``mastering`` is a preset's name or an
    absolute path."""

    path: Path
    title: str
    author: str = ""
    cast: Path | None = None
    lexicon: Path | None = None
    mastering: str = ""
    pauses: Path | None = None

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def voices(self) -> tuple[Path, ...]:
        """The folder of the series' own voice profiles, where there is one."""
        own = self.folder / "voices"
        return (own,) if own.is_dir() else ()


def series_of(book: Path) -> Series | None:
    """The series that the ``book.yaml`` at ``book`` belongs to."""
    path = book.parent.parent / FILE
    return load_series(path) if os.path.lexists(path) else None


def load_series(path: Path) -> Series:
    """Read and check a ``series.yaml``."""
    file, node = load_with_model(path, SeriesFile, "the series file")
    names = Names(path, node, "the series' folder")
    return Series(
        path=path,
        title=file.title,
        author=file.author,
        cast=shared(names, "cast", file.cast, places.VOICES / "casts") if file.cast else None,
        lexicon=inside(names, "lexicon", file.lexicon, "the lexicon") if file.lexicon else None,
        mastering=preset(names, file.mastering),
        pauses=inside(names, "pauses", file.pauses, "the pauses file") if file.pauses else None,
    )


def preset(file: Names, mastering: str) -> str:
    """A mastering preset by its name, or the absolute path of a preset of one's own."""
    if "/" in mastering or mastering.endswith((".yaml", ".yml")):
        return str(inside(file, "mastering", mastering, "the mastering preset"))
    return mastering
