"""Figures and abbreviations in English text: our own rules first, the grammar for what they leave.

Contract: as ``rules_zh``: ``edits(text)`` gives sorted, disjoint edits; the first rule to claim a place has it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from tasks.script import rules_en_signs, wet
from tasks.script.numerals import cardinal_en, decade_en, decimal_en, digits_en, ordinal_en, roman_value, year_en
from tasks.script.split import Edit
from tasks.script.tables_en import KINGS, MONTHS

Match = re.Match[str]

_CONTEXT = 40
_MONTHS = {month[:3].lower(): month for month in MONTHS}
_MONTH = r"(?P<m>(?:(?i:jan|feb|apr|aug|sept?|oct|nov|dec|jun|jul)\b\.?)|(?i:january|february|april|june|july|august|september|october|november|december)|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?|January|February|March|April|May|June|July|August|September|October|November|December)"
_YEAR = r"(?P<y>[12][0-9]{3})(?![0-9,.:%]?[0-9])"
_TITLES = {
    "Mr": "Mister", "Mrs": "Missus", "Ms": "Miz", "Dr": "Doctor", "Prof": "Professor", "Capt": "Captain", "Maj": "Major", "Col": "Colonel",
    "Gen": "General", "Lt": "Lieutenant", "Sgt": "Sergeant", "Rev": "Reverend", "Hon": "Honourable", "Jr": "Junior",
    "Sr": "Senior", "Mt": "Mount", "Ft": "Fort", "Messrs": "Messieurs", "Gov": "Governor", "Sen": "Senator",
}  # fmt: skip
_WORDS = {
    "vs": "versus",
    "etc": "et cetera",
    "e.g": "for example",
    "i.e": "that is",
    "Ave": "Avenue",
    "Rd": "Road",
    "Blvd": "Boulevard",
    "No": "number",
    "Co": "Company",
    "Inc": "Incorporated",
    "Ltd": "Limited",
}
_MONEY = {"$": ("dollar", "cent"), "£": ("pound", "penny"), "€": ("euro", "cent"), "¥": ("yen", "sen")}


def _month(name: str) -> str:
    return _MONTHS[name[:3].lower()]


def _month_day(match: Match) -> str | None:
    if not 1 <= int(match["d"]) <= 31:
        return None
    said = f"{_month(match['m'])} {ordinal_en(match['d'])}"
    return said + (f"{match['c']} {year_en(match['y'])}" if match["y"] else "")


def _day_month(match: Match) -> str | None:
    if not 1 <= int(match["d"]) <= 31:
        return None
    said = f"the {ordinal_en(match['d'])} of {_month(match['m'])}"
    before = match.string[max(0, match.start() - 4) : match.start()].lower()
    said = said[4:] if before.endswith("the ") else said
    return said + (f" {year_en(match['y'])}" if match["y"] else "")


def clock_en(hour: str, minute: str) -> str | None:
    """``8:05`` -> eight oh five, ``8:00`` -> eight o'clock."""
    if int(hour) > 24 or int(minute) > 59:
        return None
    if int(minute) == 0:
        return f"{cardinal_en(hour)} o'clock"
    return f"{cardinal_en(hour)} {'oh ' if minute[0] == '0' else ''}{cardinal_en(str(int(minute)))}"


def _time(match: Match) -> str | None:
    said = clock_en(match["h"], match["mi"])
    if said is None:
        return None
    if match["half"]:
        half = "AM" if match["half"].lower()[0] == "a" else "PM"
        said = said.removesuffix(" o'clock") + f" {half}"
        # The dot of "p.m." may be the sentence's own.
        after = match.string[match.end() : match.end() + _CONTEXT]
        said += (
            "." if match["half"].endswith(".") and (not after.strip() or re.match(r"[\"”’']?\s+[A-Z]", after)) else ""
        )
    return said


def _money(match: Match) -> str:
    one, small = _MONEY[match["c"]]
    number = match["n"].replace(",", "")
    if "." in number and len(number.partition(".")[2]) > 2:
        number = number.rstrip("0")
    if len(number.partition(".")[2]) > 2 and not match["s"]:
        said = decimal_en(number)
        return f"{said if number[0] != '.' else said.removeprefix('zero ')} {one}s"
    whole, _, cents = number.partition(".")
    if scale := match["s"]:
        return f"{decimal_en(match['n'])} {scale.strip()} {one}{'' if one == 'yen' else 's'}"
    plural = "" if whole == "1" or one == "yen" else "s"
    said = f"{cardinal_en(whole)} {one}{plural}"
    if cents and int(cents):
        count = int(cents.ljust(2, "0")[:2])
        unit = (
            ("pence" if count != 1 else "penny")
            if small == "penny"
            else small + ("" if count == 1 or small == "sen" else "s")
        )
        said = f"{cardinal_en(str(count))} {unit}" if int(whole) == 0 else f"{said} {cardinal_en(str(count))} {unit}"
    return said


