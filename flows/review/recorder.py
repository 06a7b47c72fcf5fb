"""The engine's thread: one line at a time, while a person waits.

Contract: the engine is loaded by the first line and held under its lock for as long as lines come, so that no other process
of this machine works on the same device; after ``idle_seconds`` without work both are given back. Where another process
holds the lock the work fails at once, and says who does. Work is done in the order in which it was asked for.
"""

from __future__ import annotations

import itertools
import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from common.errors import VoicepressError
from engines.base import Engine
from tasks.speak.lock import EngineLock

log = logging.getLogger(__name__)
IDLE_SECONDS = 30.0
_KEPT = 200


@dataclass(slots=True)
class Work:
    """Something that takes a while. ``stage`` says in a word or two what is being done; ``take`` is what came of it."""

    id: int
    chapter: int
    line_id: str
    state: Literal["waiting", "working", "done", "failed"] = "waiting"
    stage: str = "waiting"
    take: int | None = None
    error: VoicepressError | None = None
    finished: threading.Event = field(default_factory=threading.Event)


Run = Callable[["Work", "Recorder"], None]


class Recorder:
    """``holder`` is what others are told who wait for the engine."""

    def __init__(self, holder: str, idle_seconds: float = IDLE_SECONDS) -> None:
        self._holder, self._idle_seconds = holder, idle_seconds
        self._waiting: queue.SimpleQueue[tuple[Work, Run] | None] = queue.SimpleQueue()
        self._works: dict[int, Work] = {}
        self._numbers = itertools.count(1)
        self._held: tuple[Engine, EngineLock] | None = None
        self._thread = threading.Thread(target=self._go, name="review-recorder", daemon=True)
        self._thread.start()

    def submit(self, chapter: int, line_id: str, run: Run) -> Work:
        """Have ``run`` done in the engine's thread."""
        work = Work(next(self._numbers), chapter, line_id)
        self._works[work.id] = work
        for old in [number for number in self._works if number <= work.id - _KEPT]:
            self._works.pop(old, None)
        self._waiting.put((work, run))
        return work

    def find(self, number: int) -> Work | None:
        return self._works.get(number)

    def own(self, engine: Engine) -> None:
        """Load ``engine`` and hold its lock; only for what runs in the recorder's thread. Errors: ``engine-busy``."""
        if self._held is not None:
            if self._held[0] is engine:
                return
            self._let_go()
        lock = EngineLock(engine.resource, self._holder, timeout_seconds=0.0)
        lock.acquire()
        try:
            engine.prepare()
        except BaseException:
            lock.release()
            raise
        self._held = engine, lock

    def close(self) -> None:
        """Finish the line under way and give the engine back."""
        self._waiting.put(None)
        self._thread.join()

    def _let_go(self) -> None:
        if self._held is not None:
            engine, lock = self._held
            self._held = None
            try:
                engine.close()
            finally:
                lock.release()

    def _go(self) -> None:
        while True:
            try:
                one = self._waiting.get(timeout=self._idle_seconds if self._held else None)
            except queue.Empty:
                self._let_go()
                continue
            if one is None:
                self._let_go()
                return
            work, run = one
            work.state = "working"
            try:
                run(work, self)
                work.state = "done"
            except VoicepressError as error:
                work.error, work.state = error, "failed"
            except Exception as error:
                log.exception("a line could not be worked on")
                work.error = VoicepressError(
                    "review-fault", f"this should not have happened: {error!r}", hint="please report it"
                )
                work.state = "failed"
            finally:
                work.finished.set()
