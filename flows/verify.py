"""Measure finished audio, ours or not, and say whether it is what a preset asks (``voicepress verify``).

Contract: every file is decoded and measured as it is; nothing that was remembered of it counts. With a second meter
ffmpeg's own filters (``ebur128``, ``astats``) measure the same files, and the two stand side by side.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from common.errors import VoicepressError
from common.files import read_json, require_file
from common.meter import Measured
from flows.console import clip, clock, table
from tasks.publish.ffmpeg import Second, second_opinion
from tasks.publish.measure import Facts, facts, faults, measure
from tasks.stitch.mastering import Mastering, load_mastering

SOUNDS = (".m4b", ".m4a", ".mp3", ".opus", ".ogg", ".flac", ".wav", ".aac", ".mp4", ".aiff", ".aif")
DEFAULT_PRESET = "audiobook"
_NAME_COLUMNS = 30
_PARTS = ".parts"
_WORKERS = 2


@dataclass(frozen=True, slots=True)
class Verified:
    """One file; ``unreadable`` says why nothing could be measured."""

    path: Path
    measured: Measured | None
    facts: Facts | None
    faults: tuple[str, ...]
    second: Second | None = None
    unreadable: str = ""

    @property
    def good(self) -> bool:
        return not self.faults and not self.unreadable


def verify(paths: Sequence[Path], preset: str = "", second: bool = False) -> tuple[Mastering, list[Verified]]:
    """Measure the audio files that ``paths`` are or hold (folders with what is in them), against the preset named, else
    the one their book was made with. Errors: a path that is not there, none that is audio, an unknown preset."""
    found = list(dict.fromkeys(_files(paths)))
    if not found:
        raise VoicepressError(
            "no-audio", "there is no audio file here", file=paths[0] if paths else None,
            hint=f"name files or folders of {', '.join(SOUNDS[:7])}",
        )  # fmt: skip
    mastering = load_mastering(preset or _preset_of(found[0]) or DEFAULT_PRESET)
    with ThreadPoolExecutor(max_workers=_WORKERS) as pool:
        return mastering, list(pool.map(lambda path: _one(path, mastering, second), found))


def _one(path: Path, mastering: Mastering, second: bool) -> Verified:
    try:
        measured, file = measure(path), facts(path)
        wrong = faults(measured, file, mastering.accept, path.suffix.lower())
        return Verified(path, measured, file, wrong, second_opinion(path) if second else None)
    except VoicepressError as error:
        if error.code == "ffmpeg-missing":
            raise
        return Verified(path, None, None, (), unreadable=error.what.splitlines()[0])


def _files(paths: Iterable[Path]) -> Iterable[Path]:
    for path in paths:
        if path.is_dir():
            inside = (one for one in path.rglob("*") if _PARTS not in one.parts)
            yield from sorted(one for one in inside if one.suffix.lower() in SOUNDS and one.is_file())
        else:
            yield require_file(path, "the audio file", "name an audio file or a folder of them")


def _preset_of(path: Path) -> str:
    """The preset that the receipt of the book names to which ``path`` belongs; empty where there is none."""
    for folder in list(path.resolve().parents)[:5]:
        receipt = read_json(folder / "receipt.json")
        if isinstance(receipt, dict) and isinstance(receipt.get("mastering"), str):
            name = str(receipt["mastering"])
            try:
                load_mastering(name)
            except VoicepressError:
                return ""
            return name
    return ""


def render(mastering: Mastering, rows: Sequence[Verified]) -> str:
    """The table and what is wrong, for a terminal."""
    second = any(row.second for row in rows)
    head = ["file", "length", "LUFS", "RMS", "dBTP", "peak", "floor", "head", "tail", *(["LUFS'", "RMS'", "dBTP'"] if second else []), ""]  # fmt: skip
    lines = []
    for row in rows:
        name = clip(row.path.name, _NAME_COLUMNS)
        m = row.measured
        if m is None:
            lines.append([name, *([""] * (len(head) - 2)), "unreadable"])
            continue
        other = []
        if second:
            other = [f"{v:.1f}" for v in (row.second.loudness_lufs, row.second.rms_db, row.second.true_peak_dbtp)] if row.second else [""] * 3  # fmt: skip
        lines.append(
            [
                name, clock(m.seconds), f"{m.loudness_lufs:.1f}", f"{m.rms_db:.1f}", f"{m.true_peak_dbtp:.1f}", f"{m.peak_dbfs:.1f}",
                f"{m.noise_floor_db:.0f}", f"{m.head_seconds:.2f}", f"{m.tail_seconds:.2f}", *other,
                "pass" if row.good else "FAIL",
            ]
        )  # fmt: skip
    good = sum(row.good for row in rows)
    text = [
        f"preset {mastering.name}: {mastering.description}",
        "",
        table(head, lines, right=" " + "r" * (len(head) - 2)),
    ]
    if second:
        text.append("' as ffmpeg's ebur128 and astats measure it")
    wrong = [row for row in rows if not row.good]
    if wrong:
        text.append("")
        for row in wrong:
            text += [str(row.path), *(f"  {fault}" for fault in row.faults or (row.unreadable,))]
    text += ["", f"{good} of {len(rows)} {'file passes' if len(rows) == 1 else 'files pass'}"]
    return "\n".join(text)


def to_json(mastering: Mastering, rows: Sequence[Verified]) -> str:
    return json.dumps(
        {
            "preset": mastering.name,
            "passed": all(row.good for row in rows),
            "files": [
                {
                    "path": str(row.path), "passed": row.good, "faults": list(row.faults), "unreadable": row.unreadable,
                    "measured": None if row.measured is None else asdict(row.measured),
                    "facts": None if row.facts is None else asdict(row.facts),
                    "second": None if row.second is None else asdict(row.second),
                }
                for row in rows
            ],
        },
        ensure_ascii=False, indent=1,
    )  # fmt: skip