def _street(match: Match) -> str:
    return (
        "Saint"
        if re.match(r"\s+[A-Z]", match.string[match.end() : match.end() + _CONTEXT])
        and not re.search(r"[a-z]\s+$", match.string[max(0, match.start() - 40) : match.start()][-3:])
        else _street_name(match)
    )


def _street_name(match: Match) -> str:
    before = re.search(r"([A-Za-z0-9]+)\s+$", match.string[max(0, match.start() - 40) : match.start()])
    named = (
        bool(before)
        and before is not None
        and before.group(1)[:1].isupper()
        and not re.match(r"(?:At|In|The|Of|To|On|From|And)$", before.group(1))
    )
    ends = "." if re.match(r"\s+[A-Z]|\s*$", match.string[match.end() : match.end() + _CONTEXT]) else ""
    return (
        f"Street{ends}"
        if named or not re.match(r"\s+[A-Z]", match.string[match.end() : match.end() + _CONTEXT])
        else "Saint"
    )


def _word(match: Match) -> str:
    said = _WORDS[match["w"]]
    after = match.string[match.end() : match.end() + _CONTEXT]
    return said + (
        "."
        if match["w"] in ("etc", "Ave", "Rd", "Blvd", "Co", "Inc", "Ltd")
        and (not after.strip() or re.match(r"\s+[A-Z]", after))
        else ""
    )


def _king(match: Match) -> str | None:
    value = roman_value(match["r"])
    return f"{match['k']} the {ordinal_en(str(value)).title()}" if value else None


def _part(match: Match) -> str | None:
    value = roman_value(match["r"])
    return f"{match['k']} {cardinal_en(str(value))}" if value else None


def _phone(match: Match) -> str:
    country = f"plus {digits_en(match['k'])}, " if match["k"] else ""
    area = f"{digits_en(match['a'])}, " if match["a"] else ""
    return f"{country}{area}{digits_en(match['b'])}, {digits_en(match['c'])}"


_PARTS = {2: "half", 4: "quarter"}


def _mixed(match: Match) -> str | None:
    top, bottom = int(match["a"]), int(match["b"])
    name = _PARTS.get(bottom) or ordinal_en(match["b"])
    many = "halves" if bottom == 2 else f"{name}s"
    part = f"a {name}" if top == 1 and bottom in _PARTS else f"{cardinal_en(match['a'])} {many if top > 1 else name}"
    return f"{cardinal_en(match['n'])} and {part}"


def _vulgar(match: Match) -> str | None:
    top, _, bottom = unicodedata.normalize("NFKC", match["f"]).partition("\u2044")
    if not bottom:
        return None
    name = _PARTS.get(int(bottom)) or ordinal_en(bottom)
    part = ("a " if top == "1" else f"{cardinal_en(top)} ") + name + ("" if top == "1" else "s")
    return f"{cardinal_en(match['n'])} and {part}" if match["n"] else part.removeprefix("a ")


def _slash(match: Match) -> str | None:
    top, bottom = int(match["a"]), int(match["b"])
    if (bottom < 10 and (top, bottom) != (24, 7)) or (top < bottom and bottom in (10, 12, 16, 20, 32, 64, 100)):
        return None  # a fraction: the grammar says it
    return f"{cardinal_en(match['a'])} {cardinal_en(match['b'])}"


def _plain_number(match: Match) -> str | None:
    digits = match["n"].replace(",", "")
    if len(digits) > (21 if "," in match["n"] else 15) or (digits[0] == "0" and len(digits) > 1):
        return digits_en(digits)
    return cardinal_en(digits)


