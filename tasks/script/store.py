"""The script as files that a person edits: one YAML file a chapter, kept in step with what is generated.

Contract: ``sync`` merges a newly generated script with the files of a folder and leaves both the files and what it
returns in agreement. What the user changed wins; what the user did not change follows the generation; nothing the
user wrote is dropped (``merge.py``). A file that needs no change is not touched. Anything wrong in a file is one
``VoicepressError`` with file and row, raised before anything is written. A run killed at any moment is completed by
the next one (``journal.py``).

Files that hold nothing of the user's are written from scratch, which is fast; in the others only what changed is
written (``patch.py``). A file that is still as it was after the last sync is not even parsed.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from common.errors import VoicepressError
from common.files import make_folder, read_file
from tasks.domain import UNSURE_BELOW, ChapterScript, Line, Script
from tasks.script import base as bases
from tasks.script import journal, merge, orphans, schema
from tasks.script.base import Base
from tasks.script.format import FIELDS, SCHEMA_FILE, Fields, default, emit, generated, unsure_note
from tasks.script.inline import parse
from tasks.script.kin import Moved, follow
from tasks.script.merge import REMOVED, Edits, Old
from tasks.script.parse import Complain, Page, script_text, stop
from tasks.script.parse import read as read_page
from tasks.script.patch import Want, remarks, rewrite, same
from tasks.script.readings import Reader

_FILE = re.compile(r"[0-9]{3,}\.yaml")
_CUT_LINES, _CUT_SHARE = 3, 0.25
_Remarks = list[tuple[int, list[str]]]

ReaderOf = Callable[[int], Reader]
"""The reader for a chapter, by its number."""


@dataclass(frozen=True, slots=True)
class Synced:
    """``script``: generated, with the user's edits. ``edits``: how many fields the user changed. ``written``: chapters
    whose file was written. ``orphans``: edits whose line is gone, all that stand in ``orphans.yaml``. ``removed``: how
    many lines the user deleted (they are skipped). ``moved``: edits that followed a line which changed a little."""

    script: Script
    edits: int
    written: tuple[int, ...]
    orphans: tuple[orphans.Lost, ...]
    removed: int = 0
    moved: tuple[Moved, ...] = ()


@dataclass(frozen=True, slots=True)
class _Page:
    """A chapter's file as found. ``page`` is only there if the file had to be parsed."""

    data: bytes
    sha: str
    base: Base | None
    page: Page | None
    old: Old


def path_of(folder: Path, number: int) -> Path:
    """The file of a chapter."""
    return folder / f"{number:03d}.yaml"


def sync(
    folder: Path,
    script: Script,
    reader: ReaderOf | Reader,
    max_chars: int = 180,
    unsure_below: float = UNSURE_BELOW,
) -> Synced:
    """Bring the files of ``folder`` and ``script`` together.

    ``reader`` is the book's, or gives each chapter's. ``max_chars`` bounds a spoken text that the user edits;
    speakers under ``unsure_below`` are marked by a comment. Raises ``VoicepressError`` for anything wrong in a file, and
    for a folder that cannot be written to.
    """
    reader_of: ReaderOf = (lambda _: reader) if isinstance(reader, Reader) else reader
    make_folder(folder / ".base")
    journal.finish(folder)
    now = {chapter.number: chapter for chapter in script.chapters}
    found, goes_on_from, edits, moved, lost = _carried(folder, now, reader_of, max_chars)
    kin = {key: one.old_id for one in moved for key in one.new_ids[:1]}

    changes: dict[str, str | None] = {}
    lost_text, all_lost = _orphans(folder, lost, _remarks(folder, found, goes_on_from))
    if lost_text is not None:
        changes[orphans.NAME] = lost_text
    merged: list[ChapterScript] = []
    written: list[int] = []
    total = removed = 0
    for number, chapter in now.items():
        mine = edits[number]
        before = found.get(goes_on_from.get(number, -1))
        here = found.get(number)
        notes = {line.id: note for line in chapter.lines if (note := unsure_note(line, unsure_below))}
        stamp = bases.stamp_of(chapter, notes.values())
        done, text, ours = _chapter(folder, chapter, stamp, mine, before, here, reader_of(number), notes, kin)
        merged.append(done)
        by_id = {line.id: line for line in chapter.lines} if mine else {}
        total += merge.count(mine, by_id)
        removed += sum(REMOVED in edit for edit in mine.values())
        sha = here.sha if here is not None and text is None else bases.sha_of((text or "").encode("utf-8"))
        if text is not None:
            changes[f"{number:03d}.yaml"] = text
            written.append(number)
        known = here.base if here is not None else None
        if known is None or (known.stamp, known.sha, known.ours, known.edits) != (stamp, sha, ours, mine):
            fresh = Base.of(chapter, done, mine, sha, ours, stamp)
            changes[f".base/{number:03d}.json"] = json.dumps(
                bases.to_json(fresh), ensure_ascii=False, separators=(",", ":")
            )
    for number in found:
        if number not in now:
            changes[f"{number:03d}.yaml"] = None
            changes[f".base/{number:03d}.json"] = None
    if not (folder / SCHEMA_FILE).is_file() or (folder / SCHEMA_FILE).read_text("utf-8") != schema.text():
        changes[SCHEMA_FILE] = schema.text()
    if changes:
        journal.commit(folder, changes)
    return Synced(Script(tuple(merged)), total, tuple(written), all_lost, removed, tuple(moved))


