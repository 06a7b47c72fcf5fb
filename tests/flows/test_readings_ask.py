"""Being asked, one question after the other: answers are written at once, whatever ends the questions."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from common.errors import VoicepressError
from flows.readings_ask import ask, entry_for
from tasks.script.doubts import Question
from tests.flows.press import write_book

TEXT = "单先生来了。\n\n老周问Siobhan和Groxl。\n"


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOICEPRESS_OUTPUTS", str(tmp_path / "outputs"))
    return write_book(tmp_path / "book", TEXT)


def typing(*answers: str) -> Callable[[str], str]:
    """What a user types, and then the end of input."""
    given: Iterator[str] = iter(answers)

    def prompt(text: str) -> str:
        answer = next(given, None)
        if answer is None:
            raise EOFError
        return answer

    return prompt


def entries(book: Path) -> dict[str, object]:
    path = book.parent / "lexicon.yaml"
    return dict(yaml.safe_load(path.read_text(encoding="utf-8"))["entries"]) if path.is_file() else {}


def test_answers_by_number_by_reading_and_by_respelling(book: Path) -> None:
    answers = {"单": "1", "Siobhan": "SH IH0 V AO1 N", "Groxl": "格洛克"}
    asked: list[str] = []

    def prompt(head: str) -> str:
        word = ("单", "Siobhan", "Groxl")[len(asked)]
        asked.append(head)
        return answers[word]

    said = ask(book, prompt)
    found = entries(book)
    assert list(found.values()) == [next(iter(found.values())), "SH IH0 V AO1 N", {"spoken": "格洛克"}]
    assert next(iter(found)).startswith("单")
    assert said.startswith("3 answers written")
    assert ask(book, typing()) == "there is nothing to ask: every reading is sure"


def test_a_wrong_answer_is_asked_again_and_an_empty_one_leaves_it_open(book: Path) -> None:
    ask(book, typing("77", "xaing", "", "SH X1", "SH IH1"))
    assert list(entries(book).values()) == ["SH IH1"]


@pytest.mark.parametrize("last", ["q", None])
def test_what_was_answered_before_the_end_stands(book: Path, last: str | None) -> None:
    said = ask(book, typing("1", *([last] if last else [])))
    assert len(entries(book)) == 1
    assert said.startswith("1 answer written")


def test_nothing_answered_changes_nothing(book: Path) -> None:
    before = book.read_bytes()
    assert "nothing is changed" in ask(book, typing("q"))
    assert book.read_bytes() == before
    assert entries(book) == {}


def test_a_pipe_is_no_terminal(book: Path) -> None:
    with pytest.raises(VoicepressError, match="terminal"):
        ask(book)


def question(word: str, at: int | None, phones: str, whole: str) -> Question:
    return Question(word, at, phones, whole, "default")


def test_one_syllable_answers_for_the_character_and_the_rest_of_the_word_stays() -> None:
    assert entry_for(question("重新", 0, "zhong4", "zhong4 xin1"), "chóng") == ("重新", {"phones": "chong2 xin1"})
    assert entry_for(question("重新", 0, "zhong4", "zhong4 xin1"), "chong2 xin1") == ("重新", {"phones": "chong2 xin1"})


def test_a_word_with_yi_or_of_many_readings_is_answered_by_a_pattern() -> None:
    assert entry_for(question("一行", 1, "xing2", "yi4 xing2"), "hang2") == ("/一(行)/", {"phones": "hang2"})
    assert entry_for(question("得着", 1, "zhe5", ""), "zhao2") == ("/得(着)/", {"phones": "zhao2"})


def test_in_a_terminal_a_person_is_asked(book: Path) -> None:
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    os.write(master, b"1\nq\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "flows.cli", "readings", str(book), "--ask"], stdin=slave, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=dict(os.environ),
    )  # fmt: skip
    said, asked = process.communicate()
    os.close(slave)
    os.close(master)
    assert process.returncode == 0, asked
    assert said.strip().startswith("1 answer written")
    assert "【单" in asked
    assert len(entries(book)) == 1
