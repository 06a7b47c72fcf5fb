"""wetext's grammars behind one cached function, loaded at first use.

``edits`` gives what the grammar changed, piece by piece, as exact as the grammar's own account of it allows.
"""

from __future__ import annotations

import difflib
import threading
from functools import cache, lru_cache
from typing import Any

from tasks.script.split import Edit

_lock = threading.Lock()


@cache
def _grammar(language: str) -> Any:
    with _lock:
        from wetext import Normalizer

        return Normalizer(lang=language, remove_erhua=False, remove_interjections=False)


@lru_cache(maxsize=65536)
def edits(clause: str, language: str) -> tuple[Edit, ...]:
    """The changes the grammar of ``language`` makes to ``clause``."""
    core = clause.strip()
    if not core:
        return ()
    offset = clause.index(core)
    try:
        said = _grammar(language).normalize(core)
    except (AssertionError, ValueError, RuntimeError):
        # The grammar gives up on some strings of signs; they are then said as they stand.
        return ()
    if "\\" not in core:
        said = said.replace("\\", "")  # the grammar escapes quotation marks
    if said == core:
        return ()
    return tuple(_changes(core, said, offset))


def _changes(core: str, said: str, offset: int) -> list[Edit]:
    """The differences as edits that each hold at least one written character."""
    out: list[Edit] = []
    matcher = difflib.SequenceMatcher(None, core, said, autojunk=False)
    for tag, low, high, first, last in matcher.get_opcodes():
        if tag == "equal":
            continue
        spoken = said[first:last]
        if low == high and low:
            low, spoken = low - 1, core[low - 1] + spoken
        elif low == high:
            high, spoken = 1, spoken + core[0]
        if out and out[-1].end > offset + low:
            before = out.pop()
            low, spoken = before.start - offset, before.spoken + spoken.removeprefix(core[low])
        out.append(Edit(offset + low, offset + high, spoken))
    return out
