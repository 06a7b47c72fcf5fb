"""What the author says to the readers between the lines of a web novel: votes, thanks, updates, postscripts.

Contract: ``author_lines`` gives the indices of one chapter's lines that are such asides. A line counts only by words
that no story uses in that place; a block (作者有话说 …) goes to the chapter's end unless it is too long to be one.
Dialogue is never taken. What is not certain is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_BLOCK_LINES = 40
MAX_BLOCK_CHARS = 2500
"""A block longer than this is story after a misplaced marker: only the marker's own line is left out."""

_MAX_LINE_CHARS = 300
_DECO = r"[\s　（(【\[〔*＊=＝\-—─_~～☆★◆※#]*"
_BLOCK = re.compile(
    rf"{_DECO}(?:作者有[话話](?:要)?[说說]|作者[闲閒][话話]|作家的[话話]|作者的[话話]|作者[:：]?PS|题外[话話]|題外話)(?P<end>[\s　）)】\]〕*＊=＝\-—─_~～☆★◆※#]*$|[\s　）)】\]]*[：:].*$)",
    re.IGNORECASE,
)
_POSTSCRIPT = re.compile(r"[（(【\[]?\s*(?:ps|p\.s\.?|ｐｓ)\s*[0-9一二三]?\s*[：:；;，,.。、！!]", re.IGNORECASE)
_WORDS = re.compile(
    "更新|[一二三四五六两\\d]更|加更|断更|更到|月票|推荐|推薦|订阅|訂閱|收藏|打赏|打賞|书友|書友|读者|讀者|大家|本书|本書|感谢|感謝|谢谢|謝謝|存稿|"
    "上架|书评|評論|评论|新书|新書|码字|碼字|请假|請假|章节|章節|这一章|這一章|本章|起点|投票|盟主|群号|Ｑ群|QQ群|作者"
)
_BEGGING = re.compile(
    r"[（(【\[]?\s*(?:继续|跪|拜|再|厚颜|弱弱地?|顺便|第[一二三四五六]更[，,！!\s到送上]*)?求(?:一下|个|各种|下|波)?(?:推荐票?|推薦票?|月票|订阅|訂閱|收藏|打赏|打賞|首订|票票?|红票|鲜花)"
    r"(?:[，,、！!\s]*(?:和|求|各种)?(?:推荐票?|推薦票?|月票|订阅|訂閱|收藏|打赏|打賞|首订|票票?|红票|鲜花|支持|各种求?|一切)){0,8}[。！!～~…]*\s*[）)】\]]?"
)
_THANKS = re.compile(
    r"[（(【\[]?\s*(?:再次|特别|拜谢|多谢)?[，,]?(?:感谢|感謝|谢谢|謝謝|多谢)(?:[^“”]|“[^“”：]{1,15}”){1,200}(?:打赏|打賞|月票|推荐票|推薦票|盟主|起点币|起點幣|万赏|萬賞|评价票|催更票|捧场)(?:[^“”]|“[^“”：]{1,15}”){0,60}"
)
_UPDATE = re.compile(
    r"[（(【\[]?\s*(?:(?:今天|今日|明天|今晚|昨天|本周|周末)[^，。“”他她]{0,6}(?:[一二三四五六七八九十两\d]更|加更|爆更|断更)[^“”他她]{0,20}|"
    r"第[一二三四五六七八九十\d]+更(?:[！!，,]?\s*(?:到|送到|送上|奉上|完毕|来了|求)[^“”他她]{0,20}|\s*[）)】\]])|[一二三四五六两\d]更(?:完毕|奉上|送上|求)[^“”他她]{0,20}|"
    r"(?:今|明|后)[天日晚](?=[^“”]*(?:大家|书友|订阅|求))[^“”他她]{0,20}(?:上架|爆更|请假)[^“”他她]{0,20}|(?:加更|补更)(?:章节|送上|奉上|完毕)[^“”他她]{0,20})[。！!～~…]*\s*[）)】\]]?"
)
_SPEECH = '“「『"‘'


def author_lines(texts: Sequence[str]) -> set[int]:
    """Indices of ``texts`` (one chapter's lines, trimmed, in order) that are the author's asides."""
    found: set[int] = set()
    index = 0
    while index < len(texts):
        text = texts[index]
        if is_author_line(text):
            found.add(index)
        elif len(text) <= _MAX_LINE_CHARS and (marker := _BLOCK.match(text)):
            rest = texts[index + 1 :]
            bare = not marker["end"].strip(" 　）)】]〕*＊=＝-—─_~～☆★◆※#：:")
            if "外" in marker.group()[:12] and not bare and not _WORDS.search(text):
                index += 1
                continue  # 题外话：… may be the story's own
            whole = index > 1 and len(rest) <= MAX_BLOCK_LINES and sum(map(len, rest)) <= MAX_BLOCK_CHARS
            if whole:
                found.update(range(index, len(texts)))
                break
            if bare or _WORDS.search(text) or "作者" in text:
                found.add(index)
        index += 1
    return found


def is_author_line(text: str) -> bool:
    """One line that is certainly the author's: votes begged for, thanks for gifts, updates announced, a ps about these."""
    if not text or len(text) > _MAX_LINE_CHARS or text[0] in _SPEECH:
        return False
    if _POSTSCRIPT.match(text):
        return _WORDS.search(text) is not None
    if len(text) > 8 and _THANKS.fullmatch(text):
        return True
    return len(text) <= 60 and (_BEGGING.fullmatch(text) or _UPDATE.fullmatch(text)) is not None
