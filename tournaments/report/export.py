"""Standings for others: JSON, CSV, and a page that needs nothing but a browser.

`standings_json` and the CSV tables are the same bytes whenever the same matches are played. What was measured
is apart: under `measured` in the document, and in a section of its own on the page.
"""

import base64
import csv
import hashlib
import io
from collections.abc import Iterable, Sequence
from importlib import resources
from string import Template

import msgspec

from tournaments.rating.standings import Standings, history, times
from tournaments.report import page
from tournaments.report.markup import NOTHING, Markup, element, text
from tournaments.results import Played
from tournaments.store.chain import Head

_TERMS = {
    "Rating": "One maximum likelihood fit over all matches at once, on the Elo scale: 400 more are odds of "
    "ten to one. A match of several bots is taken as its pairwise comparisons.",
    "95 %": "An interval made like this covers the true rating in 95 of 100 tournaments. Matches of one "
    "block (one deal, all rotations of the seats) are not taken for independent, nor are blocks of the same "
    "deal.",
    "Points": "The first place of a match is worth 1, shared among those who have it. Score % is what a bot "
    "has of 100 matches.",
    "W / D / L": "Won alone, shared the first place, neither.",
    "Too few": "Under 30 blocks no error can be told honestly.",
}

_RISKY = ("=", "+", "-", "@", "\t", "\r")


def standings_json(standings: Standings) -> bytes:
    """Return the standings as canonical JSON: the same results, the same bytes."""
    return msgspec.json.encode(standings, order="sorted")


def json(standings: Standings, played: Sequence[Played]) -> bytes:
    """Return everything for machines: the standings, their history, and apart what was measured."""
    names = [line.name for line in standings.table]
    document = {
        "standings": standings,
        "history": history(played, names, standings.anchor),
        "measured": {"time": times(played, names)},
    }
    return msgspec.json.format(msgspec.json.encode(document, order="deterministic")) + b"\n"


def standings_csv(standings: Standings) -> str:
    """Return the table of standings as CSV (RFC 4180), faults in a column for each kind."""
    codes = sorted({code for line in standings.table for code in line.faults})
    heads = ["bot", "elo", "se", "low", "high", "points", "percent", "wins", "draws", "losses"]
    heads += ["score", "matches", "blocks", *(f"fault_{code}" for code in codes)]
    rows = [
        [
            _safe(line.name),
            line.elo,
            line.se,
            *(line.interval or (None, None)),
            *(line.points, line.percent, line.wins, line.draws, line.losses),
            *(line.score, line.matches, line.blocks),
            *(line.faults.get(code, 0) for code in codes),
        ]
        for line in standings.table
    ]
    return _csv(heads, rows)


def matches_csv(played: Iterable[Played]) -> str:
    """Return a line for every match and seat as CSV (RFC 4180), in the order of the matches."""
    heads = ["match", "game", "round", "block", "deal", "seat", "bot", "rank", "score", "fault", "reason"]
    heads += ["decisions", "play", "replay"]
    rows = [
        [
            *(match.match, match.result.game, match.round, match.block, match.deal, number, _safe(bot)),
            *(seat.rank, seat.score, seat.fault, match.result.reason),
            *(match.result.decisions, match.play, match.replay),
        ]
        for match in played
        for number, (bot, seat) in enumerate(match.seats())
    ]
    return _csv(heads, rows)


def _safe(name: str) -> str:
    """Return a name that no spreadsheet takes for a formula."""
    return f"'{name}" if name.startswith(_RISKY) else name


def _csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(heads)
    writer.writerows(rows)
    return file.getvalue()


def html(
    standings: Standings,
    played: Sequence[Played],
    *,
    replays: str = "replays",
    refresh_s: int | None = None,
    head: Head | None = None,
) -> str:
    """Return the whole page; it needs no network, and scripts only for sorting.

    `replays` is the folder of replays as seen from the page. With `refresh_s` the page loads itself again.
    `head` is that of the results' chain, if they are chained.
    """
    names = [line.name for line in standings.table]
    body = [
        page.heading(standings),
        page.ratings(standings),
        page.fair(standings),
        page.neighbours(standings),
        page.cross(standings),
        page.past(history(played, names, standings.anchor), standings),
        page.faults(standings, played, replays),
        page.matches(played, replays),
        page.time_used(times(played, names)),
        page.reading(_TERMS | {"Prior": f"The fit adds {standings.prior}, so that no rating is infinite."}),
        page.chained(head) if head is not None else NOTHING,
    ]
    style, script = _web("report.css"), _web("report.js")
    again = NOTHING if refresh_s is None else element("meta", http_equiv="refresh", content=refresh_s)
    return Template(_web("report.html")).substitute(
        title=text(f"{standings.name}: standings"),
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        refresh=again,
        body=Markup("\n".join(filter(None, body))),
    )


def _web(name: str) -> str:
    return (resources.files("tournaments") / "web" / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    """Return what the page's policy knows a style or script by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
