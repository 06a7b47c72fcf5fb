"""``voicepress readings``, as a user runs it: what it lists, what an answer changes, and what it leaves alone."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from common.errors import VoicepressError
from common.terminal import width
from engines.base import Limits
from engines.tone import ToneEngine
from flows.readings import Readings, answer_of, is_respelling, lines_of, remarks, set_readings, survey
from flows.readings_page import render, to_json
from tasks.publish.receipt import ReadingProposal, ReceiptReadings, write_receipt
from tests.flows.press import voicepress, write_book
from tests.tasks.publish.test_receipt import receipt

FERRY = Path(__file__).resolve().parents[2] / "manuscripts" / "ferry"
TEXT = """第一章 重逢

单先生重重地叹了口气。

“重庆在哪儿？”老周问Siobhan，“重庆远吗？”

他们回家了。

他们又去重庆。
"""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return kept | {"VOICEPRESS_OUTPUTS": str(tmp_path / "outputs"), "PREFECT_HOME": str(tmp_path / "prefect")}


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOICEPRESS_OUTPUTS", str(tmp_path / "outputs"))
    return write_book(tmp_path / "book", TEXT)


def takes(tmp_path: Path) -> set[str]:
    return {path.name for path in (tmp_path / "outputs" / "takes").rglob("*.flac")}


def test_the_demo_is_listed_within_a_hundred_columns(env: dict[str, str], tmp_path: Path) -> None:
    done = voicepress("readings", FERRY, "--limit", 4, env=env)
    assert done.returncode == 0, done.stderr
    rows = done.stdout.splitlines()
    assert rows[0].startswith("渡口")
    assert [row.partition(":")[0] for row in rows if ":" in row and row[0] != " "][:3] == [
        "readings that are not sure", "names", "words that the dictionary lacks",
    ]  # fmt: skip
    assert max(map(width, rows)) <= 100
    assert (tmp_path / "outputs" / "ferry" / "script" / "001.yaml").is_file()
    assert not takes(tmp_path)


def test_names_and_unknown_words_are_listed_with_their_places(book: Path, env: dict[str, str]) -> None:
    found = json.loads(voicepress("readings", book, "--json", "--all", env=env).stdout)
    (name,) = (one for one in found["names"] if one["word"].startswith("单"))
    assert any(way["reading"].startswith("shan4 ") for way in name["candidates"])
    (word,) = found["foreign"]
    assert (word["word"], word["why"], word["times"]) == ("Siobhan", "guessed from its letters", 1)
    place = word["examples"][0]
    assert place["spoken"][place["start"] : place["end"]] == "Siobhan"
    script = Path(env["VOICEPRESS_OUTPUTS"]) / "book" / "script" / f"{place['chapter']:03d}.yaml"
    assert place["line"] in script.read_text(encoding="utf-8")


def test_an_answer_makes_a_lexicon_names_it_and_is_not_asked_again(book: Path) -> None:
    said = set_readings(book, ["Siobhan=SH IH0 V AO1 N", "重庆=chóng qing4"])
    assert "2 entries written" in said
    assert "1 line changes" in said  # the one with Siobhan: 重庆 is read like that anyway
    lexicon = book.parent / "lexicon.yaml"
    assert lexicon.read_text(encoding="utf-8").endswith("entries:\n  Siobhan: SH IH0 V AO1 N\n  重庆: chóng qing4\n")
    assert book.read_text(encoding="utf-8").endswith("engine: tone\nlexicon: lexicon.yaml\n")
    assert survey(book).doubts.foreign == ()


def test_an_answer_that_cannot_be_changes_nothing(book: Path) -> None:
    before = book.read_bytes()
    for wrong in ("重庆", "重庆=chong2", "重庆=xaing4 qing4", "=a1", "Siobhan=SH X", "/(重/=chong2", "/(重+)+/=chong2"):
        with pytest.raises(VoicepressError) as caught:
            set_readings(book, ["回家=hui2 jia1", wrong])
        assert caught.value.key == "--set"
    assert not (book.parent / "lexicon.yaml").exists()
    assert book.read_bytes() == before


def test_the_lines_of_an_entry_and_of_any_word(book: Path) -> None:
    set_readings(book, ["重庆=zhong4 qing4"])
    touched = lines_of(book, "重庆")
    assert len({(one.chapter, one.line) for one in touched.places}) == 3
    assert touched.entries[0].source.endswith("lexicon.yaml:4")
    assert len(lines_of(book, "他们").places) == 2
    assert lines_of(book, "他们").entries == ()


def test_a_shared_lexicon_is_never_written_to(book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shared").mkdir()
    shared = tmp_path / "shared" / "l.yaml"
    shared.write_text("entries: {回家: hui2 jia1}\n", encoding="utf-8")
    monkeypatch.setenv("VOICEPRESS_ROOTS", str(tmp_path / "shared"))
    book.write_text(book.read_text(encoding="utf-8") + "lexicon: ../shared/l.yaml\n", encoding="utf-8")
    with pytest.raises(VoicepressError, match="outside its folder"):
        set_readings(book, ["重庆=zhong4 qing4"])
    assert shared.read_text(encoding="utf-8") == "entries: {回家: hui2 jia1}\n"


def test_entries_that_contradict_or_touch_nothing_are_told(book: Path) -> None:
    book.write_text(book.read_text(encoding="utf-8") + "lexicon: l.yaml\n", encoding="utf-8")
    (book.parent / "l.yaml").write_text(
        "entries:\n  /重(?=庆)/: zhong4\n  /重(?=[庆阳])/: chong2\n  长江: chang2 jiang1\n", encoding="utf-8"
    )
    remarks = " ".join(survey(book).remarks)
    assert "l.yaml:2 '/重(?=庆)/' and l.yaml:3 '/重(?=[庆阳])/' read the same characters differently 3 times" in remarks
    assert "l.yaml:4 '长江' touches no line" in remarks


@pytest.mark.parametrize(
    ("given", "word", "value"),
    [
        ("重庆=chong2 qing4", "重庆", {"phones": "chong2 qing4"}),
        ("GPU = 显卡", "GPU", {"spoken": "显卡"}),
        ("Siobhan=Shivawn", "Siobhan", {"spoken": "Shivawn"}),
        ("Anna=ae1 n ah0", "Anna", {"phones": "ae1 n ah0"}),
        ("/重(?=新)/=chong2", "/重(?=新)/", {"phones": "chong2"}),
    ],
)
def test_an_answer_is_a_reading_or_a_respelling(given: str, word: str, value: dict[str, str]) -> None:
    assert answer_of(given) == (word, value)


def test_what_holds_han_characters_is_a_respelling() -> None:
    assert is_respelling("重庆", "冲庆")
    assert not is_respelling("重庆", "chong")


@pytest.mark.slow
def test_the_next_make_records_exactly_the_lines_that_an_answer_changes(tmp_path: Path, house: dict[str, str]) -> None:
    book = write_book(tmp_path / "book", TEXT)
    done = voicepress("make", book, env=house)
    assert done.returncode == 0, done.stderr
    before = takes(tmp_path)
    done = voicepress("readings", book, "--set", "重庆=zhong4 qing4", env=house)
    assert done.returncode == 0, done.stderr
    assert "3 lines change" in done.stdout
    touched = json.loads(voicepress("readings", book, "--lines", "重庆", "--json", env=house).stdout)["places"]
    assert len({(one["chapter"], one["line"]) for one in touched}) == 3
    assert takes(tmp_path) == before
    done = voicepress("make", book, env=house)
    assert done.returncode == 0, done.stderr
    assert "3 recorded now" in done.stdout
    assert len(takes(tmp_path) - before) == 3
    assert "0 recorded now" in voicepress("make", book, env=house).stdout


def test_two_answers_that_contradict_each_other_change_nothing(book: Path) -> None:
    with pytest.raises(VoicepressError, match="answered twice, differently") as caught:
        set_readings(book, ["重庆=zhong4 qing4", "重庆=chong2 qing4"])
    assert (caught.value.code, caught.value.key) == ("bad-answer", "--set")
    assert not (book.parent / "lexicon.yaml").exists()


def test_an_answer_goes_into_a_lexicon_that_lies_there_unnamed(book: Path) -> None:
    """As a run that was killed between its two files leaves it."""
    (book.parent / "lexicon.yaml").write_text("# mine\nentries:\n  回家: hui2 jia1\n", encoding="utf-8")
    set_readings(book, ["重庆=zhong4 qing4"])
    text = (book.parent / "lexicon.yaml").read_text(encoding="utf-8")
    assert text == "# mine\nentries:\n  回家: hui2 jia1\n  重庆: zhong4 qing4\n"
    assert book.read_text(encoding="utf-8").endswith("lexicon: lexicon.yaml\n")


class InlineTones(ToneEngine):
    """The engine of tones, given its readings as CosyVoice3 is: within the text."""

    @property
    def limits(self) -> Limits:
        return replace(super().limits, phonetic="inline")


@pytest.mark.parametrize("engine", [ToneEngine(), InlineTones()], ids=["pinyin", "inline"])
def test_the_takes_that_an_entry_makes_stale_are_those_of_the_lines_it_touches(book: Path, engine: ToneEngine) -> None:
    def keys() -> dict[tuple[int, str], str]:
        found = Readings(book)
        found.desk.engine = engine
        found.desk.require_speakable(found.script)
        return {
            (chapter.number, line.id): found.desk.store.key_for(
                found.desk.utterance_of(line, chapter.number, 0)[0], engine
            )
            for chapter in found.script.chapters
            for line in chapter.lines
        }

    before = keys()
    set_readings(book, ["重庆=zhong4 qing4"])
    after = keys()
    touched = {(one.chapter, one.line) for one in lines_of(book, "重庆").places}
    assert len(touched) == 3
    assert {key for key in after if after[key] != before[key]} == touched


def test_a_lexicon_of_another_encoding_is_one_clear_error_and_stays(book: Path) -> None:
    data = "entries:\n  回家: hui2 jia1\n".encode("gb18030")
    (book.parent / "lexicon.yaml").write_bytes(data)
    with pytest.raises(VoicepressError, match="not UTF-8"):
        set_readings(book, ["重庆=zhong4 qing4"])
    assert (book.parent / "lexicon.yaml").read_bytes() == data


def test_readings_that_an_engine_has_no_signs_for_are_told(book: Path) -> None:
    set_readings(book, ["回家=hui5 jia1"])
    found = Readings(book)
    assert not [row for row in remarks(found) if "no signs" in row]
    found.desk.engine = InlineTones()
    assert [row for row in remarks(found) if "no signs" in row] == [
        "lexicon.yaml:4 '回家': the engine has no signs for hui5, and reads that by itself"
    ]


def test_windows_line_ends_stay(book: Path) -> None:
    book.write_bytes(book.read_bytes().replace(b"\n", b"\r\n"))
    set_readings(book, ["重庆=zhong4 qing4"])
    assert book.read_bytes().endswith(b"engine: tone\r\nlexicon: lexicon.yaml\r\n")


def test_one_thing_at_a_time(book: Path, env: dict[str, str]) -> None:
    done = voicepress("readings", book, "--lines", "重庆", "--set", "重庆=zhong4 qing4", env=env)
    assert done.returncode == 2
    assert "one of them at a time" in done.stderr


def test_what_the_last_run_heard_otherwise_is_listed_until_it_is_settled(book: Path, tmp_path: Path) -> None:
    script = Readings(book).script
    line = next(line for line in script.chapters[0].lines if "叹了口气" in line.spoken)
    proposal = ReadingProposal(
        word="重重", char="重", reading="zhong4", heard="chong", times=2, chapter=1, line_id=line.id, text=line.spoken
    )
    gone = proposal.model_copy(update={"line_id": "no-such-line"})
    write_receipt(receipt(readings=ReceiptReadings(proposals=(proposal, gone))), tmp_path / "outputs" / "book")
    found = survey(book)
    assert found.heard == (proposal,)
    shown = render(found)
    assert "heard otherwise in the last run: 1" in shown
    assert "【重】重" in shown
    assert "heard as chong" in shown
    assert json.loads(to_json(found))["heard"][0]["heard"] == "chong"
    set_readings(book, ["重重=zhong4 zhong4"])
    assert survey(book).heard == ()
    (tmp_path / "outputs" / "book" / "receipt.json").write_text("{half", encoding="utf-8")
    assert survey(book).heard == ()
