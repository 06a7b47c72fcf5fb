"""Voice profiles: found by id, hashed by what is heard, refused where they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import VoicepressError
from common.places import VOICES
from tasks.speak.voices import VoiceLibrary

PROFILE = """\
schema: 1
id: {id}
engine: kokoro
name: Wen
language: zh
gender: female
description: calm
gain_db: 1.5
params: {{pack: {pack}}}
measured: {{chars_per_second: 4.3}}
"""


def write(folder: Path, voice_id: str, pack: str = "zf_a", more: str = "", file: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (file or f"{voice_id}.yaml")
    path.write_text(PROFILE.format(id=voice_id, pack=pack) + more, encoding="utf-8")
    return path


def content(folder: Path, **how: str) -> str:
    write(folder, "wen", **how)
    return VoiceLibrary([folder]).get("wen").content


def test_a_profile_becomes_a_voice(tmp_path: Path) -> None:
    write(tmp_path, "wen")
    voice = VoiceLibrary([tmp_path]).get("wen")
    assert (voice.id, voice.engine, voice.name, voice.language, voice.gender) == (
        "wen",
        "kokoro",
        "Wen",
        "zh",
        "female",
    )
    assert (voice.gain_db, voice.params, voice.description) == (1.5, {"pack": "zf_a"}, "calm")
    assert len(voice.content) == 32


def test_all_are_listed_by_id_and_some_are_not_offered(tmp_path: Path) -> None:
    write(tmp_path, "b", more="offered: false\n")
    write(tmp_path, "a")
    library = VoiceLibrary([tmp_path])
    assert [voice.id for voice in library.all()] == ["a", "b"]
    assert [voice.id for voice in library.offered()] == ["a"]
    assert library.get("b").id == "b"
    assert library.entry("a").profile.measured == {"chars_per_second": 4.3}


def test_a_later_folder_overrides_an_earlier_one_and_a_missing_one_is_empty(tmp_path: Path) -> None:
    write(tmp_path / "house", "wen", "zf_a")
    write(tmp_path / "book", "wen", "zf_b")
    library = VoiceLibrary([tmp_path / "house", tmp_path / "book", tmp_path / "none"])
    assert library.get("wen").params == {"pack": "zf_b"}
    assert len(library.all()) == 1


def test_an_unknown_voice_is_an_error_with_the_nearest_ids(tmp_path: Path) -> None:
    write(tmp_path, "zf_xiaobei")
    with pytest.raises(VoicepressError) as caught:
        VoiceLibrary([tmp_path]).get("zf_xiaobai")
    assert caught.value.code == "unknown-voice"
    assert "zf_xiaobei" in caught.value.hint
    assert "voicepress voices" in caught.value.hint


def test_profiles_are_read_once_and_not_before_they_are_needed(tmp_path: Path) -> None:
    path = write(tmp_path, "wen")
    library = VoiceLibrary([tmp_path])
    path.write_text(path.read_text().replace("Wen", "Other"))
    assert library.get("wen").name == "Other"
    path.unlink()
    assert library.get("wen").name == "Other"


def test_content_changes_with_what_is_heard_and_with_nothing_else(tmp_path: Path) -> None:
    first = content(tmp_path / "1")
    assert content(tmp_path / "2") == first
    assert content(tmp_path / "3", pack="zf_b") != first
    assert content(tmp_path / "4", more="offered: false\n") == first
    assert content(tmp_path / "5", more="transcript: 你好\n") != first
    path = write(tmp_path / "6", "wen")
    path.write_text(path.read_text().replace("gain_db: 1.5", "gain_db: -2").replace("calm", "loud"))
    assert VoiceLibrary([tmp_path / "6"]).get("wen").content == first


def test_content_changes_with_the_bytes_of_the_reference(tmp_path: Path) -> None:
    contents = []
    for number, data in enumerate((b"one", b"two", b"one")):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "clip.wav").write_bytes(data)
        contents.append(content(folder, more="reference: clip.wav\n"))
        assert VoiceLibrary([folder]).get("wen").reference == (folder / "clip.wav").resolve()
    assert contents[0] == contents[2] != contents[1]


@pytest.mark.parametrize("reference", ["/etc/passwd", "../secret.wav", "../../x/y.wav"])
def test_a_reference_outside_the_folder_is_refused(tmp_path: Path, reference: str) -> None:
    (tmp_path / "secret.wav").write_bytes(b"x")
    write(tmp_path / "voices", "wen", more=f"reference: {reference}\n")
    with pytest.raises(VoicepressError) as caught:
        VoiceLibrary([tmp_path / "voices"]).get("wen")
    assert caught.value.code == "outside-path"


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.wav").write_bytes(b"x")
    write(tmp_path / "voices", "wen", more="reference: clip.wav\n")
    (tmp_path / "voices" / "clip.wav").symlink_to(tmp_path / "secret.wav")
    with pytest.raises(VoicepressError) as caught:
        VoiceLibrary([tmp_path / "voices"]).get("wen")
    assert caught.value.code == "outside-path"


def test_a_reference_that_is_missing_is_a_clear_error(tmp_path: Path) -> None:
    write(tmp_path, "wen", more="reference: clip.wav\n")
    with pytest.raises(VoicepressError) as caught:
        VoiceLibrary([tmp_path]).get("wen")
    assert caught.value.code == "file-missing"


def test_the_same_id_twice_in_a_folder_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "wen")
    write(tmp_path, "wen", file="again.yaml")
    with pytest.raises(VoicepressError, match="twice"):
        VoiceLibrary([tmp_path]).all()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("gian_db: 3\n", "unknown key 'gian_db'"),
        ("schema: 1\n", "stands twice"),
        ("transcript: [1]\n", "transcript"),
        ("reference: !!python/object/apply:os.system [ls]\n", "not allowed"),
    ],
)
def test_a_wrong_profile_is_a_clear_error_with_its_line(tmp_path: Path, more: str, says: str) -> None:
    write(tmp_path, "wen", more=more)
    with pytest.raises(VoicepressError, match=says) as caught:
        VoiceLibrary([tmp_path]).all()
    assert caught.value.file == str(tmp_path / "wen.yaml")
    assert caught.value.line == 11


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("schema: 1", "schema: 2"),
        ("schema: 1\n", ""),
        ("id: wen", "id: ../wen"),
        ("gender: female", "gender: f"),
        ("gain_db: 1.5", "gain_db: .nan"),
        ("gain_db: 1.5", "gain_db: 100"),
        ("{pack: zf_a}", "{pack: .inf}"),
        ("{pack: zf_a}", "{pack: 2024-01-01}"),
        ("{pack: zf_a}", "[zf_a]"),
    ],
)
def test_wrong_values_are_clear_errors(tmp_path: Path, old: str, new: str) -> None:
    path = write(tmp_path, "wen")
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(VoicepressError) as caught:
        VoiceLibrary([tmp_path]).all()
    assert caught.value.code == "bad-config"


def test_the_profiles_of_the_house_can_be_read() -> None:
    library = VoiceLibrary([VOICES / "profiles"])
    for entry in library.entries():
        assert entry.file.stem == entry.voice.id
        assert entry.voice.content
