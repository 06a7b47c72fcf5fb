"""One line of the script changed as its user would change it in the file, without a sync of the whole book.

Contract: ``touch`` looks at the file as it stands and gives the line as it would be, and the file's new text; nothing is
written before ``Touched.write``. Only the rows of the changed keys differ (``patch.py``). What is written is read back
first, so that nothing wrong can get into the file. The next ``sync`` finds the change there as any other edit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from common.errors import VoicepressError
from common.files import read_file, write_text
from tasks.domain import Line
from tasks.script import base as bases
from tasks.script import journal, merge
from tasks.script.format import Fields, Value, generated
from tasks.script.inline import parse
from tasks.script.parse import read as read_page
from tasks.script.parse import script_text
from tasks.script.patch import Want, rewrite
from tasks.script.readings import Reader
from tasks.script.store import path_of

Changes = Mapping[str, Value] | Callable[[Line], Mapping[str, Value]]
AGAIN = "look at the line as it is now, and change it again"


@dataclass(frozen=True, slots=True)
class Touched:
    """``line`` as the file would have it, ``fields`` as it would say them. ``text`` is the file's, whole."""

    line: Line
    fields: Fields
    path: Path
    text: str

    def write(self) -> None:
        """Write the file, whole or not at all; call it while holding the book."""
        write_text(self.path, self.text)


def fields_of(line: Line) -> Fields:
    """What a script file says of a line, by key, defaults included; readings as we write them."""
    return generated(line)


def touch(
    folder: Path,
    number: int,
    line_id: str,
    changes: Changes,
    reader: Reader,
    max_chars: int,
    seen: Mapping[str, Value] | None = None,
) -> Touched:
    """Change keys of a line in chapter ``number``'s file; call it while holding the book.

    ``changes`` gives new values by key (``FIELDS``), or finds them from the line as it stands. ``seen`` are the values that
    the change was made from (``fields_of`` the line). Errors: ``script-changed`` where the file says other values by now, or has no such line any
    more; whatever a script file can have wrong.
    """
    journal.finish(folder)
    path = path_of(folder, number)
    text = script_text(read_file(path, "the script"), path)
    page = read_page(text, path, number)
    known = bases.load(folder / ".base" / f"{number:03d}.json")
    mine = next((one for one in page.items if one.id == line_id), None)
    if mine is None or known is None or line_id not in known.lines:
        raise VoicepressError(
            "script-changed", f"the line {line_id} is not in the script any more", file=path, hint=AGAIN
        )
    before = known.lines[line_id]
    now = _line(before, mine.fields, reader)
    if seen is not None and fields_of(now) != dict(seen):  # a reading may be written in more than one way
        raise VoicepressError(
            "script-changed", "this line was changed in the meantime", file=path, line=mine.at["id"], hint=AGAIN
        )
    told = changes if isinstance(changes, Mapping) else changes(now)
    fields = mine.fields | {name: _tidy(value) for name, value in told.items()}
    spoken = str(fields["spoken"])
    if spoken != mine.fields["spoken"] and "reading" not in told:
        same = spoken == before.spoken
        fields["reading"] = (
            generated(before)["reading"] if same else merge.auto_reading(spoken, before.language, reader)
        )
    if len(spoken) > max_chars and spoken != before.spoken:
        raise VoicepressError(
            "line-too-long", f"the line has {len(spoken)} characters; at most {max_chars} can be said at once",
            key="spoken", hint="shorten it",
        )  # fmt: skip
    if "reading" in told and fields["reading"]:
        parse(str(fields["reading"]), spoken)
    wanted = [
        Want(
            one.id, one.text, fields if one is mine else one.fields, _note(one.note, one is mine and "speaker" in told)
        )
        for one in page.items
    ]
    new = rewrite(page, number, page.title, wanted)
    again = {one.id: one.fields for one in read_page(new, path, number).items}
    if again != {want.id: want.fields for want in wanted}:
        raise VoicepressError(
            "edit-by-hand", "the line cannot be changed without touching what stands around it", file=path,
            line=mine.at["id"], hint="change it in the file yourself",
        )  # fmt: skip
    return Touched(_line(before, fields, reader), fields, path, new)


def _line(before: Line, fields: Fields, reader: Reader) -> Line:
    edits = merge.edits_of(
        {before.id: generated(before)}, {before.id: fields}, False,
        lambda _, spoken: merge.auto_reading(spoken, before.language, reader),
    )  # fmt: skip
    return merge.apply(before, edits.get(before.id, {}), reader)


def _tidy(value: Value) -> Value:
    if isinstance(value, float):
        return round(value, 4)
    return " ".join(value.split()) if isinstance(value, str) else value


def _note(note: str | None, renamed: bool) -> str:
    return "" if renamed or note is None else note
