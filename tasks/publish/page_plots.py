"""The receipt's plots: SVG without scripts, its labels in HTML so that they stay legible on a phone.

Contract: pure; a plot is a figure whose drawing stretches with the page while lines and dots keep their width. Every
drawing says in ``title`` and ``desc`` what a reader would see in it. However long the book, a plot stays below some 30 kB.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from html import escape

from tasks.publish.page_html import duration, percent, signed
from tasks.publish.receipt import Receipt, ReceiptChapter

MOST_POINTS = 400
"""More are put together: no screen shows them apart."""
_SIDE = 1000
"""Width and height of every drawing in its own units."""
Label = tuple[float, str]
"""Where a label stands, as a share of the axis from its beginning, and what it says."""


def plots(receipt: Receipt) -> str:
    """All plots for which there is something to see."""
    parts = [rate_plot(receipt), loudness_plot(receipt), outcome_plot(receipt)]
    inner = "\n".join(part for part in parts if part)
    return f'<section><h2>At a glance</h2><div class="plots">{inner}</div></section>' if inner else ""


# ---------------------------------------------------------------- the three


def rate_plot(receipt: Receipt) -> str:
    """Speech rate over the time of the book."""
    step, values = receipt.rate.step_seconds, receipt.rate.chars_per_second
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return ""
    merged = gathered(values, MOST_POINTS)
    low, high, ticks = scale(min(known), max(known), least=2.0)
    middle = statistics.median(known)
    pieces, start = [], True
    for place, value in enumerate(merged):
        if value is None:
            start = True
            continue
        x, y = _SIDE * (place + 0.5) / len(merged), height(value, low, high)
        pieces.append(f"{'M' if start else 'L'}{x:.0f} {y:.0f}")
        if start and (place + 1 == len(merged) or merged[place + 1] is None):
            pieces.append("h1")
        start = False
    total = step * len(values)
    level = f'<path class="aim" d="M0 {height(middle, low, high):.0f}H{_SIDE}"/>'
    return figure(
        "rate", "Speech rate", f"characters a second, minute by minute; median {middle:.1f}",
        f"Between {min(known):.1f} and {max(known):.1f} characters a second of speech over {duration(total)}, median {middle:.1f}.",
        f'{level}<path class="line" d="{"".join(pieces)}"/>',
        [((tick - low) / (high - low), said) for tick, said in zip(ticks, alike(ticks), strict=True)], time_labels(total),
    )  # fmt: skip


def loudness_plot(receipt: Receipt) -> str:
    """Integrated loudness of every chapter, in the band that the preset allows."""
    made = [chapter for chapter in receipt.chapters if chapter.seconds > 0]
    if len(made) < 2:
        return ""
    levels = [chapter.loudness_lufs for chapter in made]
    band = receipt.preset.loudness_lufs if receipt.preset else None
    low, high, ticks = scale(min([*levels, *(band or ())]), max([*levels, *(band or ())]), least=4.0)
    dots = "".join(
        f"M{_SIDE * (place + 0.5) / len(made):.0f} {height(level, low, high):.0f}h0"
        for place, level in enumerate(levels)
    )
    shade, words, outside = "", "", 0
    if band:
        top, bottom = height(band[1], low, high), height(band[0], low, high)
        shade = f'<rect class="band" y="{top:.0f}" width="{_SIDE}" height="{bottom - top:.0f}"/>'
        outside = sum(not band[0] <= round(level, 1) <= band[1] for level in levels)
        words = f"; the preset allows {signed(band[0])} to {signed(band[1])}"
    return figure(
        "loudness", "Loudness", f"LUFS by chapter{words}",
        f"{len(made)} chapters between {signed(min(levels))} and {signed(max(levels))} LUFS"
        + (f", {outside} of them outside the band of the preset." if band else "."),
        f'{shade}<path class="dots{" small" if len(made) > 120 else ""}" d="{dots}"/>',
        [((tick - low) / (high - low), said) for tick, said in zip(ticks, alike(ticks), strict=True)], chapter_labels(made),
    )  # fmt: skip


def outcome_plot(receipt: Receipt) -> str:
    """Lines that did not pass at once, by chapter: healed by a re-take, flagged, failed."""
    chapters = [chapter for chapter in receipt.chapters if chapter.lines]
    if len(chapters) < 2:
        return ""
    rows = [[share / chapter.lines for share in outcomes(chapter)] for chapter in chapters]
    merged = [
        list(row) for row in zip(*(thinned([row[kind] for row in rows], MOST_POINTS) for kind in range(3)), strict=True)
    ]
    worst = max(map(sum, merged))
    totals = [sum(column) for column in zip(*map(outcomes, chapters), strict=True)]
    lines = sum(chapter.lines for chapter in chapters)
    if not sum(totals):
        return ""
    _, high, ticks = scale(0.0, max(100.0 * worst, 1.0), least=1.0)
    drawn = []
    for kind, name in enumerate(("healed", "flagged", "failed")):
        path = ""
        for place, row in enumerate(merged):
            base = 100.0 * sum(row[:kind])
            if row[kind] > 0:
                left, right = _SIDE * (place + 0.15) / len(merged), _SIDE * (place + 0.85) / len(merged)
                bottom, top = height(base, 0.0, high), height(base + 100.0 * row[kind], 0.0, high)
                path += f"M{left:.1f} {bottom:.0f}V{top:.0f}H{right:.1f}V{bottom:.0f}z"
        drawn.append(f'<path class="{name}" d="{path}"/>')
    legend = "".join(
        f'<span><i class="{name}"></i>{name} {count}</span>'
        for name, count in zip(("healed", "flagged", "failed"), totals, strict=True)
        if count
    )
    return figure(
        "outcomes", "Lines that did not pass at once", f"per cent of each chapter's lines {legend}",
        f"Of {lines} lines {totals[0]} were healed by a re-take, {totals[1]} are flagged and {totals[2]} failed; "
        f"the worst chapter has {percent(worst)} of its lines among them.",
        "".join(drawn), [(tick / high, said) for tick, said in zip(ticks, alike(ticks), strict=True)], chapter_labels(chapters),
    )  # fmt: skip


def outcomes(chapter: ReceiptChapter) -> tuple[int, int, int]:
    """Lines healed, flagged, failed."""
    return chapter.healed, max(0, chapter.flagged - chapter.failed), chapter.failed


# ---------------------------------------------------------------- what they are made of


def figure(
    name: str,
    title: str,
    caption: str,
    description: str,
    drawing: str,
    y_labels: Iterable[Label],
    x_labels: Iterable[Label],
) -> str:
    """A drawing with its labels; ``caption`` may hold HTML of ours, the rest is text."""
    lines, left, below = "", "", ""
    for share, text in y_labels:
        lines += f'<path class="grid" d="M0 {_SIDE * (1.0 - share):.0f}H{_SIDE}"/>'
        left += f'<span style="bottom:{100.0 * share:.1f}%">{escape(text)}</span>'
    for share, text in x_labels:
        below += f'<span style="left:{100.0 * share:.1f}%">{escape(text)}</span>'
    return (
        f'<figure class="plot"><figcaption><b>{escape(title)}</b> <span class="soft">{caption}</span></figcaption>'
        f'<div class="area"><div class="y" aria-hidden="true">{left}</div>'
        f'<svg viewBox="0 0 {_SIDE} {_SIDE}" preserveAspectRatio="none" role="img" aria-labelledby="{name}-t {name}-d">'
        f'<title id="{name}-t">{escape(title)}</title><desc id="{name}-d">{escape(description)}</desc>'
        f'{lines}{drawing}</svg><div class="x" aria-hidden="true">{below}</div></div></figure>'
    )


def height(value: float, low: float, high: float) -> float:
    """Where a value stands in a drawing, counted from its top."""
    return _SIDE * (1.0 - (min(max(value, low), high) - low) / (high - low))


def scale(low: float, high: float, least: float) -> tuple[float, float, list[float]]:
    """Round bounds around ``low`` and ``high`` that lie at least ``least`` apart, and three to six round values in them."""
    if high - low < least:
        middle, floor = (low + high) / 2.0, low
        low, high = (0.0, least) if floor == 0.0 else (middle - least / 2.0, middle + least / 2.0)
    rough = (high - low) / 4.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * power >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [round(step * count, 6) for count in range(first, last + 1)]
    return ticks[0], ticks[-1], ticks


def alike(ticks: Sequence[float]) -> list[str]:
    """The values of an axis, all with as many digits as the one that needs most."""
    digits = next(digits for digits in range(6) if all(abs(tick - round(tick, digits)) < 1e-6 for tick in ticks))
    return [signed(tick, digits) for tick in ticks]


def gathered(values: Sequence[float | None], most: int) -> list[float | None]:
    """At most ``most`` values: the means of neighbours."""
    if len(values) <= most:
        return list(values)
    means: list[float | None] = []
    for place in range(most):
        own = values[len(values) * place // most : len(values) * (place + 1) // most]
        known = [value for value in own if value is not None]
        means.append(sum(known) / len(known) if known else None)
    return means


def thinned(values: Sequence[float], most: int) -> list[float]:
    return [value or 0.0 for value in gathered(values, most)]


def time_labels(total_seconds: float) -> list[Label]:
    """Round times along a book."""
    steps = (60, 120, 300, 600, 1200, 1800, 3600, 7200, 18_000, 36_000, 72_000, 180_000, 360_000)
    step = next((step for step in steps if total_seconds / step <= 6), steps[-1] * 10)
    return [
        (at / total_seconds, duration(at))
        for at in range(0, int(total_seconds) + 1, step)
        if at / total_seconds <= 0.97
    ]


def chapter_labels(chapters: Sequence[ReceiptChapter]) -> list[Label]:
    """Numbers of some chapters, the first and the last among them."""
    count = len(chapters)
    step = next(size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if count / size <= 8)
    places = [place for place in range(count) if place == 0 or chapters[place].number % step == 0]
    places = [place for place in places if place == 0 or place / count > 0.04]
    return [((place + 0.5) / count, str(chapters[place].number)) for place in places]
