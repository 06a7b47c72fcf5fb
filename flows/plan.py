"""What making a book would do, said before it is done.

The figures come from this book's script, from the take store and from this machine's measured speed; where that is
not known yet a few of the book's own lines are recorded to measure it (they go into the store, so nothing is lost).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path

from engines.base import Engine
from flows.config import Book, load_book
from flows.console import clip, clock, say, size, table
from flows.desk import Desk
from flows.make import shown
from flows.session import Session, Slot
from tasks.domain import Script
from tasks.speak import speed
from tasks.speak.length import length_of
from tasks.speak.record import Job, record_batch
from tasks.stitch.pauses import pause_after

MEASURED_LINES = 6


@dataclass(frozen=True, slots=True)
class ChapterPlan:
    number: int
    title: str
    lines: int
    chars: int
    recorded: int


@dataclass(frozen=True, slots=True)
class VoicePlan:
    voice: str
    speakers: tuple[str, ...]
    lines: int
    chars: int


@dataclass(frozen=True, slots=True)
class Plan:
    """``chars`` are characters of spoken text. ``work_seconds``, ``audio_seconds`` and ``disk_bytes`` are ``None`` where this
    machine's speed is not known; ``disk_bytes`` is what is still to be written."""

    title: str
    engine: str
    script: str
    chapters: tuple[ChapterPlan, ...]
    voices: tuple[VoicePlan, ...]
    lines: int
    chars: int
    recorded: int
    to_record: int
    source_chars: int
    left_out: dict[str, int]
    gaps: int
    notes: tuple[str, ...]
    audio_seconds: float | None = None
    work_seconds: float | None = None
    times_real_time: float | None = None
    disk_bytes: float | None = None

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)


def plan_book(book: Path, *, engine: str = "", measure: bool = True) -> Plan:
    """Read the book, write its script, look at the store, and reckon."""
    job = load_book(book, engine=engine)
    desk = Desk.open(job)
    desk.workspace.claim(job.path)
    with desk.workspace.held(waiting=say):
        manuscript, written = desk.write_script()
        settled = desk.require_speakable(written.script)
    covered = written.coverage
    session = _session(desk, written.script)
    slots = session.slots()
    missing = [slot for slot in slots if not slot.chosen]
    measured = speed.expected(desk.engine.name, desk.engine.fingerprint())
    if measured is None and measure and missing:
        say(
            f"the speed of '{desk.engine.name}' on this machine is not known yet: recording {min(len(missing), MEASURED_LINES)} lines to measure it"
        )
        _measure(desk, missing)
        measured = speed.expected(desk.engine.name, desk.engine.fingerprint())
        session = _session(desk, written.script)
        slots = session.slots()
        missing = [slot for slot in slots if not slot.chosen]
    chars = sum(len(slot.utterance.text) for slot in slots)
    plan = Plan(
        title=desk.title(manuscript),
        engine=desk.engine.name,
        script=str(desk.workspace.script),
        chapters=tuple(_chapter_plans(written.script, session)),
        voices=tuple(_voice_plans(slots)),
        lines=len(slots),
        chars=chars,
        recorded=len(slots) - len(missing),
        to_record=len(missing),
        source_chars=covered.source_chars,
        left_out=dict(covered.left_out),
        gaps=len(covered.gaps),
        notes=(*written.notes, *desk.advice(manuscript), *settled, *_left_out_styles(desk, slots)),
    )
    if measured is None:
        return plan
    speech = _length(slots) / measured.length_per_audio
    missing_speech = _length(missing) / measured.length_per_audio
    audio = speech + _silence_seconds(desk, session)
    return Plan(
        **{
            **{name: getattr(plan, name) for name in plan.__slots__},
            "audio_seconds": audio,
            "work_seconds": missing_speech / measured.audio_per_work,
            "times_real_time": measured.audio_per_work,
            "disk_bytes": _disk_bytes(desk, slots, audio, missing_speech) if missing or not _finished(job) else 0.0,
        }
    )


