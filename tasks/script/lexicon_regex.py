"""Regular expressions of a lexicon, bounded: a pattern that could take a night on one line is refused when it is read.

Contract: ``compiled`` gives the compiled pattern or raises ``ValueError`` with a sentence for the user. Python's engine
backtracks, so the worst case at one place of a text is about the number of ways in which the pattern can match there;
``ways`` counts them from the parsed pattern, with a quantifier without an end taken as ``LONGEST`` characters. Nested
quantifiers (``(甲+)+``) have astronomically many and are refused for that alone.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from re import _parser  # type: ignore[attr-defined]
from typing import Any

LONGEST = 180
"""What a quantifier without an end counts for: no spoken line is longer."""
MAX_WAYS = 4_000
"""One open quantifier and some bounded ones; two open ones (180 x 180 ways) are too many."""
MAX_CHARS = 300
WINDOW = 1_000
"""Longer texts are searched piece by piece, so that an open quantifier stays cheap."""

_CAP = 10**12


def compiled(pattern: str, *, may_be_empty: bool = False) -> re.Pattern[str]:
    """``pattern`` compiled. Raises ``ValueError`` where it is no regular expression, matches nothing at all (an empty
    string), is longer than ``MAX_CHARS`` or could be slow."""
    if len(pattern) > MAX_CHARS:
        raise ValueError(f"the pattern has {len(pattern)} characters; at most {MAX_CHARS} are allowed")
    try:
        parsed = _parsed(pattern)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"'{pattern}' is no regular expression: {error}") from error
    if not may_be_empty and parsed.getwidth()[0] == 0:
        raise ValueError(f"'{pattern}' can match an empty string, which has no reading")
    count = ways(parsed)
    if count > MAX_WAYS:
        raise ValueError(
            f"'{pattern}' could be very slow: quantifiers within or beside each other can match in too many ways; "
            "bound them ({1,4} in place of +) or use a class ([甲乙]+ in place of (甲|乙)+)"
        )
    return found


def ways(parsed: Iterable[tuple[Any, Any]]) -> int:
    """In how many ways a parsed pattern can match at one place, at most; counting ends at 10**12."""
    total = 1
    for operator, argument in parsed:
        total = min(_CAP, total * _ways_of(str(operator), argument))
    return total


def _ways_of(operator: str, argument: Any) -> int:
    if operator in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        low, high, inner = argument
        return _repeated(ways(inner), int(low), min(int(high), max(LONGEST, int(low))))
    if operator == "SUBPATTERN":
        return ways(argument[-1])
    if operator == "ATOMIC_GROUP":
        return ways(argument)
    if operator in ("ASSERT", "ASSERT_NOT"):
        return ways(argument[1])
    if operator == "BRANCH":
        return min(_CAP, sum(ways(branch) for branch in argument[1]))
    if operator == "GROUPREF_EXISTS":
        return ways(argument[1]) + (ways(argument[2]) if argument[2] is not None else 1)
    return 1


def _repeated(inner: int, low: int, high: int) -> int:
    """Ways of ``low`` to ``high`` repetitions of something that matches in ``inner`` ways."""
    if inner <= 1:
        return max(1, high - low + 1)
    total, power = 0, min(_CAP, inner ** min(low, 40))
    for _ in range(low, high + 1):
        total = min(_CAP, total + power)
        power = min(_CAP, power * inner)
        if total == _CAP:
            break
    return total


def holds_groups_in_groups(pattern: str) -> bool:
    """Whether a capture group stands within another one."""
    return any(operator == "SUBPATTERN" and depth > 1 for operator, depth in _walk(_parsed(pattern), 0))


@lru_cache(maxsize=4096)
def looks_around(pattern: str) -> bool:
    """Whether a pattern looks at what stands before or after its match."""
    return any(operator in ("ASSERT", "ASSERT_NOT", "AT") for operator, _ in _walk(_parsed(pattern), 0))


def _parsed(pattern: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _parser.parse(pattern)


def _walk(parsed: Any, depth: int) -> Iterator[tuple[str, int]]:
    """Every operator of a parsed pattern with the number of capture groups that it stands in, itself included."""
    for operator, argument in parsed:
        name, inside, inner = str(operator), depth, []
        if name == "SUBPATTERN":
            inside, inner = depth + (argument[0] is not None), [argument[-1]]
            if argument[0] is None:
                name = "GROUP"
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            inner = [argument[2]]
        elif name in ("ASSERT", "ASSERT_NOT"):
            inner = [argument[1]]
        elif name == "ATOMIC_GROUP":
            inner = [argument]
        elif name == "BRANCH":
            inner = list(argument[1])
        elif name == "GROUPREF_EXISTS":
            inner = [one for one in argument[1:] if one is not None]
        yield name, inside
        for one in inner:
            yield from _walk(one, inside)


def found_in(pattern: re.Pattern[str], text: str) -> Iterable[re.Match[str]]:
    """Every match in ``text``; a text of more than ``WINDOW`` characters is searched in windows of that length, and a
    match across their edge is not found."""
    for start in range(0, len(text), WINDOW):
        yield from pattern.finditer(text, start, min(len(text), start + WINDOW))
