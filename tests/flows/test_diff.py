from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from common.errors import VoicepressError
from common.terminal import width
from flows.cli import main
from flows.diff import ChapterChange, compare, diff, find, render, to_json
from tasks.publish.receipt import FlaggedLine, Receipt, ReceiptChapter, Timings, write_receipt
from tests.flows.press import write_book
from tests.tasks.publish.test_receipt import receipt


def made(**changes: Any) -> Receipt:
    chapters = tuple(
        ReceiptChapter(
            number=n, title=f"第{n}章", seconds=60.0 * n, lines=10 * n, loudness_lufs=-18.0, true_peak_dbtp=-3.1
        )
        for n in (1, 2, 3)
    )
    return receipt(**({"chapters": chapters, "versions": {"voicepress": "0.1.0", "python": "3.11.2"}} | changes))


def changed(a: Receipt, b: Receipt) -> dict[str, str]:
    return {figure.what: figure.change for figure in compare(a, b).figures if figure.change}


def test_a_receipt_is_the_same_as_itself_whenever_it_was_made() -> None:
    other = made(made_at="2026-12-02T09:00:00+08:00", timings=Timings(record=60.0, audio_seconds=120.0))
    found = compare(made(), other)
    assert found.same
    assert changed(made(), other) == {"time to record, s": "x2.00", "recording, RTF": "x2.00"}
    assert render(found).endswith("no difference")


def test_what_it_was_made_with_is_told() -> None:
    other = made(engine="kokoro", seed=9, versions={"voicepress": "0.2.0", "python": "3.11.2", "torch": "2.9"})
    found = compare(made(), other)
    assert not found.same
    assert changed(made(), other) == {
        "engine": "changed", "seed": "changed", "version of voicepress": "changed", "version of torch": "added",
    }  # fmt: skip


def test_chapters_are_matched_by_their_titles() -> None:
    one, _, three = made().chapters
    other = (
        one.model_copy(update={"seconds": 64.2, "loudness_lufs": -19.0}),
        ReceiptChapter(number=2, title="楔子", seconds=5.0, lines=2, loudness_lufs=-18.0),
        three.model_copy(update={"number": 4, "lines": 31, "heard_error": 0.02, "heard": 5}),
        ReceiptChapter(number=5, title="后记", seconds=61.0, lines=3),
    )
    found = compare(made(), made(chapters=other))
    assert found.chapters == (
        ChapterChange("changed", 1, "第1章", "4.2 s longer, -1.0 LU"),
        ChapterChange("changed", 2, "楔子", "was '第2章', 115.0 s shorter, lines 20 to 2"),
        ChapterChange("changed", 4, "第3章", "was chapter 3, lines 30 to 31"),
        ChapterChange("added", 5, "后记", "1:01, 3 lines"),
    )
    back = compare(made(chapters=other), made())
    assert ChapterChange("removed", 5, "后记", "1:01, 3 lines") in back.chapters


def test_lines_flagged_in_one_alone_are_listed() -> None:
    line = FlaggedLine(chapter=2, line_id="b2", text="雨下了一夜。", reasons=("hole: 2.1 s",))
    found = compare(made(), made(flagged=(*made().flagged, line)))
    assert (found.flagged_anew, found.flagged_no_more) == (("2 雨下了一夜。",), ())
    assert "flagged in B alone" in render(found)
    assert not found.same


def test_the_table_is_a_hundred_columns_wide_however_long_the_names() -> None:
    chapters = tuple(ReceiptChapter(number=n, title="很长的标题" * 20, seconds=n) for n in range(1, 100))
    same = "kokoro-82m int8 0123456789abcdef joined-3 "
    a = made(title="书" * 80, engine_fingerprint=same + "aaaaaaaa")
    text = render(compare(a, made(title="本" * 80, engine_fingerprint=same + "bbbbbbbb", chapters=chapters)))
    assert max(map(width, text.splitlines())) <= 100
    assert "bbbbbbbb" in text
    assert "more; --json has them all" in text


def test_receipts_are_found_in_folders_and_by_their_books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEPRESS_OUTPUTS", str(tmp_path / "outputs"))
    book = write_book(tmp_path / "well", "第一章\n\n天亮了。\n")
    with pytest.raises(VoicepressError, match="there is no receipt here"):
        find(book)
    (tmp_path / "outputs" / "well").mkdir(parents=True)
    data, _ = write_receipt(made(), tmp_path / "outputs" / "well")
    assert find(book) == find(book.parent) == find(data.parent) == find(data) == data
    assert diff(book, data).same


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{", "no receipt"),
        ("[]", "no mapping"),
        ('{"schema": 9}', "schema is 9"),
        ('{"schema": 1, "title": 3}', "no receipt"),
    ],
)
def test_what_is_no_receipt_is_one_clear_error(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "receipt.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(VoicepressError, match=what) as caught:
        diff(path, path)
    assert caught.value.code == "bad-receipt"
    with pytest.raises(VoicepressError):
        diff(tmp_path / "none.json", path)
    path.unlink()
    with pytest.raises(VoicepressError, match="no receipt here"):
        diff(tmp_path, path)


def test_the_command_ends_well_unless_asked_to_tell(tmp_path: Path) -> None:
    for name, one in (("a", made()), ("b", made(seed=1))):
        (tmp_path / name).mkdir()
        write_receipt(one, tmp_path / name)
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    run = CliRunner().invoke
    assert run(main, ["diff", a, b]).exit_code == 0
    assert run(main, ["diff", a, b, "--exit-code"]).exit_code == 1
    assert run(main, ["diff", a, a, "--exit-code"]).exit_code == 0
    shown = run(main, ["diff", a, b, "--json"])
    assert json.loads(shown.output)["same"] is False
    assert [one["what"] for one in json.loads(shown.output)["figures"] if one["change"]] == ["seed"]
    missing = run(main, ["diff", a, str(tmp_path / "c")])
    assert missing.exit_code == 1
    assert to_json(compare(made(), made())).startswith('{\n "same": true')
