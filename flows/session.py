"""What is recorded, what waits, what failed: the state of one book while it is being recorded.

Contract: plain Python, no Prefect. The truth is the take store: a ``Session`` is built anew from script and store in
every run and comes to the same decisions, whenever the run before was killed. A line tries take 0, then at most
``retakes`` more, each by the recipe that fits what was wrong (``tasks/speak/recipes.py``); the first take that passes the
check is chosen, else the best by score, flagged; a line with no take at all is failed and holds back its chapter, nothing
else. Failed lines wait among the others, so that they are recorded in full batches. A take that is only louder or softer
than its voice usually is gets a gain, no other recording, and keeps its level where a style asked for it. A line for which
the user chose a take has that one, flagged if it does not pass. A take that a person approved is chosen and passes,
whatever the check says of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Protocol

from common.files import read_json, write_json
from engines.base import Engine, Utterance
from flows.workspace import Workspace
from tasks.domain import SCHEMA, ChapterScript, Flaw, Line, Part, Take, Verdict
from tasks.speak.batches import Item, plan_batches
from tasks.speak.recipes import DRAWN, codes_of, next_take, recipe_of
from tasks.speak.record import Job, Recorded

WINDOW_BATCHES = 4
"""How many batches ahead lines are sorted by length: enough to fill batches evenly, little enough that chapters finish
in order."""


MOST_GAIN_DB = 12.0
"""A take further than this from its voice's usual level is left to a person."""


class Store(Protocol):
    """What the session needs of the take store."""

    def key_for(self, utterance: Utterance, engine: Engine) -> str: ...

    def get(self, key: str) -> Take | None: ...


@dataclass(frozen=True, slots=True)
class Try:
    """One take of a line: its number, what was done otherwise in it, its key, and the verdict on it (``None``: not
    judged by the present rules)."""

    take: int
    recipe: str
    key: str
    verdict: Verdict | None


@dataclass(slots=True)
class Slot:
    """One line on its way. ``tried`` holds every take's key with its verdict, in order, ``takes`` their numbers.
    ``levelled_db`` is what was added to ``gain_db`` because the take has another level than its voice."""

    line: Line
    chapter: int
    order: int
    gain_db: float
    voice_id: str
    utterance: Utterance
    key: str
    tried: list[tuple[str, Verdict]] = field(default_factory=list)
    takes: list[int] = field(default_factory=list)
    passed_over: list[int] = field(default_factory=list)
    levelled_db: float = 0.0
    chosen: str = ""
    flagged: tuple[str, ...] = ()
    failed: str = ""
    recorded: bool = False

    @property
    def settled(self) -> bool:
        return bool(self.chosen or self.failed)

    @property
    def healed(self) -> bool:
        """Whether a later take passed where an earlier one had not."""
        return len(self.tried) > 1 and self.tried[-1][1].outcome == "pass" and self.chosen == self.tried[-1][0]


UtterancesOf = Callable[[Line, int, int], tuple[Utterance, float]]
"""``(line, chapter, take) -> (utterance, gain_db)``: casting with everything else bound."""


