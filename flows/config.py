"""The edge where ``book.yaml`` and ``cast.yaml`` become plain, checked data.

Contract: ``load_book`` gives a ``Book`` whose files exist and lie inside the book's folder (or in the house, for
shared casts and presets), or one ``VoicepressError`` that names file, line and key. A book may come from a stranger:
it can name no file outside these places unless ``VOICEPRESS_ROOTS`` (paths separated like ``PATH``) lists a folder
that holds it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from common import places
from common.errors import VoicepressError, plain
from common.files import digest, require_file
from common.yamlio import Strict, line_of, load_model, load_with_lines
from engines.base import EngineOptions
from tasks.domain import NARRATOR, UNKNOWN, BookInfo, Cast, Role, RoleChange

Format = Literal["m4b", "mp3", "srt"]
FORMATS: tuple[Format, ...] = ("m4b", "mp3", "srt")
MANUSCRIPTS = (".txt", ".text", ".md", ".markdown", ".html", ".htm", ".epub", ".docx")
"""What a book is published as unless it says otherwise."""


def _is_a_name(name: str) -> str:
    if not name.strip():
        raise ValueError("a name needs at least one letter")
    return name


Gender = Literal["", "male", "female"]
Speed = Annotated[float, Field(ge=0.5, le=2.0)]
Decibels = Annotated[float, Field(ge=-30.0, le=30.0)]
# YAML reads a bare 1998 as a number; a title or an author may well be one. What is longer than this is no title, and
# Prefect refuses it in the midst of the work.
_AsText = BeforeValidator(lambda value: str(value) if isinstance(value, int | float) else value)
Text = Annotated[str, _AsText, Field(max_length=500)]
LongText = Annotated[str, _AsText, Field(max_length=20_000)]
Name = Annotated[Text, AfterValidator(_is_a_name)]


class RoleChangeFile(Strict):
    voice: str | None = None
    style: str | None = None
    speed: Speed | None = None
    gain_db: Decibels | None = None


class RoleFile(Strict):
    voice: str = ""
    aliases: tuple[Name, ...] = ()
    gender: Gender = ""
    style: str = ""
    speed: Speed = 1.0
    gain_db: Decibels = 0.0
    chapters: dict[int, RoleChangeFile] = Field(default_factory=dict)


class DefaultsFile(Strict):
    female: str = ""
    male: str = ""


class CastFile(Strict):
    """``cast.yaml``."""

    schema_: Literal[1] = Field(1, alias="schema")
    narrator: RoleFile
    characters: dict[Name, RoleFile] = Field(default_factory=dict)
    defaults: DefaultsFile = Field(default_factory=DefaultsFile)
    unknown: Literal["narrator", "pool", "error"] = "narrator"
    pool: tuple[str, ...] = ()
    english: str = ""

    @field_validator("narrator")
    @classmethod
    def _narrator_has_a_voice(cls, narrator: RoleFile) -> RoleFile:
        if not narrator.voice:
            raise ValueError("the narrator needs a voice")
        return narrator

    @model_validator(mode="after")
    def _names_are_unique(self) -> CastFile:
        owner: dict[str, str] = {}
        for name, role in self.characters.items():
            if name in (NARRATOR, UNKNOWN):
                raise ValueError(f"'{name}' is a reserved name and cannot be a character")
            for alias in (name, *role.aliases):
                if alias in owner and owner[alias] != name:
                    raise ValueError(f"'{alias}' names both {owner[alias]} and {name}")
                owner[alias] = name
        if self.unknown == "pool" and not self.pool:
            raise ValueError("unknown: pool needs at least one voice under 'pool'")
        return self


class EngineFile(Strict):
    name: str = "kokoro"
    device: str = "cpu"
    workers: Annotated[int, Field(ge=0, le=256)] = 0
    vram_gb: Annotated[float, Field(gt=0)] | None = None
    model_dir: str = ""
    url: str = ""
    extra: dict[str, Any] = Field(default_factory=dict)


class BookFile(Strict):
    """``book.yaml``."""

    schema_: Literal[1] = Field(1, alias="schema")
    title: Text = ""
    author: Text = ""
    language: Literal["", "zh", "en"] = ""
    manuscript: str
    encoding: str = ""
    cast: str = ""
    lexicon: str = ""
    cover: str = ""
    output: str = ""
    engine: EngineFile = Field(default_factory=EngineFile)
    max_chars: Annotated[int, Field(ge=20, le=180)] = 180
    batch: Annotated[int, Field(ge=0, le=512)] = 0
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    mastering: str = "audiobook"
    pauses: str = ""
    publish: tuple[Format, ...] = FORMATS
    check: Literal["signal", "off"] = "signal"
    retakes: Annotated[int, Field(ge=0, le=10)] = 2
    styles: bool = True
    narrator: Text = ""
    series: Text = ""
    description: LongText = ""
    year: Text = ""

    @field_validator("engine", mode="before")
    @classmethod
    def _a_bare_name_is_an_engine(cls, engine: Any) -> Any:
        return {"name": engine} if isinstance(engine, str) else engine

    @field_validator("output")
    @classmethod
    def _output_is_a_plain_name(cls, output: str) -> str:
        if output and slug_of(output) != output:
            raise ValueError("the output name may hold letters, digits, '-', '_' and '.' alone, and no folder")
        return output


@dataclass(frozen=True, slots=True)
class Book:
    """A job, checked. ``path`` is the book.yaml; every path is absolute. ``title`` is what to call it before the manuscript
    is read; ``info.title`` is empty where the book.yaml has none. ``variant`` is the engine's name where it is not the
    book's own."""

    path: Path
    slug: str
    title: str
    manuscript: Path
    encoding: str
    language: str
    cast: Cast
    lexicon: Path | None
    engine: str
    options: EngineOptions
    max_chars: int
    batch: int
    seed: int
    mastering: str
    pauses: Path | None
    formats: tuple[str, ...]
    check: str
    retakes: int
    styles: bool
    info: BookInfo
    voices: tuple[Path, ...] = field(default=())
    cast_file: Path | None = None
    variant: str = ""

    @property
    def folder(self) -> Path:
        return self.path.parent


