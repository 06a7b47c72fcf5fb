"""``voicepress voices add``: a recording becomes a voice of the house or of a book."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

from common import places
from flows.cli import main
from tasks.speak.voices import VoiceLibrary
from tests.flows.press import write_book

ROOT = Path(__file__).parents[2]
CLIP = ROOT / "manuscripts/ferry/voices/clone_boy.flac"
MODEL = ROOT / "tests/data/cosyvoice3/model"
WORDS = "等我再长高一点，就能一个人把船摇到对岸去了。"


@pytest.fixture(autouse=True)
def house(tmp_path, monkeypatch) -> Path:
    """A house of voices of our own, no model directory, an empty cache."""
    monkeypatch.setattr(places, "VOICES", tmp_path / "voices")
    monkeypatch.setenv("VOICEPRESS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("VOICEPRESS_COSYVOICE3", raising=False)
    return tmp_path / "voices/profiles"


def add(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(main, ["voices", "add", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


def test_a_clip_becomes_a_voice_of_the_house(house):
    said = add(CLIP, "--text", WORDS, "--id", "boy", "--name", "小满", "--gender", "male")
    assert "no voice pack yet" in said
    voice = VoiceLibrary((house,)).get("boy")
    assert (voice.engine, voice.name, voice.language, voice.gender) == ("cosyvoice3", "小满", "zh", "male")
    assert voice.transcript == WORDS
    assert voice.reference.read_bytes() == CLIP.read_bytes()
    assert voice.reference.parent == house.resolve()


def test_with_the_encoders_a_voice_pack_is_made(house):
    pytest.importorskip("safetensors")
    from engines.cosyvoice3 import pack

    said = add(CLIP, "--text", WORDS, "--id", "boy", "--model-dir", MODEL)
    assert "boy.safetensors" in said
    made = pack.load(house / "boy.safetensors")
    assert made.transcript == WORDS
    assert 85 < len(made.tokens) < 100


def test_a_voice_can_be_one_books_alone(tmp_path, house):
    book = write_book(tmp_path / "book", "好。")
    add(CLIP, "--text", WORDS, "--id", "boy", "--book", book)
    assert VoiceLibrary((tmp_path / "book/voices",)).get("boy")
    assert not house.exists()


def test_a_taken_id_is_replaced_only_if_asked_for(house):
    add(CLIP, "--text", WORDS, "--id", "boy")
    before = (house / "boy.yaml").read_text(encoding="utf-8")
    assert "voice-exists" in add(CLIP, "--text", "别的话。", "--id", "boy", code=1)
    assert (house / "boy.yaml").read_text(encoding="utf-8") == before
    add(CLIP, "--text", "别的话。", "--id", "boy", "--replace")
    assert VoiceLibrary((house,)).get("boy").transcript == "别的话。"


def test_what_is_wrong_with_a_clip_is_said_and_nothing_is_written(tmp_path, house):
    soundfile.write(tmp_path / "low.wav", np.full(40_000, 0.1), 8000)
    soundfile.write(tmp_path / "long.wav", np.random.default_rng(0).standard_normal(31 * 16_000) * 0.1, 16_000)
    (tmp_path / "text.wav").write_text("no sound")
    for name, code in (
        ("low.wav", "clip-rate"),
        ("long.wav", "clip-too-long"),
        ("text.wav", "not-audio"),
        ("gone.wav", "file-missing"),
    ):
        said = add(tmp_path / name, "--text", WORDS, "--id", "x", code=1)
        assert code in said
        assert name in said
    assert "bad-voice-id" in add(CLIP, "--text", WORDS, "--id", "../x", code=1)
    assert not house.exists()


def test_doubts_are_told(tmp_path, house):
    samples, rate = soundfile.read(CLIP)
    soundfile.write(tmp_path / "short.wav", samples[: rate * 3 // 2], rate)
    said = add(tmp_path / "short.wav", "--text", WORDS, "--id", "boy")
    assert "work best" in said
    assert "characters a second" in said
    assert "without --text" in add(CLIP, "--id", "girl")


def test_a_clip_that_lies_in_place_already_stays(house):
    house.mkdir(parents=True)
    shutil.copyfile(CLIP, house / "boy.flac")
    add(house / "boy.flac", "--text", WORDS, "--id", "boy")
    assert (house / "boy.flac").read_bytes() == CLIP.read_bytes()
