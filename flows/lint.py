"""``voicepress lint``: everything that is wrong with a book's files, or doubtful in them, at once. Nothing is recorded
and no file of the book is written.

Contract: ``lint`` looks at a book (its book.yaml, series, cast, lexicons, tables, voices, and every script file), or at
one such file alone. One mistake does not hide another: a file that cannot be read is one problem, what depends on it is
left out, all else is looked at.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import engines
from common.errors import VoicepressError
from common.files import read_json, require_file
from common.yamlio import load_with_lines, load_with_model
from engines.base import Engine
from flows.castfile import CastFile, load_cast
from flows.config import Book, BookFile, find_book, load_book, slug_of
from flows.judge import judge_of
from flows.lexicons import layers
from flows.lint_script import Scripts, look
from flows.problems import Problem, Problems
from flows.seriesfile import FILE as SERIES
from flows.seriesfile import SeriesFile, load_series
from flows.workspace import Workspace
from tasks.domain import Cast, Script
from tasks.read.manuscript import read_manuscript
from tasks.script.lexicon import LexiconFile, checked, load_layers
from tasks.script.scribe import Scribe
from tasks.script.store import examine, sync
from tasks.script.style import StyleTable, rules
from tasks.script.write import ScriptSettings
from tasks.speak.casting import voice_ids_of
from tasks.speak.voices import VoiceLibrary
from tasks.stitch.mastering import load_mastering
from tasks.stitch.pauses import load_pauses

_CHAPTER_FILE = re.compile(r"[0-9]{3,}\.ya?ml|orphans\.yaml")


def lint(paths: Sequence[Path], engine: str = "") -> list[Problem]:
    """All problems of the books or files at ``paths``; ``engine`` overrides the books' engine by name."""
    found = Problems()
    for path in paths:
        _one(path, engine, found)
    return list(found)


def _one(path: Path, engine: str, found: Problems) -> None:
    if path.is_file() and path.name != "book.yaml":
        kind = _kind_of(path, found)
        if kind is not None:
            kind(path.absolute(), engine, found)
            return
    with found.catching():
        _book(find_book(path), engine, found)


def _kind_of(path: Path, found: Problems) -> Callable[[Path, str, Problems], None] | None:
    """What checks a single file: known by its name and its keys."""
    if path.parent.name == "script" and _CHAPTER_FILE.fullmatch(path.name):
        return _script_file
    if path.suffix.lower() not in (".yaml", ".yml"):
        return None
    try:
        value = load_with_lines(path, "the file")[0]
    except VoicepressError:
        value = None
    keys: set[str] = {str(key) for key in value} if isinstance(value, dict) else set()
    if path.name == SERIES:
        return lambda file, _, problems: _series(file, problems)
    if "manuscript" in keys:
        return None
    if "entries" in keys or "lexicon" in path.stem:
        return lambda file, _, problems: _lexicon(file, problems)
    if keys & {"narrator", "characters", "unknown", "pool"} or "cast" in path.stem:
        return lambda file, _, problems: _cast(file, problems)
    if keys & {"zh", "en", "marks", "moods"} or "style" in path.stem:
        return lambda file, _, problems: _styles(file, problems)
    return None


# ---------------------------------------------------------------- single files


def _script_file(path: Path, engine: str, found: Problems) -> None:
    """A chapter file of a book that was made before: the book says what it should hold."""
    made = read_json(path.parent.parent / "made-from.json")
    book = Path(made["book"]) if isinstance(made, dict) and isinstance(made.get("book"), str) else None
    if book is None or not book.is_file():
        with found.catching():
            raise VoicepressError(
                "not-a-book", "nothing tells which book this script is of", file=path, hint="name the book instead"
            )
        return
    whole = Problems()
    _book(book, engine, whole)
    for one in whole:
        if one.file == str(path):
            found.add(one)


def _series(path: Path, found: Problems) -> None:
    with found.catching(SeriesFile, "the series file"):
        load_series(path)


def _cast(path: Path, found: Problems) -> None:
    with found.catching(CastFile, "the cast"):
        # A book's cast in a series says only what differs.
        load_cast(path, partial=(path.absolute().parent.parent / SERIES).is_file())


def _styles(path: Path, found: Problems) -> None:
    with found.catching(StyleTable, "the table of styles"):
        rules(path)


def _lexicon(path: Path, found: Problems) -> None:
    """Each entry by itself, so that every wrong one is named."""
    value: Any = None
    try:
        value, node = load_with_lines(path, "the lexicon")
        checked(value, node, path)
        return
    except VoicepressError as error:
        first = error
    entries = value.get("entries") if isinstance(value, dict) else None
    before = found.errors()
    if isinstance(entries, dict):
        rest = {key: one for key, one in value.items() if key != "entries"}
        with found.catching(LexiconFile, "the lexicon"):
            checked(rest | {"entries": {}}, node, path)
        for word, entry in entries.items():
            with found.catching():
                checked({"entries": {word: entry}}, node, path)
    if found.errors() == before:
        found.error(first)


# ---------------------------------------------------------------- a book


