"""Lines of a book file that are not the book: adverts, scene marks, the title page.

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
_DOMAIN = re.compile(
    r"(?:www|ｗｗｗ|wap|m)\s?[.．。]\s?[a-z0-9ａ-ｚ０-９]|https?[:：]//|"
    r"[a-z0-9ａ-ｚ０-９]{2,}\s?[.．]\s?(?:com|net|cc|org|info|cn|tw|la|xyz|top|me|ｃｏｍ|ｎｅｔ|ｃｃ|ｏｒｇ|ｃｎ)(?![a-z])",
    re.IGNORECASE,
)
_SITE_WORDS = re.compile(
    "本书|本站|本文|網址|网址|域名|小说网|小說網|小说|小說|下载|下載|阅读|閱讀|首发|首發|更新|最新|章节|章節|书友|書友|手机|手機|"
    "用户|用戶|浏览|瀏覽|访问|訪問|收藏|书库|書庫|电子书|電子書|txt|TXT|整理|精彩|正版"
)
_SURE = re.compile(
    r"[（(【\[]?\s*(?:本章未完|本章完|未完待续|手机用户请(?:浏览|到|访问)|手機用戶請(?:瀏覽|到|訪問)|请记住本(?:书|站)|請記住本(?:書|站)|"
    r"记住本站(?:域名|网址)|記住本站(?:域名|網址)|最新网址[：:]|最新網址[：:]|天才一秒记住|天才一秒記住|一秒记住|"
    r"本书(?:来自|由.{1,30}(?:整理|提供|上传|下载)|首发)|本書(?:來自|由.{1,30}(?:整理|提供|上傳|下載)|首發)|"
    r"更多(?:精彩|好书|小说|电子书|txt).{0,40}(?:请|訪|访|登|下载|尽在|关注)|更多精彩.{0,40}(?:請|www)|"
    r"(?:喜欢|喜歡).{1,30}(?:请大家收藏|請大家收藏)|百度搜索.{1,40}(?:最新|阅读|小说)|(?:小说|小說)下(?:载|載)尽在|"
    r"章节错误[，,]点此|加入书签|举报错误|声明[：:]本书为.{1,20}转载)"
)
_BEGGING = re.compile(
    r"[（(【\[]?\s*(?:ps|Ps|PS|ｐｓ|Ｐ[Ｓｓ])\s*\d?\s*[：:;；，,.。、].{0,60}?求.{0,12}(?:推荐|推薦|月票|订阅|訂閱|收藏|打赏|打賞)"
)
_BEGGING_ALONE = re.compile(
    r"[（(【\[]?\s*(?:求|跪求|继续求|拜求)(?:推荐票?|月票|订阅|收藏|打赏)(?:[，,、！!\s]*(?:求)?(?:推荐票?|月票|订阅|收藏|打赏|各种)){0,6}[。！!～~]*\s*[）)】\]]?$"
)
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


def is_advert(line: str) -> bool:
    """A line by the site that spread the file, or by its author begging for votes; never by the story."""
    if len(line) > MAX_ADVERT_CHARS or line[0] in '“「『"‘':
        return False
    if _SURE.match(line) or _BEGGING.match(line) or _BEGGING_ALONE.match(line):
        return True
    return _DOMAIN.search(line) is not None and _SITE_WORDS.search(line) is not None


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
