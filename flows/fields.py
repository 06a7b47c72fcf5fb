"""The kinds of values that stand in the files a user writes: what a title, a name, a speed may be."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field


def _is_a_name(name: str) -> str:
    if not name.strip():
        raise ValueError("a name needs at least one letter")
    return name


def _is_a_web_address(url: str) -> str:
    if url and (not url.startswith(("http://", "https://")) or not url.isprintable() or " " in url):
        raise ValueError("not an address that begins with http:// or https://")
    return url


Format = Literal["m4b", "mp3", "opus", "flac", "wav", "srt", "vtt", "lrc", "ass", "epub", "audiobookshelf", "rss"]
"""The formats of ``tasks.publish.publish``; a test holds the two together."""
Gender = Literal["", "male", "female"]
Mood = Literal[
    "angry", "sad", "glad", "calm", "soft", "loud", "whisper", "fast", "slow", "crying", "laughing", "surprised",
    "fearful", "serious", "tender", "weary", "cold",
]  # fmt: skip
"""The moods of ``tasks.script.style``; a test holds the two together."""
Speed = Annotated[float, Field(ge=0.5, le=2.0)]
Decibels = Annotated[float, Field(ge=-30.0, le=30.0)]
# YAML reads a bare 1998 as a number; a title or an author may well be one. What is longer than this is no title, and
# Prefect refuses it in the midst of the work.
_AsText = BeforeValidator(
    lambda value: str(value) if isinstance(value, int | float) else value, json_schema_input_type=str | int | float
)
Text = Annotated[str, _AsText, Field(max_length=500)]
LongText = Annotated[str, _AsText, Field(max_length=20_000)]
WebAddress = Annotated[str, Field(max_length=2000), AfterValidator(_is_a_web_address)]
Name = Annotated[Text, AfterValidator(_is_a_name)]
