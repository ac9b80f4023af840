"""The sites of several events in one folder, with a page that lists them."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from tournaments.report.markup import templates
from tournaments.site.assets import PACKAGE, render_asset
from tournaments.site.folders import SiteMarker, check_folder, write_file, write_marker
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
    leader = event.names[0] if event.played else ""
    return ListedEvent(address, event.name, event.title, state_sentence(event), leader)


def events_page(events: Iterable[ListedEvent], *, script: str, policy: str = POLICY) -> str:
    """Return the page that lists events."""
    page = templates(PACKAGE).get_template("events.html")
    return page.render(events=list(events), script=script, policy=policy).lstrip()


def write_sites(
    events: Sequence[SiteEvent], folder: Path, write: Callable[[SiteEvent, Path], object]
) -> None:
    """Write the site of each event into a folder of its own, with `write`, and the page that lists them."""
    check_folder(folder)
    write_marker(folder, SiteMarker())
    entries = []
    for event, name in zip(events, _folders(events), strict=True):
        write(replace(event, above="../index.html"), folder / name)
        entries.append(listed(event, f"{name}/index.html"))
    for path in _ASSETS:
        write_file(folder / path, render_asset(path, "").encode())
    write_file(folder / "index.html", events_page(entries, script="site.js").encode())


def _folders(events: Iterable[SiteEvent]) -> list[str]:
    """Return a folder for each event: two of one name get different ones."""
    taken: dict[str, int] = {}
    found = []
    for event in events:
        name = slug(event.name)
        taken[name] = taken.get(name, 0) + 1
        found.append(name if taken[name] == 1 else f"{name}-{taken[name]}")
    return found
