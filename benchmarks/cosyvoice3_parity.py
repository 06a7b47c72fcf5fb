"""Whether our CosyVoice3 computes what the model's authors compute.

``python -m benchmarks.cosyvoice3_parity DIR`` runs every case of a fixture folder (``tiny-model/`` and ``golden/``; any
sizes, rates and texts) through every stage, each from the golden input of that stage, alone and all cases in one batch.
It prints for each stage the worst error, its limit and the case, and exits 1 where a limit is passed. The golden
streaming case is left out: a press has no use for streaming, and the engine has none.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from benchmarks.parity.fixture import Fixture, Result
from common.errors import VoicepressError

ROOMS = ("audio_stages", "lm_stages", "flow_stages")


def results(fixture: Fixture, rooms: Sequence[str] = ROOMS) -> Iterable[Result]:
    for room in rooms:
        yield from import_module(f"benchmarks.parity.{room}").stages(fixture)


def worst_of(found: Iterable[Result]) -> list[Result]:
    """Of each stage the result that is furthest from or beyond its limit, stages in order of appearance."""
    by_stage: dict[str, Result] = {}
    for one in found:
        held = by_stage.get(one.stage)
        if held is None or (held.passed, -held.error) > (one.passed, -one.error):
            by_stage[one.stage] = one
    return list(by_stage.values())


def table(rows: Sequence[Result]) -> str:
    width = max((len(row.stage) for row in rows), default=5)
    lines = [f"{'stage':{width}}  {'worst error':>11}  {'limit':>8}         case"]
    for row in rows:
        verdict = "ok" if row.passed else "FAIL"
        lines.append(f"{row.stage:{width}}  {row.error:>11.3g}  {row.limit:>8.3g}  {verdict:4}  {row.case}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="holds tiny-model/ and golden/")
    parser.add_argument("--only", choices=ROOMS, action="append", help="these stages alone")
    asked = parser.parse_args(arguments)
    started = time.perf_counter()
    try:
        fixture = Fixture(asked.folder)
        found = list(results(fixture, asked.only or ROOMS))
    except VoicepressError as error:
        print(error.render(), file=sys.stderr)
        return error.exit_code
    failed = sum(not one.passed for one in found)
    print(table(worst_of(found)))
    print(
        f"{len(found)} comparisons over {len(fixture.cases)} cases in {time.perf_counter() - started:.1f} s: "
        + (f"{failed} beyond the limit" if failed else "all within the limits")
    )
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
