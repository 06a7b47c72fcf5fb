"""Who can be meant by the words of a text: names, aliases, pronouns, and what they tell of gender.

Contract: ``Names`` is built from a cast and the text of a book (or chapter). It finds mentions in order of place and
gives each its canonical name (``他`` and ``she`` stay pronouns; ``attribute`` resolves them). Names the cast does not
know are learnt from speech tags (杜衡说道) and kept only where the text bears them out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tasks.domain import Cast, Role

PRONOUNS = {"他": "male", "她": "female", "它": "", "我": "", "he": "male", "she": "female", "i": ""}
_SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏窦章云苏潘葛奚范彭郎鲁韦昌马苗凤方俞任袁柳"
    "鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于傅齐康伍余顾孟黄穆萧尹姚邵汪祁毛狄臧戴谈宋庞熊纪舒屈项祝董梁杜阮蓝闵席季"
    "麻贾路江童颜郭梅林钟徐邱骆高夏蔡田樊胡凌霍虞万柯卢莫房裘干解应宗丁邓郁洪包石崔龚程邢裴陆荣翁甄曲封储靳段焦"
    "谷车侯全班秋仲宁仇祖武符刘景詹龙叶司黎薄白怀蒲从索赖卓屠池乔闻党翟谭姬申冉桑桂牛寿边燕尚温庄晏柴瞿阎连艾向古易廖耿匡"
    "寇广东沃利师聂晁关肖洛墨慕楚凤"
)
_TITLE_SURNAMES = "".join(sign for sign in _SURNAMES if sign not in "于和从向全安时常方路从来车查连成毕应解索利后")
_DOUBLE_SURNAMES = "欧阳|司马|上官|诸葛|东方|皇甫|尉迟|公孙|慕容|令狐|司徒|南宫|长孙|宇文|端木|轩辕|独孤|百里|夏侯|第五"
_TITLES_M = "先生|老爷爷|老爷|少爷|公子|老头子?|老汉|大爷|爷爷|父亲|爸爸|爹|叔叔|大叔|伯伯|舅舅|哥哥|大哥|二哥|弟弟|师兄|师弟|和尚|道士|老人|老者|男人|男子|少年|青年|汉子|小伙子|男孩|丈夫|儿子|皇帝|将军|王爷|太监|书生|掌柜的?|大汉|老伯|外公|船夫|车夫"
_TITLES_F = "小姐|太太|夫人|女士|姑娘|奶奶|母亲|妈妈|娘亲?|阿姨|婶婶|大婶|姐姐|大姐|妹妹|师姐|师妹|女人|女子|少女|女孩|妻子|女儿|皇后|娘娘|公主|丫鬟|丫头|老太太|老妇人|婆婆|大娘|大妈|外婆|老板娘|嫂子"
_TITLES_N = "老师|医生|大夫|护士|司机|老板|警察|店员|店主|伙计|队长|校长|经理|主任|师傅|师父|教授|博士|局长|士兵|侍卫|管家|孩子|学生|同学|记者|律师|法官|船长|众人|大家|服务员|前台|保安"
_HONORIFICS = (
    "先生|老爷|少爷|公子|大爷|爷爷|叔叔|大叔|伯伯|师兄|师弟|将军|掌柜的?|老伯|小姐|太太|夫人|女士|姑娘|奶奶|阿姨|婶婶|大婶|大姐|师姐|师妹|"
    "大娘|大妈|嫂子|老师|医生|大夫|护士|司机|老板|警官|队长|校长|经理|主任|师傅|教授|博士|局长|管家|律师|法官|船长|嬷嬷"
)
_TITLES = f"{_TITLES_M}|{_TITLES_F}|{_TITLES_N}"
_FEMALE_SIGNS = frozenset(
    "娜莉丽梅兰芳芬英花婷雪燕娟秀琴霞玲莲莹婉娥媛妍妮姗倩茜薇蓉菊芝嫣瑶璐珊怡蕾黛钗凤妹姐娘婆嫂姑姨妈女妃"
)
_MALE_SIGNS = frozenset("刚强军勇伟峰磊涛龙虎彪雄豪杰武栋梁斌鹏飞兵刚爷叔伯哥弟爹汉公郎")
_PEOPLE_EN = (
    r"[Tt]he\s(?:(?:old|young|little|tall|other|strange|fat|thin)\s)?(?:man|woman|boy|girl|lady|gentleman|captain|doctor|"
    r"teacher|king|queen|prince|princess|soldier|driver|waiter|waitress|stranger|keeper|nurse|clerk|guard)"
)
_VERB_AHEAD = r"(?=[^，。！？：；“”「」]{0,8}?(?:说|道[：，。]|问|喊|叫道|笑道|答))"
_LEARN = re.compile(
    rf"(?<![\u4e00-\u9fff])(?P<n>(?:{_DOUBLE_SURNAMES})[\u4e00-\u9fff]{{1,2}}|[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}|[老小阿][\u4e00-\u9fff]){_VERB_AHEAD}"
)
_LEARN_BARE = re.compile(r"(?<![\u4e00-\u9fff])(?P<n>[\u4e00-\u9fff]{2})(?=[笑忙又便]?(?:说|问|喊|答)?道[：:])")
_KIN = (
    "父亲|母亲|爸爸|妈妈|爸妈|父母|爸|妈|爹|娘|哥哥|姐姐|弟弟|妹妹|哥|姐|弟|妹|媳妇|老婆|老伴|丈夫|妻子|儿子|女儿|闺女|孙子|孙女|"
    "爷爷|奶奶|外公|外婆|叔叔|伯伯|舅舅|姑姑|姨妈|婶婶|嫂子|师父|师傅|师兄|师弟|师姐|师妹|岳父|岳母|女婿"
)
_HIS = re.compile(rf"(?:的)?(?:[大小老]|[二三四五六])?(?P<kin>{_KIN})(?!妹们|们)")
"""Behind a pronoun: 他哥, 她的丈夫."""
_THEIR = re.compile(rf"[他她](?:[大小老]|[二三四五六])?(?:{_KIN})|(?:妈妈?|娘|爸爸?|爹|媳妇|老婆)(?!妹)")
"""Behind a name: 林晓她妈, 林晓妈."""
_THAT = re.compile(r"^[那这](?:个|位|名)?(?=[\u4e00-\u9fff])")
_SURE = re.compile(r"[大低轻小高冷怒急连忙苦微笑]{0,2}(?:说道?|问道?|喊道?|答道?|叫道|笑道|道)[：:。，]")
_CROWDS = frozenset(["众人", "大家"])
_NOT_IN_NAME = re.compile(
    r"[他她它我你们谁的了着过是在有不又也就才还说道问答喊叫笑想看听着对向和跟给把被从这那很都却便再忽低轻大高冷怒急连忙慢突缓沉点摇抬皱站坐走转抱拍接哭叹嘟嚷骂喝吼解补继开插抢打忍]"
)
_NOT_NAMES = frozenset(
    [
        "于是",
        "连忙",
        "解释",
        "应该",
        "老是",
        "小声",
        "小说",
        "高兴",
        "高声",
        "方才",
        "向前",
        "安静",
        "包括",
        "全都",
        "任何",
        "从前",
        "时候",
        "常常",
        "万一",
        "石头",
        "白天",
        "那时",
        "时而",
        "马上",
        "安慰",
        "严肃",
        "路上",
        "和气",
        "干脆",
        "何况",
        "全部",
        "东西",
        "关于",
        "向着",
        "连声",
        "从容",
        "温和",
        "温柔",
        "老远",
        "老实",
        "小心",
    ]
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name or pronoun at ``[start, end)``; ``name`` is canonical, or the pronoun in lower case."""

    start: int
    end: int
    name: str
    pronoun: bool


