"""Compiles the phrase dictionary: ``python -m benchmarks.compile_phrases --pinyin-pro DIR``.

Merges what pypinyin, pypinyin-dict (large_pinyin) and the folder ``json/`` of the npm package @pinyin-pro/data say
(``npm pack @pinyin-pro/data@1.3.1``) and writes ``configs/lexicon/data/phrases.z``, read by ``tasks/script/phrases.py``.

Where sources differ, every syllable is put to the vote: pypinyin and pinyin-pro's list of modern words have two votes
each, the two large lists one. An entry stays if it tells something: it reads otherwise than its parts would, or it
holds a polyphone and is common enough to keep neighbours from being joined wrongly. Entries are graded by how well
founded they are (``tasks.script.phrases.GRADES``).
"""

from __future__ import annotations

import argparse
import importlib
import json
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from common.places import CONFIGS
from tasks.script.lexicon import load_lexicon
from tasks.script.phrases import CODES, DATA, VOWELLESS, is_han
from tasks.script.pinyin import to_digits

_VOTES = {"pypinyin": 2.1, "modern": 2.0, "complete": 1.0, "large": 1.0}
_PER_TRILLION = 1e12
_LONGEST = 4
_COMMON = {2: 3.0, 3: 30.0}
"""Occurrences in a trillion words from which an entry that tells nothing by itself still marks a word's borders."""

Syllables = tuple[str, ...]


class Sources(NamedTuple):
    """Phrases by source, occurrences in a trillion words, and the simplified form of traditional characters."""

    phrases: Mapping[str, Mapping[str, Syllables]]
    frequency: Mapping[str, float]
    simplified: Mapping[str, str]


def sources(pinyin_pro: Path) -> Sources:
    from pypinyin.phrases_dict import phrases_dict

    def of_pypinyin(table: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, Syllables]:
        return dict(_checked((word, [one[0] for one in marked]) for word, marked in table.items()))

    large: dict[str, list[list[str]]] = {}
    for number in range(11):
        module = importlib.import_module(f"pypinyin_dict.phrase_pinyin_data.large_pinyin_{number}")
        large.update(module.phrases_dict)
    complete = json.loads((pinyin_pro / "complete.json").read_text(encoding="utf-8"))
    modern = json.loads((pinyin_pro / "modern.json").read_text(encoding="utf-8"))
    return Sources(
        {
            "pypinyin": of_pypinyin(phrases_dict),
            "modern": dict(_checked((word, one[0].split()) for word, one in modern.items())),
            "complete": dict(_checked((word, one[0].split()) for word, one in complete.items())),
            "large": of_pypinyin(large),
        },
        {word: one[1] * _PER_TRILLION for word, one in complete.items()},
        json.loads((pinyin_pro / "traditional.json").read_text(encoding="utf-8")),
    )


def _checked(rows: Iterator[tuple[str, Sequence[str]]]) -> Iterator[tuple[str, Syllables]]:
    for word, marked in rows:
        if len(word) < 2 or len(word) != len(marked) or not all(map(is_han, word)):
            continue
        digits = [
            {"一": "yi1", "不": "bu4"}.get(char) or VOWELLESS.get(char) or to_digits(one)
            for char, one in zip(word, marked, strict=True)
        ]
        good = tuple(one for one in digits if one)
        if len(good) == len(word):
            yield word, good


def characters() -> dict[str, list[str]]:
    """Every character's readings, the usual one first."""
    from pypinyin.pinyin_dict import pinyin_dict

    found = {}
    for code, marked in pinyin_dict.items():
        char = chr(code)
        digits = [to_digits(one) for one in marked.split(",")]
        good = list(dict.fromkeys(one for one in digits if one))
        if char in VOWELLESS:
            good = [VOWELLESS[char]]
        if good and is_han(char):
            found[char] = good
    return found


def usual_readings(known: Mapping[str, list[str]]) -> dict[str, str]:
    """Every character's usual reading, as the house lexicon sees it."""
    house = {one.word: one.phones for one in load_lexicon(CONFIGS / "lexicon" / "house.yaml")}
    return {char: house.get(char, readings[0]) for char, readings in known.items()}


