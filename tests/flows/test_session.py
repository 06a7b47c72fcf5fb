from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from engines.base import EngineOptions, Utterance, Voice
from engines.tone import ToneEngine
from flows.session import Session, Slot, load_verdicts, save_verdicts, tries_of
from flows.workspace import Workspace
from tasks.check.check import Asked, Checker
from tasks.check.limits import load_limits
from tasks.domain import ChapterScript, Flaw, Line, Span, Verdict
from tasks.speak.recipes import apply
from tasks.speak.record import record_batch
from tasks.speak.takes import TakeStore

VOICE = Voice("v", "tone", "v", "zh", "female", content="v")


def chapters(*texts: Sequence[str]) -> list[ChapterScript]:
    return [
        ChapterScript(
            number,
            f"第{number}章",
            tuple(Line(f"{number}-{i}", "narration", text, text, Span(0, 0)) for i, text in enumerate(lines)),
        )
        for number, lines in enumerate(texts, start=1)
    ]


def say(line: Line, chapter: int, take: int) -> tuple[Utterance, float]:
    return apply(Utterance(line.spoken, VOICE, take=take), ToneEngine().limits), 0.0


class Press:
    """A store on disk, the tone engine, and the loop that the flow runs."""

    def __init__(
        self, root: Path, script: list[ChapterScript], faults: dict[str, object] | None = None, **settings: object
    ) -> None:
        self.engine = ToneEngine(EngineOptions(extra=faults or {}))
        self.store = TakeStore(root)
        options = {"retakes": 2, "batch": 4, "check": True, **settings}
        self.session = Session(script, engine=self.engine, store=self.store, utterance_of=say, **options)  # type: ignore[arg-type]
        self.checker = Checker(load_limits())
        self.batches: list[list[str]] = []

    def check(self, slots: list[Slot]) -> None:
        asked = [Asked(slot.key, slot.line.spoken, "zh", slot.voice_id) for slot in slots]
        self.session.judged(slots, self.checker.check(self.store, asked))

    def run(self, stop_after: int = 1000) -> None:
        while len(self.batches) < stop_after:
            while unchecked := self.session.take_unchecked():
                self.check(unchecked)
            jobs = self.session.next_jobs()
            if not jobs:
                return
            self.batches.append([job.line_id for job in jobs])
            self.check(self.session.recorded(record_batch(self.engine, self.store, jobs)))


def chosen(session: Session) -> list[tuple[str, str, tuple[str, ...], str]]:
    return [(slot.line.id, slot.chosen, slot.flagged, slot.failed) for slot in session.slots()]


BOOK = chapters(
    ["天亮了。", "雾散了。", "他走了。", "她来了。", "他们说话。"], ["第二天。", "下雨了。", "没有人来。"], ["完。"]
)


def test_every_line_is_recorded_once(tmp_path: Path) -> None:
    press = Press(tmp_path, BOOK)
    press.run()
    assert sorted(line for batch in press.batches for line in batch) == sorted(
        slot.line.id for slot in press.session.slots()
    )
    assert all(slot.chosen and not slot.flagged for slot in press.session.slots())
    assert [len(batch) for batch in press.batches] == [4, 4, 1]


def test_a_second_run_has_nothing_to_do(tmp_path: Path) -> None:
    first = Press(tmp_path, BOOK)
    first.run()
    second = Press(tmp_path, BOOK)
    second.run()
    assert second.batches == []
    assert chosen(second.session) == chosen(first.session)


@pytest.mark.parametrize("stop_after", [1, 2, 3])
def test_a_run_that_was_cut_short_goes_on_where_it_was(tmp_path: Path, stop_after: int) -> None:
    whole = Press(tmp_path / "whole", BOOK, {"mute_on": "雨", "mend_at_take": 2})
    whole.run()
    Press(tmp_path / "cut", BOOK, {"mute_on": "雨", "mend_at_take": 2}).run(stop_after)
    rest = Press(tmp_path / "cut", BOOK, {"mute_on": "雨", "mend_at_take": 2})
    rest.run()
    assert chosen(rest.session) == chosen(whole.session)
    assert len(rest.batches) <= len(whole.batches) - stop_after + 1


