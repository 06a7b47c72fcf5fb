"""Everything one book's job needs, bound together: engine, voices, store, presets, readings.

Contract: ``Desk.open`` looks at all that can be wrong with a job before any work is done: a preset that is not there,
a voice the cast names and nobody has, a voice the engine cannot use. It loads no model.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

import engines
from common.errors import VoicepressError
from common.files import digest
from engines.base import Engine, Utterance
from flows.castfile import naming
from flows.config import Book
from flows.credits import credit_chapters
from flows.judge import judge_of
from flows.lexicons import layers
from flows.settling import settle
from flows.workspace import Workspace
from tasks.check.check import Asked, Checker
from tasks.check.earmodel import INSTALL, missing
from tasks.check.judge import RULES
from tasks.check.limits import CheckLimits, load_limits
from tasks.domain import BookInfo, Cast, ChapterScript, Line, Manuscript, Script
from tasks.read.manuscript import read_manuscript
from tasks.script.inline import annotate
from tasks.script.lexicon import load_layers
from tasks.script.scribe import Scribe, Written
from tasks.script.style import mood_of
from tasks.script.write import ScriptSettings
from tasks.speak.casting import Aids, utterance_for, voice_ids_of
from tasks.speak.takes import TakeStore
from tasks.speak.voices import VoiceLibrary
from tasks.stitch.mastering import Mastering, load_mastering
from tasks.stitch.pauses import Pauses, load_pauses


@dataclass(slots=True)
class Desk:
    """One job's tools. ``script`` and ``aids`` are set by ``require_speakable`` once there is a script."""

    job: Book
    workspace: Workspace
    engine: Engine
    library: VoiceLibrary
    store: TakeStore
    scribe: Scribe
    pauses: Pauses
    mastering: Mastering
    check_limits: CheckLimits
    checker: Checker
    script: Script | None = None
    aids: Aids = field(default_factory=Aids)

    @classmethod
    def open(cls, job: Book) -> Desk:
        workspace = Workspace.of(job.slug, job.variant)
        engine = engines.load(job.engine, job.options)
        limits = load_limits()
        desk = cls(
            job=job,
            workspace=workspace,
            engine=engine,
            library=VoiceLibrary(job.voices),
            store=TakeStore(workspace.takes),
            scribe=Scribe(
                job.cast,
                ScriptSettings(
                    max_chars=min(job.max_chars, engine.limits.max_chars),
                    styles=job.styles,
                    style_table=job.style_table,
                ),
                load_layers(layers(job)),
                judge_of(job.judge, workspace),
            ),
            pauses=load_pauses(job.pauses),
            mastering=load_mastering(job.mastering),
            check_limits=limits,
            checker=Checker(limits, full=checks(job.check, job.engine) == "full", names=_names(job.cast)),
        )
        for voice_id in voice_ids_of(job.cast):
            try:
                desk.require_voice(voice_id)
            except VoicepressError as error:
                file, line, key = naming(voice_id, job.cast_files)
                raise VoicepressError(error.code, error.what, file=file, line=line, key=key, hint=error.hint) from None
        return desk

    def write_script(self) -> tuple[Manuscript, Written]:
        """Read the manuscript and bring the script up to date; call it while holding the book."""
        job = self.job
        manuscript = read_manuscript(
            job.manuscript,
            language=job.language,
            title=job.info.title,
            encoding=job.encoding,
            convert=job.convert,
        )
        return manuscript, self.scribe.write(manuscript, self.workspace.script)

    def require_voice(self, voice_id: str) -> None:
        """An error if there is no such voice or the engine cannot use it."""
        voice = self.library.get(voice_id)
        if why_not := self.engine.accepts(voice):
            raise VoicepressError(
                "voice-unusable", f"the engine '{self.engine.name}' cannot use the voice '{voice_id}': {why_not}", key="voice",
                hint="choose another voice in the cast ('voicepress voices' lists them) or another engine",
            )  # fmt: skip

    def require_speakable(self, script: Script) -> tuple[str, ...]:
        """Cast every line once: a speaker or voice that cannot be is an error now, not at three in the night. Gives
        sentences for the user on what was settled. Call it while holding the book."""
        self.script = script
        if not any(not line.skip for chapter in script.chapters for line in chapter.lines):
            raise VoicepressError(
                "empty-book", "there is nothing to read in this manuscript", file=self.job.manuscript,
                hint="'voicepress inspect' shows what was left out and why",
            )  # fmt: skip
        own_voices: dict[str, int] = {}
        for chapter in script.chapters:
            for line in chapter.lines:
                if line.voice:
                    own_voices.setdefault(line.voice, chapter.number)
        for voice_id, number in own_voices.items():
            try:
                self.require_voice(voice_id)
            except VoicepressError as error:
                raise error.at(self.workspace.script / f"{number:03d}.yaml") from None
        settled = settle(self.job, script, self.workspace, self.library)
        self.aids = Aids(extras=settled.voices, mood_of=partial(mood_of, path=self.job.style_table))
        return settled.notes

    def utterance_of(self, line: Line, chapter: int, take: int) -> tuple[Utterance, float]:
        """What the engine is asked to say for a line, and the gain to apply when stitching."""
        return utterance_for(
            line, chapter, self.job.cast, self.library, self.engine.limits, self.job.seed, take, annotate, self.aids
        )

    def with_credits(self, manuscript: Manuscript) -> tuple[ChapterScript, ...]:
        """The chapters of the script, and the credits around them if there shall be any."""
        assert self.script is not None
        chapters = credit_chapters(
            self.job.credits,
            self.mastering.credits,
            self.book_info(manuscript),
            self.script.chapters,
            self.scribe.aloud,
        )
        self.script = Script(chapters)
        return chapters

    def chapter(self, number: int) -> ChapterScript:
        assert self.script is not None
        return next(chapter for chapter in self.script.chapters if chapter.number == number)

    def check_rules(self) -> str:
        """A hash of what verdicts depend on beside the take."""
        return digest([RULES, checks(self.job.check, self.job.engine), repr(self.check_limits)])

    def asked(self, key: str, line: Line, utterance: Utterance) -> Asked:
        """What the check is to know of a line's take."""
        readings = tuple((reading.start, reading.phones) for reading in line.readings)
        leaks = tuple(text for text in (utterance.style, utterance.voice.transcript) if text)
        return Asked(key, line.spoken, line.language, utterance.voice.id, readings, leaks)

    def title(self, manuscript: Manuscript) -> str:
        """What the book is called: by its book.yaml, else by the manuscript, else by its folder."""
        own = manuscript.title if manuscript.title != self.job.manuscript.stem else ""
        return self.job.info.title or own or self.job.title

    def advice(self, manuscript: Manuscript) -> tuple[str, ...]:
        """Sentences for the user about what fits badly."""
        voice = self.library.get(self.job.cast.narrator.voice)
        if voice.language[:2] == manuscript.language:
            return ()
        name = {"zh": "Chinese", "en": "English"}
        return (
            f"the manuscript is in {name[manuscript.language]}, but the narrator's voice '{voice.id}' is not: "
            f"'cast: {manuscript.language}' in book.yaml casts it with voices that are",
        )

    def book_info(self, manuscript: Manuscript) -> BookInfo:
        """What the deliverables say of the book: the book file first, then the manuscript itself."""
        info = self.job.info
        return replace(
            info,
            title=self.title(manuscript),
            author=info.author or manuscript.author,
            language=self.job.language or manuscript.language or info.language,
            narrator=info.narrator or self.library.get(self.job.cast.narrator.voice).name,
        )

    def close(self) -> None:
        self.engine.close()


def checks(wish: str, engine: str = "") -> str:
    """What is checked: ``full``, ``signal`` or ``off``. ``auto`` is ``full`` where the ear is installed. Of tones there is
    nothing to understand."""
    if engine == "tone":
        return "off" if wish == "off" else "signal"
    absent = missing()
    if wish == "full" and absent:
        raise VoicepressError(
            "package-missing", f"check: full needs packages that are not installed: {', '.join(absent)}", key="check",
            hint=INSTALL,
        )  # fmt: skip
    return ("signal" if absent else "full") if wish == "auto" else wish


def _names(cast: Cast) -> frozenset[str]:
    return frozenset(name for role in cast.characters for name in (role.name, *role.aliases) if name)
