"""Which lexicons hold for a book, and which of them wins."""

from pathlib import Path

import pytest

from common.errors import VoicepressError
from flows.config import load_book
from flows.desk import Desk
from flows.lexicons import layers, own_lexicon
from flows.receipt import state_of
from tests.flows.press import write_book


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A book of a series; both have a lexicon, and so has the house."""
    path = write_book(tmp_path / "series" / "book", "重庆路。\n", settings="engine: tone\nlexicon: lexicon.yaml\n")
    (path.parent / "lexicon.yaml").write_text("entries: {重: zhong4}\n", encoding="utf-8")
    (tmp_path / "series" / "series.yaml").write_text("title: 江\nlexicon: names.yaml\n", encoding="utf-8")
    (tmp_path / "series" / "names.yaml").write_text("entries: {重庆: chong2 qing3}\n", encoding="utf-8")
    (tmp_path / "house.yaml").write_text("entries: {重庆路: chong2 qing4 lu3}\n", encoding="utf-8")
    monkeypatch.setenv("VOICEPRESS_LEXICON", str(tmp_path / "house.yaml"))
    monkeypatch.setenv("VOICEPRESS_OUTPUTS", str(tmp_path / "outputs"))
    return path


def test_the_book_wins_over_its_series_and_that_over_the_house(book: Path) -> None:
    job = load_book(book)
    assert [(level, path.name) for level, path in layers(job)] == [
        ("house", "house.yaml"), ("series", "names.yaml"), ("book", "lexicon.yaml"),
    ]  # fmt: skip
    reader = Desk.open(job).scribe.reader_of(1)
    assert [one.phones for one in reader.read("重庆路")] == ["zhong4", "qing3", "lu3"]


def test_a_book_without_a_lexicon_still_has_its_series(book: Path) -> None:
    book.write_text(book.read_text(encoding="utf-8").replace("lexicon: lexicon.yaml\n", ""), encoding="utf-8")
    job = load_book(book)
    assert own_lexicon(job) is None
    assert [level for level, _ in layers(job)] == ["house", "series"]


def test_a_changed_house_lexicon_makes_a_finished_book_wait_again(book: Path, tmp_path: Path) -> None:
    job = load_book(book)
    before = state_of(job)
    (tmp_path / "house.yaml").write_text("entries: {重庆路: chong2 qing4 lu4}\n", encoding="utf-8")
    assert state_of(job) != before


def test_a_house_lexicon_that_is_not_there_is_one_clear_error(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEPRESS_LEXICON", "/nowhere/house.yaml")
    with pytest.raises(VoicepressError, match="VOICEPRESS_LEXICON"):
        Desk.open(load_book(book))
