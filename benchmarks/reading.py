"""How well and how fast manuscripts are read: ``python -m benchmarks.reading --data DIR [--json]``.

``DIR`` holds ``encoding/manifest.jsonl`` (file, encoding, kind, text) with the byte samples beside it, and
``chapters/gold.jsonl`` (file, headings with 1-based lines) with the text files beside it. An encoding sample counts
as right when it is read exactly (less a last character that was cut in two), or, where foreign bytes were put in
(``dirty``, ``mixed``), when it is refused with the right best guess. Chapters are scored over heading lines.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.made_books import books
from common.errors import VoicepressError
from tasks.read.chapters import find
from tasks.read.encoding import candidates, decode, detect
from tasks.read.lines import split
from tasks.read.paragraphs import wrap_width
from tasks.read.plain import parse

_SPEED_CHARS = 3_000_000
_BIG_BYTES = 10_000_000


def encoding_score(folder: Path) -> dict[str, Any]:
    """Counts by kind over the byte samples of ``folder``."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    wrong = []
    for row in _rows(folder / "manifest.jsonl"):
        data = (folder / row["file"]).read_bytes()
        kind = row["kind"]
        total[kind] += 1
        wanted = row["text"][:-1] if kind == "cut" else row["text"]
        try:
            good = decode(data, row["file"]).text == wanted
        except VoicepressError as error:
            good = kind in ("dirty", "mixed") and error.code in ("undecodable", "encoding-mixed") and _same(data, row)
        right[kind] += good
        if not good:
            wrong.append(row["file"])
    return {
        "right": sum(right.values()),
        "total": sum(total.values()),
        "share": sum(right.values()) / max(1, sum(total.values())),
        "by_kind": {kind: f"{right[kind]}/{total[kind]}" for kind in sorted(total)},
        "wrong": wrong,
    }


def _same(data: bytes, row: dict[str, Any]) -> bool:
    scores = candidates(data)
    names = {detect(data, row["file"])[0], max(scores, key=lambda name: scores[name])}
    return any(
        name.replace("big5hkscs", "big5").removesuffix("-sig") == row["encoding"].removesuffix("-sig") for name in names
    )


def chapter_score(folder: Path) -> dict[str, Any]:
    """Precision and recall over the heading lines of the text files of ``folder``."""
    hits = false = missed = 0
    wrong = {}
    for row in _rows(folder / "gold.jsonl"):
        text = decode((folder / row["file"]).read_bytes(), row["file"]).text
        lines = split(text)
        found, _ = find(text, lines, wrapped=wrap_width(text, lines) > 0)
        got = {lines[head.index].row for head in found}
        gold = {heading["line"] for heading in row["headings"]}
        hits, false, missed = hits + len(got & gold), false + len(got - gold), missed + len(gold - got)
        if got != gold:
            wrong[row["file"]] = {"false": sorted(got - gold), "missed": sorted(gold - got)}
    return {"precision": hits / max(1, hits + false), "recall": hits / max(1, hits + missed), "wrong": wrong}


def made_score(folder: Path, count: int) -> dict[str, Any]:
    """Precision and recall over ``count`` made-up books whose text is that of the files of ``folder``."""
    lines = []
    for row in _rows(folder / "gold.jsonl"):
        heads = {heading["line"] for heading in row["headings"]}
        text = decode((folder / row["file"]).read_bytes(), row["file"]).text
        lines += [
            line.strip() for at, line in enumerate(text.split("\n"), 1) if at not in heads and len(line.strip()) > 12
        ]
    hits = false = missed = 0
    for text, gold in books(lines, count):
        split_lines = split(text)
        found, _ = find(text, split_lines, wrapped=wrap_width(text, split_lines) > 0)
        got = {split_lines[head.index].row for head in found}
        hits, false, missed = hits + len(got & gold), false + len(got - gold), missed + len(gold - got)
    return {"books": count, "precision": hits / max(1, hits + false), "recall": hits / max(1, hits + missed)}


def size(folder: Path) -> dict[str, Any]:
    """CPU seconds and peak memory of a process that reads a novel of ten megabytes with thousands of chapters."""
    lines = [line for line in sample_book(folder, 400_000).split("\n") if len(line) > 15 and "第" not in line]
    rows: list[str] = []
    written = chapter = 0
    while written < _BIG_BYTES:
        chapter += 1
        rows.append(f"第{chapter}章 名字{chapter}")
        rows += ["　　" + lines[(chapter * 12 + place) % len(lines)].strip() for place in range(12)]
        written += sum(len(row.encode()) for row in rows[-12:])
    script = (
        "import resource, sys, time; from pathlib import Path; from tasks.read.manuscript import read_manuscript\n"
        "start = time.process_time(); book = read_manuscript(Path(sys.argv[1])); used = time.process_time() - start\n"
        "print(len(book.chapters), used, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "big.txt"
        path.write_text("\n".join(rows), encoding="utf-8")
        told = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    chapters, seconds, megabytes = told.stdout.split()
    return {"bytes": written, "chapters": int(chapters), "cpu_seconds": float(seconds), "peak_mb": float(megabytes)}


def sample_book(folder: Path, chars: int) -> str:
    """The text files of ``folder`` one after the other, repeated to ``chars`` characters."""
    texts = [decode((folder / row["file"]).read_bytes(), row["file"]).text for row in _rows(folder / "gold.jsonl")]
    whole = "\n".join(texts) + "\n"
    return (whole * (chars // len(whole) + 1))[:chars]


def speed(folder: Path) -> dict[str, Any]:
    """Characters per second of decoding and parsing, over the text files of ``folder`` repeated to three million."""
    data = sample_book(folder, _SPEED_CHARS).encode("utf-8")
    begin = time.process_time()
    decoded = decode(data, "speed")
    middle = time.process_time()
    parse(decoded.text)
    end = time.process_time()
    size = len(decoded.text)
    return {
        "characters": size,
        "decode_characters_per_cpu_second": round(size / max(middle - begin, 1e-9)),
        "read_characters_per_cpu_second": round(size / max(end - begin, 1e-9)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with encoding/ and chapters/")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--made", type=int, default=300, help="so many made-up books (default 300)")
    options = parser.parse_args()
    result = {
        "encoding": encoding_score(options.data / "encoding"),
        "chapters": chapter_score(options.data / "chapters"),
        "made": made_score(options.data / "chapters", options.made),
        "speed": speed(options.data / "chapters"),
        "size": size(options.data / "chapters"),
    }
    if options.json:
        print(json.dumps(result, ensure_ascii=False, indent=1))
        return
    encoding, chapters, pace = result["encoding"], result["chapters"], result["speed"]
    print(
        f"encoding   {encoding['right']} of {encoding['total']} right ({encoding['share']:.1%})  {encoding['by_kind']}"
    )
    print(f"chapters   precision {chapters['precision']:.3f}  recall {chapters['recall']:.3f}")
    made, big = result["made"], result["size"]
    print(f"made up    precision {made['precision']:.3f}  recall {made['recall']:.3f} over {made['books']} books")
    print(f"speed      {pace['read_characters_per_cpu_second']:,} characters per CPU second read, of which decoding "
          f"{pace['decode_characters_per_cpu_second']:,}; {pace['characters']:,} characters")  # fmt: skip
    print(
        f"size       {big['bytes']:,} bytes, {big['chapters']:,} chapters: {big['cpu_seconds']:.2f} CPU s, {big['peak_mb']:.0f} MB"
    )
    for name in encoding["wrong"]:
        print(f"  wrong encoding: {name}")
    for name, lines in chapters["wrong"].items():
        print(f"  wrong chapters: {name} {lines}")


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    main()
