"""The room ``speak``: Script -> Takes. Who says a line, in which batches, recorded once and kept.

``casting`` chooses voices and makes utterances; ``extras`` gives those of the pool, ``uncast`` finds who has none,
``proposal`` proposes some; ``voices`` reads profiles; ``recipes`` says what a re-take does otherwise; ``batches`` packs lines; ``record`` records a
batch into the ``takes`` store; ``lock`` keeps one process at a device; ``speed`` remembers how fast this machine is;
``task`` is the room's Prefect task.
"""

__all__ = [
    "batches",
    "casting",
    "extras",
    "lock",
    "proposal",
    "recipes",
    "record",
    "speed",
    "takes",
    "task",
    "uncast",
    "voices",
]
