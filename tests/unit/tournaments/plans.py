"""Plans for tests of schedules."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from referee.hub.fixture import Fixture
from referee.match.faults import PROFILES
from tests.unit.tournaments.rows import row
from tournaments.config.entrants import Entrant
from tournaments.config.plan import Plan
from tournaments.pairing.schedule import rounds_of
from tournaments.results import Played


def plan(bots: int | tuple[str, ...] = 4, seats: int = 2, **terms: Any) -> Plan:
    """Return a plan of Coins among so many bots (or these), without a file."""
    names = bots if isinstance(bots, tuple) else tuple(f"bot{number:02}" for number in range(bots))
    settings: dict[str, Any] = {
        "file": Path("/nowhere/plan.toml"),
        "name": "test",
        "game": "coins",
        "seed": "s3cret",
        "profile": PROFILES["strict"],
        "options": {"rounds": 3, "peek": "yes"},
        "store": Path("/nowhere/plan.sqlite"),
        "replays": Path("/nowhere/replays"),
    }
    entrants = tuple(Entrant(name, Path("/nowhere"), sample="first") for name in names)
    return Plan(**settings | terms, seats=seats, bots=entrants)


def played(fixture: Fixture, ranks: tuple[int, ...] | None = None) -> Played:
    """Return the result of a match; by default the bot that comes first by name is best, and so on."""
    if ranks is None:
        ranks = tuple(1 + sorted(fixture.bots).index(bot) for bot in fixture.bots)
    place = {"round": fixture.round, "block": fixture.block, "deal": fixture.deal, "replay": ""}
    return row(fixture.bots, ranks, match=fixture.match, reason="most coins", **place)


def winner(terms: Plan, results: Sequence[Played]) -> str | None:
    """Return the winner of a knockout, or None as long as there is none."""
    final = rounds_of(terms, results)[-1].groups[0]
    return final.through[0] if final.title == "Final" and final.through else None
