"""How many planted faults the check catches and how many clean takes it blames: ``python -m benchmarks.check [--json]``.

Real takes of the embedded engine (``check_corpus``), kept in the cache, half of them to calibrate by, half to report on.
Into the second half every fault of ``check_faults`` is planted; takes go through ``tasks.check.check.Checker``, as in the
flow, with what is usual for each voice learnt from the clean takes of the first half. Caught means: not passed. Prints a
table; ``--json`` prints one object as the last line: ``caught``, ``false_alarms`` (per cent), ``per_fault``.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import engines
from benchmarks.check_corpus import INSTRUCTIONS, Clean, plan, recorded, say, store, voices
from benchmarks.check_faults import FAULTS, Bench, asked_of
from common.errors import VoicepressError
from engines.base import EngineOptions, Samples, Utterance
from tasks.check.check import Asked, Checker
from tasks.check.limits import load_limits
from tasks.domain import Take, Verdict

GROUP = 32


class Shelf:
    """Takes in memory, as the checker finds them in a store."""

    def __init__(self) -> None:
        self._takes: dict[str, tuple[Take, Samples]] = {}

    def put(self, clean: Clean, samples: Samples, name: str) -> Asked:
        key = f"{name}-{clean.take.key}"
        marks = clean.take.marks if name == "clean" else ()
        self._takes[key] = (replace(clean.take, key=key, samples=len(samples), marks=marks), samples)
        spoken = clean.utterance
        return Asked(key, spoken.text, spoken.language, spoken.voice.id, spoken.readings)

    def get(self, key: str) -> Take | None:
        return self._takes[key][0] if key in self._takes else None

    def samples(self, take: Take) -> Samples:
        return self._takes[take.key][1]


def judged(checker: Checker, shelf: Shelf, asked: Sequence[Asked]) -> list[Verdict]:
    verdicts: list[Verdict] = []
    for start in range(0, len(asked), GROUP):
        verdicts += checker.check(shelf, asked[start : start + GROUP])
    return verdicts


def percent(part: int, whole: int) -> float:
    return round(100.0 * part / max(1, whole), 1)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.check", description=__doc__)
    parser.add_argument("--lines", type=int, default=160, help="clean lines, half of them to report on")
    parser.add_argument("--most", type=int, default=1000, help="takes per fault, at most")
    parser.add_argument("--only", nargs="*", choices=sorted(FAULTS), help="these faults alone")
    parser.add_argument("--half", choices=("report", "calibrate"), default="report")
    parser.add_argument("--signal", action="store_true", help="without the ear and the voice's print")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="every false alarm and every fault that passed")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    try:
        result = run(given)
    except VoicepressError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    if given.json:
        print(json.dumps(result, ensure_ascii=False))
    return 0


def run(given: argparse.Namespace) -> dict[str, Any]:
    engine = engines.load("kokoro", EngineOptions())
    cleans = recorded(plan(given.lines), engine)
    shelf, takes = Shelf(), store()
    samples = {clean.take.key: takes.samples(clean.take) for clean in cleans}
    halves = _halves(cleans)
    limits = load_limits()
    limits = limits.model_copy(update={"ear": limits.ear.model_copy(update={"threads": given.threads})})
    checker = Checker(limits, full=not given.signal)
    other = "calibrate" if given.half == "report" else "report"
    checker.learn(shelf, [shelf.put(clean, samples[clean.take.key], "clean") for clean in halves[other]])
    half = halves[given.half]
    started, cpu = time.perf_counter(), time.process_time()
    verdicts = judged(checker, shelf, [shelf.put(clean, samples[clean.take.key], "clean") for clean in half])
    cost, cpu = time.perf_counter() - started, time.process_time() - cpu
    audio = sum(clean.take.samples / clean.take.sample_rate for clean in half)
    alarms = [(clean, verdict) for clean, verdict in zip(half, verdicts, strict=True) if verdict.outcome != "pass"]
    print(f"{len(half)} clean takes, {audio:.0f} s: {len(alarms)} blamed ({percent(len(alarms), len(half))} %); "
          f"{cost:.1f} s, {cpu:.1f} CPU s ({cpu / audio:.3f} a second of sound)")  # fmt: skip
    by_voice = Counter(clean.utterance.voice.id for clean in half)
    blamed = Counter(clean.utterance.voice.id for clean, _ in alarms)
    print("false alarms by voice: " + ", ".join(f"{v} {blamed[v]}/{n}" for v, n in sorted(by_voice.items())))
    if given.show:
        for clean, verdict in alarms:
            _show("blamed", clean, verdict)
    per_fault, caught, planted = _faults(given, engine, checker, shelf, half, cleans, samples)
    return {
        "caught": percent(caught, planted),
        "false_alarms": percent(len(alarms), len(half)),
        "per_fault": per_fault,
        "planted": planted,
        "clean": len(half),
    }


def _halves(cleans: Sequence[Clean]) -> dict[str, list[Clean]]:
    """Every other line of each voice."""
    halves: dict[str, list[Clean]] = {"calibrate": [], "report": []}
    seen: Counter[str] = Counter()
    for clean in cleans:
        voice = clean.utterance.voice.id
        halves["report" if seen[voice] % 2 else "calibrate"].append(clean)
        seen[voice] += 1
    return halves


def _faults(
    given: argparse.Namespace, engine: Any, checker: Checker, shelf: Shelf, half: list[Clean], cleans: list[Clean],
    samples: dict[str, Samples],
) -> tuple[dict[str, float], int, int]:  # fmt: skip
    bench = Bench(samples, cleans, _heads(cleans, engine))
    per_fault: dict[str, float] = {}
    caught = planted = 0
    for name, plant in FAULTS.items():
        if given.only is not None and name not in given.only:
            continue
        asked: list[Asked] = []
        of: list[Clean] = []
        for clean in half:
            spoilt = plant(bench, clean, samples[clean.take.key], clean.take.sample_rate)
            if spoilt is not None and len(asked) < given.most:
                line = asked_of(name, bench, clean, spoilt)
                asked.append(shelf.put(line, spoilt, f"{name}-{len(asked)}"))
                of.append(line)
        found = judged(checker, shelf, asked)
        good = sum(verdict.outcome != "pass" for verdict in found)
        codes = Counter(verdict.flaws[0].code for verdict in found if verdict.flaws)
        per_fault[name] = percent(good, len(asked))
        caught, planted = caught + good, planted + len(asked)
        print(f"{name:20} {good:4}/{len(asked):<4} {per_fault[name]:5.1f} %   "
              + ", ".join(f"{code} {n}" for code, n in codes.most_common()), flush=True)  # fmt: skip
        if given.show:
            for line, verdict in zip(of, found, strict=True):
                if verdict.outcome == "pass":
                    _show("passed", line, verdict)
    return per_fault, caught, planted


def _heads(cleans: Sequence[Clean], engine: Any) -> dict[str, Samples]:
    """An instruction in every voice."""
    orders: list[Utterance] = []
    for language in ("zh", "en"):
        for voice in voices(language):
            like = next((clean.utterance for clean in cleans if clean.utterance.voice.id == voice.id), None)
            if like is not None:
                orders.append(say(INSTRUCTIONS[language][len(orders) % 3], like))
    return {head.utterance.voice.id: store().samples(head.take) for head in recorded(orders, engine)}


def _show(what: str, clean: Clean, verdict: Verdict) -> None:
    print(
        f"    {what} {clean.utterance.voice.id} '{clean.utterance.text}' heard '{verdict.heard}' {verdict.reasons} {dict(verdict.measures)}"
    )


if __name__ == "__main__":
    sys.exit(main())
