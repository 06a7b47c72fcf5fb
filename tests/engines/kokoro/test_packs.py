from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml

from common.errors import VoicepressError
from common.places import VOICES
from engines.kokoro import doctor, packs


def test_every_pack_loads_and_matches_its_checksum() -> None:
    known = packs.checksums()
    assert len(known) == 16
    for pack in known:
        values = packs.load(pack)
        assert values.shape == (510, 256)
        assert values.dtype == np.float32
        assert np.isfinite(values).all()


def test_unknown_pack_names_the_known_ones() -> None:
    with pytest.raises(VoicepressError) as caught:
        packs.checksum("zf_nobody")
    assert "zf_xiaobei" in caught.value.hint


@pytest.mark.parametrize("damage", ["cut", "swapped", "missing"])
def test_damaged_packs_are_an_error_and_a_finding(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "packs"
    shutil.copytree(VOICES / "packs", folder)
    archive = folder / "kokoro.npz"
    if damage == "cut":
        archive.write_bytes(archive.read_bytes()[:1000])
    elif damage == "missing":
        archive.unlink()
    else:
        np.savez(archive, zf_xiaobei=np.zeros((510, 256), np.float16))
    monkeypatch.setattr(packs, "folder", lambda: folder)
    packs.load.cache_clear()
    with pytest.raises(VoicepressError):
        packs.load("zf_xiaobei")
    packs.load.cache_clear()
    assert doctor.findings(1)[-1].level == "fail"


def test_profiles_name_existing_packs_and_hold_measured_facts() -> None:
    known = packs.checksums()
    found = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted((VOICES / "profiles").glob("*.yaml"))]
    ours = [profile for profile in found if profile["engine"] == "kokoro"]
    assert {profile["params"]["pack"] for profile in ours} == set(known)
    for profile in ours:
        assert profile["measured"]["chars_per_second"] > 3
        assert abs(profile["gain_db"] + 20 + profile["measured"]["lufs"]) < 0.11
        assert 80 < profile["measured"]["f0_hz"] < 350
    assert [profile["id"] for profile in ours if not profile.get("offered", True)] == ["zf_xiaoni"]
