"""The room ``read``: files -> Manuscript.

``manuscript`` is the door (``read_manuscript``, ``save``, ``load``), ``inspect`` shows what was understood, ``account``
proves that nothing was lost, ``task`` holds the Prefect task. ``encoding`` and ``lines`` give the text; ``headings`` (shape,
with ``numerals``), ``weigh`` (context), ``contents`` and ``chapters`` find the chapters; ``clutter``, ``asides``,
``licence`` and ``notes`` what is left out; ``paragraphs``, ``hyphens``, ``convert`` and ``remarks`` serve ``plain``;
``markdown``, ``html``, ``epub``, ``docx`` the other formats. Nothing is imported here: the readers pull in lxml and others
only when a file needs them.
"""

__all__ = ["account", "inspect", "manuscript", "task"]
