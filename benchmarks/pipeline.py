"""The whole press, measured: ``python -m benchmarks.pipeline [--lines N] [--no-speech]``.

Prints the front end's characters a second; what orchestration costs with the tone engine on a book of many lines and
with the embedded engine on a small one (the recording loop from end to end, less the batches themselves and what it
waited for checks); the engine's RTF with one and two workers; stitching and publishing speed; start-up of Prefect; peak memory. Books
are written and made in a temporary folder, on a Prefect server of our own. Each part runs in a process of its own, so
that peaks are its own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

SENTENCES = (
    "天刚亮，渡口的雾还没有散。", "他把绳子重新系了一遍，抬头看了看天。", "船走得很慢，水声一下一下地响。",
    "“今天过河的人真多。”老周说。", "“明天还会更多。”阿南一边数钱一边回答，“一共三十七块五。”",
    "2026年4月1日，桥就要通车了。", "谁也没有再说话，只有风吹过芦苇的声音。", "她从包里拿出一封发黄的信，轻轻放在桌上。",
)  # fmt: skip
CAST = """schema: 1
narrator: {voice: zf_xiaobei}
characters:
  老周: {gender: male, voice: zm_yunjian}
  阿南: {gender: male, voice: zm_yunxia}
unknown: narrator
"""


def write_book(folder: Path, paragraphs: int, engine: str, chapters: int = 20) -> Path:
    """A book of that many paragraphs, no two alike."""
    folder.mkdir(parents=True)
    pick = random.Random(7)
    rows = []
    for number in range(paragraphs):
        if number % max(1, paragraphs // chapters) == 0:
            rows.append(f"第{number // max(1, paragraphs // chapters) + 1}章 渡口")
        rows.append(f"第{number + 1}天，" + pick.choice(SENTENCES))
    (folder / "story.txt").write_text("\n".join(rows), encoding="utf-8")
    (folder / "cast.yaml").write_text(CAST, encoding="utf-8")
    (folder / "book.yaml").write_text(
        f"schema: 1\ntitle: 渡口\nmanuscript: story.txt\ncast: cast.yaml\nengine: {engine}\n", encoding="utf-8"
    )
    return folder / "book.yaml"


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def front_end(root: Path, size: int) -> dict[str, float]:
    """Reading and script writing, readings included, on one core."""
    from flows.config import load_book
    from flows.desk import Desk
    from tasks.read.manuscript import read_manuscript

    job = load_book(write_book(root / "text", size, "tone"))
    desk = Desk.open(job)
    warm = load_book(write_book(root / "warm", 50, "tone"))
    Desk.open(warm).scribe.write(read_manuscript(warm.manuscript), root / "warm-script")
    started = time.process_time()
    manuscript = read_manuscript(job.manuscript)
    read = time.process_time() - started
    started = time.process_time()
    written = desk.scribe.write(manuscript, root / "script")
    script = time.process_time() - started
    chars = len(manuscript.source)
    lines = sum(len(chapter.lines) for chapter in written.script.chapters)
    return {
        "chars": chars,
        "lines": lines,
        "read_chars_per_s": chars / read,
        "script_chars_per_s": chars / script,
        "peak_mb": peak_mb(),
    }


def make(root: Path, size: int, engine: str) -> dict[str, float]:
    """One book through the flow."""
    begun = time.monotonic()
    from flows.server import connected

    book = write_book(root / engine, size, engine, chapters=20 if engine == "tone" else 3)
    with connected(console_level="CRITICAL"):
        from flows.book import produce_book

        start_up = time.monotonic() - begun
        started = time.monotonic()
        made = produce_book(str(book))
        flow = time.monotonic() - started
    clock = made.clock
    orchestration = clock.loop_seconds - clock.work_seconds - clock.wait_seconds
    return {
        "lines": made.lines, "batches": clock.batches, "audio_s": clock.audio_seconds, "start_up_s": start_up, "flow_s": flow,
        "read_script_s": clock.seconds["read"] + clock.seconds["script"], "loop_s": clock.loop_seconds,
        "engine_s": clock.engine_seconds, "store_s": clock.store_seconds, "wait_for_checks_s": clock.wait_seconds,
        "orchestration_s": orchestration, "orchestration_ms_per_batch": 1000 * orchestration / clock.batches,
        "orchestration_of_recording_pct": 100 * orchestration / clock.work_seconds,
        "stitch_after_loop_s": clock.seconds["stitch"], "publish_s": clock.seconds["publish"], "peak_mb": peak_mb(),
    }  # fmt: skip


def speech(root: Path, workers: int) -> dict[str, float]:
    """The embedded engine by itself."""
    from common import places
    from engines.base import EngineOptions, Speech, Utterance
    from engines.kokoro import KokoroEngine
    from tasks.script.readings import Reader
    from tasks.speak.voices import VoiceLibrary

    voice = VoiceLibrary((places.VOICES / "profiles",)).get("zf_xiaobei")
    read = Reader().read
    texts = [
        sentence.replace("“", "").replace("”", "") for sentence in SENTENCES if not any(c.isdigit() for c in sentence)
    ]
    lines = [Utterance(text, voice, "zh", tuple((r.start, r.phones) for r in read(text, "zh"))) for text in texts] * 2
    engine = KokoroEngine(EngineOptions(workers=workers))
    engine.prepare()
    engine.speak(lines[:2])
    started, worked = time.monotonic(), time.process_time()
    said = engine.speak(lines)
    wall, work = time.monotonic() - started, time.process_time() - worked
    audio = sum(len(one.samples) for one in said if isinstance(one, Speech)) / engine.limits.sample_rate
    return {"audio_s": audio, "rtf_wall": wall / audio, "rtf_cpu": work / audio, "peak_mb": peak_mb()}


def parts(lines: int, with_speech: bool) -> dict[str, Callable[[Path], dict[str, float]]]:
    """What is measured, by name."""
    found: dict[str, Callable[[Path], dict[str, float]]] = {
        "front end, one core": lambda root: front_end(root, 20_000),
        # Headings and sentences with speech give 1.64 lines a paragraph.
        f"tone, about {lines} lines": lambda root: make(root, int(lines / 1.62), "tone"),
    }
    if with_speech:
        found["kokoro, a small book"] = lambda root: make(root, 60, "kokoro")
        found["kokoro alone, 1 worker"] = lambda root: speech(root, 1)
        found["kokoro alone, 2 workers"] = lambda root: speech(root, 2)
    return found


def main() -> None:
    """Run every part in a child process and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--lines", type=int, default=5000)
    parser.add_argument("--no-speech", action="store_true")
    parser.add_argument("--part", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    todo = parts(asked.lines, not asked.no_speech)
    if asked.part:
        with tempfile.TemporaryDirectory() as root:
            os.environ["VOICEPRESS_OUTPUTS"] = str(Path(root) / "outputs")
            print(json.dumps(todo[asked.part](Path(root))))
        return
    print(f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}")
    for name in todo:
        command = [sys.executable, "-m", "benchmarks.pipeline", "--lines", str(asked.lines), "--part", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{name}: failed\n{done.stderr}")
        print(f"\n{name}")
        for key, value in json.loads(done.stdout.strip().splitlines()[-1]).items():
            print(f"  {key:32} {value:12,.3f}" if value < 100 else f"  {key:32} {value:12,.0f}")


if __name__ == "__main__":
    main()
