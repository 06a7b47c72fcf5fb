"""The one base class of errors that a user can mend.

Contract: a ``VoicepressError`` says what is wrong, where, and what to do about it. The command line prints it as
one block without a traceback and exits with ``exit_code``. Anything else that escapes is a bug of ours and keeps
its traceback.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Self

# Control characters (a terminal obeys them), line separators, marks that turn the direction of text, lone surrogates.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_UNSAFE_BUT_ROWS = re.compile(_UNSAFE.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))
_MOST_CHARS = 600
_MOST_ROWS = 60


def plain(text: str, most: int = 0, *, rows: bool = False) -> str:
    """``text`` as it may be shown in a terminal, whoever wrote it: what a terminal would obey stands as an escape.

    ``most`` characters are kept at most (0: all), the middle left out. With ``rows`` line ends and tabs stay.
    """
    if most and len(text) > most:
        text = f"{text[: most * 3 // 4]} … {text[-(most // 4) :]}"
    if not rows:
        text = re.sub("[\r\n\t]+", " ", text)
    return (_UNSAFE_BUT_ROWS if rows else _UNSAFE).sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class VoicepressError(Exception):
    """Something the user can mend.

    ``code`` is stable, kebab-case, and may be relied on by scripts. ``file``, ``line`` (1-based) and ``key`` say
    where; ``hint`` is one imperative sentence, ``rows`` are lines to look at or to copy, shown below it as they are. All
    of them may quote what strangers wrote, at any length.
    """

    exit_code = 1

    def __init__(
        self,
        code: str,
        what: str,
        *,
        file: Path | str | None = None,
        line: int | None = None,
        key: str | None = None,
        hint: str = "",
        rows: tuple[str, ...] = (),
    ) -> None:
        self.code = code
        self.what = what
        self.file = None if file is None else str(file)
        self.line = line
        self.key = key
        self.hint = hint
        self.rows = rows
        super().__init__(self.render())

    @property
    def where(self) -> str:
        """``file:line, key`` with the parts that are known, or an empty string."""
        place = self.file or ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        if self.key:
            place = f"{place}, {self.key}" if place else self.key
        return place

    def at(self, file: Path | None) -> Self:
        """The same error, with ``file`` named where no file was."""
        if self.file is None and file is not None:
            self.file = str(file)
            self.args = (self.render(),)
        return self

    def render(self) -> str:
        """The block a person reads: what, where, what to do."""
        rows = [f"error [{self.code}]: {plain(self.what, _MOST_CHARS)}"]
        if self.where:
            rows.append(f"  where: {plain(self.where, _MOST_CHARS)}")
        if self.hint:
            rows.append(f"  to do: {plain(self.hint, _MOST_CHARS)}")
        rows += [f"    {plain(row, _MOST_CHARS)}" for row in self.rows[:_MOST_ROWS]]
        if len(self.rows) > _MOST_ROWS:
            rows.append(f"    … and {len(self.rows) - _MOST_ROWS} more")
        return "\n".join(rows)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        # Prefect and process pools pickle exceptions; keyword-only arguments need this help.
        return _rebuild, (type(self), self.code, self.what, self.file, self.line, self.key, self.hint, self.rows)


def _rebuild(
    kind: type[VoicepressError],
    code: str,
    what: str,
    file: str | None,
    line: int | None,
    key: str | None,
    hint: str,
    rows: tuple[str, ...] = (),
) -> VoicepressError:
    error = kind.__new__(kind)
    VoicepressError.__init__(error, code, what, file=file, line=line, key=key, hint=hint, rows=rows)
    return error