class Names:
    """The names of a text. ``language`` is that of the text."""

    def __init__(self, cast: Cast, text: str, language: str) -> None:
        self._language = language
        self._canonical: dict[str, str] = {}
        self._gender: dict[str, str] = {}
        for role in cast.characters:
            self._add_role(role)
        self.cast_names = frozenset(role.name for role in cast.characters)
        if language == "en":
            self._learn_en(text)
        else:
            self._learn_zh(text)
        self._pattern = self._compile()

    def gender(self, name: str) -> str:
        """``male``, ``female`` or empty."""
        if name not in self._gender:
            self._gender[name] = guess_gender(name)
        return self._gender[name]

    def note_gender(self, name: str, gender: str) -> None:
        """Remember what a pronoun said of a name whose gender nobody knew."""
        if gender and not self.gender(name):
            self._gender[name] = gender

    def canonical(self, written: str) -> str:
        """The canonical name of an alias, or the words themselves."""
        return self._canonical.get(written, written)

    def known(self) -> list[str]:
        """The canonical names, those of the cast first; titles that any text may use (老板) are not among them."""
        return distinct(self._canonical.values())

    def known_name(self, name: str) -> bool:
        """Whether ``name`` is somebody's name and no word that fits anybody (老板)."""
        return name in self._canonical

    def mentions(self, text: str) -> list[Mention]:
        """Names and pronouns in ``text``, in order."""
        found = []
        zh = self._language != "en"
        for match in self._pattern.finditer(text):
            word = match.group()
            lower = word.lower()
            start, end = match.span()
            if found and found[-1].end > start:
                continue  # 少安他妈: within the words of the one before
            if word.startswith("The "):
                word = lower
            if lower in PRONOUNS and word not in self._canonical:
                if zh and (relative := _HIS.match(text, end)):
                    found.append(Mention(start, relative.end(), relative["kin"], False))
                else:
                    found.append(Mention(start, end, lower, True))
            elif zh and word in self._canonical and (relative := _THEIR.match(text, end)):
                found.append(Mention(start, relative.end(), text[start : relative.end()], False))
            else:
                found.append(Mention(start, end, self.canonical(_THAT.sub("", word)), False))
        if not zh:
            return found
        # 司机金俊海: the title only says what he is.
        return [
            one for at, one in enumerate(found)
            if one.pronoun or one.name in self._canonical or at + 1 == len(found)
            or found[at + 1].start != one.end or found[at + 1].name not in self._canonical
        ]  # fmt: skip

    def _add_role(self, role: Role) -> None:
        for word in (role.name, *role.aliases):
            if word:
                self._canonical.setdefault(word, role.name)
        if role.gender:
            self._gender[role.name] = {"m": "male", "f": "female"}.get(role.gender[:1].lower(), role.gender)

    def _learn_zh(self, text: str) -> None:
        counts: Counter[str] = Counter()
        for match in _LEARN_BARE.finditer(text):
            word = match["n"]
            if not _NOT_IN_NAME.search(word) and word not in _NOT_NAMES and word[1] not in "头身声口手气眼面时人来去后":
                counts[word] += 1
        counts = Counter({word: 2 * times for word, times in counts.items() if times >= 3})
        for match in _LEARN.finditer(text):
            word = match["n"]
            for size in range(2, len(word) + 1):
                part = word[:size]
                if not _NOT_IN_NAME.search(part[1:]) and part not in _NOT_NAMES:
                    counts[part] += 2 if _SURE.match(text, match.start() + size) else 1
        for word, tags in sorted(counts.items(), key=lambda item: -len(item[0])):
            if word in self._canonical or (tags < 2 and text.count(word) < 3):
                continue
            if len(word) > 2 and text.count(word) * 5 < text.count(word[:-1]) * 3:
                continue  # a name and the first sign of a verb
            longer = [w for w in self._canonical if w.startswith(word) and w != word]
            if any(text.count(w) * 5 >= text.count(word) * 3 for w in longer):
                continue
            self._canonical[word] = word

    def _learn_en(self, text: str) -> None:
        from tasks.script.tags_en import LEARN

        known = {part for word in self._canonical for part in word.split()}
        for match in LEARN.finditer(text):
            word = match["n"] or match["n2"]
            if word and word not in self._canonical and word not in known and word.lower() not in PRONOUNS:
                self._canonical[word] = word

    def _compile(self) -> re.Pattern[str]:
        words = sorted(self._canonical, key=len, reverse=True)
        if self._language == "en":
            listed = "|".join([*(re.escape(w) for w in words), _PEOPLE_EN, "[Hh]e", "[Ss]he", "I"])
            return re.compile(rf"\b(?:{listed})\b(?!['’]s\b)")
        listed = "|".join(
            [*(re.escape(w) for w in words), _nouns(), "他(?!们|人|妈|日|乡)", "她(?!们)", "(?<!自)我(?!们)"]
        )
        return re.compile(listed)


