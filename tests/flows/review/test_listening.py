"""Real speech, judged and listened to from the page."""

from pathlib import Path

import pytest

from flows.review import told
from flows.review.actions import revision_of
from flows.review.listening import can_listen
from tests.flows.press import write_book
from tests.flows.review.conftest import Desk


@pytest.mark.slow
def test_an_edit_is_spoken_checked_and_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEPRESS_OUTPUTS", str(tmp_path / "outputs"))
    text = "江面上的雾慢慢散了，船靠了岸。\n\n她回头看了看，谁也没有说话。\n"
    desk = Desk(write_book(tmp_path / "book", text, settings="engine: kokoro\ncheck: auto\n"))
    entry = desk.line("江面上")
    assert entry.state == "waiting"
    edit = desk.actions.edit(entry.place, {"spoken": "江面上的雾慢慢散了，天也亮了。"}, revision_of(entry.line))
    work = desk.done(edit)
    assert work.error is None
    now = desk.line("江面上")
    assert now.state == "passed", now.reasons
    assert 2.0 < now.seconds < 8.0
    if can_listen():
        assert desk.done(desk.actions.listen(now.place, now.number)).error is None
        (one,) = told.line(desk.board, now.place)["tries"]
        assert [kind for _, kind in one["heard"]] == ["same"]
        assert one["heard"][0][0].endswith("天也亮了。")
    desk.recorder.close()
