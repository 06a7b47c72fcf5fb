"""One process per device: the second waits, and says for whom.

Contract: ``EngineLock("cuda-0", holder)`` is held by one thread of one process of this machine at a time; the same
thread may enter again. It is an operating-system lock on a file in the cache, so that the death of the holder, however
it dies, frees it. A file beside it says who holds it, for the waiting ones to read; it is never what decides.
The resource ``none`` locks nothing.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from common.errors import VoicepressError
from common.files import as_user_error, make_folder, read_json, write_json
from common.places import cache

if TYPE_CHECKING:
    from filelock import BaseFileLock

NO_LOCK = "none"


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock, as far as is known: ``name`` (a book), process id, start in seconds since 1970."""

    name: str
    pid: int
    since: float

    def __str__(self) -> str:
        if not self.pid:
            return self.name
        return f"{self.name} (process {self.pid}, since {time.strftime('%H:%M:%S', time.localtime(self.since))})"


@dataclass(slots=True)
class _Held:
    lock: BaseFileLock
    pid: int
    thread: int
    depth: int


_held: dict[Path, _Held] = {}
_guard = threading.Lock()


class EngineLock:
    """A context manager.

    ``resource`` as engines name it; ``holder`` is what others are told (the book). ``on_wait`` is called with the
    ``Holder`` when waiting begins and whenever the holder changes. After ``timeout_seconds`` (``None``: never) a
    ``VoicepressError`` names the holder. ``folder`` is for tests.
    """

    def __init__(
        self,
        resource: str,
        holder: str,
        on_wait: Callable[[Holder], None] | None = None,
        *,
        poll_seconds: float = 0.5,
        timeout_seconds: float | None = None,
        folder: Path | None = None,
    ) -> None:
        self.resource = resource
        self.holder = holder
        self._on_wait = on_wait
        self._poll_seconds = poll_seconds
        self._timeout_seconds = timeout_seconds
        self._folder = folder

    @property
    def path(self) -> Path:
        """The lock file."""
        folder = cache() / "locks" if self._folder is None else self._folder
        return folder / (re.sub(r"[^\w.\-]", "_", self.resource) + ".lock")

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def acquire(self) -> None:
        """Wait until the resource is ours."""
        if self.resource == NO_LOCK:
            return
        path = self.path
        make_folder(path.parent)
        begun = time.monotonic()
        told: Holder | None = None
        while not self._try(path):
            current = who_holds(path)
            if current != told:
                told = current
                if self._on_wait is not None:
                    self._on_wait(current)
            if self._timeout_seconds is not None and time.monotonic() - begun >= self._timeout_seconds:
                raise VoicepressError(
                    "engine-busy", f"the engine's resource '{self.resource}' is still used by {current}", file=path,
                    hint="wait until it is done, or end it",
                )  # fmt: skip
            time.sleep(self._poll_seconds)

    def release(self) -> None:
        """Let the next one in."""
        if self.resource == NO_LOCK:
            return
        path = self.path
        with _guard:
            held = _held.get(path)
            if held is None or held.pid != os.getpid():
                return
            held.depth -= 1
            if held.depth:
                return
            del _held[path]
            _holder_file(path).unlink(missing_ok=True)
            held.lock.release()

    def _try(self, path: Path) -> bool:
        from filelock import FileLock, Timeout

        with _guard:
            held = _held.get(path)
            if held is not None and held.pid == os.getpid():
                if held.thread != threading.get_ident():
                    return False
                held.depth += 1
                return True
            # thread_local=False: what counts is the entry above, and another thread may have to release.
            lock = FileLock(path, thread_local=False)
            try:
                lock.acquire(blocking=False)
            except Timeout:
                return False
            except OSError as error:
                raise as_user_error(error, path) from error
            _held[path] = _Held(lock, os.getpid(), threading.get_ident(), 1)
            try:
                write_json(
                    _holder_file(path), {"name": self.holder, "pid": os.getpid(), "since": round(time.time(), 3)}
                )
            except VoicepressError:
                del _held[path]
                lock.release()
                raise
            return True


def who_holds(path: Path) -> Holder:
    """What the file beside the lock at ``path`` says; a holder who has not written yet is "another process"."""
    value = read_json(_holder_file(path))
    try:
        return Holder(str(value["name"]), int(value["pid"]), float(value["since"]))  # type: ignore[index]
    except (TypeError, KeyError, ValueError):
        return Holder("another process", 0, 0.0)


def _holder_file(path: Path) -> Path:
    return path.with_suffix(".holder.json")