def _nouns() -> str:
    common = rf"(?:(?:那|这|小|老)(?:个|位|名)?)?(?:{_TITLES})(?!们)"
    return rf"(?:[{_TITLE_SURNAMES}](?:{_HONORIFICS}))(?!们)|{common}"


def guess_gender(name: str) -> str:
    """What a name or title lets one guess; empty where it tells nothing."""
    if re.search(rf"(?:{_TITLES_F})$", name) or re.match(r"(?:Mrs|Ms|Miss|Lady|Aunt|Queen|Princess|Madam)\b", name):
        return "female"
    if re.search(rf"(?:{_TITLES_M})$", name) or re.match(r"(?:Mr|Sir|Lord|Uncle|King|Prince|Father)\b", name):
        return "male"
    lowered = name.lower()
    if re.search(r"\b(?:woman|girl|mother|lady|wife|sister|aunt|daughter|queen|grandmother|waitress)$", lowered):
        return "female"
    if re.search(r"\b(?:man|boy|father|gentleman|husband|brother|uncle|son|king|grandfather|captain)$", lowered):
        return "male"
    signs = name[1:] or name
    female = sum(sign in _FEMALE_SIGNS for sign in signs)
    male = sum(sign in _MALE_SIGNS for sign in signs)
    return "female" if female > male else "male" if male > female else ""


def compatible(name: str, gender: str, pronoun: str) -> bool:
    """Whether ``name``, a person of ``gender``, may be called ``pronoun``."""
    if name in _CROWDS:
        return False
    wanted = PRONOUNS.get(pronoun, "")
    return not wanted or not gender or gender == wanted


def distinct(names: Iterable[str]) -> list[str]:
    """The names in order, each once."""
    return list(dict.fromkeys(names))
