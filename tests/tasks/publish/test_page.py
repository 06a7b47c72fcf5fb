"""The receipt's page: what is on it, plots, size, and that nothing of a book becomes markup."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from tasks.publish.page import MOST_FLAGGED, page
from tasks.publish.page_plots import (
    alike,
    chapter_labels,
    gathered,
    loudness_plot,
    outcome_plot,
    rate_plot,
    scale,
    time_labels,
)  # fmt: skip
from tasks.publish.receipt import (
    FlaggedLine,
    ReadingProposal,
    Receipt,
    ReceiptChapter,
    ReceiptFile,
    ReceiptPreset,
    ReceiptReadings,
    ReceiptRule,
    RetakeCount,
    Retakes,
    SpeechRate,
    Timings,
)  # fmt: skip
from tests.tasks.publish.test_receipt import HOSTILE, Reader, receipt


def chapters(count: int, **changes: Any) -> tuple[ReceiptChapter, ...]:
    plain = {"seconds": 600.0, "lines": 100, "loudness_lufs": -18.0, "true_peak_dbtp": -3.2} | changes
    return tuple(ReceiptChapter(number=n, title=f"第{n}章", **plain) for n in range(1, count + 1))


def full(text: str = "雨夜", **changes: Any) -> Receipt:
    """A receipt in which every section has something to show."""
    return receipt(text, **({
        "chapters": chapters(12, retaken=3, healed=2, flagged=1, heard=400, heard_error=0.0125, limited_db=2.46, limited_share=0.01),
        "lines": 1200, "check": "full", "takes_used": {"0": 1190, "2": 10}, "versions": {text: "3.11.2"},
        "preset": ReceiptPreset(name=text, loudness_lufs=(-19.0, -17.0)),
        "flagged": (FlaggedLine(chapter=1, line_id="a", text=text, reasons=(f"omission: {text}",), at_seconds=61, heard=text, take=1, tries=3),),
        "retakes": Retakes(lines=36, tries=40, healed=24, levelled=2, by_reason=(RetakeCount(what=text, tries=40, passed=24),),
                           by_recipe=(RetakeCount(what="split 1", tries=40, passed=24),)),
        "speakers": (ReceiptRule(rule=text, lines=44, unsure=3),),
        "readings": ReceiptReadings(total=1000, forced=17, by_origin={text: 1000}, proposals=(
            ReadingProposal(word=text, char="雨", reading="yu3", heard=text, times=2, chapter=1, line_id="a", text=f"他{text}了"),)),
        "rate": SpeechRate(chars_per_second=(4.0, 4.5, None, 5.0)),
        "timings": Timings(record=30.0, check=4.0, audio_seconds=120.0, engine={text: 28.0}),
        "deliverables": (
            ReceiptFile(path=f"publish/{text}.mp3", kind="mp3", bytes=99, seconds=9.0, loudness_lufs=-18.2, true_peak_dbtp=-3.4),
            ReceiptFile(path="publish/b.mp3", kind="mp3", bytes=99, seconds=9.0, loudness_lufs=-23.0, true_peak_dbtp=-3.4,
                        faults=(f"loudness {text}",)),
        ),
    } | changes))  # fmt: skip


def drawings(document: str) -> list[ET.Element]:
    """The plots' drawings, each well-formed."""
    found = [ET.fromstring(one) for one in re.findall(r"<svg.*?</svg>", document, re.S)]
    return [one for one in found if one.get("role") == "img"]


def test_everything_the_receipt_knows_is_shown() -> None:
    reader = Reader(page(full()))
    assert reader.open == []
    for text in (
        "24 of 36", "1.25\u202f%", "heard 雨夜", "omission: 雨夜", "他雨夜了", "yu3", "−2.5", "passes", "misses: loudness 雨夜",
        "split 1", "17 forced", "take 0: 1\u202f190", "3.11.2", "28.0 s", "RTF 0.250", "signal, and every take heard",
    ):  # fmt: skip
        assert text in reader.shown, text


def test_what_comes_from_a_book_is_never_markup() -> None:
    document = page(full(HOSTILE))
    reader = Reader(document)
    assert reader.open == []
    assert not {"script", "img"} & set(reader.tags)
    assert not [name for name, _ in reader.attributes if name.startswith("on")]
    assert not re.search(r"https?://|url\(|@import|<link", document)