def _book(path: Path, engine: str, found: Problems) -> None:
    before = found.errors()
    with found.catching(BookFile, "the book file"):
        load_with_model(path, BookFile, "the book file")
    series = path.parent.parent / SERIES
    if series.is_file():
        _series(series, found)
    job: Book | None = None
    first: VoicepressError | None = None
    if found.errors() == before:
        try:
            job = load_book(path, engine=engine)
        except VoicepressError as error:
            first = error
    if job is None:
        _named_files(path, found)
        if found.errors() == before and first is not None:
            found.error(first)
        _scripts_alone(path, found)
        return
    for lexicon in job.lexicons:
        _lexicon(lexicon, found)
    for check in (
        partial(load_pauses, job.pauses),
        partial(load_mastering, job.mastering),
        partial(rules, job.style_table),
    ):
        with found.catching():
            check()
    speaker = _engine(job, found)
    library = VoiceLibrary(job.voices)
    _voices(job, speaker, library, found)
    if found.errors() == before or all(one.code in _HARMLESS for one in found if one.level == "error"):
        with found.catching():
            _script(job, speaker, library, found)
    else:
        _scripts_alone(path, found)


_HARMLESS = frozenset({"unknown-voice", "voice-unusable", "unknown-engine", "no-model", "no-such-device"})
"""Errors in spite of which the script can be worked out."""


def _stated_in(path: Path) -> dict[str, Any]:
    """What a book.yaml says, whatever it is worth; nothing where it is no YAML."""
    try:
        value = load_with_lines(path, "the book file")[0]
    except VoicepressError:
        return {}
    return value if isinstance(value, dict) else {}


def _named_files(path: Path, found: Problems) -> None:
    """The files that a broken book.yaml names, as far as they can be found."""
    value = _stated_in(path)
    for key, look_at in (("cast", _cast), ("lexicon", _lexicon), ("styles", _styles)):
        name = value.get(key)
        if not isinstance(name, str) or not name.endswith((".yaml", ".yml")) or "\0" in name:
            continue
        file = path.parent / name
        if file.is_file() and file.resolve().is_relative_to(path.parent.resolve()):
            look_at(file, found)


def _scripts_alone(path: Path, found: Problems) -> None:
    """The script files without what the book says of them."""
    named = _stated_in(path).get("output")
    slug = named if isinstance(named, str) and named and slug_of(named) == named else slug_of(path.parent.name)
    folder = Workspace.of(slug).script
    if slug and folder.is_dir():
        with found.catching():
            examine(folder, Script(()), 180, found.error)


def _engine(job: Book, found: Problems) -> Engine | None:
    with found.catching():
        return engines.load(job.engine, job.options)
    return None


def _voices(job: Book, speaker: Engine | None, library: VoiceLibrary, found: Problems) -> None:
    """Voices that the cast names, and styles that the engine cannot do."""
    for voice_id in voice_ids_of(job.cast):
        file, line = _stated(job.cast_files, voice_id)
        try:
            voice = library.get(voice_id)
        except VoicepressError as error:
            found.error(
                VoicepressError(
                    error.code,
                    error.what,
                    file=error.file or file,
                    line=error.line or line,
                    key=error.key,
                    hint=error.hint,
                )
            )
            continue
        if speaker is not None and (why_not := speaker.accepts(voice)):
            found.error(
                VoicepressError(
                    "voice-unusable", f"the engine '{speaker.name}' cannot use the voice '{voice_id}': {why_not}", file=file,
                    line=line, key="voice", hint="choose another voice ('voicepress voices' lists them) or another engine",
                )
            )  # fmt: skip
    if speaker is None:
        return
    for style in _styles_of(job.cast):
        if speaker.honours(style) == "none":
            file, line = _stated(job.cast_files, style)
            found.warn(
                "style-left-out", f"the engine '{speaker.name}' leaves out the style '{style}'", file, line,
                "say it in other words (louder, sad, slow …), or choose another engine", "style",
            )  # fmt: skip


def _styles_of(cast: Cast) -> list[str]:
    found: list[str] = []
    for role in (cast.narrator, *cast.characters):
        found += [role.style, *role.moods.values()]
        for change in role.chapters.values():
            found += [change.style or "", *change.moods.values()]
    return list(dict.fromkeys(filter(None, found)))


def _stated(files: Iterable[Path], word: str) -> tuple[Path | None, int | None]:
    """The nearest file that holds ``word`` as a value, with the row."""
    last: Path | None = None
    pattern = re.compile(rf"(?<![\w.-]){re.escape(word)}(?![\w.-])")
    for file in reversed(tuple(files)):
        last = last or file
        for row, text in enumerate(file.read_text("utf-8-sig", "replace").splitlines(), 1):
            if pattern.search(text.split(" #")[0]):
                return file, row
    return last, None


def _script(job: Book, speaker: Engine | None, library: VoiceLibrary, found: Problems) -> None:
    """What the manuscript would give now, held against the script files."""
    require_file(job.manuscript, "the manuscript")
    manuscript = read_manuscript(
        job.manuscript, language=job.language, title=job.info.title, encoding=job.encoding, convert=job.convert
    )
    max_chars = min(job.max_chars, speaker.limits.max_chars) if speaker else job.max_chars
    settings = ScriptSettings(
        max_chars=max_chars, language=manuscript.language, styles=job.styles, style_table=job.style_table
    )
    workspace = Workspace.of(job.slug)
    scribe = Scribe(job.cast, settings, load_layers(layers(job)), judge_of(job.judge, workspace))
    draft = scribe.draft(manuscript)
    folder = workspace.script
    before = found.errors()
    pages = examine(folder, draft, max_chars, found.error)
    if found.errors() > before:
        return
    with tempfile.TemporaryDirectory(prefix="voicepress-lint-") as place:
        copy = Path(place) / "script"  # a sync as the next make would do it, on a copy
        if folder.is_dir():
            shutil.copytree(folder, copy)
        synced = sync(copy, draft, scribe.reader_of, max_chars, job.cast.unsure_below)
    look(job, speaker, library, Scripts(folder, pages, synced), found)
