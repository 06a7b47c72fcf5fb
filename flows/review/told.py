"""The board in plain data, as the page gets it. Pure but for looking at the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from common.errors import VoicepressError
from flows.review.actions import revision_of
from flows.review.board import Board, Entry, Place, Wanted
from flows.review.diff import compared
from flows.review.listening import can_listen
from flows.review.rank import STATES, Doubtful
from flows.review.recorder import Work
from flows.session import Try
from tasks.domain import Flaw, Line, Verdict
from tasks.script.doubts import word_at
from tasks.script.touch import fields_of

PAGE = 50
DOUBTS = 8
"""How many readings of a line are offered for change, the least sure first."""

SURE = 0.97
"""Readings surer than this are not offered for change."""

LIKELY = 0.03
"""Readings less likely than this are not offered."""

Plain = dict[str, Any]
Ways = Sequence[tuple[str, float]]


def book(board: Board) -> Plain:
    """What stays the same from line to line."""
    counts = board.counts()
    names = {role.name for role in board.job.cast.characters} | set(counts["speakers"])
    voices = [voice for voice in board.desk.library.offered() if not board.engine.accepts(voice)]
    return {
        "title": board.title,
        "engine": board.engine.name,
        "chapters": [{"number": number, "title": title} for number, title in board.chapters()],
        "states": {state: counts["states"].get(state, 0) for state in STATES},
        "speakers": counts["speakers"],
        "reasons": counts["reasons"],
        "names": sorted(names),
        "voices": [{"id": voice.id, "name": voice.name} for voice in voices],
        "styles": sorted({entry.style for entry in board.entries() if entry.style}),
        "max_chars": board.max_chars,
        "check": board.job.check,
        "ear": can_listen(),
        "lines": len(board.entries()),
        "looked_at": board.looked_at,
        "generation": board.generation,
        "stale": board.is_stale(),
    }


def lines(
    board: Board, wanted: Wanted, offset: int, limit: int, around: Place | None = None, *, fresh: bool = False
) -> Plain:
    """One page of a list. ``around``: the page that holds this line, if the list does."""
    with board.mutex:
        places = board.listed(wanted, fresh=fresh)
        if around is not None and around in places:
            offset = places.index(around) // limit * limit
        offset = max(0, min(offset, (len(places) - 1) // limit * limit)) if places else 0
        rows = [_row(board.entry(place)) for place in places[offset : offset + limit]]
        return {"total": len(places), "offset": offset, "limit": limit, "rows": rows, "generation": board.generation}


def _row(entry: Entry) -> Plain:
    return {
        "chapter": entry.chapter,
        "id": entry.line.id,
        "text": entry.line.text,
        "speaker": entry.line.speaker,
        "state": entry.state,
        "reasons": [reason.code for reason in entry.reasons],
        "key": entry.key,
        "seconds": round(entry.seconds, 2),
    }


def line(board: Board, place: Place) -> Plain:
    """All about one line."""
    with board.mutex:
        entry = board.entry(place)
        said = entry.line
        tries = board.tries(entry)
        return {
            **_row(entry),
            "kind": said.kind,
            "language": said.language,
            "fields": fields_of(said),
            "revision": revision_of(said),
            "editable": entry.chapter in board.own_chapters,
            "voice_id": entry.voice,
            "voice_name": board.desk.library.get(entry.voice).name if entry.voice else "",
            "style_asked": entry.style,
            "suspicion": round(entry.suspicion, 2),
            "reasons": [{"code": reason.code, "what": reason.what} for reason in entry.reasons],
            "take": entry.number,
            "tries": [_try(board, entry, one) for one in tries],
            "before": _beside(board, place, -1),
            "after": _beside(board, place, 1),
            "doubts": _doubts(board, entry),
            "generation": board.generation,
        }


def _doubts(board: Board, entry: Entry) -> list[Plain]:
    worth = []
    for one, ways in board.doubts_of(entry):
        likely = [way for way in ways if way[1] >= LIKELY or way[0] == one.phones]
        if len(likely) > 1 and one.sure < SURE:
            worth.append((one.sure, _doubt(entry.line, one, likely)))
    return [doubt for _, doubt in sorted(worth, key=lambda pair: pair[0])[:DOUBTS]]


def _doubt(said: Line, one: Doubtful, ways: Ways) -> Plain:
    low, high = word_at(said.spoken, one.place)
    phones = {reading.start: reading.phones for reading in said.readings}
    places = [place for place in range(low, high) if place in phones]
    return {
        "char": one.char,
        "phones": one.phones,
        "sure": one.sure,
        "candidates": [[phones, round(share, 3)] for phones, share in ways],
        "word": said.spoken[low:high],
        "syllables": [phones[place] for place in places],
        "at": places.index(one.place) if one.place in places else 0,
    }


def _beside(board: Board, place: Place, step: int) -> Plain | None:
    found = board.beside(place, step)
    return None if found is None else _row(found)


def _try(board: Board, entry: Entry, one: Try) -> Plain:
    take = board.desk.store.get(one.key)
    verdict = one.verdict or Verdict("pass")
    heard = board.heard.get(one.key) or verdict.heard
    spoken, told = compared(entry.line.spoken, heard, entry.line.language)
    return {
        "take": one.take,
        "recipe": one.recipe,
        "key": one.key,
        "seconds": round(take.samples / take.sample_rate, 2) if take else 0.0,
        "outcome": one.verdict.outcome if one.verdict else "",
        "score": round(verdict.score, 3) if one.verdict else None,
        "flaws": [_flaw(flaw) for flaw in verdict.flaws] or [{"what": reason} for reason in verdict.reasons],
        "notes": [str(note) for note in take.meta.get("notes") or ()] if take else [],
        "approved": one.key in board.approvals,
        "chosen": one.key == entry.key,
        "spoken": spoken,
        "heard": told,
    }


def _flaw(flaw: Flaw) -> Plain:
    found: Plain = {"what": str(flaw)}
    if flaw.start_seconds >= 0.0:
        found |= {"start": flaw.start_seconds, "end": max(flaw.end_seconds, flaw.start_seconds)}
    return found


def work(one: Work) -> Plain:
    """How far something is."""
    return {
        "id": one.id,
        "chapter": one.chapter,
        "line": one.line_id,
        "state": one.state,
        "stage": one.stage,
        "take": one.take,
        "error": error(one.error) if one.error else None,
    }


def error(found: VoicepressError) -> Plain:
    return {"code": found.code, "what": found.what, "where": found.where, "hint": found.hint}
