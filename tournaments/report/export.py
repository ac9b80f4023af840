"""Standings as files: JSON, CSV, and a page that needs nothing but a browser.

`standings_json` and the CSV tables are the same bytes whenever the same matches are played. Measured values
are apart: under `measured` in the document, and in a section of their own on the page.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from tournaments.config.luck import LuckOrigin
from tournaments.rating.equilibrium import EquilibriumLine
from tournaments.rating.head_to_head import HeadToHead
from tournaments.rating.memory import MemoryLine
from tournaments.rating.standings import Standings, history, times
from tournaments.report.page import page
from tournaments.results import Played
from tournaments.store.chain import Head

_RISKY = ("=", "+", "-", "@", "\t", "\r")


def standings_json(standings: Standings) -> bytes:
    """Return the standings as canonical JSON: the same results, the same bytes."""
    return msgspec.json.encode(standings, order="sorted")


def json(standings: Standings, played: Sequence[Played]) -> bytes:
    """Return a document for programs: the standings, their history, and apart the measured values."""
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
    heads += ["score", "matches", "blocks", "deals_again", "first_percent", "later_percent", "memory_p"]
    heads += ["memory_named", "nash", "nash_elo", "alpha_rank", *(f"fault_{code}" for code in codes)]
    again = {line.name: line for line in standings.memory}
    mixed = {line.name: line for line in standings.equilibrium}
    rows = [
        [
            _safe(line.name),
            line.elo,
            line.se,
            *(line.interval or (None, None)),
            *(line.points, line.percent, line.wins, line.draws, line.losses),
            *(line.score, line.matches, line.blocks),
            *_memory_cells(again.get(line.name)),
            *_equilibrium_cells(mixed.get(line.name)),
            *(line.faults.get(code, 0) for code in codes),
        ]
        for line in standings.table
    ]
    return _csv(heads, rows)


def _memory_cells(line: MemoryLine | None) -> list[object]:
    if line is None:
        return [0, None, None, None, None]
    return [line.deals, line.first, line.later, line.p, int(line.named)]


def _equilibrium_cells(line: EquilibriumLine | None) -> list[object]:
    return [None] * 3 if line is None else [line.nash, line.nash_elo, line.alpha_rank]


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


def pairs_csv(standings: Standings) -> str:
    """Return a line for every two bots as CSV (RFC 4180): by their own matches, and by all results."""
    most = max((len(pair.block_scores) for pair in standings.pairs), default=0)
    heads = ["bot", "other", "wins", "draws", "losses", "percent", "elo", "se", "low", "high", "deals"]
    heads += ["superior", "saved_percent", "saved_low", "saved_high"]
    heads += [f"blocks_{halves / 2:g}" for halves in range(most)]
    met = {(pair.name, pair.other): pair for pair in standings.pairs}
    rows = []
    for one, other in combinations(sorted(standings.likelihoods), 2):
        superior = standings.likelihoods[one].get(other)
        pair = met.get((one, other))
        if pair is None and superior is None:
            continue
        rows.append([_safe(one), _safe(other), *_pair_cells(pair, superior, most)])
    return _csv(heads, rows)


def _pair_cells(pair: HeadToHead | None, superior: float | None, most: int) -> list[object]:
    if pair is None:
        return [0, 0, 0, *[None] * 5, 0, superior, *[None] * 3, *[0] * most]
    saved = pair.saved
    return [
        *(pair.wins, pair.draws, pair.losses, pair.percent),
        *(pair.elo.value, pair.elo.error, *(pair.elo.interval or (None, None)), pair.elo.deals),
        superior,
        *((None,) * 3 if saved is None else (saved.value, *(saved.interval or (None, None)))),
        *pair.block_scores,
        *[0] * (most - len(pair.block_scores)),
    ]


def _safe(name: str) -> str:
    """Return a name that a spreadsheet does not evaluate as a formula."""
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
    pages: Mapping[str, str] | None = None,
    refresh_s: int | None = None,
    head: Head | None = None,
    luck: LuckOrigin | None = None,
) -> str:
    """Return the whole page; it needs no network, and its script only sorts tables.

    `replays` is the folder of replays, as a reader would name it. `pages` has by id of a match the address of
    its own page, relative to this one (`tournaments.report.match_pages`). With `refresh_s` the page reloads
    itself.
    `head` is the head of the results' chain, if they are chained, `luck` says where the luck comes from.
    """
    return page(standings, played, replays, pages or {}, refresh_s, head, luck)
