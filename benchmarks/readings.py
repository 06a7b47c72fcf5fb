"""Accuracy and speed of the readings: ``python -m benchmarks.readings --data DIR [--json]``.

``DIR`` holds labelled sets of two forms: ``NAME.sent`` with ``NAME.lb`` (one sentence a line, the character in question
between U+2581 marks; its pinyin on the same line, ``u:`` for ü, 5 for neutral), and ``NAME.jsonl`` with ``text``,
``index`` and the list of accepted readings ``pinyin``. Lines that a ``cpp_dev_notes.tsv`` calls no polyphone are left
out of that set. Scored is the exact syllable with tone: per sentence, as the mean over characters, and as the mean over
pairs of character and reading, which exposes a bias to the majority reading. Beside ours stand the
packages that are installed (``pip install g2pM pypinyin-dict`` for all of them).
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tasks.script.pinyin import to_digits
from tasks.script.readings import Reader

_MARK = "\u2581"


class Case(NamedTuple):
    """A sentence, the place of the character in question, and its accepted readings."""

    text: str
    place: int
    accepted: tuple[str, ...]


Read = Callable[[str, int], str]
"""``(text, place) -> syllable`` of one system."""


def load(path: Path, *, notes: bool = True) -> list[Case]:
    """The cases of one set (``.sent`` or ``.jsonl``); without ``notes`` as first labelled, with nothing left out."""
    return list(_jsonl(path) if path.suffix == ".jsonl" else _marked(path, notes))


def _jsonl(path: Path) -> Iterator[Case]:
    for row in path.read_text(encoding="utf-8").splitlines():
        one = json.loads(row)
        yield Case(one["text"], one["index"], tuple(one["pinyin"]))


def _marked(path: Path, notes: bool) -> Iterator[Case]:
    table = path.with_name(f"{path.stem}_notes.tsv")
    corrected: dict[int, str] = {}
    dropped: set[int] = set()
    if notes and table.is_file():
        for row in table.read_text(encoding="utf-8").splitlines()[1:]:
            where, _, label, note = row.split("\t")
            if note == "not-a-polyphone":
                dropped.add(int(where))
            else:
                corrected[int(where)] = label
    sentences = path.read_text(encoding="utf-8").splitlines()
    labels = path.with_suffix(".lb").read_text(encoding="utf-8").splitlines()
    for number, (sentence, label) in enumerate(zip(sentences, labels, strict=True), 1):
        if number not in dropped:
            place = sentence.index(_MARK)
            yield Case(sentence.replace(_MARK, ""), place, (corrected.get(number, label).replace("u:", "v"),))


def ours() -> Read:
    reader = Reader()
    return lambda text, place: next((one.phones for one in reader.read(text, "zh") if one.start == place), "")


def bare_pypinyin() -> Read:
    from pypinyin import Style, pinyin

    def read(text: str, place: int) -> str:
        # One entry for each character, also for those that have no reading.
        found: list[list[str]] = pinyin(text, style=Style.TONE, errors=_one_by_one)
        return to_digits(found[place][0]) or ""

    return read


def _one_by_one(others: str) -> Any:
    return list(others)


def segmented_pypinyin() -> Read:
    """pypinyin over the words that jieba finds."""
    import jieba
    from pypinyin import Style, lazy_pinyin

    jieba.setLogLevel(40)

    def read(text: str, place: int) -> str:
        at = 0
        for word in jieba.cut(text):
            if at <= place < at + len(word):
                found: list[str] = lazy_pinyin([word], style=Style.TONE, errors=_one_by_one)
                return to_digits(found[place - at]) or ""
            at += len(word)
        return ""

    return read


def g2pm() -> Read:
    from g2pM import G2pM

    model = G2pM()

    def read(text: str, place: int) -> str:
        found: list[str] = model(text, tone=True, char_split=True)
        return found[place].replace("u:", "v") if len(found) == len(text) else ""

    return read


def large_pypinyin() -> Read:
    """pypinyin with the phrases of pypinyin-dict's large_pinyin; for good, so it comes last."""
    from pypinyin_dict.phrase_pinyin_data import large_pinyin

    large_pinyin.load()
    return bare_pypinyin()


def packages() -> Iterator[tuple[str, Read]]:
    """The other systems of this machine, one after the other; one that is not installed is passed over and named."""
    makers = {
        "pypinyin": bare_pypinyin,
        "pypinyin over jieba": segmented_pypinyin,
        "g2pM": g2pm,
        "pypinyin + large_pinyin": large_pypinyin,
    }
    for name, make in makers.items():
        try:
            yield name, make()
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)


class Score(NamedTuple):
    sentences: float
    by_character: float
    by_pair: float
    characters_per_second: float


def score(cases: Sequence[Case], read: Read) -> Score:
    """Percentages, and characters read per second of wall time."""
    by_character: dict[str, list[bool]] = defaultdict(list)
    by_pair: dict[tuple[str, str], list[bool]] = defaultdict(list)
    read(cases[0].text, cases[0].place)
    began = time.perf_counter()
    answers = [read(case.text, case.place) for case in cases]
    seconds = time.perf_counter() - began
    right = [answer in case.accepted for case, answer in zip(cases, answers, strict=True)]
    for case, good in zip(cases, right, strict=True):
        char = case.text[case.place]
        by_character[char].append(good)
        by_pair[char, case.accepted[0]].append(good)
    return Score(
        100 * statistics.fmean(right),
        100 * statistics.fmean(statistics.fmean(one) for one in by_character.values()),
        100 * statistics.fmean(statistics.fmean(one) for one in by_pair.values()),
        sum(len(case.text) for case in cases) / seconds,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.readings", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of labelled sets")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    sets = sorted([*options.data.glob("*.sent"), *options.data.glob("*.jsonl")])
    if not sets:
        print(f"no .sent or .jsonl files in {options.data}", file=sys.stderr)
        return 2
    table = []
    for name, read in itertools.chain([("voicepress", ours())], packages()):
        for path in sets:
            cases = load(path)
            table.append({"set": path.stem, "cases": len(cases), "system": name, **score(cases, read)._asdict()})
    if options.json:
        print(json.dumps(table, ensure_ascii=False, indent=1))
        return 0
    print(f"{'set':18} {'cases':>6}  {'system':24} {'sentences':>9} {'characters':>10} {'pairs':>6} {'chars/s':>9}")
    for row in table:
        print(
            f"{row['set']:18} {row['cases']:6}  {row['system']:24} {row['sentences']:9.2f} {row['by_character']:10.2f} "
            f"{row['by_pair']:6.2f} {row['characters_per_second']:9,.0f}"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
