"""Surnames that are read otherwise than the same character elsewhere: 单 (shan4), 任 (ren2), 解 (xie4) …

Contract: ``judge(text, place)`` gives the surname's reading where the context shows a name: after 姓, before a title,
after 老 or 小, or where a tagger of words finds a personal name that starts here. The tagger (jieba) is loaded only
when a text holds such a character that nothing else decides.
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache

READINGS = {
    "单": "shan4", "查": "zha1", "仇": "qiu2", "任": "ren2", "华": "hua4", "盖": "ge3", "解": "xie4", "曾": "zeng1",
    "区": "ou1", "朴": "piao2", "翟": "zhai2", "缪": "miao4", "燕": "yan1", "葛": "ge3", "乐": "yue4",
    "洗": "xian3", "冼": "xian3", "召": "shao4", "员": "yun4", "折": "she2", "纪": "ji3", "宁": "ning4", "哈": "ha3",
    "單": "shan4", "華": "hua4", "蓋": "ge3", "區": "ou1", "紀": "ji3", "樸": "piao2",
}  # fmt: skip
"""The character and its reading as a surname."""

_TITLE = re.compile(
    "先生|小姐|姑娘|公子|夫人|太太|老师|师傅|师父|家(?!常|长|具|用|里的)|府(?!上的)|氏|兄|大人|将军|总(?![是会要在])|哥|姐|叔|伯|大爷|爷爷|某"
    "|大侠|掌柜|老板|经理|主任|医生|大夫|教授|局长|队长|警官|员外|师[兄姐弟妹叔伯]|道长|女士|同学|教练|导演|捕头|统领"
    "|处长|科长|书记|县令|知府|庄主|堡主|寨主|护法|长老|镖头|都督|大娘|大婶|大嫂|嫂|婆婆|阿姨"
)
_SPEAKS = re.compile("说|道(?!路|理)|笑|问|答|喊|点了?点头|摇了?摇头|叹")
_NICK_UNSAFE = frozenset("区區华華燕洗召员折乐宁哈盖纪")
_TITLE_UNSAFE = frozenset("区洗召员折能乐哈")
_TAGGED_UNSAFE = frozenset("区區洗召员折乐宁哈纪")
_NOT_NAMES = {
    "曾": "是有在经为被与和以任对从用说把将因于向想让给几多获受到参去来就也不一两三试居住见做当出两",
    "任": "何务命意由凭你我他她其人谁性职教期用满选内它这那免过了着一",
    "解": "开释决下除放了不脱救散馋药毒闷围渴围答读剖出掉送往到铃",
    "单": "是凭靠从独就看手膝一纯看论说听脚身打挑相这他她我你",
    "查": "看出了到清找询明到案验遍不一过探获处阅收实证",
    "仇": "恨人家敌怨视杀富",
    "华": "丽贵美北东南夏人中",
    "盖": "了上住着过在好的子章世头被不起房",
    "葛": "",
    "朴": "实素",
    "燕": "子窝尾京雀山赵国",
    "翟": "",
    "缪": "",
}


def judge(text: str, place: int) -> str | None:
    """The surname's reading if a name starts at ``place``, else ``None``; ``text[place]`` is a key of ``READINGS``."""
    char = text[place]
    reading = READINGS[char]
    before, after = text[place - 1 : place] if place else "", text[place + 1 : place + 5]
    if before == "姓" and text[place - 2 : place - 1] not in ("百", "老"):
        return reading
    bound = not before or not "\u4e00" <= before <= "\u9fff" or before in "姓叫和与对向跟给把被让请问位是"
    if char not in _TITLE_UNSAFE and bound and _TITLE.match(after):
        return reading
    alone = not after or not "\u4e00" <= after[0] <= "\u9fff" or _SPEAKS.match(after)
    if before in ("老", "小") and char not in _NICK_UNSAFE and alone:
        return reading
    if (
        char in _TAGGED_UNSAFE
        or not after
        or after[0] in _NOT_NAMES.get(char, "")
        or not "\u4e00" <= after[0] <= "\u9fff"
    ):
        return None
    start, end = max(0, place - _WINDOW), place + _WINDOW
    return reading if place - start in _names(text[start:end]) else None


_WINDOW = 8
"""How many characters to either side the tagger sees: enough for a name, and quick."""

_lock = threading.Lock()


@lru_cache(maxsize=4096)
def _names(text: str) -> frozenset[int]:
    """The places at which personal names of two to three characters start."""
    with _lock:  # jieba loads its dictionary when first asked, and says so on stderr unless told not to
        import logging

        import jieba
        from jieba import posseg

        jieba.setLogLevel(logging.ERROR)
        found, place = set(), 0
        for word, flag in posseg.lcut(text):
            if flag.startswith("nr") and 2 <= len(word) <= 4:
                found.add(place)
            place += len(word)
        return frozenset(found)