def settled(folder: Path, script: Script, reader: ReaderOf, max_chars: int = 180) -> frozenset[tuple[int, str]]:
    """Chapter number and id of the lines of ``script`` whose speaker the user has settled in the files of ``folder``: by
    name, by a voice, or by leaving the line out. Raises as ``sync`` does; writes only what a killed ``sync`` left to do."""
    if not folder.is_dir():
        return frozenset()
    journal.finish(folder)
    now = {chapter.number: chapter for chapter in script.chapters}
    edits = _carried(folder, now, reader, max_chars)[2]
    return frozenset(
        (number, key)
        for number, chapter_edits in edits.items()
        for key, edit in chapter_edits.items()
        if "speaker" in edit or edit.get("voice") or edit.get("skip") or REMOVED in edit
    )


def _carried(
    folder: Path, now: Mapping[int, ChapterScript], reader_of: ReaderOf, max_chars: int
) -> tuple[dict[int, _Page], dict[int, int], dict[int, Edits], list[Moved], list[merge.Orphan]]:
    """The files as found, which of them each chapter goes on from, the user's edits in their new places, those that
    followed a line, and those that lost theirs."""
    found = {
        number: _open(folder, number, now.get(number), reader_of(number), max_chars) for number in _numbers(folder)
    }
    old = [one.old for one in found.values()]
    ids = {number: [line.id for line in chapter.lines] for number, chapter in now.items()}
    goes_on_from = merge.match_chapters(old, ids)
    edits, lost = merge.carry(old, ids, goes_on_from)
    texts = {number: {line.id: line.text for line in chapter.lines} for number, chapter in now.items()} if lost else {}
    moved, lost = follow(old, texts, goes_on_from, edits, lost)
    return found, goes_on_from, edits, moved, lost


def load(folder: Path) -> Script | None:
    """The script as of the last ``sync``, or ``None`` where there is none (or its bases are lost: sync again)."""
    numbers = _numbers(folder)
    found = [bases.load(_base_path(folder, number)) for number in numbers]
    chapters = [one.merged for one in found if one is not None]
    return Script(tuple(chapters)) if chapters and len(chapters) == len(numbers) else None


def examine(folder: Path, script: Script, max_chars: int, complain: Complain) -> dict[int, Page]:
    """Every chapter file as it stands, by number, nothing written; ``complain`` gets all that is wrong in them, not the
    first alone. ``script`` is what would be generated now."""
    now = {chapter.number: chapter for chapter in script.chapters}
    found: dict[int, Page] = {}
    for number in _numbers(folder):
        path = path_of(folder, number)
        try:
            page = read_page(script_text(read_file(path, "the script"), path), path, number, complain)
        except VoicepressError as error:
            complain(error)
            continue
        found[number] = page
        base = bases.load(_base_path(folder, number))
        fresh = {line.id: line for line in now[number].lines} if number in now else {}
        _check(page, base, base.lines if base else fresh, fresh, max_chars, path, complain)
        _require_whole(page, base, path, complain)
        read_by_us = {key: one["reading"] for key, one in base.fields().items()} if base else {}
        edits: Edits = {one.id: one.fields for one in page.items if one.fields["reading"] != read_by_us.get(one.id)}
        _check_readings(page, edits, path, complain)
    try:
        if (lost := folder / orphans.NAME).is_file():
            orphans.read(script_text(lost.read_bytes(), lost), lost)
    except VoicepressError as error:
        complain(error)
    return found


