"""How well and how fast manuscripts are read: ``python -m benchmarks.reading --data DIR [--json]``.

``DIR`` holds ``encoding/manifest.jsonl`` (file, encoding, kind, text) with the byte samples beside it, and
``chapters/gold.jsonl`` (file, headings with 1-based lines) with the text files beside it. An encoding sample counts
as right when it is read exactly (less a last character that was cut in two), or, where foreign bytes were put in
(``dirty``, ``mixed``), when it is refused with the right best guess. Chapters are scored over heading lines.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

from common.errors import VoicepressError
from tasks.read.chapters import find
from tasks.read.encoding import candidates, decode, detect
from tasks.read.lines import split
from tasks.read.paragraphs import wrap_width
from tasks.read.plain import parse

_SPEED_CHARS = 3_000_000


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
    options = parser.parse_args()
    result = {
        "encoding": encoding_score(options.data / "encoding"),
        "chapters": chapter_score(options.data / "chapters"),
        "speed": speed(options.data / "chapters"),
    }
    if options.json:
        print(json.dumps(result, ensure_ascii=False, indent=1))
        return
    encoding, chapters, pace = result["encoding"], result["chapters"], result["speed"]
    print(
        f"encoding   {encoding['right']} of {encoding['total']} right ({encoding['share']:.1%})  {encoding['by_kind']}"
    )
    print(f"chapters   precision {chapters['precision']:.3f}  recall {chapters['recall']:.3f}")
    print(f"speed      {pace['read_characters_per_cpu_second']:,} characters per CPU second read, of which decoding "
          f"{pace['decode_characters_per_cpu_second']:,}; {pace['characters']:,} characters")  # fmt: skip
    for name in encoding["wrong"]:
        print(f"  wrong encoding: {name}")
    for name, lines in chapters["wrong"].items():
        print(f"  wrong chapters: {name} {lines}")


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    main()
