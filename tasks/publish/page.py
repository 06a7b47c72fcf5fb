"""The receipt as one page: no scripts, no outside assets, readable in light and dark and on a phone.

Contract: pure; every text that comes from outside goes through ``html.escape``, and the page forbids scripts and
loading by its own policy. Links to deliverables are relative. What is long is cut (``MOST_…``) with a word on where the
rest is, so that the page of a book of a thousand chapters stays below two megabytes.
"""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from tasks.publish.page_html import bar, cell, css, duration, number, percent, signed, size, table
from tasks.publish.page_plots import plots
from tasks.publish.page_style import STYLE
from tasks.publish.page_work import checked, coverage, made_with, proposals, readings, retakes, speakers, timings
from tasks.publish.receipt import FlaggedLine, Receipt, ReceiptChapter, ReceiptFile

MOST_FLAGGED = 500
MOST_NOTES = 100
MOST_FILES = 2000
_CUT_CHARS = 300
_CER = (
    '<abbr title="share of syllables or words that were heard otherwise than they stand in the text">CER heard</abbr>'
)


def page(receipt: Receipt) -> str:
    """The whole HTML document."""
    parts = [
        _figures(receipt),
        _flagged(receipt),
        proposals(receipt),
        plots(receipt),
        _chapters(receipt),
        _deliverables(receipt),
        _pair(retakes(receipt), checked(receipt)),
        _voices(receipt),
        _pair(_styles(receipt), readings(receipt), speakers(receipt), coverage(receipt)),
        _pair(timings(receipt), made_with(receipt)),
        _notes(receipt),
    ]
    by = f"<p>{escape(receipt.author)}</p>" if receipt.author else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(receipt.title)}: receipt</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(receipt.title)}</h1>\n{by}\n"
        f'<p class="soft">Made {escape(receipt.made_at.replace("T", " ", 1))} by voicepress {escape(receipt.voicepress)}</p>\n'
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def _pair(*sections: str) -> str:
    """Short sections beside each other where there is room."""
    some = [section for section in sections if section]
    return f'<div class="pair">{"".join(some)}</div>' if len(some) > 1 else "".join(some)


def _figures(receipt: Receipt) -> str:
    unexplained = receipt.coverage.unexplained
    held_back = sum(1 for chapter in receipt.chapters if chapter.held_back)
    missed = sum(bool(file.faults) for file in receipt.deliverables)
    heard = receipt.heard_error
    cells: list[tuple[str, str, bool]] = [
        ("Length", duration(receipt.seconds), False),
        ("Chapters", number(len(receipt.chapters) - held_back), False),
        ("Lines", number(receipt.lines), False),
        ("Recorded now", number(receipt.recorded), False),
        ("Reused", number(receipt.reused), False),
    ]
    if heard is not None:
        cells.append((_CER, percent(heard, 2), False))
    if receipt.retakes.tries:
        cells.append(("Healed", f"{number(receipt.retakes.healed)} of {number(receipt.retakes.lines)}", False))
    cells.append(("Flagged lines", number(len(receipt.flagged)), bool(receipt.flagged)))
    if held_back:
        cells.append(("Held back", number(held_back), True))
    if missed:
        cells.append(("Files off preset", number(missed), True))
    if unexplained:
        cells.append(("Unexplained chars", number(unexplained), True))
    inner = "".join(
        f"<div{css('warn' if warn else '')}><dt>{name}</dt><dd>{value}</dd></div>" for name, value, warn in cells
    )
    return f'<dl class="figures">{inner}</dl>'


def _chapters(receipt: Receipt) -> str:
    longest = max((chapter.seconds for chapter in receipt.chapters), default=0.0)
    heard = any(chapter.heard_error is not None for chapter in receipt.chapters)
    limited = any(chapter.limited_db > 0 for chapter in receipt.chapters)

    def row(chapter: ReceiptChapter) -> list[str]:
        title = escape(f"{chapter.volume} {chapter.title}".strip()) or '<span class="soft">without title</span>'
        if chapter.held_back:
            title += f'<br><span class="warn-text">held back: {escape(chapter.held_back)}</span>'
        there = chapter.seconds > 0
        cells = [
            cell(chapter.number), title, bar(chapter.seconds, longest) if there else "",
            cell(duration(chapter.seconds) if there else "–"), cell(number(chapter.lines)),
            cell(number(chapter.retaken) if chapter.retaken else "–"),
            cell(number(chapter.flagged) if chapter.flagged else "–", warn=chapter.flagged > 0),
        ]  # fmt: skip
        if heard:
            cells.append(cell("–" if chapter.heard_error is None else percent(chapter.heard_error)))
        cells += [cell(signed(value) if there else "–") for value in (chapter.loudness_lufs, chapter.true_peak_dbtp)]
        if limited:
            cells.append(cell(signed(-chapter.limited_db) if chapter.limited_db > 0 else "–"))
        return cells

    names = [
        "#",
        "Chapter",
        "",
        "Length",
        "Lines",
        "Re-taken",
        "Flagged",
        *([_CER] if heard else []),
        "LUFS",
    ]
    names += ["Peak dBTP", *(["Limiter dB"] if limited else [])]
    return table("Chapters", names, map(row, receipt.chapters), right={0, *range(3, len(names))}, wide={1})


