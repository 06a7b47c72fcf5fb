"""Voices of the pool: who gets which, over a whole book."""

from __future__ import annotations

import random
from dataclasses import replace

from tasks.domain import Cast, ChapterScript, Line, Pool, Role, Script, Span
from tasks.speak.casting import is_extra, voice_id_for
from tasks.speak.extras import Extras, Shared, assign, candidates, key_of, pool_voice

CAST = Cast(
    Role("narrator", voice="teller"),
    (Role("林", voice="lin"),),
    unknown="pool",
    pool=Pool(any=("p1", "p2", "p3", "p4", "lin", "teller")),
)


def chapter(number: int, *scenes: str, genders: dict[str, str] | None = None) -> ChapterScript:
    """A chapter whose scenes are words: each a speaker, ``-`` for the narrator."""
    lines = [Line("", "heading", "一", "一", Span(0, 0), after="heading")]
    for scene in scenes:
        for word in scene.split():
            speaker = "narrator" if word == "-" else word
            kind = "narration" if word == "-" else "dialogue"
            lines.append(Line("", kind, "。", "。", Span(0, 0), speaker, (genders or {}).get(word, "")))  # type: ignore[arg-type]
        lines[-1] = replace(lines[-1], after="scene")
    return ChapterScript(number, "", tuple(lines))


def given(
    *chapters: ChapterScript,
    cast: Cast = CAST,
    remembered: dict[str, str] | None = None,
    genders: dict[str, str] | None = None,
) -> Extras:
    return assign(
        Script(chapters),
        cast,
        is_extra=lambda line: is_extra(line, cast),
        voice_of=lambda line, number: voice_id_for(line, number, cast).voice_id,
        gender_of=lambda voice_id: (genders or {}).get(voice_id, ""),
        remembered=remembered,
    )


def test_nobody_in_a_scene_shares_a_voice_with_another_or_with_the_cast() -> None:
    names = [f"路人{number}" for number in range(12)]
    for first in range(0, 12, 4):
        scene = " - ".join(["林", *names[first : first + 4]])
        found = given(chapter(1, scene))
        assert set(found.voices.values()) == {"p1", "p2", "p3", "p4"}
        assert found.shared == ()


def test_the_same_extra_has_one_voice_in_the_whole_book() -> None:
    scenes = [f"甲{n} 乙 甲{n + 1}" for n in range(8)]
    found = given(*(chapter(n, scene) for n, scene in enumerate(scenes, 1)))
    assert found.shared == ()
    assert len(found.voices) == 10
    for n in range(8):
        assert len({found.voices[f"甲{n}"], found.voices["乙"], found.voices[f"甲{n + 1}"]}) == 3


def test_a_break_or_a_heading_ends_a_scene() -> None:
    cast = replace(CAST, pool=Pool(any=("p1", "p2")))
    crowded, apart = given(chapter(1, "甲 乙 丙"), cast=cast), given(chapter(1, "甲 乙", "丙"), cast=cast)
    assert [row.speaker for row in crowded.shared] == ["丙"]
    assert apart.shared == ()
    assert given(chapter(1, "甲 乙"), chapter(2, "丙"), cast=cast).shared == ()


def test_those_share_who_speak_least_beside_each_other() -> None:
    cast = replace(CAST, pool=Pool(any=("p1", "p2")))
    found = given(chapter(4, "甲 乙 甲 乙 - - - - - - 乙 丙 乙 丙 乙 丙"), cast=cast)
    assert found.voices["丙"] == found.voices["甲"] != found.voices["乙"]
    assert found.shared == (Shared("丙", "甲", found.voices["甲"], 4),)


def test_the_voices_of_the_cast_are_taken_last() -> None:
    cast = replace(CAST, pool=Pool(any=("teller", "lin", "p1")))
    found = given(chapter(1, "甲 -"), cast=cast)
    assert found.voices == {"甲": "p1"}
    found = given(chapter(1, "甲 乙 -"), cast=cast)
    assert set(found.voices.values()) == {"p1", "lin"}  # 林 is elsewhere, the narrator is here
    assert found.shared == ()


def test_a_memory_is_kept_when_the_text_or_the_pool_changes() -> None:
    before = given(chapter(1, "甲 乙 丙")).voices
    wider = replace(CAST, pool=Pool(any=("p0", "p1", "p2", "p3", "p4", "p5", "p6")))
    after = given(chapter(1, "丁 戊 丙 乙 甲"), cast=wider, remembered=dict(before)).voices
    assert {name: after[name] for name in before} == before
    assert len(set(after.values())) == 5


