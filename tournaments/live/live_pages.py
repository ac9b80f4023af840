"""The pages that only a live site has: what runs now, a running match, the author's and the organiser's page.

They hold nothing that changes: their scripts ask for it. So they are the same for all visitors, and a page of
the organiser shows nothing to a visitor without the token.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from referee import registry
from referee.errors import RefereeError
from referee.game import Game
from referee.player.linker import script, style
from tournaments.event_file import event_at
from tournaments.live.settings import EventSource
from tournaments.report.markup import source, templates
from tournaments.site.assets import render_asset
from tournaments.site.front import EventFront, front_of
from tournaments.site.model import SiteEvent
from tournaments.site.pages import LIVE_POLICY, shared_values
from tournaments.site.several import EventGroup, ListedEvent, events_page, front_files, listed

_PACKAGES: Final = ("tournaments.live", "tournaments.site")

_PAGES: Final[dict[str, dict[str, Any]]] = {
    "live.html": {"heading": "Live", "scripts": ("live_page.js",)},
    "watch.html": {"heading": "Watch", "scripts": ("watch_page.js",), "body_class": "wide-page"},
    "author.html": {"heading": "For authors", "scripts": ("author_page.js",)},
    "organiser.html": {"heading": "For the organiser", "scripts": ("organiser_page.js",)},
}


def _script(entry: str) -> Callable[[Mapping[str, Game]], str]:
    return lambda games: script(entry, games, _modules())


def _site_style(_games: Mapping[str, Game]) -> str:
    return render_asset("assets/site.css", "") + source("live_sign.css", *_PACKAGES)


_ASSETS: Final[dict[str, Callable[[Mapping[str, Game]], str]]] = {
    "assets/site.css": _site_style,
    "assets/live.js": _script("live.js"),
    "assets/live_page.js": _script("live_page.js"),
    "assets/watch_page.js": _script("watch_page.js"),
    "assets/author_page.js": _script("author_page.js"),
    "assets/organiser_page.js": _script("organiser_page.js"),
    "assets/live.css": lambda games: style(["stage.css"], games.values()) + source("live.css", *_PACKAGES),
}

LIVE_PATHS: Final = frozenset([*_PAGES, *_ASSETS])
"""What only a live site has."""


def render_live(event: SiteEvent, path: str) -> bytes:
    """Return a page, script or style sheet that only a live site has; raises KeyError for another path."""
    if path in _ASSETS:
        return _ASSETS[path](_games(event.game)).encode()
    values = shared_values(event, path, live=True) | {"sheets": ("live.css",)} | _PAGES[path]
    return templates(*_PACKAGES).get_template(path).render(**values).lstrip().encode()


Read = tuple[EventSource, SiteEvent | None]
"""An event of the site as it was read; None if it cannot be read now."""


def index_files(events: Iterable[Read]) -> dict[str, bytes]:
    """Return the page that lists the events of a site, and its data, by path."""
    groups = [
        EventGroup(_front(list(read)), tuple(_listed(*one) for one in read))
        for read in _grouped(events).values()
    ]
    page = events_page(groups, script="events.js", policy=LIVE_POLICY)
    return {"index.html": page.encode(), **front_files(groups)}


def shown_together(events: Iterable[Read]) -> list[tuple[EventFront | None, list[SiteEvent]]]:
    """Return the parts of each event together, with its front page, and all events that stand alone."""
    return [
        (_front(read), [event for _, event in read if event is not None])
        for read in _grouped(events).values()
    ]


def _grouped(events: Iterable[Read]) -> dict[str, list[Read]]:
    """Return the parts of each event together, and all events that stand alone."""
    found: dict[str, list[Read]] = {}
    for one in events:
        found.setdefault(one[0].path if one[0].group else "", []).append(one)
    return found


def _front(read: Sequence[Read]) -> EventFront | None:
    """Return the front page of parts of one event; None if they stand alone or cannot be read."""
    shown = [event for _, event in read if event is not None]
    if not read[0][0].group or len(shown) < len(read):
        return None
    return front_of(event_at(Path(read[0][0].path)), shown)


def _listed(source: EventSource, event: SiteEvent | None) -> ListedEvent:
    if event is not None:
        return listed(event, _front_page(source))
    return ListedEvent(_front_page(source), source.title, "", "Its results cannot be read now.", "")


def _front_page(source: EventSource) -> str:
    return f"e/{source.slug}/index.html"


def index_asset(path: str) -> str:
    """Return a style sheet or script of the list of events; raises KeyError for another path."""
    return {
        "assets/site.css": lambda: _site_style({}),
        "assets/events.js": lambda: script("events_page.js", {}, _modules()),
    }[path]()


@cache
def _modules() -> dict[str, str]:
    folder = files("tournaments.live") / "web"
    return {one.name: one.read_text("utf-8") for one in folder.iterdir() if one.name.endswith(".js")}


def _games(game: str) -> Mapping[str, Game]:
    try:
        return {game: registry.game(game)}
    except RefereeError:
        return {}