def test_plots_tell_in_words_what_they_show() -> None:
    found = drawings(page(full()))
    assert len(found) == 3
    for one in found:
        title, description = one[0], one[1]
        assert (title.tag, description.tag) == ("title", "desc")
        assert one.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    words = [one[1].text or "" for one in found]
    assert words[0] == "Between 4.0 and 5.0 characters a second of speech over 4:00, median 4.5."
    assert words[1] == "12 chapters between −18.0 and −18.0 LUFS, 0 of them outside the band of the preset."
    assert words[2].startswith("Of 1200 lines 24 were healed by a re-take, 12 are flagged and 0 failed")


def test_a_silent_minute_parts_the_line() -> None:
    (drawn,) = re.findall(r'class="line" d="([^"]*)"', rate_plot(full()))
    assert drawn.count("M") == 2
    assert rate_plot(full(rate=SpeechRate(chars_per_second=(4.0, None)))) == ""


def test_chapters_outside_the_band_are_told() -> None:
    some = (*chapters(5), *chapters(1, loudness_lufs=-22.0), ReceiptChapter(number=9, title="x", held_back="y"))
    drawn = loudness_plot(full(chapters=some))
    assert "6 chapters between −22.0 and −18.0 LUFS, 1 of them outside" in drawn
    assert drawn.count("h0") == 6
    assert 'class="band"' not in loudness_plot(full(preset=None))
    assert loudness_plot(full(chapters=chapters(1))) == ""


def test_nothing_is_drawn_where_everything_passed() -> None:
    assert outcome_plot(full(chapters=chapters(5))) == ""
    drawn = outcome_plot(full(chapters=(*chapters(2), *chapters(1, flagged=3, failed=1))))
    assert "0 were healed by a re-take, 2 are flagged and 1 failed" in drawn
    assert "flagged 2" in drawn
    assert "healed 0" not in drawn


def test_a_book_of_a_thousand_chapters_stays_small() -> None:
    files = tuple(
        ReceiptFile(path=f"publish/{n:04d} 第{n}章 雨夜.mp3", kind="mp3", bytes=9, seconds=600.0) for n in range(3000)
    )
    flagged = tuple(
        FlaggedLine(chapter=1, line_id=f"{n}", text="雨" * 180, reasons=("hole: x",), heard="雨" * 180)
        for n in range(3000)
    )
    rate = SpeechRate(chars_per_second=tuple(4.0 + n % 7 / 10 for n in range(20_000)))
    document = page(
        full(chapters=chapters(1000, retaken=3, healed=2, flagged=1), deliverables=files, flagged=flagged, rate=rate)
    )
    assert len(document.encode()) < 2_000_000
    assert f"{3000 - MOST_FLAGGED:,}".replace(",", "\u202f") + " more in receipt.json" in document
    assert "<details><summary>1\u202f000 rows" in document
    assert sum(len(ET.tostring(one)) for one in drawings(document)) < 100_000


@pytest.mark.parametrize(
    ("low", "high", "least", "ends"),
    [
        (4.1, 5.3, 2.0, (3.5, 6.0)),
        (-18.0, -18.0, 4.0, (-20.0, -16.0)),
        (0.0, 0.3, 1.0, (0.0, 1.0)),
        (0.0, 37.0, 1.0, (0.0, 40.0)),
    ],
)
def test_axes_end_at_round_values(low: float, high: float, least: float, ends: tuple[float, float]) -> None:
    first, last, ticks = scale(low, high, least)
    assert (first, last) == ends
    assert (ticks[0], ticks[-1]) == ends
    assert 3 <= len(ticks) <= 7


def test_labels_are_alike_and_never_crowd() -> None:
    assert alike([3.5, 4.0, -4.5]) == ["3.5", "4.0", "−4.5"]
    assert alike([0.0, 20.0]) == ["0", "20"]
    assert [text for _, text in time_labels(3700.0)] == ["0:00", "20:00", "40:00"]
    assert [text for _, text in chapter_labels(chapters(24))] == ["1", "5", "10", "15", "20"]
    assert len(chapter_labels(chapters(5000))) <= 9
    assert gathered([1.0, 3.0, None, None, 5.0, 7.0], 3) == [2.0, None, 6.0]
