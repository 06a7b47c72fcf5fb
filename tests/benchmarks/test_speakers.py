"""The benchmark of speakers, on sentences of our own."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from benchmarks.as_book import as_book
from benchmarks.speakers import calibration, cases_of, cast_of, run, speakers
from tasks.domain import Cast, Role
from tasks.script.names import Names


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "name_list.txt").write_text("0 林晓 晓晓\n1 王明\n", encoding="utf-8")
    rows = [
        {
            "id": "1",
            "sentences": ["林晓走进来，说：", "“早。”"],
            "quote_index": 1,
            "speaker": "晓晓",
            "category": "explicit",
        },
        {"id": "2", "sentences": ["“早。”", "王明说。"], "quote_index": 0, "speaker": "林晓", "category": "latent"},
    ]
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (tmp_path / "wp2021_test.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


def test_aliases_count_as_their_person(folder: Path) -> None:
    cast = cast_of(folder)
    first, second = cases_of(folder, cast)
    assert (first.speaker, second.speaker) == ("林晓", "林晓")
    one = run(first, Names(cast, "", "zh"))
    assert one is not None
    assert one.speaker == "林晓"


def test_the_report_is_in_per_cent_by_category(folder: Path) -> None:
    result = speakers(folder)
    assert (result["all"], result["explicit"], result["latent"]) == (50.0, 100.0, 0.0)


def test_calibration_is_the_gap_between_confidence_and_truth() -> None:
    rows, error = calibration([(0.95, True), (0.95, False), (0.05, False)])
    assert [(round(c, 2), r, n) for c, r, n in rows] == [(0.05, 0.0, 1), (0.95, 0.5, 2)]
    assert error == pytest.approx((0.05 + 2 * 0.45) / 3)


def test_sentences_become_paragraphs_as_a_book_has_them() -> None:
    names = Names(Cast(Role("narrator"), (Role("林晓"), Role("王明"))), "", "zh")
    lines = ["林晓说：", "“早。”", "林晓坐下。", "王明笑了。"]
    sets = [as_book(lines, [set(), {"林晓"}, set(), set()], names, Random(seed))[1] for seed in range(20)]
    assert sorted({number for parts in sets for part in parts for number in part}) == [0, 1, 2, 3]
    joined = sum(part[:2] == [0, 1] for parts in sets for part in parts)
    assert joined >= 14
