"""Rules that come first in Chinese text: faces, addresses, money signs, units, Latin letters with figures, sums.

Each row is a pattern and what its match is said as (``None``: not meant after all), tried before ``rules_zh_table``,
because these know their place by letters and signs that the rules for plain figures would tear apart. Dropped without
a sound: faces made of signs, the scheme of a web address, marks of Markdown. Every row needs a sign or a Latin letter
(``NEEDED``), so that text with nothing but Han characters, plain figures and common marks passes them all at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tasks.script.measures_zh import ALPHABET, CURRENCIES, GREEK, INITIALISMS, LENGTHS, PER, UNITS, alternatives
from tasks.script.numerals import cardinal_zh, decimal_zh, digits_zh, roman_value

Match = re.Match[str]
_NUMBER = r"[0-9]+(?:,[0-9]{3}(?![0-9]))*(?:\.[0-9]+)?"
_ALONE = r"(?<![0-9A-Za-z.,])"
_HAN = r"\u4e00-\u9fff"
_DASH = r"\s?[-–—~～至到]\s?"
_PLATES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_FACE = r"￣▽°□ω・◕дДÒÓòóಠ≧≦∀ε◡•̀́◉︶╥﹏`´｀＾^_;；≖ᴗ⊙◎д益"

_URL_SIGNS = {".": "点", "@": "艾特", "/": "斜杠", "-": "杠", "_": "下划线", "#": "井", "=": "等于", "&": "和", "?": "问号", ":": "冒号", "%": "百分号", "~": "波浪线", "+": "加"}  # fmt: skip


def _url(match: Match) -> str:
    return "".join(digits_zh(c) if c.isdigit() else _URL_SIGNS.get(c, c) for c in match["a"].rstrip("/"))


def _sign_of(text: str) -> str:
    return {"+": "加", "＋": "加", "±": "正负", "-": "负", "−": "负", "": ""}[text]


def _dash(match: Match) -> str:
    return "至" if "至" in match["d"] else "到"


def _unit(match: Match) -> str | None:
    """A number or a range with a unit sign: 5km/h, 3~5kg, -5℃, 9.8m/s²."""
    unit, power, per = match["u"], match["e"], match["p"]
    if power and unit not in LENGTHS:
        return None
    if unit == "s" and re.fullmatch(r"(?:1[0-9]|20)[0-9]0", match["n"]):  # 1980s
        return None
    name = UNITS[unit]
    if power:
        name = ("平方" if power in "2²" else "立方") + LENGTHS[unit]
    if per and match["f"]:
        name = f"{name}每二次方{PER[per]}"
        per = ""
    liang = not name.endswith("度")
    said = _sign_of(match["s"] or "") + decimal_zh(match["n"], liang=liang)
    if match["b"]:
        said += _dash(match) + decimal_zh(match["b"], liang=liang)
    said += (match["x"] or "") + name
    return f"每{PER[per]}{said}" if per else said


def _percent(match: Match) -> str:
    """百分之五; a minus goes inside (百分之负三), a plus after a name is said before (加百分之十五)."""
    of = "千分之" if match["u"] == "‰" else "万分之" if match["u"] == "‱" else "百分之"
    sign = _sign_of(match["s"] or "")
    number = decimal_zh(match["n"])
    if sign == "负" and not re.search(rf"[{_HAN}A-Za-z]$", match.string[: match.start()]):
        return f"{of}负{number}"
    return f"{sign}{of}{number}"


def _money(match: Match) -> str:
    name = CURRENCIES[match["c"]]
    low = decimal_zh(match["n"], liang=True)
    high = f"到{decimal_zh(match['b'], liang=True)}" if match["b"] else ""
    return low + high + (match["x"] or "") + (match["u"] or name)


def _money_after(match: Match) -> str:
    return decimal_zh(match["n"], liang=True) + (match["x"] or "") + CURRENCIES[match["c"]]


_WATTS = re.compile(r"的?(?:灯|功率|快充|充电|电|音|节能|激光|马达|加热|光)")


def _ten_thousands(match: Match) -> str:
    """10w粉丝 is 十万; 60W灯泡 is 六十瓦."""
    watts = match["w"] == "W" and (
        _WATTS.match(match.string[match.end() :]) or re.search(r"功率[是为:：]?$", match.string[: match.start()])
    )
    return decimal_zh(match["n"], liang=True) + ("瓦" if watts else "万") + ("加" if match["p"] else "")


def _plate(match: Match) -> str:
    return match["a"] + "".join(digits_zh(c, yao=True) if c.isdigit() else c for c in match["n"])


def _series(match: Match) -> str | None:
    """RTX 4090: four figures after capitals are a name."""
    if match["w"] in ("AD", "BC", "AM", "PM", "CE", "BCE", "HP", "MP", "SP", "EXP", "QQ", "TOP"):
        return None
    return f"{match['w']} {digits_zh(match['n'])}"


def _roman(match: Match) -> str | None:
    numeral = match["r"]
    value = roman_value(numeral)
    if not value or (len(numeral) > 1 and set(numeral) == {"X"}):  # 某XX: a blank
        return None
    return cardinal_zh(str(value))


def _greek(match: Match) -> str | None:
    return "".join(GREEK.get(sign, "") for sign in match.group().lower().replace("ς", "σ")) or None


def _power(match: Match) -> str:
    digits = match["e"].translate({ord(a): b for a, b in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True)})
    return "的" + (
        {"2": "平方", "3": "立方"}.get(digits)
        or ("负" if digits[0] == "-" else "") + cardinal_zh(digits.lstrip("-")) + "次方"
    )


def _below(match: Match) -> str:
    return cardinal_zh("".join(str("₀₁₂₃₄₅₆₇₈₉".index(sign)) for sign in match.group()))


def _era(match: Match) -> str:
    before = "公元前" if match["e"].lower().startswith("b") else "公元"
    return (
        f"{before}{digits_zh(match['y'])}年{match['m'] or ''}"
        if not match["m"]
        else (f"{before}{digits_zh(match['y'])}年{cardinal_zh(match['m'])}月")
    )


def _month_first(match: Match) -> str | None:
    """1/3/2020 as Americans write it, unless that cannot be."""
    month, day = int(match["m"]), int(match["d"])
    if month > 12:
        month, day = day, month
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return f"{digits_zh(match['y'])}年{cardinal_zh(str(month))}月{cardinal_zh(str(day))}日"


def _stat(match: Match) -> str | None:
    """HP100/200, 经验值：350/1000: what there is and what there may be, no fraction."""
    return f"{match['k']}{cardinal_zh(match['a'], liang=True)}斜杠{cardinal_zh(match['b'], liang=True)}"


def _letters(match: Match) -> str | None:
    word = match.group()
    if word.lower() in ALPHABET:
        return " ".join(word.upper())
    return word.upper() if word.lower() in INITIALISMS and not word.isupper() else None


def _train(match: Match) -> str:
    return match["w"] + (digits_zh(match["n"], yao=True) if len(match["n"]) > 2 else cardinal_zh(match["n"]))


NEEDED = re.compile(r"[^0-9\s\u3400-\u9fff，。！？、；：“”‘’…]")
"""What a text must have for any of these rules to say something."""

_U = alternatives(UNITS)
_P = alternatives(PER)
_C = alternatives(CURRENCIES)
_CODES = alternatives(code for code in CURRENCIES if code.isalpha())

_ROWS: list[tuple[str, Callable[[Match], str | None]]] = [
    (r"(?:\[[^\[\]\s]{1,16}\])+", lambda m: m.group()),
    # faces
    (rf"[（(](?=[^（）()]*[{_FACE}])[^（）()\u4e00-\u9fffA-Za-z0-9，。！？]{{0,4}}[^（）()\u4e00-\u9fff，。！？\s]{{0,8}}[^（）()\u4e00-\u9fffA-Za-z0-9，。！？]{{0,6}}[)）][^\w\s，。！？（）()、：；“”…—《》「」『』]*[ノﾉ]?(?:\s?[┻┳━─]+)*", lambda m: ""),
    (r"(?<![A-Za-z0-9])(?:[TQ]_+[TQ]|[-=>@^;oO][_.][-=<@^;oO]+|\^+[-o]?\^+|>[_.]*<|[-=]{1,2}[|_]{1,3}[-=]*)(?![A-Za-z0-9])", lambda m: ""),
    (r"[\ufe0e\ufe0f]?\u20e3[\ufe0e\ufe0f]?", lambda m: ""),
    # addresses
    (r"(?<![A-Za-z0-9@])(?:https?://)(?P<a>[A-Za-z0-9._~/?#&=%@:+-]*[A-Za-z0-9/])", _url),
    (r"(?<![A-Za-z0-9@])(?P<a>(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*@)?(?:[A-Za-z0-9-]+\.)+(?:com|cn|net|org|edu|gov|io|cc|me|tv|info|xyz|top|club|vip|app|co|uk|jp|de)(?![A-Za-z0-9])(?:/[A-Za-z0-9._~/?#&=%+-]*)?)", _url),
    (r"(?<![A-Za-z])(?P<w>[Ll][Vv]|[Vv]ol|[Ee][Pp]|[Vv]er)\.\s?(?=[0-9\u4e00-\u9fff])", lambda m: m["w"]),
    (r"(?<![A-Za-z])(?P<w>Mr|Mrs|Ms|Dr|St|Prof)\.\s?(?=[A-Z\u4e00-\u9fff])", lambda m: m["w"] + " "),
    # money
    (rf"(?<![A-Za-z])(?P<c>{_C})\s?(?P<n>{_NUMBER})(?:[-~～—](?P<b>{_NUMBER}))?(?P<x>[千百]?[万亿]?)(?P<u>元|块钱?|美元|美金|日元|欧元|英镑|港币|人民币)?", _money),
    (rf"{_ALONE}(?P<n>{_NUMBER})(?P<x>[千百]?[万亿]?)\s?(?P<c>{_CODES})(?![A-Za-z])", _money_after),
    (rf"{_ALONE}(?P<n>{_NUMBER})(?P<x>[千百]?[万亿]?)(?P<c>[￥$€£])(?![0-9])", _money_after),
    (rf"(?<=[元块角分米斤克吨次升度])/(?=[{_HAN}])", lambda m: "每"),
    # years and eras that carry letters
    (r"(?<![0-9.])(?P<y>[1-9][0-9]{0,3})(?:年(?:(?P<m>[0-9]{1,2})月)?)?\s?(?P<e>[Bb]\.?[Cc]\.?(?:[Ee]\.?)?|[Aa]\.?[Dd]\.?)(?![A-Za-z])", _era),
    (r"(?<![0-9.A-Za-z])(?P<y>[5-9]0)['’]?s(?=的|风|音乐|复古|摇滚|金曲|老歌|港|经典|流行|少女|迪斯科)", lambda m: cardinal_zh(m["y"]) + "年代"),
    (r"(?<![0-9.A-Za-z])(?P<y>[0-9]{4})[-/](?P<z>[0-9]{2,4})(?=赛季|学年|财年)", lambda m: f"{digits_zh(m['y'])}到{digits_zh(m['z'])}"),
    # resolutions, trains, plates, models
    (r"(?<![0-9A-Za-z.])(?P<n>360|480|720|1080|1440|2160)(?P<w>[pPiI])(?![A-Za-z0-9])", lambda m: digits_zh(m["n"]) + m["w"]),
    (r"(?P<w>(?<![A-Za-z])[GDCZTKYS])(?P<n>[0-9]{1,4})(?=次|号?(?:高铁|动车|列车|火车))", _train),
    (rf"(?P<a>[{_PLATES}][A-Z])[·•\s]?(?P<n>[A-Z0-9]{{5,6}})(?![A-Za-z0-9])", _plate),
    (r"(?<![A-Za-z])(?P<w>[A-Z]{2,5})\s(?P<n>[1-9][0-9]{3})(?![0-9年月,.:：])", _series),
    (r"(?<=[A-Za-z][0-9])-(?P<n>[0-9]{4,5})(?=[A-Za-z]{0,2}(?![A-Za-z0-9]))", lambda m: digits_zh(m["n"])),
    (r"(?<![A-Za-z])N95(?![0-9A-Za-z])", lambda m: "N九五"),
    # values of games
    (r"(?P<k>(?:HP|MP|SP|EXP|hp|mp|exp|[量值血力蓝验数度命])\s?[:：]?\s?)(?P<a>[0-9]{2,9})\s?/\s?(?P<b>[0-9]{2,9})(?![0-9/])", _stat),
    (r"(?<![A-Za-z])(?P<w>HP|MP|SP|EXP)\s?[-−](?P<n>[0-9]+)(?![0-9./])", lambda m: f"{m['w']}减{cardinal_zh(m['n'], liang=True)}"),
    (r"(?<=[0-9A-Za-z级])\s?[→➔➜]\s?(?=[0-9A-Za-z\u4e00-\u9fff])", lambda m: "到"),
    (rf"(?<=[{_HAN}])\s?[xX×*]\s?(?P<n>[0-9]{{1,4}})(?![0-9A-Za-z.])", lambda m: "乘" + cardinal_zh(m["n"])),
    (r"(?<=[0-9])\s?[×xX*✕]\s?(?=[0-9])", lambda m: "乘"),
    # joints and lists
    (r"(?<=[岁块元斤米里度级人个万亿层千百克天周点])\s?[~～]\s?(?=[0-9])", lambda m: "到"),
    (r"(?<=[岁块元斤米里度级人个万亿层千百克天周点])[-–—](?=[0-9.]+[岁块元斤米里度级人个万亿层千百克天周点])", lambda m: "到"),
    (r"7-11(?=便利|超市|店|门口)", lambda m: "七十一"),
    (r"(?<![0-9A-Za-z.-])(?P<n>[0-9]+(?:-[0-9]+){3,})(?![0-9A-Za-z.])", lambda m: "".join(digits_zh(c) for c in m["n"] if c.isdigit())),
    (rf"(?m)(?:^|(?<=[\s，。；：]))(?P<n>[0-9]{{1,2}})[.．](?=[{_HAN}])", lambda m: cardinal_zh(m["n"]) + "，"),
    (r"(?<![0-9/.])(?P<m>[0-9]{1,2})/(?P<d>[0-9]{1,2})/(?P<y>[12][0-9]{3})(?![0-9/])", _month_first),
    # degrees, minutes, seconds; classes
    (rf"{_ALONE}(?P<a>[0-9]{{1,3}})°(?P<b>[0-9]{{1,2}})[′'](?:(?P<c>[0-9]{{1,2}})[″\"])?", lambda m: f"{cardinal_zh(m['a'])}度{cardinal_zh(m['b'])}分" + (f"{cardinal_zh(m['c'])}秒" if m["c"] else "")),
    (rf"{_ALONE}(?P<b>[0-9]{{1,2}})[′'](?P<c>[0-9]{{2}})(?:[″\"]|'')", lambda m: f"{cardinal_zh(m['b'], liang=True)}分{cardinal_zh(m['c'])}秒"),
    (r"(?<=[一二三四五六级0-9])[（(](?P<n>[0-9]{1,2}|[一二三四五六七八九十]{1,2})[)）](?=班)", lambda m: cardinal_zh(m["n"]) if m["n"].isdigit() else m["n"]),
    # per cent, units
    (rf"{_ALONE}(?P<a>{_NUMBER})[%％]?(?P<d>{_DASH})(?P<b>{_NUMBER})(?P<u>[%％])", lambda m: f"百分之{decimal_zh(m['a'])}{_dash(m)}百分之{decimal_zh(m['b'])}"),
    (rf"(?P<s>[+＋\-−±])?{_ALONE}(?P<n>{_NUMBER})\s?(?P<u>[%％‰‱])(?!\s?[-–—~～至到]\s?[0-9])", _percent),
    (rf"(?P<s>(?<![0-9A-Za-z{_HAN}])[-−]|±|(?<=[{_HAN}])[-−](?=[0-9.]+(?:[-~～—到至]+[0-9.]+)?\s?(?:℃|℉|°)))?{_ALONE}(?P<n>{_NUMBER})(?:(?P<d>{_DASH})(?P<b>{_NUMBER}))?(?P<x>[千百]?[万亿]?)\s?(?P<u>{_U})\^?(?P<e>[²³23])?(?:/(?P<p>{_P})(?P<f>²|\^?2)?)?(?![A-Za-z0-9/\-])", _unit),
    (rf"{_ALONE}(?P<n>{_NUMBER})(?P<w>[wW])(?P<p>[+＋])?(?![A-Za-z0-9])", _ten_thousands),
    # Roman numerals, Greek letters, powers
    (rf"(?<=[{_HAN}])\s?(?P<r>[IVX]{{1,6}})(?=[世章卷部集回季篇])", _roman),
    (r"(?<=第)(?P<r>[IVX]{1,6})(?![A-Za-z])", _roman),
    (rf"(?<=[{_HAN}])\s?(?P<r>(?=[IVX]{{2}})[IVX]{{2,6}})(?![A-Za-z0-9])", _roman),
    (r"(?<![\u0370-\u03ff])[\u0391-\u03a9\u03b1-\u03c9]{1,3}(?![\u0370-\u03ff])", _greek),
    (r"(?<=[A-Za-z0-9)）])(?P<e>⁻?[⁰¹²³⁴-⁹]+)", _power),
    (r"(?<=[A-Za-z0-9)）])\^(?P<e>-?[0-9]+)", _power),
    (r"[₀-₉]+", _below),
    (r"√(?=[0-9A-Za-z])", lambda m: "根号"),
    (r"≠", lambda m: "不等于"),
    (r"∞", lambda m: "无穷大"),
    (r"(?<![A-Za-z])(?P<c>[CF])#", lambda m: m["c"] + "井"),
    # letters said one by one
    (r"(?<![A-Za-z'’])[A-Za-z]{2,6}(?![A-Za-z'’])", _letters),
    (r"(?<![A-Za-z'’])(?:ID|[Ii]d)(?P<k>号?[是为:：]{1,2}\s?)(?P<n>[0-9]{3,})(?![0-9.,])", lambda m: f"I D{m['k']}{digits_zh(m['n'], yao=True)}"),
    (r"(?<![A-Za-z'’])(?:ID|[Ii]d(?=[是为号:：]))(?![A-Za-z'’])", lambda m: "I D"),
    (r"(?i)(?<![A-Za-z'’])IT(?=[部男女行业界公技精民从产])", lambda m: "I T"),
    (rf"(?<=[A-Za-z])[+＋](?=[{_HAN}，。！？]|$)", lambda m: "加"),
    # sums
    (r"(?<=[0-9A-Za-z)）])\s?÷\s?(?=[0-9A-Za-z(（])", lambda m: "除以"),
    (r"(?<=[0-9A-Za-z)）])\s?[+＋]\s?(?=[0-9A-Za-z(（])(?<![Cc]\+)", lambda m: "加"),
    (r"(?<=[0-9])\s?[-−–]\s?(?=[0-9]+(?:\.[0-9]+)?\s?[=＝])", lambda m: "减"),
    (r"(?m)^>+\s?", lambda m: ""),
]  # fmt: skip

RULES = [(re.compile(pattern), say) for pattern, say in _ROWS]
