"""The classifier reads its own file, is deterministic, and its data are those that the notice names."""

from __future__ import annotations

import hashlib

from tasks.script import polyphones
from tasks.script.phrases import DATA
from tasks.script.polyphones import PAD, Evidence, Polyphones, features


def test_the_data_are_those_of_the_notice() -> None:
    notice = (DATA / "NOTICE.md").read_text(encoding="utf-8")
    for name in ("phrases.z", "polyphones.z"):
        assert f"{hashlib.sha256((DATA / name).read_bytes()).hexdigest()}  {name}" in notice


def test_probabilities_sum_to_one_and_come_in_order() -> None:
    model = polyphones.shared()
    ways = model.judge("行", Evidence("xing2", "s1"), ())
    assert abs(sum(share for _, share in ways) - 1) < 1e-9
    assert ways == sorted(ways, key=lambda one: -one[1])
    assert {"xing2", "hang2"} <= dict(ways).keys()


def test_the_sentence_around_decides() -> None:
    assert _share("银行里", 1, "hang2") > 3 * _share("他行走", 1, "hang2")
    assert _share("看着办", 1, "zhe5") > _share("用着了", 1, "zhe5")


def _share(text: str, place: int, reading: str) -> float:
    padded = "\n" * PAD + text + "\n" * PAD
    evidence = Evidence({"着": "zhe5", "行": "xing2"}[text[place]], "s1")
    words = (text[place - 1], text[place], text[place + 1], 0)
    return dict(polyphones.shared().judge(text[place], evidence, features(padded, place + PAD, words, evidence)))[
        reading
    ]


def test_two_loads_say_the_same() -> None:
    packed = (DATA / "polyphones.z").read_bytes()
    seen = ["a吃", "b饭", "B"]
    evidence = Evidence("zhe5", "s1")
    assert Polyphones(packed).judge("着", evidence, seen) == polyphones.shared().judge("着", evidence, seen)
