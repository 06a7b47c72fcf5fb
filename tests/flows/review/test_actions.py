"""What a person does on the page: where it is written, and what the next make makes of it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from common.errors import VoicepressError
from flows import approvals
from flows.review.actions import revision_of
from flows.review.board import Board, Entry
from flows.workspace import Workspace
from tasks.script.format import Value
from tests.flows.review.conftest import Desk


def edit(desk: Desk, entry: Entry, changes: Mapping[str, Value]) -> None:
    work = desk.actions.edit(entry.place, changes, revision_of(entry.line))
    if work is not None:
        assert desk.done(work).error is None


def script(desk: Desk, chapter: int = 1) -> str:
    return (desk.board.desk.workspace.script / f"{chapter:03d}.yaml").read_text("utf-8")


def as_made(book: Path, entry: Entry) -> Entry:
    """The line as the next run finds it in the files."""
    return Board(book).entry(entry.place)


def test_an_edited_line_is_in_the_script_and_recorded_in_its_new_form(book: Path, desk: Desk) -> None:
    entry = desk.line("雾散了")
    before = script(desk)
    edit(desk, entry, {"spoken": "天晴了，老人站在桥上。", "speaker": "老周", "style": "低声"})
    added = [row for row in script(desk).splitlines() if row not in before.splitlines()]
    assert added == ["    spoken: 天晴了，老人站在桥上。", "    style: 低声"] or len(added) == 3
    now = desk.line("雾散了")
    assert (now.state, now.number, now.line.spoken) == ("passed", 0, "天晴了，老人站在桥上。")
    assert now.voice == "zm_yunjian"
    again = as_made(book, entry)
    assert (again.line, again.key, again.state) == (now.line, now.key, "passed")


def test_a_line_that_is_there_in_its_new_form_is_not_recorded(desk: Desk) -> None:
    entry = desk.line("船靠岸了")
    assert desk.actions.edit(entry.place, {"pause": 2.0}, revision_of(entry.line)) is None
    assert desk.line("船靠岸了").key == entry.key


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"voice": "nobody"}, "unknown-voice"),
        ({"speaker": ""}, "bad-script"),
        ({"spoken": "长" * 400}, "line-too-long"),
        ({"speed": 99.0}, "bad-script"),
        ({"speed": "fast"}, "bad-script"),
        ({"text": "其他"}, "bad-request"),
        ({"id": "x"}, "bad-request"),
    ],
)
def test_what_cannot_be_said_changes_nothing(desk: Desk, changes: Mapping[str, Value], code: str) -> None:
    entry, before = desk.line("雾散了"), script(desk)
    with pytest.raises(VoicepressError) as error:
        desk.actions.edit(entry.place, changes, revision_of(entry.line))
    assert error.value.code == code
    assert script(desk) == before
    assert desk.line("雾散了") == entry


def test_of_two_who_edit_the_same_line_the_second_is_told(desk: Desk) -> None:
    entry = desk.line("雾散了")
    edit(desk, entry, {"style": "低声"})
    with pytest.raises(VoicepressError) as error:
        desk.actions.edit(entry.place, {"style": "大声"}, revision_of(entry.line))
    assert error.value.code == "script-changed"
    assert "style: 低声" in script(desk)


def test_what_was_edited_in_the_file_meanwhile_is_not_written_over(desk: Desk) -> None:
    entry, other = desk.line("雾散了"), desk.line("雨下了")
    path = desk.board.desk.workspace.script / "001.yaml"
    path.write_text(path.read_text("utf-8").replace("    text: 雾散了", "    style: 开心\n    text: 雾散了"), "utf-8")
    with pytest.raises(VoicepressError) as error:
        edit(desk, entry, {"style": "低声"})
    assert error.value.code == "script-changed"
    edit(desk, other, {"style": "低声"})  # another line of the same file
    assert script(desk).count("style: 开心") == script(desk).count("style: 低声") == 1
    desk.board.refresh()
    assert desk.line("雾散了").line.style == "开心"


def test_nothing_is_edited_while_another_process_makes_the_book_but_one_can_approve(desk: Desk) -> None:
    entry, before = desk.line("雾散了"), script(desk)
    with Workspace.of("book").held(waiting=lambda _: None):
        for run in (
            lambda: desk.actions.edit(entry.place, {"style": "低声"}, revision_of(entry.line)),
            lambda: desk.actions.again(entry.place),
            lambda: desk.actions.choose(entry.place, 0),
            lambda: desk.actions.reading(entry.place, "长老", "zhang3 lao3", True),
        ):
            with pytest.raises(VoicepressError) as error:
                run()
            assert error.value.code == "book-busy"
        desk.actions.approve(entry.place, entry.number, True)
    assert script(desk) == before
    assert desk.line("雾散了").state == "approved"


def test_what_is_approved_is_no_longer_flagged_in_later_runs(book: Path, desk: Desk) -> None:
    entry = desk.line("雾散了")
    worse = next(one for one in desk.board.tries(entry) if one.key != entry.key)
    desk.actions.approve(entry.place, worse.take, True)
    now = as_made(book, entry)
    assert (now.state, now.key, now.number) == ("approved", worse.key, worse.take)
    desk.actions.approve(entry.place, entry.number, True)  # of one line one take is approved
    assert list(approvals.takes(desk.board.desk.workspace.folder)) == [entry.key]
    desk.actions.approve(entry.place, entry.number, False)
    assert as_made(book, entry).state == "flagged"


def test_one_more_take_is_recorded_and_can_be_used(book: Path, desk: Desk) -> None:
    entry = desk.line("船靠岸了")
    work = desk.done(desk.actions.again(entry.place))
    number = work.take
    assert work.error is None
    assert number
    tries = desk.board.tries(desk.line("船靠岸了"))
    assert [one.take for one in tries] == [0, number]
    assert tries[1].verdict is not None
    assert desk.line("船靠岸了").number == 0  # the first that passes stays in use
    desk.actions.choose(entry.place, number)
    assert f"    take: {number}\n" in script(desk, 2)
    now = as_made(book, entry)
    assert (now.number, now.key) == (number, tries[1].key)
    third = desk.done(desk.actions.again(entry.place))
    assert third.take not in (0, number, None)
    desk.actions.choose(entry.place, None)
    assert "take:" not in "".join(row for row in script(desk, 2).splitlines(True) if not row.startswith("#"))


def test_approving_another_take_than_the_script_names_makes_the_script_name_it(desk: Desk) -> None:
    entry = desk.line("船靠岸了")
    desk.actions.choose(entry.place, desk.done(desk.actions.again(entry.place)).take)
    desk.actions.approve(entry.place, 0, True)
    assert "    take: 0\n" in script(desk, 2)
    assert (desk.line("船靠岸了").state, desk.line("船靠岸了").number) == ("approved", 0)


def test_verdicts_of_new_takes_are_kept_beside_those_that_were_there(book: Path, desk: Desk) -> None:
    entry = desk.line("船靠岸了")
    known = len(desk.board.verdicts)
    desk.done(desk.actions.again(entry.place))
    assert len(Board(book).verdicts) == known + 1


def test_a_line_that_fails_again_is_still_shown_with_its_best_take(desk: Desk) -> None:
    entry = desk.line("雨下了")
    edit(desk, entry, {"spoken": "雾里下了一夜的雨。"})  # the planted fault mutes it
    now = desk.line("雨下了")
    assert now.state == "flagged"
    assert now.key
    assert "silent" in [reason.code for reason in now.reasons]


def test_a_reading_of_this_line_alone_stands_in_the_script(book: Path, desk: Desk) -> None:
    entry = desk.line("雾散了")
    work, changed = desk.actions.reading(entry.place, "长老", "chang2 lao3", everywhere=False)
    desk.done(work)
    assert changed == 0
    assert "[ch][áng][l][ǎo]" in script(desk)
    phones = {one.start: one.phones for one in as_made(book, entry).line.readings}
    assert phones[entry.line.spoken.index("长")] == "chang2"
    assert not (book.parent / "lexicon.yaml").exists()


def test_a_reading_for_the_whole_book_stands_in_its_lexicon(book: Path, desk: Desk) -> None:
    entry = desk.line("雾散了")
    old = desk.line("他们走了")
    work, changed = desk.actions.reading(entry.place, "了", "liao3", everywhere=True)
    desk.done(work)
    assert (book.parent / "lexicon.yaml").read_text("utf-8").rstrip().endswith("了: liao3")
    assert "lexicon: lexicon.yaml" in book.read_text("utf-8")
    assert changed >= 2
    assert desk.line("雾散了").state == "flagged"  # recorded anew, and mute again
    assert (desk.line("他们走了").state, old.state) == ("waiting", "passed")  # left to the next make


@pytest.mark.parametrize(
    ("word", "phones", "everywhere"),
    [("长老", "zhang3", False), ("长老", "zhang9 lao3", True), ("没有", "mei2 you3", False), ("", "", True)],
)
def test_a_reading_that_is_none_changes_nothing(desk: Desk, word: str, phones: str, everywhere: bool) -> None:
    before = script(desk)
    with pytest.raises(VoicepressError):
        desk.actions.reading(desk.line("雾散了").place, word, phones, everywhere)
    assert script(desk) == before
    assert not desk.board.job.lexicons


def test_a_line_can_be_left_out_and_taken_in_again(desk: Desk) -> None:
    edit(desk, desk.line("船靠岸了"), {"skip": True})
    entry = desk.line("船靠岸了")
    assert (entry.state, desk.board.tries(entry)) == ("skipped", ())
    edit(desk, entry, {"skip": False})
    assert desk.line("船靠岸了").state == "passed"
