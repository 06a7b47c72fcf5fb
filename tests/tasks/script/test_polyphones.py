"""The classifier reads its own file, is deterministic, and its data are those that the notice names."""

from __future__ import annotations

import hashlib

import pytest

from tasks.script import decide, polyphones
from tasks.script.phrases import DATA
from tasks.script.polyphones import PAD, Evidence, features


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


@pytest.mark.parametrize(
    ("text", "place", "reading"),
    [
        ("孩子都长这么大了。", 3, "zhang3"),
        ("绳子太长了。", 3, "chang2"),
        ("他把书还给我。", 3, "huan2"),
        ("他还没来。", 1, "hai2"),
    ],
)
def test_the_sentence_around_decides_where_no_phrase_does(text: str, place: int, reading: str) -> None:
    (found,) = [one for one in decide.decide(text) if one.place == place]
    assert found.phones == reading
    assert found.confidence > 0.9


def test_no_name_of_a_feature_holds_the_sign_that_parts_names_in_the_file() -> None:
    edge = polyphones.EDGE * PAD
    found = features(edge + "重" + edge, PAD, ("", "重", "", 0), Evidence("zhong4", "s1"), {})
    assert not any("\n" in name or "\0" in name for name in found)
    model = polyphones.shared()
    for char in "重长得了行":
        weights = model.character(char).weights
        assert weights
        assert {len(row) for row in weights.values()} == {len(model.character(char).readings)}
    assert "a" + polyphones.EDGE in model.character("重").weights  # at the beginning of a text


def test_characters_in_like_company_share_a_class() -> None:
    company = polyphones.shared().company
    assert company["李"] == company["吴"] != company["跑"]
