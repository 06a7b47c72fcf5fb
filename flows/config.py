"""The edge where ``book.yaml`` becomes plain, checked data, with what its series gives it.

Contract: ``load_book`` gives a ``Book`` whose files exist and lie inside the book's folder (or in the house, for
shared casts and presets), or one ``VoicepressError`` that names file, line and key. A book may come from a stranger:
it can name no file outside these places unless ``VOICEPRESS_ROOTS`` (paths separated like ``PATH``) lists a folder
that holds it. A ``series.yaml`` beside the book's folder is the user's: ``seriesfile`` reads it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from common import places
from common.errors import VoicepressError
from common.files import digest, require_file
from common.yamlio import Strict, line_of, load_with_model
from engines.base import EngineOptions
from flows.castfile import load_cast
from flows.credits import Credits
from flows.fields import Format, LongText, Text, WebAddress
from flows.placed import Names, inside, shared
from flows.seriesfile import Series, preset, series_of
from tasks.domain import BookInfo, Cast, Judge
from tasks.publish.cover import load_cover

FORMATS: tuple[Format, ...] = ("m4b", "mp3", "srt")
"""What a book is published as unless it says otherwise."""
MANUSCRIPTS = (".txt", ".text", ".md", ".markdown", ".html", ".htm", ".epub", ".docx")


class EngineFile(Strict):
    name: str = "kokoro"
    device: str = "cpu"
    workers: Annotated[int, Field(ge=0, le=256)] = 0
    vram_gb: Annotated[float, Field(gt=0)] | None = None
    model_dir: str = ""
    url: str = ""
    extra: dict[str, Any] = Field(default_factory=dict)


class JudgeFile(Strict):
    """Who is asked about unsure speakers. The key itself stands in no file: ``key_env`` names its variable."""

    url: Annotated[str, Field(max_length=2000)]
    model: Annotated[str, Field(min_length=1, max_length=200)]
    key_env: str = ""
    timeout_seconds: Annotated[float, Field(gt=0, le=3600)] = 60.0
    max_lines: Annotated[int, Field(ge=1, le=100_000)] = 500


class CreditsFile(Strict):
    """What is spoken before and after the book; an empty text is made from title, author and narrator."""

    opening: Text = ""
    closing: Text = ""


class BookFile(Strict):
    """``book.yaml``."""

    schema_: Literal[1] = Field(1, alias="schema")
    title: Text = ""
    author: Text = ""
    language: Literal["", "zh", "en"] = ""
    manuscript: str
    encoding: str = ""
    convert: Literal["", "simplified"] = ""
    cast: str = ""
    lexicon: str = ""
    cover: str = ""
    output: str = ""
    engine: EngineFile = Field(default_factory=EngineFile)
    judge: JudgeFile | None = None
    max_chars: Annotated[int, Field(ge=20, le=180)] = 180
    batch: Annotated[int, Field(ge=0, le=512)] = 0
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    mastering: str = "audiobook"
    pauses: str = ""
    publish: tuple[Format, ...] = FORMATS
    feed_url: WebAddress = ""
    credits: CreditsFile | bool | None = None
    check: Literal["auto", "full", "signal", "off"] = "auto"
    retakes: Annotated[int, Field(ge=0, le=10)] = 2
    styles: bool | str = True
    narrator: Text = ""
    series: Text = ""
    description: LongText = ""
    year: Text = ""

    @field_validator("engine", mode="before", json_schema_input_type=EngineFile | str)
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
    is read; ``info.title`` is empty where the book.yaml has none. ``lexicons`` are read in order, a later one wins: the
    series' first. ``cast_files`` are laid over one another in order, the nearest last. ``variant`` is the engine's name
    where it is not the book's own. ``own_cast`` is the file that the book.yaml names as its cast."""

    path: Path
    slug: str
    title: str
    manuscript: Path
    encoding: str
    language: str
    cast: Cast
    lexicons: tuple[Path, ...]
    engine: str
    options: EngineOptions
    max_chars: int
    batch: int
    seed: int
    mastering: str
    pauses: Path | None
    formats: tuple[str, ...]
    feed_url: str
    credits: Credits
    check: str
    retakes: int
    styles: bool
    info: BookInfo
    voices: tuple[Path, ...] = field(default=())
    cast_files: tuple[Path, ...] = ()
    variant: str = ""
    convert: str = ""
    judge: Judge | None = None
    series: Series | None = None
    style_table: Path | None = None
    """The book's own rules for styles; the house's come after them."""
    own_cast: Path | None = None

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def cast_file(self) -> Path | None:
        """The nearest file of the cast: the one to edit."""
        return self.cast_files[-1] if self.cast_files else None


def _credits(said: CreditsFile | bool | None) -> Credits:
    if isinstance(said, CreditsFile):
        return Credits(True, said.opening, said.closing)
    return Credits(said)


def slug_of(name: str) -> str:
    """``name`` as a safe folder name on every file system: no separators, no leading dot, at most 80 characters and
    240 bytes."""
    safe = re.sub(r"[^\w.\-]+", "-", name, flags=re.UNICODE).strip("-. ")[:80]
    safe = safe.encode("utf-8")[:240].decode("utf-8", "ignore").rstrip("-. ")
    reserved = re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", safe)
    return f"{safe}-" if reserved else safe


