"""What the receipt says of the lines: how they came through the check, how fast they are spoken, who and what decided.

Contract: pure functions on slots, chapters and script; nothing is read from disk.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from flows.session import Session, Slot, Try
from tasks.domain import Cast, Flaw, Line, StitchedChapter, Verdict
from tasks.publish import receipt as page
from tasks.script.heard import heard_otherwise
from tasks.speak.casting import is_unsure
from tasks.speak.recipes import codes_of

FORCED = ("lexicon", "user")
"""Origins of readings that somebody asked for."""
MOST_PROPOSALS = 500


def chapter_row(
    session: Session, number: int, title: str, volume: str, made: StitchedChapter | None
) -> page.ReceiptChapter:
    """One chapter's row; ``made`` is ``None`` where it is held back."""
    slots, failed = session.chapters[number], session.held_back(number)
    heard, error = heard_error(slots)
    figures = {}
    if made is not None:
        figures = {
            "seconds": made.timeline.samples / made.timeline.sample_rate,
            "gain_db": made.gain_db,
            "loudness_lufs": made.loudness_lufs,
            "true_peak_dbtp": made.true_peak_dbtp,
            "limited_db": made.limited_db,
            "limited_share": made.limited_share,
        }
    return page.ReceiptChapter(
        number=number,
        title=title,
        volume=volume,
        lines=len(slots),
        chars=sum(sounding_chars(slot.line.spoken) for slot in slots),
        recorded=sum(slot.recorded for slot in slots),
        retaken=sum(len(slot.tried) > 1 for slot in slots),
        healed=sum(slot.healed for slot in slots),
        flagged=sum(bool(slot.flagged or slot.failed) for slot in slots),
        failed=len(failed),
        heard=heard,
        heard_error=error,
        held_back=f"{len(failed)} {'line' if len(failed) == 1 else 'lines'} could not be recorded" if failed else "",
        **figures,
    )


def sounding_chars(text: str) -> int:
    """Characters of ``text`` that sound: letters, figures and Han characters."""
    return sum(map(str.isalnum, text))


def spoken_units(text: str) -> int:
    """What an ear is measured by: Han characters (syllables), and words of other scripts."""
    wide = sum(character.isalnum() and character > "\u2e7f" for character in text)
    return wide + len("".join(c if c.isalnum() and c <= "\u2e7f" else " " for c in text).split())


def heard_error(slots: Iterable[Slot]) -> tuple[int, float | None]:
    """How many syllables and words were listened to, and the share of them that was heard otherwise."""
    units, wrong = 0, 0.0
    for slot in slots:
        verdict = verdict_used(slot)
        if verdict is not None and "heard_error" in verdict.measures:
            count = spoken_units(slot.line.spoken)
            units += count
            wrong += count * verdict.measures["heard_error"]
    return units, round(wrong / units, 6) if units else None


def verdict_used(slot: Slot) -> Verdict | None:
    """The verdict on the take that is used."""
    return next((verdict for key, verdict in slot.tried if key == slot.chosen), None)


def take_used(slot: Slot) -> int | None:
    """The number of the take that is used."""
    if not slot.chosen:
        return None
    known = {key: number for number, (key, _) in zip(slot.takes, slot.tried, strict=True)}
    return known.get(slot.chosen, slot.utterance.take)


def takes_used(slots: Iterable[Slot]) -> dict[str, int]:
    """How many lines use which number of take."""
    counts = Counter(number for slot in slots if (number := take_used(slot)) is not None)
    return {str(number): counts[number] for number in sorted(counts)}


# ---------------------------------------------------------------- what a person should look at


def flagged_line(slot: Slot, made: StitchedChapter | None) -> page.FlaggedLine:
    """A flagged or failed line with where it stands in its chapter."""
    verdict = verdict_used(slot)
    cue = None
    if made is not None:
        cue = next((cue for cue in made.timeline.cues if cue.line_id == slot.line.id), None)
    rate = made.timeline.sample_rate if made is not None else 1
    flaws = verdict.flaws if verdict is not None else ()
    head = verdict.measures.get("head_seconds", 0.0) if verdict is not None else 0.0

    def at(flaw: Flaw) -> float | None:
        if cue is None:
            return None
        for mark in cue.marks:
            if flaw.start_char >= 0 and mark.end_char > flaw.start_char:
                return round(mark.start / rate, 2)
        offset = max(0.0, flaw.start_seconds - head) if flaw.start_seconds >= 0.0 else 0.0
        return round(min(cue.start / rate + offset, cue.end / rate), 2)

    return page.FlaggedLine(
        chapter=slot.chapter,
        line_id=slot.line.id,
        text=slot.line.text,
        reasons=slot.flagged or (slot.failed,),
        at_seconds=None if cue is None else cue.start / rate,
        speaker=slot.line.speaker,
        heard=verdict.heard if verdict is not None else "",
        take=take_used(slot),
        tries=len(slot.tried),
        flaws=tuple(
            page.ReceiptFlaw(
                code=flaw.code, what=flaw.what, at_seconds=at(flaw),
                start_char=flaw.start_char if flaw.start_char >= 0 else None,
                end_char=flaw.end_char if flaw.end_char >= 0 else None,
            )
            for flaw in flaws
        ),
    )  # fmt: skip


