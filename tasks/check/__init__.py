"""The room ``check``: Takes -> Verdicts. Which recordings are good, which to make again, which to listen to.

``signal`` measures a take; ``judge`` says what the figures mean, by the thresholds of ``limits``; ``check`` does both for
a stored take; ``task`` is the room's Prefect task.
"""

__all__ = ["check", "judge", "limits", "signal", "task"]