def slug_of(name: str) -> str:
    """``name`` as a safe folder name on every file system: no separators, no leading dot, at most 80 characters and
    240 bytes."""
    safe = re.sub(r"[^\w.\-]+", "-", name, flags=re.UNICODE).strip("-. ")[:80]
    safe = safe.encode("utf-8")[:240].decode("utf-8", "ignore").rstrip("-. ")
    reserved = re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", safe)
    return f"{safe}-" if reserved else safe


def load_book(path: Path, *, engine: str = "") -> Book:
    """Read and check a ``book.yaml`` (or the folder that holds one). ``engine`` overrides the book's engine by name."""
    path = find_book(path)
    what = "the book file"
    file = load_model(path, BookFile, what)
    _, node = load_with_lines(path, what)
    folder = path.parent

    def inside(key: str, value: str, named: str) -> Path:
        return _inside(folder, value, named, path, line_of(node, (key,)), key)

    manuscript = inside("manuscript", file.manuscript, "the manuscript")
    cover = inside("cover", file.cover, "the cover") if file.cover else None
    lexicon = inside("lexicon", file.lexicon, "the lexicon") if file.lexicon else None
    pauses = inside("pauses", file.pauses, "the pauses file") if file.pauses else None
    cast_file = _shared(
        folder, file.cast or file.language or "zh", "cast", places.VOICES / "casts", path, line_of(node, ("cast",))
    )
    cast = load_cast(cast_file)
    mastering = file.mastering
    if "/" in mastering or mastering.endswith((".yaml", ".yml")):
        mastering = str(inside("mastering", mastering, "the mastering preset"))
    title = file.title or folder.name
    slug = file.output or slug_of(folder.name) or f"book-{digest(str(path), 8)}"
    if slug.casefold() == "takes":  # some file systems do not tell them apart
        raise VoicepressError(
            "bad-config",
            "a book cannot be called 'takes': the take store lies there",
            file=path,
            key="output",
            hint="give it another name with 'output:'",
        )
    model_dir = file.engine.model_dir
    options = EngineOptions(
        device=file.engine.device,
        workers=file.engine.workers,
        vram_gb=file.engine.vram_gb,
        model_dir=Path(os.path.abspath(folder / Path(model_dir).expanduser())) if model_dir else None,
        url=file.engine.url,
        extra=dict(file.engine.extra),
    )
    if engine and engine != file.engine.name:
        options = EngineOptions()
    own_voices = folder / "voices"
    return Book(
        path=path,
        slug=slug,
        title=title,
        manuscript=manuscript,
        encoding=file.encoding,
        language=file.language,
        cast=cast,
        lexicon=lexicon,
        engine=engine or file.engine.name,
        options=options,
        max_chars=file.max_chars,
        batch=file.batch,
        seed=file.seed,
        mastering=mastering,
        pauses=pauses,
        formats=tuple(dict.fromkeys(file.publish)),
        check=file.check,
        retakes=file.retakes,
        styles=file.styles,
        info=BookInfo(
            title=file.title,
            author=file.author,
            narrator=file.narrator,
            language=file.language or "zh",
            series=file.series,
            description=file.description,
            year=file.year,
            cover=cover,
        ),
        voices=(places.VOICES / "profiles", *((own_voices,) if own_voices.is_dir() else ())),
        cast_file=cast_file,
        variant=engine if engine and engine != file.engine.name else "",
    )


