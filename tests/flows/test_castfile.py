"""Cast files: what they may say, one laid over another, and where a fault is named."""

from pathlib import Path

import pytest

from common.errors import VoicepressError
from flows.castfile import chapter_range, load_cast, naming
from tasks.domain import UNSURE_BELOW, Cast, ChapterRange, Pool, RoleChange

WIDE = """narrator: {voice: n, style: calm, speed: 0.9}
characters:
  老周: {aliases: [周伯], gender: male, voice: a, gain_db: 1, moods: {angry: cold, sad: low}, chapters: {3: {speed: 0.8}}}
  阿南: {voice: b}
defaults: {female: f, male: m}
pool: [p]
english: e
"""


def cast_of(folder: Path, *texts: str) -> Cast:
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"{number}.yaml")
        paths[-1].write_text(text, encoding="utf-8")
    return load_cast(*paths)


def refused(folder: Path, *texts: str) -> VoicepressError:
    with pytest.raises(VoicepressError) as caught:
        cast_of(folder, *texts)
    return caught.value


def test_a_nearer_file_replaces_what_it_names_and_leaves_the_rest(tmp_path: Path) -> None:
    near = """narrator: {style: quick}
characters:
  老周: {aliases: [老人], voice: z, moods: {sad: slow}, chapters: {"9-": {voice: old}}}
  小满: {voice: c}
defaults: {male: mm}
unsure: narrator
"""
    cast = cast_of(tmp_path, WIDE, near)
    zhou, nan, man = cast.characters
    assert (cast.narrator.voice, cast.narrator.style, cast.narrator.speed) == ("n", "quick", 0.9)
    assert (zhou.name, zhou.aliases, zhou.gender, zhou.voice, zhou.gain_db) == (
        "老周",
        ("周伯", "老人"),
        "male",
        "z",
        1.0,
    )
    assert zhou.moods == {"angry": "cold", "sad": "slow"}
    assert zhou.chapters == {ChapterRange(9, None): RoleChange(voice="old")}
    assert (nan.voice, man.voice) == ("b", "c")
    assert cast.defaults == {"female": "f", "male": "mm"}
    assert (cast.english, cast.pool, cast.unsure, cast.unknown) == ("e", Pool(any=("p",)), "narrator", "pool")


def test_a_role_is_the_same_by_an_alias_of_the_wider_file(tmp_path: Path) -> None:
    cast = cast_of(tmp_path, WIDE, "characters: {周伯: {voice: z}}\n")
    assert [(role.name, role.voice) for role in cast.characters] == [("老周", "z"), ("阿南", "b")]


def test_a_nearer_file_alone_needs_no_narrator_and_the_whole_does(tmp_path: Path) -> None:
    assert cast_of(tmp_path, WIDE, "unknown: error\n").unknown == "error"
    error = refused(tmp_path, "characters: {老周: {voice: a}}\n", "characters: {小满: {voice: b}}\n")
    assert "the narrator needs a voice" in error.what
    assert error.file == str(tmp_path / "1.yaml")


@pytest.mark.parametrize(
    ("near", "says", "line"),
    [
        ("characters:\n  小满:\n    voice: c\n    aliases: [x, 周伯]\n", "'周伯' names both 老周 and 小满", 4),
        ("english: e\nunknown: pool\npool: []\n", "needs at least one voice", 2),
        ("english: e\nunknown: pol\n", "'narrator', 'pool' or 'error'", 2),
    ],
)
def test_what_files_say_together_is_named_in_the_nearer(tmp_path: Path, near: str, says: str, line: int) -> None:
    error = refused(tmp_path, WIDE, near)
    assert says in error.what
    assert (error.file, error.line) == (str(tmp_path / "1.yaml"), line)


@pytest.mark.parametrize(
    ("key", "given"),
    [
        (3, ChapterRange(3, 3)), ("12-", ChapterRange(12, None)), ("5-9", ChapterRange(5, 9)), ("5 – 9", ChapterRange(5, 9)),
        ("9-5", None), (0, None), (-3, None), ("-3", None), ("x", None), ("", None), ("1-2-3", None), ("٣", ChapterRange(3, 3)),
    ],
)  # fmt: skip
def test_ranges_of_chapters(key: int | str, given: ChapterRange | None) -> None:
    assert chapter_range(key) == given


