"""CosyVoice3's inline form of readings: ``她[h][ào]干净``, ``[M][AY0][N][UW1][T]``.

Contract: ``annotate`` puts a reading in a character's place, as one token for the initial and one for the final with
its tone mark (a syllable without initial is one token), and ARPAbet phones in an English word's place. Only tokens
that the model's tokenizer has are used: it reads an unknown bracket as ordinary text. A reading that cannot be
written in them (erhua, a few rare syllables) leaves the character as it is. ``parse`` is the inverse: it lays an
annotated text beside the spoken text and gives the readings, or says where the two part. In what a person writes,
a whole syllable in one bracket (``[hao4]``, ``[hào]``, ``[er5]``) is understood too.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from common.errors import VoicepressError
from tasks.domain import Reading
from tasks.script.lexicon import ARPABET
from tasks.script.phrases import is_han
from tasks.script.pinyin import accented, split, to_digits

_INITIALS = "b p m f d t n l g k h j q x zh ch sh r z c s y w"
_FINALS = """
a ai an ang ao e ei en eng i ian in ing iu o ong ou u uang ue un uo vè
ā āi ān āng āo ē ēi ēn ēng ī iā iān iāng iāo iē īn īng iōng iū ō ōng ōu ū uā uāi uān uāng uē uī ūn uō
á ái án áng áo é éi én éng ér í iá ián iáng iáo ié ín íng ióng iú ó óng óu ú uá uái uán uáng ué uí ún uó ǘ
ǎ ǎi ǎn ǎng ǎo ě ěi ěn ěng ěr ǐ iǎ iǎn iǎng iǎo iě ǐn ǐng iǒng iǔ ǒ ǒng ǒu ǔ uǎ uǎi uǎn uǎng uě uǐ ǔn uǒ ǚ
à ài àn àng ào è èi èn èng èr ì ià iàn iàng iào iè ìn ìng iòng iù ò òng òu ù uà uài uàn uàng uè uì ùn uò ǜ
"""
INITIALS = frozenset(_INITIALS.split())
FINALS = frozenset(_FINALS.split())
"""The tokens of the released tokenizer for parts of a pinyin syllable."""

TAGS = frozenset(
    [
        "breath",
        "quick_breath",
        "laughter",
        "cough",
        "clucking",
        "accent",
        "noise",
        "hissing",
        "sigh",
        "vocalized-noise",
        "lipsmack",
        "mn",
    ]
)
"""Bracketed sounds of the model that a spoken text may hold; they are no readings."""

_BRACKET = re.compile(r"\[([^\[\]]*)\]")
_WORD_ENDS = re.compile(r"[A-Za-z0-9]+(?:['’.\- ]+[A-Za-z0-9]+)*")


@lru_cache(maxsize=4096)
def tokens(phones: str) -> str:
    """A reading as bracketed tokens: ``hao4`` -> ``[h][ào]``, ``M AY0`` -> ``[M][AY0]``; empty if it cannot be written."""
    if phones[:1].isupper():
        return "".join(f"[{phone}]" for phone in phones.split())
    initial, final, tone = split(phones)
    marked = accented(final, tone)
    if marked not in FINALS or (initial and initial not in INITIALS):
        return ""
    return (f"[{initial}]" if initial else "") + f"[{marked}]"


def annotate(spoken: str, readings: Sequence[Reading], everything: bool = False) -> str:
    """``spoken`` with those of ``readings`` written into it that are worth forcing, or all of them."""
    parts, done = [], 0
    for reading in readings:
        if not (everything or reading.annotate) or reading.start < done:
            continue
        written = tokens(reading.phones)
        if written:
            parts += [spoken[done : reading.start], written]
            done = reading.end
    return "".join(parts) + spoken[done:]


def parse(annotated: str, spoken: str) -> tuple[Reading, ...]:
    """The readings in ``annotated``, placed in ``spoken``; origin ``user``, to be forced.

    Raises ``VoicepressError`` ``bad-reading`` where a bracket is no reading, or the two texts do not belong together.
    """
    found: list[Reading] = []
    here, there = 0, 0
    while here < len(annotated):
        bracket = _BRACKET.match(annotated, here)
        if bracket and not (spoken.startswith(bracket.group(), there)):
            here, reading = _reading(annotated, here, spoken, there)
            found.append(reading)
            there = reading.end
        elif there < len(spoken) and annotated[here] == spoken[there]:
            here, there = here + 1, there + 1
        else:
            raise _apart(annotated, here, spoken, there)
    if there != len(spoken):
        raise _apart(annotated, here, spoken, there)
    return tuple(found)


def _reading(annotated: str, here: int, spoken: str, there: int) -> tuple[int, Reading]:
    """The reading whose brackets begin at ``here``, for what stands at ``there``; and where its brackets end."""
    names: list[str] = []
    ends: list[int] = []
    place = here
    while bracket := _BRACKET.match(annotated, place):
        names.append(unicodedata.normalize("NFC", bracket.group(1)))
        place = bracket.end()
        ends.append(place)
    if there < len(spoken) and is_han(spoken[there]):
        used, phones = _syllable(names)
        return ends[used - 1], Reading(there, there + 1, phones, "user", True)
    count = 0
    while count < len(names) and names[count] in ARPABET:
        count += 1
    if count == 0:
        raise _no_token(names[0])
    word = _WORD_ENDS.match(spoken, there)
    if word is None:
        raise _apart(annotated, here, spoken, there)
    end = _word_end(annotated, ends[count - 1], spoken, word)
    return ends[count - 1], Reading(there, end, " ".join(names[:count]), "user", True)


def _syllable(names: list[str]) -> tuple[int, str]:
    """How many brackets the first syllable takes, and its reading in house notation."""
    first = names[0]
    if first in INITIALS and len(names) > 1 and (phones := _joined(first, names[1])):
        return 2, phones
    whole = _joined("", first)
    if whole:
        return 1, whole
    if first in INITIALS:
        second = (
            f", and '[{names[1]}]' after it does not make a syllable" if len(names) > 1 else " without a final after it"
        )
        raise VoicepressError("bad-reading", f"'[{first}]' is an initial{second}", hint=_HINT)
    raise _no_token(first)


def _joined(initial: str, final: str) -> str | None:
    if not final or (initial and final in INITIALS and final not in FINALS):
        return None
    return to_digits(initial + final)


def _word_end(annotated: str, here: int, spoken: str, word: re.Match[str]) -> int:
    """Where the English word ends whose phones were read: as far as the texts agree again, the first word if in doubt."""
    rest = annotated[here : here + 1]
    ends = [found.end() for found in re.finditer(r"[A-Za-z0-9]+", spoken[: word.end()]) if found.end() > word.start()]
    first = ends[0]
    tail = annotated[here:]
    if (
        "[" not in tail
        and len(tail) <= len(spoken)
        and spoken.endswith(tail)
        and len(spoken) - len(tail) > word.start()
    ):
        return len(spoken) - len(tail)
    for end in ends:
        if rest == "[" or spoken[end : end + 1] == rest:
            return end
    for end in range(word.start() + 1, word.end()):
        if spoken[end] == rest:
            return end
    return first


_HINT = "write for example 她[h][ào]干净, [M][AY0][N][UW1][T], or a whole syllable: 她[hao4]干净"


def _no_token(name: str) -> VoicepressError:
    near = difflib.get_close_matches(name, sorted(FINALS | INITIALS | ARPABET), n=1, cutoff=0.5)
    hint = f"did you mean '[{near[0]}]'? " if near else ""
    return VoicepressError(
        "bad-reading", f"'[{name}]' is neither a part of a pinyin syllable nor an ARPAbet phone", hint=hint + _HINT
    )


def _apart(annotated: str, here: int, spoken: str, there: int) -> VoicepressError:
    left, right = annotated[here : here + 8] or "its end", spoken[there : there + 8] or "its end"
    return VoicepressError(
        "bad-reading", f"the reading does not follow the spoken text: after {spoken[:there][-8:]!r} it has {left!r} where the text has {right!r}",
        hint="change only what is in brackets; what the line says is edited under 'spoken'",
    )  # fmt: skip
