"""``voicepress diff A B``: what is different between two receipts.

Contract: nothing is made or measured; two ``receipt.json`` are read and compared. A and B are receipts, folders that hold
one, or books (their latest receipt). Chapters are matched by title within a volume, those left over by number; a chapter
counts as longer or shorter from a second on. ``Difference.same`` says whether anything of the sound, the checks or what
the book was made with differs; times of the runs and dates do not count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from common.errors import VoicepressError
from flows.console import clip, clock, pad, table
from tasks.publish.receipt import NAME, Receipt, ReceiptChapter, read_receipt

COLUMNS = 100
MOST_CHAPTERS = 40
MOST_VALUE_COLUMNS = 32
LONGER_BY_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of both receipts as people read it; ``change`` is empty where it is the same. ``weighs``: a difference
    here makes the books differ."""

    what: str
    a: str
    b: str
    change: str = ""
    weighs: bool = True


@dataclass(frozen=True, slots=True)
class ChapterChange:
    """A chapter that is in one receipt alone (``added``, ``removed``) or differs (``changed``); ``what`` says how."""

    kind: str
    number: int
    title: str
    what: str


@dataclass(frozen=True, slots=True)
class Difference:
    a: str
    b: str
    figures: tuple[Figure, ...]
    chapters: tuple[ChapterChange, ...]
    flagged_anew: tuple[str, ...] = ()
    flagged_no_more: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        changed = any(figure.change for figure in self.figures if figure.weighs)
        return not (changed or self.chapters or self.flagged_anew or self.flagged_no_more)


def diff(a: Path, b: Path) -> Difference:
    """Compare the receipts of ``a`` and ``b``. Errors: ``no-receipt``, ``bad-receipt`` and others of reading."""
    first, second = find(a), find(b)
    return compare(read_receipt(first), read_receipt(second), str(first), str(second))


def find(path: Path) -> Path:
    """The receipt that ``path`` is, or holds, or whose book it is."""
    if path.is_dir():
        if (path / NAME).is_file():
            return path / NAME
        if not (path / "book.yaml").is_file():
            raise _no_receipt(path)
    elif path.suffix not in (".yaml", ".yml"):
        return path
    from flows.config import load_book
    from flows.workspace import Workspace

    job = load_book(path)
    receipt = Workspace.of(job.slug, job.variant).receipt
    if not receipt.is_file():
        raise _no_receipt(receipt)
    return receipt


def _no_receipt(path: Path) -> VoicepressError:
    return VoicepressError(
        "no-receipt", "there is no receipt here", file=path,
        hint="name a receipt.json, a folder of outputs/ that holds one, or a book that has been made",
    )  # fmt: skip


def compare(a: Receipt, b: Receipt, first: str = "A", second: str = "B") -> Difference:
    """What is different; pure."""
    old, new = ({(line.chapter, line.line_id): line for line in one.flagged} for one in (a, b))
    return Difference(
        first,
        second,
        tuple(_figures(a, b)),
        tuple(_chapters(a, b)),
        tuple(f"{line.chapter} {line.text}" for key, line in new.items() if key not in old),
        tuple(f"{line.chapter} {line.text}" for key, line in old.items() if key not in new),
    )


