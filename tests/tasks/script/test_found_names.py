"""Names nobody listed, on sentences of our own."""

from __future__ import annotations

from tasks.script.found_names import FoundPerson, find_people


def found(text: str, known: dict[str, str] | None = None) -> dict[str, FoundPerson]:
    return find_people(text, known or {}, {})


def test_a_name_is_found_by_what_it_does() -> None:
    text = "杜衡推开门。杜衡说：“我来了。”杜衡笑了笑。“坐吧。”顾长青说道。"
    assert set(found(text)) == {"杜衡", "顾长青"}


def test_verbs_and_places_are_no_names() -> None:
    text = (
        "安静地坐着。连忙说道：“好。”于是问道：“谁？”向前走去，问道：“在哪？”高兴地说：“好。”方才说过。黄河说来就来。"
        * 3
    )
    assert found(text) == {}


def test_a_given_name_a_nickname_and_a_title_are_one_person() -> None:
    text = (
        "罗砚秋走进来，说：“早。”罗砚秋坐下。砚秋说：“开会。”砚秋看了看表。老罗问：“人呢？”老罗站起来。"
        "罗队长说：“散会。”罗队长走了。罗队长笑了。"
    )
    one = found(text)["罗砚秋"]
    assert set(one.aliases) == {"砚秋", "老罗", "罗队长"}
    assert "老罗: the only 罗 of the text" in one.evidence


def test_a_title_two_people_may_bear_stays_apart() -> None:
    text = "罗砚秋说：“早。”罗砚秋坐下。罗小梅说：“早。”罗小梅坐下。罗队长说：“散会。”罗队长走了。罗队长笑了。"
    people = found(text)
    assert people["罗队长"] == FoundPerson()
    assert people["罗砚秋"].aliases == ()


def test_pronouns_tell_the_gender() -> None:
    text = "杜衡说：“好。”杜衡站起来，她走了。杜衡笑了，她点点头。杜衡坐下，看着她的手。"
    assert found(text)["杜衡"].gender == "female"
    assert any("她" in why for why in found(text)["杜衡"].evidence)


def test_a_given_name_joins_the_cast() -> None:
    text = "砚秋说：“好。”砚秋站起来。砚秋笑了。"
    assert found(text, {"罗砚秋": "罗砚秋"})["罗砚秋"].aliases == ("砚秋",)


def test_hostile_text_ends() -> None:
    assert found("慢着慢着地" * 2000 + "杜衡" + "慢慢地" * 2000) == {}
