"""Characters whom nobody listed: finds the personal names of a Chinese text and the forms that mean one person.

Contract: ``find_people`` is a pure function of the text and the names known already. A form counts as a name where it
opens clauses and somebody acts or speaks by it, often enough, and a dictionary does not know it as another kind of word. It
would rather miss a name than take a verb or a place for one. Nicknames (老李, 小满), titles (李师傅) and given names (云龙)
join a full name where only one person fits.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tasks.script.person_words import DOUBLE_SURNAMES, HONORIFICS, SURNAMES, guess_gender

_HAN = "\u4e00-\u9fff"
_CLAUSE_HEAD = re.compile(rf"(?<![{_HAN}A-Za-z0-9])[{_HAN}]{{2,4}}")
_FULL = re.compile(rf"(?P<s>{DOUBLE_SURNAMES}|[{SURNAMES}])(?P<g>[{_HAN}]{{1,2}})")
_TITLED = re.compile(rf"(?P<n>(?P<s>{DOUBLE_SURNAMES}|[{SURNAMES}])(?P<t>{HONORIFICS}))(?!们)")
_STYLED = re.compile(r"(?:真人|道人|道长|大师|禅师|师太|长老|上人|老祖|仙子|散人|居士|公主|殿下|王爷)$")
_DEED = re.compile(
    r"(?:[也又就便却还才正已都再只不没忙突忽猛缓慢轻低大冷淡微苦急连赶立马一]|从[^，。！？：；“”「」\n]{1,6}|[^，。！？：；“”「」\n]{1,4}[地着]){0,4}"
    r"(?:说|道(?![路理教])|问|喊|叫|答|笑|骂|哭|叹|嚷|吼|喝|嘟|嘀|点|摇|抬|低|皱|转|站|坐|走|跑|跨|迈|伸|看|望|盯|瞪|愣|怔|惊|呆|想|听|觉得|"
    r"知道|明白|沉默|拱|拔|接|拿|放|握|抱|拍|推|拉|递|掏|咬|擦|揉|挥|跳|蹲|跪|躺|睡|醒|吃|喝|哼|松|吸|闭|睁|回|心里|的(?:脸|眼|声音|手|心))"
)
_SPEAKS = re.compile(r"[^，。！？：；“”「」\n]{0,6}?(?:说|道(?![路理教])|问|喊|叫道|答|嚷|骂)")
_NEVER = re.compile(
    r"[他她它我你您们谁的了着过是在有不又也就才还说道问答喊叫笑想看听对向和跟给把被从这那很都却便再忽低轻怒急连忙慢突缓点摇抬皱站坐走转拍哭叹嘟"
    r"嚷骂喝吼补继插抢忍没么吗呢吧啊之其而与及等将已于以为上下里外后时日些个地得只一二两三四五六七八九十几每某]"
)
_NOT_TAIL = "家人头身声口手气眼面来去中间边便正接拿放伸回怔愣微拱拔睁咬淡冷高大小心要会能可又但因如若虽更最总"
_COMMON = frozenset(
    [
        "大家",
        "老师",
        "小姐",
        "老板",
        "老人",
        "老者",
        "小孩",
        "小子",
        "老爷",
        "老头",
        "老婆",
        "小声",
        "老是",
        "小心",
        "老天",
    ]
)
_SURELY = re.compile(r"[大低轻小高冷淡怒急连忙苦微笑惊]{0,2}(?:说道?|问道?|喊道?|答道?|叫道|笑道|道|曰)[：:。，]")
_ENOUGH = 400
_LONG_CHARS = 20_000
"""In a text this long one tag is not enough for a name."""
_MIN_MENTIONS = 3
_MARKS = frozenset("，。！？：；、“”…—「」『』《》（）() \n")
_SHE = re.compile(r"[^。！？“”「」\n他她]{0,24}?(?P<p>[他她])(?!们)")


@dataclass(frozen=True, slots=True)
class FoundPerson:
    """``aliases`` and ``evidence`` in the order they were found."""

    aliases: tuple[str, ...] = ()
    gender: str = ""
    evidence: tuple[str, ...] = ()


@cache
def _dictionary() -> dict[str, str]:
    """Words of two and three characters that are no names, with their kind, from jieba's dictionary."""
    import jieba

    words = {}
    with (Path(jieba.__file__).parent / "dict.txt").open(encoding="utf-8") as lines:
        for line in lines:
            word, _, kind = line.split()
            if len(word) in (2, 3) and not kind.startswith("nr"):
                words[word] = kind
    return words


