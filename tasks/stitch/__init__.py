"""The room ``stitch``: Takes -> Chapter + Timeline.

========================  ====================================================================
``tasks.stitch.pauses``     how long it is silent between two lines (``Pauses``, ``pause_after``)
``tasks.stitch.mastering``  presets of loudness and encoding (``Mastering``, ``load_mastering``)
``tasks.stitch.trim``       where a recording is audible
``tasks.stitch.align``      where characters sound if the engine does not say
``tasks.stitch.lay``        recordings end to end in one buffer, to the sample
``tasks.stitch.limiter``    a true-peak limiter that leaves alone what is under the ceiling
``tasks.stitch.master``     one gain for a chapter, the limiter, room tone
``tasks.stitch.timeline``   the file beside a chapter; its fingerprint
``tasks.stitch.stitch``     ``stitch_chapter``
``tasks.stitch.task``       the same as a Prefect task
========================  ====================================================================
"""

__all__ = ["align", "lay", "limiter", "master", "mastering", "pauses", "stitch", "timeline", "trim"]
