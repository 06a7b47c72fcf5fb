"""The receipt: what was made, from what, how, and what a person should look at.

Contract: plain data, checked by pydantic, written as ``receipt.json`` (schema 1, for programs; its JSON Schema is
``configs/schema/receipt.schema.json``) and ``receipt.html`` (one self-contained page, for people). ``read_receipt`` reads
one back, also of an earlier version. Whatever comes from a manuscript is escaped on the page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, computed_field, model_validator

from common import files
from common.errors import VoicepressError
from tasks.domain import SCHEMA

NAME = "receipt.json"


class _Plain(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _without_figures_of_figures(cls, value: Any) -> Any:
        computed = cls.model_computed_fields
        return {key: one for key, one in value.items() if key not in computed} if isinstance(value, dict) else value


class ReceiptChapter(_Plain):
    """``held_back`` says why a chapter was not made; its figures of sound are then 0.

    ``chars``: characters of the spoken text that sound. ``retaken`` lines were recorded more than once, ``healed`` ones
    passed in the end, ``failed`` ones could not be recorded at all. ``heard_error`` is the share of syllables (or words)
    that were heard otherwise, over the ``heard`` of them that were listened to; ``None``: nobody listened. ``limited_db`` is
    the most the limiter took off, ``limited_share`` the part of the sound in which it took off anything.
    """

    number: int
    title: str
    volume: str = ""
    seconds: float = 0.0
    lines: int = 0
    chars: int = 0
    recorded: int = 0
    retaken: int = 0
    healed: int = 0
    flagged: int = 0
    failed: int = 0
    heard: int = 0
    heard_error: float | None = None
    gain_db: float = 0.0
    loudness_lufs: float = 0.0
    true_peak_dbtp: float = 0.0
    limited_db: float = 0.0
    limited_share: float = 0.0
    held_back: str = ""


class ReceiptFlaw(_Plain):
    """One thing wrong with a line: ``code`` is stable, ``what`` for people; characters ``[start_char, end_char)`` of the
    spoken text and ``at_seconds`` of the chapter where known."""

    code: str
    what: str
    start_char: int | None = None
    end_char: int | None = None
    at_seconds: float | None = None


class FlaggedLine(_Plain):
    """A line that a person should listen to, with the reasons of the check, what was heard, and where it stands in the
    chapter. ``take`` is the number of the recording that is used (``None``: there is none), ``tries`` how many there were."""

    chapter: int
    line_id: str
    text: str
    reasons: tuple[str, ...] = ()
    at_seconds: float | None = None
    speaker: str = ""
    heard: str = ""
    take: int | None = None
    tries: int = 0
    flaws: tuple[ReceiptFlaw, ...] = ()


class ReceiptTry(_Plain):
    """One take of a line: its number, its key in the take store, what was done otherwise, and the verdict."""

    take: int
    key: str
    recipe: str
    outcome: Literal["pass", "retry", "flagged"]
    score: float
    reasons: tuple[str, ...] = ()


class TriedLine(_Plain):
    """A line that was recorded more than once, with all its tries in order; ``chosen`` is the number of the take used."""

    chapter: int
    line_id: str
    text: str
    chosen: int | None
    tries: tuple[ReceiptTry, ...]


class RetakeCount(_Plain):
    """Of re-takes with one thing in common (why, or what was done otherwise): how many, and how many of them passed."""

    what: str
    tries: int
    passed: int


class Retakes(_Plain):
    """``tries`` are recordings beyond the first of ``lines`` lines, of which ``healed`` passed in the end. ``levelled`` lines
    got a gain instead. A try counts under each reason for which it was made."""

    lines: int = 0
    tries: int = 0
    healed: int = 0
    levelled: int = 0
    by_reason: tuple[RetakeCount, ...] = ()
    by_recipe: tuple[RetakeCount, ...] = ()


class ReceiptVoice(_Plain):
    id: str
    name: str
    lines: int
    seconds: float
    speakers: tuple[str, ...] = ()


class ReceiptStyle(_Plain):
    """A style that lines were asked to be said in: how many, and what the engine made of it: done as asked (``full``),
    nearly (``approximate``), or left out (``none``)."""

    style: str
    lines: int
    honoured: Literal["full", "approximate", "none"]


class ReceiptRule(_Plain):
    """How many lines of dialogue got their speaker by ``rule`` (``user``: from the script file), and how many of them are
    guesses by the measure of the cast."""

    rule: str
    lines: int
    unsure: int = 0


class ReadingProposal(_Plain):
    """A character that may be read in several ways and was heard in another than was asked, so many ``times``: worth an
    entry in the lexicon. ``word`` is where it stands, ``char`` itself, ``reading`` what was asked; line by an example."""

    word: str
    char: str
    reading: str
    heard: str
    times: int
    chapter: int
    line_id: str
    text: str


class ReceiptReadings(_Plain):
    """Characters with a reading, by what decided it; ``forced``: how many were said by a lexicon or the user."""

    total: int = 0
    forced: int = 0
    by_origin: Mapping[str, int] = {}
    proposals: tuple[ReadingProposal, ...] = ()


class SpeechRate(_Plain):
    """Characters that sound per second of speech (pauses between lines left out), for every ``step_seconds`` of the book
    from its beginning; ``None`` where nothing is said."""

    step_seconds: float = 60.0
    chars_per_second: tuple[float | None, ...] = ()


class Coverage(_Plain):
    """Characters without whitespace: of the source, those that are in lines, and those left out by reason."""

    source_chars: int
    spoken_chars: int
    left_out: Mapping[str, int] = {}

    @computed_field  # type: ignore[prop-decorator]
    @property
    def unexplained(self) -> int:
        return self.source_chars - self.spoken_chars - sum(self.left_out.values())


class Timings(_Plain):
    """Seconds of work by stage. ``audio_seconds`` is the sound recorded in this run: ``rtf`` is recording per audio.

    ``engine`` is the engine's own account, by its stages, of the takes that are in the book, whenever they were recorded.
    """

    read: float = 0.0
    script: float = 0.0
    record: float = 0.0
    check: float = 0.0
    stitch: float = 0.0
    publish: float = 0.0
    audio_seconds: float = 0.0
    engine: dict[str, float] = {}

    @computed_field  # type: ignore[prop-decorator]
    @property
    def rtf(self) -> float | None:
        """Seconds of recording for one second of audio; ``None`` where nothing was recorded."""
        return self.record / self.audio_seconds if self.audio_seconds > 0 else None


class ReceiptPreset(_Plain):
    """The mastering preset: what an encoded file must measure, ``None`` where nothing is asked."""

    name: str
    loudness_lufs: tuple[float, float] | None = None
    rms_db: tuple[float, float] | None = None
    true_peak_dbtp: float | None = None


class ReceiptFile(_Plain):
    """A deliverable; ``path`` is relative to the book's folder, with ``/``. What was measured on the encoded file, ``None``
    where nothing is (text, a book joined from chapters that were); ``faults`` say how it misses its preset."""

    path: str
    kind: str
    bytes: int
    seconds: float = 0.0
    loudness_lufs: float | None = None
    true_peak_dbtp: float | None = None
    faults: tuple[str, ...] = ()


class Receipt(_Plain):
    """``made_at`` is ISO 8601 with offset. ``versions`` are those of what was at work, by name. ``seeds``: of every take
    that is used, the seed and number of the take in it, with how many lines. ``notes`` are for people: warnings, styles
    that were approximated."""

    schema_number: int = Field(default=SCHEMA, alias="schema")
    title: str
    author: str = ""
    made_at: str
    voicepress: str
    engine: str
    engine_fingerprint: str
    seed: int
    takes_used: Mapping[str, int] = {}
    versions: Mapping[str, str] = {}
    check: str = ""
    mastering: str = ""
    preset: ReceiptPreset | None = None
    chapters: tuple[ReceiptChapter, ...]
    lines: int
    recorded: int
    reused: int
    flagged: tuple[FlaggedLine, ...] = ()
    retakes: Retakes = Retakes()
    tried: tuple[TriedLine, ...] = ()
    coverage: Coverage
    speakers: tuple[ReceiptRule, ...] = ()
    readings: ReceiptReadings = ReceiptReadings()
    rate: SpeechRate = SpeechRate()
    voices: tuple[ReceiptVoice, ...] = ()
    styles: tuple[ReceiptStyle, ...] = ()
    timings: Timings = Timings()
    deliverables: tuple[ReceiptFile, ...] = ()
    notes: tuple[str, ...] = ()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def seconds(self) -> float:
        return sum(chapter.seconds for chapter in self.chapters)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def heard_error(self) -> float | None:
        """The share of syllables (or words) of the book that were heard otherwise; ``None`` where nobody listened."""
        heard = sum(chapter.heard for chapter in self.chapters)
        wrong = sum(chapter.heard * (chapter.heard_error or 0.0) for chapter in self.chapters)
        return wrong / heard if heard else None


def json_schema() -> dict[str, Any]:
    """The JSON Schema of ``receipt.json``."""
    return Receipt.model_json_schema(mode="serialization", by_alias=True)


def write_receipt(receipt: Receipt, folder: Path) -> tuple[Path, Path]:
    """Write ``receipt.json`` and ``receipt.html`` to ``folder``; returns both paths."""
    from tasks.publish.page import page

    data, readable = folder / NAME, folder / "receipt.html"
    files.write_json(data, receipt.model_dump(mode="json", by_alias=True))
    files.write_text(readable, page(receipt))
    return data, readable


def read_receipt(path: Path) -> Receipt:
    """The receipt in ``path``. Errors: ``file-missing`` and others of reading, ``bad-receipt``."""
    data = files.read_file(path, "the receipt", hint="'voicepress make' writes one at its end")
    try:
        value = json.loads(data)
        if not isinstance(value, dict):
            raise ValueError("it holds no mapping")
        if value.get("schema") != SCHEMA:
            raise ValueError(f"its schema is {value.get('schema')!r}, this version reads {SCHEMA}")
        return Receipt.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise VoicepressError(
            "bad-receipt", f"this is no receipt: {first['msg']}", file=path, key=key,
            hint="name a receipt.json that voicepress wrote; one of a newer version needs that version",
        ) from error  # fmt: skip
    except (ValueError, RecursionError) as error:
        raise VoicepressError(
            "bad-receipt", f"this is no receipt: {error}", file=path,
            hint="name a receipt.json that voicepress wrote, or the folder that holds it",
        ) from error  # fmt: skip