@pytest.mark.parametrize(
    ("chapters", "says", "line"),
    [
        ("soon: {speed: 1}", "'soon' is no chapter and no range of chapters", 5),
        ("9-5: {speed: 1}", "'9-5' is no chapter", 5),
        ("5: {speed: 1}\n      5-5: {speed: 1}", "the chapters '5-5' and '5' overlap", 6),
        ("5-9: {speed: 1}\n      8-12: {speed: 1}", "the chapters '8-12' and '5-9' overlap", 6),
        ("5-: {speed: 1}\n      05-: {speed: 1}", "overlap", 6),
        ("5: {spede: 1}", "unknown key 'spede'", 5),
        ("5: {moods: {furious: x}}", "'angry', 'sad'", 5),
    ],
)
def test_a_fault_in_chapters_is_named_with_its_line(tmp_path: Path, chapters: str, says: str, line: int) -> None:
    error = refused(tmp_path, f"narrator: {{voice: n}}\ncharacters:\n  老周:\n    chapters:\n      {chapters}\n")
    assert says in error.what
    assert error.line == line


def test_ranges_within_ranges_are_no_fault(tmp_path: Path) -> None:
    chapters = '{"5-": {voice: a}, "9-": {voice: b}, "6-7": {speed: 1}, 6: {speed: 0.9}, "8-9": {speed: 1}}'
    role = cast_of(tmp_path, f"narrator: {{voice: n}}\ncharacters: {{老周: {{chapters: {chapters}}}}}\n").characters[0]
    assert len(role.chapters) == 5


@pytest.mark.parametrize(
    ("text", "unknown", "pool"),
    [
        ("", "error", Pool()),
        ("pool: [a, b]", "pool", Pool(any=("a", "b"))),
        ("pool: {female: [a], male: [b], any: [c]}", "pool", Pool(("c",), ("a",), ("b",))),
        ("pool: [a]\nunknown: narrator", "narrator", Pool(any=("a",))),
        ("pool: [a]\nunknown: error", "error", Pool(any=("a",))),
    ],
)
def test_who_reads_for_the_unknown(tmp_path: Path, text: str, unknown: str, pool: Pool) -> None:
    cast = cast_of(tmp_path, f"narrator: {{voice: n}}\n{text}\n")
    assert (cast.unknown, cast.pool) == (unknown, pool)
    assert (cast.unsure, cast.unsure_below) == ("guess", UNSURE_BELOW)


@pytest.mark.parametrize("text", ["pool: {femal: [a]}", "pool: a", "unsure_below: 2", "unsure: perhaps", "narator: {}"])
def test_a_slip_is_named_with_its_line(tmp_path: Path, text: str) -> None:
    assert refused(tmp_path, f"narrator: {{voice: n}}\n{text}\n").line == 2


def test_a_reserved_name_is_named_where_it_stands(tmp_path: Path) -> None:
    error = refused(tmp_path, "narrator: {voice: n}\ncharacters:\n  老周: {voice: a}\n  unknown: {voice: x}\n")
    assert "reserved" in error.what
    assert (error.line, error.key) == (4, "characters.unknown")


def test_a_voice_is_found_where_it_is_named(tmp_path: Path) -> None:
    cast_of(tmp_path, WIDE, "unknown: error\ncharacters:\n  老周:\n    aliases: [p]\n    voice: z\n")
    wide, near = tmp_path / "0.yaml", tmp_path / "1.yaml"
    assert naming("z", (wide, near)) == (near, 5, "characters.老周.voice")
    assert naming("p", (wide, near)) == (wide, 6, "pool")
    assert naming("m", (wide, near)) == (wide, 5, "defaults.male")
    assert naming("nobody", (wide, near)) == (near, None, "voice")
