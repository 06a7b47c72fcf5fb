"""What a reader of one format gives: the source text and what is to be read of it.

Contract: every reader returns ``Parsed`` whose spans count in ``source``; ``manuscript.read_manuscript`` adds path,
checksum and language and proves that nothing of ``source`` is unaccounted for.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.domain import Chapter, JudgedHeading, LeftOut


@dataclass(frozen=True, slots=True)
class Parsed:
    source: str
    chapters: tuple[Chapter, ...]
    left_out: tuple[LeftOut, ...]
    title: str = ""
    author: str = ""
    language: str = ""
    warnings: tuple[str, ...] = ()
    judged: tuple[JudgedHeading, ...] = ()
