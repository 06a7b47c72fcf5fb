"""The receipt of a real run: lines that fail and heal, what a program may rely on, and two receipts compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from common.places import CONFIGS
from flows.receipt import versions
from tasks.publish.receipt import read_receipt
from tests.flows.press import voicepress, write_book

TEXT = """第一章 清晨

天亮了，雾还没有散，船停在岸边。

“过河吗？”老周问。

第二章 黄昏

他们回来了，雾也散了，谁都没有说话。
"""
SETTINGS = "engine: {name: tone, extra: {mute_on: 雾, mend_at_take: 2}}\ncheck: signal\npublish: [mp3]\n"


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((CONFIGS / "schema" / "receipt.schema.json").read_text(encoding="utf-8"))
    return loaded


def test_a_failed_line_heals_and_the_receipt_tells_every_try(
    tmp_path: Path, house: dict[str, str], schema: dict[str, Any]
) -> None:
    book = write_book(tmp_path / "book", TEXT, settings=SETTINGS)
    done = voicepress("make", book, env=house)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "outputs" / "book"
    value = json.loads((folder / "receipt.json").read_text(encoding="utf-8"))
    jsonschema.validate(value, schema)
    receipt = read_receipt(folder / "receipt.json")
    assert (receipt.retakes.lines, receipt.retakes.tries, receipt.retakes.healed) == (2, 4, 2)
    assert receipt.takes_used == {"0": receipt.lines - 2, "2": 2}
    assert receipt.flagged == ()
    assert [[one.recipe for one in line.tries] for line in receipt.tried] == [["plain", "split 1", "speed x0.96"]] * 2
    for one in receipt.tried[0].tries:
        sidecar = tmp_path / "outputs" / "takes" / one.key[:2] / f"{one.key}.json"
        assert json.loads(sidecar.read_text(encoding="utf-8"))["recipe"] == one.recipe
    assert [chapter.healed for chapter in receipt.chapters] == [1, 1]
    assert receipt.check == "signal"
    assert receipt.versions["voicepress"] == receipt.voicepress
    assert all(file.loudness_lufs is not None and file.faults == () for file in receipt.deliverables)
    assert len(receipt.rate.chars_per_second) == 1

    before = (folder / "receipt.json").rename(tmp_path / "before.json")
    again = voicepress("make", book, env=house)
    assert again.returncode == 0, again.stderr
    assert read_receipt(folder / "receipt.json").retakes == receipt.retakes
    same = voicepress("diff", before, book, "--exit-code", env=house)
    assert same.returncode == 0, same.stdout
    assert same.stdout.endswith("no difference\n")


def test_versions_are_those_of_what_was_at_work() -> None:
    assert set(versions("tone", "signal")) == {"python", "voicepress", "numpy"}
    assert "onnxruntime" in versions("kokoro", "off")
    assert "faster-whisper" in versions("tone", "full")
    assert "faster-whisper" not in versions("kokoro", "signal")