class Session:
    """The lines of a book, and which of them to record next."""

    def __init__(
        self,
        chapters: Sequence[ChapterScript],
        *,
        engine: Engine,
        store: Store,
        utterance_of: UtterancesOf,
        retakes: int,
        batch: int,
        check: bool = True,
        verdicts: Mapping[str, Verdict] | None = None,
        approvals: Mapping[str, int] | None = None,
    ) -> None:
        """``approvals``: keys of takes that a person approved, with the number of the take."""
        self._approvals = dict(approvals or {})
        self._engine = engine
        self._store = store
        self._utterance_of = utterance_of
        self._retakes = retakes if check else 0
        self._batch = max(1, batch)
        self._check = check
        self.verdicts: dict[str, Verdict] = dict(verdicts or {})
        self.chapters: dict[int, list[Slot]] = {}
        self._waiting: dict[tuple[int, int], Slot] = {}
        self._to_check: list[Slot] = []
        self.changed_verdicts = False
        for chapter in chapters:
            slots = [
                self._slot(line, chapter.number, order) for order, line in enumerate(chapter.lines) if not line.skip
            ]
            self.chapters[chapter.number] = slots
            for slot in slots:
                self._look(slot)

    def _slot(self, line: Line, chapter: int, order: int) -> Slot:
        utterance, gain_db = self._utterance_of(line, chapter, line.take or 0)
        return Slot(
            line, chapter, order, gain_db, utterance.voice.id, utterance, self._store.key_for(utterance, self._engine)
        )

    def _look(self, slot: Slot) -> None:
        """Settle a slot from what is known, or put it where it belongs: to be recorded, or to be checked."""
        if self._approvals and self._choose_approved(slot):
            return
        while not slot.settled:
            if self._store.get(slot.key) is None:
                self._waiting[slot.chapter, slot.order] = slot
                return
            if not self._check:
                slot.chosen = slot.key
                return
            verdict = self.verdicts.get(slot.key)
            if verdict is None:
                self._to_check.append(slot)
                return
            self._judge(slot, verdict)
            if not slot.settled and self._retake(slot) is None:
                return

    def _judge(self, slot: Slot, verdict: Verdict) -> None:
        self._note(slot, verdict)
        if slot.line.take is not None:  # the user's choice stands, whatever the check says
            slot.chosen = slot.key
            good = verdict.outcome == "pass" or slot.key in self._approvals
            slot.flagged = () if good else verdict.reasons or ("not sure",)
        elif verdict.outcome == "pass":
            slot.chosen = slot.key
        elif len(slot.tried) > self._retakes:
            self._choose_best(slot)

    def _note(self, slot: Slot, verdict: Verdict) -> None:
        slot.tried.append((slot.key, verdict))
        slot.takes.append(slot.utterance.take)

    def _choose_approved(self, slot: Slot) -> bool:
        if slot.line.take is not None:
            return False
        for number in sorted(set(self._approvals.values())):
            utterance, _ = self._utterance_of(slot.line, slot.chapter, number)
            key = self._store.key_for(utterance, self._engine)
            if key in self._approvals and self._store.get(key) is not None:
                slot.utterance, slot.key, slot.chosen = utterance, key, key
                if key in self.verdicts:
                    self._note(slot, self.verdicts[key])
                return True
        return False

    def _choose_best(self, slot: Slot) -> None:
        key, verdict = max(slot.tried, key=lambda tried: tried[1].score)  # the earliest among equals
        slot.chosen, slot.flagged = key, verdict.reasons or ("not sure",)
        if (off_db := off_level_db(verdict)) is not None:
            slot.flagged = ()
            if not slot.utterance.style:  # else it may be meant: 小声 is softer
                slot.levelled_db = -off_db
                slot.gain_db -= off_db

    def _retake(self, slot: Slot) -> str | None:
        """Go on to the next take; its key, or ``None`` where no other can be better."""
        limits, spoken = self._engine.limits, slot.line.spoken
        while (
            number := next_take(limits, spoken, slot.tried[-1][1].reasons, (*slot.takes, *slot.passed_over))
        ) is not None:
            utterance, _ = self._utterance_of(slot.line, slot.chapter, number)
            key = self._store.key_for(utterance, self._engine)
            if key not in {tried for tried, _ in slot.tried}:
                slot.utterance, slot.key = utterance, key
                return key
            slot.passed_over.append(number)  # the engine would only say the same again
        self._choose_best(slot)
        return None

    # ------------------------------------------------------------ what to do next

    def next_jobs(self) -> list[Job]:
        """The next batch to record, or an empty list. The earliest waiting line is always in it."""
        waiting = sorted(self._waiting)[: self._batch * WINDOW_BATCHES]
        if not waiting:
            return []
        slots = [self._waiting[place] for place in waiting]
        items = [Item(slot.chapter, slot.order, len(slot.utterance.text)) for slot in slots]
        batch = next(batch for batch in plan_batches(items, self._batch) if 0 in batch)
        return [self._job(slots[i]) for i in sorted(batch)]

    def _job(self, slot: Slot) -> Job:
        meta = {"retake_of": slot.tried[0][0], "because": codes_of(slot.tried[-1][1].reasons)} if slot.tried else {}
        return Job(slot.line.id, slot.chapter, slot.utterance, meta)

    def may_wait(self) -> bool:
        """Whether nothing but fewer re-takes than a batch holds is left to record: more may fail beside them while takes
        are still being checked."""
        return len(self._waiting) < self._batch and all(slot.tried for slot in self._waiting.values())

    def take_unchecked(self, size: int = 512) -> list[Slot]:
        """Slots whose take is there but not judged; they count as under way until ``judged`` is told of them."""
        slots, self._to_check = self._to_check[:size], self._to_check[size:]
        return slots

    def recorded(self, results: Iterable[Recorded]) -> list[Slot]:
        """Take in what a batch gave; the slots that are now to be checked (or settled, where nothing is checked)."""
        there: list[Slot] = []
        places = {(slot.line.id, slot.chapter): place for place, slot in self._waiting.items()}
        for result in results:
            place = places.get((result.line_id, result.chapter))
            if place is None:
                continue
            slot = self._waiting.pop(place)
            if result.error is not None:
                if slot.tried:
                    self._choose_best(slot)
                else:
                    slot.failed = f"{result.error.code}: {result.error.message}"
                continue
            slot.recorded = slot.recorded or not result.cached
            if self._check:
                there.append(slot)
            else:
                slot.chosen = slot.key
        return there

    def judged(self, slots: Sequence[Slot], verdicts: Sequence[Verdict]) -> None:
        """Take in the verdicts of ``slots``, in their order."""
        for slot, verdict in zip(slots, verdicts, strict=True):
            self.verdicts[slot.key] = verdict
            self.changed_verdicts = True
            self._judge(slot, verdict)
            if not slot.settled and self._retake(slot) is not None:
                self._look(slot)

    # ------------------------------------------------------------ how far we are

    def complete(self, chapter: int) -> bool:
        """Whether every line of the chapter is settled."""
        return all(slot.settled for slot in self.chapters[chapter])

    def held_back(self, chapter: int) -> list[Slot]:
        """The lines for whose want the chapter cannot be stitched."""
        return [slot for slot in self.chapters[chapter] if slot.failed]

    def waiting_lines(self) -> int:
        return len(self._waiting)

    def slots(self) -> list[Slot]:
        return [slot for slots in self.chapters.values() for slot in slots]

    def tries_of(self, slot: Slot) -> tuple[Try, ...]:
        """Every take of a line that was judged in the course of things, in order."""
        limits = self._engine.limits
        return tuple(
            Try(number, recipe_of(number, limits).name, key, verdict)
            for number, (key, verdict) in zip(slot.takes, slot.tried, strict=True)
        )

    def parts(self, chapter: int) -> list[Part]:
        """The chapter as the stitcher gets it; every line must be settled and have a take."""
        slots = self.chapters[chapter]
        parts = []
        for i, slot in enumerate(slots):
            take = self._store.get(slot.chosen)
            if take is None:  # deleted under our hands: the caller looks again
                raise LookupError(slot.chosen)
            line = slot.line
            after = "chapter" if i == len(slots) - 1 else line.after
            parts.append(
                Part(line.id, take, line.text, line.spoken, line.speaker, after, slot.gain_db, line.pause_seconds)
            )
        return parts


