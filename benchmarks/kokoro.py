"""Speed of the embedded engine beside kokoro-onnx: ``python -m benchmarks.kokoro [--rounds N]``.

The same lines, as the same symbols and with the same voice, are spoken in turn by kokoro-onnx 0.6.1 (its own default
session over the packaged graph, as its users run it) and by our engine with one worker and with one per core,
interleaved in one run, so that whatever else the machine does hits all alike. kokoro-onnx needs a GPL package and is no
dependency of ours: install it in an environment of its own (``pip install kokoro-onnx==0.6.1``); without it only our
rows are printed. RTF is work per second of audio: wall time, and processor time of all threads.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from engines.base import EngineOptions, Speech, Utterance, Voice
from engines.kokoro import KokoroEngine, front, model, packs
from engines.kokoro.engine import usable_cores

RATE = 24_000
LINES = (
    "雨是从后半夜开始下的，到天亮的时候，整条街都泡在一层薄薄的水光里。",
    "“你真的要一个人去吗？”她站在门口，手里还攥着那把旧伞。",
    "他没有说话，只是点了点头，把围巾又绕紧了一圈。",
    "渡口的老人告诉他们，从这里到对岸，顺风的时候要半个钟头，逆风就说不准了。",
    "火车站的大钟敲了八下，卖报的孩子从人群里钻出来，一边跑一边喊。",
    "那年冬天特别冷，河面结了厚厚的冰，村里的孩子们整天在上面滑来滑去。",
    "信里只有一句话：等桃花开了，我就回来。",
    "院子中间有一口井，井沿上的青石被绳子磨出了深深的印子，不知道用了多少年。",
)
VOICE = "zf_xiaobei"


@dataclass
class Row:
    """One contestant: ``speak`` says all lines and gives seconds of audio."""

    name: str
    speak: Callable[[], float]
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    audio: list[float] = field(default_factory=list)

    def run(self) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        self.audio.append(self.speak())
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(time.process_time() - cpu)


def ours(workers: int) -> Callable[[], float]:
    engine = KokoroEngine(EngineOptions(workers=workers))
    engine.prepare()
    voice = Voice(VOICE, "kokoro", VOICE, "zh", "female", params={"pack": VOICE})
    batch = [Utterance(text, voice) for text in LINES]

    def speak() -> float:
        said = engine.speak(batch)
        return sum(len(one.samples) for one in said if isinstance(one, Speech)) / RATE

    return speak


def theirs() -> Callable[[], float] | None:
    try:
        from kokoro_onnx import Kokoro
    except ImportError:
        return None
    kokoro: Any = Kokoro(
        str(model.packaged_file()), str(packs.folder() / "kokoro.npz"), vocab_config={"vocab": front.vocabulary()}
    )
    style = packs.load(VOICE)[:, None, :]
    lines = []
    for text in LINES:
        units, _ = front.units_of(text, "zh", ())
        lines.append("".join(front.symbols_of(unit, place == 0) for place, unit in enumerate(units)))

    def speak() -> float:
        return sum(len(kokoro.create(line, style, speed=1.0, is_phonemes=True)[0]) for line in lines) / RATE

    return speak


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kokoro", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args(arguments)
    cores = usable_cores()
    rows = [Row("voicepress, 1 worker", ours(1))]
    if cores > 1:
        rows.append(Row(f"voicepress, {cores} workers", ours(cores)))
    if (other := theirs()) is not None:
        rows.insert(0, Row("kokoro-onnx, its default session", other))
    for row in rows:
        row.speak()  # loads what is loaded lazily
    for _ in range(given.rounds):
        for row in rows:
            row.run()
    print(f"{len(LINES)} lines, {given.rounds} rounds, {cores} cores, graph {model.variant()}")
    print(f"{'':34s}{'audio s':>9s}{'wall s':>8s}{'RTF wall':>10s}{'RTF CPU':>9s}{'faster':>8s}")
    base = rows[0]
    for row in rows:
        faster = statistics.median(
            b / w * a / c for b, w, a, c in zip(base.wall, row.wall, row.audio, base.audio, strict=True)
        )
        walls = statistics.median(w / a for w, a in zip(row.wall, row.audio, strict=True))
        cpus = statistics.median(c / a for c, a in zip(row.cpu, row.audio, strict=True))
        print(
            f"{row.name:34s}{statistics.median(row.audio):9.1f}{statistics.median(row.wall):8.2f}"
            f"{walls:10.3f}{cpus:9.3f}{faster:7.2f}x"
        )
    if other is None:
        print("kokoro-onnx is not installed here: no comparison")
    return 0


if __name__ == "__main__":
    sys.exit(main())
