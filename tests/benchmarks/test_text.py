from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import text

MARK = "\u2581"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of the judged form under names of test files, with known rights and wrongs."""
    sets = tmp_path / "polyphone"
    sets.mkdir()
    _marked(sets, "g2pl_train", [("银" + MARK + "行" + MARK, "xing2")])
    _marked(
        sets,
        "g2pl_test",
        [(f"银{MARK}行{MARK}", "hang2"), (f"银{MARK}行{MARK}", "xing2"), (f"{MARK}好{MARK}人", "hao3")],
    )
    _marked(
        sets, "cpp_test", [(f"{MARK}绿{MARK}色", "lu:4"), (f"银{MARK}行{MARK}", "xing2"), (f"{MARK}我{MARK}们", "wo1")]
    )
    notes = "line\tcharacter\tlabel\tnote\n2\t行\thang2\tcorrected\n3\t我\two3\tnot-a-polyphone\n"
    (sets / "cpp_test_notes.tsv").write_text(notes, encoding="utf-8")
    row = {"text": "银行", "index": 1, "pinyin": ["hang2", "xing2"]}
    (sets / "novel_hard_test.jsonl").write_text(json.dumps(row), encoding="utf-8")
    tn = tmp_path / "tn"
    tn.mkdir()
    (tn / "novel_cases_test.jsonl").write_text(
        '{"written": "3个人。", "accept": ["三个人。"]}\n{"written": "3个人。", "accept": ["四个人。"]}\n',
        encoding="utf-8",
    )
    (tn / "public_cases_test.jsonl").write_text(
        '{"lang": "zh", "source": "X", "kind": "cardinal", "written": "2%", "spoken": "百分之二"}\n', encoding="utf-8"
    )
    return tmp_path


def _marked(folder: Path, name: str, rows: list[tuple[str, str]]) -> None:
    (folder / f"{name}.sent").write_text("".join(f"{row[0]}\n" for row in rows), encoding="utf-8")
    (folder / f"{name}.lb").write_text("".join(f"{row[1]}\n" for row in rows), encoding="utf-8")


def test_the_last_line_is_one_object_of_percentages(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert text.main(["--data", str(data), "--json", "--no-speed"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found == {
        "g2pl_sentence": 66.667,  # the set of training sentences is not in it
        "g2pl_macro": 66.667,
        "cpp_sentence": 33.333,
        "cpp_corrected": 100.0,
        "novel_hard": 100.0,
        "tn_public": 100.0,
        "tn_novel": 50.0,
        "chapters_precision": None,
        "chapters_recall": None,
        "encoding": None,
    }


def test_a_training_set_counts_where_there_is_no_other(data: Path) -> None:
    for path in (data / "polyphone").glob("g2pl_test.*"):
        path.unlink()
    found, _ = text.polyphones(data / "polyphone", lambda _text, _place: "xing2")
    assert found["g2pl_sentence"] == 100.0


def test_a_folder_without_data_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert text.main(["--data", str(tmp_path)]) == 2
    assert "no polyphone/" in capsys.readouterr().err
