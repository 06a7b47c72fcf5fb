"""The receipt as one page: no scripts, no outside assets, readable in light and dark and on a phone.

Contract: pure; every text that comes from outside goes through ``html.escape``, and the page forbids scripts and
loading by its own policy. Links to deliverables are relative.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import quote

from tasks.publish.receipt import Receipt, ReceiptChapter

_STYLE = """
:root{color-scheme:light dark;--ink:#1c1b19;--soft:#6a665e;--paper:#fbfaf7;--card:#fff;--rule:#e4e0d8;--bar:#3d6b8c;
--warn:#9a5b00;--warn-paper:#fff4df}
@media(prefers-color-scheme:dark){:root{--ink:#e9e6df;--soft:#a19c92;--paper:#171614;--card:#201f1c;--rule:#37342f;
--bar:#7fb0d3;--warn:#ffc56b;--warn-paper:#33270f}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);line-height:1.55;
font-family:system-ui,-apple-system,"Segoe UI","Noto Sans","PingFang SC","Noto Sans CJK SC","Microsoft YaHei",sans-serif}
main{max-width:60rem;margin:0 auto;padding:2rem 1rem 4rem}
h1{font-size:1.9rem;line-height:1.25;margin:0;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.2rem 0 .6rem}
p{margin:.3rem 0}.soft{color:var(--soft)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.7rem;margin:1.4rem 0 0;padding:0}
.figures div{background:var(--card);border:1px solid var(--rule);border-radius:.6rem;padding:.6rem .8rem}
.figures dt{color:var(--soft);font-size:.8rem}.figures dd{margin:0;font-size:1.25rem;font-variant-numeric:tabular-nums}
.figures .warn{background:var(--warn-paper);border-color:var(--warn)}.figures .warn dd{color:var(--warn)}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--rule);border-radius:.6rem}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;padding:.45rem .8rem;border-top:1px solid var(--rule);vertical-align:top}
thead th{border-top:0;color:var(--soft);font-weight:500;font-size:.8rem;white-space:nowrap}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.t{min-width:10rem;overflow-wrap:anywhere}.warn-text{color:var(--warn)}
svg{display:block;width:9rem;height:.7rem;margin-top:.45rem}rect{fill:var(--bar)}
ul{margin:.3rem 0;padding-left:1.2rem}li{overflow-wrap:anywhere}a{color:inherit}
@media(max-width:40rem){svg{width:4rem}th,td{padding:.4rem .55rem}.t{min-width:8rem}}
code{font-size:.85em}
"""


def page(receipt: Receipt) -> str:
    """The whole HTML document."""
    parts = [
        _figures(receipt),
        _flagged(receipt),
        _notes(receipt),
        _chapters(receipt),
        _deliverables(receipt),
        _voices(receipt),
        _styles(receipt),
        _coverage(receipt),
        _timings(receipt),
        _engine(receipt),
    ]
    by = f'<p class="soft">{escape(receipt.author)}</p>' if receipt.author else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(receipt.title)}: receipt</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(receipt.title)}</h1>\n{by}\n"
        f'<p class="soft">Made {escape(receipt.made_at.replace("T", " ", 1))} by voicepress {escape(receipt.voicepress)}</p>\n'
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def duration(seconds: float) -> str:
    """``1:02:03`` or ``2:03``."""
    whole = round(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"


def size(count: int) -> str:
    """Bytes as a person reads them, in units of 1000."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 999.5 or unit == "GB":
            return f"{count} B" if unit == "B" else f"{value:.3g} {unit}" if value < 999.5 else f"{value:.0f} {unit}"
        value /= 1000.0
    return ""


def _figures(receipt: Receipt) -> str:
    unexplained = receipt.coverage.unexplained
    held_back = sum(1 for chapter in receipt.chapters if chapter.held_back)
    cells: list[tuple[str, str, bool]] = [
        ("Length", duration(receipt.seconds), False),
        ("Chapters", _count(len(receipt.chapters) - held_back), False),
        ("Lines", _count(receipt.lines), False),
        ("Recorded now", _count(receipt.recorded), False),
        ("Reused", _count(receipt.reused), False),
        ("Flagged lines", _count(len(receipt.flagged)), bool(receipt.flagged)),
    ]
    if held_back:
        cells.append(("Held back", _count(held_back), True))
    if unexplained:
        cells.append(("Unexplained chars", _count(unexplained), True))
    inner = "".join(
        f"<div{_class('warn' if warn else '')}><dt>{name}</dt><dd>{value}</dd></div>" for name, value, warn in cells
    )
    return f'<dl class="figures">{inner}</dl>'


def _chapters(receipt: Receipt) -> str:
    longest = max((chapter.seconds for chapter in receipt.chapters), default=0.0)

    def row(chapter: ReceiptChapter) -> list[str]:
        title = escape(f"{chapter.volume} {chapter.title}".strip()) or '<span class="soft">without title</span>'
        if chapter.held_back:
            title += f'<br><span class="warn-text">held back: {escape(chapter.held_back)}</span>'
            return [
                _n(chapter.number),
                title,
                "",
                _n("–"),
                _n(_count(chapter.lines)),
                _n(_count(chapter.flagged)),
                _n("–"),
                _n("–"),
            ]
        return [
            _n(chapter.number), title, _bar(chapter.seconds, longest), _n(duration(chapter.seconds)),
            _n(_count(chapter.lines)), _n(_count(chapter.flagged), warn=chapter.flagged > 0),
            _n(_signed(chapter.loudness_lufs)), _n(_signed(chapter.true_peak_dbtp)),
        ]  # fmt: skip

    names = ["#", "Chapter", "", "Length", "Lines", "Flagged", "LUFS", "Peak dBTP"]
    return _table("Chapters", names, map(row, receipt.chapters), right={0, 3, 4, 5, 6, 7}, wide={1})


