"""The sites of several events in one folder, with a page that lists them."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tournaments.report.markup import templates
from tournaments.report.words import leaders_text
from tournaments.site.assets import PACKAGE, render_asset
from tournaments.site.folders import SiteMarker, check_folder, write_file, write_marker
from tournaments.site.front import EventFront, StageTable, combined_csv, front_document, places_csv
from tournaments.site.model import SiteEvent
from tournaments.site.pages import POLICY, state_sentence
from tournaments.site.slugs import slug

_ASSETS = ("assets/site.css", "assets/site.js")


class ListedEvent(Struct, frozen=True):
    """An event in a list of events."""

    address: str
    name: str
    about: str
    """Its game; '' if it is not known."""
    state: str
    """How far it is, in a sentence."""
    leader: str
    """The first bot of its table; '' if there is none."""


def listed(event: SiteEvent, address: str) -> ListedEvent:
    """Return the entry of an event whose front page has this address."""
    leader = leaders_text(event.standings.leaders)
    return ListedEvent(address, event.name, event.title, state_sentence(event), leader)


class EventGroup(Struct, frozen=True):
    """Events that are listed together: the parts of one event, or all others."""

    front: EventFront | None
    """The event of which these are parts; None for events that stand alone."""
    entries: tuple[ListedEvent, ...]


def events_page(groups: Sequence[EventGroup], *, script: str, policy: str = POLICY) -> str:
    """Return the page that lists events; of one event with several parts it is the front page."""
    fronts = [group.front.name for group in groups if group.front is not None]
    title = fronts[0] if len(groups) == len(fronts) == 1 else "Events"
    page = templates(PACKAGE).get_template("events.html")
    values = {"groups": groups, "title": title, "script": script, "policy": policy}
    return page.render(**values, stage_columns=stage_columns).lstrip()


def stage_columns(stage: StageTable) -> list[tuple[str, str]]:
    """Return the columns of the games in a combined table: head and class."""
    return [(game, "number") for game in stage.table.weights]


Shown = tuple[EventFront | None, Sequence[SiteEvent]]
"""Events that are written together, and the front page of those that are parts of one event."""


def write_sites(shown: Sequence[Shown], folder: Path, write: Callable[[SiteEvent, Path], object]) -> None:
    """Write the site of each event into a folder of its own, with `write`, and the page that lists them."""
    check_folder(folder)
    write_marker(folder, SiteMarker())
    names = iter(_folders(event for _, events in shown for event in events))
    groups = []
    for front, events in shown:
        entries = []
        for event in events:
            name = next(names)
            write(replace(event, above="../index.html"), folder / name)
            entries.append(listed(event, f"{name}/index.html"))
        groups.append(EventGroup(front, tuple(entries)))
    for path in _ASSETS:
        write_file(folder / path, render_asset(path, "").encode())
    for path, content in front_files(groups).items():
        write_file(folder / path, content)
    write_file(folder / "index.html", events_page(groups, script="site.js").encode())


def front_files(groups: Sequence[EventGroup]) -> dict[str, bytes]:
    """Return the data of a front page by path: of the only event with several parts."""
    fronts = [group for group in groups if group.front is not None]
    if len(fronts) != 1 or fronts[0].front is None:
        return {}
    front = fronts[0].front
    parts = {entry.name: entry.address for entry in fronts[0].entries}
    found = {"data/event.json": msgspec.json.encode(front_document(front, parts)) + b"\n"}
    if front.places:
        found["data/places.csv"] = places_csv(front.places, front.authors).encode()
    if front.tables:
        found["data/combined.csv"] = combined_csv(front.tables[0].table, front.authors).encode()
    return found


def _folders(events: Iterable[SiteEvent]) -> list[str]:
    """Return a folder for each event: two of one name get different ones."""
    taken: dict[str, int] = {}
    found = []
    for event in events:
        name = slug(event.part or event.name)
        taken[name] = taken.get(name, 0) + 1
        found.append(name if taken[name] == 1 else f"{name}-{taken[name]}")
    return found