_ROWS: list[tuple[str, Callable[[Match], str | None]]] = [
    (r"(?:\[[^\[\]\s]{1,16}\])+", lambda m: m.group()),
    (rf"\b{_MONTH}\s+(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?\b(?:(?P<c>,?)\s+{_YEAR})?(?![:.]?[0-9])", _month_day),
    (rf"\b(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?![a-z])(?:,?\s+{_YEAR})?", _day_month),
    (rf"\b{_MONTH}\s+{_YEAR}", lambda m: f"{_month(m['m'])} {year_en(m['y'])}"),
    (r"(?<=0s)\s?[-–]\s?(?=['’]?(?:[12][0-9])?[1-9]0s)", lambda m: " to "),
    (r"^(?P<y>1[1-9][0-9]{2}|20[0-9]{2})(?=[.!?]?$)|(?<=\()\s?(?P<z>1[1-9][0-9]{2}|20[0-9]{2})(?=\s?\))", lambda m: year_en(m["y"] or m["z"])),
    (r"(?:\+(?P<k>[0-9]{1,3})[\s-]?)?\(?(?<![0-9])(?P<a>[0-9]{3})(?:\)[\s-]{0,2}|[\s-]{1,2})(?P<b>[0-9]{3})-(?P<c>[0-9]{4})(?![0-9-])", _phone),
    (r"(?<![0-9$-])(?P<k>)(?P<a>)(?P<b>[0-9]{3})-(?P<c>[0-9]{4})(?![0-9-])", _phone),
    (r"(?<![0-9])(?P<y>[12][0-9]{2}0|[1-9]0)['’]?s\b", lambda m: decade_en(m["y"])),
    (r"(?<=['’])(?P<y>[1-9]0)s\b", lambda m: decade_en(m["y"])),
    (rf"(?<![0-9.,$£€-])(?P<a>[12][0-9]{{3}})\s?[-–—]\s?{_YEAR}", lambda m: f"{year_en(m['a'])} to {year_en(m['y'])}"),
    (r"(?i:(?<=\bin )|(?<=\bof )|(?<=\bsince )|(?<=\bfrom )|(?<=\buntil )|(?<=\bby )|(?<=\bto )|(?<=\baround )|(?<=\bbefore )|(?<=\bafter )|(?<=\byear ))(?P<y>1[1-9][0-9]{2}|20[0-9]{2})(?![0-9]|[,.:][0-9]|%|\s?[a-z]*(?:dollars|pounds|people|men|miles|feet|years|metres|meters))", lambda m: year_en(m["y"])),
    (r"(?<![0-9:.])(?P<h>[0-9]{1,2}):(?P<mi>[0-9]{2})(?:\s?(?P<half>[ap]\.m\.|[AP]\.M\.|[ap]m\b|[AP]M\b))?(?![0-9:])", _time),
    (r"(?P<c>[$£€¥])\s?(?P<n>[0-9](?:[0-9]|,(?=[0-9]{3}))*+(?:\.[0-9]++)?+|\.[0-9]+)(?P<s>\s(?:hundred|thousand|million|billion|trillion))?(?![A-Za-z0-9])", _money),
    (r"(?<![0-9.])(?P<a>[1-9])\s?['’′]\s?(?P<b>1[01]|[0-9])(?:\s?[\"”″]|['’]{2}|(?=\s+tall))", lambda m: f"{cardinal_en(m['a'])} foot {cardinal_en(m['b'])}"),
    (r"#\s?(?P<n>[0-9]+)(?![0-9])", lambda m: f"number {cardinal_en(m['n'])}"),
    (r"(?<![0-9/.,])(?P<a>[0-9]{1,3})/(?P<b>[0-9]{1,3})(?![0-9/.])", _slash),
    (r"(?<![0-9.,])(?P<n>[0-9]+)?(?P<f>[¼-¾⅐-⅞])", _vulgar),
    (r"(?<![\w.,$£€])(?P<n>[0-9][0-9,]*(?:\.[0-9]+)?)\s?m(?![\w/.²³])", lambda m: decimal_en(m["n"]) + (" metre" if m["n"] == "1" else " metres")),
    (r"(?<=[0-9])\s?\+\s?(?=[0-9])", lambda m: " plus "),
    (r"(?<=\w)\s?=\s?(?=\w)", lambda m: " equals "),
    (r"(?<![\w.,/:$£€¥+#-])(?P<n>(?:1[1-9]|20)[0-9]{2})(?![\w/:%°]|[.,-][0-9]|-[A-Za-z]|\s(?:people|men|women|dollars|pounds|miles|feet|years)\b|\s?(?:kg|km|cm|mm|ft|lbs?|oz|g|mph|million|billion)\b)", lambda m: year_en(m["n"])),
    (r"(?<=[0-9])\s?[-–]\s?(?=[$£€¥][0-9])", lambda m: " to "),
    (r"(?<![0-9/.,])(?P<n>[0-9]+)[\s-](?P<a>[1-9])/(?P<b>[2-9]|1[0-6])(?:ths?|rds?)?(?![0-9/])", _mixed),
    (r"(?<=[0-9])\s?[°º]\s?C\b", lambda m: " degrees Celsius"),
    (r"(?<=[0-9])\s?[°º]\s?F\b", lambda m: " degrees Fahrenheit"),
    (r"(?<![0-9.,])(?P<n>[0-9]+(?:,[0-9]{3})*)(?:st|nd|rd|th)\b", lambda m: ordinal_en(m["n"].replace(",", ""))),
    (r"(?<![0-9.,])(?P<n>[0-9][0-9,]*(?:\.[0-9]+)?)\s?%", lambda m: f"{decimal_en(m['n'])} percent"),
    (rf"\b(?P<t>{'|'.join(_TITLES)})\.(?=\s+(?:[A-Z]|and\b)|\s*$|[,;])", lambda m: _TITLES[m["t"]] + ("" if m.string[m.end() :].strip() else ".")),
    (r"\b(?P<t>Mr|Mrs|Ms|Dr)(?=\s+(?:[A-Z]|and\b))", lambda m: _TITLES[m["t"]]),
    (r"\bWW(?P<r>II?)\b", lambda m: "World War " + cardinal_en(str(len(m["r"])))),
    (r"\bSt\.", _street),
    (r"\b(?P<w>No)\.(?=\s?[0-9])", _word),
    (r"\b(?P<w>vs|etc|e\.g|i\.e|Ave|Rd|Blvd|Co|Inc|Ltd)\.", _word),
    (rf"\b(?P<k>{KINGS})\s+(?P<r>[IVX]+)\b(?!['’])", _king),
    (r"\b(?P<k>Chapter|CHAPTER|Book|BOOK|Part|PART|Volume|VOLUME|Act|ACT|Scene|SCENE|War)\s+(?P<r>[IVXLC]+)\b", _part),
    (r"^(?P<k>)(?P<r>[IVXLC]{2,7}|[VX])(?=\.?$)", lambda m: (_part(m) or "").strip() or None),
    (r"\b(?P<k>)(?P<r>(?=[IVX]{2,})[IVX]+)\b(?<!\bXXX)(?<!\bIV)", lambda m: (_part(m) or "").strip() or None),
    (r"(?<=\w)\s?&\s?(?=\w)", lambda m: " and "),
    (r"(?<![\w.,/:$£€¥+#-])(?P<n>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?![\w/:%°]|[.,-][0-9]|-[A-Za-z])(?!\s?(?:kg|km|cm|mm|m|ft|lb|lbs|oz|g|h|s|mph|in|M|B|million|billion)\b)", _plain_number),
    (r"(?<![\w.,/:$£€¥+#-])(?P<n>[0-9]{1,3}(?:,[0-9]{3})*\.[0-9]+)(?![\w/:%°]|[.,-][0-9])(?!\s?(?:kg|km|cm|mm|m|ft|lb|lbs|oz|g|h|s|mph|M|B)\b)", lambda m: decimal_en(m["n"])),
    (r"[\U0001f000-\U0001faff☀-☄☎☠☮☯☺♠-♧⚐-⛿✂-➿\ufe0e\ufe0f]+", lambda m: ""),
]  # fmt: skip


_RULES = [(re.compile(pattern), say) for pattern, say in (*rules_en_signs.ROWS, *_ROWS)]
_SENTENCE = re.compile(r"[^!?;\n“”\"()]+")


def edits(text: str) -> list[Edit]:
    """What of ``text`` is said otherwise than it is written."""
    claimed = bytearray(len(text))
    found: list[Edit] = []
    for pattern, say in _RULES:
        for match in pattern.finditer(text):
            low, high = match.span()
            if low == high or any(claimed[low:high]):
                continue
            said = say(match)
            if said is not None:
                claimed[low:high] = b"\1" * (high - low)
                found.append(Edit(low, high, said))
    at = 0
    while (low := claimed.find(0, at)) >= 0:
        high = claimed.find(1, low)
        at = len(text) if high < 0 else high
        for part in _SENTENCE.finditer(text, low, at):
            if any(c in "0123456789$£€@" for c in part.group()):
                found.extend(
                    Edit(part.start() + e.start, part.start() + e.end, e.spoken) for e in wet.edits(part.group(), "en")
                )
        if at >= len(text):
            break
    return sorted((e for e in found if text[e.start : e.end] != e.spoken), key=lambda edit: (edit.start, edit.end))
