"""Batches of lines for the engine, packed across chapters by length.

Contract (pure): every item is in exactly one batch; no batch has more than ``size`` items and only the very last one
has fewer; the lines of a chapter are finished at most ``window - 1`` batches later than reading order would finish
them, so that checking and stitching can follow chapter by chapter.

How: the items, in reading order, are taken in windows of ``window`` whole batches. Inside a window they are sorted by
length and cut, so that the lines of a batch are about equally long (an engine that pads a batch to its longest line
wastes least), and the batches are put in the order of the earliest line they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WINDOW_BATCHES = 4


@dataclass(frozen=True, slots=True)
class Item:
    """A line to be recorded: its chapter's number, its place in the chapter, and its length as a measure of cost."""

    chapter: int
    order: int
    cost_chars: int


def plan_batches(items: Sequence[Item], size: int, window: int = WINDOW_BATCHES) -> list[list[int]]:
    """Batches as lists of indices into ``items``, in the order to record them.

    ``size`` is the number of lines the engine likes to get at once, ``window`` how many batches are packed together
    (1 keeps reading order: the least padding saved, the earliest chapters).
    """
    if size < 1 or window < 1:
        raise ValueError(f"size and window must be at least 1, not {size} and {window}")
    reading_order = sorted(range(len(items)), key=lambda index: (items[index].chapter, items[index].order, index))
    place = {index: position for position, index in enumerate(reading_order)}
    batches: list[list[int]] = []
    for start in range(0, len(reading_order), size * window):
        by_length = sorted(
            reading_order[start : start + size * window], key=lambda index: (items[index].cost_chars, place[index])
        )
        # The short batch, if there is one, is cut from the shortest lines: it must come last all the same.
        rest = len(by_length) % size
        cuts = [by_length[begin : begin + size] for begin in range(rest, len(by_length), size)]
        cuts.sort(key=lambda batch: min(place[index] for index in batch))
        if rest:
            cuts.append(by_length[:rest])
        batches += [sorted(batch, key=place.__getitem__) for batch in cuts]
    return batches


def padding_share(items: Sequence[Item], batches: Sequence[Sequence[int]]) -> float:
    """The share of a padded batch's characters that is padding, over all batches: 0.0 is none."""
    padded = sum(len(batch) * max(items[index].cost_chars for index in batch) for batch in batches if batch)
    used = sum(items[index].cost_chars for batch in batches for index in batch)
    return 1.0 - used / padded if padded else 0.0
