"""Lines of a book file that are not the book: adverts, scene marks, the title page. (Authors' notes: ``asides``.)

Contract: pure functions on one trimmed line. All of them are careful: what is not certainly clutter is read aloud,
because a line too many is heard and a line too few is missed by nobody but the author.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_ADVERT_CHARS = 120

_SCENE = re.compile(r"[\s　*＊※◇◆☆★＃#○●◎△▲□■✦✧❖~～=＝_＿\-－─━•·]+")
_SCENE_ONE = frozenset("※◇◆☆★✦✧❖○●◎△▲□■＃#*＊")
_RULE = re.compile(r"[—–]{3,}")
_LOOK_ALIKE = dict(
    zip(map(ord, "ωшЩщοоО〇○сСеЕаАмМпт①②③④⑤⑥⑦⑧⑨⑩·．。"), "wwwwoooooccEEaammnt1234567890...", strict=False)
)
_FOLD = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | _LOOK_ALIKE
_ENDINGS = r"(?:c\s?o\s?m|n\s?e\s?t|cc|org|info|cn|tw|la|xyz|top|me|vip|so|io|la)(?![a-z])"
_HOST = r"(?:(?:w\s?w\s?w|wap|m)\s?\.\s?[a-z0-9\-]{1,30}(?:\s?\.\s?[a-z]{1,6}){0,3}|https?:/{1,2}[^\s，。！]{1,60}|"
_HOST += rf"[a-z0-9\-]{{2,30}}\s?\.\s?{_ENDINGS}(?:/[a-z0-9/]*)?)"
_DOMAIN = re.compile(_HOST, re.IGNORECASE)
_SITE_WORDS = re.compile(
    "本书|本書|本站|本文|網址|网址|域名|小说网|小說網|小说|小說|下载|下載|阅读|閱讀|首发|首發|更新|最新|章节|章節|书友|書友|手机|手機|"
    "用户|用戶|浏览|瀏覽|访问|訪問|收藏|书库|書庫|书屋|書屋|文学|文學|中文网|中文網|电子书|電子書|txt|整理|精彩|正版|无弹窗|無彈窗|免费|免費",
    re.IGNORECASE,
)
_SENTENCES = re.compile("[.!?;…]|[（(【](?=[^）)】]*[）)】]$)")
_STORY = re.compile("[他她“”「」『』]")
_SURE = re.compile(
    r"[（(【\[]?\s*(?:本章未完|本章完(?![整全成])|未完待续|未完待續|手机用户请(?:浏览|到|访问)|手機用戶請(?:瀏覽|到|訪問)|"
    r"请记住本(?:书|站)|請記住本(?:書|站)|记住本站(?:域名|网址)|記住本站(?:域名|網址)|(?:本站)?最新(?:网址|域名|地址)[：:]|最新網址[：:]|"
    r"天才一秒(?:记|記)住|一秒(?:记|記)住|本书(?:来自|由.{1,30}(?:整理|提供|上传|下载)|首发)|"
    r"本書(?:來自|由.{1,30}(?:整理|提供|上傳|下載)|首發)|更多(?:精彩|好书|小说|电子书|txt).{0,40}(?:请|訪|访|登|下载|尽在|关注)|"
    r"更多精彩.{0,40}(?:請|www)|(?:喜欢|喜歡).{1,30}(?:请大家收藏|請大家收藏)|百度(?:搜索|一下).{1,40}(?:最新|阅读|小说)|"
    r"(?:小说|小說)下(?:载|載)尽在|章节错误[，,]点此|(?:加入|添加)书签|举报错误|声明[：:]本书为.{1,20}转载|"
    r"正在手打中[，,]请稍等|内容更新后[，,]请(?:重新)?刷新|请(?:点击)?下一页继续阅读|无弹窗(?:广告)?(?:小说|阅读)|"
    r"(?:看)?正版章节(?:请)?(?:上|到|在)|最新章节(?:请|全文|尽在|第一时间))"
)
_SITE_LINE = re.compile(
    r"[（(【\[][^（(）)【】\[\]，。]{0,12}(?:小说网|小說網|中文网|中文網|文学网|文學網|书网|书屋|笔趣阁|读书)[^（(）)【】\[\]]{0,20}[）)】\]]"
)
_TAIL = r"(?:[，,、]?(?:继续阅读|繼續閱讀|全文阅读|免费阅读|阅读|閱讀|更优质的?|体验|免费|最新章节|更新最?快|更新速度最快|首发|无弹窗|观看|手机版|即可|小说))*"
_INSIDE = (
    # in brackets: a host and a word of the trade
    re.compile(
        rf"[（(【\[〔《][^（(）)【】\[\]\n]{{0,50}}?{_HOST}[^（(）)【】\[\]\n]{{0,40}}[）)】\]〕》]", re.IGNORECASE
    ),
    # a phrase that only such lines have, up to the host or the call to go on
    re.compile(
        r"[（(【\[]?(?:本章未完[，,]?(?:请|請)[^.!?！？”]{0,20}?(?:阅读|閱讀|下一[页頁])|"
        rf"(?:手机用户请|手機用戶請|(?:天才)?一秒[记記]住|(?:本站)?最新(?:网址|網址|域名)|最新章节|更多精彩|更多好书)[^.!?！？“”「」]{{0,40}}?{_HOST})"
        rf"{_TAIL}[）)】\]]?[!！.]?",
        re.IGNORECASE,
    ),
    # a site's name with its host
    re.compile(
        r"[（(【\[]?(?:(?<=[，。！？…”（(【\[\s,.!?])[\u4e00-\u9fff]{1,6}|起点|起點|纵横|晋江|笔趣阁?|顶点|飘天|书海|潇湘|红袖|创世|全本|燃文|八一)"
        rf"(?:小说网|小說網|中文网|中文網|文学网|书院网|书屋|读书网|笔趣阁)[ 　]?[（(]?{_HOST}{_TAIL}[）)】\]]*",
        re.IGNORECASE,
    ),
    # a chapter's end mark at the paragraph's end
    re.compile(r"[（(【\[](?:本章未完|本章完|未完待续|未完待續)[^（(）)】\]]{0,20}[）)】\]]$"),
)
_MAY_HOLD = re.compile("[.．。·]\\s?[a-zａ-ｚ]|本章|未完待|一秒[记記]住|用[户戶]请|用戶請|https?", re.IGNORECASE)
_AUTHOR = re.compile(
    r"(?:文\s*[/／]|(?:作\s*者|著\s*者|作\s*家|author)\s*[：:]|by\s*[:：])\s*(?P<name>.{1,40})$|(?P<plain>.{1,20})\s+著$",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?:书\s*名|書\s*名|title)\s*[：:]\s*(?P<name>.{1,60})$", re.IGNORECASE)
_BOOK_MARKS = re.compile(
    r"《(?P<name>[^《》]{1,40})》(?:全集|完本|全本|（[^（）]{1,10}）)?(?:\s*(?:作者|文)\s*[：:/／]\s*(?P<author>.{1,30}))?$"
)
_STOP = re.compile("[。，；！？“”]")


@dataclass(frozen=True, slots=True)
class TitleLine:
    """What a line of the title page says."""

    title: str = ""
    author: str = ""


def is_scene_break(line: str) -> bool:
    """A line that holds nothing but ornaments: at least three of them, or one that never is text (※, ◇, *)."""
    if _SCENE.fullmatch(line):
        bare = re.sub(r"[\s　]+", "", line)
        return len(bare) >= 3 or (0 < len(bare) <= 2 and set(bare) <= _SCENE_ONE)
    return _RULE.fullmatch(line) is not None


def reason(line: str) -> str:
    """``scene-break``, ``advert`` or nothing for one line by itself."""
    if is_scene_break(line):
        return "scene-break"
    return "advert" if is_advert(line) else ""


def fold(text: str) -> str:
    """``text`` with full-width and look-alike letters as plain ones, one for one (ｗωｗ．ｘｘ．ｃｏｍ → www.xx.com)."""
    return text.translate(_FOLD)


def is_advert(line: str) -> bool:
    """A line by the site that spread the file; never by the story."""
    if len(line) > MAX_ADVERT_CHARS or line[0] in '“「『"‘':
        return False
    if _SURE.match(line) or _SITE_LINE.fullmatch(line):
        return True
    if _STORY.search(line):
        return False
    if _SITE_WORDS.search(line) is None:
        return False
    bare, hosts = _DOMAIN.subn("网址", fold(line).replace("...", "…"))
    # Every sentence must be the site's own: an advert put behind a sentence of the story is cut out of it elsewhere.
    return hosts > 0 and all(
        _SITE_WORDS.search(part) is not None
        for part in _SENTENCES.split(bare)
        if len(part.strip(" 　（）()【】[]")) > 3
    )


def inside_adverts(text: str) -> list[tuple[int, int]]:
    """Stretches ``[start, end)`` of a paragraph that a site put into it. In speech only what stands in brackets."""
    if not _MAY_HOLD.search(text):
        return []
    plain = fold(text)
    found: list[tuple[int, int]] = []
    for number, pattern in enumerate(_INSIDE):
        for hit in pattern.finditer(plain):
            start, end = hit.span()
            quoted = text.count("“", 0, start) > text.count("”", 0, start) or text.count("「", 0, start) > text.count(
                "」", 0, start
            )
            if quoted and number != 0 and not text.startswith(("本章未完", "（本章", "(本章"), start):
                continue
            if number == 0 and not _SITE_WORDS.search(text, start, end):
                continue
            if not any(start < high and low < end for low, high in found):
                found.append((start, end))
    return sorted(found)


def title_line(line: str) -> TitleLine | None:
    """Title or author where the line certainly says nothing else (作者：…, 书名：…, 《…》 alone)."""
    if len(line) > 80:
        return None
    if found := _TITLE.match(line):
        return TitleLine(title=found["name"].strip(" 　《》"))
    if found := _BOOK_MARKS.match(line):
        return TitleLine(title=found["name"].strip(), author=(found["author"] or "").strip())
    found = _AUTHOR.match(line)
    if found and not _STOP.search(line):
        return TitleLine(author=(found["name"] or found["plain"]).strip(" 　"))
    return None


def could_be_title(line: str) -> bool:
    """A short line that may be the book's title, believed only when the author's line follows."""
    return len(line) <= 40 and _STOP.search(line) is None
