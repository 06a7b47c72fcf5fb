"""What an instruction in plain language can honestly change in this model: pace, pitch, range of pitch and level.

Contract: ``style_of(instruction)`` finds keywords, Chinese or English, and gives the factors with a note for each thing
that was only approximated or cannot be done; no keyword at all is a note too. Several keywords multiply. The factors were
set by figures, not judged by ear, and the notes say so by the word "approximated".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from engines.base import Honour

SPEED_RANGE = (0.7, 1.15)
"""Outside of it the model drops sounds (errors rise from 1.2)."""
PITCH_RANGE = (0.9, 1.2)
SPREAD_RANGE = (0.6, 1.4)
GAIN_RANGE_DB = (-9.0, 4.0)


@dataclass(frozen=True, slots=True)
class Style:
    """Factors on speed and pitch, on the spread of pitch around its mean, and a gain. ``notes`` are for ``Speech.notes``."""

    speed: float = 1.0
    pitch: float = 1.0
    spread: float = 1.0
    gain_db: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    words: str
    speed: float = 1.0
    pitch: float = 1.0
    spread: float = 1.0
    gain_db: float = 0.0


_RULES = (
    _Rule("slow", "慢|缓|迟疑|犹豫|吞吞吐吐|(?:不要|别)(?:太|那么)快|从容不迫|slow|unhurried|leisurely|hesitant", speed=0.88),
    _Rule("fast", "(?<!别)(?<!不要)(?<!太)(?<!那么)(?<!愉)(?<!欢)(?<!轻)(?<!痛)快(?!乐|活|慰)|急促|急切|匆|fast|quick|hurried|rapid|urgent", speed=1.12),
    _Rule("loud", "大声|响亮|高声|洪亮|喊|叫道|吼|loud|shout|yell", gain_db=3.0),
    _Rule("soft", "小声|轻声|低声|柔声|轻柔|压低|soft|quiet|hushed|low voice", gain_db=-6.0),
    _Rule("sad", "悲|伤心|哀|难过|忧伤|忧郁|沮丧|凄|失落|sad|sorrow|mourn|melanchol|grief", 0.90, 0.95, 0.70, -2.0),
    _Rule("angry", "愤怒|生气|怒|恼|气愤|angr[yi]|anger|furious|rage", 1.05, 1.04, 1.25, 2.0),
    _Rule("glad", "高兴|开心|快乐|欢快|愉快|喜悦|兴奋|活泼|欣喜|轻快|happ[yi]|glad|cheerful|joy|excited|lively", 1.05, 1.08, 1.30, 1.0),
    _Rule("calm", "平静|冷静|沉稳|亲切|慈祥|平和|安静|淡然|镇定|温柔|温和|calm|serene|composed|gentle|steady", 0.93, 0.98, 0.85, -1.0),
    _Rule("stirred", "激动|激昂|振奋|慷慨|passionate|stirred|agitated", 1.04, 1.03, 1.25, 1.5),
    _Rule("afraid", "害怕|恐惧|慌张|惊恐|惊慌|颤抖|紧张|焦急|焦虑|afraid|fear|nervous|terrified|anxious", 1.06, 1.05, 1.10, -1.0),
    _Rule("surprised", "惊讶|吃惊|惊奇|诧异|surprise|astonish|amaze", 1.0, 1.08, 1.30, 1.0),
    _Rule("stern", "严肃|严厉|郑重|庄重|威严|serious|solemn|stern|grave", 0.95, 0.98, 0.85, 0.5),
    _Rule("tired", "疲惫|疲倦|无奈|虚弱|有气无力|懒洋洋|困倦|tired|weak|wear[yi]|sleepy", 0.88, 0.96, 0.75, -3.0),
    _Rule("deep", "低沉|深沉|沙哑|老者|苍老|deep|hoarse|gruff", pitch=0.93),
    _Rule("high", "高亢|尖(?:声|细|锐)|稚嫩|童声|high-pitched|shrill|childlike", pitch=1.1),
    _Rule("lively pitch", "抑扬顿挫|有感情|生动|expressive|dramatic|animated", spread=1.2),
    _Rule("flat pitch", "平淡|冷漠|冷淡|机械|面无表情|冷冷|monoton|flat|indifferent|cold", spread=0.7),
)  # fmt: skip
_UNSUPPORTED = (
    ("whisper", "耳语|悄悄|悄声|气声|whisper", _Rule("whisper", "", 0.95, 1.0, 0.8, -6.0)),
    ("crying", "哭|啜泣|哽咽|抽泣|cry|sob|weep|tearful", _Rule("crying", "", 0.90, 1.0, 0.8, -2.0)),
    ("laughter", "大笑|笑着|笑道|哈哈|laugh|giggl|chuckl", _Rule("laughter", "", 1.03, 1.05, 1.2, 0.5)),
    ("singing", "唱|sing(?:ing)?\\b|chant", None),
    (
        "dialect or accent",
        "方言|口音|粤语|广东话|四川话|川普|东北话|上海话|河南话|陕西话|天津话|闽南|台湾腔|dialect|accent|cantonese|sichuan",
        None,
    ),
)  # fmt: skip
# Right before a word it takes its force: 不要大声, not loudly.
_NEGATED = re.compile(
    r"(?:(?:不(?:要|用|能|可|必|许|太|再)?|(?<!特)别|勿|莫|没有?|无须)\w?|(?:\bnot|n['’]t|\bnever|\bwithout)\b[\s\w]{0,8})$"
)
_SILENT = re.compile(r"^[\s\W]*(?:用|以)?(?:正常|普通|自然|默认|neutral|normal|natural|default)", re.IGNORECASE)


def clamp(value: float, limits: tuple[float, float]) -> float:
    return min(max(value, limits[0]), limits[1])


@lru_cache(maxsize=1024)
def style_of(instruction: str) -> Style:
    """The honest part of ``instruction``."""
    text = instruction.strip().lower()
    if not text or _SILENT.match(text):
        return Style()
    found = [rule for rule in _RULES if _asks(rule.words, text)]
    notes: list[str] = []
    for name, words, nearest in _UNSUPPORTED:
        if _asks(words, text):
            what = "left out" if nearest is None else f"only hinted at: {_in_figures([nearest])}"
            notes.append(f"style '{instruction}': {name} cannot be done by this engine, {what}")
            if nearest is not None:
                found = [rule for rule in found if rule.name not in ("soft", "sad", "glad")] + [nearest]
    named = [rule for rule in found if rule.words]
    if named:
        names = ", ".join(rule.name for rule in named)
        notes.append(f"style '{instruction}' approximated as {names}: {_in_figures(named)}")
    if not notes:
        notes.append(f"style '{instruction}' not understood by this engine, left out")
    speed = pitch = spread = 1.0
    gain = 0.0
    for rule in found:
        speed, pitch, spread, gain = speed * rule.speed, pitch * rule.pitch, spread * rule.spread, gain + rule.gain_db
    return Style(
        speed, clamp(pitch, PITCH_RANGE), clamp(spread, SPREAD_RANGE), clamp(gain, GAIN_RANGE_DB), tuple(notes)
    )


def honours(instruction: str) -> Honour:
    """``none`` where the chief wish is beyond the model (whisper, crying, laughter, singing, a dialect) or not understood,
    even if its level or tempo hint at it; never ``full`` for a wish, since all is only approximated."""
    text = instruction.strip().lower()
    if not text or _SILENT.match(text):
        return "full"
    if any(_asks(words, text) for _, words, _ in _UNSUPPORTED):
        return "none"
    return "approximate" if any(_asks(rule.words, text) for rule in _RULES) else "none"


def _asks(words: str, text: str) -> bool:
    return any(not _NEGATED.search(text[: found.start()]) for found in re.finditer(words, text))


def _in_figures(rules: list[_Rule]) -> str:
    speed = pitch = spread = 1.0
    gain = 0.0
    for rule in rules:
        speed, pitch, spread, gain = speed * rule.speed, pitch * rule.pitch, spread * rule.spread, gain + rule.gain_db
    said = [
        f"{name} x{factor:.2f}"
        for name, factor in (("speed", speed), ("pitch", pitch), ("range", spread))
        if factor != 1.0
    ]
    if gain:
        said.append(f"gain {gain:+.0f} dB")
    return ", ".join(said)


def speed_of(wanted: float, style: Style) -> tuple[float, tuple[str, ...]]:
    """The speed the model is given, and a note where the wish was beyond what it can."""
    speed = wanted * style.speed
    held = clamp(speed, SPEED_RANGE)
    if abs(held - speed) > 1e-6:
        return held, (f"speed {speed:.2f} held at {held:.2f}: beyond it this engine drops sounds",)
    return held, ()
