"""The room ``publish``: Chapters -> deliverables, receipt.

==========================  ==================================================================
``tasks.publish.publish``     ``publish_book``: m4b, mp3 per chapter, SRT per chapter
``tasks.publish.encode``      one chapter's AAC and mp3, the m4b joined from AAC
``tasks.publish.ffmpeg``      the one door to ffmpeg
``tasks.publish.adts``        counting AAC frames, so that chapter marks are exact
``tasks.publish.subtitles``   subtitles from a timeline
``tasks.publish.breaks``      where text is cut for the screen
``tasks.publish.names``       file names that every system takes
``tasks.publish.cover``       the cover, looked at before work begins
``tasks.publish.made``        what stands already and what it was made from
``tasks.publish.receipt``     ``Receipt``, ``write_receipt``
``tasks.publish.page``        the receipt as a page to read
``tasks.publish.task``        publishing as a Prefect task
==========================  ==================================================================
"""

__all__ = ["adts", "breaks", "cover", "encode", "ffmpeg", "made", "names", "page", "publish", "receipt", "subtitles"]
