import pytest

from flows.review.rank import Doubtful, Reason, reasons_of, suspicion
from tasks.domain import Line, Span, Verdict

LINE = Line("1", "dialogue", "“好。”", "好。", Span(0, 4), speaker="老周", confidence=0.55, other=("阿南", 0.4))


def test_every_reason_has_a_code_and_words() -> None:
    doubts = [Doubtful(0, "好", "hao4", 0.6), Doubtful(1, "了", "le5", 0.99)]
    found = reasons_of(LINE, ["omission: 2 words", "not sure"], True, "低声", "none", doubts)
    assert [(reason.code, reason.what) for reason in found] == [
        ("omission", "2 words"),
        ("flagged", "not sure"),
        ("unsure-speaker", "老周 55%, or 阿南 40%"),
        ("doubtful-reading", "好 hao4 60%"),
        ("style-not-honoured", "低声"),
    ]
    assert reasons_of(LINE, [], False, "低声", "full", doubts[1:]) == ()


def test_flagged_lines_come_first_and_approved_ones_last() -> None:
    good, bad = Verdict("pass", score=0.95), Verdict("retry", ("silent: nothing",), score=-1.2)
    doubt = [Reason("doubtful-reading", "", 6.0)]
    ranks = [
        suspicion("flagged", bad, []),
        suspicion("flagged", Verdict("flagged", score=0.7), []),
        suspicion("unchecked", None, []),
        suspicion("waiting", None, []),
        suspicion("passed", good, doubt),
        suspicion("passed", good, []),
        suspicion("approved", bad, doubt),
        suspicion("skipped", None, []),
    ]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == len(ranks)


@pytest.mark.parametrize(("sure", "weight"), [(0.5, 9.0), (0.9, 0.0)])
def test_a_surer_speaker_is_less_suspicious(sure: float, weight: float) -> None:
    line = Line("1", "dialogue", "“好。”", "好。", Span(0, 4), speaker="老周", confidence=sure)
    (reason,) = reasons_of(line, [], True, "", "full", [])
    assert reason.weight == pytest.approx(20.0 * (1.0 - sure))
    assert reason.weight >= weight
