"""Line ids that outlive edits elsewhere.

Contract: a line's id is a hash of its source text and of its place among the equal texts of its chapter, so that it
stays the same when other lines are added, changed or removed. Only a change to the line itself, or one more equal
line before it, gives it another id.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def line_ids(texts: Sequence[str]) -> list[str]:
    """Ids (12 hex digits) for the lines of one chapter, in order; ``texts`` are the lines' written forms."""
    seen: dict[str, int] = {}
    ids = []
    for text in texts:
        place = seen.get(text, 0)
        seen[text] = place + 1
        ids.append(hashlib.blake2b(f"{text}\0{place}".encode("utf-8", "surrogatepass"), digest_size=6).hexdigest())
    return ids
