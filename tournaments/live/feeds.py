"""Feeds of results for feed readers: JSON Feed 1.1 and Atom, the last results first."""

from collections.abc import Iterator
from typing import Any, Final
from xml.etree import ElementTree

import msgspec

from referee.wording import clean
from tournaments.results import Played
from tournaments.site.addresses import match_address
from tournaments.site.model import SiteEvent

MOST: Final = 50
"""Results in a feed."""

_ATOM: Final = "http://www.w3.org/2005/Atom"


def json_feed(event: SiteEvent, base: str) -> bytes:
    """Return the results as JSON Feed; `base` is the address of the event's pages."""
    document: dict[str, Any] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": clean(event.name),
        "home_page_url": f"{base}index.html",
        "feed_url": f"{base}feed.json",
        "description": f"Results of {clean(event.title)}",
        "language": "en",
        "items": [
            {
                "id": one.match,
                "url": base + match_address(one.match),
                "title": _title(one),
                "content_text": _text(event, one),
                **({"date_published": when} if (when := event.finished.get(one.match)) else {}),
            }
            for one in event.newest[:MOST]
        ],
    }
    return msgspec.json.encode(document)


def atom_feed(event: SiteEvent, base: str) -> bytes:
    """Return the results as Atom."""
    feed = ElementTree.Element("feed", xmlns=_ATOM)
    updated = max(event.finished.values(), default=event.made)
    _add(feed, "id", f"{base}feed.atom")
    _add(feed, "title", event.name)
    _add(feed, "updated", updated)
    ElementTree.SubElement(feed, "link", href=f"{base}index.html")
    ElementTree.SubElement(feed, "link", href=f"{base}feed.atom", rel="self")
    _add(ElementTree.SubElement(feed, "author"), "name", "Referee")
    for one in event.newest[:MOST]:
        entry = ElementTree.SubElement(feed, "entry")
        _add(entry, "id", f"{base}{match_address(one.match)}")
        _add(entry, "title", _title(one))
        _add(entry, "updated", event.finished.get(one.match, updated))
        ElementTree.SubElement(entry, "link", href=base + match_address(one.match))
        _add(entry, "summary", _text(event, one))
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(feed)


def _add(parent: ElementTree.Element, name: str, text: str) -> None:
    # What is not printable has no place in XML.
    ElementTree.SubElement(parent, name).text = clean(text)


def _title(match: Played) -> str:
    return clean(", ".join(f"{seat.rank}. {bot}" for bot, seat in _placed(match)))


def _text(event: SiteEvent, match: Played) -> str:
    lines = [
        f"{seat.rank}. {bot}: {seat.score}{f', fault {seat.fault}' if seat.fault else ''}"
        for bot, seat in _placed(match)
    ]
    reason = match.result.public_reason.replace("_", " ")
    shown = (
        "Its deal is still to be played, so its replay is not shown yet." if event.is_withheld(match) else ""
    )
    return clean("; ".join(lines) + f". How it ended: {reason}. {shown}".rstrip())


def _placed(match: Played) -> Iterator[Any]:
    yield from sorted(match.seats(), key=lambda pair: pair[1].rank)
