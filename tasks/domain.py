"""The frozen types that pass between the rooms; the only thing rooms share.

Offsets into text count Unicode characters, half-open ``[start, end)``. Times in audio are integer samples. All types
are plain data: they say what is, rooms decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tasks.roles import UNSURE_BELOW as UNSURE_BELOW
from tasks.roles import Cast as Cast
from tasks.roles import ChapterRange as ChapterRange
from tasks.roles import Judge as Judge
from tasks.roles import Pool as Pool
from tasks.roles import Role as Role
from tasks.roles import RoleChange as RoleChange

SCHEMA = 1
"""Schema number in every file we write; an older file is upgraded or refused with the command that mends it."""

# ---------------------------------------------------------------- read: files -> Manuscript


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``[start, end)`` of the manuscript's source text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Run:
    """``length`` characters of a paragraph's text from ``text_start`` stand in the source from ``source_start``."""

    text_start: int
    source_start: int
    length: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph as it is to be read. ``runs`` map ``text`` back to the source, in order, and cover all of ``text``
    except characters that reading inserted (a space where two hard-wrapped English lines were joined)."""

    text: str
    runs: tuple[Run, ...]
    kind: Literal["text", "scene_break"] = "text"

    def source_span(self, start: int, end: int) -> Span:
        """The smallest source span that holds the characters ``[start, end)`` of ``text``."""
        first: int | None = None
        last = 0
        for run in self.runs:
            low, high = max(start, run.text_start), min(end, run.text_start + run.length)
            if low < high:
                if first is None:
                    first = run.source_start + low - run.text_start
                last = run.source_start + high - run.text_start
        return Span(first or 0, last) if first is not None else Span(0, 0)


@dataclass(frozen=True, slots=True)
class Chapter:
    """``number`` counts from 1 through the whole book. ``heading`` is the heading line's span, ``None`` where there is
    none (text before the first heading, a book without headings; then ``title`` may be empty)."""

    number: int
    title: str
    heading: Span | None
    paragraphs: tuple[Paragraph, ...]
    volume: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Source characters that are not read, and why. ``reason`` is one of a small set of kebab-case words:
    ``heading-mark``, ``title-page``, ``table-of-contents``, ``footnote-mark``, ``footnote``, ``navigation``, ``advert``,
    ``author-note``, ``page-header``, ``licence``, ``scene-break``, ``markup``, ``image``, ``metadata``, ``code``."""

    span: Span
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class JudgedHeading:
    """What was decided about a line (1-based ``row``) that has the shape of a heading, and why. ``verdict`` is
    ``contents`` or ``running head`` where it is one of these, else empty and ``score`` decided."""

    row: int
    text: str
    shape: str
    accepted: bool
    score: float
    verdict: str = ""
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manuscript:
    """The text as read.

    ``source`` is the whole readable text of the file as decoded (for containers such as EPUB: the text of its parts in
    reading order, joined by newlines); every span counts in it. Whitespace needs no account; every other character of
    it is in a paragraph's run, a heading or a ``LeftOut``. ``convert`` names how the text was converted after reading
    (``simplified``); lengths stay, so spans still hold. ``judged`` is for `voicepress inspect` and not kept on disk.
    """

    path: str
    format: str
    encoding: str
    sha256: str
    source: str
    chapters: tuple[Chapter, ...]
    left_out: tuple[LeftOut, ...] = ()
    title: str = ""
    author: str = ""
    language: str = "zh"
    warnings: tuple[str, ...] = ()
    convert: str = ""
    judged: tuple[JudgedHeading, ...] = field(default=(), compare=False)


# ---------------------------------------------------------------- script: Manuscript -> Script

NARRATOR = "narrator"
UNKNOWN = "unknown"

After = Literal["clause", "sentence", "paragraph", "scene", "heading", "chapter"]
"""What stands between a line and the next one of its chapter (``chapter``: it is the last)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How ``text[start:end]`` of a line's spoken text is read: a pinyin syllable with tone digit (``hao4``) for one Han
    character, or ARPAbet with spaces for an English word. ``origin``: ``default`` (the package's usual reading), ``phrase``,
    ``rule``, ``lexicon`` or ``user``. ``annotate``: an engine might miss it, so it is worth forcing."""

    start: int
    end: int
    phones: str
    origin: str = "default"
    annotate: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One unit of the script: at most ``max_chars`` characters, one speaker, one style.

    ``id``: hash of the source text and its place among equal lines of the chapter. ``text`` is the written form,
    ``spoken`` the form to be read aloud. ``style``, ``speed`` and ``voice`` are the line's own (empty or ``None``: the
    cast decides). ``pause_seconds`` overrides the pause after the line. ``readings`` cover every Han character of
    ``spoken`` in order. ``rule`` names what decided the speaker and ``confidence`` (0 to 1) how often that is right;
    what the user says is certain. ``other`` is who else it may be, with the probability of that, where the speaker is
    doubtful. ``take`` is the number of the recording that the user chose (``None``: the check chooses).
    """

    id: str
    kind: Literal["heading", "narration", "dialogue"]
    text: str
    spoken: str
    span: Span
    speaker: str = NARRATOR
    gender: str = ""
    language: str = "zh"
    style: str = ""
    speed: float | None = None
    voice: str = ""
    after: After = "sentence"
    pause_seconds: float | None = None
    skip: bool = False
    readings: tuple[Reading, ...] = ()
    rule: str = ""
    confidence: float = 1.0
    other: tuple[str, float] | None = None
    take: int | None = None


@dataclass(frozen=True, slots=True)
class ChapterScript:
    number: int
    title: str
    lines: tuple[Line, ...]
    volume: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    chapters: tuple[ChapterScript, ...]


Level = Literal["house", "series", "book"]
"""Whose lexicon an entry stands in; a book's wins over a series', a series' over the house's."""


@dataclass(frozen=True, slots=True)
class LexiconEntry:
    """``word`` is read as ``phones`` (pinyin syllables or ARPAbet, separated by spaces) or respelled as ``spoken``.

    ``pattern``: a regular expression in the word's place; its capture groups, if it has any, are what ``phones`` are for.
    ``before`` and ``after`` are regular expressions for what must stand directly before and after; ``chapters`` are the
    ranges ``(first, last)`` in which the entry holds (``None``: to the end; no range: everywhere). ``source`` is
    ``file:line``."""

    word: str
    phones: str = ""
    spoken: str = ""
    pattern: str = ""
    before: str = ""
    after: str = ""
    chapters: tuple[tuple[int, int | None], ...] = ()
    level: Level = "book"
    source: str = field(default="", compare=False)


# ---------------------------------------------------------------- speak: Script -> Takes


@dataclass(frozen=True, slots=True)
class TakeMark:
    """Characters ``[start_char, end_char)`` of a line's spoken text sound in samples ``[start, end)`` of its take."""

    start_char: int
    end_char: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Take:
    """One recording of a line, as it lies in the store. ``scale`` multiplies the stored samples back to the engine's
    level (1.0 unless a peak exceeded full scale). ``meta`` is the sidecar: how it was made, timings, notes, stop."""

    key: str
    path: Path
    sample_rate: int
    samples: int
    scale: float = 1.0
    marks: tuple[TakeMark, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)


