"""Trains the classifier of polyphones: ``python -m benchmarks.train_polyphones --data DIR --pinyin-pro DIR``.

``--data`` holds the labelled sets named by ``--sets`` in the forms of ``benchmarks.readings``; ``--pinyin-pro`` is as in
``benchmarks.compile_phrases``, for the readings that phrases know. Writes ``configs/lexicon/data/polyphones.z`` (see
``tasks/script/polyphones.py``). Needs ``pip install g2pM``: see ``taught_examples``. With ``--folds N`` nothing is written: N models
are trained, each without a share of the sentences, and what they say of that share is scored.

The shared layer is a conditional logit over all examples, fitted first; each character's own layer is then fitted with
the shared layer's scores as offsets and a ridge penalty, so that it says only what the evidence does not. The
temperature comes from held-out sentences.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize, minimize_scalar

from benchmarks.character_classes import classes
from benchmarks.compile_phrases import Sources, merge, polyphones, sources, usual_readings
from benchmarks.compile_phrases import characters as known_characters
from benchmarks.readings import load
from tasks.script import decide, phrases
from tasks.script.polyphones import SCALE, Evidence, Polyphones, company_of

_RIDGE = 0.5
_SHARED_RIDGE = 1.0
_LEAST_SEEN = 2
_MANY = 100
"""Characters with so many sentences of their own need no teacher."""
_TAUGHT_WEIGHT = 0.3
_TAUGHT_PER_READING = 100
_TAUGHT_SURE = 0.9


class Example(NamedTuple):
    char: str
    label: str
    evidence: Evidence
    seen: Sequence[str]
    weight: float


class Inventory(NamedTuple):
    """A character's candidates, its usual reading, and how often phrases read it so (logarithm of the share)."""

    readings: tuple[str, ...]
    usual: str
    known: frozenset[str]
    shares: Mapping[str, float]


def inventories(
    merged: Mapping[str, tuple[tuple[str, ...], str]], found: Sources, chars: Iterable[str]
) -> dict[str, Inventory]:
    book = phrases.shared()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for word, (syllables, _) in merged.items():
        weight = math.log1p(found.frequency.get(word, 0)) + 0.2
        for char, one in zip(word, syllables, strict=True):
            counts[char][one] += weight  # type: ignore[assignment]
    table = {}
    for char in {*counts, *chars}:
        of_phrases = counts[char]
        known, total = book.readings_of(char), sum(of_phrases.values()) + 1
        readings = tuple(dict.fromkeys((book.usual(char), *known, *of_phrases)))
        shares = {one: math.log((of_phrases[one] + 0.5) / total) for one in readings}
        table[char] = Inventory(readings, book.usual(char), frozenset(known), shares)
    return table


def examples(path: Path, company: Mapping[str, str]) -> list[Example]:
    """One example a labelled sentence. What the decision would settle without the classifier is left in."""
    book, rows = phrases.shared(), []
    for case in load(path):
        here = decide.scene(case.text)
        for number, piece in enumerate(here.pieces):
            if piece.start <= case.place < piece.start + len(piece.phones):
                evidence, seen, _ = decide.look(book, here, number, case.place - piece.start, company)
                rows.append(Example(here.text[case.place], case.accepted[0], evidence, seen, 1.0))
    return rows


def taught_examples(paths: Iterable[Path], chars: set[str], company: Mapping[str, str]) -> dict[str, list[Example]]:
    """What g2pM (Apache-2.0; trained on the training split of CPP) says, when sure, of the *other* polyphones in the
    sentences of ``paths``: lighter examples for ``chars``, which have few sentences of their own. At most
    ``_TAUGHT_PER_READING`` for a reading, since alone it leans to what is frequent."""
    from benchmarks.teacher import Teacher

    book, teacher = phrases.shared(), Teacher()
    places = {(case.text, case.place) for path in paths for case in load(path)}
    texts = sorted({text for text, _ in places})
    drawn: dict[str, list[Example]] = defaultdict(list)
    for text, opinions in zip(texts, teacher.opinions(texts), strict=True):
        wanted = {
            one.place: one
            for one in opinions
            if one.sure >= _TAUGHT_SURE and text[one.place] in chars and (text, one.place) not in places
        }
        if not wanted:
            continue
        here = decide.scene(text)
        for number, piece in enumerate(here.pieces):
            for offset in range(len(piece.phones)):
                told = wanted.get(piece.start + offset)
                if told is not None and here.text[told.place] == text[told.place]:
                    evidence, seen, _ = decide.look(book, here, number, offset, company)
                    drawn[text[told.place]].append(
                        Example(text[told.place], told.phones, evidence, seen, _TAUGHT_WEIGHT)
                    )
    table: dict[str, list[Example]] = {}
    for char, rows in sorted(drawn.items()):
        random.Random(0).shuffle(rows)
        taken: Counter[str] = Counter()
        table[char] = []
        for one in rows:
            taken[one.label] += 1
            if taken[one.label] <= _TAUGHT_PER_READING:
                table[char].append(one)
    return table


