"""What a person reads at the end of a run."""

from pathlib import Path

from flows.book import Made
from flows.make import describe
from flows.recording import Clock
from tasks.domain import Deliverable


def test_the_end_of_a_run_names_the_files_and_the_page_to_read(tmp_path: Path) -> None:
    receipt = tmp_path / "receipt.json"
    book = Deliverable(tmp_path / "渡口.m4b", "m4b", 3_250_000, 437.0)
    made = Made("渡口", tmp_path, (book,), receipt, 96, 95, 1, 437.0, Clock())
    assert describe(made).splitlines() == [
        "渡口: 7:17 of audio, 96 lines, 95 recorded now, 1 reused",
        f"1 line is flagged: listen before you publish (listed in {receipt})",
        f"  {book.path}  (3.2 MB)",
        f"  {receipt}  (what was made, in which voices, and what to listen to)",
    ]
    (tmp_path / "receipt.html").write_text("x", encoding="utf-8")
    assert "receipt.json" not in describe(made)
