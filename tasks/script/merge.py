"""The three-way merge of a script: generated before, generated now, and what the user made of it.

Contract: pure functions on plain data. An edit is a field in which the file differs from what was generated when it
was written; it wins over what is generated now, all other fields follow. Lines are matched by id: chapters first, by
the lines they share, so that a chapter inserted upstream carries the edits of all later ones with it; then single
lines that moved to another chapter. An edit whose line is gone is handed back, never dropped.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tasks.domain import Line, Reading
from tasks.script.format import FIELDS, Fields, Value, generated
from tasks.script.inline import annotate, parse
from tasks.script.readings import Reader

REMOVED = "removed"
"""The edit of a user who deleted a line from the file: it is skipped, and stays out of the file."""

Auto = Callable[[str, str], str]
"""``(line id, spoken) -> reading`` as it would be written without the user."""

Edits = dict[str, Fields]
"""By line id: the fields that the user changed, with the user's values."""


@dataclass(frozen=True, slots=True)
class Old:
    """A chapter as it was generated and what the user made of it. ``texts`` by line id, in order."""

    number: int
    texts: Mapping[str, str]
    edits: Edits = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Orphan:
    """Edits of a line that is gone from the manuscript. ``kin``: chapter, id and text of what may stand for it now."""

    chapter: int
    id: str
    text: str
    fields: Fields
    kin: tuple[int, str, str] | None = None


def edits_of(base: Mapping[str, Fields], in_file: Mapping[str, Fields], complete: bool, auto: Auto) -> Edits:
    """What the user changed. ``base``: as generated when the file was written. ``complete``: the file once held every
    line of ``base``, so one that is missing was deleted. ``auto`` gives the reading that would be written for a spoken
    text: beside an edited ``spoken`` it is no edit, and neither is one that was left standing."""
    found: Edits = {}
    for line_id, fields in in_file.items():
        before = base.get(line_id)
        if before is None:
            continue
        changed = {name: fields[name] for name in FIELDS if not _equal(fields[name], before[name])}
        if "spoken" in changed and fields["reading"] in ("", before["reading"], auto(line_id, str(fields["spoken"]))):
            changed.pop("reading", None)
        if "reading" in changed or ("spoken" in changed and fields["reading"] not in ("", before["reading"])):
            # A reading belongs to the spoken text that it was written for: both are kept together.
            changed["spoken"] = fields["spoken"]
        if changed:
            found[line_id] = changed
    if complete:
        found |= {line_id: {REMOVED: True} for line_id in base if line_id not in in_file}
    return found


def _equal(one: Value, other: Value) -> bool:
    if isinstance(one, float) and isinstance(other, float | int):
        return abs(one - other) < 1e-4
    return one == other


def match_chapters(old: Sequence[Old], new: Mapping[int, Sequence[str]]) -> dict[int, int]:
    """For every new chapter the old one it goes on from, by the line ids that both hold. One to one; where two old
    chapters fit equally, the one with the same number."""
    where: dict[str, list[int]] = defaultdict(list)
    for chapter in old:
        for line_id in chapter.texts:
            where[line_id].append(chapter.number)
    votes: list[tuple[float, bool, int, int]] = []
    for number, ids in new.items():
        score: Counter[int] = Counter()
        for line_id in ids:
            places = where.get(line_id, ())
            if 0 < len(places) <= 8:  # “嗯。” in every chapter tells nothing
                for place in places:
                    score[place] += 1 / len(places)  # type: ignore[assignment]
        votes += [(count, place == number, number, place) for place, count in score.items()]
    taken: dict[int, int] = {}
    used: set[int] = set()
    for _, _, number, place in sorted(votes, key=lambda vote: (-vote[0], not vote[1], vote[2])):
        if number not in taken and place not in used:
            taken[number] = place
            used.add(place)
    for number in new:  # chapters that share nothing telling: the same number, if it is free
        if number not in taken and number not in used and any(chapter.number == number for chapter in old):
            taken[number] = number
            used.add(number)
    return taken


