"""How often the right person speaks: ``python -m benchmarks.speakers --data DIR [--json]``.

``DIR`` holds ``*.jsonl`` (sentences, quote_index, speaker, category; the files named wp2021_* if there are any) and
``name_list.txt`` (1 or 0 for male or female, name, aliases). The gold list of names is the cast. Each instance is one
text of its own, run through the same functions as a book. Prints the share of right speakers overall, by category and
by rule, how honest the confidence is, and the score when the names are found by ourselves. With ``--json`` the last line
is one object; ``all``, ``explicit``, ``implicit``, ``latent`` are per cent.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.domain import Cast, Role
from tasks.script.attribute import SURE, Attribution, attribute
from tasks.script.names import Names
from tasks.script.quotes import find


@dataclass(frozen=True, slots=True)
class Case:
    """A quotation in its sentences; ``speaker`` is canonical."""

    sentences: tuple[str, ...]
    at: int
    speaker: str
    category: str


def cast_of(folder: Path) -> Cast:
    """The gold list of names as a cast."""
    roles = []
    for line in (folder / "name_list.txt").read_text(encoding="utf-8-sig").splitlines():
        if fields := line.split():
            roles.append(Role(fields[1], aliases=tuple(fields[2:]), gender="male" if fields[0] == "1" else "female"))
    return Cast(Role("narrator"), tuple(roles))


def cases_of(folder: Path, cast: Cast) -> list[Case]:
    """The instances of a folder, in order of file and line."""
    canonical = {word: role.name for role in cast.characters for word in (role.name, *role.aliases)}
    out = []
    for path in sorted(folder.glob("wp2021_*.jsonl")) or sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                row = json.loads(line)
                out.append(Case(
                    tuple(row["sentences"]), row["quote_index"], canonical.get(row["speaker"], row["speaker"]),
                    row.get("category", ""),
                ))  # fmt: skip
    return out


def run(case: Case, names: Names) -> Attribution | None:
    """What a book would get for the quotation of a case."""
    made = attribute(case.sentences, find(case.sentences), names)[case.at]
    return next((one for one in made if one is not None), None)


def shares(cases: Sequence[Case], found: Sequence[Attribution | None]) -> dict[str, tuple[int, int]]:
    """Right and all: overall, by category and by rule."""
    table: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for case, one in zip(cases, found, strict=True):
        right = one is not None and one.speaker == case.speaker
        for group in ("all", case.category, f"rule {one.rule if one else 'no quotation'}"):
            table[group][0] += right
            table[group][1] += 1
    return {group: (right, total) for group, (right, total) in table.items()}


def calibration(pairs: Sequence[tuple[float, bool]]) -> tuple[list[tuple[float, float, int]], float]:
    """Ten bins as (mean confidence, share right, number), and the expected calibration error."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(10)]
    for confidence, right in pairs:
        bins[min(9, int(confidence * 10))].append((confidence, right))
    rows = [
        (sum(c for c, _ in one) / len(one), sum(r for _, r in one) / len(one), len(one)) for one in bins if one
    ]  # fmt: skip
    return rows, sum(abs(c - r) * n for c, r, n in rows) / max(1, len(pairs))


def report(cases: Sequence[Case], found: Sequence[Attribution | None], sure: float = SURE) -> dict[str, Any]:
    """Everything of one run, ready to print."""
    table = shares(cases, found)
    pairs = [
        (one.confidence if one else 0.0, one is not None and one.speaker == case.speaker)
        for case, one in zip(cases, found, strict=True)
    ]
    bins, error = calibration(pairs)
    certain = [right for confidence, right in pairs if confidence >= sure]
    return {
        **{group: round(100 * table[group][0] / table[group][1], 2) for group in table if not group.startswith("rule ")},
        "rules": {
            group[5:]: [table[group][0], table[group][1]] for group in sorted(table) if group.startswith("rule ")
        },
        "calibration": [[round(c, 3), round(r, 3), n] for c, r, n in bins],
        "calibration_error": round(error, 4),
        "sure_share": round(100 * len(certain) / max(1, len(pairs)), 2),
        "sure_right": round(100 * sum(certain) / max(1, len(certain)), 2),
    }  # fmt: skip


def speakers(folder: Path) -> dict[str, Any]:
    """The report with the gold names, and ``found_names_all``: the score with those we find in the text ourselves."""
    cast = cast_of(folder)
    cases = cases_of(folder, cast)
    names = Names(cast, "", "zh")
    result = report(cases, [run(case, names) for case in cases])
    canonical = {word: role.name for role in cast.characters for word in (role.name, *role.aliases)}
    text = "\n".join(dict.fromkeys(sentence for case in cases for sentence in case.sentences))
    own = Names(Cast(Role("narrator")), text, "zh")
    made = [run(case, own) for case in cases]
    right = sum(
        one is not None and canonical.get(one.speaker, one.speaker) == case.speaker
        for case, one in zip(cases, made, strict=True)
    )
    return {**result, "found_names_all": round(100 * right / max(1, len(cases)), 2)}


def show(result: dict[str, Any]) -> None:
    """Print a report as tables."""
    for group in ("all", "explicit", "implicit", "latent", "found_names_all"):
        if group in result:
            print(f"{group:<24}{result[group]:6.2f} %")
    print("\nby rule                  right    all")
    for rule, (right, total) in result["rules"].items():
        print(f"  {rule:<22}{right:6} {total:6}  {right / total:6.1%}")
    print("\nconfidence  right  number")
    for confidence, right, number in result["calibration"]:
        print(f"  {confidence:8.3f}  {right:5.3f} {number:7}")
    print(f"expected calibration error {result['calibration_error']:.4f}")
    print(f"sure: {result['sure_share']:.1f} % of the quotations, {result['sure_right']:.1f} % of them right")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with wp2021_*.jsonl and name_list.txt")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args()
    result = speakers(options.data)
    if options.json:
        print(json.dumps(result, ensure_ascii=False))
    else:
        show(result)


if __name__ == "__main__":
    main()
