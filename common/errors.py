"""The one base class of errors that a user can mend.

Contract: a ``VoicepressError`` says what is wrong, where, and what to do about it. The command line prints it as
one block without a traceback and exits with ``exit_code``. Anything else that escapes is a bug of ours and keeps
its traceback.
"""

from __future__ import annotations

from pathlib import Path


class VoicepressError(Exception):
    """Something the user can mend.

    ``code`` is stable, kebab-case, and may be relied on by scripts. ``file``, ``line`` (1-based) and ``key`` say
    where; ``hint`` is one imperative sentence.
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
    ) -> None:
        self.code = code
        self.what = what
        self.file = None if file is None else str(file)
        self.line = line
        self.key = key
        self.hint = hint
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

    def render(self) -> str:
        """The block a person reads: what, where, what to do."""
        rows = [f"error [{self.code}]: {self.what}"]
        if self.where:
            rows.append(f"  where: {self.where}")
        if self.hint:
            rows.append(f"  to do: {self.hint}")
        return "\n".join(rows)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        # Prefect and process pools pickle exceptions; keyword-only arguments need this help.
        return _rebuild, (type(self), self.code, self.what, self.file, self.line, self.key, self.hint)


def _rebuild(
    kind: type[VoicepressError],
    code: str,
    what: str,
    file: str | None,
    line: int | None,
    key: str | None,
    hint: str,
) -> VoicepressError:
    error = kind.__new__(kind)
    VoicepressError.__init__(error, code, what, file=file, line=line, key=key, hint=hint)
    return error