def merge(found: Sources, usual: Mapping[str, str]) -> dict[str, tuple[Syllables, str]]:
    """One reading and a grade for every phrase of any source."""
    merged = {}
    for word in sorted(set().union(*found.phrases.values())):
        given = {name: table[word] for name, table in found.phrases.items() if word in table}
        best = []
        for place, char in enumerate(word):
            votes: Counter[str] = Counter()
            for name, syllables in given.items():
                votes[syllables[place]] += _VOTES[name]  # type: ignore[assignment]
            best.append(max(votes, key=lambda one: (votes[one], one == usual.get(char))))
        agreed = [name for name, syllables in given.items() if syllables == tuple(best)]
        trusted = "pypinyin" in agreed or "modern" in agreed
        if len(agreed) < len(given):
            grade = "d"
        elif len(agreed) >= 2:
            grade = "a" if trusted else "b"
        else:
            grade = "a" if agreed == ["pypinyin"] else "c"
        merged[word] = (tuple(best), grade)
    return merged


def prune(
    merged: Mapping[str, tuple[Syllables, str]], frequency: Mapping[str, float], usual: Mapping[str, str]
) -> dict[str, tuple[Syllables, str]]:
    """The entries that tell something, shorter ones first."""
    wanted = polyphones(merged, frequency)
    kept: dict[str, tuple[Syllables, str]] = {}
    lengths: dict[str, set[int]] = defaultdict(set)

    def parsed(text: str) -> Syllables:
        place = 0
        syllables: list[str] = []
        while place < len(text):
            for length in sorted(lengths.get(text[place : place + 2], ()), reverse=True):
                if text[place : place + length] in kept:
                    syllables += kept[text[place : place + length]][0]
                    place += length
                    break
            else:
                syllables.append(usual.get(text[place], ""))
                place += 1
        return tuple(syllables)

    for word in sorted(merged, key=lambda one: (len(one), one)):
        syllables, grade = merged[word]
        if parsed(word) == syllables and (
            wanted.isdisjoint(word)
            or len(word) > _LONGEST
            or (len(word) == _LONGEST and grade not in "ab")
            or (len(word) == 3 and frequency.get(word, 0) < _COMMON[3])
            or (len(word) == 2 and frequency.get(word, 0) < _COMMON[2] and grade != "a")
        ):
            continue
        kept[word] = (syllables, grade)
        lengths[word[:2]].add(len(word))
    return kept


def polyphones(merged: Mapping[str, tuple[Syllables, str]], frequency: Mapping[str, float]) -> set[str]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for word, (syllables, _) in merged.items():
        for char, one in zip(word, syllables, strict=True):
            counts[char][one] += min(1 + frequency.get(word, 0) / 10, 50)  # type: ignore[assignment]
    return {char for char, found in counts.items() if sum(found.values()) - max(found.values()) >= 2}


def dump(
    known: Mapping[str, list[str]], kept: Mapping[str, tuple[Syllables, str]], simplified: Mapping[str, str]
) -> bytes:
    """The file's bytes: five parts between NUL characters, see ``tasks.script.phrases``."""
    more: dict[str, list[str]] = {char: list(readings) for char, readings in known.items()}
    words, codes = sorted(kept), []
    for word in words:
        syllables, grade = kept[word]
        places = []
        for char, one in zip(word, syllables, strict=True):
            readings = more.setdefault(char, [])
            if one not in readings:
                readings.append(one)
            places.append(CODES[readings.index(one)])
        codes.append(grade + ("" if set(places) == {"0"} else "".join(places)))
    rows = []
    for char in sorted(more):
        extra = more[char][len(known.get(char, ())) :]
        rows.append(char + ",".join(more[char][: len(known.get(char, ()))]) + ("|" + ",".join(extra) if extra else ""))
    pairs = [(one, other) for one, other in sorted(simplified.items()) if len(one) == len(other) == 1]
    parts = ["\n".join(rows), "\n".join(words), "\n".join(codes)]
    parts += ["".join(one for one, _ in pairs), "".join(other for _, other in pairs)]
    return zlib.compress("\0".join(parts).encode("utf-8"), 9)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compile_phrases", description=__doc__)
    parser.add_argument("--pinyin-pro", type=Path, required=True, help="folder json/ of @pinyin-pro/data 1.3.1")
    options = parser.parse_args(arguments)
    known, found = characters(), sources(options.pinyin_pro)
    for char in list(known):
        composed = unicodedata.normalize("NFC", char)
        if composed != char and composed in known:
            known[char] = known[composed]
    usual = usual_readings(known)
    kept = prune(merge(found, usual), found.frequency, usual)
    blob = dump(known, kept, found.simplified)
    DATA.mkdir(parents=True, exist_ok=True)
    (DATA / "phrases.z").write_bytes(blob)
    print(f"{len(known)} characters, {len(kept)} phrases, {len(blob)} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
