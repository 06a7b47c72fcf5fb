"""What the books of a series share, and how a book differs from it."""

from pathlib import Path

import pytest

from common.errors import VoicepressError
from flows.config import Book, load_book

SERIES = "schema: 1\ntitle: 河上旧事\nauthor: 某人\ncast: cast.yaml\nlexicon: words.yaml\nmastering: acx\npauses: pauses.yaml\n"
CAST = "schema: 1\nnarrator: {voice: zf_xiaobei}\ncharacters:\n  老周: {aliases: [周伯], gender: male, voice: zm_yunjian}\n"


def write_series(folder: Path, book: str = "", series: str = SERIES) -> Path:
    (folder / "one").mkdir(parents=True)
    (folder / "series.yaml").write_text(series, encoding="utf-8")
    (folder / "cast.yaml").write_text(CAST, encoding="utf-8")
    (folder / "words.yaml").write_text("schema: 1\nentries: {重庆: chong2 qing4}\n", encoding="utf-8")
    (folder / "pauses.yaml").write_text("schema: 1\n", encoding="utf-8")
    (folder / "one" / "story.txt").write_text("第一章\n天亮了。\n", encoding="utf-8")
    (folder / "one" / "book.yaml").write_text(f"title: 一\nmanuscript: story.txt\n{book}", encoding="utf-8")
    return folder / "one"


def load(folder: Path, book: str = "", series: str = SERIES) -> Book:
    return load_book(write_series(folder, book, series))


def test_a_book_has_what_its_series_has(tmp_path: Path) -> None:
    book = load(tmp_path)
    assert book.cast_files == (tmp_path / "cast.yaml",)
    assert book.cast.characters[0].name == "老周"
    assert book.lexicons == (tmp_path / "words.yaml",)
    assert (book.mastering, book.pauses) == ("acx", tmp_path / "pauses.yaml")
    assert (book.info.series, book.info.author, book.title) == ("河上旧事", "某人", "一")
    assert book.series is not None
    assert book.series.folder == tmp_path


def test_what_the_book_says_wins(tmp_path: Path) -> None:
    folder = write_series(
        tmp_path, "series: 外传\nauthor: 他人\nmastering: audiobook\nlexicon: own.yaml\npauses: own.yaml\n"
    )
    (folder / "own.yaml").write_text("schema: 1\n", encoding="utf-8")
    book = load_book(folder)
    assert (book.info.series, book.info.author, book.mastering) == ("外传", "他人", "audiobook")
    assert book.lexicons == (tmp_path / "words.yaml", folder / "own.yaml")
    assert book.pauses == folder / "own.yaml"


def test_a_series_may_have_nothing_but_a_title(tmp_path: Path) -> None:
    book = load(tmp_path, series="title: 河上旧事\n")
    assert (book.info.series, book.lexicons, book.mastering) == ("河上旧事", (), "audiobook")
    assert [path.name for path in book.cast_files] == ["zh.yaml"]


def test_the_series_own_voices_are_found_before_the_books(tmp_path: Path) -> None:
    folder = write_series(tmp_path)
    (tmp_path / "voices").mkdir()
    (folder / "voices").mkdir()
    assert load_book(folder).voices[1:] == (tmp_path / "voices", folder / "voices")


@pytest.mark.parametrize(
    ("series", "says", "line"),
    [
        ("title: x\ncast: ../cast.yaml\n", "lies outside the series' folder", 2),
        ("title: x\nlexicon: none.yaml\n", "'none.yaml' does not exist", 2),
        ("title: x\nlexikon: none.yaml\n", "unknown key 'lexikon'", 2),
        ("cast: cast.yaml\n", "the key 'title' is missing", 1),
        ("title: x\ncast: klingon\n", "there is no shared cast 'klingon'", 2),
    ],
)
def test_a_fault_in_the_series_file_is_named_there(tmp_path: Path, series: str, says: str, line: int) -> None:
    (tmp_path / "cast.yaml").write_text(CAST, encoding="utf-8")
    with pytest.raises(VoicepressError) as caught:
        load(tmp_path / "series", series=series)
    assert says in caught.value.what
    assert (caught.value.file, caught.value.line) == (str(tmp_path / "series" / "series.yaml"), line)


def test_a_book_cannot_choose_its_series(tmp_path: Path) -> None:
    write_series(tmp_path / "theirs")
    (tmp_path / "mine" / "book").mkdir(parents=True)
    (tmp_path / "mine" / "book" / "story.txt").write_text("天亮了。\n", encoding="utf-8")
    (tmp_path / "mine" / "book" / "book.yaml").write_text(
        "manuscript: story.txt\nseries: ../../theirs\n", encoding="utf-8"
    )
    book = load_book(tmp_path / "mine" / "book")
    assert book.series is None
    assert book.info.series == "../../theirs"
