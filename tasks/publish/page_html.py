"""Pieces of HTML for the receipt's page: tables, figures, and how numbers are written.

Contract: pure; cells are HTML already, so whoever makes them escapes what comes from outside. A long table is folded, so
that the page of a thousand chapters can be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

FOLD_ABOVE_ROWS = 60
MANY_COLUMNS = 6
"""A table of more leaves its bars out on a phone."""


def table(
    heading: str,
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Iterable[int] = (),
    wide: Iterable[int] = (),
    more: str = "",
) -> str:
    """A section with a table; nothing where there are no rows. ``right`` are columns of numbers, ``wide`` those of text;
    ``more`` is a sentence below."""
    numbers, roomy = set(right), set(wide)
    body, count = [], 0
    for cells in rows:
        columns = (
            cell
            if cell.startswith("<td")
            else f"<td{css('t' if index in roomy else '' if names[index] else 'b')}>{cell}</td>"
            for index, cell in enumerate(cells)
        )
        body.append(f"<tr>{''.join(columns)}</tr>\n")
        count += 1
    if not count:
        return ""
    head = "".join(
        f'<th scope="col"{css("n" if index in numbers else "" if name else "b")}>{name}</th>'
        for index, name in enumerate(names)
    )
    whole = f'<div class="scroll"><table{css("many" if len(names) > MANY_COLUMNS else "")}><thead><tr>{head}</tr></thead>\n<tbody>{"".join(body)}</tbody></table></div>'
    if count > FOLD_ABOVE_ROWS:
        whole = f"<details><summary>{number(count)} rows</summary>{whole}</details>"
    return f"<section><h2>{heading}</h2>{whole}{f'<p class=soft>{more}</p>' if more else ''}</section>"


def css(name: str) -> str:
    return f' class="{name}"' if name else ""


def cell(value: object, *, warn: bool = False) -> str:
    """A table cell with a number."""
    return f'<td class="n{" warn-text" if warn else ""}">{value}</td>'


def bar(value: float, longest: float) -> str:
    """A bar in a table's cell; the number beside it says the same."""
    share = 100.0 * value / longest if longest > 0 else 0.0
    return (
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{max(0.5, share):.1f}" height="8"/></svg>'
    )


def number(value: int) -> str:
    return f"{value:,}".replace(",", "\u202f")  # narrow and never broken


def signed(value: float, digits: int = 1) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def percent(share: float, digits: int = 1) -> str:
    return f"{100.0 * share:.{digits}f}\u202f%"


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
