"""The page of a tournament: the values that the template `report.html` shows."""

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from referee.match.faults import MEANING, FaultCode
from referee.match.result import SeatResult
from referee.player.linker import web_file
from referee.wording import in_ms, plural
from tournaments.config.luck import LuckOrigin
from tournaments.rating.equilibrium import EquilibriumLine
from tournaments.rating.standings import RatingStep, StandingLine, Standings, history, times
from tournaments.report.bracket import bracket_of, decision_text
from tournaments.report.facts import ReportFacts, moment_text
from tournaments.report.markup import render, source
from tournaments.report.picture import error_bars, look, over_time
from tournaments.report.words import (
    chance,
    draws_sentence,
    estimate_text,
    interval_text,
    lot_sentence,
    memory_warning,
    mirroring_sentence,
    percent,
    place_text,
    range_text,
    rating_text,
    whole_percent,
)
from tournaments.results import Played
from tournaments.store.chain import Head

MOST_MATCHES = 1_000
"""Matches that are listed; all of them are in the table of matches as CSV."""

MOST_LINES = 12
"""Bots whose rating is drawn over time."""

MOST_CROSSED = 40
"""Bots in the cross table."""

MOST_LIKELY = 40
"""With more bots the table of likelihoods is in JSON and CSV only."""

MOST_PAIRS = 200
"""Pairs that are listed; all of them are in the table of pairs as CSV."""

MOST_MISFITS = 8
"""Pairs that are listed with what the ratings predict, if the fit is poor."""


def page(
    standings: Standings,
    played: Sequence[Played],
    replays: str,
    pages: Mapping[str, str],
    refresh_s: int | None,
    head: Head | None,
    luck: LuckOrigin | None,
    facts: ReportFacts | None = None,
) -> str:
    """Return the page. `tournaments.report.export.html` describes the arguments."""
    return render(
        "report.html",
        style=report_style(),
        script=source("report.js"),
        refresh_s=refresh_s,
        has_pages=bool(pages),
        **report_values(
            standings,
            played,
            history(played, [line.name for line in standings.table], standings.anchor),
            lambda match: quote(pages[match]) if match in pages else "",
            head,
            luck,
            facts,
        ),
        example=next((str(Path(replays, match.replay)) for match in played if match.replay), ""),
    )


def report_style() -> str:
    """Return the style sheet of the report, with the colours that all pages share."""
    return web_file("theme.css") + source("report.css")


def report_values(
    standings: Standings,
    played: Sequence[Played],
    steps: Sequence[RatingStep],
    address: Callable[[str], str],
    head: Head | None,
    luck: LuckOrigin | None,
    facts: ReportFacts | None = None,
) -> dict[str, object]:
    """Return the values that the templates of a report show, by name.

    `steps` are the ratings over time. `address` returns where the page of a match is, or an empty text.
    """
    names = [line.name for line in standings.table]
    rated = [line for line in standings.shown if line.elo is not None]
    drawn = rated[:MOST_LINES]
    crossed = names[:MOST_CROSSED] if any(standings.cross.values()) else []
    codes = sorted({code for line in standings.table for code in line.faults})
    return {
        "standings": standings,
        "bracket": bracket_of(standings.rounds) if standings.format == "knockout" else None,
        "bars": error_bars(standings.shown),
        "crossed": crossed,
        "crossed_columns": [(place, "") for place in range(1, len(crossed) + 1)],
        "compared": _compared(standings, crossed),
        "likely": len(names) <= MOST_LIKELY and any(standings.likelihoods.values()),
        "misfits": standings.misfit.pairs[:MOST_MISFITS] if standings.misfit.poor else (),
        "equilibria": _equilibria(standings),
        "pairs": standings.pairs[:MOST_PAIRS],
        "scored": _scored(standings),
        "several_seats": len({line.seats for line in standings.seats}) > 1,
        "rotations": any(line.a_rotation is not None for line in standings.memory),
        "course": over_time(steps, [line.name for line in drawn]),
        "drawn": drawn,
        "rated": len(rated),
        "codes": codes,
        "fault_columns": [(code, "number") for code in codes],
        "lost": [match for match in played if any(match.result.faults)],
        "played": played,
        "most_matches": MOST_MATCHES,
        "address": address,
        "times": times(played, names),
        "head": head,
        "luck": luck,
        "facts": facts,
        "authors": facts.authors if facts is not None else {},
        "moment_text": moment_text,
        **text_functions(),
    }


def text_functions() -> dict[str, object]:
    """Return the functions by which templates write numbers and words, by name."""
    return {
        "by_rank": by_rank,
        "decision_text": decision_text,
        "lot_sentence": lot_sentence,
        "place_text": place_text,
        "plural": plural,
        "chance": chance,
        "in_ms": in_ms,
        "digest": digest,
        "draws_sentence": draws_sentence,
        "estimate_text": estimate_text,
        "mirroring_sentence": mirroring_sentence,
        "range_text": range_text,
        "sureness": _sureness,
        "whole_percent": whole_percent,
        "interval_text": interval_text,
        "look": look,
        "meaning": _meaning,
        "memory_warning": memory_warning,
        "percent": percent,
        "rating_text": rating_text,
        "tint": _tint,
    }


def digest(content: str) -> str:
    """Return the digest by which the page's security policy allows a style sheet or a script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _tint(percent: float) -> str:
    """Return the class of a cell of the cross table: g1 (lost nearly all) to g4, none for an even score."""
    return "" if percent == 50 else f" g{1 + min(3, int(percent // 25))}"


def _sureness(share: float) -> str:
    """Return the class of a cell of the likelihoods: marked if the order is hardly due to chance."""
    return " g4" if share >= 0.975 else " g1" if share <= 0.025 else ""


def _equilibria(standings: Standings) -> list[tuple[StandingLine, EquilibriumLine]]:
    """Return the bots in the order of the table; none if there are too many to look at."""
    own = {line.name: line for line in standings.equilibrium}
    if len(own) > MOST_LIKELY:
        return []
    return [(line, own[line.name]) for line in standings.table if line.name in own]


def _scored(standings: Standings) -> str:
    """Return for which points of a block the counts stand; '' if no block was played in all rotations."""
    longest = max((len(pair.block_scores) for pair in standings.pairs), default=0)
    return ", ".join(f"{halves / 2:g}" for halves in range(longest))


def _compared(standings: Standings, bots: Sequence[str]) -> str:
    """Return how often two of these bots were compared, in a sentence."""
    counts = {meeting.compared for bot in bots for meeting in standings.cross[bot].values()}
    if not counts:
        return ""
    least, most = min(counts), max(counts)
    times = f"{most} times" if least == most else f"{least} to {most} times"
    return f"Two bots that met were compared {times}."


def by_rank(match: Played) -> list[tuple[str, SeatResult]]:
    """Return every bot with the result of its seat, the best first."""
    return sorted(match.seats(), key=lambda pair: pair[1].rank)


def _meaning(code: str) -> str:
    return MEANING[FaultCode(code)]