def test_a_bad_take_is_recorded_again_until_it_is_good(tmp_path: Path) -> None:
    press = Press(tmp_path, BOOK, {"mute_on": "雨", "mend_at_take": 3})
    press.run()
    slot = next(slot for slot in press.session.slots() if "雨" in slot.line.text)
    assert [verdict.outcome for _, verdict in slot.tried] == ["retry", "retry", "pass"]
    assert slot.chosen == slot.tried[2][0]
    assert not slot.flagged


LONG = "下雨了，没有人来，他们等了很久。"


def test_a_re_take_does_what_may_help_and_its_sidecar_says_so(tmp_path: Path) -> None:
    press = Press(tmp_path, chapters([LONG, "天亮了。"]), {"mute_on": "雨", "mend_at_take": 2})
    press.run()
    slot = press.session.slots()[0]
    tries = press.session.tries_of(slot)
    assert [(one.take, one.recipe) for one in tries] == [(0, "plain"), (1, "split 1"), (2, "speed x0.96")]
    assert [one.verdict.outcome for one in tries if one.verdict] == ["retry", "retry", "pass"]
    assert slot.healed
    assert not press.session.slots()[1].healed
    metas = [press.store.get(one.key).meta for one in tries]  # type: ignore[union-attr]
    assert [meta["recipe"] for meta in metas] == ["plain", "split 1", "speed x0.96"]
    assert [meta["text"] for meta in metas] == [LONG, LONG.replace("来，", "来。"), LONG]
    assert [meta["speed"] for meta in metas] == [1.0, 1.0, 1.0]  # what was asked for, which the check goes by
    assert [meta.get("because") for meta in metas] == [None, ["silent"], ["silent"]]
    assert metas[2]["retake_of"] == tries[0].key


def test_failed_lines_are_recorded_again_together(tmp_path: Path) -> None:
    script = chapters([f"雨下了{n}天。" for n in "一二三四五六七八"])
    press = Press(tmp_path, script, {"mute_on": "雨", "mend_at_take": 1}, batch=4)
    press.run()
    assert all(slot.healed for slot in press.session.slots())
    assert [len(batch) for batch in press.batches] == [4, 4, 4, 4]


def test_re_takes_wait_for_others_only_while_nothing_new_is_left(tmp_path: Path) -> None:
    press = Press(tmp_path, chapters(["雨一。", "雨二。", "三。"]), {"mute_on": "雨"}, batch=2)
    assert not press.session.may_wait()  # new lines never wait
    first = press.session.recorded(record_batch(press.engine, press.store, press.session.next_jobs()))
    press.check([slot for slot in first if "雨" in slot.line.text][:1])
    assert not press.session.may_wait()
    press.session.recorded(
        record_batch(press.engine, press.store, [j for j in press.session.next_jobs() if j.utterance.take == 0])
    )
    assert press.session.waiting_lines() == 1
    assert press.session.may_wait()


def test_what_another_recording_cannot_mend_is_not_recorded_again(tmp_path: Path) -> None:
    press = Press(tmp_path, chapters(["天亮了。"]))
    flaw = Flaw("tail-silence", "4.00 s of silence at the end", value=4.0)
    press.check = lambda slots: press.session.judged(slots, [Verdict("flagged", (str(flaw),), 0.7, {}, (flaw,))])  # type: ignore[method-assign]
    press.run()
    (slot,) = press.session.slots()
    assert (len(slot.tried), slot.flagged) == (1, (str(flaw),))


@pytest.mark.parametrize(
    ("value", "level_db", "gain_db", "flagged"),
    [(3.4, -19.0, -3.4, False), (-5.0, -28.0, 5.0, False), (15.0, -10.0, 0.0, True), (-50.0, -50.0, 0.0, True)],
)
def test_a_level_is_mended_by_a_gain(
    tmp_path: Path, value: float, level_db: float, gain_db: float, flagged: bool
) -> None:
    press = Press(tmp_path, chapters(["天亮了。"]))
    flaw = Flaw("level", "off", value=value)
    verdict = Verdict("flagged", (str(flaw),), 0.75, {"level_db": level_db}, (flaw,))
    press.check = lambda slots: press.session.judged(slots, [verdict])  # type: ignore[method-assign]
    press.run()
    (slot,) = press.session.slots()
    assert (slot.gain_db, slot.levelled_db, bool(slot.flagged)) == (gain_db, gain_db, flagged)
    assert press.session.parts(1)[0].gain_db == gain_db
    assert len(slot.tried) == 1


