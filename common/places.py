"""Where things are: the house, the user's outputs, the machine's cache.

``VOICEPRESS_OUTPUTS`` and ``VOICEPRESS_CACHE`` move the last two. Paths are computed when asked for, never at import,
so that tests and workers may set the variables late.
"""

from __future__ import annotations

import os
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
"""The folder that holds flows/, tasks/, voices/, configs/ …: the checkout, or site-packages of an install."""

CONFIGS = HOME / "configs"
VOICES = HOME / "voices"


def outputs() -> Path:
    """Where books are made: ``$VOICEPRESS_OUTPUTS``, else ``outputs/`` of the checkout, else of the current folder.

    Not simply the current folder: a Prefect worker runs flows in folders of its own.
    """
    if chosen := os.environ.get("VOICEPRESS_OUTPUTS"):
        return Path(chosen).expanduser().absolute()
    base = HOME if (HOME / "pyproject.toml").is_file() else Path.cwd()
    return base / "outputs"


def cache() -> Path:
    """Where derived data of this machine lie (joined models, measured speeds, locks).

    ``$VOICEPRESS_CACHE``, else ``$XDG_CACHE_HOME/voicepress``, else ``~/.cache/voicepress``. All of it may be
    deleted at any time.
    """
    if chosen := os.environ.get("VOICEPRESS_CACHE"):
        return Path(chosen).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().absolute() / "voicepress"
