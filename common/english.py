"""The English number words, from which text front ends of several floors build their numbers."""

from __future__ import annotations

BELOW_TWENTY = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
"""``BELOW_TWENTY[n]`` is n in words."""
TENS = ("zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
"""``TENS[n]`` is 10 n in words."""
