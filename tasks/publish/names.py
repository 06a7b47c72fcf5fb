"""File names that every system takes, from titles that anybody wrote.

Contract: pure; the result is one path component that never leaves its folder, without reserved or invisible
characters, not a device name of Windows, at most ``MAX_BYTES`` bytes long before its extension.
"""

from __future__ import annotations

import re
import unicodedata

MAX_BYTES = 160
_RESERVED = re.compile(r'[<>:"/\\|?*]+')
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)")


def safe_stem(text: str, otherwise: str = "untitled") -> str:
    """``text`` as a file name without extension; ``otherwise`` where nothing of it is left."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(
        c if not unicodedata.category(c).startswith(("C", "Z")) else " " if c.isspace() else "" for c in text
    )
    text = re.sub(" *: +", " - ", text)  # Chapter 1: One Finger
    text = _RESERVED.sub("_", text)
    text = re.sub(" +", " ", text).strip(" .")
    text = _capped(text).strip(" .")
    if _DEVICES.match(text):
        text = f"_{text}"
    return text or otherwise


def chapter_stem(number: int, title: str, digits: int = 3) -> str:
    """``001 第一章 …``: sorts as the book goes."""
    return safe_stem(f"{number:0{digits}d} {title}")


def _capped(text: str) -> str:
    while len(text.encode("utf-8")) > MAX_BYTES:
        text = text[:-1]
    # a combining mark or joiner must not be what a cut leaves behind on a wrong letter: cutting at the end only drops
    return text
