from pathlib import Path

import pytest

from common.errors import VoicepressError
from flows.config import find_book, load_book, slug_of

BOOK = "schema: 1\ntitle: 渡口\nmanuscript: story.txt\ncast: cast.yaml\n"
CAST = "schema: 1\nnarrator: {voice: zf_xiaobei}\ncharacters:\n  老周: {aliases: [周伯], gender: male, voice: zm_yunjian}\n"


def write_book(folder: Path, book: str = BOOK, cast: str = CAST) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "story.txt").write_text("第一章\n天亮了。\n", encoding="utf-8")
    (folder / "cast.yaml").write_text(cast, encoding="utf-8")
    (folder / "book.yaml").write_text(book, encoding="utf-8")
    return folder / "book.yaml"


def refused(path: Path) -> VoicepressError:
    with pytest.raises(VoicepressError) as caught:
        load_book(path)
    return caught.value


def test_a_book_has_sensible_defaults(tmp_path: Path) -> None:
    book = load_book(write_book(tmp_path / "ferry"))
    assert (book.title, book.slug, book.engine, book.max_chars, book.formats) == (
        "渡口",
        "ferry",
        "kokoro",
        180,
        ("m4b", "mp3", "srt"),
    )
    assert book.cast.characters[0].aliases == ("周伯",)
    assert book.manuscript == tmp_path / "ferry" / "story.txt"


def test_a_book_is_found_by_file_folder_or_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_book(tmp_path / "manuscripts" / "ferry-of-mine")
    monkeypatch.chdir(tmp_path)
    assert find_book(path) == find_book(path.parent) == find_book(Path("ferry-of-mine")) == path
    with pytest.raises(VoicepressError) as caught:
        find_book(tmp_path / "none")
    assert caught.value.code == "file-missing"


def test_what_is_no_book_is_told_how_to_become_one(tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text("天亮了。", encoding="utf-8")
    assert refused(tmp_path / "story.txt").code == "not-a-book"
    assert "manuscript: story.txt" in refused(tmp_path / "story.txt").hint
    assert refused(tmp_path).file == str(tmp_path / "book.yaml")


def test_a_slip_in_a_key_is_named_before_the_key_that_is_missing_for_it(tmp_path: Path) -> None:
    error = refused(write_book(tmp_path, "title: 渡口\nmanscript: story.txt\n"))
    assert "unknown key 'manscript'" in error.what
    assert (error.line, error.hint) == (2, "did you mean 'manuscript'?")


@pytest.mark.parametrize(
    ("line", "says", "hint"),
    [
        ("titel: x", "unknown key 'titel'", "did you mean 'title'?"),
        ("max_chars: 500", "less than or equal to 180", ""),
        ("retakes: many", "whole number", ""),
        ("publish: [ogg]", "'audiobookshelf' or 'rss'", ""),
        ("engine: {name: kokoro, wrokers: 2}", "unknown key 'wrokers'", "did you mean 'workers'?"),
        ("output: ../../etc", "no folder", ""),
        ("lexicon: none.yaml", "'none.yaml' does not exist", ""),
    ],
)
def test_a_wrong_value_is_named_with_its_line(tmp_path: Path, line: str, says: str, hint: str) -> None:
    error = refused(write_book(tmp_path, BOOK + line + "\n"))
    assert says in error.what
    assert error.line == 5
    assert hint in error.hint


def test_a_cover_that_is_no_picture_is_told_before_anything_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "cover.png").write_text("x", encoding="utf-8")
    error = refused(write_book(tmp_path, BOOK + "cover: cover.png\n"))
    assert (error.code, Path(error.file).name) == ("bad-cover", "cover.png")


@pytest.mark.parametrize("key", ["manuscript", "cast", "cover", "lexicon", "pauses"])
@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "link.txt"])
def test_a_book_reads_nothing_outside_its_folder(tmp_path: Path, key: str, path: str) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    book = write_book(tmp_path / "book")
    (tmp_path / "book" / "link.txt").symlink_to(tmp_path / "secret.txt")
    rows = [row for row in BOOK.splitlines() if not row.startswith(f"{key}:")]
    book.write_text("\n".join([*rows, f"{key}: {path}"]), encoding="utf-8")
    error = refused(book)
    assert (error.code, error.key) == ("outside-book", key)


def test_further_roots_are_the_users_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "long.txt").write_text("天亮了。", encoding="utf-8")
    book = write_book(tmp_path / "book", BOOK.replace("story.txt", "../texts/long.txt"))
    monkeypatch.setenv("VOICEPRESS_ROOTS", str(tmp_path / "texts"))
    assert load_book(book).manuscript == tmp_path / "texts" / "long.txt"


@pytest.mark.parametrize(
    ("cast", "says"),
    [
        ("schema: 1\nnarrator: {}\n", "the narrator needs a voice"),
        (CAST + "  阿南: {aliases: [周伯]}\n", "'周伯' names both 老周 and 阿南"),
        (CAST + "unknown: pool\n", "needs at least one voice"),
        (CAST + "unknown: whoever\n", "'narrator', 'pool' or 'error'"),
        (CAST + "  narrator: {voice: x}\n", "reserved"),
        (CAST + "  阿南: {gender: femal}\n", "'male' or 'female'"),
    ],
)
def test_a_cast_that_contradicts_itself_is_refused(tmp_path: Path, cast: str, says: str) -> None:
    error = refused(write_book(tmp_path, cast=cast))
    assert says in error.what
    assert error.file == str(tmp_path / "cast.yaml")