def _figures(a: Receipt, b: Receipt) -> list[Figure]:
    rows = [
        _text("title", a.title, b.title),
        Figure("made at", a.made_at, b.made_at, weighs=False),
        _number("length", a.seconds, b.seconds, clock, lambda d: f"{d:+.1f} s", least=0.05),
        _count("chapters", len(a.chapters), len(b.chapters)),
        _count("lines", a.lines, b.lines),
        _count("flagged lines", len(a.flagged), len(b.flagged)),
        _count("re-takes", a.retakes.tries, b.retakes.tries),
        _count("lines healed", a.retakes.healed, b.retakes.healed),
        _number("heard otherwise", a.heard_error, b.heard_error, _percent, lambda d: f"{100 * d:+.2f} %", least=5e-5),
        _number("loudness, LUFS", _loudness(a), _loudness(b), "{:.1f}".format, "{:+.1f} LU".format, least=0.05),
        _number("highest peak, dBTP", _peak(a), _peak(b), "{:.1f}".format, "{:+.1f} dB".format, least=0.05),
        _number("speech rate, chars/s", _rate(a), _rate(b), "{:.2f}".format, "{:+.2f}".format, least=0.005),
        _text("engine", a.engine, b.engine),
        _text("model and settings", a.engine_fingerprint, b.engine_fingerprint),
        _text("seed", str(a.seed), str(b.seed)),
        _text("check", a.check, b.check),
        _text("mastering", a.mastering, b.mastering),
        _text("voices", *(", ".join(sorted(voice.id for voice in one.voices)) for one in (a, b))),
    ]
    names = dict.fromkeys([*a.versions, *b.versions]) or {"voicepress": None}
    rows += [
        _text(
            f"version of {name}",
            *(one.versions.get(name, one.voicepress if name == "voicepress" else "") for one in (a, b)),
        )
        for name in names
    ]
    for stage in ("read", "script", "record", "check", "stitch", "publish"):
        rows.append(_time(stage, getattr(a.timings, stage), getattr(b.timings, stage)))
    rows.append(_ratio("recording, RTF", a.timings.rtf, b.timings.rtf, "{:.3f}".format))
    return [row for row in rows if row.a or row.b]


def _text(what: str, a: str, b: str) -> Figure:
    return Figure(what, a, b, "" if a == b else "changed" if a and b else "added" if b else "removed")


def _count(what: str, a: int, b: int) -> Figure:
    return Figure(what, str(a), str(b), f"{b - a:+d}" if a != b else "")


def _number(
    what: str,
    a: float | None,
    b: float | None,
    said: Callable[[float], str],
    change: Callable[[float], str],
    least: float,
) -> Figure:
    if a is None or b is None:
        return _text(what, "" if a is None else said(a), "" if b is None else said(b))
    return Figure(what, said(a), said(b), change(b - a) if abs(b - a) >= least else "")


def _time(stage: str, a: float, b: float) -> Figure:
    return _ratio(f"time to {stage}, s", a or None, b or None, "{:.1f}".format)


def _ratio(what: str, a: float | None, b: float | None, said: Callable[[float], str]) -> Figure:
    change = f"x{b / a:.2f}" if a and b and said(a) != said(b) else ""
    return Figure(what, "" if a is None else said(a), "" if b is None else said(b), change, weighs=False)


def _percent(share: float) -> str:
    return f"{100.0 * share:.2f} %"


def _loudness(receipt: Receipt) -> float | None:
    levels = [chapter.loudness_lufs for chapter in receipt.chapters if chapter.seconds > 0]
    return median(levels) if levels else None


def _peak(receipt: Receipt) -> float | None:
    return max((chapter.true_peak_dbtp for chapter in receipt.chapters if chapter.seconds > 0), default=None)


def _rate(receipt: Receipt) -> float | None:
    known = [value for value in receipt.rate.chars_per_second if value is not None]
    return median(known) if known else None


def _chapters(a: Receipt, b: Receipt) -> list[ChapterChange]:
    pairs, removed, added = _matched(a.chapters, b.chapters)
    rows = [
        ChapterChange("removed", one.number, _name(one), f"{clock(one.seconds)}, {one.lines} lines") for one in removed
    ]
    rows += [
        ChapterChange("added", one.number, _name(one), f"{clock(one.seconds)}, {one.lines} lines") for one in added
    ]
    rows += [
        ChapterChange("changed", new.number, _name(new), what) for old, new in pairs if (what := _change(old, new))
    ]
    return sorted(rows, key=lambda row: (row.number, row.kind))


