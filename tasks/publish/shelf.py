"""Folders and feeds for the programs that play audiobooks: an Audiobookshelf item, a podcast's RSS.

Contract: pure texts; ``publish`` writes them. ``metadata.json`` is the form Audiobookshelf 2 keeps beside a book and reads
again when it scans; the feed is RSS 2.0 with the iTunes elements that podcast directories ask for.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import formatdate
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from tasks.domain import BookInfo


@dataclass(frozen=True, slots=True)
class Mark:
    """A chapter of the m4b, in seconds."""

    title: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Episode:
    """A chapter's mp3 as a feed names it. ``path`` is relative to the feed's own folder."""

    title: str
    path: str
    bytes: int
    seconds: float
    guid: str


def metadata(info: BookInfo, marks: Sequence[Mark]) -> str:
    """Audiobookshelf's ``metadata.json``."""
    return (
        json.dumps(
            {
                "tags": [],
                "chapters": [
                    {"id": index, "start": round(mark.start, 3), "end": round(mark.end, 3), "title": mark.title}
                    for index, mark in enumerate(marks)
                ],
                "title": info.title,
                "subtitle": None,
                "authors": [info.author] if info.author else [],
                "narrators": [info.narrator] if info.narrator else [],
                "series": [info.series] if info.series else [],
                "genres": ["Audiobook"],
                "publishedYear": info.year or None,
                "publishedDate": None,
                "publisher": None,
                "description": info.description or None,
                "isbn": None,
                "asin": None,
                "language": info.language or None,
                "explicit": False,
                "abridged": False,
            },
            ensure_ascii=False,
            indent=2,
        )
        + "\n"
    )


def feed(info: BookInfo, episodes: Sequence[Episode], url: str, cover_path: str = "") -> str:
    """The RSS of a book whose files will lie under ``url``. Episodes are dated a minute apart, in order, from the first
    day of the book's year, so that players sort them as the book goes."""
    base = url.rstrip("/") + "/"
    year = int(info.year) if info.year.isdigit() and 1970 <= int(info.year) < 2100 else 2000
    first = (year - 1970) * 31_556_952
    rows = [
        f"<title>{escape(info.title)}</title>",
        f"<link>{escape(base)}</link>",
        f"<description>{escape(info.description or info.title)}</description>",
        f"<language>{escape(info.language or 'zh')}</language>",
        "<generator>voicepress</generator>",
        "<itunes:type>serial</itunes:type>",
        "<itunes:explicit>false</itunes:explicit>",
        '<itunes:category text="Arts"><itunes:category text="Books"/></itunes:category>',
    ]
    if info.author:
        rows.append(f"<itunes:author>{escape(info.author)}</itunes:author>")
    if cover_path:
        rows.append(f"<itunes:image href={quoteattr(base + quote(cover_path))}/>")
    for number, episode in enumerate(episodes, 1):
        place = quoteattr(base + quote(episode.path))
        rows.append(
            f"<item><title>{escape(episode.title)}</title>"
            f'<enclosure url={place} length="{episode.bytes}" type="audio/mpeg"/>'
            f'<guid isPermaLink="false">{escape(episode.guid)}</guid>'
            f"<pubDate>{formatdate(first + 60 * number, usegmt=True)}</pubDate>"
            f"<itunes:duration>{round(episode.seconds)}</itunes:duration>"
            f"<itunes:episode>{number}</itunes:episode></item>"
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">\n<channel>\n'
        + "\n".join(rows)
        + "\n</channel>\n</rss>\n"
    )
