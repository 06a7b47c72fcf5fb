"""Measures every kokoro voice: ``python -m benchmarks.voices [--write] [--listen] [--only ID …]``.

Speaks the sentences below with each profile of voices/profiles (those not offered too) and prints characters per second,
loudness (ITU-R BS.1770), median F0 and the largest peak. ``--write`` puts the figures and the gain to the house level of
-20 LUFS into the profiles, whose comments stay. ``--listen`` adds what Whisper base makes of it (extra ``ear``): toneless
pinyin error for Chinese, word error rate for English.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from common.errors import VoicepressError
from common.files import replacing
from common.places import VOICES
from engines.base import EngineOptions, Speech, Utterance, Voice
from engines.kokoro import KokoroEngine

HOUSE_LUFS = -20.0
RATE = 24_000
SENTENCES = {
    "zh": (
        "清晨的雾还没有散，码头上已经站满了等船的人。",
        "老周把帽子往下压了压，低头看了一眼手里的车票。",
        "她推开窗户，院子里的石榴花开得正红，风一吹就落了一地。",
        "如果明天不下雨，我们就沿着河边走到镇上去，好不好？",
        "那封信在抽屉里放了整整十二年，谁也没有打开过。",
        "他笑了笑，没有回答，只是把茶杯轻轻推到我面前。",
        "山路又窄又滑，马车走得很慢，车灯照不到三步以外的地方。",
        "图书馆下午五点关门，可是他一直坐到天完全黑了才走。",
    ),
    "en": (
        "The fog had not lifted yet, and the pier was already crowded with people.",
        "He pulled his hat down and looked once more at the ticket in his hand.",
        "She opened the window, and the smell of wet leaves came into the room.",
        "If it does not rain tomorrow, shall we walk along the river to the town?",
        "The letter had lain in the drawer for twelve years, and nobody had opened it.",
        "He smiled, said nothing, and gently pushed the cup across the table.",
        "The mountain road was narrow, and the lamps did not reach three steps ahead.",
        "The library closed at five, but he stayed until it was completely dark.",
    ),
}


@dataclass(frozen=True, slots=True)
class Measured:
    chars_per_second: float
    lufs: float
    f0_hz: float
    peak: float
    heard_error: float | None = None


def profiles(only: Sequence[str]) -> list[tuple[Path, Any]]:
    """The profiles of this engine as ruamel documents."""
    from ruamel.yaml import YAML

    found = []
    for path in sorted((VOICES / "profiles").glob("*.yaml")):
        document = YAML().load(path.read_text(encoding="utf-8"))
        if document.get("engine") == "kokoro" and (not only or document["id"] in only):
            found.append((path, document))
    return found


def measure(engine: KokoroEngine, pack: str, language: str, ear: Any = None) -> Measured:
    import pyloudnorm

    voice = Voice(pack, "kokoro", pack, language, "", params={"pack": pack})
    said = engine.speak([Utterance(text, voice, language) for text in SENTENCES[language]])
    samples = [one.samples for one in said if isinstance(one, Speech)]
    if len(samples) != len(said):
        raise VoicepressError("engine-fault", f"the voice {pack} did not say every sentence: {said}")
    joined = np.concatenate(samples)
    characters = sum(len([c for c in text if c.isalnum()]) for text in SENTENCES[language])
    error = None
    if ear is not None:
        from benchmarks.listen import compare

        pause = np.zeros(8000, np.float32)
        takes = [piece for one in samples for piece in (resample(one), pause)]
        heard = ear.hear(np.concatenate(takes), language)
        error = compare(" ".join(SENTENCES[language]), heard, language).pinyin_error
    return Measured(
        characters / (len(joined) / RATE),
        float(pyloudnorm.Meter(RATE).integrated_loudness(joined.astype(np.float64))),
        median_f0_hz(joined),
        float(np.abs(joined).max()),
        error,
    )


def resample(samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """24 kHz -> 16 kHz."""
    from scipy.signal import resample_poly

    made: npt.NDArray[np.float32] = resample_poly(samples, 2, 3).astype(np.float32)
    return made


def median_f0_hz(samples: npt.NDArray[np.float32]) -> float:
    """Median pitch by normalized autocorrelation of 40 ms frames, 70-450 Hz; frames below 0.6 are unvoiced."""
    size, hop = RATE * 40 // 1000, RATE // 100
    low, high = RATE // 450, RATE // 70
    found = []
    for start in range(0, len(samples) - size - high, hop):
        frame = samples[start : start + size + high].astype(np.float64)
        head = frame[:size]
        energy = float(head @ head)
        if energy < 1e-3 * size * 0.01:
            continue
        squares = np.concatenate(([0.0], np.cumsum(frame * frame)))
        lags = np.arange(low, high)
        products = np.correlate(frame, head, mode="valid")[low:high]
        likeness = products / np.sqrt(energy * (squares[lags + size] - squares[lags]) + 1e-12)
        best = float(likeness.max())
        if best > 0.6:
            # the shortest lag that is nearly as good: not an octave too low
            found.append(RATE / float(lags[np.flatnonzero(likeness > 0.93 * best)[0]]))
    return float(np.median(found)) if found else 0.0


def write(path: Path, document: Any, figures: Measured) -> None:
    from ruamel.yaml import YAML

    document["gain_db"] = round(HOUSE_LUFS - figures.lufs, 1)
    document["measured"]["chars_per_second"] = round(figures.chars_per_second, 2)
    document["measured"]["lufs"] = round(figures.lufs, 1)
    document["measured"]["f0_hz"] = round(figures.f0_hz)
    yaml = YAML()
    yaml.width = 120
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8") as target:
        yaml.dump(document, target)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.voices", description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--listen", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args(arguments)
    engine = KokoroEngine(EngineOptions())
    ear = None
    if given.listen:
        from benchmarks.listen import Ear

        ear = Ear()
    print(
        f"{'voice':14s}{'chars/s':>8s}{'LUFS':>8s}{'gain dB':>9s}{'F0 Hz':>7s}{'peak':>6s}"
        + ("   heard wrong" if ear else "")
    )
    for path, document in profiles(given.only):
        figures = measure(engine, document["params"]["pack"], document["language"], ear)
        heard = "" if figures.heard_error is None else f"{figures.heard_error:13.1%}"
        print(
            f"{document['id']:14s}{figures.chars_per_second:8.2f}{figures.lufs:8.1f}{HOUSE_LUFS - figures.lufs:9.1f}"
            f"{figures.f0_hz:7.0f}{figures.peak:6.2f}{heard}",
            flush=True,
        )
        if given.write:
            write(path, document, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
