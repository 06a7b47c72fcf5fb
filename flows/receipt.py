"""The receipt of a run, gathered from what the rooms gave; and whether a book still waits to be made."""

from __future__ import annotations

import datetime
import platform
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from common.files import digest, read_json, sha256_of
from flows import approvals
from flows import receipt_figures as figures
from flows.config import Book
from flows.desk import Desk, checks
from flows.lexicons import layers
from flows.recording import Clock
from flows.session import Session, Slot
from flows.workspace import Workspace
from tasks.domain import SCHEMA, Deliverable, Manuscript, StitchedChapter
from tasks.publish import receipt as page
from tasks.script.coverage import Coverage

_AT_WORK = {"kokoro": ("onnxruntime",), "cosyvoice3": ("torch", "onnxruntime"), "http": ("httpx",)}
_LISTENING = ("faster-whisper", "ctranslate2", "onnxruntime")


def account_for(
    job: Book,
    desk: Desk,
    manuscript: Manuscript,
    covered: Coverage,
    warnings: Sequence[str],
    session: Session,
    stitched: Sequence[StitchedChapter],
    deliverables: Sequence[Deliverable],
    clock: Clock,
) -> page.Receipt:
    """Everything a person or a program may ask of the run."""
    made = {chapter.number: chapter for chapter in stitched}
    slots = session.slots()
    metas = _metas(desk, slots)
    recorded = sum(slot.recorded for slot in slots)
    checked = checks(job.check)
    retakes, tried = figures.retakes(session, slots)
    return page.Receipt(
        title=desk.title(manuscript),
        author=job.info.author or manuscript.author,
        made_at=datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        voicepress=version("voicepress"),
        engine=desk.engine.name,
        engine_fingerprint=desk.engine.fingerprint(),
        seed=job.seed,
        takes_used=figures.takes_used(slots),
        versions=versions(desk.engine.name, checked),
        check=checked,
        mastering=desk.mastering.name,
        preset=_preset(desk),
        chapters=tuple(_chapter(desk, session, number, made.get(number)) for number in session.chapters),
        lines=len(slots),
        recorded=recorded,
        reused=sum(bool(slot.chosen) for slot in slots) - recorded,
        flagged=tuple(
            figures.flagged_line(slot, made.get(slot.chapter)) for slot in slots if slot.flagged or slot.failed
        ),
        retakes=retakes,
        tried=tried,
        coverage=page.Coverage(
            source_chars=covered.source_chars, spoken_chars=covered.spoken_chars, left_out=dict(covered.left_out)
        ),
        speakers=figures.speakers((slot.line for slot in slots), job.cast),
        readings=figures.readings(slots),
        rate=figures.speech_rate(stitched),
        voices=_voices(desk, session),
        styles=styles_asked(desk, slots),
        timings=page.Timings(
            **{stage: round(value, 3) for stage, value in clock.seconds.items()},
            audio_seconds=round(clock.audio_seconds, 3),
            engine=_engine_seconds(metas),
        ),
        deliverables=tuple(
            page.ReceiptFile(
                path=item.path.relative_to(desk.workspace.made).as_posix(), kind=item.kind, bytes=item.bytes,
                seconds=item.seconds, loudness_lufs=item.loudness_lufs, true_peak_dbtp=item.true_peak_dbtp, faults=item.faults,
            )
            for item in deliverables
        ),
        notes=(*manuscript.warnings, *warnings, *_engine_notes(metas)),
    )  # fmt: skip


def _chapter(desk: Desk, session: Session, number: int, made: StitchedChapter | None) -> page.ReceiptChapter:
    script = desk.chapter(number)
    return figures.chapter_row(session, number, script.title, script.volume, made)


def _preset(desk: Desk) -> page.ReceiptPreset:
    accept = desk.mastering.accept
    return page.ReceiptPreset(
        name=desk.mastering.name,
        loudness_lufs=accept.loudness_lufs,
        rms_db=accept.rms_db,
        true_peak_dbtp=accept.true_peak_dbtp,
    )


