"""The pages of an event, each made from a `SiteEvent` alone: for the files of a static site and on request.

`page_paths` lists them and `render_page` makes one; `render_file` makes any file of a site by its path. All
links are relative, so a site works from a disk, from any folder of a server, and beside other sites.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from referee.wording import lasting, plural
from tournaments.pairing.rounds import RoundGroup
from tournaments.rating.standings import StandingLine
from tournaments.rating.tally import Standing, Tally
from tournaments.report.bracket import bracket_of
from tournaments.report.facts import moment_text
from tournaments.report.markup import templates
from tournaments.report.page import report_values, text_functions
from tournaments.report.picture import over_time
from tournaments.report.words import pool_place_text, rating_text
from tournaments.results import Played
from tournaments.site import addresses
from tournaments.site.assets import PACKAGE, asset_paths, render_asset
from tournaments.site.data import data_paths, render_data
from tournaments.site.model import SiteEvent
from tournaments.site.public_results import results_shown
from tournaments.site.reasons import reasons_of
from tournaments.site.replay_scripts import replay_script
from tournaments.site.rounds import rounds_of

LATEST: Final = 20
"""Matches on the front page and on the page of a bot."""
MOST_FAULTS: Final = 500
"""Matches on the page of faults; all of them are in the list of matches."""
MOST_GROUPS: Final = 300
"""Groups of a round that are listed."""
MOST_PLACES: Final = 10
"""Places on a slide of the projector."""
MOST_COLUMNS: Final = 3
"""Rounds of a bracket on the projector, the last ones."""
MOST_SLIDES: Final = 10
"""Slides of places: the projector shows the first hundred bots."""

POLICY: Final = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:"
)
"""The security policy of a static page. From a disk Chromium takes every file for `'self'`: so it allows no
script in the page itself, and nothing from a network."""
LIVE_POLICY: Final = f"{POLICY}; connect-src 'self'"

_NAVIGATION: Final = (
    ("index.html", "Standings"),
    ("bracket.html", "Bracket"),
    ("rounds.html", "Rounds"),
    ("matches.html", "Matches"),
    ("pair.html", "Head to head"),
    ("faults.html", "Faults"),
    ("report.html", "Report"),
)
_LIVE_NAVIGATION: Final = (("live.html", "Live"),)
"""Pages that only the live site has."""

Values = dict[str, Any]


def page_paths(event: SiteEvent) -> list[str]:
    """Return the paths of all pages of an event."""
    single = [path for path in _PAGES if path not in _lacking(event)]
    bots = [addresses.bot_path(event, name) for name in event.names]
    return [*single, *bots, *(addresses.why_path(match.match) for match in event.with_faults)]


def render_page(event: SiteEvent, path: str, *, live: bool = False) -> str:
    """Return a page; raises KeyError for a path that is no page of the event.

    With `live` it loads `assets/live.js`, which brings the regions with the attribute `data-live` up to date
    and then sends the event `referee:updated` to the document.
    """
    template, values = _page(event, path)
    text = templates(PACKAGE).get_template(template).render(**shared_values(event, path, live=live) | values)
    return text.lstrip()


def shared_values(event: SiteEvent, path: str, *, live: bool) -> Values:
    """Return the values that the frame of every page needs."""
    return {
        **text_functions(),
        "event": event,
        "standings": event.standings,
        "path": path,
        "root": addresses.root_of(path),
        "live": live,
        "policy": LIVE_POLICY if live else POLICY,
        "generator": addresses.GENERATOR,
        "navigation": _navigation(event, live=live),
        "sheets": (),
        "scripts": (),
        "body_class": "",
        "address": addresses.match_address,
        "why_address": addresses.why_address,
        "moment_address": addresses.moment_address,
        "matches_address": addresses.matches_address,
        "pair_page": lambda one, other: addresses.root_of(path) + addresses.pair_address(one, other),
        "bot_pages": _bot_pages(event, path),
        "moment_text": moment_text,
        "authors": event.authors,
        "pool_place_text": pool_place_text,
        "state_sentence": state_sentence,
    }


def render_file(event: SiteEvent, path: str, *, live: bool = False) -> bytes:
    """Return any file of a site by its path; raises KeyError for one that a site does not have."""
    if path.endswith(".html"):
        return render_page(event, path, live=live).encode()
    if path.startswith("assets/"):
        return render_asset(path, event.game).encode()
    if path.startswith("data/"):
        return render_data(event, path)
    match = path.removeprefix("replays/").removesuffix(".js")
    if f"replays/{match}.js" != path:
        raise KeyError(path)
    return replay_script(event, event.by_id[match]).encode()


def file_paths(event: SiteEvent) -> list[str]:
    """Return the paths of all files of a site but the replays."""
    return [*page_paths(event), *asset_paths(), *data_paths(event)]


def state_sentence(event: SiteEvent) -> str:
    """Return how far an event is, in words."""
    state, played = event.state, len(event.played) + event.hidden
    if state.waits:
        return f"It begins {state.waits}."
    parts = [f"{plural(played, 'match')} played"]
    if event.kind != "ladder":
        parts.append("none left" if state.complete else f"{state.left} left")
    parts.append(f"{len(event.with_faults) or 'none'} lost by a fault")
    if state.void:
        parts.append(f"{state.void} void")
    running = "being played now" if state.running else "complete" if state.complete else "not being played"
    sentence = f"{running[0].upper()}{running[1:]}: {', '.join(parts)}."
    if state.running and state.left_s is not None:
        sentence += f" At this pace it ends in about {lasting(state.left_s)}."
    if state.last:
        sentence += f" The last match ended {moment_text(state.last)}."
    return sentence


def _lacking(event: SiteEvent) -> set[str]:
    """Return the pages that an event of this kind does not have."""
    without_bracket = set() if event.standings.format == "knockout" else {"bracket.html"}
    return without_bracket | (set() if event.kind == "tournament" else {"rounds.html"})


def _navigation(event: SiteEvent, *, live: bool) -> list[tuple[str, str]]:
    shown = [(path, text) for path, text in _NAVIGATION if path not in _lacking(event)]
    above = [(event.above, "All parts" if event.part else "All events")] if event.above else []
    return [*above, *shown, *(_LIVE_NAVIGATION if live else ())]


def _bot_pages(event: SiteEvent, path: str) -> Mapping[str, str]:
    """Return the pages of bots by name, as a page links to them. What stands in other pages has no links."""
    if path.startswith("embed/") or path == "projector.html":
        return {}
    root = addresses.root_of(path)
    return {name: f"{root}bots/{slug}.html" for name, slug in event.slugs.items()}


def _page(event: SiteEvent, path: str) -> tuple[str, Values]:
    """Return the template of a page and the values that only it needs."""
    if path in _PAGES and path not in _lacking(event):
        template, make = _PAGES[path]
        return template, make(event)
    folder, _, file = path.partition("/")
    stem = file.removesuffix(".html")
    if folder == "bots":
        names = {slug: name for name, slug in event.slugs.items()}
        return "bot.html", _bot(event, names[stem])
    if folder == "why" and any(event.by_id[stem].result.faults):
        return "why.html", _why(event, event.by_id[stem])
    raise KeyError(path)


def _report(event: SiteEvent) -> Values:
    def address(match: str) -> str:
        return addresses.match_address(match) if event.has_replay(event.by_id[match]) else ""

    facts = results_shown(event).facts if event.kind == "tournament" else None
    values = report_values(
        event.standings, event.played, event.history, address, event.head, event.luck, facts
    )
    values |= {"authors": event.authors}
    return {**values, "has_pages": True, "example": ""}


def _index(event: SiteEvent) -> Values:
    # In the lists of a site a match that is not shown has words in place of a link.
    shared = {"address": addresses.match_address}
    return _report(event) | shared | {"heading": "Standings", "latest": event.newest[:LATEST]}


def _full_report(event: SiteEvent) -> Values:
    return _report(event) | {"heading": "Report"}


def _rounds(event: SiteEvent) -> Values:
    rounds = rounds_of(event)
    return {
        "heading": "Rounds and pairings",
        "rounds": rounds,
        "knockout": event.standings.format == "knockout",
        "most_groups": MOST_GROUPS,
        "group_address": lambda group, number: _group_page(group, number if len(rounds) > 1 else None),
    }


def _group_page(group: RoundGroup, number: int | None) -> str:
    return addresses.group_address(tuple(sorted(group.bots)), number)


def _bracket(event: SiteEvent) -> Values:
    return {
        "heading": "Bracket",
        "body_class": "wide-page",
        "bracket": bracket_of(event.standings.rounds),
        "group_page": _group_page,
    }


def _scripted(heading: str, script: str) -> Callable[[SiteEvent], Values]:
    return lambda _: {"heading": heading, "scripts": (script,)}


def _player(body_class: str) -> Callable[[SiteEvent], Values]:
    shared = {"sheets": ("player.css",), "scripts": ("player.js",), "body_class": body_class}
    return lambda _: {"heading": "Match", **shared}


def _faults(event: SiteEvent) -> Values:
    codes = sorted({code for line in event.standings.table for code in line.faults})
    return {
        "heading": "Faults",
        "codes": codes,
        "fault_columns": [(code, "number") for code in codes],
        "shown": [match for match in event.newest if any(match.result.faults)][:MOST_FAULTS],
    }


def _projector(event: SiteEvent) -> Values:
    values = _report(event)
    values["crossed"] = values["crossed"][:MOST_PLACES]
    starts = range(0, max(1, len(event.standings.shown)), MOST_PLACES)[:MOST_SLIDES]
    return values | {
        "heading": "Projector",
        "body_class": "projector-page",
        "scripts": ("projector.js",),
        "most_places": MOST_PLACES,
        "most_columns": MOST_COLUMNS,
        "short_score": _short_score,
        "place_slides": [event.standings.shown[at : at + MOST_PLACES] for at in starts],
        "unplaced": max(0, len(event.standings.shown) - MOST_PLACES * MOST_SLIDES),
        "short_rating": _short_rating,
        "latest": event.newest[:MOST_PLACES],
        "crossed_columns": [(place, "") for place in range(1, len(values["crossed"]) + 1)],
    }


def _short_rating(line: StandingLine) -> str:
    """Return a rating with half its interval, or alone: a hall cannot read why it has none."""
    return rating_text(line) if line.elo is None or line.interval else f"{line.elo:.0f}"


def _short_score(line: StandingLine) -> str:
    """Return the points of a Swiss tournament, or the score in percent."""
    return f"{line.percent:.1f} %" if line.swiss_points is None else plural(line.swiss_points, "point")


def _table(event: SiteEvent) -> Values:
    return {"heading": "Table", "body_class": "embedded"}


def _bot(event: SiteEvent, name: str) -> Values:
    place = event.names.index(name)
    met = event.standings.cross.get(name, {})
    return {
        "heading": name,
        "line": event.standings.table[place],
        "course": over_time(event.history, [name]),
        "opponents": [(other, met[other]) for other in event.names if other in met],
        "by_seat": list(_by_seat(event, name)),
        "time": event.times[name],
        "versions": event.versions.get(name, ()),
        "ladder_versions": event.ladder_versions.get(name, ()),
        "latest": event.by_bot[name][:LATEST],
    }


def _by_seat(event: SiteEvent, name: str) -> Iterator[tuple[int, Standing]]:
    """Return how a bot did in every seat that it sat in."""
    played: dict[int, list[Played]] = {}
    for match in event.by_bot[name]:
        for seat, bot in enumerate(match.bots):
            if bot == name:
                played.setdefault(seat, []).append(match)
    for seat in sorted(played):
        tally = Tally([name])
        for match in played[seat]:
            tally.count(match)
        yield seat, next(line for line in tally.table() if line.name == name)


def _why(event: SiteEvent, match: Played) -> Values:
    if event.is_withheld(match):
        return {"heading": f"Why? {match.match}", "match": match, "withheld": True}
    found = reasons_of(match, event.replays, event.masks)
    return {
        "heading": f"Why? {match.match}",
        "match": match,
        "withheld": False,
        "seats": found.seats,
        "trouble": found.trouble,
        "has_replay": event.has_replay(match) and not found.trouble,
    }


_PAGES: Final[dict[str, tuple[str, Callable[[SiteEvent], Values]]]] = {
    "index.html": ("index.html", _index),
    "report.html": ("report_page.html", _full_report),
    "bracket.html": ("bracket_page.html", _bracket),
    "rounds.html": ("rounds.html", _rounds),
    "matches.html": ("matches.html", _scripted("Matches", "matches.js")),
    "pair.html": ("pair.html", _scripted("Head to head", "pair.js")),
    "match.html": ("match_view.html", _player("wide-page")),
    "faults.html": ("faults.html", _faults),
    "projector.html": ("projector.html", _projector),
    "embed/table.html": ("embed_table.html", _table),
    "embed/match.html": ("embed_match.html", _player("embedded")),
}
