"""Casting: who says a line, and how."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from common.errors import VoicepressError
from engines.base import Limits, Voice
from tasks.domain import UNKNOWN, Cast, ChapterRange, Line, Pool, Reading, Role, RoleChange, Span
from tasks.speak.casting import Aids, role_of, utterance_for, voice_id_for, voice_ids_of

THIRD, FOURTH = ChapterRange(3, 3), ChapterRange(4, 4)
NARRATOR = Role("narrator", voice="teller", style="calm", speed=0.95, gain_db=1.0)
LIN = Role(
    "林", voice="lin", aliases=("小林", "Lin"), gender="male", style="bright", speed=1.1, gain_db=-1.0,
    chapters={THIRD: RoleChange(voice="old-lin", style="tired", speed=0.8, gain_db=2.0), FOURTH: RoleChange(style="")},
)  # fmt: skip
BARE = Role("周", gender="female")
CAST = Cast(NARRATOR, (LIN, BARE), defaults={"female": "her", "male": "him"}, english="emma", unknown="narrator")
LINE = Line("l1", "dialogue", "“你好。”", "你好。", Span(0, 5), speaker="林")
VOICES = {
    voice_id: Voice(voice_id, "kokoro", voice_id, language, "", gain_db=gain_db, content=voice_id)
    for voice_id, language, gain_db in [
        ("teller", "zh", 0.5), ("lin", "zh", 2.0), ("old-lin", "zh", 0.0), ("emma", "en", 0.0), ("bob", "en-US", 0.0),
        ("her", "zh", 0.0), ("him", "zh", 0.0), ("own", "zh", 0.0),
    ]
}  # fmt: skip


class Library:
    def get(self, voice_id: str) -> Voice:
        return VOICES[voice_id]


def language_of(voice_id: str) -> str:
    return VOICES[voice_id].language


def test_a_role_speaks_with_its_voice_style_speed_and_gain() -> None:
    choice = voice_id_for(LINE, 1, CAST)
    assert (choice.voice_id, choice.style, choice.speed, choice.gain_db) == ("lin", "bright", 1.1, -1.0)
    assert "林" in choice.why


@pytest.mark.parametrize("name", ["小林", "Lin", "LIN", " lin "])
def test_aliases_are_the_role(name: str) -> None:
    assert voice_id_for(replace(LINE, speaker=name), 1, CAST).voice_id == "lin"


def test_a_chapter_changes_what_it_names_and_leaves_the_rest() -> None:
    third, fourth = voice_id_for(LINE, 3, CAST), voice_id_for(LINE, 4, CAST)
    assert (third.voice_id, third.style, third.speed, third.gain_db) == ("old-lin", "tired", 0.8, 2.0)
    assert (fourth.voice_id, fourth.style, fourth.speed, fourth.gain_db) == ("lin", "", 1.1, -1.0)


@pytest.mark.parametrize("chapter", [1, 3, 4])
def test_the_line_itself_wins(chapter: int) -> None:
    choice = voice_id_for(replace(LINE, voice="own", style="loud", speed=1.2), chapter, CAST)
    assert (choice.voice_id, choice.style, choice.speed) == ("own", "loud", 1.2)


def test_a_role_without_a_voice_gets_the_default_for_its_gender() -> None:
    assert voice_id_for(replace(LINE, speaker="周"), 1, CAST).voice_id == "her"


def test_a_role_without_voice_and_default_is_read_by_the_narrator_with_the_roles_style() -> None:
    cast = replace(CAST, defaults={}, characters=(replace(BARE, style="shy"),), unknown="error")
    choice = voice_id_for(replace(LINE, speaker="周"), 1, cast)
    assert (choice.voice_id, choice.style) == ("teller", "shy")


@pytest.mark.parametrize("speaker", ["narrator", "", "Narrator"])
def test_the_narrator_reads(speaker: str) -> None:
    choice = voice_id_for(replace(LINE, speaker=speaker), 1, CAST)
    assert (choice.voice_id, choice.style, choice.speed, choice.gain_db) == ("teller", "calm", 0.95, 1.0)


def test_unknown_speakers_of_known_gender_get_the_default_where_the_narrator_would_read() -> None:
    line = replace(LINE, speaker="路人", gender="male")
    assert voice_id_for(line, 1, replace(CAST, unknown="narrator")).voice_id == "him"
    assert voice_id_for(line, 1, replace(CAST, unknown="pool", pool=Pool(("p1",)))).voice_id == "p1"


@pytest.mark.parametrize(("gender", "voice"), [("male", "him"), ("", "teller")])
@pytest.mark.parametrize("policy", ["narrator", "pool", "error"])
def test_a_line_nobody_was_found_for_is_no_unknown_speaker(policy: str, gender: str, voice: str) -> None:
    cast = replace(CAST, unknown=policy, pool=Pool(("p1",)))
    assert voice_id_for(replace(LINE, speaker=UNKNOWN, gender=gender), 1, cast).voice_id == voice


def test_the_extras_voice_is_the_one_that_was_assigned() -> None:
    cast = replace(CAST, unknown="pool", pool=Pool(("p1", "p2", "p3")))
    choice = voice_id_for(replace(LINE, speaker=" Anna"), 1, cast, Aids(extras={"anna": "p3"}))
    assert choice.voice_id == "p3"


def test_the_narrower_range_of_chapters_wins_and_the_wider_fills_in() -> None:
    role = replace(
        LIN,
        chapters={
            ChapterRange(5, None): RoleChange(voice="grown-lin", speed=0.9),
            ChapterRange(7, 9): RoleChange(style="tired"),
            ChapterRange(8, 8): RoleChange(voice="ill-lin"),
            ChapterRange(20, None): RoleChange(voice="old-lin"),
        },
    )
    cast = replace(CAST, characters=(role,))
    said = {n: voice_id_for(LINE, n, cast) for n in (4, 5, 8, 9, 10, 19, 20, 99)}
    assert {n: choice.voice_id for n, choice in said.items()} == {
        4: "lin", 5: "grown-lin", 8: "ill-lin", 9: "grown-lin", 10: "grown-lin", 19: "grown-lin", 20: "old-lin", 99: "old-lin",
    }  # fmt: skip
    assert (said[8].style, said[8].speed, said[10].style, said[4].speed) == ("tired", 0.9, "bright", 1.1)


def test_a_role_has_its_own_way_with_a_mood() -> None:
    role = replace(
        LIN,
        moods={"angry": "grow cold", "sad": ""},
        chapters={ChapterRange(3, None): RoleChange(moods={"angry": "roar"})},
    )
    cast, aids = replace(CAST, characters=(role,)), Aids(mood_of=lambda style: style.removeprefix("sound "))
    styles = {
        (style, chapter): voice_id_for(replace(LINE, style=style), chapter, cast, aids).style
        for style, chapter in [("sound angry", 1), ("sound angry", 3), ("sound sad", 1), ("sound glad", 1), ("", 1)]
    }
    assert list(styles.values()) == ["grow cold", "roar", "", "sound glad", "bright"]
    assert voice_id_for(replace(LINE, style="sound angry"), 1, cast).style == "sound angry"


@pytest.mark.parametrize(
    ("line", "voice"),
    [
        (replace(LINE, confidence=0.49, rule="turns"), "teller"),
        (replace(LINE, confidence=0.5, rule="turns"), "lin"),
        (replace(LINE, confidence=0.1, rule="user"), "lin"),
        (replace(LINE, confidence=0.1, rule="turns", voice="own"), "own"),
        (replace(LINE, confidence=0.1, speaker="路人"), "teller"),
    ],
)
def test_the_narrator_may_read_what_nobody_is_sure_of(line: Line, voice: str) -> None:
    cast = replace(CAST, unsure="narrator", unsure_below=0.5, unknown="pool", pool=Pool(("p1",)))
    assert voice_id_for(line, 1, cast).voice_id == voice
    guessed = voice_id_for(replace(line, voice=""), 1, replace(cast, unsure="guess")).voice_id
    assert guessed == ("p1" if line.speaker == "路人" else "lin")


@pytest.mark.parametrize("speaker", ["路人", UNKNOWN])
def test_unknown_speakers_are_read_by_the_narrator_as_the_narrator(speaker: str) -> None:
    cast = replace(CAST, narrator=replace(NARRATOR, chapters={ChapterRange(2, 2): RoleChange(voice="own", speed=0.9)}))
    first, second = (voice_id_for(replace(LINE, speaker=speaker), chapter, cast) for chapter in (1, 2))
    assert (first.voice_id, first.style, first.speed, first.gain_db) == ("teller", "calm", 0.95, 1.0)
    assert (second.voice_id, second.speed) == ("own", 0.9)


def test_unknown_speakers_from_the_pool_keep_their_voice() -> None:
    cast = replace(CAST, unknown="pool", pool=Pool(("p1", "p2", "p3")))
    names = [f"路人{number}" for number in range(60)]
    chosen = {name: voice_id_for(replace(LINE, speaker=name), 1, cast).voice_id for name in names}
    assert set(chosen.values()) == {"p1", "p2", "p3"}
    assert chosen == {name: voice_id_for(replace(LINE, id="x", speaker=name), 9, cast).voice_id for name in names}


def test_an_empty_pool_falls_to_the_narrator() -> None:
    assert voice_id_for(replace(LINE, speaker="路人"), 1, replace(CAST, unknown="pool")).voice_id == "teller"


def test_an_unknown_speaker_may_be_an_error_that_names_the_line() -> None:
    with pytest.raises(VoicepressError) as caught:
        voice_id_for(replace(LINE, speaker="路人", text="“谁？”他问。" * 20), 7, replace(CAST, unknown="error"))
    assert caught.value.code == "unknown-speaker"
    for part in ("路人", "chapter 7", "l1", "“谁？”"):
        assert part in caught.value.what
    assert len(caught.value.what) < 140


def test_a_line_with_its_own_voice_needs_no_known_speaker() -> None:
    assert voice_id_for(replace(LINE, speaker="路人", voice="own"), 1, replace(CAST, unknown="error")).voice_id == "own"


def test_a_narrator_without_voice_is_an_error_unless_the_default_helps() -> None:
    silent = replace(CAST, narrator=Role("narrator", gender="female"))
    assert voice_id_for(replace(LINE, speaker="narrator"), 1, silent).voice_id == "her"
    with pytest.raises(VoicepressError) as caught:
        voice_id_for(replace(LINE, speaker="narrator"), 1, replace(silent, defaults={}))
    assert caught.value.code == "no-narrator-voice"


@pytest.mark.parametrize(
    ("voice", "language", "english", "own", "given"),
    [
        ("lin", "en", "emma", "", "emma"),
        ("lin", "en-GB", "emma", "", "emma"),
        ("lin", "zh", "emma", "", "lin"),
        ("lin", "en", "", "", "lin"),
        ("bob", "en", "emma", "", "bob"),
        ("lin", "en", "emma", "own", "own"),
    ],
)
def test_english_lines_of_chinese_voices_go_to_the_english_voice(
    voice: str, language: str, english: str, own: str, given: str
) -> None:
    cast = replace(CAST, characters=(replace(LIN, voice=voice),), english=english)
    choice = voice_id_for(replace(LINE, language=language, voice=own), 1, cast, Aids(language_of=language_of))
    assert choice.voice_id == given
    assert (choice.style, choice.speed) == ("bright", 1.1)


def test_every_combination_gives_a_voice_or_one_of_two_errors() -> None:
    speakers = ("narrator", "林", "周", "路人", UNKNOWN)
    for speaker, gender, policy, defaults, pool, chapter, narrator in product(
        speakers,
        ("", "male", "x"),
        ("narrator", "pool", "error"),
        ({}, {"male": "him"}),
        ((), ("p1",)),
        (1, 3),
        ("", "teller"),
    ):
        cast = replace(
            CAST, narrator=replace(NARRATOR, voice=narrator), unknown=policy, defaults=defaults, pool=Pool(pool)
        )
        line = replace(LINE, speaker=speaker, gender=gender)
        allowed = {"voice"} | ({"unknown-speaker"} if policy == "error" else set())
        allowed |= set() if narrator else {"no-narrator-voice"}
        assert outcome(line, chapter, cast) in allowed


def outcome(line: Line, chapter: int, cast: Cast) -> str:
    try:
        return "voice" if voice_id_for(line, chapter, cast).voice_id else "none"
    except VoicepressError as error:
        return error.code


def test_names_decide_before_the_narrators_aliases() -> None:
    cast = replace(CAST, narrator=replace(NARRATOR, aliases=("我", "林")))
    assert role_of("我", cast) is cast.narrator
    assert role_of("林", cast) is LIN
    assert role_of("路人", cast) is None


def test_every_voice_a_cast_names_is_listed_once() -> None:
    cast = replace(CAST, pool=Pool(("p1", "lin")))
    assert voice_ids_of(cast) == ["teller", "lin", "old-lin", "her", "him", "p1", "emma"]


# ------------------------------------------------------------------ utterances

READINGS = (Reading(0, 1, "ni2"), Reading(1, 2, "hao3", "rule", True))


def limits(phonetic: str) -> Limits:
    return Limits(24_000, 180, 16, ("zh", "en"), phonetic, True)  # type: ignore[arg-type]


def test_an_engine_that_takes_phonemes_gets_every_reading() -> None:
    line = replace(LINE, readings=READINGS)
    utterance, gain_db = utterance_for(line, 1, CAST, Library(), limits("pinyin"), seed=5, take=2)
    assert (utterance.text, utterance.readings) == ("你好。", ((0, "ni2"), (1, "hao3")))
    assert (utterance.voice.id, utterance.style, utterance.speed) == ("lin", "bright", pytest.approx(1.1 * 0.96))
    assert (utterance.seed, utterance.take, utterance.language) == (5, 2, "zh")
    assert gain_db == pytest.approx(-1.0 + 2.0)


def test_an_engine_with_inline_readings_gets_them_in_the_text() -> None:
    def annotate(spoken: str, readings: object) -> str:
        assert readings == READINGS
        return spoken.replace("好", "[h][ǎo]")

    line = replace(LINE, readings=READINGS)
    utterance, _ = utterance_for(line, 1, CAST, Library(), limits("inline"), annotate=annotate)
    assert (utterance.text, utterance.readings) == ("你[h][ǎo]。", ())
    with pytest.raises(TypeError):
        utterance_for(line, 1, CAST, Library(), limits("inline"))


def test_an_engine_without_readings_gets_plain_text() -> None:
    utterance, _ = utterance_for(replace(LINE, readings=READINGS), 1, CAST, Library(), limits("none"))
    assert (utterance.text, utterance.readings) == ("你好。", ())


def test_an_english_line_is_given_to_the_english_voice() -> None:
    utterance, _ = utterance_for(replace(LINE, language="en", spoken="Hello."), 1, CAST, Library(), limits("pinyin"))
    assert (utterance.voice.id, utterance.language) == ("emma", "en")
