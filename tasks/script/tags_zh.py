"""Chinese speech tags: which words around a quotation say who speaks.

Pure functions on the narration before and after a quotation; ``attribute`` puts them together.
"""

from __future__ import annotations

import re

from tasks.script.names import Mention, Names

_DAO_HEADS = "说问答喊叫笑怒喝吼骂叹哭嚷念嘀咕嘟囔低喃冷沉急惊回应解释补充继续反驳命令吩咐介绍提醒劝嘱咐赞喃追质反"
VERB = re.compile(
    r"(?<![听小据传虽再学照别俗话胡难诉])说(?!不定|不得|不上|法|明书|是非|实话|来话长|服)"
    r"|(?<![疑访学提请发质盘责顾])问(?!题|候语|世)|追问|质问|发问|盘问|询问|反问"
    r"|(?<![知味难渠街轨频赤管隧铁公同报通人大小水山栈])道(?=[：:，,。！？!…；]|$)"
    r"|喊|(?<![名大小])叫(?:道|着|起来|了起来|喊|嚷)|(?<![名])叫(?=[：:，。])|嚷|吼|骂|喝(?:道|问|止)|怒斥|厉声|吆喝|回答|答(?:道|应|话)|(?<![回报对])答(?=[：:，。])|应道|应了?一?声|回应|回道"
    r"|嘟囔|嘀咕|喃喃|嗫嚅|支吾|低语|耳语|插嘴|插话|接话|接口|接过话|搭腔|帮腔|开口|开腔|发话|补充|解释|反驳|辩解|争辩"
    r"|笑(?:道|着|说)|(?:苦|冷|大|微|狂|嘿嘿|哈哈)笑(?=[：:，。一])|叹(?:道|息|了口气|气)|感叹|哭(?:道|着|喊|诉)|哽咽|央求|哀求|恳求|请求|乞求|吩咐|命令|下令|嘱咐|叮嘱|叮咛"
    r"|提醒|警告|劝(?:道|说|解|慰)?(?=[：:，。他她])|安慰|鼓励|催促|催(?=[：:，。他她])|建议|提议|宣布|声明|表示|承认|告诉|介绍|打招呼|招呼|抱怨|埋怨|责备|责怪|夸|赞(?:道|叹|许)|评论|附和|禀(?:告|报)|报告|汇报|念(?:道|叨)|沉吟|自语|自言自语|惊呼|惊叫|尖叫|呼(?:喊|唤|道)|高呼|怪叫|讥讽|嘲笑|讽刺|挖苦|调侃|打趣|逗(?=[：:，。])"
)
_OBJECT_BEFORE = re.compile(
    r"(?:对着?|向着?|朝着?|跟着?|和|与|同|给|把|被|将|让|叫|请|看着?|望着?|瞪着?|盯着?|冲着?|拉着?|扶着?|抱着?|问|告诉|看了|望了|瞪了|指着|听|听了|听到|见|见到|看见|看到|拍拍|拍了拍|搂着|身边的|面前的|旁边的)(?:[一眼了]*)$"
)
_TO_SUCH = re.compile(r"(?:对|向|朝|冲)(?!着?于)[^，。：！？]{1,14}的$")
"""对站在门口的林晓说: who is spoken to, with what is said of him."""
_REACH = 40
"""Characters; more than the patterns here can hold."""
_POSSESSIVE = re.compile(r"(?:的|这边|那边|身[边上后旁]|面前|心里的|家里?的|脸上|手[里中])")
_TO = re.compile(
    r"(?:对着?|向着?|朝着?|跟|和|冲着?|追?问|询问|告诉|回答|劝|安慰|提醒|吩咐|嘱咐|催|反驳|埋怨|责备|数落|命令|央求|请求)$"
)
_CLAUSE = re.compile(r"(?<=[，,；])")
_SENTENCE = re.compile(r"[^。．！？!?…；]*[。．！？!?…；]*[”’」』]*")
_SAYER_IS = re.compile(
    r"(?:说(?:这)?话的(?:人)?|开口的(?:人)?|问话的|喊话的|回答的)(?:人)?(?:正|竟|竟然|不是别人，正)?是"
)


def sentences(text: str) -> list[str]:
    """The sentences of ``text`` in order."""
    return [part for part in _SENTENCE.findall(text) if part.strip()]


def _before(clause: str, mention: Mention) -> str:
    """As much of the words before a mention as can say what it is; a clause may be as long as a book."""
    return clause[max(0, mention.start - _REACH) : mention.start]


def subject(clause: str, names: Names) -> Mention | None:
    """The first mention that can be the subject of ``clause``: neither object nor possessor (but of a voice)."""
    for mention in names.mentions(clause):
        before, after = _before(clause, mention), clause[mention.end : mention.end + _REACH]
        if (_OBJECT_BEFORE.search(before) and not before.endswith(("，", "。"))) or _TO_SUCH.search(before):
            continue
        if _POSSESSIVE.match(after) and not after.startswith(("的时候", "的声音")):
            continue
        return mention
    return None


def addressee(clause: str, names: Names) -> Mention | None:
    """Who is spoken to: 对她说, 问林晓, 告诉他, 对站在门口的林晓说."""
    for mention in names.mentions(clause):
        before = _before(clause, mention)
        if _TO.search(before) or (_TO_SUCH.search(before) and VERB.search(clause, mention.end)):
            return mention
    return None


def last_subject(sentence: str, names: Names) -> Mention | None:
    """The subject of the last clause that names one: who a pronoun of the next sentence is likely to be."""
    for clause in reversed(_CLAUSE.split(sentence)):
        if clause and (who := subject(clause, names)):
            return who
    return None


def after_tag(after: str, names: Names, next_is_quote: bool) -> tuple[Mention, str] | None:
    """The tag right after a quotation: (who, its words), or ``None``."""
    parts = sentences(after)
    if not parts:
        return None
    first = parts[0]
    if first.rstrip()[-1:] in "：:" and next_is_quote:
        return None  # it introduces what follows
    if match := _SAYER_IS.search(first):
        rest = names.mentions(first[match.end() :])
        if rest:
            return rest[0], first
    verb = VERB.search(first)
    if verb is None or verb.start() > 40:
        return None
    who = subject(first[: verb.start()], names)
    if who is None and verb.start() <= 12 and not names.mentions(first[: verb.start()]):
        return None
    return (who, first) if who else None


def before_tag(before: str, names: Names) -> tuple[Mention | None, str, bool] | None:
    """The tag right before a quotation: (who if named, its words, whether it surely introduces), or ``None``."""
    parts = sentences(before)
    if not parts:
        return None
    last = parts[-1].rstrip()
    sure = last[-1:] in "：:"
    verb = None
    for verb in VERB.finditer(last):  # noqa: B007 - the last one counts
        pass
    near = verb is not None and len(last) - verb.end() <= 10
    if not sure and not (near and last[-1:] not in "。．！？!?…；"):
        return None
    who = None
    if verb is not None:
        clauses = re.split(r"(?<=[，,])", last[: verb.start()])
        # The clause of the verb first, then those before it.
        for clause in reversed(clauses):
            who = subject(clause, names)
            if who:
                break
    who = who or subject(last, names)
    if who is None and len(parts) > 1:
        who = subject(parts[-2], names)
    return who, last, sure


def acting(text: str, names: Names, from_end: bool) -> Mention | None:
    """Who acts in the sentence that touches the quotation (its neighbour where that names nobody)."""
    parts = sentences(text)
    near = parts[::-1][:2] if from_end else parts[:1]
    for part in near:
        who = subject(part, names)
        if who:
            return who
    return None
