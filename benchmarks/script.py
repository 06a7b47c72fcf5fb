"""How well and how fast scripts are written: ``python -m benchmarks.script --data DIR [--chars N] [--json]``.

``DIR`` holds ``tn/*.jsonl`` (written, and accept or spoken), ``speaker/*.jsonl`` (sentences, quote_index, speaker,
category) with ``speaker/name_list.txt`` (1 or 0 for male or female, name, aliases), and ``chapters/*.txt``. A
normalization is right when it is one of the accepted forms after NFKC, lower case and dropping marks and space. The
gold list of names is the cast for speakers. Speed is per CPU second of one process, without and with readings.
"""

from __future__ import annotations

import argparse
import json
import time
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.speakers import cases_of, cast_of, run, shares
from tasks.domain import Cast, Chapter, Manuscript, Paragraph, Role, Run
from tasks.script.names import Names
from tasks.script.normalize import normalize
from tasks.script.readings import Reader
from tasks.script.write import Read, ScriptSettings, write_script


@dataclass(frozen=True, slots=True)
class TnCase:
    """A written form and the accepted spoken ones; ``group`` is its source and language, ``novel`` a case made for novels."""

    written: str
    accepted: tuple[str, ...]
    language: str
    group: str
    novel: bool


def tn_cases(path: Path) -> list[TnCase]:
    """The cases of one file."""
    return [
        TnCase(
            row["written"], tuple(row.get("accept") or [row["spoken"]]), row.get("lang", "zh"),
            f"{row.get('source', '')} {row.get('lang', 'zh')}".strip(), "accept" in row,
        )
        for row in _rows(path)
    ]  # fmt: skip


def tn_right(case: TnCase) -> bool:
    """Whether our spoken form is an accepted one, after NFKC, lower case, and without marks and spaces."""
    return _bare(normalize(case.written, case.language).spoken) in {_bare(form) for form in case.accepted}


def normalization(folder: Path) -> dict[str, str]:
    """Right of all, by file, source and language."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for path in sorted(folder.glob("*.jsonl")):
        for case in tn_cases(path):
            group = f"{path.stem} {case.group}"
            total[group] += 1
            right[group] += tn_right(case)
    return {group: _share(right[group], total[group]) for group in total}


def speakers(folder: Path) -> dict[str, str]:
    """Right of all by category, and by the rule that decided."""
    cast = cast_of(folder)
    cases = cases_of(folder, cast)
    names = Names(cast, "", "zh")
    table = shares(cases, [run(case, names) for case in cases])
    return {group: _share(right, total) for group, (right, total) in sorted(table.items())}


def speed(folder: Path, chars: int) -> dict[str, int]:
    """Characters per CPU second over the chapter files, repeated up to ``chars``, as one book of many chapters."""
    texts = [_decoded(path.read_bytes()) for path in sorted(folder.glob("*.txt"))]
    size = sum(map(len, texts))
    book = _manuscript(texts * max(1, chars // max(1, size)))
    settings, cast = ScriptSettings(), Cast(Role("narrator"))
    reader = Reader()
    write_script(_manuscript(["“3个人，”他说。"]), cast, settings, reader.read)  # loads the packages' tables

    def timed(read: Read) -> int:
        begin = time.process_time()
        write_script(book, cast, settings, read)
        return round(len(book.source) / (time.process_time() - begin))

    return {
        "characters": len(book.source),
        "without_readings_characters_per_cpu_second": timed(lambda _spoken, _language: ()),
        "with_readings_characters_per_cpu_second": timed(reader.read),
    }


def _manuscript(texts: list[str]) -> Manuscript:
    chapters = []
    at = 0
    for number, text in enumerate(texts, 1):
        paragraphs = []
        for row in text.split("\n"):
            if row.strip():
                paragraphs.append(Paragraph(row, (Run(0, at, len(row)),)))
            at += len(row) + 1
        chapters.append(Chapter(number, "", None, tuple(paragraphs)))
    return Manuscript("speed.txt", "txt", "utf-8", "", "\n".join(texts), tuple(chapters))


def _decoded(data: bytes) -> str:
    for encoding in ("utf-8-sig", "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "gb18030", "big5"):
        try:
            return data.decode(encoding).replace("\r", "")
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")


def _bare(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(sign for sign in folded if unicodedata.category(sign)[0] not in "PZC")


def _share(right: int, total: int) -> str:
    return f"{right}/{total} {right / total:.1%}"


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with tn/, speaker/ and chapters/")
    parser.add_argument("--chars", type=int, default=300_000, help="size of the text for speed (default: 300,000)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    result: dict[str, dict[str, Any]] = {
        "normalization": normalization(options.data / "tn"),
        "speakers": speakers(options.data / "speaker"),
        "speed": speed(options.data / "chapters", options.chars),
    }
    if options.json:
        print(json.dumps(result, ensure_ascii=False, indent=1))
        return
    for table, rows in result.items():
        print(table)
        for name, value in rows.items():
            print(f"  {name:<52}{value if isinstance(value, str) else f'{value:,}'}")


if __name__ == "__main__":
    main()
