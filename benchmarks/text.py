"""The whole Chinese text front end against labelled data: ``python -m benchmarks.text --data DIR [--json]``.

``DIR`` holds any of ``polyphone/``, ``tn/``, ``chapters/`` and ``encoding/`` in the forms that ``benchmarks.readings``,
``benchmarks.script`` and ``benchmarks.reading`` describe; development and test files alike, by the beginnings of their
names (``g2pl_*``, ``cpp_*``, ``novel_hard*``, ``*cases*``). With ``--json`` the last line is one object of percentages;
what ``DIR`` does not hold is ``null``. A set called ``*_train`` is what weights were trained on: it gets a row of its own
and never enters a headline figure while another set of its kind is there.

``--packages`` puts the packages that are installed beside ours; ``--no-speed`` leaves out the timed novel.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import readings
from benchmarks.reading import chapter_score, encoding_score
from benchmarks.script import tn_cases, tn_right

KEYS = (
    "g2pl_sentence", "g2pl_macro", "cpp_sentence", "cpp_corrected", "novel_hard", "tn_public", "tn_novel",
    "chapters_precision", "chapters_recall", "encoding",
)  # fmt: skip
NOVEL_CHARS = 1_500_000
_FREQUENT = 20

Figures = dict[str, float | None]


def polyphones(folder: Path, read: readings.Read) -> tuple[Figures, list[tuple[str, int, float, float]]]:
    """The figures of the reading sets of ``folder``, and a row ``(set, cases, sentences %, pairs %)`` for each of them."""
    rows = []
    by_kind: dict[str, list[tuple[readings.Case, str]]] = {}
    for path in sorted([*folder.glob("*.sent"), *folder.glob("*.jsonl")]):
        kinds = [("", False)]
        if path.name.startswith("cpp_"):
            kinds = [(" as labelled", False), (" corrected", True)]
        for suffix, corrected in kinds:
            cases = readings.load(path) if corrected or path.suffix == ".jsonl" else readings.load(path, notes=False)
            answered = [(case, read(case.text, case.place)) for case in cases]
            rows.append((path.stem + suffix, len(cases), _sentences(answered), _pairs(answered)))
            if not (path.stem.endswith("_train") and _others(path)):
                by_kind.setdefault(_kind(path) + suffix, []).extend(answered)
    figures: Figures = {
        "g2pl_sentence": _of(by_kind, "g2pl", _sentences),
        "g2pl_macro": _of(by_kind, "g2pl", _pairs),
        "cpp_sentence": _of(by_kind, "cpp as labelled", _sentences),
        "cpp_corrected": _of(by_kind, "cpp corrected", _sentences),
        "novel_hard": _of(by_kind, "novel", _sentences),
    }
    return figures, rows


def frequent(folder: Path, read: readings.Read) -> list[tuple[str, int, float]]:
    """The polyphones with most sentences outside training sets: ``(character, sentences, right %)``."""
    counts: dict[str, list[bool]] = {}
    for path in sorted([*folder.glob("*.sent"), *folder.glob("*.jsonl")]):
        if not path.stem.endswith("_train"):
            for case in readings.load(path):
                right = read(case.text, case.place) in case.accepted
                counts.setdefault(case.text[case.place], []).append(right)
    ordered = sorted(counts.items(), key=lambda item: (-len(item[1]), item[0]))[:_FREQUENT]
    return [(char, len(right), _percent(sum(right), len(right))) for char, right in ordered]


def normalization(folder: Path) -> tuple[Figures, list[tuple[str, int, float]]]:
    """Share of written forms spoken as accepted: public cases, and those that list accepted forms (novel)."""
    groups: dict[str, list[bool]] = {}
    for path in sorted(folder.glob("*cases*.jsonl")):
        for case in tn_cases(path):
            right = tn_right(case)
            kind = "tn_novel" if case.novel else "tn_public"
            groups.setdefault(kind, []).append(right)
            groups.setdefault(f"{path.stem} {case.group}".rstrip(), []).append(right)
    shares = {name: _percent(sum(right), len(right)) for name, right in groups.items()}
    figures: Figures = {name: shares.get(name) for name in ("tn_public", "tn_novel")}
    return figures, [(name, len(right), shares[name]) for name, right in groups.items() if not name.startswith("tn_")]


def reading_room(data: Path) -> tuple[Figures, list[str]]:
    """Chapters and encodings, and what was wrong."""
    figures: Figures = {"chapters_precision": None, "chapters_recall": None, "encoding": None}
    wrong = []
    if (data / "chapters" / "gold.jsonl").is_file():
        found = chapter_score(data / "chapters")
        figures["chapters_precision"], figures["chapters_recall"] = 100 * found["precision"], 100 * found["recall"]
        wrong += [f"chapters of {name}: {lines}" for name, lines in found["wrong"].items()]
    if (data / "encoding" / "manifest.jsonl").is_file():
        decoded = encoding_score(data / "encoding")
        figures["encoding"] = 100 * decoded["share"]
        wrong += [f"encoding of {name}" for name in decoded["wrong"]]
    return figures, wrong


def novel(data: Path, chars: int) -> dict[str, float]:
    """Seconds and peak memory of reading and scripting a novel of ``chars`` characters on one core, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.text", "--data", str(data), "--novel", str(chars)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def run_novel(data: Path, chars: int) -> dict[str, float]:
    """The child of ``novel``: the chapter files repeated as one book, read and written as script files to disk."""
    import os

    from benchmarks.reading import sample_book
    from common.places import VOICES
    from flows.castfile import load_cast
    from tasks.read.manuscript import read_manuscript
    from tasks.script.scribe import Scribe
    from tasks.script.write import ScriptSettings

    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "novel.txt"
        text = sample_book(data / "chapters", chars)
        file.write_text(text, encoding="utf-8")
        size = sum(map(len, text.split()))
        del text
        began, cpu = time.perf_counter(), time.process_time()
        manuscript = read_manuscript(file)
        middle = time.perf_counter()
        written = Scribe(load_cast(VOICES / "casts" / "zh.yaml"), ScriptSettings(), ()).write(
            manuscript, Path(place) / "script"
        )
        end = time.perf_counter()
        return {
            "characters": size,
            "read_seconds": round(middle - began, 2),
            "script_seconds": round(end - middle, 2),
            "cpu_seconds": round(time.process_time() - cpu, 2),
            "lines": sum(len(chapter.lines) for chapter in written.script.chapters),
            "unexplained": len(written.coverage.gaps),
            "peak_mb": _peak_mb(),
        }


