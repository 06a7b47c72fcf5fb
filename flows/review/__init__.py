"""``voicepress review``: a local page on which a person listens to what the check is not sure of, and mends it.

``board`` is the book as the page sees it, ``rank`` the order of suspicion, ``actions`` what a person may do, ``recorder``
the engine's thread, ``sound`` and ``diff`` what is shown of a take, ``guard`` and ``app`` the server, ``serve`` the command.
"""