def carry(
    old: Sequence[Old], new: Mapping[int, Sequence[str]], chapters: Mapping[int, int]
) -> tuple[dict[int, Edits], list[Orphan]]:
    """Every edit in its new place, and those that have none (``kin.follow`` looks for lines that changed a little). ``new`` gives the line ids of each new chapter."""
    by_number = {chapter.number: chapter for chapter in old}
    placed: dict[int, Edits] = {number: {} for number in new}
    spare: dict[str, list[tuple[int, Fields]]] = defaultdict(list)
    goes_to = {before: number for number, before in chapters.items()}
    here = {number: set(ids) for number, ids in new.items()}
    for chapter in old:
        target = goes_to.get(chapter.number)
        for line_id, fields in chapter.edits.items():
            if target is not None and line_id in here[target]:
                placed[target][line_id] = fields
            else:
                spare[line_id].append((chapter.number, fields))
    for number, ids in new.items():
        if not spare:
            break
        before = by_number.get(chapters.get(number, -1))
        for line_id in ids:
            if line_id in spare and (before is None or line_id not in before.texts):
                placed[number][line_id] = spare[line_id].pop(0)[1]
                if not spare[line_id]:
                    del spare[line_id]
    orphans = [
        Orphan(number, line_id, by_number[number].texts.get(line_id, ""), fields)
        for line_id, left in spare.items()
        for number, fields in left
    ]
    return placed, orphans


def merged_fields(line: Line, edit: Mapping[str, Value], reader: Reader) -> Fields:
    """The fields that the file should hold for a line: the user's where there is an edit."""
    fields = generated(line) | {name: value for name, value in edit.items() if name != REMOVED}
    if "reading" not in edit and fields["spoken"] != line.spoken:
        fields["reading"] = auto_reading(str(fields["spoken"]), line.language, reader)
    return fields


def auto_reading(spoken: str, language: str, reader: Reader) -> str:
    """The ``reading`` that is written for a spoken text: empty where nothing is worth forcing."""
    written = annotate(spoken, reader.read(spoken, language))
    return "" if written == spoken else written


def count(edits: Edits, lines: Mapping[str, Line]) -> int:
    """How many fields the user changed that still differ from what is generated; a deleted line is one."""
    total = 0
    for line_id, edit in edits.items():
        if REMOVED in edit:
            total += 1
        elif line_id in lines:
            now = generated(lines[line_id])
            total += sum(not _equal(value, now[name]) for name, value in edit.items())
    return total


def apply(line: Line, edit: Mapping[str, Value], reader: Reader) -> Line:
    """A line with the user's edits. Raises ``VoicepressError`` ``bad-reading`` where a reading does not fit its text."""
    if REMOVED in edit:
        return replace(line, skip=True)
    if not edit:
        return line
    fields = merged_fields(line, edit, reader)
    spoken, speaker = str(fields["spoken"]), str(fields["speaker"])
    readings = line.readings if spoken == line.spoken else reader.read(spoken, line.language)
    if "reading" in edit:
        readings = forced(spoken, str(edit["reading"]), readings)
    return replace(
        line,
        spoken=spoken,
        speaker=speaker,
        gender=line.gender if speaker == line.speaker else "",
        style=str(fields["style"]),
        speed=_number(fields["speed"]),
        voice=str(fields["voice"]),
        pause_seconds=_number(fields["pause"]),
        skip=bool(fields["skip"]),
        readings=readings,
        rule="user" if "speaker" in edit else line.rule,
        confidence=1.0 if "speaker" in edit else line.confidence,
        other=None if "speaker" in edit else line.other,
        take=None if fields["take"] is None else int(fields["take"]),
    )


def _number(value: Value) -> float | None:
    return None if value is None else float(value)


def forced(spoken: str, reading: str, readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """``readings`` with exactly those forced that the user's ``reading`` of ``spoken`` holds (none if it is empty)."""
    users = {one.start: one for one in parse(reading or spoken, spoken)}
    kept = [replace(one, annotate=False) if one.annotate else one for one in readings if one.start not in users]
    return tuple(sorted([*kept, *users.values()], key=lambda one: one.start))
