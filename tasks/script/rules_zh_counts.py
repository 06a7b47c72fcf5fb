"""Rules that come last in Chinese text: ranges, signs before numbers and plain counts, whatever no other rule knew.

Each row is a pattern and what its match is said as (``None``: not meant after all). After these rows no figure is
left. The grammar is asked in one case only: whether a name before 1-2 is a team's.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tasks.script import wet
from tasks.script.measures_zh import counted
from tasks.script.numerals import cardinal_zh, decimal_zh, digits_zh

Match = re.Match[str]
_NUMBER = r"[0-9]+(?:,[0-9]{3}(?![0-9]))*(?:\.[0-9]+)?"
_ALONE = r"(?<![0-9.,])"
_CONTEXT = 12
_CODE_BEFORE = re.compile(r"(?:号|码|QQ|qq|[Vv]信|微信|联系|账户|卡|加我|群|ID|id)[^，。！？；0-9]{0,4}$")


def _around(match: Match) -> tuple[str, str]:
    return (
        match.string[max(0, match.start() - _CONTEXT) : match.start()],
        match.string[match.end() : match.end() + _CONTEXT],
    )


def _count(match: Match) -> str | None:
    before, after = _around(match)
    number = match["n"].replace(",", "")
    whole = number.partition(".")[0]
    if len(whole) > 1 and whole[0] == "0":
        return digits_zh(whole) + ("点" + digits_zh(number.partition(".")[2]) if "." in number else "")
    return decimal_zh(number, liang=len(whole) > 1 or counted(before, after))


def _long(match: Match) -> str:
    before, _ = _around(match)
    return digits_zh(match["n"], yao=True) if _CODE_BEFORE.search(before) else cardinal_zh(match["n"], liang=True)


def _team(before: str, match: Match) -> bool:
    """Whether the grammar takes what stands before for a team: then 1-2 is a score."""
    name = re.search(r"[\u4e00-\u9fff]{2,6}\s?$", before)
    return name is not None and any("比" in edit.spoken for edit in wet.edits(name.group() + match.group(), "zh"))


def _range(match: Match) -> str:
    """3-5 is 三到五, 08-08 a day, 5-3 a difference, 中国1-2 a score."""
    before, after = _around(match)
    low, high, sign = match["a"], match["b"], match["d"].strip()
    if sign in "-–" and low.isdigit() and high.isdigit():
        if len(low) == len(high) == 2 and low[0] == "0" and 0 < int(low) <= 12 and 0 < int(high) <= 31:
            return f"{cardinal_zh(low)}月{cardinal_zh(high)}日"
        if not after[:1].isalnum() and _team(before, match):
            return f"{cardinal_zh(low)}比{cardinal_zh(high)}"
    liang = counted(before, after)
    joint = "至" if "至" in sign else "到"
    if sign in "-–" and not liang and not after[:1].isalnum() and float(low) > float(high):
        joint = "减"
    return f"{_plain(low, liang)}{joint}{_plain(high, liang)}"


def _chain(match: Match) -> str:
    """4-4-2 is 四四二, three measures of two figures each are numbers."""
    parts = match["n"].split("-")
    if all(len(part) == 2 and part[0] != "0" for part in parts):
        return "、".join(cardinal_zh(part) for part in parts)
    return "".join(digits_zh(part) for part in parts)


def _plain(number: str, liang: bool) -> str:
    number = number.replace(",", "")
    return decimal_zh(number, liang=liang or len(number) > 1)


_ROWS: list[tuple[str, Callable[[Match], str | None]]] = [
    (r"(?<=[日号月年时分楼章页回集]) ?[-–—~～] ?(?=第?[0-9])", lambda m: "到"),
    (rf"{_ALONE}(?P<n>[0-9]+(?:-[0-9]+){{2,}})(?![0-9A-Za-z.])", _chain),
    (rf"(?<![0-9.,A-Za-z-])(?P<a>{_NUMBER})(?P<d>\s?(?:[-–—~～至到]|——)\s?)(?P<b>{_NUMBER})(?![0-9A-Za-z]|[.-][0-9])", _range),
    (rf"{_ALONE}(?P<n>[1-9][0-9]{{8,11}})(?![0-9]|[.,][0-9])", _long),
    (rf"(?<=[A-Za-z\u4e00-\u9fff:：(（])[-−](?P<n>{_NUMBER})(?![0-9])", lambda m: "负" + decimal_zh(m["n"].replace(",", ""))),
    (rf"(?<![0-9A-Za-z])[-−](?P<n>{_NUMBER})(?![0-9])", lambda m: "负" + decimal_zh(m["n"].replace(",", ""))),
    (r"±(?=[0-9])", lambda m: "正负"),
    (r"[+＋](?=[0-9])", lambda m: "加"),
    (rf"{_ALONE}(?P<n>{_NUMBER})(?![0-9]|[.,][0-9])", _count),
    (r"(?<=[0-9])\s?>\s?(?=[0-9A-Za-z])", lambda m: "大于"),
    (r"(?<=[0-9])\s?<\s?(?=[0-9A-Za-z])", lambda m: "小于"),
    (r"(?<=[0-9])\.(?=[0-9])", lambda m: "点"),
]  # fmt: skip

RULES = [(re.compile(pattern), say) for pattern, say in _ROWS]
