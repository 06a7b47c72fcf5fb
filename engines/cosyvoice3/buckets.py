"""Which lines of a batch share a pass: groups of like length, padded as little as pays.

Contract: plain arithmetic on lengths. Every line is in exactly one group. A group costs what its padded frames cost
plus a fixed price for being a pass of its own; the groups are those of least cost, found exactly. The longest group
comes first, so that what does not fit into memory fails before other work is done.
"""

from __future__ import annotations

from collections.abc import Sequence


def group(lengths: Sequence[int], budget: int, price: int = 0) -> list[list[int]]:
    """Indices into ``lengths``, grouped.

    ``budget``: padded frames (lines x longest) a group may hold; a line longer than that is a group of its own.
    ``price``: what one more pass costs, in frames: on a GPU about as many as it needs to be busy.
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    # best[i]: least cost of the first i lines of the order, and where its last group begins.
    best: list[tuple[int, int]] = [(0, 0)]
    for end in range(1, len(order) + 1):
        options = []
        for begin in range(end - 1, -1, -1):
            frames = lengths[order[begin]] * (end - begin)
            if frames > budget and end - begin > 1:
                break  # groups that begin earlier hold more lines, none shorter: they do not fit either
            options.append((best[begin][0] + frames + price, begin))
        best.append(min(options))
    groups: list[list[int]] = []
    end = len(order)
    while end:
        begin = best[end][1]
        groups.append(order[begin:end])
        end = begin
    return groups[::-1]


__all__ = ["group"]