class _Book:
    """A text with the places where its clauses open; every count is made once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.long = len(text) >= _LONG_CHARS
        self.opens: dict[str, list[int]] = defaultdict(list)
        """Where clauses begin with these two to four characters."""
        for match in _CLAUSE_HEAD.finditer(text):
            head = match.group()
            for size in range(2, len(head) + 1):
                self.opens[head[:size]].append(match.start())
        self._counts: dict[str, int] = {}
        self._deeds: dict[str, tuple[int, int, int, int]] = {}

    def count(self, word: str) -> int:
        if word not in self._counts:
            self._counts[word] = self.text.count(word)
        return self._counts[word]

    def deeds(self, word: str) -> tuple[int, int, int, int]:
        """How often ``word`` opens a clause, then acts, speaks, is surely the speaker; of the first few hundred times."""
        if word not in self._deeds:
            ends = [start + len(word) for start in self.opens.get(word, ())[:_ENOUGH]]
            self._deeds[word] = (
                len(ends), sum(_DEED.match(self.text, end) is not None for end in ends),
                sum(_SPEAKS.match(self.text, end) is not None for end in ends),
                sum(_SURELY.match(self.text, end) is not None for end in ends),
            )  # fmt: skip
        return self._deeds[word]


def find_people(text: str, known: Mapping[str, str], genders: Mapping[str, str]) -> dict[str, FoundPerson]:
    """The people of ``text`` by name. ``known``: forms of the cast with the names they stand for; these people are in the
    result only with further aliases. ``genders``: by name."""
    book = _Book(text)
    names = _full_names(book, known)
    nicks = _nicknames(book, known, names)
    titled = _titled(book, known)
    people: dict[str, list[str]] = {name: [] for name in dict.fromkeys([*known.values(), *names])}
    evidence: dict[str, list[str]] = defaultdict(list)
    taken = {*known, *names}
    for short, owner in _given_names(book, [*known.values(), *names], taken):
        people[owner].append(short)
        evidence[owner].append(f"{short}: given name of {owner}")
        taken.add(short)
    for form, surname, female in [*((n, n[1:], None) for n in nicks if n[0] in "老小"), *titled]:
        owners = [name for name in people if name.startswith(surname) and len(name) > len(surname)]
        owners = [name for name in owners if not _HONORIFIC_TAIL.search(name)]
        sex = None
        if len(owners) == 1:
            sex = genders.get(owners[0]) or guess_gender(owners[0])
        if len(owners) == 1 and not (female and sex and sex != female):
            people[owners[0]].append(form)
            evidence[owners[0]].append(f"{form}: the only {surname} of the text")
        elif form not in taken:
            people[form] = []
        taken.add(form)
    for form in nicks:
        if form not in taken:
            people[form] = []
            taken.add(form)
    for form in [*_styled(book, taken), *_bare_names(book, taken)]:
        people[form] = []
        taken.add(form)
    out = {}
    for name, aliases in people.items():
        if name in known.values() and not aliases:
            continue
        gender = genders.get(name, "")
        if not gender:
            gender, why = _gender(book, [name, *aliases])
            if why:
                evidence[name].append(why)
        out[name] = FoundPerson(tuple(aliases), gender, tuple(evidence[name]))
    return out


_HONORIFIC_TAIL = re.compile(rf"(?:{HONORIFICS})$")


def _is_name(book: _Book, word: str) -> bool:
    opens, acts, speaks, sure = book.deeds(word)
    if word in _COMMON or not opens:
        return False
    if sure >= (2 if book.long else 1) and word not in _dictionary():
        return True
    if len(word) == 3 and word[0] in SURNAMES and (given := word[1:]) not in _dictionary():
        more = book.deeds(given)
        if more[1] >= 0.2 * more[0]:
            opens, acts, speaks = opens + more[0], acts + more[1], speaks + more[2]
    if book.long and not speaks:
        return False  # whoever never speaks needs no voice
    if not (acts >= 2 and acts + speaks >= 0.15 * opens) or (mentions := book.count(word)) < (
        _MIN_MENTIONS if book.long else 2
    ):
        return False
    return word not in _dictionary() or (speaks >= 4 and speaks >= 0.3 * opens and mentions >= 8)


def _full_names(book: _Book, known: Mapping[str, str]) -> list[str]:
    least = 2 if book.long else 1
    words = [
        word for word, places in book.opens.items()
        if len(places) >= least and (match := _FULL.fullmatch(word)) and not _NEVER.search(match["g"])
        and word[-1] not in _NOT_TAIL and word not in known and not any(one.startswith(word) for one in known)
    ]  # fmt: skip
    out: list[str] = []
    for word in sorted(words, key=lambda one: (-len(one), -len(book.opens[one]), one)):
        if not _is_name(book, word):
            continue
        longer = sum(book.count(one) for one in out if one.startswith(word) and one != word)
        if longer * 2 < book.count(word) and not _is_part(book, word[:-1], word):
            out.append(word)
    return sorted(out, key=lambda one: (-book.count(one), one))


def _is_part(book: _Book, shorter: str, word: str) -> bool:
    """Whether ``shorter`` is the name and what follows it only the next word: then many different signs follow it."""
    if len(shorter) < 2 or book.count(word) * 2 >= book.count(shorter):
        return False
    follow = Counter(match.group(1) for match in re.finditer(rf"{shorter}(.)", book.text))
    go_on = sum(number for sign, number in follow.most_common(6) if not _NEVER.match(sign) and sign not in _MARKS)
    return go_on < 0.6 * sum(follow.values()) and _is_name(book, shorter)


def _nicknames(book: _Book, known: Mapping[str, str], names: list[str]) -> list[str]:
    inside = [*known, *names]
    words = [
        word for word in book.opens
        if len(word) == 2 and word[0] in "老小阿" and word not in known and not _NEVER.search(word[1])
        and word[1] not in _NOT_TAIL and not any(word in one for one in inside) and _is_name(book, word)
    ]  # fmt: skip
    return sorted(words, key=lambda one: (-book.count(one), one))


def _titled(book: _Book, known: Mapping[str, str]) -> list[tuple[str, str, str]]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for match in _TITLED.finditer(book.text):
        counts[match["n"], match["s"], guess_gender(match["t"])] += 1
    return [
        key for key, times in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if times >= _MIN_MENTIONS and key[0] not in known and book.deeds(key[0])[1] >= 2 and (book.deeds(key[0])[2] or not book.long)
    ]  # fmt: skip


def _given_names(book: _Book, full: list[str], taken: set[str]) -> list[tuple[str, str]]:
    """(given name, full name) where the given name stands alone and only one person has it."""
    owners: dict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(full):
        match = re.fullmatch(rf"(?:{DOUBLE_SURNAMES}|[{SURNAMES}])(?P<g>[{_HAN}]{{2}})", name)
        if match:
            owners[match["g"]].append(name)
    return [
        (given, names[0]) for given, names in owners.items()
        if len(names) == 1 and given not in taken and book.deeds(given)[1] >= (2 if given not in _dictionary() else 5)
    ]  # fmt: skip


def _styled(book: _Book, taken: set[str]) -> list[str]:
    """玄阳真人, 慧明禅师: names of four signs with the title in them."""
    return [
        word for word, places in sorted(book.opens.items(), key=lambda item: (-len(item[1]), item[0]))
        if len(word) == 4 and _STYLED.search(word) and word not in taken and not _NEVER.search(word[:2])
        and len(places) >= 2 and book.deeds(word)[1] >= 2
    ]  # fmt: skip


def _bare_names(book: _Book, taken: set[str]) -> list[str]:
    """Names without a surname, by what they say: more is asked of them."""
    inside = "\n".join(taken)
    out = []
    for word, places in sorted(book.opens.items(), key=lambda item: (-len(item[1]), item[0])):
        if (
            len(places) >= _MIN_MENTIONS and len(word) == 2 and word not in inside and not _NEVER.search(word)
            and word[-1] not in _NOT_TAIL and word not in _dictionary() and word not in _COMMON
        ):  # fmt: skip
            opens, acts, speaks, sure = book.deeds(word)
            if speaks >= 3 and sure and acts + speaks >= 0.4 * opens:
                out.append(word)
    return out


def _gender(book: _Book, forms: list[str]) -> tuple[str, str]:
    """The gender of somebody, and what says so: a title, the pronouns that follow, the signs of the name."""
    for form in forms:
        if _HONORIFIC_TAIL.search(form) and (gender := guess_gender(form)):
            return gender, f"{form}: {gender} title"
    votes = Counter(
        match["p"] for form in forms for place in book.opens.get(form, ())[:_ENOUGH]
        if (match := _SHE.match(book.text, place + len(form)))
    )  # fmt: skip
    he, she = votes["他"], votes["她"]
    if he + she >= 2 and max(he, she) >= 0.75 * (he + she):
        return ("male", f"他 follows {he} of {he + she} times") if he > she else (
            "female", f"她 follows {she} of {he + she} times",
        )  # fmt: skip
    gender = guess_gender(forms[0])
    return gender, f"{forms[0]} sounds {gender}" if gender else ""
