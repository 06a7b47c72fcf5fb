"""Every character of the source is spoken, left out with a reason, or a gap."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tasks.domain import ChapterScript, LeftOut, Line, Manuscript, Script, Span
from tasks.script.coverage import SKIPPED, coverage


def manuscript(source: str, *left_out: LeftOut) -> Manuscript:
    return Manuscript("book.txt", "txt", "utf-8", "0" * 64, source, (), left_out)


def script(*spans: tuple[int, int], skip: tuple[tuple[int, int], ...] = ()) -> Script:
    lines = [
        Line(f"{low}-{high}", "narration", "", "", Span(low, high), skip=(low, high) in skip) for low, high in spans
    ]
    return Script((ChapterScript(1, "", tuple(lines)),))


def test_a_book_that_is_said_whole_has_no_gap() -> None:
    found = coverage(manuscript("第一章\n\n  你好。 再见。\n"), script((0, 3), (7, 10), (11, 14)))
    assert found.complete
    assert (found.source_chars, found.spoken_chars, found.left_out) == (9, 9, {})


def test_what_is_left_out_is_counted_by_reason() -> None:
    found = coverage(
        manuscript("甲乙丙丁", LeftOut(Span(0, 1), "advert", "甲"), LeftOut(Span(3, 4), "advert", "丁")), script((1, 3))
    )
    assert found.complete
    assert found.left_out == {"advert": 2}


def test_a_gap_is_shown_with_its_row_and_an_excerpt() -> None:
    found = coverage(manuscript("甲乙\n丙丁戊\n己"), script((0, 2), (3, 4), (7, 8)))
    (gap,) = found.gaps
    assert (gap.span, gap.line, gap.text) == (Span(4, 6), 2, "丁戊")
    assert not found.complete


def test_a_gap_over_several_rows_is_one_gap_with_a_short_excerpt() -> None:
    source = "开头\n" + "漏" * 100 + "\n\n" + "掉" * 100 + "\n结尾"
    found = coverage(manuscript(source), script((0, 2), (len(source) - 2, len(source))))
    (gap,) = found.gaps
    assert len(gap.text) == 40
    assert gap.text.endswith("…")
    assert found.source_chars == 204


def test_lines_that_the_user_skips_count_as_left_out() -> None:
    found = coverage(manuscript("甲乙丙"), script((0, 2), (2, 3), skip=((0, 2),)))
    assert found.complete
    assert (found.spoken_chars, found.left_out) == (1, {SKIPPED: 2})


def test_spans_outside_of_the_source_are_harmless() -> None:
    assert coverage(manuscript("甲"), script((0, 99))).spoken_chars == 1


def test_an_empty_source_is_complete() -> None:
    assert coverage(manuscript(""), Script(())).complete


@given(
    st.text(alphabet="甲 \n乙", max_size=40),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=6),
    st.data(),
)
def test_the_account_always_adds_up(source: str, spans: list[tuple[int, int]], data: st.DataObject) -> None:
    left = [LeftOut(Span(low, high), data.draw(st.sampled_from(["advert", "image"])), "") for low, high in spans[::2]]
    found = coverage(manuscript(source, *left), script(*spans[1::2]))
    missing = sum(len("".join(source[gap.span.start : gap.span.end].split())) for gap in found.gaps)
    assert found.source_chars == len("".join(source.split()))
    assert found.source_chars == found.spoken_chars + sum(found.left_out.values()) + missing