def test_a_shared_cast_goes_by_its_name(tmp_path: Path) -> None:
    assert load_book(write_book(tmp_path, BOOK.replace("cast.yaml", "zh"))).cast.narrator.voice
    error = refused(write_book(tmp_path, BOOK.replace("cast.yaml", "klingon")))
    assert "one of:" in error.hint


def test_numbers_may_be_titles(tmp_path: Path) -> None:
    assert load_book(write_book(tmp_path, BOOK.replace("渡口", "1984"))).title == "1984"


def test_another_engine_forgets_the_options_of_the_first(tmp_path: Path) -> None:
    path = write_book(tmp_path, BOOK + "engine: {name: http, url: 'http://127.0.0.1:1', workers: 3}\n")
    assert load_book(path).options.workers == 3
    assert load_book(path, engine="tone").options.workers == 0


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("渡口", "渡口"),
        ("a b/c", "a-b-c"),
        ("../..", ""),
        (".hidden", "hidden"),
        ("con", "con-"),
        ("x" * 200, "x" * 80),
    ],
)
def test_slugs_are_safe_names(name: str, slug: str) -> None:
    assert slug_of(name) == slug


@pytest.mark.parametrize("key", ["manuscript", "cast", "cover", "lexicon", "pauses"])
@pytest.mark.parametrize("value", ["a" * 5000, "a/" * 3000 + "b", "loop.txt", '"a\\0b"', "folder"])
def test_a_path_that_leads_nowhere_is_a_clear_error(tmp_path: Path, key: str, value: str) -> None:
    book = write_book(tmp_path)
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    (tmp_path / "folder").mkdir()
    rows = [row for row in BOOK.splitlines() if not row.startswith(f"{key}:")]
    book.write_text("\n".join([*rows, f"{key}: {value}"]), encoding="utf-8")
    error = refused(book)
    assert (error.file, error.key) == (str(book), key)
    assert error.hint


def test_what_is_too_long_for_a_title_is_refused(tmp_path: Path) -> None:
    assert refused(write_book(tmp_path, BOOK.replace("渡口", "长" * 501))).key == "title"


@pytest.mark.parametrize("line", ["'': {voice: zm_yunxi}", "' ': {voice: zm_yunxi}", "阿南: {aliases: ['']}"])
def test_a_name_of_nothing_is_refused(tmp_path: Path, line: str) -> None:
    assert "needs at least one letter" in refused(write_book(tmp_path, cast=f"{CAST}  {line}\n")).what


def test_a_slug_fits_every_file_system() -> None:
    assert len(slug_of("𠀀" * 100).encode()) <= 240
    assert slug_of("渡" * 80) == "渡" * 80


def test_a_book_folder_that_is_a_bad_link_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "book.yaml").symlink_to("book.yaml")
    for path in (tmp_path, tmp_path / "book.yaml", Path("a" * 5000)):
        with pytest.raises(VoicepressError):
            find_book(path)


def test_a_judge_is_an_address_a_model_and_the_name_of_a_variable(tmp_path: Path) -> None:
    judge = (
        "judge: {url: 'http://127.0.0.1:8080/v1', model: m, key_env: JUDGE_KEY, max_lines: 20}\nconvert: simplified\n"
    )
    book = load_book(write_book(tmp_path, BOOK + judge))
    assert book.judge is not None
    assert (book.judge.url, book.judge.model, book.judge.key_env) == ("http://127.0.0.1:8080/v1", "m", "JUDGE_KEY")
    assert (book.judge.timeout_seconds, book.judge.max_lines, book.convert) == (60.0, 20, "simplified")


@pytest.mark.parametrize(
    ("judge", "key"),
    [
        ("url: 'ftp://host/'\n  model: m", "judge.url"),
        ("url: 'http://'\n  model: m", "judge.url"),
        ("url: 'http://me:sk-secret@host/'\n  model: m", "judge.url"),
        ("url: 'http://host/'\n  key_env: sk-secret\n  model: m", "judge.key_env"),
    ],
)
def test_a_secret_in_the_judge_is_refused_and_never_shown(tmp_path: Path, judge: str, key: str) -> None:
    error = refused(write_book(tmp_path, f"{BOOK}judge:\n  {judge}\n"))
    assert error.key == key
    assert error.line == (7 if key == "judge.key_env" else 6)
    assert "sk-secret" not in error.render()


def test_the_formats_of_a_book_are_those_that_can_be_published() -> None:
    from typing import get_args

    from flows.fields import Format
    from tasks.publish.publish import FORMATS

    assert get_args(Format) == FORMATS


def test_a_cast_that_is_not_written_yet_is_told_how_to_get_one(tmp_path: Path) -> None:
    path = write_book(tmp_path)
    (tmp_path / "cast.yaml").unlink()
    error = refused(path)
    assert (error.code, error.line, error.key) == ("file-missing", 4, "cast")
    assert "voicepress cast BOOK --write" in error.hint
    lacking = load_book(path, may_lack_cast=True)
    assert [file.name for file in lacking.cast_files] == ["zh.yaml"]
    assert lacking.own_cast == tmp_path / "cast.yaml"
    path.write_text(BOOK.replace("cast.yaml", "../cast.yaml"), encoding="utf-8")
    with pytest.raises(VoicepressError) as caught:
        load_book(path, may_lack_cast=True)
    assert caught.value.code == "outside-book"