def _matched(
    a: Sequence[ReceiptChapter], b: Sequence[ReceiptChapter]
) -> tuple[list[tuple[ReceiptChapter, ReceiptChapter]], list[ReceiptChapter], list[ReceiptChapter]]:
    """Pairs of chapters, those of ``a`` alone, those of ``b`` alone. Equal names pair in order, then equal numbers."""
    names: dict[str, list[ReceiptChapter]] = {}
    for one in b:
        names.setdefault(_name(one), []).append(one)
    pairs, left = [], []
    for one in a:
        same = names.get(_name(one), [])
        if same:
            pairs.append((one, same.pop(0)))
        else:
            left.append(one)
    rest = {one.number: one for same in names.values() for one in same}
    removed = []
    for one in left:
        if one.number in rest:
            pairs.append((one, rest.pop(one.number)))
        else:
            removed.append(one)
    return pairs, removed, list(rest.values())


def _name(chapter: ReceiptChapter) -> str:
    return f"{chapter.volume} {chapter.title}".strip()


def _change(a: ReceiptChapter, b: ReceiptChapter) -> str:
    said = []
    if _name(a) != _name(b):
        said.append(f"was '{clip(_name(a), 24)}'")
    if a.number != b.number:
        said.append(f"was chapter {a.number}")
    if bool(a.held_back) != bool(b.held_back):
        said.append("held back" if b.held_back else "no longer held back")
    longer = b.seconds - a.seconds
    if abs(longer) >= LONGER_BY_SECONDS:
        said.append(f"{abs(longer):.1f} s {'longer' if longer > 0 else 'shorter'}")
    for what, old, new in (("lines", a.lines, b.lines), ("flagged", a.flagged, b.flagged)):
        if old != new:
            said.append(f"{what} {old} to {new}")
    if a.seconds and b.seconds and abs(a.loudness_lufs - b.loudness_lufs) >= 0.1:
        said.append(f"{b.loudness_lufs - a.loudness_lufs:+.1f} LU")
    if a.heard_error is not None and b.heard_error is not None and abs(a.heard_error - b.heard_error) >= 0.001:
        said.append(f"heard otherwise {_percent(a.heard_error)} to {_percent(b.heard_error)}")
    return ", ".join(said)


# ---------------------------------------------------------------- shown


def render(found: Difference) -> str:
    """A plain table of at most 100 columns."""
    rows = []
    for figure in found.figures:
        a, b = (clip(value, MOST_VALUE_COLUMNS) for value in _told_apart(figure.a, figure.b))
        rows.append([figure.what, a, b, figure.change])
    text = [f"A  {found.a}", f"B  {found.b}", "", table(["", "A", "B", "change"], rows)]
    if found.chapters:
        marks = {"added": "+", "removed": "-", "changed": "~"}
        text += ["", "chapters"]
        text += [
            clip(f"  {marks[one.kind]} {one.number:>4}  {pad(clip(one.title, 30), 30)}  {one.what}", COLUMNS)
            for one in found.chapters[:MOST_CHAPTERS]
        ]
        if len(found.chapters) > MOST_CHAPTERS:
            text.append(f"  … {len(found.chapters) - MOST_CHAPTERS} more; --json has them all")
    for heading, lines in (("flagged in B alone", found.flagged_anew), ("flagged in A alone", found.flagged_no_more)):
        if lines:
            text += ["", f"{heading} (chapter, text)", *(clip(f"  {line}", COLUMNS) for line in lines[:MOST_CHAPTERS])]
            if len(lines) > MOST_CHAPTERS:
                text.append(f"  … {len(lines) - MOST_CHAPTERS} more; --json has them all")
    text += ["", "no difference" if found.same else "different"]
    return "\n".join(text)


def _told_apart(a: str, b: str) -> tuple[str, str]:
    """Two long values with what they begin alike left out, so that cutting them does not hide how they differ."""
    if a == b or max(len(a), len(b)) <= MOST_VALUE_COLUMNS:
        return a, b
    alike = next(
        (place for place, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b))
    )
    start = max(0, alike - 6)
    return (("…" + a[start:]) if a and start else a), (("…" + b[start:]) if b and start else b)


def to_json(found: Difference) -> str:
    value: dict[str, Any] = {"same": found.same, **asdict(found)}
    return json.dumps(value, ensure_ascii=False, indent=1)