def test_a_remembered_voice_moves_only_where_a_scene_would_hear_it_twice() -> None:
    found = given(chapter(1, "甲 乙", "丙"), remembered={"甲": "p1", "乙": "p1", "丙": "p1"})
    assert (found.voices["甲"], found.voices["丙"]) == ("p1", "p1")
    assert found.voices["乙"] != "p1"
    alone = replace(CAST, pool=Pool(any=("p1",)))
    assert given(chapter(1, "甲 乙"), cast=alone, remembered={"甲": "p1", "乙": "p1"}).voices == {
        "甲": "p1",
        "乙": "p1",
    }


def test_a_voice_that_left_the_pool_is_forgotten() -> None:
    assert given(chapter(1, "甲"), remembered={"甲": "gone"}).voices["甲"] in ("p1", "p2", "p3", "p4")


def test_gender_chooses_among_the_voices() -> None:
    cast = replace(CAST, pool=Pool(any=("x",), female=("f1", "f2"), male=("m1",)))
    found = given(chapter(1, "甲 乙 丙", genders={"甲": "female", "乙": "male"}), cast=cast)
    assert found.voices["甲"] in ("f1", "f2", "x")
    assert found.voices["乙"] in ("m1", "x")
    assert found.voices["丙"] == "x"
    flat = Pool(any=("a", "b", "c"))
    assert candidates(flat, "female", {"a": "male", "b": "female", "c": ""}.__getitem__) == ("b", "c")
    assert candidates(flat, "female", lambda _: "male") == ("a", "b", "c")
    assert candidates(Pool(male=("m",)), "female") == ("m",)


def test_most_lines_decide_the_gender() -> None:
    cast = replace(CAST, pool=Pool(female=("f",), male=("m",)))
    lines = [Line("", "dialogue", "。", "。", Span(0, 0), "甲", gender) for gender in ("male", "female", "", "female")]
    assert given(ChapterScript(1, "", tuple(lines)), cast=cast).voices == {"甲": "f"}


def test_lines_left_out_and_lines_with_their_own_voice_are_nobodys_company() -> None:
    cast = replace(CAST, pool=Pool(any=("p1", "p2")))
    lines = list(chapter(1, "甲 乙 丙").lines)
    lines[2] = replace(lines[2], skip=True)
    found = given(ChapterScript(1, "", tuple(lines)), cast=cast)
    assert set(found.voices) == {"甲", "丙"}
    lines[2] = replace(lines[2], skip=False, voice="p1")
    found = given(ChapterScript(1, "", tuple(lines)), cast=cast)
    assert len(found.shared) == 1  # two voices, and one of them is heard in the scene already


def test_a_bigger_pool_moves_only_those_whom_the_new_voice_wins() -> None:
    names = [f"路人{number}" for number in range(200)]
    before = {name: pool_voice(name, ("p1", "p2", "p3")) for name in names}
    after = {name: pool_voice(name, ("p3", "p4", "p1", "p2")) for name in names}
    assert {after[name] for name in names if after[name] != before[name]} == {"p4"}
    assert key_of(" Anna ") == "anna"


def _can_be_kept_apart(scenes: list[list[str]], voices: list[str]) -> bool:
    """Whether everybody can have one voice so that no scene hears one twice: by trying all."""
    names = sorted({name for scene in scenes for name in scene})
    beside = {name: {other for scene in scenes if name in scene for other in scene} - {name} for name in names}
    has: dict[str, str] = {}

    def seated(at: int) -> bool:
        if at == len(names):
            return True
        for voice in voices:
            if all(has.get(other) != voice for other in beside[names[at]]):
                has[names[at]] = voice
                if seated(at + 1):
                    return True
                del has[names[at]]
        return False

    return seated(0)


def test_nobody_shares_a_voice_in_a_scene_wherever_there_is_a_way() -> None:
    tried = 0
    for seed in range(300):
        rng = random.Random(seed)
        voices = [f"p{number}" for number in range(rng.randint(2, 4))]
        people = [f"人{number}" for number in range(rng.randint(2, 9))]
        scenes = [rng.sample(people, rng.randint(1, min(len(voices), len(people)))) for _ in range(rng.randint(1, 8))]
        memory = {name: rng.choice(voices) for name in people if rng.random() < 0.3}
        if not _can_be_kept_apart(scenes, voices):
            continue
        tried += 1
        cast = replace(CAST, pool=Pool(any=tuple(voices)))
        book = [chapter(number, " ".join(scene)) for number, scene in enumerate(scenes, 1)]
        for remembered in (None, memory):
            found = given(*book, cast=cast, remembered=remembered)
            assert found.shared == (), (seed, scenes)
            assert all(len({found.voices[key_of(name)] for name in scene}) == len(scene) for scene in scenes)
            assert given(*book, cast=cast, remembered=dict(found.voices)) == found
    assert tried > 200
