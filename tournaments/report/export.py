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
from tournaments.pairing.rounds import Round
from tournaments.rating.equilibrium import EquilibriumLine
from tournaments.rating.head_to_head import HeadToHead
from tournaments.rating.memory import MemoryLine
from tournaments.rating.standings import Standings, history, times
from tournaments.report.facts import ReportFacts
from tournaments.report.page import page
from tournaments.results import Played
from tournaments.store.chain import Head

NO_VERSIONS: Mapping[str, Mapping[str, int]] = {}
"""All bots play in their first versions."""

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


def standings_csv(standings: Standings, authors: Mapping[str, Sequence[str]] | None = None) -> str:
    """Return the table of standings as CSV (RFC 4180), faults in a column for each kind."""
    of = authors or {}
    codes = sorted({code for line in standings.table for code in line.faults})
    heads = [
        "place",
        "place_to",
        "pool",
        "bot",
        "elo",
        "se",
        "low",
        "high",
        "points",
        "percent",
        "wins",
        "draws",
        "losses",
    ]
    heads += ["score", "matches", "blocks", "deals_again", "first_percent", "later_percent", "memory_p"]
    heads += ["memory_named", "nash", "nash_elo", "alpha_rank"]
    heads += ["swiss_points", "buchholz", "head_to_head", "rests", "out_in_round", "by_lot"]
    heads += ["version", "left_out", "authors"]
    heads += [f"fault_{code}" for code in codes]
    there = {line.name for line in standings.table}
    again = {line.name: line for line in standings.memory}
    mixed = {line.name: line for line in standings.equilibrium}
    rows = [
        [
            *(line.place, line.place_to, line.pool, safe_cell(line.name)),
            line.elo,
            line.se,
            *(line.interval or (None, None)),
            *(line.points, line.percent, line.wins, line.draws, line.losses),
            *(line.score, line.matches, line.blocks),
            *_memory_cells(again.get(line.name)),
            *_equilibrium_cells(mixed.get(line.name)),
            *(line.swiss_points, line.buchholz, line.head_to_head, line.rests, line.out_in, int(line.by_lot)),
            *(standings.versions.get(line.name, 1), standings.left_out.get(line.name, "")),
            safe_cell("; ".join(of.get(line.name, ()))),
            *(line.faults.get(code, 0) for code in codes),
        ]
        for line in standings.shown
    ]
    rows += [
        _left_out_cells(name, why, heads) for name, why in standings.left_out.items() if name not in there
    ]
    return csv_text(heads, rows)


def _left_out_cells(name: str, why: str, heads: Sequence[str]) -> list[object]:
    """Return the line of a bot that has no results because it is left out."""
    known: dict[str, object] = {"bot": safe_cell(name), "matches": 0, "blocks": 0, "left_out": why}
    return [known.get(head) for head in heads]


def _memory_cells(line: MemoryLine | None) -> list[object]:
    if line is None:
        return [0, None, None, None, None]
    return [line.deals, line.first, line.later, line.p, int(line.named)]


def _equilibrium_cells(line: EquilibriumLine | None) -> list[object]:
    return [None] * 3 if line is None else [line.nash, line.nash_elo, line.alpha_rank]


def matches_csv(played: Iterable[Played], versions: Mapping[str, Mapping[str, int]] = NO_VERSIONS) -> str:
    """Return a line for every match and seat as CSV (RFC 4180), in the order of the matches.

    `versions` has by id of a match the versions of its bots, if they are not the first.
    """
    heads = ["match", "game", "round", "block", "deal", "seat", "bot", "rank", "score", "fault", "reason"]
    heads += ["decisions", "play", "replay", "version"]
    rows = [
        [
            *(match.match, match.result.game, match.round, match.block, match.deal, number, safe_cell(bot)),
            *(seat.rank, seat.score, seat.fault, match.result.reason),
            *(match.result.decisions, match.play, match.replay),
            versions.get(match.match, {}).get(bot, 1),
        ]
        for match in played
        for number, (bot, seat) in enumerate(match.seats())
    ]
    return csv_text(heads, rows)


def rounds_csv(rounds: Iterable[Round]) -> str:
    """Return a line for every round and bot as CSV (RFC 4180); a bot that rests has no group."""
    heads = ["round", "title", "group", "bot", "points", "rests", "goes_on", "decided", "further_deals"]
    heads += ["matches", "played"]
    rows: list[list[object]] = []
    for one in rounds:
        for number, group in enumerate(one.groups, 1):
            title = group.title or one.title
            end = (group.decided, group.further, group.matches, group.played)
            rows += [
                [one.number, title, number, safe_cell(bot), points, 0, int(bot in group.through), *end]
                for bot, points in group.scores
            ]
        stays = int(any(group.goes_on for group in one.groups))
        rows += [
            [one.number, one.title, None, safe_cell(bot), None, 1, stays, "", 0, 0, 0] for bot in one.resting
        ]
    return csv_text(heads, rows)


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
        rows.append([safe_cell(one), safe_cell(other), *_pair_cells(pair, superior, most)])
    return csv_text(heads, rows)


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


def safe_cell(name: str) -> str:
    """Return a text that a spreadsheet does not evaluate as a formula."""
    return f"'{name}" if name.startswith(_RISKY) else name


def csv_text(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV (RFC 4180)."""
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
    facts: ReportFacts | None = None,
) -> str:
    """Return the whole page; it needs no network, and its script only sorts tables.

    `replays` is the folder of replays, as a reader would name it. `pages` has by id of a match the address of
    its own page, relative to this one (`tournaments.report.match_pages`). With `refresh_s` the page reloads
    itself.
    `head` is the head of the results' chain, if they are chained, `luck` says where the luck comes from, and
    `facts` what was played.
    """
    return page(standings, played, replays, pages or {}, refresh_s, head, luck, facts)
