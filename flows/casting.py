"""``voicepress cast``: who is in a book, who speaks for whom, and a cast to begin with.

Contract: ``cast_report`` reads the book and brings its script up to date, as ``plan`` does; it records nothing and
changes no cast. Voices are proposed for those whom the cast does not know: a voice of their own for those who say the
most, a shared one where voices run out, never one of somebody in the same scene while there is another.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from common import places
from common.errors import VoicepressError
from engines.base import Voice
from flows.castfile import load_cast
from flows.config import Book, load_book
from flows.console import say
from flows.desk import Desk
from flows.settling import script_file
from tasks.domain import NARRATOR, UNKNOWN, Cast, Line, Manuscript, Pool, Role, Script
from tasks.script.people import Person, propose
from tasks.speak.casting import is_extra, is_unsure, role_of, voice_id_for
from tasks.speak.extras import assign, key_of
from tasks.speak.proposal import Sought, propose_voices
from tasks.speak.uncast import lines_of, names_of, nearest

FEW_MENTIONS = 3
"""Who says nothing and is mentioned less often than this is left out of the list."""
SURE = 0.8
"""A line of at least this confidence may stand for its speaker."""
NEAR_LINES = 3
"""How many lines of dialogue before and after an unsure one are looked at for others who may say it."""


@dataclass(frozen=True, slots=True)
class Character:
    """Somebody of the book. ``voice`` is the cast's, or, where ``file`` is empty, what is proposed; ``shares`` names whom a
    proposed voice is shared with. ``chapter`` is the first he speaks in (0: he never does)."""

    name: str
    aliases: tuple[str, ...] = ()
    gender: str = ""
    lines: int = 0
    mentions: int = 0
    chapter: int = 0
    sample: str = ""
    voice: str = ""
    file: str = ""
    shares: str = ""
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnsureLine:
    """A line whose speaker is a guess, and where to settle it. ``other`` is the next likeliest with ``chance``; ``near`` are
    others who speak close by."""

    chapter: int
    id: str
    text: str
    guess: str
    confidence: float
    rule: str
    other: str
    chance: float
    near: tuple[str, ...]
    script: str


@dataclass(frozen=True, slots=True)
class CastReport:
    title: str
    book: str
    files: tuple[str, ...]
    unknown: str
    narrator: str
    characters: tuple[Character, ...]
    mentioned: tuple[str, ...]
    dialogue: int
    nobody: int
    unsure_below: float
    unsure: tuple[UnsureLine, ...]

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)


@dataclass(slots=True)
class Casting:
    """A book with its script, open for questions about who speaks."""

    job: Book
    desk: Desk
    manuscript: Manuscript
    script: Script
    people: list[Person] = field(default_factory=list)

    @classmethod
    def open(cls, book: Path) -> Casting:
        """Read the book and bring its script up to date."""
        job = load_book(book, may_lack_cast=True)
        desk = Desk.open(job)
        desk.workspace.claim(job.path)
        with desk.workspace.held(waiting=say):
            manuscript, written = desk.write_script()
        text = "\n".join(paragraph.text for chapter in manuscript.chapters for paragraph in chapter.paragraphs)
        return cls(job, desk, manuscript, written.script, propose(text, job.cast, manuscript.language))

    def report(self) -> CastReport:
        characters, mentioned = self._characters()
        spoken = [line for _, line in lines_of(self.script) if line.kind == "dialogue"]
        return CastReport(
            title=self.desk.title(self.manuscript),
            book=str(self.job.path),
            files=tuple(map(str, self.job.cast_files)),
            unknown=self.job.cast.unknown,
            narrator=self.job.cast.narrator.voice,
            characters=tuple(self._with_voices(characters)),
            mentioned=tuple(mentioned),
            dialogue=len(spoken),
            nobody=sum(key_of(line.speaker) == UNKNOWN for line in spoken),
            unsure_below=self.job.cast.unsure_below,
            unsure=tuple(self.unsure()),
        )

    # ------------------------------------------------------------ who there is

    def _characters(self) -> tuple[list[Character], list[str]]:
        """Those of the cast and those who speak, by lines; and the names of those who are only mentioned."""
        spoken: dict[str, list[tuple[int, Line]]] = {}
        own_name = {key_of(form): person.name for person in self.people for form in (*person.aliases, person.name)}
        for chapter, line in lines_of(self.script):
            role = role_of(line.speaker, self.job.cast)
            if role is self.job.cast.narrator or key_of(line.speaker) == UNKNOWN:
                continue
            speaker = line.speaker.strip()
            name = role.name if role else own_name.get(key_of(speaker), speaker)
            spoken.setdefault(name, []).append((chapter, line))
        people = {person.name: person for person in self.people}
        in_cast = {role.name: role for role in self.job.cast.characters}
        files = self._files_of_roles()
        found, mentioned = [], []
        for name in dict.fromkeys((*in_cast, *spoken, *people)):
            person, role, lines = people.get(name, Person(name)), in_cast.get(name), spoken.get(name, [])
            if not lines and role is None:
                if person.mentions >= FEW_MENTIONS:
                    mentioned.append(name)
                continue
            genders = [line.gender for _, line in lines if line.gender]
            found.append(Character(
                name=name,
                aliases=tuple(dict.fromkeys((*(role.aliases if role else ()), *person.aliases))),
                gender=(role.gender if role else "") or person.gender or (max(genders, key=genders.count) if genders else ""),
                lines=len(lines), mentions=person.mentions,
                chapter=lines[0][0] if lines else 0,
                sample=_sample([line for _, line in lines]),
                voice=(role.voice or self.job.cast.defaults.get(role.gender, "")) if role else "",
                file=files.get(name, "") if role else "", evidence=person.evidence,
            ))  # fmt: skip
        found.sort(key=lambda one: (not one.file, -one.lines))
        return _without_doubles(found), mentioned

    def _files_of_roles(self) -> dict[str, str]:
        """The nearest file of the cast that has each role."""
        files: dict[str, str] = {}
        for count in range(len(self.job.cast_files)):
            until = load_cast(*self.job.cast_files[: count + 1], partial=True)
            before = set(files)
            files |= {
                role.name: str(self.job.cast_files[count]) for role in until.characters if role.name not in before
            }
        return files

    # ------------------------------------------------------------ voices

    def voices(self) -> list[Voice]:
        """The voices on offer for this book: in its language, and such as its engine can use."""
        offered = self.desk.library.offered()
        language = self.manuscript.language
        return [voice for voice in offered if voice.language[:2] == language and not self.desk.engine.accepts(voice)]

    def _with_voices(self, characters: Sequence[Character]) -> list[Character]:
        """The same, with voices proposed for those who are in no cast."""
        cast, voices = self.job.cast, self.voices()
        open_ = [one for one in characters if not one.file]
        taken = {cast.narrator.voice, *(role.voice for role in cast.characters)}
        given = propose_voices([Sought((one.name, *one.aliases), one.gender) for one in open_], voices, taken)
        own = {one.name: voice for one, voice in zip(open_, given, strict=True) if voice}
        roles = [Role(one.name, own[one.name], one.aliases, one.gender) for one in open_ if one.name in own]
        shared = self._shared(replace(cast, characters=(*cast.characters, *roles)), voices)
        holders = {voice: name for name, voice in own.items()} | {
            role.voice: role.name for role in (*cast.characters, cast.narrator) if role.voice
        }
        out = []
        for one in characters:
            if one.file or one.name in own:
                out.append(replace(one, voice=own.get(one.name, one.voice)))
            else:
                voice = shared.get(key_of(one.name), "")
                out.append(replace(one, voice=voice, shares=holders.setdefault(voice, one.name) if voice else ""))
        return out

    def _shared(self, cast: Cast, voices: Sequence[Voice]) -> dict[str, str]:
        """Voices for those who get none of their own: shared with whoever is not in their scenes, where that can be."""
        by_gender = {
            gender: tuple(voice.id for voice in voices if voice.gender == gender) for gender in ("female", "male")
        }
        anybody = tuple(voice.id for voice in voices if voice.gender not in by_gender)
        pool = Pool(anybody, by_gender["female"], by_gender["male"])
        cast = replace(cast, unknown="pool", pool=pool)
        found = assign(
            self.script,
            cast,
            is_extra=lambda line: is_extra(line, cast),
            voice_of=lambda line, chapter: voice_id_for(line, chapter, cast).voice_id,
        )
        return dict(found.voices)

    # ------------------------------------------------------------ single lines

    def unsure(self) -> list[UnsureLine]:
        """Every line whose speaker is a guess by the measure of the cast, in order."""
        out = []
        for chapter in self.script.chapters:
            spoken = [line for line in chapter.lines if line.kind == "dialogue" and not line.skip]
            for at, line in enumerate(spoken):
                if is_unsure(line, self.job.cast):
                    around = spoken[max(0, at - NEAR_LINES) : at] + spoken[at + 1 : at + 1 + NEAR_LINES]
                    near = dict.fromkeys(other.speaker for other in around)
                    other, chance = line.other or ("", 0.0)
                    others = tuple(name for name in near if name not in (line.speaker, other, UNKNOWN, NARRATOR))
                    file = str(script_file(self.desk.workspace, chapter.number))
                    out.append(UnsureLine(
                        chapter.number, line.id, line.text, line.speaker, line.confidence, line.rule, other, chance, others, file
                    ))  # fmt: skip
        return out

    def lines_of(self, name: str) -> list[tuple[int, Line]]:
        """The lines of one speaker, by name or alias. An unknown name is an error with the nearest."""
        role = role_of(name, self.job.cast)
        forms = {key_of(name)}
        for person in self.people:
            known = {key_of(form) for form in (person.name, *person.aliases)}
            forms |= known if key_of(name) in known else set()
        found = [
            (chapter, line)
            for chapter, line in lines_of(self.script)
            if (role is not None and role_of(line.speaker, self.job.cast) is role) or key_of(line.speaker) in forms
        ]
        if not found:
            speakers = dict.fromkeys(line.speaker for _, line in lines_of(self.script))
            near = nearest(name, [*names_of(self.job.cast), *speakers])
            raise VoicepressError(
                "no-lines", f"nobody called '{name}' says a line of this book", key="--lines",
                hint=f"did you mean '{near}'?" if near else "'voicepress cast BOOK' lists who speaks",
            )  # fmt: skip
        return found


def _without_doubles(characters: Sequence[Character]) -> list[Character]:
    """The same, with every alias left to the first who has it: no name may stand for two."""
    owner = {key_of(one.name): one.name for one in characters}
    out = []
    for one in characters:
        own = [alias for alias in one.aliases if owner.setdefault(key_of(alias), one.name) == one.name]
        forms = {key_of(alias): alias for alias in reversed(own) if key_of(alias) != key_of(one.name)}
        out.append(replace(one, aliases=tuple(reversed(forms.values()))))
    return out


def _sample(lines: Sequence[Line]) -> str:
    """A line by which to know the speaker: a long one of the first that are surely his."""
    sure = [line for line in lines if line.confidence >= SURE] or lines
    return max((line.text for line in sure[:5]), key=len, default="")


def house(path: str) -> bool:
    """Whether a cast file is one that the house ships."""
    return Path(path).is_relative_to(places.VOICES)
