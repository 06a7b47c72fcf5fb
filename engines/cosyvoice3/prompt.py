"""What the language model is given for a line: its mode, its instruction, its ids.

Contract: three modes. ``zero_shot`` continues a voice whose words are known; ``instruct`` carries an instruction, for
which the model was trained without the prompt's speech tokens; ``cross_lingual`` has neither words nor instruction
(the voice speaks another language than the text). In all three the flow still gets the prompt's sound. The wording
around the text is the one of training. Instructions come from ``configs/cosyvoice3.yaml``; an unknown one is
let through, kept short and warned of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from common.errors import VoicepressError
from common.places import CONFIGS
from common.yamlio import Strict, load_model
from engines.base import Honour
from engines.cosyvoice3.tokens import END_OF_PROMPT, TextTokenizer

Mode = Literal["zero_shot", "instruct", "cross_lingual"]
ASSISTANT = "You are a helpful assistant."
_NEGATED = re.compile(
    r"(?:(?:不要?|别|勿|莫|没有?|无须)\w{0,2}|(?:\bnot|n['’]t|\bnever|\bwithout)\b[\s\w]{0,8})$", re.IGNORECASE
)
_MARKS = "。！？；，、.!?;,"


@dataclass(frozen=True, slots=True)
class LmInput:
    """Ids of one line. The sequence is sos, ``prompt_text``, ``text``, task, ``prompt_speech``."""

    prompt_text: tuple[int, ...]
    text: tuple[int, ...]
    prompt_speech: tuple[int, ...] = ()

    @property
    def positions(self) -> int:
        """Length L of the prefix."""
        return 2 + len(self.prompt_text) + len(self.text) + len(self.prompt_speech)


def compose(mode: Mode, text: str, *, transcript: str = "", instruction: str = "") -> tuple[str, str]:
    """The two texts that go to the tokenizer, prompt text first, in the wording of training.

    Errors: zero-shot without a transcript, instruct without an instruction.
    """
    if mode == "zero_shot":
        if not transcript.strip():
            raise VoicepressError(
                "no-transcript", "a zero-shot voice needs the words of its clip", key="transcript",
                hint="write down what is said in the clip",
            )  # fmt: skip
        return f"{ASSISTANT}{END_OF_PROMPT}{transcript}", text
    if mode == "instruct":
        if not instruction.strip():
            raise VoicepressError("no-instruction", "there is no instruction", key="style", hint="say how to speak")
        return f"{ASSISTANT} {instruction}{END_OF_PROMPT}", text
    return "", f"{ASSISTANT}{END_OF_PROMPT}{text}"


def assemble(
    tokenizer: TextTokenizer, mode: Mode, prompt_text: str, text: str, prompt_speech: Sequence[int] = ()
) -> LmInput:
    """Ids of the texts as ``compose`` gives them. ``prompt_speech`` is used in zero-shot only.

    Errors: ``<|endofprompt|>`` in neither text (the model would read the prompt aloud).
    """
    first = tuple(tokenizer.encode(prompt_text)) if mode != "cross_lingual" else ()
    second = tuple(tokenizer.encode(text))
    if tokenizer.end_of_prompt not in (*first, *second):
        raise VoicepressError(
            "no-end-of-prompt", f"neither text has {END_OF_PROMPT}", hint="use compose() to make them"
        )
    return LmInput(first, second, tuple(int(token) for token in prompt_speech) if mode == "zero_shot" else ())


def lm_input(
    tokenizer: TextTokenizer,
    mode: Mode,
    text: str,
    *,
    transcript: str = "",
    instruction: str = "",
    prompt_speech: Sequence[int] = (),
) -> LmInput:
    """``compose`` and ``assemble`` in one."""
    return assemble(
        tokenizer, mode, *compose(mode, text, transcript=transcript, instruction=instruction), prompt_speech
    )


def choose_mode(instruction: str, transcript: str, same_language: bool) -> Mode:
    """An instruction wins; then the voice's own words, if they are known and in the text's language."""
    if instruction:
        return "instruct"
    return "zero_shot" if transcript.strip() and same_language else "cross_lingual"


# ---------------------------------------------------------------- instructions


class _Entry(Strict):
    instruction: str
    says: str


class InstructionTable(Strict):
    """The file ``configs/cosyvoice3.yaml``: instructions by kind, and how long an unknown one may be."""

    longest_chars: int
    kinds: dict[str, tuple[_Entry, ...]]


@dataclass(frozen=True, slots=True)
class Instruction:
    """What to tell the model. ``kind`` is empty for an unknown instruction; ``note`` says what was not honoured."""

    text: str
    kind: str = ""
    note: str = ""


@lru_cache(maxsize=4)
def instruction_table(path: Path | None = None) -> InstructionTable:
    file = path or CONFIGS / "cosyvoice3.yaml"
    table = load_model(file, InstructionTable, "the table of instructions")
    for kind, entries in table.kinds.items():
        for place, entry in enumerate(entries):
            try:
                re.compile(entry.says, re.IGNORECASE)
            except re.error as error:
                raise VoicepressError(
                    "bad-config", f"the table of instructions: {entry.says!r} is no regular expression: {error}",
                    file=file, key=f"kinds.{kind}.{place}.says", hint="mend the expression",
                ) from error  # fmt: skip
    return table


def supported_instructions(path: Path | None = None) -> dict[str, tuple[str, ...]]:
    """The instructions of training by kind, for lists and help."""
    table = instruction_table(path)
    return {kind: tuple(entry.instruction for entry in entries) for kind, entries in table.kinds.items()}


def instruction_for(style: str, path: Path | None = None) -> Instruction:
    """The instruction that a style in plain language asks for; empty for an empty style.

    A word that is negated (不要大声, not loudly) asks for nothing. Of several wishes in one style the first of the table
    is followed and the note says which. Errors: a control token in the style.
    """
    wish = " ".join(style.split())
    if not wish:
        return Instruction("")
    if "<|" in wish or "|>" in wish:
        raise VoicepressError(
            "bad-style", f"the style {wish[:40]!r} holds a control token", key="style", hint="say it in plain words"
        )
    table = instruction_table(path)
    for kind, entries in table.kinds.items():
        for entry in entries:
            if wish == entry.instruction:
                return Instruction(wish, kind)
    asked = [
        (kind, entry.instruction) for kind, entries in table.kinds.items() for entry in entries if _asks(entry, wish)
    ]
    if asked:
        kind, text = asked[0]
        left = ", ".join(kind for kind, _ in asked[1:])
        return Instruction(text, kind, f"style {wish!r}: only its {kind} is followed, not its {left}" if left else "")
    kept = _shorten(wish, table.longest_chars)
    cut = f", cut to {kept!r}" if kept.rstrip(_MARKS) != wish.rstrip(_MARKS) else ""
    return Instruction(
        kept, "", f"style {wish!r} is none the model was trained on{cut}: it may be ignored or read aloud"
    )


def honours(style: str, path: Path | None = None) -> Honour:
    """Whether the model was trained on what a style asks for. One that it was not trained on is passed on as given, and
    of two wishes only the first is followed: both are ``approximate``. A control token is refused: ``none``."""
    try:
        found = instruction_for(style, path)
    except VoicepressError as error:
        if error.code != "bad-style":
            raise
        return "none"
    return "approximate" if found.note or (found.text and not found.kind) else "full"


def _asks(entry: _Entry, wish: str) -> bool:
    return any(not _NEGATED.search(wish[: found.start()]) for found in re.finditer(entry.says, wish, re.IGNORECASE))


def _shorten(wish: str, longest: int) -> str:
    """At most ``longest`` characters, ended at a mark or between words where there is one, with a final mark."""
    if len(wish) > longest:
        cut = wish[:longest]
        ends = [place for place, char in enumerate(cut) if char in _MARKS + " "]
        wish = cut[: ends[-1]] if ends and ends[-1] >= longest // 3 else cut
    wish = wish.rstrip("，、；,; ")
    return wish if wish[-1:] in "。！？.!?" else wish + ("." if wish.isascii() else "。")