def retakes(session: Session, slots: Sequence[Slot]) -> tuple[page.Retakes, tuple[page.TriedLine, ...]]:
    """Re-takes in figures, and every line that has some with all its tries."""
    again = [slot for slot in slots if len(slot.tried) > 1]
    reasons: dict[str, list[bool]] = {}
    recipes: dict[str, list[bool]] = {}
    rows = []
    for slot in again:
        tries = session.tries_of(slot)
        for before, one in pairwise(tries):
            passed = one.verdict is not None and one.verdict.outcome == "pass"
            recipes.setdefault(one.recipe, []).append(passed)
            for code in codes_of(before.verdict.reasons if before.verdict is not None else ()):
                reasons.setdefault(code, []).append(passed)
        rows.append(page.TriedLine(
            chapter=slot.chapter, line_id=slot.line.id, text=slot.line.text, chosen=take_used(slot),
            tries=tuple(row for one in tries if (row := _try(one)) is not None),
        ))  # fmt: skip
    figures = page.Retakes(
        lines=len(again),
        tries=sum(len(slot.tried) - 1 for slot in again),
        healed=sum(slot.healed for slot in again),
        levelled=sum(slot.levelled_db != 0.0 for slot in slots),
        by_reason=_counts(reasons),
        by_recipe=_counts(recipes),
    )
    return figures, tuple(rows)


def _try(one: Try) -> page.ReceiptTry | None:
    if one.verdict is None:
        return None
    return page.ReceiptTry(
        take=one.take, key=one.key, recipe=one.recipe, outcome=one.verdict.outcome,
        score=round(one.verdict.score, 4), reasons=one.verdict.reasons,
    )  # fmt: skip


def _counts(passed: Mapping[str, Sequence[bool]]) -> tuple[page.RetakeCount, ...]:
    rows = [page.RetakeCount(what=what, tries=len(some), passed=sum(some)) for what, some in passed.items()]
    return tuple(sorted(rows, key=lambda row: (-row.tries, row.what)))


# ---------------------------------------------------------------- who and what decided


def speakers(lines: Iterable[Line], cast: Cast) -> tuple[page.ReceiptRule, ...]:
    """What decided who speaks, most lines first."""
    counts: Counter[str] = Counter()
    unsure: Counter[str] = Counter()
    for line in lines:
        if line.kind == "dialogue":
            counts[line.rule] += 1
            unsure[line.rule] += is_unsure(line, cast)
    return tuple(page.ReceiptRule(rule=rule, lines=count, unsure=unsure[rule]) for rule, count in counts.most_common())


def readings(slots: Iterable[Slot]) -> page.ReceiptReadings:
    """What decided how characters are read, and those that were heard otherwise."""
    origins: Counter[str] = Counter()
    found: dict[tuple[str, int, str, str], list[Slot]] = {}
    for slot in slots:
        origins.update(reading.origin for reading in slot.line.readings)
        verdict = verdict_used(slot)
        if verdict is None or not verdict.heard:
            continue
        for one in heard_otherwise(slot.line.spoken, slot.line.readings, verdict.heard):
            found.setdefault((one.word, one.at, one.reading, one.heard), []).append(slot)
    proposals = [
        page.ReadingProposal(
            word=word, char=word[at], reading=reading, heard=heard, times=len(own),
            chapter=own[0].chapter, line_id=own[0].line.id, text=own[0].line.spoken,
        )
        for (word, at, reading, heard), own in found.items()
    ]  # fmt: skip
    return page.ReceiptReadings(
        total=origins.total(),
        forced=sum(origins[origin] for origin in FORCED),
        by_origin=dict(origins.most_common()),
        proposals=tuple(sorted(proposals, key=lambda one: -one.times)[:MOST_PROPOSALS]),
    )


def speech_rate(chapters: Sequence[StitchedChapter], step_seconds: float = 60.0) -> page.SpeechRate:
    """Characters a second of speech for every step of the book; a line that lies in two steps counts in both by its parts."""
    chars: defaultdict[int, float] = defaultdict(float)
    seconds: defaultdict[int, float] = defaultdict(float)
    begin = 0.0
    for chapter in chapters:
        rate = chapter.timeline.sample_rate
        for cue in chapter.timeline.cues:
            start, end = begin + cue.start / rate, begin + cue.end / rate
            if end <= start:
                continue
            density = sounding_chars(cue.spoken) / (end - start)
            for step in range(int(start // step_seconds), int(end // step_seconds) + 1):
                inside = min(end, (step + 1) * step_seconds) - max(start, step * step_seconds)
                if inside > 0:
                    seconds[step] += inside
                    chars[step] += density * inside
        begin += chapter.timeline.samples / rate
    last = max(seconds, default=-1)
    return page.SpeechRate(
        step_seconds=step_seconds,
        chars_per_second=tuple(
            round(chars[step] / seconds[step], 2) if seconds[step] >= 1.0 else None for step in range(last + 1)
        ),
    )