def _peak_mb() -> int:
    """The high-water mark of this process's memory; what ``getrusage`` says is that of whoever started it, if higher."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return int(status.read_text(encoding="ascii", errors="replace").split("VmHWM:")[1].split()[0]) // 1024


def _kind(path: Path) -> str:
    return path.stem.split("_")[0]


def _others(path: Path) -> bool:
    return any(other != path for other in path.parent.glob(f"{_kind(path)}_*{path.suffix}"))


def _of(
    by_kind: dict[str, list[tuple[readings.Case, str]]],
    kind: str,
    measure: Callable[[Sequence[tuple[readings.Case, str]]], float],
) -> float | None:
    return measure(by_kind[kind]) if by_kind.get(kind) else None


def _sentences(answered: Sequence[tuple[readings.Case, str]]) -> float:
    return _percent(sum(answer in case.accepted for case, answer in answered), len(answered))


def _pairs(answered: Sequence[tuple[readings.Case, str]]) -> float:
    pairs: dict[tuple[str, str], list[bool]] = {}
    for case, answer in answered:
        pairs.setdefault((case.text[case.place], case.accepted[0]), []).append(answer in case.accepted)
    return 100 * sum(sum(right) / len(right) for right in pairs.values()) / max(1, len(pairs))


def _percent(right: int, total: int) -> float:
    return 100 * right / max(1, total)


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.text", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with polyphone/, tn/, chapters/, encoding/")
    parser.add_argument("--json", action="store_true", help="print one object of percentages as the last line")
    parser.add_argument("--packages", action="store_true", help="read the polyphones with other packages, too")
    parser.add_argument("--no-speed", dest="speed", action="store_false", help="leave out the timed novel")
    parser.add_argument("--novel", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    data: Path = options.data
    if options.novel:
        print(json.dumps(run_novel(data, options.novel)))
        return 0
    if not any((data / name).is_dir() for name in ("polyphone", "tn", "chapters", "encoding")):
        print(f"no polyphone/, tn/, chapters/ or encoding/ in {data}", file=sys.stderr)
        return 2
    figures: Figures = dict.fromkeys(KEYS)
    say: Callable[[str], None] = print
    if (data / "polyphone").is_dir():
        _say_polyphones(data / "polyphone", figures, options.packages, say)
    if (data / "tn").is_dir():
        found, groups = normalization(data / "tn")
        figures.update(found)
        say("\nnormalization" + " " * 37 + " cases  right")
        for name, total, share in groups:
            say(f"  {name:48} {total:5} {share:6.1f}")
    room, wrong = reading_room(data)
    figures.update(room)
    for row in wrong:
        say(f"wrong {row}")
    say("\nin all")
    for name in KEYS:
        say(f"  {name:20} {_shown(figures[name]):>7}")
    measured: dict[str, Any] = {}
    if options.speed and (data / "chapters").is_dir():
        measured = novel(data, NOVEL_CHARS)
        say(
            f"\na novel of {measured['characters']:,} characters, one core: read {measured['read_seconds']} s, script "
            f"{measured['script_seconds']} s (CPU {measured['cpu_seconds']} s), {measured['lines']:,} lines, peak "
            f"{measured['peak_mb']:,} MB, {measured['unexplained']} gaps in coverage"
        )
    if options.json:
        rounded = {name: None if value is None else round(value, 3) for name, value in figures.items()}
        print(json.dumps({**rounded, **({"novel": measured} if measured else {})}))
    return 0


def _say_polyphones(folder: Path, figures: Figures, packages: bool, say: Callable[[str], None]) -> None:
    ours = readings.ours()
    say(f"polyphones{'':26} {'set':24} {'cases':>6} {'sentences':>9} {'pairs':>6}")
    for name, read in itertools.chain([("voicepress", ours)], readings.packages() if packages else ()):
        found, rows = polyphones(folder, read)
        if name == "voicepress":
            figures.update(found)
        for label, cases, sentences, pairs in rows:
            say(f"  {name:34} {label:24} {cases:6} {sentences:9.2f} {pairs:6.2f}")
    say("\nthe most frequent polyphones of these sets, right in %")
    row = [f"{char} {share:.1f} ({total})" for char, total, share in frequent(folder, ours)]
    for at in range(0, len(row), 5):
        say("  " + "   ".join(row[at : at + 5]))


if __name__ == "__main__":
    raise SystemExit(main())