def load_book(path: Path, *, engine: str = "", may_lack_cast: bool = False) -> Book:
    """Read and check a ``book.yaml`` (or the folder that holds one). ``engine`` overrides the book's engine by name.
    ``may_lack_cast``: where the cast that it names is not written yet, the book is loaded without."""
    path = find_book(path)
    file, node = load_with_model(path, BookFile, "the book file")
    folder = path.parent
    series = series_of(path)
    names = Names(path, node)
    manuscript = inside(names, "manuscript", file.manuscript, "the manuscript")
    cover = inside(names, "cover", file.cover, "the cover") if file.cover else None
    if cover:  # a night of recording must not end at the picture
        load_cover(cover)
    lexicon = inside(names, "lexicon", file.lexicon, "the lexicon") if file.lexicon else None
    pauses = inside(names, "pauses", file.pauses, "the pauses file") if file.pauses else None
    cast_files = _cast_files(names, file, series, may_lack_cast)
    mastering = preset(names, file.mastering)
    if series and series.mastering and "mastering" not in file.model_fields_set:
        mastering = series.mastering
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
    voices = (places.VOICES / "profiles", *(series.voices if series else ()))
    return Book(
        path=path,
        slug=slug,
        title=title,
        manuscript=manuscript,
        encoding=file.encoding,
        language=file.language,
        cast=load_cast(*cast_files),
        lexicons=tuple(filter(None, (series.lexicon if series else None, lexicon))),
        engine=engine or file.engine.name,
        options=options,
        max_chars=file.max_chars,
        batch=file.batch,
        seed=file.seed,
        mastering=mastering,
        pauses=pauses or (series.pauses if series else None),
        formats=tuple(dict.fromkeys(file.publish)),
        feed_url=file.feed_url,
        credits=_credits(file.credits),
        check=file.check,
        retakes=file.retakes,
        styles=file.styles is not False,
        info=BookInfo(
            title=file.title,
            author=file.author or (series.author if series else ""),
            narrator=file.narrator,
            language=file.language or "zh",
            series=file.series if series is None or "series" in file.model_fields_set else series.title,
            description=file.description,
            year=file.year,
            cover=cover,
        ),
        voices=(*voices, *((own_voices,) if own_voices.is_dir() else ())),
        cast_files=cast_files,
        variant=engine if engine and engine != file.engine.name else "",
        convert=file.convert,
        judge=_judge(names, file.judge) if file.judge else None,
        series=series,
        style_table=inside(names, "styles", file.styles, "the table of styles")
        if isinstance(file.styles, str)
        else None,
        own_cast=folder / file.cast if file.cast.endswith((".yaml", ".yml")) else None,
    )


def _cast_files(names: Names, file: BookFile, series: Series | None, may_lack: bool) -> tuple[Path, ...]:
    """The series' cast and the book's own over it; with neither the house's for the language."""
    shared_by_all = (series.cast,) if series and series.cast else ()
    own = file.cast
    if _is_a_file_to_come(own, names.path.parent):
        if not may_lack:
            raise VoicepressError(
                "file-missing", f"the cast '{own}' does not exist", file=names.path, line=names.line("cast"), key="cast",
                hint="check the name; 'voicepress cast BOOK --write' proposes a cast and writes it there",
            )  # fmt: skip
        own = ""
    if not own and shared_by_all:
        return shared_by_all
    return (*shared_by_all, shared(names, "cast", own or file.language or "zh", places.VOICES / "casts"))


def _is_a_file_to_come(name: str, folder: Path) -> bool:
    """Whether ``name`` names a file in ``folder`` that is not there yet."""
    path = folder / name
    if not name.endswith((".yaml", ".yml")) or "\0" in name or os.path.lexists(path):
        return False
    return path.parent.resolve().is_relative_to(folder.resolve())


def _judge(names: Names, file: JudgeFile) -> Judge:
    """The judge, checked here and not in the model: what stands in its place may be a secret, and is not shown."""

    def refuse(key: str, what: str, hint: str) -> VoicepressError:
        line = line_of(names.node, ("judge", key))
        return VoicepressError("bad-config", what, file=names.path, line=line, key=f"judge.{key}", hint=hint)

    try:
        parts = urlsplit(file.url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable or not file.url.isprintable() or " " in file.url:
        raise refuse("url", "the judge has no usable address", "write http:// or https://, host and path")
    if parts.username is not None or parts.password is not None:
        raise refuse(
            "url", "the judge's address holds a password", "put the key into an environment variable for key_env"
        )
    if not re.fullmatch(r"([A-Za-z_][A-Za-z0-9_]*)?", file.key_env):
        raise refuse(
            "key_env", "key_env is not the name of an environment variable",
            "put the key into an environment variable and write that variable's name here",
        )  # fmt: skip
    return Judge(file.url, file.model, file.key_env, file.timeout_seconds, file.max_lines)


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