def test_a_level_that_a_style_asked_for_is_kept(tmp_path: Path) -> None:
    press = Press(tmp_path, chapters(["天亮了。"]))
    (slot,) = press.session.slots()
    slot.utterance = replace(slot.utterance, style="小声")
    verdict = Verdict("flagged", ("level: off",), 0.75, {"level_db": -25.0}, (Flaw("level", "off", value=-6.0),))
    press.check = lambda slots: press.session.judged(slots, [verdict])  # type: ignore[method-assign]
    press.run()
    assert (slot.gain_db, slot.levelled_db, slot.flagged, bool(slot.chosen)) == (0.0, 0.0, (), True)


def test_every_take_of_a_line_is_found_whatever_the_script_says_now(tmp_path: Path) -> None:
    press = Press(tmp_path, chapters([LONG]), {"mute_on": "雨"})
    press.run()
    (slot,) = press.session.slots()
    arguments = {"engine": press.engine, "store": press.store, "utterance_of": say}
    found = tries_of(slot.line, 1, **arguments, verdicts=press.session.verdicts)  # type: ignore[arg-type]
    assert found == press.session.tries_of(slot)
    named = tries_of(replace(slot.line, take=2), 1, **arguments, verdicts={})  # type: ignore[arg-type]
    assert [(one.take, one.key, one.verdict) for one in named] == [(one.take, one.key, None) for one in found]
    assert tries_of(replace(slot.line, spoken="天亮了。"), 1, **arguments, verdicts={}) == ()  # type: ignore[arg-type]


def test_what_never_gets_good_is_flagged_with_its_reasons(tmp_path: Path) -> None:
    press = Press(tmp_path, BOOK, {"mute_on": "雨"})
    press.run()
    slot = next(slot for slot in press.session.slots() if "雨" in slot.line.text)
    assert len(slot.tried) == 3
    assert slot.chosen == slot.tried[0][0]
    assert slot.flagged
    assert press.session.complete(2)
    assert not press.session.held_back(2)


def test_a_line_that_cannot_be_said_holds_back_its_chapter_alone(tmp_path: Path) -> None:
    press = Press(tmp_path, BOOK, {"fail_on": "雨"})
    press.run()
    assert [len(press.session.held_back(number)) for number in (1, 2, 3)] == [0, 1, 0]
    assert all(press.session.complete(number) for number in (1, 2, 3))


def test_without_checks_the_first_take_is_taken(tmp_path: Path) -> None:
    press = Press(tmp_path, BOOK, {"mute_on": "雨"}, check=False)
    press.run()
    assert all(slot.chosen and not slot.tried and not slot.flagged for slot in press.session.slots())


def test_skipped_lines_are_not_spoken(tmp_path: Path) -> None:
    script = chapters(["天亮了。"])
    silent = Line("x", "narration", "……", "", Span(0, 0), skip=True)
    press = Press(tmp_path, [ChapterScript(1, "一", (*script[0].lines, silent))])
    press.run()
    assert [slot.line.id for slot in press.session.slots()] == ["1-0"]
    assert [part.after for part in press.session.parts(1)] == ["chapter"]


def test_equal_lines_are_one_take(tmp_path: Path) -> None:
    press = Press(tmp_path, chapters(["天亮了。", "天亮了。", "天亮了。"]))
    press.run()
    assert len({slot.chosen for slot in press.session.slots()}) == 1
    assert len(list(tmp_path.rglob("*.flac"))) == 1


def test_chapters_finish_in_order(tmp_path: Path) -> None:
    script = chapters(*[["天亮了。" + "走" * ((7 * i + n) % 40) for i in range(10)] for n in range(12)])
    press = Press(tmp_path, script, batch=8)
    finished: list[int] = []
    for _ in range(100):
        before = len(press.batches)
        press.run(before + 1)
        finished += [n for n in press.session.chapters if n not in finished and press.session.complete(n)]
        if len(press.batches) == before:
            break
    assert len(finished) == 12
    # A line may wait for three further batches of eight: at most four chapters of ten lines are open at once.
    assert all(abs(place - number) <= 4 for place, number in enumerate(finished, start=1))