def versions(engine: str, checked: str) -> dict[str, str]:
    """Versions of what was at work, by name."""
    names = ["voicepress", "numpy", *_AT_WORK.get(engine, ()), *(_LISTENING if checked == "full" else ())]
    found = {"python": platform.python_version()}
    for name in dict.fromkeys(names):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _voices(desk: Desk, session: Session) -> tuple[page.ReceiptVoice, ...]:
    lines: dict[str, int] = defaultdict(int)
    seconds: dict[str, float] = defaultdict(float)
    speakers: dict[str, dict[str, None]] = defaultdict(dict)
    for slot in session.slots():
        lines[slot.voice_id] += 1
        speakers[slot.voice_id][slot.line.speaker] = None
        take = desk.store.get(slot.chosen) if slot.chosen else None
        if take is not None:
            seconds[slot.voice_id] += take.samples / take.sample_rate
    return tuple(
        page.ReceiptVoice(
            id=voice,
            name=desk.library.get(voice).name,
            lines=count,
            seconds=seconds[voice],
            speakers=tuple(speakers[voice]),
        )
        for voice, count in sorted(lines.items(), key=lambda item: -item[1])
    )


def styles_asked(desk: Desk, slots: Sequence[Slot]) -> tuple[page.ReceiptStyle, ...]:
    """Every style that lines are to be said in, and whether the engine can; what it cannot first."""
    lines = Counter(slot.utterance.style for slot in slots if slot.utterance.style)
    found = [
        page.ReceiptStyle(style=style, lines=count, honoured=desk.engine.honours(style))
        for style, count in lines.most_common()
    ]
    return tuple(sorted(found, key=lambda one: ("none", "approximate", "full").index(one.honoured)))


def _metas(desk: Desk, slots: Sequence[Slot]) -> list[Mapping[str, Any]]:
    """What is noted beside the takes that the book is made of."""
    takes = (desk.store.get(slot.chosen) for slot in slots if slot.chosen)
    return [take.meta for take in takes if take is not None]


def _engine_notes(metas: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the engine could not honour, each once, with the number of lines."""
    counts: dict[str, int] = defaultdict(int)
    for meta in metas:
        for note in meta.get("notes") or ():
            counts[str(note)] += 1
    return [f"{note} ({count} lines)" for note, count in sorted(counts.items(), key=lambda item: -item[1])]


def _engine_seconds(metas: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Seconds of the engine's work by its own stages."""
    seconds: dict[str, float] = defaultdict(float)
    for meta in metas:
        for stage, taken in (meta.get("timings") or {}).items():
            seconds[str(stage)] += float(taken)
    return {stage: round(taken, 3) for stage, taken in seconds.items()}


# ---------------------------------------------------------------- does a book wait?


def state_of(job: Book) -> str:
    """A hash of everything a book is made from: manuscript, settings, cast, lexicon, cover, the edited script, and what
    was approved."""
    files = [
        job.manuscript,
        *(path for _, path in layers(job)),
        *filter(None, (job.info.cover, job.pauses, job.style_table)),
    ]
    files += sorted(Workspace.of(job.slug).script.glob("*.yaml"))
    files += filter(Path.is_file, [Workspace.of(job.slug).folder / approvals.NAME])
    return digest([SCHEMA, repr(job), version("voicepress"), [(path.name, sha256_of(path)) for path in files]])


def remember(job: Book) -> dict[str, object]:
    """What is kept beside a finished book, so that the next night need not look at it again."""
    return {"schema": SCHEMA, "state": state_of(job)}


def is_waiting(job: Book) -> bool:
    """Whether the book is not finished, or not from what it would be made from now."""
    workspace = Workspace.of(job.slug, job.variant)
    done = read_json(workspace.finished)
    if not isinstance(done, dict) or done.get("state") != state_of(job):
        return True
    receipt = read_json(workspace.receipt)
    if not isinstance(receipt, dict):
        return True
    return not all((workspace.made / item["path"]).is_file() for item in receipt.get("deliverables", ()))