def _numbers(folder: Path) -> list[int]:
    return (
        sorted(int(path.stem) for path in folder.glob("*.yaml") if _FILE.fullmatch(path.name))
        if folder.is_dir()
        else []
    )


def _base_path(folder: Path, number: int) -> Path:
    return folder / ".base" / f"{number:03d}.json"


def _open(folder: Path, number: int, now: ChapterScript | None, reader: Reader, max_chars: int) -> _Page:
    """A chapter's file and what the user made of it since it was generated."""
    path = path_of(folder, number)
    data = read_file(path, "the script")
    sha = bases.sha_of(data)
    base = bases.load(_base_path(folder, number))
    if base is not None and base.number != number:
        base = None
    if base is not None and base.sha == sha:
        return _Page(data, sha, base, None, Old(number, base.texts(), base.edits))
    page = read_page(script_text(data, path), path, number)
    fresh = {line.id: line for line in now.lines} if now else {}
    lines = base.lines if base else fresh
    _check(page, base, lines, fresh, max_chars, path, stop)
    _require_whole(page, base, path, stop)
    fields = base.fields() if base else {key: generated(line) for key, line in lines.items()}
    known = fields | {key: generated(line) for key, line in fresh.items() if key not in fields}
    edits = merge.edits_of(
        known, {one.id: one.fields for one in page.items}, False,
        lambda key, spoken: merge.auto_reading(spoken, (lines.get(key) or fresh[key]).language, reader),
    )  # fmt: skip
    if base is not None:
        in_file = {one.id for one in page.items}
        edits |= {key: {REMOVED: True} for key in fields if key not in in_file}
    if base is None:
        edits |= _strangers(page, known)
    _check_readings(page, edits, path, stop)
    texts = {key: line.text for key, line in lines.items()} | {one.id: one.text for one in page.items}
    return _Page(data, sha, base, page, Old(number, texts, edits))


def _check(
    page: Page, base: Base | None, lines: Mapping[str, Line], fresh: Mapping[str, Line], max_chars: int, path: Path,
    complain: Complain,
) -> None:  # fmt: skip
    for one in page.items:
        line = lines.get(one.id) or fresh.get(one.id)
        if line is None:
            if base is None:
                continue
            near = difflib.get_close_matches(one.id, list(lines), n=1, cutoff=0.6)
            complain(VoicepressError(
                "unknown-line", f"there is no line {one.id} in chapter {page.number}", file=path, line=one.at["id"], key="id",
                hint=f"did you mean {near[0]}?" if near else "put the id back as it was; lines cannot be added or moved to another chapter",
            ))  # fmt: skip
            continue
        if one.text != line.text:
            complain(VoicepressError(
                "bad-script", "the text of a line was changed; it only shows where you are in the manuscript", file=path,
                line=one.at["text"], key="text", hint="put it back, and write what is to be said under 'spoken'",
            ))  # fmt: skip
        spoken = str(one.fields["spoken"])
        if spoken != line.spoken and len(spoken) > max_chars:
            complain(VoicepressError(
                "line-too-long", f"the line has {len(spoken)} characters; at most {max_chars} can be said at once", file=path,
                line=one.at.get("spoken", one.at["id"]), key="spoken", hint="shorten it",
            ))  # fmt: skip


def _require_whole(page: Page, base: Base | None, path: Path, complain: Complain) -> None:
    """A file that stops early was cut off in writing, not edited: so many lines are not deleted from the end on."""
    there = {one.id for one in page.items}
    ids = [key for key in (base.texts() if base else ()) if REMOVED not in (base.edits.get(key, ()) if base else ())]
    missing = next((place for place, key in enumerate(reversed(ids)) if key in there), len(ids))
    if missing >= _CUT_LINES and missing >= _CUT_SHARE * len(ids):
        complain(VoicepressError(
            "bad-script", f"the file ends early: its last {missing} lines of {len(ids)} are gone", file=path,
            line=page.items[-1].at[""] if page.items else None,
            hint="restore the rest, or delete the file to have it written anew; to leave lines out write skip: true",
        ))  # fmt: skip


