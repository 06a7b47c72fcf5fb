"""A chapter of the script as YAML that a person edits: which keys there are, and how they are written.

Contract: ``emit`` writes a chapter's file from nothing; ``item`` writes one line of it. What a key would say by
default is not written: no speaker is the narrator, no ``spoken`` is the text without its quotation marks, no
``reading`` is nothing forced. Every value is written so that any YAML reader gives it back exactly.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from tasks.domain import NARRATOR, SCHEMA, UNKNOWN, Line
from tasks.script.inline import annotate

Value = str | float | bool | None
Fields = dict[str, Value]
"""The editable fields of a line, each with its value or its default."""

FIELDS = ("speaker", "spoken", "reading", "style", "speed", "voice", "pause", "take", "skip")
KEYS = ("id", "speaker", "text", *FIELDS[1:])
"""Every key of a line, in the order in which they are written."""

SCHEMA_FILE = ".schema.json"
"""Lies beside the chapter files, so that an editor checks them without a network."""

_HEADER = f"""\
# yaml-language-server: $schema=./{SCHEMA_FILE}
# The script of this chapter. You may edit it: your edits survive every re-run, and so do your comments.
#   speaker   who says it; no speaker is the narrator
#   spoken    what is said, where it is not the text itself; at most as long as a line may be
#   reading   the same with forced readings: 她[h][ào]干净, 她[hao4]干净, a [M][AY0][N][UW1][T]
#   style     how it is said, in plain words      speed   1.0 is the voice's own
#   voice     a voice for this line alone         pause   seconds of silence after it
#   take      0 to 99: use this recording of the line, whatever the check says; without it the check chooses
#   skip      true leaves the line out; so does deleting the whole line
# "# unsure: …" behind a speaker is ours: how sure the guess is, and who else it may be. Write the right name there.
# Do not edit id and text: they tie the line to your manuscript.
"""

_QUOTES = str.maketrans("", "", '“”„‟"「」『』﹁﹂﹃﹄«»')
# Only what no YAML reader takes for anything but a string is written without quotation marks.
_PLAIN = re.compile(
    r"[\u3400-\u9fffA-Za-z“‘「『《（…—][\u3400-\u9fff\uff01-\uff60\u3000-\u303f“”‘’…—·A-Za-z0-9 ,.!?;/+()'\[\]\u00c0-\u017e\u01cd-\u01dc_-]*"
)
_WORDS = frozenset(["y", "n", "yes", "no", "true", "false", "on", "off", "null", "none", "nan", "inf"])
_NUMBERLIKE = re.compile(r"[0-9]+|[0-9]+e[0-9]+|0b[01]+|0[xo][0-9a-f]+")
OUR_NOTE = re.compile(r"\s+(# unsure: (?:nobody was found|[01]\.\d\d [\w-]+(?:, or .+ [01]\.\d\d)?))\s*$")
"""The comment that ``unsure_note`` writes, at the end of a row. One to which a user has added is theirs."""
_MUST_ESCAPE = re.compile("[\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ud800-\udfff\ufeff\ufffe\uffff]")


def plain_spoken(text: str) -> str:
    """What is said of a written line if nothing else is known: the text without its quotation marks."""
    return text.translate(_QUOTES).strip()


def generated(line: Line) -> Fields:
    """The editable fields of a line as generated."""
    reading = annotate(line.spoken, line.readings)
    return {
        "speaker": line.speaker,
        "spoken": line.spoken,
        "reading": "" if reading == line.spoken else reading,
        "style": line.style,
        "speed": line.speed,
        "voice": line.voice,
        "pause": line.pause_seconds,
        "take": line.take,
        "skip": line.skip,
    }


def default(field: str, text: str) -> Value:
    """The value of a field that is not written, for a line with this text."""
    if field == "speaker":
        return NARRATOR
    if field == "spoken":
        return plain_spoken(text)
    if field == "skip":
        return False
    return None if field in ("speed", "pause", "take") else ""


def unsure_note(line: Line, below: float) -> str:
    """The comment behind a speaker who is only guessed (confidence under ``below``), else an empty string."""
    if line.kind != "dialogue" or line.speaker == NARRATOR or line.rule == "user" or line.confidence >= below:
        return ""
    if line.speaker == UNKNOWN:
        return "# unsure: nobody was found"
    other = f", or {' '.join(line.other[0].split())} {line.other[1]:.2f}" if line.other else ""
    return f"# unsure: {line.confidence:.2f} {line.rule or 'guess'}{other}"


def scalar(value: Value) -> str:
    """A value in YAML, on one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:.4f}".rstrip("0").removesuffix(".") if value == value else "0"
    if _PLAIN.fullmatch(value) and not value.endswith(" ") and value.lower() not in _WORDS:
        return value
    return _MUST_ESCAPE.sub(_escaped, json.dumps(value, ensure_ascii=False))


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"


def key_line(field: str, value: Value, indent: str = "    ") -> str:
    """One key and its value, without a line end."""
    return f"{indent}{field}: {scalar(value)}"


def quoted_id(line_id: str) -> str:
    return f'"{line_id}"' if _NUMBERLIKE.fullmatch(line_id) else line_id


def item(line_id: str, text: str, fields: Mapping[str, Value], note: str = "") -> str:
    """One line of the script, as many lines of YAML as it has keys; ``note`` is the comment behind the speaker."""
    rows = [f"  - id: {quoted_id(line_id)}"]
    if fields["speaker"] != NARRATOR:
        rows.append(key_line("speaker", fields["speaker"]) + (f"  {note}" if note else ""))
    rows.append(key_line("text", text))
    rows += [key_line(field, fields[field]) for field in FIELDS[1:] if fields[field] != default(field, text)]
    return "\n".join(rows) + "\n"


def head(number: int, title: str) -> str:
    """All that stands before the first line."""
    return f"{_HEADER}schema: {SCHEMA}\nchapter: {number}\ntitle: {scalar(title)}\n"


def emit(number: int, title: str, lines: Iterable[tuple[str, str, Mapping[str, Value], str]]) -> str:
    """A whole chapter file; ``lines`` are id, text, fields and the comment behind the speaker."""
    items = [item(*line) for line in lines]
    return head(number, title) + ("lines:\n" + "".join(items) if items else "lines: []\n")