def _flagged(receipt: Receipt) -> str:
    def row(line: FlaggedLine) -> list[str]:
        text = escape(_cut(line.text))
        if line.heard:
            text += f'<span class="heard"><b>heard</b> {escape(_cut(line.heard))}</span>'
        text += f'<span class="why">{escape(_cut("; ".join(line.reasons)))}</span>'
        at = "" if line.at_seconds is None else duration(line.at_seconds)
        return [cell(line.chapter), cell(at), text, cell(line.tries or "")]

    shown = receipt.flagged[:MOST_FLAGGED]
    more = (
        ""
        if len(shown) == len(receipt.flagged)
        else f"{number(len(receipt.flagged) - len(shown))} more in receipt.json"
    )
    names = ["Chapter", "At", "Line", "Tries"]
    return table("Please listen to these lines", names, map(row, shown), right={0, 1, 3}, wide={2}, more=more)


def _notes(receipt: Receipt) -> str:
    if not receipt.notes:
        return ""
    items = "".join(f"<li>{escape(note)}</li>" for note in receipt.notes[:MOST_NOTES])
    rest = len(receipt.notes) - MOST_NOTES
    more = f'<p class="soft">{number(rest)} more in receipt.json</p>' if rest > 0 else ""
    return f"<section><h2>Notes</h2><ul>{items}</ul>{more}</section>"


def _deliverables(receipt: Receipt) -> str:
    measured = any(file.loudness_lufs is not None for file in receipt.deliverables)

    def row(file: ReceiptFile) -> list[str]:
        cells = [
            f'<a href="{quote(file.path)}">{escape(file.path.rsplit("/", 1)[-1])}</a>',
            escape(file.kind),
            cell(duration(file.seconds) if file.seconds else ""),
            cell(size(file.bytes)),
        ]
        if measured:
            cells += [
                cell("" if value is None else signed(value)) for value in (file.loudness_lufs, file.true_peak_dbtp)
            ]
            cells.append(_fits(file))
        return cells

    files = receipt.deliverables[:MOST_FILES]
    rest = len(receipt.deliverables) - len(files)
    names = [
        "File",
        "Kind",
        "Length",
        "Size",
        *(["LUFS", "Peak dBTP", f"Preset {escape(receipt.mastering)}"] if measured else []),
    ]
    more = f"{number(rest)} more in receipt.json" if rest else ""
    return table("Files", names, map(row, files), right={2, 3, 4, 5}, wide={0}, more=more)


def _fits(file: ReceiptFile) -> str:
    if file.faults:
        return f'<span class="warn-text">misses: {escape(_cut("; ".join(file.faults)))}</span>'
    return "" if file.loudness_lufs is None else '<span class="good-text">passes</span>'


def _voices(receipt: Receipt) -> str:
    rows = (
        [
            escape(v.name or v.id),
            f"<code>{escape(v.id)}</code>",
            escape(_cut(", ".join(v.speakers))),
            cell(number(v.lines)),
            cell(duration(v.seconds)),
        ]
        for v in receipt.voices
    )
    return table("Voices", ["Voice", "Id", "Speaks for", "Lines", "Length"], rows, right={3, 4}, wide={2})


def _styles(receipt: Receipt) -> str:
    said = {"full": "as asked", "approximate": "approximated", "none": "not honoured"}
    rows = (
        [escape(one.style), cell(number(one.lines), warn=one.honoured == "none"), said[one.honoured]]
        for one in receipt.styles
    )
    return table("Styles", ["Style", "Lines", "How the engine did it"], rows, right={1}, wide={0})


def _cut(text: str) -> str:
    return text if len(text) <= _CUT_CHARS else text[: _CUT_CHARS - 1] + "…"


__all__ = ["duration", "page", "size"]
