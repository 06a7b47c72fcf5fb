"""The table of rules for figures and signs in Chinese text, in the order in which they are tried.

Each row is a pattern and what its match is said as (``None``: not meant after all). Dates, years, times, scores, codes,
ranges, money, signs and decimals are here; plain counts, units and sums are left to the grammar.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from tasks.script.measures_zh import counted
from tasks.script.numerals import cardinal_zh, decimal_zh, digits_zh, roman_value

Match = re.Match[str]
_ALONE = r"(?<![0-9.,])"
_NO_MORE = r"(?![0-9]|[.,][0-9])"
_MEASURE = (
    "个只条张片块把本册页句件匹头位名人口次回遍趟下年月日天周岁秒分时点刻元角毛斤两克吨米里寸尺丈亩升度层楼级等章节集卷部篇首种样"
    "群队排列套双对副座间栋所家户扇面根支枝杆颗粒滴朵棵株束捆包袋箱盒瓶杯碗盘桌桶壶车船架辆艘台门万亿千百十多余几来倍成步拳掌刀剑枪"
    "发场阵股道处代亿号版期届班组公英平立毫厘小星宿"
)
_CONTEXT = 12
_WRITTEN_OUT = "\u3007零一二三四五六七八九十"


def _duration(after: str) -> bool:
    return bool(
        re.match(
            r"(?:[前后来间多余内寿]|以[前后来上内]|之[前后久内]|左右|的?(?:历史|时间|光阴|岁月|寿|道行|修为|功力))",
            after,
        )
    )


def _year(match: Match) -> str:
    digits, after = match["y"], match.string[match.end() : match.end() + _CONTEXT]
    value = int(digits)
    counted = value > 2199 or (value % 1000 == 0 and value != 2000) or (value % 100 == 0 and _duration(after))
    return (cardinal_zh(digits) if counted else digits_zh(digits)) + "年"


_SPENT = re.compile(r"(?:花|赚|给|付|要|卖|挣|亏|欠|借|存|剩|涨|跌|共|计|达|近|超|约|有)了?$")


def _bare_year(match: Match) -> str | None:
    if match["y"].endswith("00") or _SPENT.search(match.string[max(0, match.start() - 3) : match.start()]):
        return None
    return digits_zh(match["y"])


_BELOW_ZERO = re.compile(
    r"(?:[温度值感力量血蓝速率气防攻耐敏智运额分是为约达到至低]|金币|经验|信用|积分|生命|理智|体质|精神|寿命|等级|零下)$"
)


def _model(match: Match) -> str:
    if _BELOW_ZERO.search(match.string[max(0, match.start() - 3) : match.start()]):
        return "负" + cardinal_zh(match["n"])
    return cardinal_zh(match["n"])


def _month_day(match: Match) -> str | None:
    month, day = int(match["m"]), int(match["d"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return f"{cardinal_zh(match['m'])}月{cardinal_zh(match['d'])}{match['u']}"


def _iso_date(match: Match) -> str | None:
    month, day = int(match["m"]), int(match["d"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return f"{digits_zh(match['y'])}年{cardinal_zh(match['m'])}月{cardinal_zh(match['d'])}{match['u'] or '日'}"


_SCORE_BEFORE = re.compile(
    r"(?:比分|大比分|打成|战成|踢成|逼平|战平|扳成|追成|领先|落后|获胜|击败|战胜|不敌|惨败|赢|输|负|胜)[^，。！？；0-9]{0,8}$"
)
_SCORE_AFTER = re.compile(
    r"^(?:的?(?:大?比分|成绩|优势)|获胜|取胜|领先|落后|战胜|击败|战平|险胜|大胜|完胜|惨[败胜]|小胜|拿下|告负|逆转|锁定|平|胜|负|输|赢)"
)
_RATIO = re.compile(r"(?:比例|比率|配比|按|勾兑|概率)[^，。！？；0-9]{0,6}$")


def _is_score(match: Match) -> bool:
    before, after = (
        match.string[max(0, match.start() - 14) : match.start()],
        match.string[match.end() : match.end() + 6],
    )
    return bool(_SCORE_BEFORE.search(before) or _SCORE_AFTER.match(after) or _RATIO.search(before))


def _score(match: Match) -> str | None:
    return f"{cardinal_zh(match['a'])}比{cardinal_zh(match['b'])}" if _is_score(match) else None


def clock_zh(hour: str, minute: str, second: str | None = None) -> str | None:
    """``8:05`` -> 八点零五分, ``0:00`` -> 零点; ``None`` for what no clock shows."""
    if int(hour) > 24 or int(minute) > 59 or int(second or 0) > 59:
        return None
    said = ("两" if int(hour) == 2 else cardinal_zh(hour)) + "点"
    if int(minute) or second:
        said += ("零" if len(minute) == 2 and minute[0] == "0" and int(minute) else "") + cardinal_zh(minute) + "分"
    if second:
        said += ("零" if second[0] == "0" and int(second) else "") + cardinal_zh(second) + "秒"
    return said


def _time(match: Match) -> str | None:
    return clock_zh(match["h"], match["m"], match["s"])


def _time_range(match: Match) -> str | None:
    first, last = clock_zh(match["h"], match["m"]), clock_zh(match["i"], match["n"])
    return f"{first}到{last}" if first and last else None


def _number(text: str, liang: bool = False) -> str:
    return decimal_zh(text, liang=liang)


def _range(match: Match) -> str | None:
    after = match.string[match.end() : match.end() + _CONTEXT]
    joint = "至" if "至" in match.group() else "到"
    liang = counted("", after)
    return f"{_number(match['a'], liang)}{joint}{_number(match['b'], liang)}"


def _years(match: Match) -> str:
    """1990-1995年, 从2012年到2015年."""
    joint = "至" if "至" in match.group() else "到"
    return f"{digits_zh(match['a'])}{match['u']}{joint}{digits_zh(match['b'])}"


def _within_month(match: Match) -> str:
    return f"{cardinal_zh(match['m'])}月{cardinal_zh(match['a'])}{match['u']}到{cardinal_zh(match['b'])}"


def _code(yao: bool) -> Callable[[Match], str]:
    return lambda match: (
        match["k"]
        + "".join(
            digits_zh(c, yao=yao) if c.isdigit() else ("" if c in "- " else "加" if c == "+" else c) for c in match["n"]
        )
    )


def _latin_number(match: Match) -> str | None:
    digits, letters = match["n"], match["w"]
    if letters.upper() == "NO":
        return f"第{cardinal_zh(digits)}"
    if len(digits) > 3 or (digits[0] == "0" and len(digits) > 1):
        return letters + digits_zh(digits, yao=len(letters) == 1 and len(digits) > 3)
    return letters + cardinal_zh(digits)


def _number_latin(match: Match) -> str:
    return cardinal_zh(match["n"]) + match["w"]


def _sign(match: Match) -> str:
    return ("加" if match["s"] in "+＋" else "负") + _number(match["n"])


def _decade(match: Match) -> str:
    digits = match["y"]
    return (digits_zh(digits) if len(digits) == 4 else cardinal_zh(digits)) + "年代"


def _fraction(match: Match) -> str:
    first, last = cardinal_zh(match["a"]), cardinal_zh(match["b"])
    if match.group() == "24/7":
        return "二十四七"
    if int(match["a"]) >= int(match["b"]) >= 10:  # 血压120/80: two measures, no fraction
        return f"{first}、{last}"
    return f"{'负' if match['s'] else ''}{last}分之{first}"


def _vulgar(match: Match) -> str:
    top, _, bottom = unicodedata.normalize("NFKC", match["f"]).partition("\u2044")
    part = f"{cardinal_zh(bottom)}分之{cardinal_zh(top or '1')}" if bottom else match["f"]
    return f"{cardinal_zh(match['n'])}又{part}" if match["n"] else part


def _numbered(match: Match) -> str | None:
    if len(match.group()) == 1 and (single := unicodedata.numeric(match.group(), -1)) >= 0:
        return cardinal_zh(str(int(single)))
    folded = unicodedata.normalize("NFKC", match.group()).strip("().")
    if folded.isdecimal():
        return cardinal_zh(folded)
    if folded in "一二三四五六七八九十":
        return folded
    value = roman_value(folded.upper())
    return cardinal_zh(str(value)) if value else None


def _slang(match: Match) -> str | None:
    after, before = match.string[match.end() : match.end() + 1], match.string[max(0, match.start() - 1) : match.start()]
    if after and (after in _MEASURE or after in "%％℃‰/:：+*×"):
        return None
    if before and before in "第+-±￥$¥" + _WRITTEN_OUT:
        return None
    return digits_zh(match["n"])


def _decimal(match: Match) -> str:
    return _number(match["n"])


_NEGATIVE_CONTEXT = r"(?<![0-9A-Za-z\u4e00-\u9fff%％.)）])"

_ROWS: list[tuple[str, Callable[[Match], str | None]]] = [
    # dates
    (rf"{_ALONE}(?P<y>[12][0-9]{{3}})(?P<x>[-/.·])(?P<m>[0-9]{{1,2}})(?P=x)(?P<d>[0-9]{{1,2}})(?P<u>[日号]?)(?![0-9.-])", _iso_date),
    (rf"{_ALONE}(?P<a>[12][0-9]{{3}})(?P<u>年?)\s*[-–—~～至到]+\s*(?P<b>[12][0-9]{{3}})(?=年)", _years),
    (rf"{_ALONE}(?P<m>1[0-2]|0?[1-9])月(?P<a>[0-9]{{1,2}})(?P<u>[日号]?)[-–—~～至到](?P<b>[0-9]{{1,2}})(?=[日号])", _within_month),
    (rf"{_ALONE}(?P<a>1[0-2]|[1-9])[-–—~～至到](?P<b>1[0-2]|[1-9])(?=月)", _range),
    (rf"{_ALONE}(?P<y>(?:19|20)[0-9]{{2}})(?=年级|级(?!台)|届|款)", lambda m: digits_zh(m["y"])),
    (rf"{_ALONE}(?P<y>[5-9][05]|0[05]|10)(?=后(?![面来退天者期方悔续果勤撤跟院背脑排卫]))", lambda m: digits_zh(m["y"])),
    (rf"{_ALONE}(?P<y>0[0-9]|[5-9][0-9])年(?=(?:出生|生的|生人|毕业|入学|入伍|入行|参军|结婚|下岗|下海|进厂|那会|那时|世界杯|奥运)|(?!代)[一-鿿]{{1,2}}的老)", lambda m: digits_zh(m["y"]) + "年"),
    (rf"{_ALONE}(?P<m>0[1-9])[.-](?P<d>0[1-9]|[12][0-9]|3[01])(?![0-9.%％-])", lambda m: f"{cardinal_zh(m['m'])}月{cardinal_zh(m['d'])}日"),
    (r"(?P<k>公元前?)(?P<n>[0-9]{1,4})(?=年)", _code(False)),
    (rf"{_ALONE}(?P<y>[1-9][0-9]{{3}})年(?!级)", _year),
    (r"(?<=前)(?P<y>[1-9](?:[1-9]0|[0-9][1-9]))(?=年)", lambda m: digits_zh(m["y"])),
    (r"['’](?P<y>[0-9]{2})年", lambda m: digits_zh(m["y"]) + "年"),
    (rf"{_ALONE}(?P<y>[0-9]{{2}})年(?=[春夏秋冬初底末][^0-9]|[0-9]{{1,2}}月)", lambda m: digits_zh(m["y"]) + "年"),
    (rf"{_ALONE}(?P<m>[0-9]{{1,2}})月(?P<d>[0-9]{{1,2}})(?P<u>[日号]?)(?![0-9])", _month_day),
    (rf"{_ALONE}(?P<m>1[0-2]|0?[1-9])(?=月)(?!月[球亮])", lambda m: cardinal_zh(m["m"])),
    (rf"{_ALONE}(?P<d>3[01]|[12][0-9]|0?[1-9])(?=[日号](?!子))", lambda m: cardinal_zh(m["d"])),
    (rf"{_ALONE}(?P<y>(?:1[0-9]|20)[0-9]0)['’]?s(?![A-Za-z])", _decade),
    (rf"{_ALONE}(?P<y>(?:19|20)[0-9]{{2}})[-/.](?P<m>0[1-9]|1[0-2])(?![0-9.\-/])", lambda m: f"{digits_zh(m['y'])}年{cardinal_zh(m['m'])}月"),
    (rf"{_ALONE}(?P<a>[0-9]{{1,2}})[.·](?P<b>[0-9]{{1,2}})(?=事件|事变|惨案|运动|晚会|假期|长假|劳动节|节(?![课车])|国庆|黄金周|大促|购物节|放假|大地震)", lambda m: digits_zh(m["a"] + m["b"]) if len(m["a"]) == 1 else cardinal_zh(m["a"]) + digits_zh(m["b"])),
    (r"(?<![0-9.·])(?P<a>[0-9]{1,2})[·•](?P<b>[0-9]{1,2})(?![0-9·])", lambda m: digits_zh(m["a"] + m["b"])),
    (rf"{_ALONE}2(?=点(?![0-9]*[%％]))", lambda m: "两"),
    (r"(?<![0-9/.,])(?P<m>0?[1-9]|1[0-2])/(?P<y>(?:19|20)[0-9]{2})(?![0-9/.])", lambda m: f"{digits_zh(m['y'])}年{cardinal_zh(m['m'])}月"),
    # clock, scores, ratios
    (rf"{_ALONE}(?P<a>[0-9]{{1,3}})\s?[:：\-–—比]\s?(?P<b>[0-9]{{1,3}})(?![0-9:：])", _score),
    (rf"{_ALONE}(?P<h>[0-9]{{1,2}})[:：](?P<m>[0-9]{{2}})\s?[-–—~～至到]+\s?(?P<i>[0-9]{{1,2}})[:：](?P<n>[0-9]{{2}})(?![0-9:：])", _time_range),
    (rf"{_ALONE}(?P<h>[0-9]{{1,2}})[:：](?P<m>[0-9]{{2}})(?:[:：](?P<s>[0-9]{{2}}))?(?![0-9:：])", _time),
    (rf"{_ALONE}(?P<n>[0-9]{{1,4}}(?:[:：][0-9]{{1,4}}){{2,}})(?![0-9:：])", lambda m: "比".join(cardinal_zh(part) for part in re.split("[:：]", m["n"]))),
    (rf"{_ALONE}(?P<a>[0-9]{{1,4}})\s?[:：]\s?(?P<b>[0-9]{{1,4}})(?![0-9:：])", lambda m: f"{cardinal_zh(m['a'])}比{cardinal_zh(m['b'])}"),
    (r"(?<=第)(?P<a>[0-9]+)[-–—~～至到]第?(?P<b>[0-9]+)(?![0-9.])", lambda m: f"{cardinal_zh(m['a'])}到{cardinal_zh(m['b'])}"),
    (r"(?<=第)[0-9]+(?![0-9]|\.[0-9])", lambda m: cardinal_zh(m.group())),
    (rf"{_ALONE}(?P<s>(?<![0-9A-Za-z一-鿿])-)?(?P<b>[0-9]+)分之(?P<a>[0-9]+)(?![0-9.])", lambda m: f"{'负' if m['s'] else ''}{cardinal_zh(m['b'])}分之{cardinal_zh(m['a'])}"),
    (r"(?<![0-9/.,])(?P<s>-)?(?P<a>[0-9]{1,4})\s?/\s?(?P<b>[0-9]{1,4})(?![0-9/.])", _fraction),
    (r"@(?=\w)", lambda m: "艾特"),
    (r"(?<=[Cc])\+\+(?![0-9])", lambda m: "加加"),
    (rf"{_ALONE}(?P<n>[0-9]{{1,3}}(?:,[0-9]{{3}})+(?:\.[0-9]+)?)(?![0-9,])(?!\s?[A-Za-z%％℃°])", lambda m: _number(m["n"], True)),
    (rf"{_ALONE}(?P<n>[0-9]{{1,3}}(?:，[0-9]{{3}})+)(?=[元块美两人名])", lambda m: cardinal_zh(m["n"].replace("，", ""), liang=True)),
    (rf"{_ALONE}(?P<n>[1-9][0-9]{{0,2}}(?: [0-9]{{3}})+)(?=[元块美米人名个里公两])", lambda m: cardinal_zh(m["n"].replace(" ", ""), liang=True)),
    # telephones, rooms, codes
    (r"(?P<k>)(?<![0-9.])(?P<n>(?:(?:[+＋]86[- ]?)?1[3-9][0-9][- ]?[0-9]{4}[- ]?[0-9]{4}|0[0-9]{2,3}[- ]?[0-9]{7,8}|[48]00-[0-9]{3,4}-[0-9]{3,4}))(?![0-9])", _code(True)),
    (r"(?P<k>(?:电话|手机|热线|传真|座机|分机|门牌|车牌|房间|房号|寝室|宿舍|包厢|尾号|单元|[A-Z]座|[栋幢])(?:号码?)?(?:[是为:： ]{0,2}))(?P<n>[0-9][0-9-]{2,})(?![0-9个位部台间,.])", _code(True)),
    (r"(?P<k>(?:拨打?通?|致电|报警?|打|呼叫|叫|喊)了?(?:通|个)?)(?P<n>(?:1(?:10|12|14|19|20|22)|911|999|1[02][0-9]{3}|95[0-9]{3}))(?![0-9个次])", _code(True)),
    (rf"(?P<k>){_ALONE}(?P<n>110|119|120|122|114|911)(?=吗|急救|报警|指挥|热线|救护|警车|出警|接警|电话|(?<=[，。！？“「：、\s]...)[，。！？、])", _code(True)),
    (rf"(?P<k>){_ALONE}(?P<n>1[02][0-9]{{3}}|95[0-9]{{3}})(?=热线|投诉|客服|电话|平台|服务)", _code(True)),
    (rf"{_ALONE}(?P<n>[1-9][0-9]{{2,3}})(?=部队|高地|国道|省道|县道|航班|次航班|工程|专案|事件|惨案|新政|医院|团(?!队|员|伙|长|体|购)|兵工厂)", lambda m: None if m["n"].endswith("00") else digits_zh(m["n"])),
    (r"(?<=分辨率为)(?P<n>[0-9]{3,4})(?![0-9])|(?<=分辨率是)(?P<o>[0-9]{3,4})(?![0-9])|(?<=分辨率)(?P<p>[0-9]{3,4})(?![0-9])", lambda m: digits_zh(m["n"] or m["o"] or m["p"])),
    (rf"{_ALONE}(?P<n>5{{3,6}}|88|886)(?=[，。！!~～…,、]|$)(?<![\u4e00-\u9fff][0-9]{{3}})", lambda m: digits_zh(m["n"]) if not m.string[max(0, m.start() - 1) : m.start()].strip() or m.string[m.start() - 1] in "“「『，。！？" else None),
    (r"(?P<k>(?:编号|代号|工号|学号|座位号|密码|口令|验证码|QQ号?码?|微信号?|Q?Q群|群号|考号|准考证号|单号|订单号|票号|床号|囚号|代码|暗号|邀请码|激活码|兑换码|档案号|证件?号|会员号|番号|邮编|账号|帐号|卡号|频道|序列号|警号|身份证号?码?|波音|空客)(?:[是为:： ]{0,2}))(?P<n>[0-9][0-9-]{2,})(?![0-9个位,.])", _code(False)),
    (rf"(?P<k>){_ALONE}(?P<n>[0-9]{{3,4}})(?=号?(?:房|室(?!友)|病房|包[间厢]|寝|宿舍|教室|会议室|囚室|牢房))", _code(True)),
    (rf"{_ALONE}(?P<n>0[0-9]+)(?![0-9:：]|[.,/][0-9])", lambda m: digits_zh(m["n"])),
    (rf"{_ALONE}(?P<n>6{{3,6}}|23{{2,5}}|996|520|521|1314|5201314|886|007|618|10086|12306|315|404|211|985|911)(?![0-9]|[.,][0-9])", _slang),
    (r"(?<=[“「『\"])(?P<n>[0-9]{4,})(?=[”」』\"])", lambda m: digits_zh(m["n"])),
    (rf"{_ALONE}(?P<n>[1-9][0-9]{{6,7}})(?![0-9.,])(?![{_MEASURE}%％℃°A-Za-z])", lambda m: None if m["n"].endswith("000") else digits_zh(m["n"])),
    (rf"{_ALONE}(?P<n>[1-9][0-9]{{0,11}}0000)(?![0-9.,])(?![{_MEASURE}%％℃°A-Za-z])", lambda m: cardinal_zh(m["n"])),
    (rf"{_ALONE}(?P<n>[0-9]{{13,}})(?![0-9.,])", lambda m: digits_zh(m["n"], yao=True)),
    (rf"{_ALONE}2(?=单元|栋|幢)", lambda m: "二"),
    (rf"{_ALONE}(?P<n>[1-9][0-9]{{0,3}})(?=码(?!头)|迈)", lambda m: cardinal_zh(m["n"], liang=True)),
    (r"(?<=[\u4e00-\u9fff])[-–](?P<n>[0-9]{1,3})(?![0-9%％℃°.\-—~～至到度分])", _model),
    (rf"{_ALONE}(?P<y>(?:19|20)[0-9]{{2}})(?![0-9]|[.,][0-9]|\s?[%％℃°A-Za-z/×+*=-])(?![{_MEASURE}])", _bare_year),
    # Latin letters with figures
    (r"(?P<w>[Nn][Oo])\.?\s?(?P<n>[0-9]{1,3})(?![0-9])", _latin_number),
    (r"№\s?(?P<n>[0-9]+)", lambda m: f"第{cardinal_zh(m['n'])}"),
    (r"(?P<w>[A-Za-z]+)[-‐–]?(?P<n>[0-9]+)(?![0-9]|\.[0-9]|[A-Za-z²³])", _latin_number),
    (r"(?<![0-9.A-Za-z])(?P<n>[0-9]+)(?P<w>[BDGKPTVX])(?![A-Za-z0-9/])", _number_latin),
    # per cent, per mille, plus
    (rf"{_ALONE}(?P<n>[0-9]+(?:\.[0-9]+)?)(?P<s>[千百]?[万亿]?)[+＋](?![0-9])", lambda m: _number(m["n"]) + m["s"] + "加"),
    (r"(?<![0-9A-Za-z%.)])(?P<s>[+＋])(?P<n>[0-9]+(?:\.[0-9]+)?)(?![0-9%％℃°])", _sign),
    (rf"{_NEGATIVE_CONTEXT}(?P<s>[-−])(?P<n>[0-9]+(?:\.[0-9]+)?)(?![0-9%％℃°.\-]|[a-zA-Z])", _sign),
    # ranges
    (rf"{_ALONE}(?P<a>[0-9]+(?:\.[0-9]+)?)\s?(?:[~～–—至到]+|-)\s?(?P<b>[0-9]+(?:\.[0-9]+)?)(?=[{_MEASURE}])", _range),
    # signs
    (r"(?P<n>[0-9]+)?(?P<f>[¼-¾⅐-⅞])", _vulgar),
    (r"[\u2460-\u249b\u24ea-\u24f4\u24ff\u2776-\u2793\u3220-\u3229\u3280-\u3289]", _numbered),
    (r"[\u2160-\u217f]+", _numbered),
    (r"(?<![0-9A-Za-z.])\.(?P<n>[0-9]+)(?![0-9A-Za-z.])", lambda m: f"零点{digits_zh(m['n'])}"),
    (r"(?:>=|≥)(?=\s?[0-9])", lambda m: "大于等于"),
    (r"(?:<=|≤)(?=\s?[0-9])", lambda m: "小于等于"),
    (r"≈", lambda m: "约等于"),
    # decimals (1.2.3 is a version or an address), never dates unless they begin with a zero
    (rf"{_ALONE}(?P<n>[0-9]+(?:\.[0-9]+){{2,3}})(?![0-9])", lambda m: "点".join(cardinal_zh(part) for part in m["n"].split("."))),
    (rf"{_ALONE}(?P<n>(?:0|[1-9][0-9]*)\.[0-9]+)(?![0-9.]|[%％℃°‰]|[A-Za-z/]|[元块])", _decimal),
    (r"°[CＣ]|℃", lambda m: None if m.string[m.start() - 1 : m.start()].isdigit() else "摄氏度"),
    (r"(?<=\S)\s?[&＆]\s?(?=\S)", lambda m: "和"),
    (r"(?<=[\w)）²³%\u2191])\s?[=＝]\s?(?=[\w(（√+-])", lambda m: "等于"),
    (r"(?<=[0-9%])[><](?=[0-9])", lambda m: "大于" if m.group() == ">" else "小于"),
    (r"(?<![0-9])[%％](?![0-9])", lambda m: "百分号"),
    (r"[\U0001f000-\U0001faff☀-☄☎☘☝☠☢-☣☮-☯☸-☺♀♂♈-♓♠-♧♨♻⚐-⛿✂-➿\ufe0e\ufe0f]+", lambda m: ""),
]  # fmt: skip

RULES = [(re.compile(pattern), say) for pattern, say in _ROWS]
