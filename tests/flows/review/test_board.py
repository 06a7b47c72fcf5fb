"""The book as the page sees it."""

from pathlib import Path

import pytest

from common.errors import VoicepressError
from flows.review import told
from flows.review.board import Board, Wanted
from flows.workspace import Workspace
from tasks.script.doubts import sureness
from tests.flows.review.conftest import Desk


def test_the_flagged_line_comes_first_with_why(desk: Desk) -> None:
    places = desk.board.listed(Wanted())
    first = desk.board.entry(places[0])
    assert first.line.text.startswith("雾散了")
    assert first.state == "flagged"
    assert "silent" in [reason.code for reason in first.reasons]
    assert [one.take for one in desk.board.tries(first)] == [0, first.number] or first.number == 0
    assert len(desk.board.tries(first)) == 2
    assert {entry.state for entry in desk.board.entries()} == {"flagged", "passed"}


def test_lists_are_filtered_by_chapter_speaker_state_reason_and_text(desk: Desk) -> None:
    def texts(**wanted: object) -> list[str]:
        found = desk.board.listed(Wanted(order="book", **wanted))  # type: ignore[arg-type]
        return [desk.board.entry(place).line.text for place in found]

    assert texts(chapter=2)[0] == "第二章 对岸"
    assert all("船" in text for text in texts(text="船"))
    assert texts(state="flagged") == ["雾散了，长老站在桥上。"]
    assert texts(reason="silent") == ["雾散了，长老站在桥上。"]
    assert texts(speaker="老周") == ["“过河吗？”", "“再见。”"]
    assert texts(speaker="老周", chapter=2) == ["“再见。”"]
    assert texts(text="没有这样的话") == []


def test_a_list_stays_as_it_is_until_it_is_asked_for_anew(desk: Desk) -> None:
    before = list(desk.board.listed(Wanted()))
    flagged = desk.line("雾散了")
    desk.actions.approve(flagged.place, flagged.number, True)
    assert desk.board.listed(Wanted()) == before
    assert desk.board.listed(Wanted(), fresh=True)[-1] == flagged.place


def test_pages_of_a_list_hold_the_line_asked_for(desk: Desk) -> None:
    entries = desk.board.entries()
    wanted = Wanted(order="book")
    page = told.lines(desk.board, wanted, 0, 3, around=entries[4].place)
    assert (page["offset"], page["total"]) == (3, len(entries))
    assert page["rows"][1]["id"] == entries[4].line.id
    last = told.lines(desk.board, wanted, 10_000, 3)
    assert last["rows"][-1]["id"] == entries[-1].line.id


def test_doubtful_readings_are_found_beside_all_else(desk: Desk) -> None:
    assert all(reason.code != "doubtful-reading" for entry in desk.board.entries() for reason in entry.reasons)
    desk.board.look_for_doubts()
    assert desk.board.looked_at == len(desk.board.entries())
    reader = desk.board.desk.scribe.reader_of(2)
    entry = desk.line("轰隆隆")
    doubtful = [one for one in reader.candidates(entry.line.spoken) if sureness(one) < 0.9]
    assert doubtful
    assert "doubtful-reading" in [reason.code for reason in entry.reasons]
    offered = told.line(desk.board, entry.place)["doubts"][0]
    assert (offered["word"], offered["char"]) == ("轰隆隆", "隆")
    assert offered["syllables"][offered["at"]] == offered["phones"]
    assert len(offered["candidates"]) >= 2


def test_the_lines_beside_a_line_go_on_across_chapters(desk: Desk) -> None:
    entry = desk.line("第二章 对岸")
    before, after = desk.board.beside(entry.place, -1), desk.board.beside(entry.place, 1)
    assert before is not None
    assert after is not None
    assert (before.line.text, after.line.text) == ("雨下了一整夜，天亮时才停。", "船靠岸了。")
    assert desk.board.beside(desk.board.entries()[0].place, -1) is None


def test_while_the_book_is_being_made_one_can_listen_but_not_edit(book: Path, desk: Desk) -> None:
    with Workspace.of("book").held(waiting=lambda _: None):
        board = Board(book)
        assert [entry.line for entry in board.entries()] == [entry.line for entry in desk.board.entries()]
        with pytest.raises(VoicepressError) as error, board.held():
            pass
    assert error.value.code == "book-busy"


def test_a_file_that_somebody_changed_makes_the_board_stale(desk: Desk) -> None:
    assert not desk.board.is_stale()
    path = desk.board.desk.workspace.script / "001.yaml"
    path.write_text(path.read_text("utf-8") + "# mine\n", "utf-8")
    assert desk.board.is_stale()
    desk.board.refresh()
    assert not desk.board.is_stale()
    assert path.read_text("utf-8").endswith("# mine\n")
