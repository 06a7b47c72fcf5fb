"""Same flow, same book, another engine: a book through the whole press with CosyVoice3's small model (it makes noise)."""

import json
import shutil
from pathlib import Path

import pytest
import soundfile

pytest.importorskip("torch")

from flows.config import load_book
from tests.flows.press import voicepress, write_book

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "tests/data/cosyvoice3/model"
FERRY = ROOT / "manuscripts/ferry"
CAST = "schema: 1\nnarrator: {voice: clone_narrator}\ncharacters:\n  老周: {voice: clone_boatman, style: 请非常开心地说一句话。}\n"
TEXT = "第一章 清晨\n\n天亮了。\n\n“过河吗？”老周问。\n"


def settings(model: str) -> str:
    return f"engine: {{name: cosyvoice3, device: cpu, model_dir: {model}}}\nretakes: 0\npublish: [mp3, srt]\n"


@pytest.mark.slow
def test_a_book_is_made_with_cloned_voices_and_a_second_run_records_nothing(tmp_path, house):
    book = write_book(tmp_path / "book", TEXT, cast=CAST, settings=settings("model"))
    shutil.copytree(MODEL, tmp_path / "book/model")  # named relative to the book
    shutil.copytree(FERRY / "voices", tmp_path / "book/voices")
    house = house | {"VOICEPRESS_CACHE": str(tmp_path / "cache")}
    done = voicepress("make", book, "--quiet", env=house)
    assert done.returncode == 0, done.stdout + done.stderr
    outputs = Path(house["VOICEPRESS_OUTPUTS"])
    receipt = json.loads((outputs / "book/receipt.json").read_text(encoding="utf-8"))
    assert receipt["engine"] == "cosyvoice3"
    assert {voice["id"] for voice in receipt["voices"]} == {"clone_narrator", "clone_boatman"}
    assert set(receipt["timings"]["engine"]) == {"front", "lm", "flow", "vocoder"}
    sidecars = [json.loads(path.read_text(encoding="utf-8")) for path in (outputs / "takes").rglob("*.json")]
    assert sidecars
    for sidecar in sidecars:
        assert set(sidecar["timings"]) == {"front", "lm", "flow", "vocoder"}
        assert sidecar["stop"] in ("end", "length", "repeat", "silence")
    assert soundfile.info(str(next((outputs / "book/chapters").glob("*.flac")))).duration > 0.5
    before = {path.name: path.stat().st_ino for path in (outputs / "takes").rglob("*.flac")}
    assert voicepress("make", book, "--quiet", env=house).returncode == 0
    assert {path.name: path.stat().st_ino for path in (outputs / "takes").rglob("*.flac")} == before


def test_a_cast_of_another_engine_is_told_what_is_needed(tmp_path, house):
    book = write_book(tmp_path / "book", TEXT, settings=settings(str(MODEL)))
    done = voicepress("make", book, "--quiet", env=house)
    assert done.returncode == 1
    assert "voice-unusable" in done.stderr
    assert "voicepress voices add" in done.stderr


def test_a_model_directory_is_relative_to_its_book_or_absolute(tmp_path):
    book = write_book(tmp_path / "book", TEXT, settings=settings("../models/x"))
    assert load_book(book).options.model_dir == tmp_path / "models/x"
    book = write_book(tmp_path / "book", TEXT, settings=settings(str(MODEL)))
    assert load_book(book).options.model_dir == MODEL


def test_the_demo_with_cosyvoice3_needs_nothing_but_the_model(tmp_path):
    shutil.copytree(FERRY, tmp_path / "ferry")
    path = tmp_path / "ferry/cosyvoice3.yaml"
    text = path.read_text(encoding="utf-8")
    named = next(row for row in text.splitlines() if "model_dir:" in row)
    path.write_text(text.replace(named, f"  model_dir: {MODEL}"), encoding="utf-8")
    from flows.desk import Desk

    job = load_book(path)
    assert (job.engine, job.slug) == ("cosyvoice3", "ferry-cosyvoice3")
    desk = Desk.open(job)  # every voice of the cast is there, and the engine can use it
    assert {desk.library.get(role.voice).engine for role in (job.cast.narrator, *job.cast.characters)} == {"cosyvoice3"}
