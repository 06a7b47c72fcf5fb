"""The embedded speech engine: Kokoro-82M on the CPU, Mandarin and English.

Contract: ``engines.base.Engine``. One onnxruntime session per half of the model with one thread inside, and one Python
thread per core over the passes of a batch: the samples of an utterance do not depend on the batch or on the workers.
Importing this module is light; onnxruntime, jieba and the data are loaded by the first ``speak``.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from common.errors import VoicepressError
from common.files import digest, sha256_of
from engines.base import EngineOptions, Finding, Honour, Limits, Speech, SpeechError, Utterance, Voice

if TYPE_CHECKING:
    from engines.kokoro.passes import Pass
    from engines.kokoro.sound import Said
    from engines.kokoro.styles import Style

RATE = 24_000
VERSION = 2
"""Version of what this engine does to the model's output (cutting, trimming, styles); part of the fingerprint."""
LIMITS = Limits(
    sample_rate=RATE, max_chars=180, batch=32, languages=("zh", "en"), phonetic="pinyin", deterministic=True, cuts=True
)
_DATA = ("pinyin_ipa.json", "english.tsv.gz", "vocabulary.json")


@dataclass(frozen=True, slots=True)
class _Work:
    """One utterance on its way: what to say in each pass, and how."""

    passes: tuple[Pass, ...]
    style: Style
    speed: float
    notes: tuple[str, ...]
    pack: str


_Job: TypeAlias = "tuple[int, int, _Work, Pass]"
"""A pass to be said: place of its utterance in the batch, its own place in the utterance."""


class KokoroEngine:
    """Kokoro-82M, int8 ONNX, CPU. ``options.workers``: 0 means one per usable core."""

    def __init__(self, options: EngineOptions) -> None:
        if options.device not in ("cpu", "auto"):
            raise VoicepressError(
                "no-such-device", f"the engine kokoro runs on the CPU, not on '{options.device}'", key="engine.device",
                hint="set device: cpu, or choose the engine cosyvoice3 for a GPU",
            )  # fmt: skip
        if options.extra:
            raise VoicepressError(
                "bad-config", f"the engine kokoro has no setting '{next(iter(options.extra))}'", key="engine.extra",
                hint="remove it; kokoro knows only workers",
            )  # fmt: skip
        self._workers = options.workers if options.workers > 0 else usable_cores()
        self._sessions: tuple[Any, Any] | None = None
        self._loading = threading.Lock()

    @property
    def name(self) -> str:
        return "kokoro"

    @property
    def limits(self) -> Limits:
        return LIMITS

    @property
    def resource(self) -> str:
        return "cpu"

    @property
    def workers(self) -> int:
        return self._workers

    def fingerprint(self) -> str:
        from engines.kokoro import graph, model

        kind = model.variant()
        version = graph.REWRITE if kind != "plain" else 0
        return f"kokoro-82m int8 {model.SHA256[:16]} {kind}-{version} {_rules()}"

    def accepts(self, voice: Voice) -> str:
        from engines.kokoro import packs

        if voice.engine != self.name:
            return f"the voice '{voice.id}' was made for the engine {voice.engine}; choose a voice of kokoro"
        pack = str(voice.params.get("pack", ""))
        if not pack:
            return f"the voice '{voice.id}' names no pack; add params: {{pack: …}} to its profile"
        known = packs.checksums()
        return "" if pack in known else f"kokoro has no voice pack '{pack}'; known packs: {', '.join(sorted(known))}"

    def honours(self, style: str) -> Honour:
        from engines.kokoro import styles

        return styles.honours(style)

    def prepare(self) -> None:
        self._load()

    def speak(self, batch: Sequence[Utterance]) -> list[Speech | SpeechError]:
        spoken = dict(self.speak_each(batch))
        return [spoken[index] for index in range(len(batch))]

    def speak_each(self, batch: Sequence[Utterance]) -> Iterator[tuple[int, Speech | SpeechError]]:
        """As ``speak``, each as soon as its last pass is said."""
        from engines.kokoro import packs

        sessions = self._load()
        started = time.perf_counter()
        works = [self._work(utterance) for utterance in batch]
        for work in works:
            if isinstance(work, _Work):
                packs.load(work.pack)  # a damaged pack is an error of the engine, not of a line
        front_seconds = (time.perf_counter() - started) / max(1, len(works))

        jobs = [
            (index, place, work, one)
            for index, work in enumerate(works)
            if isinstance(work, _Work)
            for place, one in enumerate(work.passes)
        ]
        jobs.sort(key=lambda job: -job[3].tokens)  # the longest first: no core waits for a late long one
        said: dict[tuple[int, int], tuple[Said, float] | Exception] = {}

        def run(job: _Job) -> int:
            index, place, work, one = job
            began = time.perf_counter()
            try:
                said[index, place] = (_say(sessions, work, one), time.perf_counter() - began)
            except Exception as error:  # one bad line never spoils its batch
                said[index, place] = error
            return index

        left = {index: len(work.passes) for index, work in enumerate(works) if isinstance(work, _Work)}
        for index, work in enumerate(works):
            if isinstance(work, SpeechError):
                yield index, work
        for index in self._each(run, jobs):
            left[index] -= 1
            if not left[index]:
                work = works[index]
                assert isinstance(work, _Work)
                yield index, self._gather(index, work, said, front_seconds)
                for place in range(len(work.passes)):  # a long batch need not hold all its sound at once
                    said.pop((index, place))

    def _each(self, run: Callable[[_Job], int], jobs: Sequence[_Job]) -> Iterator[int]:
        """What ``run`` gives for each job, as soon as it is done, on as many threads as there are workers."""
        if self._workers == 1 or len(jobs) < 2:
            yield from map(run, jobs)
            return
        with ThreadPoolExecutor(self._workers, thread_name_prefix="kokoro") as pool:
            futures = [pool.submit(run, job) for job in jobs]
            try:
                for future in as_completed(futures):
                    yield future.result()
            finally:  # whoever stops listening stops the work
                for future in futures:
                    future.cancel()

    def clean(self) -> None:
        """Nothing is kept between batches but the sessions, whose memory is bounded by the longest pass."""

    def close(self) -> None:
        with self._loading:
            self._sessions = None

    def doctor(self) -> list[Finding]:
        from engines.kokoro.doctor import findings

        return findings(self._workers)

    # ---------------------------------------------------------------- inside

    def _load(self) -> tuple[Any, Any]:
        with self._loading:
            if self._sessions is None:
                from engines.kokoro import model

                encoder, decoder = model.parts(model.variant())
                self._sessions = (_session(encoder), _session(decoder))
            return self._sessions

    def _work(self, utterance: Utterance) -> _Work | SpeechError:
        """Decide what is said how; pure but for the data it reads. An error here is this line's alone."""
        from engines.kokoro import front, passes, styles

        if refused := self.accepts(utterance.voice):
            return SpeechError("engine-fault", refused)
        try:
            units, notes = front.units_of(utterance.text, utterance.language, utterance.readings)
            soft = passes.soft_cap(units, utterance.split)
            planned = passes.plan(units, soft)
        except VoicepressError:
            raise
        except Exception as error:
            return SpeechError("engine-fault", f"{type(error).__name__}: {error}")
        if not planned:
            return SpeechError("unspeakable", f"nothing in it can be spoken: {utterance.text[:60]!r}")
        style = styles.style_of(utterance.style)
        cut = (f"split {utterance.split}: passes of at most {soft} tokens",) if utterance.split else ()
        speed, held = styles.speed_of(utterance.speed, style)
        everything = (*notes, *style.notes, *held, *cut)
        return _Work(tuple(planned), style, speed, everything, str(utterance.voice.params["pack"]))

    def _gather(
        self, index: int, work: _Work, said: dict[tuple[int, int], tuple[Said, float] | Exception], front_seconds: float
    ) -> Speech | SpeechError:
        from engines.kokoro import passes, sound

        parts, seconds = [], 0.0
        for place in range(len(work.passes)):
            result = said[index, place]
            if isinstance(result, Exception):
                return SpeechError("engine-fault", f"{type(result).__name__}: {result}")
            parts.append(result[0])
            seconds += result[1]
        whole = sound.join(parts, [passes.pause_seconds(one.after) / work.speed for one in work.passes])
        if not len(whole.samples):
            return SpeechError("unspeakable", "the model gave silence")
        return Speech(whole.samples, whole.marks, notes=work.notes, timings={"front": front_seconds, "model": seconds})


