"""Engines by name, imported only when asked for."""

from __future__ import annotations

import difflib
from importlib import import_module

from common.errors import VoicepressError
from engines.base import Engine, EngineOptions

ENGINES: dict[str, str] = {
    "kokoro": "engines.kokoro:KokoroEngine",
    "cosyvoice3": "engines.cosyvoice3.engine:CosyVoice3Engine",
    "tone": "engines.tone:ToneEngine",
    "http": "engines.http:HttpEngine",
}
"""Name -> ``module:class``; the class is called with one ``EngineOptions``."""


def load(name: str, options: EngineOptions | None = None) -> Engine:
    """The engine called ``name``; an unknown name is an error that lists the known ones."""
    if name not in ENGINES:
        near = difflib.get_close_matches(name, ENGINES, n=1)
        raise VoicepressError(
            "unknown-engine", f"there is no engine '{name}'", key="engine",
            hint=f"did you mean '{near[0]}'?" if near else f"known engines: {', '.join(ENGINES)}",
        )  # fmt: skip
    module, _, attribute = ENGINES[name].partition(":")
    engine: Engine = getattr(import_module(module), attribute)(options or EngineOptions())
    return engine
