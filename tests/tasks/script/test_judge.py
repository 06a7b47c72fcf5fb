"""What a judge is asked, and what of the answer is believed."""

import random
import re
import string
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.domain import Cast, ChapterScript, Role, Script
from tasks.script.judge import Ruling, read, written_names
from tasks.script.judge_questions import Passage, find, passages
from tasks.script.names import Names
from tasks.script.scribe import Scribe
from tasks.script.store import settled
from tasks.script.write import ScriptSettings, names_of, write_script
from tests.tasks.script.test_scribe import manuscript

CAST = Cast(
    Role("narrator", voice="n"),
    (Role("老周", voice="a", gender="male", aliases=("船家",)), Role("林晓兰", voice="b", gender="female")),
)
CAST_EN = Cast(
    Role("narrator", voice="n"),
    (Role("Mr. Gray", voice="a", gender="male", aliases=("Gray",)), Role("Anna", voice="b", gender="female")),
)


def asked(*paragraphs: str, cast: Cast = CAST, language: str = "zh") -> tuple[list[Passage], Script, Names]:
    """What would be asked of a chapter whose every quotation is unsure."""
    text = replace(manuscript(*paragraphs), language=language)
    settings = ScriptSettings(language=language)
    names = names_of(text, cast, settings)
    script = write_script(text, cast, settings, lambda spoken, _: (), names=names)
    lines = (
        replace(line, speaker="unknown", rule="none", confidence=0.0, other=None) if line.kind == "dialogue" else line
        for line in script.chapters[0].lines
    )
    script = Script((ChapterScript(1, "", tuple(lines)),))
    return passages(script, list(find(script, names, cast, language, "m")), language), script, names


def filled(passage: Passage, name: str) -> str:
    return re.sub(r"\[\[(\d+)\]\]", rf"[[\1:{name}]]", passage.text)


def speakers(passage: Passage, answer: str, names: Names) -> list[tuple[str, str]]:
    rulings = read(passage, answer, names)
    return [(rulings[one.key].verdict, rulings[one.key].speaker) for one in passage.questions]


def test_the_passage_is_the_text_with_marks_before_unsure_quotations() -> None:
    (passage,), _, _ = asked("天亮了。", "“早。”有人说，“吃了吗？”", "“吃了。”")
    assert passage.text == "天亮了。\n[[1]]“早。”有人说，[[2]]“吃了吗？”\n[[3]]“吃了。”"
    system, user = passage.messages
    assert (system["role"], user["role"]) == ("system", "user")
    assert user["content"].endswith(f"<passage>\n{passage.text}\n</passage>")
    assert "- 老周（又称船家；男）\n- 林晓兰（女）\n" in user["content"]


def test_an_english_book_is_asked_in_english_with_spaces_between_lines() -> None:
    (passage,), _, names = asked(
        "Anna looked at Gray.", '"Good morning." He smiled. "Tea?"', cast=CAST_EN, language="en"
    )
    assert passage.text == 'Anna looked at Gray.\n[[1]]"Good morning." He smiled. [[2]]"Tea?"'
    user = passage.messages[1]["content"]
    assert "- Mr. Gray (also Gray; male)\n" in user
    assert "- Anna (female)\n" in user
    assert user.isascii()
    answer = passage.text.replace("[[1]]", "[[1: Mr. Gray ]]").replace("[[2]]", "[[2:anna]]")
    assert speakers(passage, answer, names) == [("settled", "Mr. Gray"), ("settled", "Anna")]


def test_a_name_is_taken_by_any_of_its_forms() -> None:
    (passage,), _, names = asked("“早。”", "“早。”")
    answer = passage.text.replace("[[1]]", "[[1:船家]]").replace("[[2]]", "[[2：老周]]")
    assert speakers(passage, answer, names) == [("settled", "老周"), ("settled", "老周")]
    for nobody, verdict in (
        ("曹操", "name"),
        ("老周和林晓兰", "name"),
        ("narrator", "name"),
        ("?", "open"),
        ("", "open"),
    ):
        assert speakers(passage, filled(passage, nobody), names) == [(verdict, "")] * 2, nobody
    assert speakers(passage, passage.text.replace("[[1]]", ""), names) == [("open", "")] * 2  # a mark lost or left


def test_whitespace_alone_may_differ() -> None:
    (passage,), _, names = asked("天亮了。 船到了。", "“早。”", "“早。”")
    answer = filled(passage, "老周")
    for other in (
        answer.replace("\n", "\n\n"),
        answer.replace("。", "。 "),
        answer.replace("\n", ""),
        f"\n{answer}\u3000",
    ):
        assert speakers(passage, other, names) == [("settled", "老周")] * 2


def test_no_sign_can_be_added_lost_or_changed_anywhere() -> None:
    (passage,), _, names = asked("天亮了，船还没有来。", "“早。”有人说，“吃了吗？”", "他没有回答。", "“吃了。”")
    answer = filled(passage, "老周")
    tags = [range(*tag.span()) for tag in re.finditer(r"\[\[[^\]]*\]\]", answer)]
    outside = [at for at in range(len(answer)) if not any(at in tag for tag in tags) and not answer[at].isspace()]
    draws = random.Random(7)
    for at in outside:
        sign = draws.choice([one for one in "了我，。“" + string.ascii_letters if one != answer[at]])
        for other in (
            answer[:at] + answer[at + 1 :],
            answer[:at] + sign + answer[at + 1 :],
            answer[:at] + sign + answer[at:],
        ):
            if written_names(passage, other) is not None:  # only where the same text comes out, as 了 put before 了
                assert re.sub(r"\[\[[^\]]*\]\]", "", other) == re.sub(r"\[\[[^\]]*\]\]", "", answer)
        assert read(passage, answer[:at] + answer[at + 1 :], names)[passage.questions[0].key] == Ruling("words")


