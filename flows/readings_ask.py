"""``voicepress readings --ask``: one question after the other, each answer written at once.

Contract: ``ask`` needs a terminal. Whatever stops it (q, Ctrl-C, the end of input), the answers given so far stand in the
book's lexicon, and the script is brought up to date with them at the end.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from common.errors import VoicepressError, plain
from flows.make import shown
from flows.readings import Readings, answer_of, changed_lines, is_respelling
from flows.readings_page import example, question_row
from tasks.script.doubts import Doubts, Question
from tasks.script.lexicon import entry
from tasks.script.phrases import is_han

_HELP = "number: take it   reading: take that one   Enter: leave it open   q: stop"

Prompt = Callable[[str], str]
"""Shows a text and gives what was typed; ``EOFError`` or ``click.Abort`` ends the questions."""


def ask(book: Path, prompt: Prompt | None = None) -> str:
    """Ask about everything that is not sure, the most frequent first; a sentence on what the answers change."""
    if prompt is None:
        if not sys.stdin.isatty():
            raise VoicepressError(
                "no-terminal", "--ask needs a terminal to ask in", hint="answer with --set 'WORD=READING' instead"
            )
        prompt = _typed
    found = Readings(book)
    questions = list(_in_order(found.doubts()))
    if not questions:
        return "there is nothing to ask: every reading is sure"
    found.lexicon_path()
    before = found.said()
    click.echo(f"{len(questions)} questions.  {_HELP}", err=True)
    answered = 0
    try:
        for number, question in enumerate(questions, 1):
            answer = _answer(question, f"[{number}/{len(questions)}] ", prompt)
            if answer is not None:
                found.write([answer])
                answered += 1
                click.echo(f"  written: {plain(answer[0])} = {plain(next(iter(answer[1].values())))}", err=True)
    except (_Stop, EOFError, click.Abort):
        click.echo("", err=True)
    if not answered:
        return "nothing was answered, nothing is changed"
    found.refresh()
    changed = sum(before.get(key) != value for key, value in found.said().items())
    answers = "1 answer" if answered == 1 else f"{answered} answers"
    return f"{answers} written to {shown(found.lexicon_path())}; {changed_lines(found, changed)}"


class _Stop(Exception):
    """The user wants no more questions."""


def _typed(text: str) -> str:
    return str(click.prompt(text, default="", show_default=False, prompt_suffix="", err=True))


def _in_order(doubts: Doubts) -> Iterator[Question]:
    yield from doubts.names
    yield from doubts.unsure
    yield from doubts.foreign


def _answer(question: Question, head: str, prompt: Prompt) -> tuple[str, dict[str, str]] | None:
    """What the user makes of a question: an entry, or nothing. Asks again where an answer cannot be."""
    click.echo("\n" + plain(question_row(question)), err=True)
    for place in question.examples:
        click.echo(plain(example(place)), err=True)
    choices = list(dict.fromkeys([question.phones, *(phones for phones, _ in question.candidates)]))
    choices = [one for one in choices if one][:9]
    if choices:
        click.echo("   " + "   ".join(f"{place} {one}" for place, one in enumerate(choices, 1)), err=True)
    while True:
        given = prompt(head).strip()
        if given.lower() in ("q", "quit"):
            raise _Stop
        if not given:
            return None
        if given.isdecimal():
            if not 1 <= int(given) <= len(choices):
                click.echo(f"  there is no {given}.  {_HELP}", err=True)
                continue
            given = choices[int(given) - 1]
        try:
            return entry_for(question, given)
        except VoicepressError as error:
            click.echo(f"  {plain(error.what)}: {plain(error.hint)}", err=True)


def entry_for(question: Question, given: str) -> tuple[str, dict[str, str]]:
    """The entry that answers a question with ``given``: a reading of its word or of its one doubtful character, or a
    respelling. Raises ``VoicepressError`` where ``given`` is neither.

    Where the other characters of the word are read now this way and now that, or are 一 or 不, whose tone follows from
    what comes after, the entry is a pattern that says nothing of them.
    """
    if is_respelling(question.word, given):
        return answer_of(f"{question.word}={given}")
    if question.at is None or len(given.split()) != 1 or len(question.word) == 1:
        return answer_of(f"{question.word}={given}")
    at, word = question.at, question.word
    (phones,) = entry(word[at], given).phones.split()
    others = word[:at] + word[at + 1 :]
    if question.whole and not set(others) & set("一不"):
        syllables = question.whole.split()
        syllables[sum(map(is_han, word[:at]))] = phones
        return word, {"phones": " ".join(syllables)}
    return f"/{re.escape(word[:at])}({word[at]}){re.escape(word[at + 1 :])}/", {"phones": phones}
