"""Entries written into a file that a person keeps: nothing else in it moves."""

from pathlib import Path

import pytest
import yaml

from common.errors import VoicepressError
from tasks.script.lexicon_edit import EMPTY, with_entry, with_key

HERE = Path("lexicon.yaml")
KEPT = """\
# mine
schema: 1

entries:
  # people
  单雄信: shan4 xiong2 xin4   # of the ballads
  GPU: {spoken: 显卡}
  长:
    - {phones: zhang3, before: 队}
    # the river
    - {phones: chang2, after: 江}

# the end
"""


def test_a_new_entry_stands_after_the_last_one_and_all_else_stays() -> None:
    new = with_entry(KEPT, "重庆", {"phones": "chong2 qing4"}, HERE)
    assert new == KEPT.replace("after: 江}\n", "after: 江}\n  重庆: chong2 qing4\n")


def test_a_known_word_is_changed_in_its_place_and_keeps_its_comment() -> None:
    new = with_entry(KEPT, "单雄信", {"phones": "dan1 xiong2 xin4"}, HERE)
    assert new == KEPT.replace("shan4 xiong2 xin4   #", "dan1 xiong2 xin4   #")
    assert with_entry(KEPT, "GPU", {"spoken": "图形,卡"}, HERE) == KEPT.replace("显卡", '"图形,卡"')


@pytest.mark.parametrize(
    "text",
    ["", "# only a comment\n", "schema: 1\n", "schema: 1\nentries:\n", "entries: {}\n", "entries: {甲: jia3}", "entries:\n    甲: jia3",
     "entries:\r\n  甲: jia3\r\n"],
)  # fmt: skip
def test_every_form_of_file_takes_an_entry(text: str) -> None:
    new = with_entry(text, "No", {"phones": "N OW1"}, HERE)
    assert yaml.safe_load(new)["entries"]["No"] == "N OW1"
    assert ("甲" in new) == ("甲" in text)
    assert new.startswith("# only" if text.startswith("# only") else EMPTY[:8] if not text else text[:7])
    assert ("\r\n" in new) == ("\r\n" in text)
    assert new.count("\r\n") == (new.count("\n") if "\r" in text else 0)


@pytest.mark.parametrize(("word", "value"), [("长", {"phones": "chang2"}), ("GPU", {"phones": "G IY1"})])
def test_an_entry_that_says_more_is_left_to_the_user(word: str, value: dict[str, str]) -> None:
    with pytest.raises(VoicepressError) as caught:
        with_entry(KEPT, word, value, HERE)
    assert caught.value.code == "edit-by-hand"
    assert caught.value.line is not None


def test_a_key_is_added_to_a_book_file() -> None:
    book = "# a book\nschema: 1\nmanuscript: story.txt   # the text\ndescription: |\n  long\n"
    assert with_key(book, "lexicon", "lexicon.yaml", Path("book.yaml")) == book + "lexicon: lexicon.yaml\n"
    assert (
        with_key("manuscript: a.txt", "lexicon", "l.yaml", Path("book.yaml")) == "manuscript: a.txt\nlexicon: l.yaml\n"
    )


@pytest.mark.parametrize(
    "text", ["{manuscript: story.txt}\n", "manuscript: a.txt\n...\n", "lexicon: ''\nmanuscript: a.txt\n"]
)
def test_a_book_file_of_another_form_is_left_to_the_user(text: str) -> None:
    with pytest.raises(VoicepressError):
        with_key(text, "lexicon", "lexicon.yaml", Path("book.yaml"))
