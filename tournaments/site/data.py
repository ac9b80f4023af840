"""The data of a site: JSON of everything that its pages show, CSV tables, and the matches for the scripts.

The documents have a version; `docs/site.md` describes them. What is withheld on the pages is not in them.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from tournaments.report import export
from tournaments.results import Played
from tournaments.site.addresses import bot_path
from tournaments.site.model import SiteEvent
from tournaments.site.rounds import rounds_of

VERSION: Final = 1
"""The version of the documents."""

MATCHES_SCRIPT: Final = "data/matches.js"

_ROUNDS: Final = "data/rounds.csv"
"""Only tournaments have it."""


def data_paths(event: SiteEvent) -> list[str]:
    """Return the paths of all files of data."""
    return [path for path in _MAKERS if event.kind == "tournament" or path != _ROUNDS]


def render_data(event: SiteEvent, path: str) -> bytes:
    """Return the content of a file of data; raises KeyError for a path that is none."""
    return _MAKERS[path](event)


def event_document(event: SiteEvent) -> dict[str, Any]:
    """Return what is known of the event beside its results."""
    return {
        "version": VERSION,
        "name": event.name,
        "kind": event.kind,
        "game": event.game,
        "title": event.title,
        "seats": event.seats,
        "made": event.made,
        "state": event.state,
        "played": len(event.played),
        "faults": len(event.with_faults),
        "open_deals": len(event.open_deals),
        "hidden": event.hidden,
        "notes": event.notes,
        "facts": [{"name": name, "text": text} for name, text in event.facts],
        "hosts": event.hosts,
        "luck": event.luck,
        "chain": event.head,
        "bots": [
            {
                "name": line.name,
                "place": line.place,
                "place_to": line.place_to,
                "pool": line.pool,
                "page": bot_path(event, line.name),
                "authors": event.authors.get(line.name, ()),
                "versions": event.versions.get(line.name, ()),
            }
            for line in event.standings.table
        ],
        "left_out": event.standings.left_out,
    }


def standings_document(event: SiteEvent) -> dict[str, Any]:
    """Return the standings, the ratings over time, and the times that were measured."""
    return {
        "version": VERSION,
        "standings": event.standings,
        "history": event.history,
        "measured": {"time": [event.times[name] for name in event.names]},
    }


def matches_document(event: SiteEvent) -> dict[str, Any]:
    """Return all results that count."""
    return {"version": VERSION, "matches": [_match(event, one) for one in event.played]}


def _match(event: SiteEvent, match: Played) -> dict[str, Any]:
    result = match.result
    return {
        "match": match.match,
        "round": match.round,
        "block": match.block,
        "deal": match.deal,
        "bots": match.bots,
        "ranks": result.ranks,
        "scores": result.scores,
        "faults": result.faults,
        "reason": result.public_reason,
        "ties": result.ties,
        "actions": result.decisions,
        "finished": event.finished.get(match.match, ""),
        "play": _public_row(event, match).play,
        "replay": _replay_state(event, match),
    }


def _public_row(event: SiteEvent, match: Played) -> Played:
    """Return the row of a match without the hash of its deal and its actions, while its deal is open."""
    return replace(match, play="") if event.is_withheld(match) else match


def _matches_csv(event: SiteEvent) -> bytes:
    rows = [_public_row(event, match) for match in event.played]
    # What is shown counts: it is all of the versions that play now.
    return export.matches_csv(rows, {row.match: event.standings.versions for row in rows}).encode()


def _replay_state(event: SiteEvent, match: Played) -> str:
    if event.is_withheld(match):
        return "withheld"
    return "shown" if event.has_replay(match) else "none"


_SHOWN: Final = {"none": 0, "shown": 1, "withheld": 2}


class _Numbers(dict[str, int]):
    """Gives every text a number, from 0."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]


def matches_columns(event: SiteEvent) -> dict[str, Any]:
    """Return all results as columns, for the scripts of the pages: the last one that ended comes last."""
    rows = event.newest[::-1]
    bots, codes, reasons, blocks = _Numbers(), _Numbers(), _Numbers(), _Numbers()
    for name in event.names:
        bots[name]
    # No fault is number 0.
    codes[""]
    prefix = f"{event.game}-"
    prefix = prefix if all(row.match.startswith(prefix) for row in rows) else ""
    columns: dict[str, Any] = {
        "version": VERSION,
        "prefix": prefix,
        "ids": [row.match.removeprefix(prefix) for row in rows],
        "rounds": [row.round if event.kind == "tournament" else 1 for row in rows],
        "blocks": [blocks[row.block] for row in rows],
        "seats": [[bots[bot] for bot in row.bots] for row in rows],
        "ranks": [row.result.ranks for row in rows],
        "scores": [row.result.scores for row in rows],
        "faults": [
            [codes[code] for code in row.result.faults] if any(row.result.faults) else 0 for row in rows
        ],
        "unordered": [int(row.result.ties == "unordered") for row in rows],
        "reason": [reasons[row.result.public_reason] for row in rows],
        "actions": [row.result.decisions for row in rows],
        "shown": [_SHOWN[_replay_state(event, row)] for row in rows],
    }
    named = {"bots": list(bots), "slugs": [event.slugs[bot] for bot in bots]}
    return columns | named | {"codes": list(codes), "reasons": list(reasons), "block_names": list(blocks)}


def matches_script(event: SiteEvent) -> bytes:
    """Return the columns as a classic script: a page from a disk may load one, but may not fetch JSON."""
    return b"refereeMatches(" + msgspec.json.encode(matches_columns(event)) + b");\n"


def _json(make: Callable[[SiteEvent], dict[str, Any]]) -> Callable[[SiteEvent], bytes]:
    return lambda event: msgspec.json.encode(make(event)) + b"\n"


_MAKERS: Final[dict[str, Callable[[SiteEvent], bytes]]] = {
    "data/event.json": _json(event_document),
    "data/standings.json": _json(standings_document),
    "data/matches.json": _json(matches_document),
    MATCHES_SCRIPT: matches_script,
    "data/standings.csv": lambda event: export.standings_csv(event.standings, event.authors).encode(),
    _ROUNDS: lambda event: export.rounds_csv(rounds_of(event)[::-1]).encode(),
    "data/matches.csv": _matches_csv,
    "data/pairs.csv": lambda event: export.pairs_csv(event.standings).encode(),
}
