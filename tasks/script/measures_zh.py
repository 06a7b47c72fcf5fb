"""What is counted in Chinese: measure words that take 两, unit signs and currencies with the names a narrator gives them.

Contract: plain tables and pure functions; ``counted`` looks only at the text around a number, so that 2个 is 两个
where 2楼, 2月 and 周2 keep 二.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_BEFORE_ER = re.compile(r"(?:第|初|周|星期|礼拜|负|地下|点|排|[农腊]历|[零一二三四五六七八九十])$")
_COUNTED = re.compile(
    "小时|分钟|秒钟|公里|公斤|公分|公升|公顷|千米|千克|毫米|厘米|平方|立方|英寸|英尺|英里|海里|光年|钟头|昼夜|星期|礼拜|人份|"
    "年(?!级)|代人|人(?!世界|组|转)|点(?![0-9])|倍|种|次(?!元|要)|成(?!年)|套|个|只|条|张|片|块|把|本|册|页|句|件|匹|头|位|名|口|"
    "遍|趟|下(?!午)|天|岁|秒|分(?!之)|时|刻|元|角|毛|斤|克|吨|米|里|寸|尺|丈|亩|升|度|层|章|节|集|卷|篇|首|样|群|列|对|副|座|间|所|家|"
    "户|扇|面|根|支|枝|杆|颗|粒|滴|朵|棵|株|束|捆|包|袋|箱|盒|瓶|杯|碗|盘|桌|桶|壶|车|船|架|辆|艘|台|门|万|亿|千|百(?!分)|多|余|步|拳|"
    "掌|刀|剑|枪|发|场|阵|股|道|处|封|声|圈|顿|番|回|笔|份|盏|串|堆|滩|缕|丝|抹|项|席|拨|批|帮|伙|派|国|方|侧|边|旁|端|岸|眼|军|周|日游|招|"
    "锅|局|届|重|轮|杀|脚|巴掌|针|枚|尊|坛|剂|贴|页|截|段|双|具|则|石|斗|顷|担|炷|束|行字|通电话|晚|夜|宿|站|关(?!于)"
)
_NOT_COUNTED = re.compile(
    "[两月日号楼等级班线维环世手]|进制|次元|年级|人世界|人组|人转|成年|下午|百分|分之|次要|场景|门课程表"
)


def counted(before: str, after: str) -> bool:
    """Whether a lone 2 between ``before`` and ``after`` is 两."""
    return not _BEFORE_ER.search(before) and not _NOT_COUNTED.match(after) and bool(_COUNTED.match(after))


UNITS = {
    "km": "公里", "m": "米", "dm": "分米", "cm": "厘米", "mm": "毫米", "μm": "微米", "µm": "微米", "nm": "纳米",
    "kg": "千克", "KG": "千克", "Kg": "千克", "g": "克", "mg": "毫克", "μg": "微克", "t": "吨", "lb": "磅", "lbs": "磅", "oz": "盎司",
    "L": "升", "l": "升", "ml": "毫升", "mL": "毫升", "ML": "毫升", "cc": "毫升",
    "kW": "千瓦", "KW": "千瓦", "MW": "兆瓦", "kWh": "千瓦时", "kwh": "千瓦时", "V": "伏", "kV": "千伏", "mV": "毫伏", "mA": "毫安",
    "mAh": "毫安时", "mah": "毫安时", "Ah": "安时", "Hz": "赫兹", "hz": "赫兹", "kHz": "千赫兹", "MHz": "兆赫兹", "GHz": "吉赫兹", "Ω": "欧姆", "dB": "分贝", "db": "分贝",
    "rpm": "转每分", "px": "像素", "kcal": "千卡", "cal": "卡", "Pa": "帕", "kPa": "千帕", "MPa": "兆帕", "hPa": "百帕",
    "kJ": "千焦", "min": "分钟", "h": "小时", "s": "秒", "ms": "毫秒", "fps": "帧每秒", "Mbps": "兆比特每秒", "Gbps": "吉比特每秒", "r/min": "转每分", "kbps": "千比特每秒",
    "ha": "公顷", "ft": "英尺", "yd": "码", "mi": "英里", "mph": "英里每小时", "mol": "摩尔", "lm": "流明", "℃": "摄氏度", "°C": "摄氏度",
    "℉": "华氏度", "°F": "华氏度", "°": "度", "㎡": "平方米", "㎥": "立方米", "㎏": "千克", "㎝": "厘米", "㎜": "毫米", "㎞": "公里",
}  # fmt: skip
"""What a unit sign after a number is called; those of bytes stay letters, as people say them."""

LENGTHS = {"km": "千米", "m": "米", "dm": "分米", "cm": "厘米", "mm": "毫米"}
"""Lengths that may be squared or cubed, as named in 平方千米."""

PER = {"h": "小时", "s": "秒", "min": "分钟", "kg": "千克", "g": "克", "L": "升", "ml": "毫升", "mL": "毫升", "m": "米", "d": "天", "km": "公里", "t": "吨"}  # fmt: skip
"""What may stand below the stroke of a compound unit."""

CURRENCIES = {
    "￥": "元", "¥": "元", "$": "美元", "＄": "美元", "US$": "美元", "USD": "美元", "€": "欧元", "EUR": "欧元", "£": "英镑", "GBP": "英镑",
    "HK$": "港元", "HKD": "港元", "NT$": "新台币", "TWD": "新台币", "A$": "澳元", "AU$": "澳元", "AUD": "澳元", "C$": "加元", "CA$": "加元",
    "CAD": "加元", "S$": "新加坡元", "SGD": "新加坡元", "RMB": "人民币", "CNY": "人民币", "JPY": "日元", "KRW": "韩元", "₩": "韩元", "₽": "卢布",
    "CHF": "瑞士法郎", "RUB": "卢布", "THB": "泰铢", "฿": "泰铢", "INR": "卢比", "₹": "卢比",
}  # fmt: skip
"""Signs and codes of money."""

GREEK = {
    "α": "阿尔法", "β": "贝塔", "γ": "伽马", "δ": "德尔塔", "ε": "艾普西隆", "ζ": "泽塔", "η": "伊塔", "θ": "西塔", "ι": "约塔", "κ": "卡帕",
    "λ": "兰姆达", "μ": "缪", "ν": "纽", "ξ": "克西", "ο": "奥米克戎", "π": "派", "ρ": "柔", "σ": "西格玛", "τ": "陶", "υ": "宇普西隆",
    "φ": "斐", "χ": "希", "ψ": "普西", "ω": "欧米伽",
}  # fmt: skip
"""Greek letters as Chinese speakers name them."""


INITIALISMS = frozenset((
    "vip", "svip", "ceo", "cfo", "cto", "coo", "cio", "nba", "cba", "mba", "emba", "gpu", "cpu", "atm", "usb", "gps", "icu", "dna", "rna", "ktv", "mtv",
    "bbc", "ufo", "npc", "pvp", "pve", "bgm", "ppt", "pdf", "gdp", "dj", "pc", "ps", "cp", "cd", "dvd", "led", "lcd", "hiv", "hpv", "fbi", "cia", "kgb",
    "wto", "imf", "ip", "ai", "qq", "av", "cv", "pua", "kpi", "okr", "hr", "ui", "ux", "api", "sdk", "url", "msn", "bbs", "aoe", "dps", "gm", "exp", "sss",
    "ssr", "hp", "mp", "sp", "yyds", "awsl", "yygq", "xswl", "nbcs", "srds", "dbq", "tql", "yysy", "xdm", "zqsg", "kswl", "gg", "pk", "mvp", "mc", "rpg",
))  # fmt: skip
"""Said letter by letter, however they are written: capitals tell every engine so."""

ALPHABET = frozenset(("abc", "abcd", "abcde", "abcdef", "xyz", "def", "bcd"))
"""Runs of the alphabet, said letter by letter."""


def alternatives(words: Iterable[str]) -> str:
    """A pattern for any of the keys, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
