"""English speech tags: which words around a quotation say who speaks. The twin of ``tags_zh``."""

from __future__ import annotations

import re

from tasks.script.names import Mention, Names

_VERBS = (
    "said|says|say|asked|asks|replied|replies|answered|answers|whispered|whispers|shouted|shouts|cried|cries|called|exclaimed|"
    "murmured|muttered|yelled|added|continued|went on|began|explained|declared|announced|insisted|demanded|repeated|returned|"
    "responded|remarked|observed|suggested|agreed|admitted|protested|warned|begged|pleaded|sighed|laughed|growled|snapped|"
    "snarled|hissed|groaned|moaned|sobbed|screamed|roared|thundered|gasped|breathed|wondered|inquired|enquired|interrupted|"
    "put in|told|ordered|commanded|urged|promised|complained|grumbled|chuckled|stammered|mumbled|offered|confessed|concluded|thought"
)
_NAME = r"(?:(?:Mr|Mrs|Ms|Dr|St|Prof|Capt)\.?\s|Miss\s|Sir\s|Lady\s|Lord\s|Captain\s|Aunt\s|Uncle\s|Old\s|Young\s)?[A-Z][a-zà-ÿ]+(?:[-'’][A-Z][a-z]+)?(?:\s[A-Z][a-zà-ÿ]+)?"
_NOUN = r"(?:[Tt]he|[Hh]is|[Hh]er|[Mm]y|[Aa]n?)\s(?:[a-z-]+\s){0,2}[a-z-]+"
_PRONOUN = r"[Hh]e|[Ss]he|I\b|[Tt]hey|[Ww]e"
_NOT_A_NAME = r"(?!(?:The|He|She|It|They|We|You|But|And|Then|So|When|As|There|This|That|At|In|On|What|Who|Why|How|No|Yes|Oh|Well|Not|His|Her|My|Now|If|For|After|Before|Chapter)\b)"
LEARN = re.compile(
    rf"(?:\b(?:{_VERBS})\s{_NOT_A_NAME}(?P<n>{_NAME})|{_NOT_A_NAME}\b(?P<n2>{_NAME})\s(?:[a-z]+ly\s)?(?:{_VERBS})\b)"
)
VERB = re.compile(rf"\b(?:{_VERBS})\b")
_AFTER = re.compile(
    rf"^[\s—–-]*(?:(?P<v>{_VERBS})\s(?:[a-z]+ly\s)?(?P<s>{_PRONOUN}|{_NOT_A_NAME}{_NAME}|{_NOUN})(?![a-z])"
    rf"|(?P<s2>{_PRONOUN}|{_NOT_A_NAME}{_NAME}|{_NOUN}?)\s(?:(?:had|then|only|just|almost|[a-z]+ly)\s){{0,2}}(?P<v2>{_VERBS})\b)"
)
_BEFORE = re.compile(
    rf"(?P<s>{_PRONOUN}|{_NOT_A_NAME}{_NAME}|{_NOUN})\s(?:[a-z]+\s){{0,3}}?(?P<v>{_VERBS})\b(?P<rest>[^.!?]*)[,:]\s*$"
)
_SENTENCE = re.compile(r"(?:[^.!?]|(?<=Mr)\.|(?<=Mrs)\.|(?<=Dr)\.|(?<=Ms)\.)*[.!?]*[”\"’]*\s*")
_OBJECT_BEFORE = re.compile(
    r"\b(?:at|to|with|for|of|from|by|told|asked|saw|and|behind|beside|near|toward|towards|about|watched|behind)\s$"
)

_REACH = 40
"""Characters; more than the pattern above can hold."""


def sentences(text: str) -> list[str]:
    """The sentences of ``text`` in order."""
    return [part for part in _SENTENCE.findall(text) if part.strip()]


def _mention(words: str, at: int, names: Names) -> Mention:
    lower = words.lower()
    if lower in ("he", "she", "i"):
        return Mention(at, at + len(words), lower, True)
    found = [m for m in names.mentions(words) if not m.pronoun]
    name = found[0].name if found else re.sub(r"^(?:The|His|Her|My|An?)\b", lambda m: m.group().lower(), words)
    return Mention(at, at + len(words), name, False)


def subject(clause: str, names: Names) -> Mention | None:
    """The first mention that can be the subject of ``clause``."""
    for mention in names.mentions(clause):
        if not _OBJECT_BEFORE.search(clause[max(0, mention.start - _REACH) : mention.start]):
            return mention
    return None


def addressee(clause: str, names: Names) -> Mention | None:
    """Who is spoken to: said to Anna, asked Tom, told him."""
    match = re.search(r"\b(?:to|asked|told|at)\s+(?=[A-Z])", clause)
    if match is None:
        return None
    found = [m for m in names.mentions(clause[match.end() :]) if m.start == 0]
    return found[0] if found else None


def after_tag(after: str, names: Names, next_is_quote: bool) -> tuple[Mention, str] | None:
    """The tag right after a quotation: (who, its words), or ``None``."""
    match = _AFTER.match(after)
    if match is None:
        return None
    end = re.search(r"[.!?]", after[match.end() :])
    words = after[: match.end() + (end.end() if end else len(after))]
    group = "s" if match["s"] else "s2"
    if not match[group] or match[group].lower() in ("they", "we"):
        return None
    return _mention(match[group], match.start(group), names), words


def before_tag(before: str, names: Names) -> tuple[Mention | None, str, bool] | None:
    """The tag right before a quotation: (who if named, its words, whether it surely introduces), or ``None``."""
    parts = sentences(before)
    if not parts:
        return None
    last = parts[-1].rstrip()
    match = _BEFORE.search(last)
    if match and match["s"].lower() not in ("they", "we"):
        who = _mention(match["s"], match.start("s"), names)
        if _OBJECT_BEFORE.search(last[: match.start("s")]):
            who = subject(last, names) or who
        return who, last, True
    if last[-1:] in ",:" and VERB.search(last):
        return subject(last, names), last, last[-1:] == ":"
    return None


def acting(text: str, names: Names, from_end: bool) -> Mention | None:
    """Who acts in the sentence that touches the quotation."""
    parts = sentences(text)
    for part in parts[::-1][:2] if from_end else parts[:1]:
        who = subject(part, names)
        if who:
            return who
    return None