@lru_cache(maxsize=1)
def _rules() -> str:
    """A hash of the front end's data and of the versions of what is done by rule."""
    from engines.kokoro.front import FRONT

    data = {name: sha256_of(Path(__file__).parent / "data" / name) for name in _DATA}
    return digest({"data": data, "engine": VERSION, "front": FRONT}, 16)


def _session(path: Path) -> Any:
    import onnxruntime

    onnxruntime.set_default_logger_severity(3)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _say(sessions: tuple[Any, Any], work: _Work, one: Pass) -> Said:
    """Run the model over one pass: encoder, pitch bent by the style, decoder, trimmed sound with marks."""
    import numpy as np

    from engines.kokoro import front, packs, sound

    encoder, decoder = sessions
    known = front.vocabulary()
    ids = [known[symbol] for place, unit in enumerate(one.units) for symbol in front.symbols_of(unit, place == 0)]
    row = min(len(ids), packs.ROWS - 1)
    style = packs.load(work.pack)[row : row + 1]
    feed = {
        "tokens": np.array([[0, *ids, 0]], np.int64),
        "style": style,
        "speed": np.array([work.speed], np.float32),
    }
    asr, f0, energy, durations = encoder.run(["asr", "f0", "energy", "durations"], feed)
    f0 = sound.bend(f0, work.style.pitch, work.style.spread)
    (audio,) = decoder.run(["audio"], {"asr": asr, "f0": f0, "energy": energy, "style": style})
    return sound.finish(audio.reshape(-1), one.units, durations.reshape(-1), work.style.gain_db)


def usable_cores() -> int:
    """Cores this process may use: its affinity, and the quota of its control group where there is one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, quota_cores(Path("/sys/fs/cgroup"))))


def quota_cores(root: Path) -> int:
    """Whole cores of a control group's CPU quota (version 2, then 1), a large number where there is none."""
    try:
        limit, period = (root / "cpu.max").read_text(encoding="ascii").split()[:2]
        return max(1, int(limit) // int(period)) if limit != "max" else 1 << 16
    except (OSError, ValueError):
        pass
    try:
        limit = (root / "cpu" / "cpu.cfs_quota_us").read_text(encoding="ascii")
        period = (root / "cpu" / "cpu.cfs_period_us").read_text(encoding="ascii")
        return max(1, int(limit) // int(period)) if int(limit) > 0 else 1 << 16
    except (OSError, ValueError):
        return 1 << 16


__all__ = ["KokoroEngine", "quota_cores", "usable_cores"]