def _flagged(receipt: Receipt) -> str:
    rows = (
        [
            _n(line.chapter),
            _n("" if line.at_seconds is None else duration(line.at_seconds)),
            escape(line.text),
            escape("; ".join(line.reasons)),
        ]
        for line in receipt.flagged
    )
    return _table("Please listen to these lines", ["Chapter", "At", "Text", "Why"], rows, right={0, 1}, wide={2, 3})


def _notes(receipt: Receipt) -> str:
    if not receipt.notes:
        return ""
    items = "".join(f"<li>{escape(note)}</li>" for note in receipt.notes)
    return f"<section><h2>Notes</h2><ul>{items}</ul></section>"


def _deliverables(receipt: Receipt) -> str:
    rows = (
        [
            f'<a href="{quote(file.path)}">{escape(file.path.rsplit("/", 1)[-1])}</a>',
            escape(file.kind),
            _n(duration(file.seconds) if file.seconds else ""),
            _n(size(file.bytes)),
        ]
        for file in receipt.deliverables
    )
    return _table("Files", ["File", "Kind", "Length", "Size"], rows, right={2, 3}, wide={0})


def _voices(receipt: Receipt) -> str:
    rows = (
        [
            escape(v.name or v.id),
            f"<code>{escape(v.id)}</code>",
            escape(", ".join(v.speakers)),
            _n(_count(v.lines)),
            _n(duration(v.seconds)),
        ]
        for v in receipt.voices
    )
    return _table("Voices", ["Voice", "Id", "Speaks for", "Lines", "Length"], rows, right={3, 4}, wide={2})


def _styles(receipt: Receipt) -> str:
    said = {"full": "as asked", "approximate": "approximated", "none": "not honoured"}
    rows = (
        [escape(one.style), _n(_count(one.lines), warn=one.honoured == "none"), said[one.honoured]]
        for one in receipt.styles
    )
    return _table("Styles", ["Style", "Lines", "How the engine did it"], rows, right={1}, wide={0})


def _coverage(receipt: Receipt) -> str:
    coverage = receipt.coverage
    total = max(1, coverage.source_chars)
    counts = [("in lines", coverage.spoken_chars)]
    counts += [(f"left out: {reason}", count) for reason, count in sorted(coverage.left_out.items())]
    counts.append(("without account", coverage.unexplained))
    rows = [[escape(name), _n(_count(count)), _n(f"{100.0 * count / total:.2f} %")] for name, count in counts]
    rows.append(["<b>source text</b>", _n(_count(coverage.source_chars)), _n("")])
    return _table("Every character of the source", ["Characters", "Count", "Share"], rows, right={1, 2})


def _timings(receipt: Receipt) -> str:
    timings = receipt.timings
    stages = ("read", "script", "record", "check", "stitch", "publish")
    rows = [[name, _n(f"{getattr(timings, name):.1f} s")] for name in stages]
    if timings.rtf is not None:
        rows.append(["recorded sound", _n(f"{timings.audio_seconds:.1f} s")])
        rows.append(["recording time per second of sound (RTF)", _n(f"{timings.rtf:.3f}")])
    rows += [
        [f"engine, {escape(stage)} (all takes of the book)", _n(f"{took:.1f} s")]
        for stage, took in timings.engine.items()
    ]
    return _table("Time this run took", ["Stage", "Time"], rows, right={1})


def _engine(receipt: Receipt) -> str:
    rows = [
        ["voicepress", escape(receipt.voicepress)],
        ["engine", escape(receipt.engine)],
        ["engine fingerprint", f"<code>{escape(receipt.engine_fingerprint)}</code>"],
        ["seed", escape(str(receipt.seed))],
    ]
    if receipt.mastering:
        rows.append(["mastering", escape(receipt.mastering)])
    return _table("Made with", ["What", "Which"], rows)


def _table(
    heading: str,
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Iterable[int] = (),
    wide: Iterable[int] = (),
) -> str:
    """A section with a table; cells are HTML already. Nothing where there are no rows."""
    numbers, roomy = set(right), set(wide)
    body = ""
    for cells in rows:
        columns = (
            cell if cell.startswith("<td") else f"<td{_class('t' if index in roomy else '')}>{cell}</td>"
            for index, cell in enumerate(cells)
        )
        body += f"<tr>{''.join(columns)}</tr>\n"
    if not body:
        return ""
    head = "".join(
        f'<th scope="col"{_class("n" if index in numbers else "")}>{name}</th>' for index, name in enumerate(names)
    )
    return (
        f'<section><h2>{heading}</h2><div class="scroll"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div></section>"
    )


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def _n(value: object, *, warn: bool = False) -> str:
    return f'<td class="n{" warn-text" if warn else ""}">{value}</td>'


def _bar(value: float, longest: float) -> str:
    share = 100.0 * value / longest if longest > 0 else 0.0
    return (
        '<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{max(0.5, share):.1f}" height="8" rx="1"/></svg>'
    )


def _count(value: int) -> str:
    return f"{value:,}".replace(",", "\u202f")  # narrow and never broken


def _signed(value: float) -> str:
    return f"{value:.1f}".replace("-", "−")