def render(plan: Plan) -> str:
    """The plan as a person reads it."""
    rows = [f"{plan.title}  (engine {plan.engine})", ""]
    rows.append(table(
        ("", "chapter", "lines", "characters", "recorded"),
        [(c.number, clip(c.title, 40), c.lines, c.chars, c.recorded) for c in plan.chapters], right="r rrr",
    ))  # fmt: skip
    rows += ["", table(
        ("voice", "lines", "characters", "speaks for"),
        [(v.voice, v.lines, v.chars, clip(", ".join(v.speakers), 60)) for v in plan.voices], right=" rr",
    )]  # fmt: skip
    left = ", ".join(f"{reason} {count}" for reason, count in sorted(plan.left_out.items()))
    rows += ["", f"text          {plan.source_chars} characters in the manuscript, {plan.chars} to be spoken"]
    rows.append(f"left out      {left or 'nothing'}" + (f"; {plan.gaps} UNEXPLAINED GAPS" if plan.gaps else ""))
    rows.append(f"recorded      {plan.recorded} of {plan.lines} lines; {plan.to_record} to record")
    if plan.audio_seconds is not None and plan.work_seconds is not None and plan.disk_bytes is not None:
        rows.append(f"audio         about {clock(plan.audio_seconds)}")
        if plan.to_record:
            rows.append(
                f"work          about {clock(plan.work_seconds)} of recording at {plan.times_real_time:.1f} x real time, as measured here"
            )
        elif plan.disk_bytes:
            rows.append("work          nothing is left to record")
        else:
            rows.append("work          none: the book is finished")
        if plan.disk_bytes:
            rows.append(f"disk          about {size(plan.disk_bytes)} still to be written")
    elif not plan.to_record:
        rows.append("work          nothing is left to record")
    else:
        rows.append("audio, work   not known: this machine's speed has not been measured (leave out --no-measure)")
    rows.append(f"script        {shown(Path(plan.script))}  (edit it before you record)")
    rows += [f"note          {note}" for note in plan.notes]
    return "\n".join(rows)


def _left_out_styles(desk: Desk, slots: Sequence[Slot]) -> list[str]:
    styles = Counter(slot.utterance.style for slot in slots if desk.engine.honours(slot.utterance.style) == "none")
    if not styles:
        return []
    named = ", ".join(f"{style} ({count})" for style, count in styles.most_common(5))
    more = f" and {len(styles) - 5} more" if len(styles) > 5 else ""
    return [f"styles that '{desk.engine.name}' leaves out, with their lines: {named}{more}"]


def _finished(job: Book) -> bool:
    from flows.receipt import is_waiting  # brings Prefect with it

    return not is_waiting(job)


def _length(slots: Iterable[Slot]) -> float:
    return sum(length_of(slot.utterance.text) for slot in slots)


def _silence_seconds(desk: Desk, session: Session) -> float:
    """The pauses of all chapters."""
    total = 0.0
    for slots in session.chapters.values():
        lines = [slot.line for slot in slots]
        total += desk.pauses.chapter_head if lines else 0.0
        total += sum(pause_after(line, following, desk.pauses) for line, following in zip_longest(lines, lines[1:]))
    return total


def _session(desk: Desk, script: Script) -> Session:
    return Session(
        script.chapters,
        engine=desk.engine,
        store=desk.store,
        utterance_of=desk.utterance_of,
        retakes=0,
        batch=1,
        check=False,
    )


def _measure(desk: Desk, missing: Sequence[Slot]) -> None:
    """Record a few lines of middling length."""
    by_length = sorted(missing, key=lambda slot: len(slot.utterance.text))
    middle = len(by_length) // 2
    chosen = by_length[max(0, middle - MEASURED_LINES // 2) :][:MEASURED_LINES]
    desk.engine.prepare()
    _warm_up(desk.engine, chosen[0])
    report = record_batch(desk.engine, desk.store, [Job(slot.line.id, slot.chapter, slot.utterance) for slot in chosen])
    speed.note(desk.engine, report)


def _warm_up(engine: Engine, slot: Slot) -> None:
    engine.speak([slot.utterance])
    engine.clean()


def _chapter_plans(script: Script, session: Session) -> list[ChapterPlan]:
    plans = []
    for chapter in script.chapters:
        slots = session.chapters[chapter.number]
        title = " ".join(filter(None, (chapter.volume, chapter.title)))
        plans.append(ChapterPlan(
            chapter.number, title, len(slots), sum(len(slot.utterance.text) for slot in slots), sum(bool(slot.chosen) for slot in slots)
        ))  # fmt: skip
    return plans


def _voice_plans(slots: Sequence[Slot]) -> list[VoicePlan]:
    lines: Counter[str] = Counter(slot.voice_id for slot in slots)
    plans = []
    for voice, count in lines.most_common():
        own = [slot for slot in slots if slot.voice_id == voice]
        speakers = tuple(speaker for speaker, _ in Counter(slot.line.speaker for slot in own).most_common())
        plans.append(VoicePlan(voice, speakers, count, sum(len(slot.utterance.text) for slot in own)))
    return plans


def _disk_bytes(desk: Desk, slots: Sequence[Slot], audio_seconds: float, audio_missing_seconds: float) -> float:
    """Takes still to be recorded, at the rate of the takes that are there; chapters and deliverables from the preset."""
    there = [take for slot in slots[:200] if slot.chosen and (take := desk.store.get(slot.chosen))]
    stored = sum(take.path.stat().st_size for take in there)
    seconds = sum(take.samples / take.sample_rate for take in there)
    bytes_per_second = stored / seconds if seconds else desk.engine.limits.sample_rate * 3 * 0.6
    encoded_kbps = sum(
        {"m4b": desk.mastering.aac_kbps, "mp3": desk.mastering.mp3_kbps}.get(name, 0) for name in desk.job.formats
    )
    return audio_missing_seconds * bytes_per_second + audio_seconds * (bytes_per_second + encoded_kbps * 125)