# ---------------------------------------------------------------- check: Takes -> Verdicts


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that is wrong with a take. ``code`` is a stable kebab-case word, ``what`` a sentence's part for people.
    Characters ``[start_char, end_char)`` of the spoken text, seconds ``[start_seconds, end_seconds)`` of the take, where
    known (-1: not). ``value`` is the measure behind it."""

    code: str
    what: str
    start_char: int = -1
    end_char: int = -1
    start_seconds: float = -1.0
    end_seconds: float = -1.0
    value: float = 0.0

    def __str__(self) -> str:
        return f"{self.code}: {self.what}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check says of a take: ``pass``, ``retry`` (record again) or ``flagged`` (a person should listen).
    ``score`` orders takes of the same line, higher is better. ``measures`` are the figures behind it. ``flaws`` say the
    same as ``reasons`` (``code: what``) with places; ``heard`` is what the ear wrote down, empty where none listened."""

    outcome: Literal["pass", "retry", "flagged"]
    reasons: tuple[str, ...] = ()
    score: float = 0.0
    measures: Mapping[str, float] = field(default_factory=dict)
    flaws: tuple[Flaw, ...] = ()
    heard: str = ""


# ---------------------------------------------------------------- stitch: Takes -> Chapter + Timeline


@dataclass(frozen=True, slots=True)
class Part:
    """One line's place in a chapter, as the stitcher gets it."""

    line_id: str
    take: Take
    text: str
    spoken: str
    speaker: str
    after: After
    gain_db: float = 0.0
    pause_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Cue:
    """Where a line stands in its chapter: samples ``[start, end)`` of audible speech. ``marks`` count in chapter samples.
    ``after`` is what stands between it and the next."""

    line_id: str
    speaker: str
    text: str
    spoken: str
    start: int
    end: int
    marks: tuple[TakeMark, ...] = ()
    after: After = "sentence"


@dataclass(frozen=True, slots=True)
class Timeline:
    number: int
    title: str
    sample_rate: int
    samples: int
    cues: tuple[Cue, ...]


@dataclass(frozen=True, slots=True)
class StitchedChapter:
    """``fingerprint`` is a hash of everything that made it; ``loudness_lufs`` and ``true_peak_dbtp`` were measured on the
    finished chapter. ``limited_db`` is the most that the limiter took off, ``limited_share`` the part of the sound in which
    it took off 0.1 dB or more."""

    number: int
    title: str
    audio: Path
    timeline: Timeline
    fingerprint: str
    gain_db: float
    loudness_lufs: float
    true_peak_dbtp: float
    volume: str = ""
    limited_db: float = 0.0
    limited_share: float = 0.0


# ---------------------------------------------------------------- publish: Chapters -> deliverables


Range = tuple[float, float]
"""The lowest and the highest value that is good."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What a finished, encoded file must measure; ``None`` asks for nothing. ``peak_dbfs`` is the highest sample,
    ``true_peak_dbtp`` the highest between samples; ``head_seconds`` and ``tail_seconds`` are what stands before the first
    and after the last sound; ``noise_floor_db`` is the RMS level of the quietest half second."""

    loudness_lufs: Range | None = None
    rms_db: Range | None = None
    true_peak_dbtp: float | None = None
    peak_dbfs: float | None = None
    noise_floor_db: float | None = None
    head_seconds: Range | None = None
    tail_seconds: Range | None = None
    max_minutes: float | None = None
    sample_rate_hz: int | None = None
    channels: int | None = None
    mp3_kbps: int | None = None
    """Constant bit rate of an mp3, at least."""


@dataclass(frozen=True, slots=True)
class BookInfo:
    """What the deliverables say of the book."""

    title: str
    author: str = ""
    narrator: str = ""
    language: str = "zh"
    series: str = ""
    description: str = ""
    year: str = ""
    cover: Path | None = None


@dataclass(frozen=True, slots=True)
class Deliverable:
    """``faults`` say how an encoded file, measured again, misses its preset; figures are ``None`` where nothing is measured
    (text, or a book joined from chapters that were)."""

    path: Path
    kind: str
    bytes: int
    seconds: float = 0.0
    loudness_lufs: float | None = None
    true_peak_dbtp: float | None = None
    faults: tuple[str, ...] = ()
