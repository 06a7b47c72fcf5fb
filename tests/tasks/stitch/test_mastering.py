from __future__ import annotations

from pathlib import Path

import pytest

from common import places
from common.errors import VoicepressError
from tasks.stitch.mastering import known_masterings, load_mastering

TEXT = "loudness_lufs: -18.0\ntrue_peak_dbtp: -3.0\nsample_rate_hz: 44100\naac_kbps: 64\nmp3_kbps: 96\n"


def test_the_default_is_minus_18_lufs_under_minus_3_dbtp_at_44100_hz() -> None:
    preset = load_mastering()
    assert (preset.name, preset.loudness_lufs, preset.true_peak_dbtp) == ("audiobook", -18.0, -3.0)
    assert preset.sample_rate_hz == 44100


def test_every_shipped_preset_loads() -> None:
    assert {"audiobook", "acx", "ebu-r128", "podcast"} <= set(known_masterings())
    for name in known_masterings():
        assert load_mastering(name).description


def test_adding_a_file_makes_a_preset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mastering").mkdir()
    (tmp_path / "mastering" / "radio.yaml").write_text(TEXT, encoding="utf-8")
    monkeypatch.setattr(places, "CONFIGS", tmp_path)
    assert known_masterings() == ("radio",)
    assert load_mastering("radio").loudness_lufs == -18.0


@pytest.mark.parametrize("given", [str, Path])
def test_a_path_is_a_preset_too(tmp_path: Path, given: type) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT.replace("-18.0", "-20.0"), encoding="utf-8")
    preset = load_mastering(given(path))
    assert (preset.name, preset.loudness_lufs) == ("mine", -20.0)


def test_an_unknown_name_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(VoicepressError) as caught:
        load_mastering("audiobok")
    assert caught.value.code == "unknown-mastering"
    for name in known_masterings():
        assert name in caught.value.hint


@pytest.mark.parametrize(
    ("old", "new"),
    [("-18.0", "3"), ("-3.0", "0.5"), ("44100", "8000"), ("aac_kbps: 64", "aac_kbps: true"), ("mp3_kbps: 96", "mp3_kbps: 97")],
)  # fmt: skip
def test_a_value_that_cannot_be_meant_is_refused(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(VoicepressError) as caught:
        load_mastering(path)
    assert caught.value.code == "bad-config"
    assert caught.value.line is not None
