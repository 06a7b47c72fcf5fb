"""Speech engines. They know nothing of Prefect, of books or of tasks/; ``engines.load`` gives one by name."""

from __future__ import annotations

from engines.base import Engine, EngineOptions
from engines.registry import ENGINES, load

__all__ = ["ENGINES", "Engine", "EngineOptions", "load"]