def find_book(path: Path) -> Path:
    """The absolute path of a book.yaml: the file itself, the one in a folder, or ``manuscripts/NAME/book.yaml``.

    A relative path is looked for in the current folder, then in the checkout (a worker runs elsewhere).
    """
    hint, wanted = "name a book.yaml or the folder that holds it", path
    if path.suffix.lower() in MANUSCRIPTS and path.is_file():
        raise VoicepressError(
            "not-a-book", "this is a manuscript; a book is a folder with a book.yaml that names it", file=path,
            hint=f"write 'manuscript: {path.name}' into a file book.yaml beside it, then name that file or its folder",
        )  # fmt: skip
    for candidate in (path, Path("manuscripts") / path, places.HOME / path, places.HOME / "manuscripts" / path):
        if os.path.isdir(candidate):
            candidate = candidate / "book.yaml"
            hint, wanted = "a book folder holds a book.yaml; see docs/tutorial.md", candidate
        if os.path.lexists(candidate):
            return Path(os.path.abspath(require_file(candidate, "the book file", hint)))
    return require_file(wanted, "the book file", hint)


def load_cast(path: Path) -> Cast:
    """Read and check a cast file."""
    file = load_model(path, CastFile, "the cast")
    return Cast(
        narrator=_role(NARRATOR, file.narrator),
        characters=tuple(_role(name, role) for name, role in file.characters.items()),
        defaults={
            gender: voice for gender, voice in (("female", file.defaults.female), ("male", file.defaults.male)) if voice
        },
        unknown=file.unknown,
        pool=file.pool,
        english=file.english,
    )


def _role(name: str, file: RoleFile) -> Role:
    changes: Mapping[int, RoleChange] = {
        number: RoleChange(change.voice, change.style, change.speed, change.gain_db)
        for number, change in file.chapters.items()
    }
    return Role(name, file.voice, file.aliases, file.gender, file.style, file.speed, file.gain_db, changes)


def _shared(folder: Path, value: str, key: str, house: Path, book: Path, line: int | None) -> Path:
    """A file of the book, or, where ``value`` is a bare name, one that the house ships."""
    if re.fullmatch(r"[\w\-]+", value):
        shipped = house / f"{value}.yaml"
        if len(value) < 100 and shipped.is_file():
            return shipped
        known = sorted(path.stem for path in house.glob("*.yaml"))
        raise VoicepressError(
            "file-missing", f"there is no shared {key} '{plain(value, 80)}'", file=book, line=line, key=key,
            hint=f"name a file of the book ({plain(value, 80)}.yaml) or one of: {', '.join(known)}",
        )  # fmt: skip
    return _inside(folder, value, f"the {key}", book, line, key)


def _inside(folder: Path, value: str, named: str, book: Path, line: int | None, key: str) -> Path:
    if "\0" in value or not value.strip():
        raise VoicepressError(
            "bad-config",
            f"{named} has no usable path",
            file=book,
            line=line,
            key=key,
            hint="name a file in the book's folder",
        )
    try:
        path = (folder / value).resolve()
    except (OSError, RuntimeError) as error:  # a name too long, links in a circle
        raise VoicepressError(
            "bad-config", f"{named} '{plain(value, 80)}' is no usable path: {_why(error)}", file=book, line=line, key=key,
            hint="name a file in the book's folder",
        ) from error  # fmt: skip
    roots = [folder.resolve(), places.VOICES.resolve(), places.CONFIGS.resolve()]
    roots += [
        Path(root).expanduser().resolve() for root in os.environ.get("VOICEPRESS_ROOTS", "").split(os.pathsep) if root
    ]
    if not any(path.is_relative_to(root) for root in roots):
        raise VoicepressError(
            "outside-book", f"{named} '{value}' lies outside the book's folder", file=book, line=line, key=key,
            hint="move it into the book's folder, or list its folder in the environment variable VOICEPRESS_ROOTS",
        )  # fmt: skip
    try:
        return require_file(
            path, f"{named} '{plain(value, 80)}'", "check the name; it is looked for in the book's folder"
        )
    except VoicepressError as error:
        raise VoicepressError(error.code, error.what, file=book, line=line, key=key, hint=error.hint) from error


def _why(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "links lead round in a circle"
