"""When a line ends, what of it is spoken, and which of several takes is best: pure rules on plain token lists.

Contract: ``Watch`` reads a line's draws one by one and says when and why it ends; what it says depends on the draws
alone, so it may look at them late. Only the stop ``end`` is good: ``length`` (no stop token by the ceiling), ``repeat``
(the same token many times in a row) and ``silence`` (a runaway of silent tokens) are failed takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.base import Stop

if TYPE_CHECKING:
    from engines.cosyvoice3.prompt import LmInput
    from engines.cosyvoice3.sampling import MinLength

SILENT_TOKENS = frozenset((1, 2, 28, 29, 55, 248, 494, 2241, 2242, 2322, 2323))
"""Speech tokens that sound like nothing."""
LONGEST_SILENCE = 5
"""Silent tokens in a row that are spoken; further ones are dropped before the flow."""


@dataclass(frozen=True, slots=True)
class Rules:
    """``tokens per text token`` bound the length; runs end a line; ``min_length`` says what is masked before the least
    length (see ``sampling.MinLength``). ``longest_silence`` is 3 s at 25 tokens a second."""

    min_ratio: float = 2.0
    max_ratio: float = 20.0
    min_length: MinLength = "reference"
    longest_repeat: int = 25
    longest_silence: int = 75

    def least(self, line: LmInput) -> int:
        return int(len(line.text) * self.min_ratio)

    def most(self, line: LmInput) -> int:
        return int(len(line.text) * self.max_ratio)


@dataclass(frozen=True, slots=True)
class Decoded:
    """One take as tokens. ``drawn`` is what the model drew, without the token that ended it; ``tokens`` is what the flow
    gets, long silences shortened."""

    drawn: tuple[int, ...]
    stop: Stop
    seed: int = 0

    @property
    def tokens(self) -> tuple[int, ...]:
        return shorten_silences(self.drawn)

    @property
    def good(self) -> bool:
        """Ended by itself, and not before the first token."""
        return self.stop == "end" and bool(self.drawn)


class Watch:
    """Follows one line. ``most``: tokens allowed; ``codes``: ids from here on end the line."""

    def __init__(self, codes: int, most: int, rules: Rules) -> None:
        self.drawn: list[int] = []
        self._codes, self._most, self._rules = codes, most, rules
        self._same = self._silent = 0

    def read(self, token: int) -> Stop | None:
        """Take in one draw; a reason if it was the last."""
        if token >= self._codes:
            return "end"
        self._same = self._same + 1 if self.drawn and self.drawn[-1] == token else 1
        self._silent = self._silent + 1 if token in SILENT_TOKENS else 0
        self.drawn.append(token)
        if self._same >= self._rules.longest_repeat:
            return "repeat"
        if self._silent >= self._rules.longest_silence:
            return "silence"
        return "length" if len(self.drawn) >= self._most else None


def shorten_silences(tokens: Iterable[int], longest: int = LONGEST_SILENCE) -> tuple[int, ...]:
    """Of each run of silent tokens only the first ``longest``."""
    kept, run = [], 0
    for token in tokens:
        run = run + 1 if token in SILENT_TOKENS else 0
        if run <= longest:
            kept.append(token)
    return tuple(kept)


def candidate_seed(seed: int, number: int) -> int:
    """The seed of a line's candidate: the first has the line's own; others lie far apart in 63 bits."""
    return (seed + number * 0x9E37_79B9_7F4A_7C15) & ((1 << 63) - 1) if number else seed