def off_level_db(verdict: Verdict) -> float | None:
    """How many dB a take is louder than its voice usually is, where nothing else is wrong with it."""
    if verdict.outcome != "flagged" or [flaw.code for flaw in verdict.flaws] != ["level"]:
        return None
    (flaw,) = verdict.flaws
    absolute = abs(flaw.value - verdict.measures.get("level_db", 0.0)) < 0.1  # dBFS: nobody knows what is usual
    return None if absolute or not 0.0 < abs(flaw.value) <= MOST_GAIN_DB else float(flaw.value)


def tries_of(
    line: Line,
    chapter: int,
    *,
    engine: Engine,
    store: Store,
    utterance_of: UtterancesOf,
    verdicts: Mapping[str, Verdict],
    most: int = len(DRAWN),
) -> tuple[Try, ...]:
    """Every take of a line that the store holds, by number, with the verdict on it where there is one: what a person can
    choose from. ``most``: numbers below it are looked for, and the one that the script names."""
    numbers = sorted({*range(most), *([line.take] if line.take is not None else [])})
    found: dict[str, Try] = {}
    for number in numbers:
        key = store.key_for(utterance_of(line, chapter, number)[0], engine)
        if key not in found and store.get(key) is not None:
            found[key] = Try(number, recipe_of(number, engine.limits).name, key, verdicts.get(key))
    return tuple(found.values())


def load_verdicts(workspace: Workspace, rules: str) -> dict[str, Verdict]:
    """The verdicts of earlier runs that were made by the same ``rules`` (a hash); anything else is a miss."""
    known = read_json(workspace.checks)
    if not isinstance(known, dict) or known.get("schema") != SCHEMA or known.get("rules") != rules:
        return {}
    found = {}
    for key, row in dict(known.get("verdicts", {})).items():
        try:
            flaws = tuple(Flaw(*flaw) for flaw in row.get("flaws", ()))
            found[str(key)] = Verdict(
                row["outcome"], tuple(row["reasons"]), float(row["score"]), dict(row.get("measures", {})), flaws,
                str(row.get("heard", "")),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError):
            continue
    return found


def save_verdicts(workspace: Workspace, rules: str, session: Session) -> None:
    """Keep the verdicts, so that a further run need not hear every take again."""
    if not session.changed_verdicts:
        return
    rows = {
        key: {
            "outcome": v.outcome,
            "reasons": list(v.reasons),
            "score": round(v.score, 6),
            "measures": dict(v.measures),
            "flaws": [list(astuple(flaw)) for flaw in v.flaws],
            "heard": v.heard,
        }
        for key, v in session.verdicts.items()
    }
    write_json(workspace.checks, {"schema": SCHEMA, "rules": rules, "verdicts": rows}, indent=None)
    session.changed_verdicts = False
