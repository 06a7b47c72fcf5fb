"""How far a book is: one source, shown in the terminal by tqdm and on the server by a progress artifact.

Contract: the recording loop only counts; showing never stops it. The server is told from a daemon thread that
swallows errors, since a server that is away must not hold up or fail the recording (measured: it does otherwise).
"""

from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
import time
from types import TracebackType
from typing import Any

from common.errors import plain

ARTIFACT_SECONDS = 5.0


class Progress:
    """Counts finished lines and their characters of spoken text."""

    def __init__(self, title: str, lines: int, chars: int, *, terminal: bool, server: bool) -> None:
        self.title = title
        self.lines, self.chars = lines, chars
        self.done_lines = self.done_chars = 0
        self.audio_seconds = 0.0
        self.started = time.monotonic()
        self._bar: Any = None
        self._terminal = terminal and lines > 0
        self._server = server and lines > 0
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if self._terminal:
            from tqdm import tqdm

            self._bar = tqdm(
                total=self.chars, desc=f"recording {plain(self.title, 40)}", unit="char", file=sys.stderr, dynamic_ncols=True,
                bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}, about {remaining} left{postfix}",
            )  # fmt: skip
        if self._server:
            context = contextvars.copy_context()  # carries the run, so that the artifact is tied to it
            self._thread = threading.Thread(target=context.run, args=(self._tell_server,), daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._bar is not None:
            self._bar.close()
        if self._thread is not None:
            self._thread.join(timeout=2.0)

    def advance(self, chars: int, audio_seconds: float = 0.0) -> None:
        """One more line is recorded."""
        self.done_lines += 1
        self.done_chars += chars
        self.audio_seconds += audio_seconds
        if self._bar is not None:
            self._bar.set_postfix_str(
                f"{self.done_lines}/{self.lines} lines, {self.times_real_time():.1f} x real time", refresh=False
            )
            self._bar.update(chars)

    def expect(self, lines: int, chars: int) -> None:
        """More lines than thought: re-takes."""
        self.lines += lines
        self.chars += chars
        if self._bar is not None:
            self._bar.total = self.chars
            self._bar.refresh()

    def times_real_time(self) -> float:
        """Seconds of audio made in a second of work, so far."""
        return self.audio_seconds / max(time.monotonic() - self.started, 1e-6)

    def _tell_server(self) -> None:
        artifact = None
        told = -1.0
        while True:
            over = self._over.wait(ARTIFACT_SECONDS)
            percent = 100.0 * self.done_chars / max(self.chars, 1)
            if percent != told:
                with contextlib.suppress(Exception):
                    from prefect.artifacts import create_progress_artifact, update_progress_artifact

                    if artifact is None:
                        artifact = create_progress_artifact(
                            percent, key="recording", description=f"Recording {self.title}"
                        )
                    else:
                        update_progress_artifact(artifact, percent)  # type: ignore[arg-type]
                    told = percent
            if over:
                return
