"""One engine with a cache of its own for all tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engines.base import EngineOptions, Voice
from engines.kokoro import KokoroEngine


@pytest.fixture(scope="session")
def kokoro_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def cache(kokoro_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOICEPRESS_CACHE", str(kokoro_cache))
    return kokoro_cache


@pytest.fixture(scope="session")
def engine(kokoro_cache: Path) -> Iterator[KokoroEngine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOICEPRESS_CACHE", str(kokoro_cache))
        made = KokoroEngine(EngineOptions(workers=1))
        made.prepare()
        yield made
    made.close()


@pytest.fixture(scope="session")
def voice_of() -> Callable[[str], Voice]:
    def make(pack: str) -> Voice:
        return Voice(pack, "kokoro", pack, "en" if pack[0] in "ab" else "zh", "", params={"pack": pack})

    return make