def _terms(one: Example, reading: str, about: Inventory) -> dict[str, float]:
    terms = dict.fromkeys(one.evidence.keys(reading, reading == about.usual, reading in about.known), 1.0)
    terms["prior"] = about.shares.get(reading, -9.0)
    return terms


def fit_shared(rows: Sequence[Example], table: Mapping[str, Inventory]) -> dict[str, float]:
    """The lower layer: one weight for every kind of evidence."""
    names: dict[str, int] = {}
    data: list[float] = []
    columns: list[int] = []
    pointers, starts, gold = [0], [0], []
    for one in rows:
        about = table[one.char]
        if one.label not in about.readings:
            continue
        for reading in about.readings:
            if reading == one.label:
                gold.append(len(pointers) - 1)
            for name, value in _terms(one, reading, about).items():
                columns.append(names.setdefault(name, len(names)))
                data.append(value)
            pointers.append(len(columns))
        starts.append(len(pointers) - 1)
    matrix = sparse.csr_matrix((data, columns, pointers), shape=(len(pointers) - 1, len(names)))
    first, right = np.array(starts[:-1]), np.array(gold)
    groups = np.repeat(np.arange(len(first)), np.diff(np.array(starts)))
    observed = np.asarray(matrix[right].sum(0)).ravel()

    def loss(weights: Any) -> tuple[float, Any]:
        scores = matrix @ weights
        raised = np.exp(scores - np.maximum.reduceat(scores, first)[groups])
        shares = raised / np.add.reduceat(raised, first)[groups]
        gradient = matrix.T @ shares - observed + _SHARED_RIDGE * weights
        return float(-np.log(shares[right]).sum() + 0.5 * _SHARED_RIDGE * weights @ weights), gradient

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return {name: round(float(found.x[place]), 4) for name, place in names.items()}


def _offsets(one: Example, readings: Sequence[str], about: Inventory, shared: Mapping[str, float]) -> list[float]:
    return [
        sum(shared.get(name, 0.0) * value for name, value in _terms(one, reading, about).items())
        for reading in readings
    ]


def fit_character(
    rows: Sequence[Example], readings: Sequence[str], about: Inventory, shared: Mapping[str, float]
) -> dict[str, Any]:
    """The upper layer of one character: for every feature a weight for each reading."""
    counts = Counter(name for one in rows for name in one.seen)
    names = {name: place for place, name in enumerate(sorted(k for k, n in counts.items() if n >= _LEAST_SEEN))}
    if not names:
        return {}
    columns: list[int] = []
    pointers = [0]
    for one in rows:
        columns.extend({names[name] for name in one.seen if name in names})
        pointers.append(len(columns))
    matrix = sparse.csr_matrix((np.ones(len(columns)), columns, pointers), shape=(len(rows), len(names)))
    turned = matrix.T.tocsr()
    labels = np.array([readings.index(one.label) for one in rows])
    offsets = np.array([_offsets(one, readings, about, shared) for one in rows])
    weight = np.array([one.weight for one in rows])
    target = np.zeros((len(rows), len(readings)))
    target[np.arange(len(rows)), labels] = 1

    def loss(flat: Any) -> tuple[float, Any]:
        scores = matrix @ flat.reshape(len(names), len(readings)) + offsets
        scores -= scores.max(1, keepdims=True)
        raised = np.exp(scores)
        shares = raised / raised.sum(1, keepdims=True)
        told = np.log(np.maximum(shares[np.arange(len(rows)), labels], 1e-30))
        gradient = turned @ ((shares - target) * weight[:, None]) + _RIDGE * flat.reshape(len(names), len(readings))
        return float(-(weight * told).sum() + 0.5 * _RIDGE * flat @ flat), gradient.ravel()

    start = np.zeros(len(names) * len(readings))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60})
    weights = np.clip(np.rint(found.x.reshape(len(names), len(readings)) * SCALE), -127, 127).astype(np.int8)
    return {name: weights[place] for name, place in names.items() if weights[place].any()}


def train(
    rows: Sequence[Example],
    taught: Mapping[str, Sequence[Example]],
    table: Mapping[str, Inventory],
    chars: Iterable[str],
    temperature: float,
    groups: Sequence[str],
) -> bytes:
    """The packed model, as ``tasks.script.polyphones`` reads it."""
    shared = fit_shared(rows, table)
    by_char: dict[str, list[Example]] = defaultdict(list)
    for one in rows:
        by_char[one.char].append(one)
    head: dict[str, list[Any]] = {}
    blocks: list[str] = []
    numbers = bytearray()
    for char in sorted({*chars, *by_char}):
        about = table[char]
        own = by_char.get(char, [])
        readings = tuple(dict.fromkeys((*about.readings, *(one.label for one in own))))
        weights: dict[str, Any] = {}
        if own:
            more = [one for one in taught.get(char, ()) if one.label in readings]
            weights = fit_character([*own, *more], readings, about, shared)
        priors = [round(shared.get("prior", 0.0) * about.shares.get(one, -9.0), 3) for one in readings]
        place = [len(blocks), len(numbers), len(weights)] if weights else [0, 0, 0]
        head[char] = [readings, about.usual, sorted(about.known), priors, *place]
        if weights:
            blocks.append("\n".join(weights))
            numbers += b"".join(one.tobytes() for one in weights.values())
    model = {"shared": shared, "temperature": temperature, "company": list(groups), "characters": head}
    parts = [json.dumps(model, ensure_ascii=False, separators=(",", ":")).encode(), "\0".join(blocks).encode()]
    return zlib.compress(b"\0\0\0".join([*parts, bytes(numbers)]), 9)