def test_verdicts_are_remembered_and_forgotten_with_their_rules(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "book", tmp_path / "takes")
    press = Press(workspace.takes, BOOK, {"mute_on": "雨"})
    press.run()
    save_verdicts(workspace, "rules", press.session)
    again = load_verdicts(workspace, "rules")
    assert {key: verdict.outcome for key, verdict in again.items()} == {
        key: v.outcome for key, v in press.session.verdicts.items()
    }
    assert load_verdicts(workspace, "other rules") == {}
    remembering = Press(workspace.takes, BOOK, {"mute_on": "雨"}, verdicts=again)
    assert remembering.session.take_unchecked() == []
    assert chosen(remembering.session) == chosen(press.session)
    workspace.checks.write_text("{half")
    assert load_verdicts(workspace, "rules") == {}


def test_the_earliest_of_equal_takes_is_chosen(tmp_path: Path) -> None:
    press = Press(tmp_path, chapters(["天亮了。"]))
    scores = iter([0.2, 0.7, 0.7])

    def judge(slots: list[Slot]) -> None:
        return press.session.judged(slots, [Verdict("retry", ("x",), next(scores)) for _ in slots])

    press.check = judge  # type: ignore[method-assign]
    press.run()
    (slot,) = press.session.slots()
    assert slot.chosen == slot.tried[1][0]


def test_the_take_that_the_user_chose_is_used_and_flagged_if_it_fails(tmp_path: Path) -> None:
    lines = tuple(replace(line, take=number) for line, number in zip(BOOK[0].lines[:3], (0, 2, 1), strict=True))
    script = [replace(BOOK[0], lines=lines)]
    press = Press(tmp_path, script, {"mute_on": "雾", "mend_at_take": 3})
    press.run()
    slots = press.session.slots()
    takes = [slot.utterance.take for slot in slots]
    assert takes == [0, 2, 1]
    assert [len(slot.tried) for slot in slots] == [1, 1, 1]
    assert [bool(slot.flagged) for slot in slots] == [False, True, False]
    again = Press(tmp_path, script, {"mute_on": "雾", "mend_at_take": 3})
    again.run()
    assert again.batches == []
    assert chosen(again.session) == chosen(press.session)


def test_a_take_that_a_person_approved_is_chosen_and_passes(tmp_path: Path) -> None:
    script = chapters(["天亮了。", "雾散了。"])
    faults: dict[str, object] = {"mute_on": "雾"}
    first = Press(tmp_path, script, faults)
    first.run()
    flagged = next(slot for slot in first.session.slots() if slot.flagged)
    assert len(flagged.tried) == 3
    key, number = flagged.tried[1][0], flagged.takes[1]
    second = Press(tmp_path, script, faults, verdicts=first.session.verdicts, approvals={key: number})
    second.run()
    assert second.batches == []
    slots = second.session.slots()
    assert [slot.flagged for slot in slots] == [(), ()]
    assert [slot.chosen for slot in slots] == [first.session.slots()[0].chosen, key]
    assert slots[1].utterance.take == number


def test_an_approved_take_that_is_no_longer_there_is_recorded_again_as_usual(tmp_path: Path) -> None:
    press = Press(tmp_path, chapters(["天亮了。"]), approvals={"0" * 32: 4})
    press.run()
    assert press.batches == [["1-0"]]
    assert press.session.slots()[0].utterance.take == 0


def test_approval_clears_the_flag_of_a_take_that_the_user_named(tmp_path: Path) -> None:
    script = chapters(["雾散了。"])
    named = [replace(script[0], lines=(replace(script[0].lines[0], take=1),))]
    press = Press(tmp_path, named, {"mute_on": "雾"})
    press.run()
    slot = press.session.slots()[0]
    assert slot.flagged
    again = Press(tmp_path, named, {"mute_on": "雾"}, verdicts=press.session.verdicts, approvals={slot.chosen: 1})
    assert (again.session.slots()[0].chosen, again.session.slots()[0].flagged) == (slot.chosen, ())
