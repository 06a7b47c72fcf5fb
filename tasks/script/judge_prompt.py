"""The words in which a judge is asked who speaks.

Contract: ``instructions`` is pure. Whoever changes a word here raises ``VERSION``: answers to another prompt are answers to
another question.
"""

from __future__ import annotations

from collections.abc import Sequence

VERSION = 1

_ZH = (
    "你是有声书的校对，只判断小说里的引语是谁说的，从不改动原文。",
    """<passage> 和 </passage> 之间是小说的一段，有些引语前面有编号记号，例如 [[1]]。请判断每个记号后面的引语是谁说的。

把这一段从头到尾照抄一遍，只在记号里填上说话人，例如把 [[1]] 写成 [[1:姓名]]。
正文一个字也不能增、删、改，标点和引号都照原样，不要添加记号，也不要移动记号。
姓名要用人物表里的第一个写法。判断不了就写 [[1:?]]。
只输出这一段，不要解释。

人物表：
{people}

<passage>
{passage}
</passage>""",
)
_EN = (
    "You proofread audiobooks: you only tell who speaks a quotation of a novel, and never change its text.",
    """Between <passage> and </passage> stands a part of a novel. Some quotations have a numbered mark before them, such as \
[[1]]. Tell for each mark who speaks the quotation behind it.

Copy the passage from beginning to end and only fill the speaker into each mark: [[1]] becomes [[1:Name]].
Add, drop or change no word of the text. Keep punctuation and quotation marks as they are. Add no mark and move none.
Write a name as it stands first in the list of people. Where you cannot tell, write [[1:?]].
Give the passage alone, without explanation.

People:
{people}

<passage>
{passage}
</passage>""",
)
_GENDERS = {"zh": {"male": "男", "female": "女"}, "en": {"male": "male", "female": "female"}}


def instructions(language: str, people: Sequence[tuple[str, Sequence[str], str]], passage: str) -> tuple[str, str]:
    """The system's and the user's message about ``passage``, in the language of the book (``zh`` or ``en``). ``people``:
    name, other forms and gender (``male``, ``female`` or empty) of each."""
    language = "en" if language == "en" else "zh"
    system, user = _EN if language == "en" else _ZH
    rows = [_row(language, name, forms, gender) for name, forms, gender in people]
    return system, user.format(people="\n".join(rows), passage=passage)


def _row(language: str, name: str, forms: Sequence[str], gender: str) -> str:
    said = _GENDERS[language].get(gender, "")
    if language == "en":
        details = "; ".join(filter(None, (f"also {', '.join(forms)}" if forms else "", said)))
        return f"- {name} ({details})" if details else f"- {name}"
    details = "；".join(filter(None, (f"又称{'、'.join(forms)}" if forms else "", said)))
    return f"- {name}（{details}）" if details else f"- {name}"
