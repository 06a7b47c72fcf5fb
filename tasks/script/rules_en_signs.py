"""Rules that come first in English text: addresses of the web and of streets, dates in figures, money, units, sums.

Each row is a pattern and what its match is said as (``None``: not meant after all), tried before ``rules_en``. Dates in
figures are read as Americans write them, month first, unless that cannot be. Dropped without a sound: the scheme of a
web address.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tasks.script.numerals import cardinal_en, decade_en, decimal_en, digits_en, ordinal_en, roman_value, year_en
from tasks.script.tables_en import (
    BEFORE_NUMBERS,
    DIRECTIONS,
    KINGS,
    MONTHS,
    RULERS,
    SQUARED,
    STATES,
    STATES_LIKE_WORDS,
    STREET_WORDS,
    STREETS,
    UNITS,
    WEEKDAYS,
)

Match = re.Match[str]
_NUMBER = r"[0-9]+(?:,[0-9]{3}(?![0-9]))*(?:\.[0-9]+)?"
_ALONE = r"(?<![\w.,/$£€¥-])"
_URL_SIGNS = {".": "dot", "@": "at", "/": "slash", "-": "dash", "_": "underscore", "#": "hash", "=": "equals", "&": "and", "?": "question mark", ":": "colon", "%": "percent", "~": "tilde", "+": "plus"}  # fmt: skip


def _url(match: Match) -> str:
    said = "".join(f" {_URL_SIGNS[c]} " if c in _URL_SIGNS else c for c in match["a"].rstrip("/"))
    return re.sub(r"\s+", " ", re.sub(r"[0-9]+", lambda m: f" {digits_en(m.group())} ", said)).strip()


def _date(match: Match) -> str | None:
    month, day, year = int(match["m"]), int(match["d"]), match["y"]
    if month > 12 and day <= 12:
        month, day = day, month
        if month >= 1 and day <= 31 and len(year) == 4:
            return f"the {ordinal_en(str(day))} of {MONTHS[month - 1]}, {year_en(year)}"
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return f"{MONTHS[month - 1]} {ordinal_en(str(day))}, {year_en(year) if len(year) == 4 else _short_year(year)}"


def _short_year(digits: str) -> str:
    return f"oh {cardinal_en(digits)}" if digits[0] == "0" else cardinal_en(digits)


def _named_date(match: Match) -> str | None:
    name = next((month for month in MONTHS if month[:3].lower() == match["m"][:3].lower()), None)
    if name is None or not 1 <= int(match["d"]) <= 31:
        return None
    return f"{name} {ordinal_en(match['d'])}, {year_en(match['y'])}"


def _weekdays(match: Match) -> str:
    first, last = WEEKDAYS[match["a"]], match["b"]
    return f"{first} to {WEEKDAYS[last]}" if last else first


def house_en(digits: str) -> str:
    """A number of a house, room, road or flight: 237 is two thirty seven, 101 one oh one, 1428 fourteen twenty eight."""
    if len(digits) < 3 or len(digits) > 4:
        return digits_en(digits) if len(digits) > 4 else cardinal_en(digits)
    if digits.endswith("000"):
        return cardinal_en(digits)
    head, rest = digits[:-2], digits[-2:]
    tail = "hundred" if rest == "00" else f"oh {cardinal_en(rest[1])}" if rest[0] == "0" else cardinal_en(rest)
    return f"{cardinal_en(head)} {tail}"


def _street(match: Match) -> str:
    return STREETS[match["w"]] + (
        "." if match.string[match.end() - 1] == "." and match.end() == len(match.string) else ""
    )


def _state(match: Match) -> str | None:
    code, postal = match["s"], match["z"]
    if postal:
        return f"{STATES[code]}{match['g']}{digits_en(postal)}"
    return None if code in STATES_LIKE_WORDS else STATES[code]


def _unit(match: Match) -> str:
    one, many = UNITS[match["u"]]
    sign = ("minus " if "degree" in one else "negative ") if match["s"] else ""
    joint = f" to {decimal_en(match['b'])}" if match["b"] else ""
    single = match["n"] == "1" and not joint and not match["x"]
    scale = f" {match['x'].strip()}" if match["x"] else ""
    return f"{sign}{decimal_en(match['n'])}{joint}{scale} {one if single else many}"


def _square(match: Match) -> str:
    one, many = SQUARED[match["u"]]
    kind = "square" if match["e"] in "2²" else "cubic"
    return f"{decimal_en(match['n'])} {kind} {one if match['n'] == '1' else many}"


_SCALES = {"k": "thousand", "K": "thousand", "m": "million", "M": "million", "b": "billion", "bn": "billion", "B": "billion", "tn": "trillion", "T": "trillion"}  # fmt: skip
_PER = {"mo": "month", "yr": "year", "hr": "hour", "h": "hour", "day": "day", "wk": "week", "week": "week", "month": "month", "year": "year", "night": "night"}  # fmt: skip


_PARTS = {"vol": "volume", "ch": "chapter", "fig": "figure", "pt": "part", "bk": "book"}


def _ruler(match: Match) -> str | None:
    value = roman_value(match["r"])
    return f"{match['k']} the {ordinal_en(str(value)).title()}" if value else None


def _scene(match: Match) -> str | None:
    value = roman_value(match["r"].upper())
    return f"{match['k']} {cardinal_en(str(value))}" if value else None


def _fraction(match: Match) -> str | None:
    top, bottom = int(match["a"]), int(match["b"])
    if not bottom:
        return None
    name = {2: "half", 4: "quarter"}.get(bottom) or ordinal_en(match["b"])
    many = "halves" if bottom == 2 else f"{name}s"
    return f"{cardinal_en(match['a'])} {name if top == 1 else many}"


def _clock_seconds(match: Match) -> str:
    parts = [
        f"{cardinal_en(match[group])} {name}{'' if int(match[group]) == 1 else 's'}"
        for group, name in (("h", "hour"), ("m", "minute"), ("s", "second"))
    ]
    return f"{parts[0]} {parts[1]} and {parts[2]}"


def _dotted_time(match: Match) -> str | None:
    hour, minute = match["h"], match["m"]
    if int(hour) > 12 or int(minute) > 59:
        return None
    said = cardinal_en(str(int(hour)))
    if int(minute):
        said += f" {'oh ' if minute[0] == '0' else ''}{cardinal_en(minute)}"
    return f"{said} {match['half'].upper()}M"


def _any(words: dict[str, object] | dict[str, str] | dict[str, tuple[str, str]]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_HOUSE = (
    rf"(?=\s+(?:[NSEW]\.?\s+)?(?:[A-Z][\w'’]+\s+|[0-9]+(?:st|nd|rd|th)\s+){{1,3}}(?:{STREET_WORDS}|{_any(STREETS)})\b)"
)

ROWS: list[tuple[str, Callable[[Match], str | None]]] = [
    # the web
    (r"(?<![A-Za-z0-9@])https?://(?P<a>[A-Za-z0-9._~/?#&=%@:+-]*[A-Za-z0-9/])", _url),
    (r"(?<![A-Za-z0-9@])(?P<a>(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*@)?(?:[A-Za-z0-9-]+\.)+(?:com|net|org|edu|gov|io|uk|info|tv|me|co|de|cn|jp)(?![A-Za-z0-9])(?:/[A-Za-z0-9._~/?#&=%+-]*[A-Za-z0-9/])?)", _url),
    (r"(?<=\b[vV])(?P<n>[0-9]+(?:\.[0-9]+)+)(?![0-9])", lambda m: " " + " point ".join(digits_en(part) if len(part) == 1 or part[0] == "0" else cardinal_en(part) for part in m["n"].split("."))),
    (r"(?<![A-Za-z])(?P<w>[CF])#(?![0-9])", lambda m: f"{m['w']} sharp"),
    (r"(?<![A-Za-z])C\+\+", lambda m: "C plus plus"),
    # dates and clocks in figures
    (r"(?<![0-9.,/-])(?P<y>[12][0-9]{3})(?P<x>[-/.])(?P<m>[0-9]{1,2})(?P=x)(?P<d>[0-9]{1,2})(?![0-9/-]|\.[0-9])", _date),
    (r"(?<![0-9.,/-])(?P<m>[0-9]{1,2})(?P<x>[-/.])(?P<d>[0-9]{1,2})(?P=x)(?P<y>[12][0-9]{3})(?![0-9/-]|\.[0-9])", _date),
    (r"(?<![0-9.,/-])(?P<m>[0-9]{1,2})(?P<x>/)(?P<d>[0-9]{1,2})/(?P<y>[0-9]{2})(?![0-9/-]|\.[0-9])", _date),
    (r"\b(?P<m>(?i:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*)\.?-(?P<d>[0-9]{1,2})-(?P<y>[12][0-9]{3})(?![0-9])", _named_date),
    (rf"\b(?P<a>{_any(WEEKDAYS)})\.(?:\s?[-–]\s?(?P<b>{_any(WEEKDAYS)})\b)?(?=,|\s|$|[-–.])\.?", _weekdays),
    (r"(?<![0-9:.])(?P<h>[0-9]{1,2}):(?P<m>[0-5][0-9]):(?P<s>[0-5][0-9])(?![0-9:]|\s?[ap]\.?m)", _clock_seconds),
    (r"(?<![0-9:.$£€])(?P<h>[0-9]{1,2})\.(?P<m>[0-5][0-9])\s?(?P<half>[ap])\.?m\b\.?(?![a-z])", _dotted_time),
    (r"(?<![0-9.])(?P<y>[12][0-9]{2}0) s\b", lambda m: year_en(m["y"])[:-1] + "ies" if year_en(m["y"]).endswith("y") else None),
    (r"(?<=\byear )(?P<y>1[0-9]{3}|[1-9][0-9]{2})(?![0-9]|[,.][0-9])", lambda m: year_en(m["y"]) if len(m["y"]) == 4 else house_en(m["y"])),
    (r"(?<![0-9.,$£€-])(?P<a>1[0-9]{3}|20[0-9]{2})\s?[-–]\s?(?P<b>[0-9]{2})(?![0-9\w%-]|[.,][0-9])", lambda m: f"{year_en(m['a'])} to {_short_year(m['b'])}" if int(m["b"]) > int(m["a"][2:]) else None),
    (r"(?<=[ap]\.m\.)\s?[-–—]\s?(?=[0-9])|(?<=[ap]m)\s?[-–—]\s?(?=[0-9])", lambda m: " to "),
    (r"(?:(?<=\bA\.D\. )|(?<=\bAD ))(?P<y>[1-9][0-9]{3})(?![0-9,.]*[0-9])", lambda m: year_en(m["y"])),
    (r"\bc\.\s?(?=1[0-9]{3}\b)", lambda m: "circa "),
    # money
    (r"(?P<c>[$£€])(?P<n>[0-9]+(?:,[0-9]{3})*)\s?[-–]\s?(?P<b>[0-9]+(?:,[0-9]{3})*)(?![0-9.,-]*[0-9]|[A-Za-z%])", lambda m: f"{decimal_en(m['n'])} to {decimal_en(m['b'])} { {'$': 'dollars', '£': 'pounds', '€': 'euros'}[m['c']]}"),
    (r"(?P<k>US|HK|AU?|CA?|NZ)\$(?P<n>[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?)(?P<x>\s(?:thousand|million|billion|trillion))?", lambda m: f"{decimal_en(m['n'])}{m['x'] or ''} { {'US': 'U S', 'HK': 'Hong Kong', 'A': 'Australian', 'AU': 'Australian', 'C': 'Canadian', 'CA': 'Canadian', 'NZ': 'New Zealand'}[m['k']]} dollars"),
    (r"(?P<c>[$£€])(?P<n>[0-9]+(?:\.[0-9]+)?)(?P<x>bn|tn|[kKmMbBT])(?![A-Za-z0-9])", lambda m: f"{decimal_en(m['n'])} {_SCALES[m['x']]} { {'$': 'dollars', '£': 'pounds', '€': 'euros'}[m['c']]}"),
    (r"(?<=[0-9])/(?P<p>mo|yr|hr|wk|day|week|month|year|night|h)\b\.?(?!\w)", lambda m: f" per {_PER[m['p']]}"),
    (rf"{_ALONE}(?P<n>{_NUMBER})\s?¢", lambda m: decimal_en(m["n"]) + (" cent" if m["n"] == "1" else " cents")),
    (r"\$(?P<n>[0-9]+(?:,[0-9]{3})*)(?=[ -](?:bill|note|coin|question)s?\b)", lambda m: f"{cardinal_en(m['n'].replace(',', ''))} dollar"),
    # streets, states, rooms
    (rf"(?<![\w$£€.,:#/-])(?P<n>[1-9][0-9]{{0,4}})(?P<l>[A-Z]?){_HOUSE}", lambda m: house_en(m["n"]) + (f" {m['l']}" if m["l"] else "")),
    (r"(?<=[0-9]\s)(?P<w>[NSEW])\.?(?=\s(?:[A-Z][a-z]+|[0-9]+(?:st|nd|rd|th))\s)", lambda m: DIRECTIONS[m["w"]]),
    (r"(?<=[0-9](?:st|nd|rd|th)\s)(?P<w>[Ss]t|Ave|Rd)\b\.?", _street),
    (rf"(?<=[a-z]\s)(?P<w>{_any({k: v for k, v in STREETS.items() if k not in ('st', 'Pl', 'Sq', 'Ter', 'Av', 'Ave', 'Rd', 'Blvd')})})(?=,|$)", _street),
    (r"(?<=[a-z]\s)(?P<w>Ave|Rd|Blvd)(?=,|\s|$)(?!\.)", _street),
    (rf"(?<=[a-z],\s)(?P<s>{_any(STATES)})(?P<g>,?\s+)(?P<z>[0-9]{{5}})(?:-[0-9]{{4}})?\b|(?<=[a-z],\s)(?P<t>{_any(STATES)})(?=[.,;]?\s*$|[.,;])", lambda m: _state(m) if m["s"] else (None if m["t"] in STATES_LIKE_WORDS else STATES[m["t"]])),
    (r"(?:(?<=\b[Rr]oom\s)|(?<=\b[Ss]uite\s))(?P<n>[0-9]{3,4})(?![0-9,.]*[0-9])", lambda m: house_en(m["n"])),
    (r"(?<=\b(?:Flight|flight|Boeing)\s)(?P<n>[0-9]{3,4})(?![0-9,.]*[0-9])", lambda m: house_en(m["n"])),
    (r"(?i:\b(?P<k>call|called|calling|dial|dialed|dialled|dialing)\s+)(?P<n>911|999|112|411|101|111)(?![0-9-])", lambda m: f"{m['k']} {digits_en(m['n'])}"),
    (r"\b(?P<n>40[13])\((?P<l>[kb])\)", lambda m: f"{house_en(m['n'])} {m['l']}"),
    # abbreviations before figures, Roman numerals
    (rf"\b(?P<w>(?i:{_any(BEFORE_NUMBERS)}))\.\s?(?=[0-9])", lambda m: BEFORE_NUMBERS[m["w"].lower()] + " "),
    (r"\bw/o(?=\s)", lambda m: "without"),
    (r"(?<![\w/])w/(?=\s?[a-z])", lambda m: "with "),
    (rf"\b(?P<k>(?:{RULERS})\s+[A-Z][a-z]+)\s+(?P<r>[IVX]+)\b", _ruler),
    (rf"\b(?P<k>{KINGS})\s+(?P<r>[IVX]{{2,}})\b", _ruler),
    (r"\b(?P<k>[Aa]ct|[Ss]cene|[Cc]hapter|[Cc]anto|[Bb]ook)\s+(?P<r>[ivxl]{2,}|[vx])\b", _scene),
    (r"\b(?P<w>[Vv]ol|[Cc]h|[Ff]ig|[Pp]t|[Bb]k)\.\s?(?P<r>[IVXLC]+)\b", lambda m: f"{_PARTS[m['w'].lower()]} {cardinal_en(str(roman_value(m['r'])))}" if roman_value(m["r"]) else None),
    # per cent, units, sums
    (r"(?<![\w.,$])(?P<n>[0-9.]+)\s?mm(?=\s(?:pistol|gun|rifle|round|cannon|film|camera|lens|bullet|shell|handgun|automatic)\b)", lambda m: f"{decimal_en(m['n'])} millimeter"),
    (r"(?<![0-9/.,])(?<![0-9]\s)(?P<a>[0-9]{1,3})/(?P<b>[0-9]{1,3})(?:(?i:ths?)|rds?|nds?)\b", _fraction),
    (r"(?<=[0-9])\^(?P<n>[0-9]{1,3})(?![0-9.])", lambda m: " squared" if m["n"] == "2" else " cubed" if m["n"] == "3" else f" to the {ordinal_en(m['n'])}"),
    (r"(?<=[0-9])\s?°\s?(?P<w>[NSEW])\b", lambda m: f" degrees {DIRECTIONS[m['w']]}"),
    (r"(?<![\w.,$])(?P<n>[0-9]+)\s?in\.(?=\s[a-z])", lambda m: f"{cardinal_en(m['n'])} inch{'' if m['n'] == '1' else 'es'}"),
    (r"(?<![\w.,/$£€-])(?P<n>[0-9]{1,3}(?:,[0-9]{3})+)(?=-[A-Za-z])", lambda m: cardinal_en(m["n"].replace(",", ""))),
    (r"(?<![0-9/.,])(?P<a>[1-9][0-9]{2})/(?P<b>[1-9][0-9]{2})(?![0-9/])", lambda m: f"{cardinal_en(m['a'])} out of {cardinal_en(m['b'])}" if int(m["a"]) >= int(m["b"]) else None),
    (rf"{_ALONE}(?P<a>{_NUMBER})%?\s?[-–]\s?(?P<b>{_NUMBER})\s?%", lambda m: f"{decimal_en(m['a'])} to {decimal_en(m['b'])} percent"),
    (r"(?<![0-9]\s)(?<![0-9])%(?![0-9])", lambda m: "percent"),
    (rf"{_ALONE}(?P<n>{_NUMBER})\s?(?P<u>{_any(SQUARED)})\^?(?P<e>[23²³])(?![A-Za-z0-9/])", _square),
    (rf"(?<=[0-9]x)(?P<n>{_NUMBER})\s?(?P<u>{_any(SQUARED)})\^?(?P<e>[23²³])(?![A-Za-z0-9/])", _square),
    (r"(?<=[0-9])\s?x\s?(?=[0-9])", lambda m: " by "),
    (r"(?<=[0-9])\s?[×*]\s?(?=[0-9])", lambda m: " times "),
    (r"(?<=[0-9])\s?÷\s?(?=[0-9])", lambda m: " divided by "),
    (r"(?<=[0-9])\s?[-−–]\s?(?=[0-9]+(?:\.[0-9]+)?\s?=)", lambda m: " minus "),
    (r"(?<=[0-9])\s>\s(?=[0-9])", lambda m: " is greater than "),
    (r"(?<=[0-9])\s<\s(?=[0-9])", lambda m: " is less than "),
    (rf"(?P<s>(?<![\w)])[-−])?(?<![\w.,/$£€¥])(?P<n>{_NUMBER})(?:\s?[-–]\s?(?P<b>{_NUMBER}))?(?P<x>\s(?:hundred|thousand|million|billion|trillion))?\s?(?P<u>{_any(UNITS)})(?![A-Za-z0-9/²³])(?:\.(?=\s[a-z]))?", _unit),
    (r"(?<=[0-9] ft )(?P<n>[0-9]{1,2}) in\b", lambda m: f"{cardinal_en(m['n'])} inch{'' if m['n'] == '1' else 'es'}"),
    (r"(?<![\w.,$])(?P<n>[0-9]{2,5})\s?m(?=\s(?:dash|sprint|race|relay|hurdles|freestyle))", lambda m: f"{cardinal_en(m['n'])} metre"),
    (r"(?<![\w.,/$-])(?P<n>[0-9]{1,3})-(?P=n)(?![\w/-]|[.,][0-9])", lambda m: f"{cardinal_en(m['n'])} {cardinal_en(m['n'])}"),
    (r"(?<=[A-Za-z]-)(?P<n>[0-9]{1,3})s\b", lambda m: decade_en(m["n"])),
    (r"(?<![\w])[~≈]\s?(?=[0-9])", lambda m: "about "),
    (r"±\s?(?=[0-9])", lambda m: "plus or minus "),
    (r"(?<=/[0-9]\s)(?P<u>lbs?|oz|ft|km|kg|mi)(?![A-Za-z0-9])", lambda m: UNITS[m["u"]][1]),
    (r"(?<=[0-9])\s?[–—]\s?(?=[0-9])", lambda m: " to "),
]  # fmt: skip
