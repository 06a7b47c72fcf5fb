"""English names nobody listed, on sentences of our own."""

from __future__ import annotations

from tasks.script.found_names_en import find_people_en


def test_forms_of_one_person_are_joined_under_the_commonest() -> None:
    text = '"Yes," said Amos. Amos rubbed his hands. "No," said Amos Bell. Amos shook his head.'
    assert find_people_en(text, {}) == [
        (
            "Amos", ("Amos Bell",), "male",
            ("Amos Bell: the only Amos of the text", "2 of 2 pronouns that follow are male"),
        )
    ]  # fmt: skip


def test_a_first_name_two_people_have_stays_apart() -> None:
    text = '"Yes," said Amos. "No," said Amos Bell. "Well," said Amos Reed.'
    assert {name: aliases for name, aliases, _, _ in find_people_en(text, {})} == {
        "Amos": (), "Amos Bell": (), "Amos Reed": (),
    }  # fmt: skip


def test_the_cast_keeps_its_name() -> None:
    assert find_people_en('"No," said Amos Bell.', {"Amos": "Amos"})[0][:2] == ("Amos", ("Amos Bell",))
