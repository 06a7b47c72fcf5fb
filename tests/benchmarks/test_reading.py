"""The benchmark of reading counts what it says it counts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BOOK = "第一章 河边\n　　灯亮了，他们在河边坐着，谁也不说话。\n第二章 渡口\n　　他走了。\n"


def test_it_scores_encodings_and_chapters(tmp_path: Path) -> None:
    samples = {
        "good.bin": (BOOK.encode("gb18030"), "gb18030", "clean", BOOK),
        "cut.bin": (BOOK.rstrip().encode("utf-8")[:-1], "utf-8", "cut", BOOK.rstrip()),
        "dirty.bin": (b"\xff" + BOOK.encode("utf-8"), "utf-8", "dirty", BOOK),
        "wrong.bin": (BOOK.encode("utf-8"), "utf-8", "clean", "something else"),
    }
    (tmp_path / "encoding").mkdir()
    (tmp_path / "chapters").mkdir()
    with open(tmp_path / "encoding" / "manifest.jsonl", "w", encoding="utf-8") as manifest:
        for name, (data, encoding, kind, text) in samples.items():
            (tmp_path / "encoding" / name).write_bytes(data)
            manifest.write(json.dumps({"file": name, "encoding": encoding, "kind": kind, "text": text}) + "\n")
    (tmp_path / "chapters" / "a.txt").write_text(BOOK, encoding="utf-8")
    gold = {"file": "a.txt", "encoding": "utf-8", "headings": [{"line": 1}, {"line": 4}]}
    (tmp_path / "chapters" / "gold.jsonl").write_text(json.dumps(gold) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.reading", "--data", str(tmp_path)]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    assert (result["encoding"]["right"], result["encoding"]["total"]) == (3, 4)
    assert result["encoding"]["wrong"] == ["wrong.bin"]
    assert (result["chapters"]["precision"], result["chapters"]["recall"]) == (0.5, 0.5)
    assert result["chapters"]["wrong"] == {"a.txt": {"false": [3], "missed": [4]}}
    assert result["speed"]["characters"] >= 3_000_000
    assert "precision 0.500" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
