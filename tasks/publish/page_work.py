"""The receipt's sections on how the book was made: re-takes, readings, speakers, coverage, times, what was at work.

Contract: pure; every text that comes from outside is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tasks.publish.page_html import bar, cell, number, percent, table
from tasks.publish.receipt import Receipt, RetakeCount

MOST_PROPOSALS = 100
_STAGES = ("read", "script", "record", "check", "stitch", "publish")
_RULES = {"user": "the script file", "": "none"}
_CHECKS = {"full": "signal, and every take heard", "signal": "signal alone", "off": "nothing was checked"}


def proposals(receipt: Receipt) -> str:
    """Characters that were heard in another reading than was asked."""
    rows = (
        [
            escape(one.word),
            f"<code>{escape(one.reading)}</code>",
            f"<code>{escape(one.heard)}</code>",
            cell(number(one.times)),
            cell(one.chapter),
            _marked(one.text, one.word),
        ]
        for one in receipt.readings.proposals[:MOST_PROPOSALS]
    )
    return table(
        "Readings that were heard otherwise", ["Word", "Asked", "Heard", "Times", "Chapter", "For example"], rows,
        right={3, 4}, wide={5},
        more="Listen, and if it is wrong settle it in the lexicon: <code>voicepress readings BOOK --set 'WORD=READING'</code>",
    )  # fmt: skip


def _marked(text: str, word: str) -> str:
    before, found, after = text.partition(word)
    return f"{escape(before)}<mark>{escape(found)}</mark>{escape(after)}" if found else escape(text)


def retakes(receipt: Receipt) -> str:
    """Why lines were recorded again, and what helped."""
    counts = receipt.retakes
    why = _counted("Re-takes by reason", "Reason", counts.by_reason)
    how = _counted("What was done otherwise", "Recipe", counts.by_recipe)
    return why + how


def _counted(heading: str, name: str, counts: Sequence[RetakeCount]) -> str:
    rows = ([escape(one.what), cell(number(one.tries)), cell(number(one.passed))] for one in counts)
    return table(heading, [name, "Tries", "Passed"], rows, right={1, 2})


def checked(receipt: Receipt) -> str:
    """How the lines came through the check."""
    flagged = sum(chapter.flagged for chapter in receipt.chapters)
    retaken, healed = receipt.retakes.lines, receipt.retakes.healed
    if not receipt.check or receipt.check == "off" or not receipt.lines:
        return ""
    once = receipt.retakes.levelled + sum(line.tries <= 1 for line in receipt.flagged)
    rows: list[tuple[str, int]] = [
        ("passed at once", receipt.lines - retaken - once),
        ("healed by a re-take", healed),
        ("given a gain for their level", receipt.retakes.levelled),
        ("flagged", flagged),
    ]
    cells = ([name, cell(number(count)), cell(percent(count / receipt.lines, 2))] for name, count in rows if count)
    return table(
        "Lines and the check", ["Lines", "Count", "Share"], cells, right={1, 2}, more=_CHECKS.get(receipt.check, "")
    )


def readings(receipt: Receipt) -> str:
    """What decided how characters are read."""
    found = receipt.readings
    if not found.total:
        return ""
    names = {
        "default": "the usual reading", "phrase": "a dictionary of words", "rule": "a rule", "context": "the sentence",
        "lexicon": "a lexicon", "user": "the script file",
    }  # fmt: skip
    rows = [
        [escape(names.get(origin, origin)), cell(number(count)), cell(percent(count / found.total, 2))]
        for origin, count in sorted(found.by_origin.items(), key=lambda item: -item[1])
    ]
    return table(
        "How characters are read", ["Decided by", "Characters", "Share"], rows, right={1, 2},
        more=f"{number(found.forced)} forced by a lexicon or the script file",
    )  # fmt: skip


def speakers(receipt: Receipt) -> str:
    """What decided who speaks, and how many of those are guesses."""
    rows = (
        [
            escape(_RULES.get(one.rule, one.rule)),
            cell(number(one.lines)),
            cell(number(one.unsure) if one.unsure else "–", warn=one.unsure > 0),
        ]
        for one in receipt.speakers
    )
    return table("Who speaks", ["Decided by", "Lines", "Unsure"], rows, right={1, 2})


def coverage(receipt: Receipt) -> str:
    """Every character of the source and where it went."""
    counted = receipt.coverage
    total = max(1, counted.source_chars)
    counts = [("in lines", counted.spoken_chars)]
    counts += [(f"left out: {reason}", count) for reason, count in sorted(counted.left_out.items())]
    counts.append(("without account", counted.unexplained))
    rows = [[escape(name), cell(number(count)), cell(percent(count / total, 2))] for name, count in counts]
    rows.append(["<b>source text</b>", cell(number(counted.source_chars)), cell("")])
    return table("Every character of the source", ["Characters", "Count", "Share"], rows, right={1, 2})


def timings(receipt: Receipt) -> str:
    """Seconds by stage, as bars; the engine's own stages below."""
    spent = receipt.timings
    stages = [(name, float(getattr(spent, name))) for name in _STAGES]
    longest = max([seconds for _, seconds in stages])
    rows = [[name, bar(seconds, longest), cell(f"{seconds:.1f} s")] for name, seconds in stages]
    inner = sorted(spent.engine.items(), key=lambda item: -item[1])
    most = max([seconds for _, seconds in inner], default=0.0)
    rows += [[f"engine: {escape(stage)}", bar(took, most), cell(f"{took:.1f} s")] for stage, took in inner]
    more = "The engine's stages are those of all takes of the book, whenever recorded. " if inner else ""
    rtf = spent.rtf
    if rtf is not None:
        more = f"{spent.audio_seconds:.1f} s of sound recorded now at RTF {rtf:.3f}. {more}"
    return table("Time this run took", ["Stage", "", "Time"], rows, right={2}, more=more.strip())


def made_with(receipt: Receipt) -> str:
    """Engine, model, seed, versions."""
    rows = [
        ["engine", escape(receipt.engine)],
        ["model and settings", f"<code>{escape(receipt.engine_fingerprint)}</code>"],
        ["seed", escape(str(receipt.seed))],
    ]
    if used := receipt.takes_used:
        said = ", ".join(f"take {escape(take)}: {number(count)}" for take, count in used.items())
        rows.append(["recordings used", f"{said} lines"])
    if receipt.mastering:
        rows.append(["mastering", escape(receipt.mastering)])
    rows += [
        [escape(name), escape(version)]
        for name, version in (receipt.versions or {"voicepress": receipt.voicepress}).items()
    ]
    return table("Made with", ["What", "Which"], rows, wide={1})