def _check_readings(page: Page, edits: Edits, path: Path, complain: Complain) -> None:
    for one in page.items:
        if "reading" in edits.get(one.id, {}) and one.fields["reading"]:
            try:
                parse(str(one.fields["reading"]), str(one.fields["spoken"]))
            except VoicepressError as error:
                row = one.at.get("reading", one.at["id"])
                complain(VoicepressError(error.code, error.what, file=path, line=row, key="reading", hint=error.hint))


def _strangers(page: Page, known: Mapping[str, Fields]) -> Edits:
    """Without a base nobody can tell what of an unknown line is the user's: all that is not default is taken for it."""
    found: Edits = {}
    for one in page.items:
        if one.id not in known:
            changed = {name: one.fields[name] for name in FIELDS if one.fields[name] != default(name, one.text)}
            if changed:
                found[one.id] = changed
    return found


def _chapter(
    folder: Path,
    chapter: ChapterScript,
    stamp: str,
    edits: Edits,
    before: _Page | None,
    here: _Page | None,
    reader: Reader,
    notes: Mapping[str, str],
    kin: Mapping[str, str],
) -> tuple[ChapterScript, str | None, bool]:
    """The merged chapter, the new text of its file (``None``: as it is), and whether that text is all ours."""
    merged = chapter
    if edits:
        lines = [_applied(folder, chapter.number, line, edits.get(line.id), reader) for line in chapter.lines]
        merged = replace(chapter, lines=tuple(lines))
    ours = before is None or (before.page is None and before.base is not None and before.base.ours)
    if (
        here is not None
        and before is here
        and here.page is None
        and (base := here.base) is not None
        and (base.stamp, base.edits) == (stamp, edits)
    ):
        return merged, None, base.ours
    wanted = [
        Want(
            line.id,
            line.text,
            merge.merged_fields(line, edits.get(line.id, {}), reader),
            "" if "speaker" in edits.get(line.id, ()) else notes.get(line.id, ""),
        )
        for line in chapter.lines
        if REMOVED not in edits.get(line.id, ())
    ]
    if ours or before is None:
        text = emit(chapter.number, chapter.title, wanted)
        return merged, None if here is not None and here.data == text.encode("utf-8") else text, True
    page = _parsed(folder, before)
    if before is here and same(page, chapter.number, chapter.title, wanted):
        return merged, None, False
    text = rewrite(page, chapter.number, chapter.title, wanted, kin)
    return merged, None if here is not None and here.data == text.encode("utf-8") else text, False


def _parsed(folder: Path, one: _Page) -> Page:
    return one.page or read_page(script_text(one.data, path := path_of(folder, one.old.number)), path, one.old.number)


def _applied(folder: Path, number: int, line: Line, edit: Fields | None, reader: Reader) -> Line:
    if not edit:
        return line
    try:
        return merge.apply(line, edit, reader)
    except VoicepressError as error:
        raise VoicepressError(
            error.code, f"line {line.id}: {error.what}", file=path_of(folder, number), key="reading", hint=error.hint
        ) from error


def _remarks(folder: Path, found: Mapping[int, _Page], goes_on_from: Mapping[int, int]) -> _Remarks:
    """The user's comments in files that no chapter goes on from."""
    gone = [number for number in found if number not in goes_on_from.values()]
    return [(number, rows) for number in gone if (rows := remarks(_parsed(folder, found[number])))]


def _orphans(folder: Path, lost: list[merge.Orphan], comments: _Remarks) -> tuple[str | None, tuple[orphans.Lost, ...]]:
    """The new text of ``orphans.yaml`` (``None``: as it is), and all entries it then holds."""
    path = folder / orphans.NAME
    text = script_text(path.read_bytes(), path) if path.is_file() else ""
    if not text and not lost and not comments:
        return None, ()
    orphans.read(text, path)  # a broken file is an error before anything is added to it
    new = orphans.appended(text, lost, comments)
    return (new if new != text else None), orphans.read(new, path)