@pytest.mark.parametrize(
    "answer",
    [
        "天亮了。[[1:老周]]\n“早。”\n[[2:老周]]“好。”[[3:老周]]",  # one mark too many
        "天亮了。\n[[2:老周]]“早。”\n[[1:老周]]“好。”",  # changed about
        "天亮了。\n“[[1:老周]]早。”\n[[2:老周]]“好。”",  # moved
        "天亮了。\n[[1:老周]]“早。”\n[[2:老周]]“好。”\n[[1:老周]]“早。”",  # said twice
        "[[1:老周]][[2:老周]]",
        "",
    ],
)
def test_marks_stay_where_they_are(answer: str) -> None:
    (passage,), _, names = asked("天亮了。", "“早。”", "“好。”")
    assert speakers(passage, answer, names) == [("words", "")] * 2


def test_a_text_that_holds_marks_itself_cannot_settle_anything() -> None:
    (passage,), _, names = asked("墙上写着[[1:老周]]和[[2]]。", "“早。”")
    assert passage.text == "墙上写着[[1:老周]]和[[2]]。\n[[1]]“早。”"
    assert speakers(passage, passage.text, names) == [("open", "")]
    answer = passage.text.replace("\n[[1]]", "\n[[1:林晓兰]]")
    assert speakers(passage, answer, names) == [("settled", "林晓兰")]
    assert speakers(passage, answer.replace("写着[[1:老周]]", "写着"), names) == [("words", "")]


def test_requests_are_bounded_and_each_quotation_stands_in_one() -> None:
    rows = [f"“这是第{number}句话，{'说' * (number % 90)}。”" for number in range(200)]
    found, script, _ = asked(*rows)
    assert sum(len(one.questions) for one in found) == len(script.chapters[0].lines) == 200
    assert max(len(one.questions) for one in found) == 8
    assert max(len(one.text) for one in found) < 3200
    for passage in found:
        for number, question in enumerate(passage.questions, 1):
            assert f"[[{number}]]{script.chapters[0].lines[question.start].text}" in passage.text


def test_a_quotation_of_many_lines_is_one_question_and_shown_in_part() -> None:
    speech = "“" + "我们从前住在河的对岸，那时候还没有桥，过河要坐船。" * 100 + "”"
    (passage,), script, _ = asked("天亮了。", speech)
    (question,) = passage.questions
    assert question.lines == len(script.chapters[0].lines) - 1 > 10
    assert len(passage.text) < 800


def test_far_apart_quotations_are_asked_apart() -> None:
    between = ["河水一直在流，谁也没有说话，天慢慢地黑了下来。" * 4] * 20
    found, _, _ = asked("“早。”", *between, "“晚了。”")
    assert [len(one.questions) for one in found] == [1, 1]
    assert found[0].text.startswith("[[1]]“早。”")


def test_the_key_changes_with_text_people_and_model() -> None:
    def key(*paragraphs: str, cast: Cast = CAST, model: str = "m") -> str:
        _, script, names = asked(*paragraphs, cast=cast)
        return next(find(script, names, cast, "zh", model)).key

    first = key("天亮了。", "“早。”")
    assert first == key("天亮了。", "“早。”")
    other_cast = replace(CAST, characters=(*CAST.characters, Role("小满", voice="c")))
    others = {
        key("天黑了。", "“早。”"),
        key("天亮了。", "“早。”", cast=other_cast),
        key("天亮了。", "“早。”", model="n"),
    }
    assert len(others | {first}) == 4


@pytest.mark.parametrize(
    "value",
    [None, [], ["settled"], ["settled", ""], ["words", "老周"], ["sworn", ""], [["settled"], "x"], "settled", {}],
)
def test_a_ruling_that_is_none_is_none(value: object) -> None:
    assert Ruling.from_json(value) is None
    assert Ruling.from_json(Ruling("settled", "老周").to_json()) == Ruling("settled", "老周")


def test_the_user_settles_by_name_by_voice_and_by_leaving_out(tmp_path: Path) -> None:
    rows = ("天亮了。", "“一。”", "“二。”", "“三。”", "“四。”", "“五。”")
    room = Scribe(CAST, ScriptSettings(), ())
    first = room.write(manuscript(*rows), tmp_path)
    ids = {line.text: line.id for line in first.script.chapters[0].lines}
    path = tmp_path / "001.yaml"
    text = path.read_text("utf-8")
    assert settled(tmp_path, first.script, room.reader_of) == frozenset()
    text = re.sub(r"    speaker: .*\n(    text: “一。”\n)", r"    speaker: 林晓兰\n\1", text)
    text = text.replace("    text: “二。”\n", "    text: “二。”\n    voice: b\n")
    text = text.replace("    text: “三。”\n", "    text: “三。”\n    skip: true\n")
    text = text.replace("    text: “四。”\n", "    text: “四。”\n    style: 大声\n")
    path.write_text(text, encoding="utf-8")
    assert settled(tmp_path, first.script, room.reader_of) == {(1, ids[f"“{word}。”"]) for word in "一二三"}
    assert path.read_text("utf-8") == text
    assert settled(tmp_path / "nowhere", first.script, room.reader_of) == frozenset()
