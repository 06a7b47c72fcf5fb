"""Word boundaries by jieba, loaded once and only when asked for."""

from __future__ import annotations

import logging
import threading
from functools import cache
from typing import Any

_lock = threading.Lock()


@cache
def _jieba() -> Any:
    with _lock:
        import jieba

        jieba.setLogLevel(logging.WARNING)
        jieba.initialize()
        return jieba


def cut(text: str) -> list[str]:
    """The words of ``text`` in order; joined they are ``text`` again."""
    return list(_jieba().cut(text, HMM=True))
