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
_OPEN = rf"(?<![{_HAN}A-Za-z0-9])"
_FULL = re.compile(rf"{_OPEN}(?P<s>{DOUBLE_SURNAMES}|[{SURNAMES}])(?P<g>[{_HAN}]{{1,2}})")
_BARE = re.compile(
    rf"{_OPEN}(?P<n>[{_HAN}]{{2}})(?=[^，。！？：；“”「」\n]{{0,6}}?(?:说|问|喊|答|笑|叫|道)[着了]?道?[：，。])"
)
_NICK = re.compile(rf"(?P<n>[老小阿][{_HAN}])")
_TITLED = re.compile(rf"(?P<n>(?P<s>{DOUBLE_SURNAMES}|[{SURNAMES}])(?P<t>{HONORIFICS}))(?!们)")
_DEED = re.compile(
    r"(?:[也又就便却还才正已都再只不没忙突忽猛缓慢轻低大冷淡微苦急连赶立马]|[^，。！？：；“”「」\n]{1,4}[地着])*"
    r"(?:说|道(?![路理教])|问|喊|叫|答|笑|骂|哭|叹|嚷|吼|喝|嘟|嘀|点|摇|抬|低|皱|转|站|坐|走|跑|伸|看|望|盯|瞪|愣|怔|呆|想|听|觉得|"
    r"知道|明白|沉默|拱|拔|接|拿|放|握|抱|拍|推|拉|递|掏|咬|擦|揉|挥|跳|蹲|跪|躺|睡|醒|吃|喝|哼|松|吸|闭|睁|回|心里|的(?:脸|眼|声音|手|心))"
)
_SPEAKS = re.compile(r"[^，。！？：；“”「」\n]{0,6}?(?:说|道(?![路理教])|问|喊|叫道|答|嚷|骂)")
_NEVER = re.compile(
    r"[他她它我你您们谁的了着过是在有不又也就才还说道问答喊叫笑想看听对向和跟给把被从这那很都却便再忽低轻怒急连忙慢突缓点摇抬皱站坐走转拍哭叹嘟"
    r"嚷骂喝吼补继插抢忍没么吗呢吧啊之其而与及等将已于以为上下里外后时日些个只一二两三四五六七八九十几每某]"
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
_SURELY = r"[大低轻小高冷淡怒急连忙苦微笑惊]{0,2}(?:说道?|问道?|喊道?|答道?|叫道|笑道|道|曰)[：:。，]"
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


def find_people(text: str, known: Mapping[str, str], genders: Mapping[str, str]) -> dict[str, FoundPerson]:
    """The people of ``text`` by name. ``known``: forms of the cast with the names they stand for; these people are in the
    result only with further aliases. ``genders``: by name."""
    names = _full_names(text, known)
    nicks = _nicknames(text, known, names)
    titled = _titled(text, known)
    people: dict[str, list[str]] = {name: [] for name in dict.fromkeys([*known.values(), *names])}
    evidence: dict[str, list[str]] = defaultdict(list)
    taken = {*known, *names}
    for short, owner in _given_names(text, [*known.values(), *names], taken):
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
    for form in _bare_names(text, taken):
        people[form] = []
        taken.add(form)
    out = {}
    for name, aliases in people.items():
        if name in known.values() and not aliases:
            continue
        gender = genders.get(name, "")
        if not gender:
            gender, why = _gender(text, [name, *aliases])
            if why:
                evidence[name].append(why)
        out[name] = FoundPerson(tuple(aliases), gender, tuple(evidence[name]))
    return out


_HONORIFIC_TAIL = re.compile(rf"(?:{HONORIFICS})$")


def _acts(text: str, word: str, least: int) -> tuple[int, int, int]:
    """How often ``word`` opens a clause, then acts, then speaks."""
    opens = acts = speaks = 0
    for match in re.finditer(rf"{_OPEN}{word}", text):
        opens += 1
        acts += _DEED.match(text, match.end()) is not None
        speaks += _SPEAKS.match(text, match.end()) is not None
        if opens >= 400:
            break
    return (opens, acts, speaks) if opens >= least else (opens, 0, 0)


def _is_name(text: str, word: str, mentions: int) -> bool:
    if word in _COMMON:
        return False
    sure = sum(1 for _ in re.finditer(rf"{_OPEN}{word}{_SURELY}", text))
    if sure >= (1 if len(text) < _LONG_CHARS else 2) and word not in _dictionary():
        return True
    if mentions < _MIN_MENTIONS:
        return False
    opens, acts, speaks = _acts(text, word, 2)
    if len(word) == 3 and word[0] in SURNAMES and (given := word[1:]) not in _dictionary():
        more = _acts(text, given, 2)
        if more[1] >= 0.2 * more[0]:
            opens, acts, speaks = opens + more[0], acts + more[1], speaks + more[2]
    if not (acts >= 2 and acts + speaks >= 0.15 * opens):
        return False
    return word not in _dictionary() or (speaks >= 4 and speaks >= 0.3 * opens and mentions >= 8)


def _full_names(text: str, known: Mapping[str, str]) -> list[str]:
    starts: Counter[str] = Counter()
    for match in _FULL.finditer(text):
        surname, given = match["s"], match["g"]
        for size in range(1, len(given) + 1):
            if not _NEVER.search(given[:size]):
                starts[surname + given[:size]] += 1
    out: list[str] = []
    counts: dict[str, int] = {}
    for word, times in sorted(starts.items(), key=lambda item: (-len(item[0]), -item[1], item[0])):
        if (
            word in known
            or (times < 2 and len(text) >= _LONG_CHARS)
            or any(one.startswith(word) and one in known for one in known)
        ):
            continue
        counts[word] = text.count(word)
        longer = sum(counts[one] for one in out if one.startswith(word) and one != word)
        if longer * 2 >= counts[word]:
            continue
        if len(word) > 2 and word[-1] in _NOT_TAIL:
            continue
        if len(word) > 2 and _is_part(text, word[:-1], counts[word]):
            continue
        if len(word) == 2 and word[-1] in _NOT_TAIL:
            continue
        if _is_name(text, word, counts[word]):
            out.append(word)
    return sorted(out, key=lambda one: (-counts[one], one))


def _is_part(text: str, shorter: str, mentions: int) -> bool:
    """Whether ``shorter`` is the name and what follows it only the next word: then many different signs follow it."""
    if len(shorter) < 2:
        return False
    follow = Counter(match.group(1) for match in re.finditer(rf"{shorter}(.)", text))
    times = sum(follow.values())
    names_go_on = sum(number for sign, number in follow.most_common(6) if not _NEVER.match(sign) and sign not in _MARKS)
    return names_go_on < 0.6 * times and mentions * 2 < times and _is_name(text, shorter, times)


def _nicknames(text: str, known: Mapping[str, str], names: list[str]) -> list[str]:
    counts = Counter(match["n"] for match in _NICK.finditer(text))
    inside = [*known, *names]
    return [
        word for word, times in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if word not in known and not _NEVER.search(word[1]) and word[1] not in _NOT_TAIL
        and not any(word in one for one in inside) and _is_name(text, word, times)
    ]  # fmt: skip


def _titled(text: str, known: Mapping[str, str]) -> list[tuple[str, str, str]]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for match in _TITLED.finditer(text):
        counts[match["n"], match["s"], guess_gender(match["t"])] += 1
    return [
        key for key, times in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if times >= _MIN_MENTIONS and key[0] not in known and _acts(text, key[0], 2)[1] >= 2
    ]  # fmt: skip


def _given_names(text: str, full: list[str], taken: set[str]) -> list[tuple[str, str]]:
    """(given name, full name) where the given name stands alone and only one person has it."""
    owners: dict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(full):
        match = re.fullmatch(rf"(?:{DOUBLE_SURNAMES}|[{SURNAMES}])(?P<g>[{_HAN}]{{2}})", name)
        if match:
            owners[match["g"]].append(name)
    out = []
    for given, names in owners.items():
        if (
            len(names) == 1
            and given not in taken
            and _acts(text, given, 2)[1] >= (2 if given not in _dictionary() else 5)
        ):
            out.append((given, names[0]))
    return out


def _bare_names(text: str, taken: set[str]) -> list[str]:
    """Names without a surname, by what they say: more is asked of them."""
    counts = Counter(match["n"] for match in _BARE.finditer(text))
    out = []
    for word, times in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if (
            times >= _MIN_MENTIONS and word not in taken and not _NEVER.search(word) and word[-1] not in _NOT_TAIL
            and word not in _dictionary() and word not in _COMMON and not any(word in one for one in taken)
        ):  # fmt: skip
            opens, acts, speaks = _acts(text, word, 3)
            if speaks >= 3 and acts * 2 >= opens:
                out.append(word)
    return out


def _gender(text: str, forms: list[str]) -> tuple[str, str]:
    """The gender of somebody, and what says so: a title, the pronouns that follow, the signs of the name."""
    for form in forms:
        if _HONORIFIC_TAIL.search(form) and (gender := guess_gender(form)):
            return gender, f"{form}: {gender} title"
    votes = Counter(
        match["p"] for form in forms for place in re.finditer(_OPEN + form, text)
        if (match := _SHE.match(text, place.end()))
    )  # fmt: skip
    he, she = votes["他"], votes["她"]
    if he + she >= 2 and max(he, she) >= 0.75 * (he + she):
        return ("male", f"他 follows {he} of {he + she} times") if he > she else (
            "female", f"她 follows {she} of {he + she} times",
        )  # fmt: skip
    gender = guess_gender(forms[0])
    return gender, f"{forms[0]} sounds {gender}" if gender else ""