class Answer(NamedTuple):
    char: str
    label: str
    ways: Sequence[tuple[str, float]]


def answers(model: Polyphones, rows: Iterable[Example]) -> list[Answer]:
    return [
        Answer(one.char, one.label, decide.settle(one.evidence, model.judge(one.char, one.evidence, one.seen)))
        for one in rows
    ]


def temperature(found: Sequence[Answer]) -> float:
    """The power to raise probabilities to so that held-out sentences are likeliest."""
    logs = [[(math.log(max(share, 1e-9)), reading == one.label) for reading, share in one.ways] for one in found]

    def loss(power: float) -> float:
        total = 0.0
        for row in logs:
            right = next((value for value, good in row if good), None)
            if right is not None:
                total += math.log(sum(math.exp(power * value) for value, _ in row)) - power * right
        return total

    return round(float(minimize_scalar(loss, bounds=(0.2, 2.0), method="bounded").x), 3)


def figures(found: Sequence[Answer]) -> str:
    pairs: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in found:
        pairs[one.char, one.label].append(one.ways[0][0] == one.label)
    right = [good for row in pairs.values() for good in row]
    sure = [one.ways[0][0] == one.label for one in found if one.ways[0][1] >= 0.95]
    return (
        f"{len(found):6} sentences {100 * statistics.fmean(right):6.2f} %, pairs "
        f"{100 * statistics.fmean(map(statistics.fmean, pairs.values())):6.2f} %, "
        f"{100 * len(sure) / len(found):.1f} % are called sure and {100 * statistics.fmean(sure):.2f} % of these are right"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.train_polyphones", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of labelled sets")
    parser.add_argument("--pinyin-pro", type=Path, required=True, help="folder json/ of @pinyin-pro/data 1.3.1")
    parser.add_argument("--sets", nargs="+", default=["g2pl_train", "cpp_dev"], help="the sets to train on")
    parser.add_argument("--folds", type=int, default=0, help="score by cross-validation instead of writing")
    parser.add_argument("--temperature", type=float, default=1.0, help="as cross-validation printed it")
    parser.add_argument("--errors", type=Path, help="with --folds: write what went wrong to this file")
    options = parser.parse_args(arguments)
    found = sources(options.pinyin_pro)
    usual = usual_readings(known_characters())
    merged = merge(found, usual)
    chars = polyphones(merged, found.frequency)
    paths = [options.data / f"{name}.sent" for name in options.sets]
    frequency = {word: found.frequency.get(word, 0.0) for word in merged}
    groups = classes(frequency, [case.text for path in paths for case in load(path)])
    company = company_of(groups)
    sets = {path.stem: examples(path, company) for path in paths}
    trained = {one.char for rows in sets.values() for one in rows}
    table = inventories(merged, found, trained)
    chars |= trained
    many = Counter(one.char for rows in sets.values() for one in rows)
    few = {char for char, count in many.items() if count < _MANY}
    taught = taught_examples(paths, few, company)
    everything = [one for rows in sets.values() for one in rows]
    if options.folds:
        shuffled = random.Random(0)
        fold = {id(one): shuffled.randrange(options.folds) for one in everything}
        held: dict[str, list[Answer]] = defaultdict(list)
        wrong = []
        for number in range(options.folds):
            rows = [one for one in everything if fold[id(one)] != number]
            model = Polyphones(train(rows, taught, table, chars, options.temperature, groups))
            for name, of_set in sets.items():
                tested = [one for one in of_set if fold[id(one)] == number]
                told = answers(model, tested)
                held[name] += told
                for one, answer in zip(tested, told, strict=True):
                    if answer.ways[0][0] != one.label:
                        ways = " ".join(f"{reading} {share:.2f}" for reading, share in answer.ways[:3])
                        sides = {name[0]: name[1:] for name in one.seen if name[0] in "ef"}
                        context = f"{sides['e']}[{one.char}]{sides['f']}"
                        wrong.append(f"{name}\t{one.char}\t{one.label}\t{ways}\t{one.evidence}\t{context}")
        for name, told in held.items():
            print(f"{name:12} {figures(told)}")
        print(f"temperature {temperature([one for told in held.values() for one in told])}")
        if options.errors:
            options.errors.write_text("\n".join(sorted(wrong)) + "\n", encoding="utf-8")
        return 0
    blob = train(everything, taught, table, chars, options.temperature, groups)
    (phrases.DATA / "polyphones.z").write_bytes(blob)
    print(f"{len(chars)} characters, {len(trained)} with a layer of their own, {len(blob)} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
