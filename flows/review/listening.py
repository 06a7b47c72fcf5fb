"""How takes are judged from the page, and listened to.

Contract: a verdict is the one that ``make`` would give: the same checker, which knows what is usual for a voice from good
takes of the book. Models are loaded by the first take that needs them. For one thread.
"""

from __future__ import annotations

from common.errors import VoicepressError
from flows.desk import Desk
from flows.review.board import Board
from tasks.check.check import Asked, Checker, trimmed
from tasks.check.compare import without_inventions
from tasks.check.ear import Ear, text_of
from tasks.check.earmodel import missing
from tasks.check.signal import measure
from tasks.domain import Line, Verdict

LEARNED_TAKES = 12
"""Good takes of a voice from which its usual level, pace and sound are learned."""


def can_listen() -> bool:
    """Whether this machine has an ear."""
    return not missing()


class Listening:
    """The checker's memory of voices, and an ear."""

    def __init__(self) -> None:
        self._checker: Checker | None = None
        self._known: set[str] = set()
        self._ear: Ear | None = None

    def judges(self, board: Board, asked: Asked) -> Verdict:
        """The verdict on a take."""
        desk = board.desk
        if self._checker is not desk.checker:
            self._checker, self._known = desk.checker, set()
        if asked.voice not in self._known:
            self._known.add(asked.voice)
            good = [one for one in board.entries() if one.voice == asked.voice and one.state in ("passed", "approved")]
            usual = [
                desk.asked(one.key, one.line, desk.utterance_of(one.line, one.chapter, one.number)[0])
                for one in good[:LEARNED_TAKES]
            ]
            desk.checker.learn(desk.store, usual)
        (verdict,) = desk.checker.check(desk.store, [asked])
        return verdict

    def hears(self, desk: Desk, key: str, line: Line) -> str:
        """What the ear writes down of a take, whatever the book checks. Errors: the ear is not installed; no such take."""
        take = desk.store.get(key)
        if take is None:
            raise VoicepressError("no-such-take", "this recording is gone", hint="reload the page")
        samples = desk.store.samples(take)
        if self._ear is None:
            choice = desk.check_limits.ear
            self._ear = Ear(choice.model, choice.device, choice.compute_type, choice.threads)
        audio = trimmed(samples, take.sample_rate, measure(samples, take.sample_rate))
        heard, _ = without_inventions(text_of(self._ear.hear([audio], line.language, careful=True)[0]), line.spoken)
        return heard
