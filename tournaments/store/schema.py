"""The tables of a store, and results as their rows. Older versions: see `tournaments.store.migrations`."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from tournaments.results import Played
from tournaments.store.chain import Values

VERSION: Final = 3
"""The version of the schema; the last step of `tournaments.store.migrations` leads to it."""

tables = sa.MetaData()
matches = sa.Table(
    "matches",
    tables,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("game", sa.Text),
    sa.Column("round", sa.Integer),
    sa.Column("block", sa.Text),
    sa.Column("deal", sa.Text),
    sa.Column("ties", sa.Text),
    sa.Column("reason", sa.Text),
    sa.Column("decisions", sa.Integer),
    sa.Column("play", sa.Text),
    sa.Column("replay", sa.Text),
    sa.Column("finished", sa.Text),
    sa.Column("digest", sa.Text),
    sa.Column("number", sa.Integer),
    sa.Column("chain", sa.Text),
)
seats = sa.Table(
    "seats",
    tables,
    sa.Column("match_id", sa.Text, sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("bot", sa.Text),
    sa.Column("rank", sa.Integer),
    sa.Column("score", sa.Integer),
    sa.Column("fault", sa.Text),
    sa.Column("used_ms", sa.Integer),
)
notes = sa.Table(
    "notes",
    tables,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text),
    sa.Column("hash", sa.Text),
)


_BY_SEAT: Final = {
    "bots": "bot",
    "ranks": "rank",
    "scores": "score",
    "faults": "fault",
    "used_ms": "used_ms",
}
"""Fields of a result by seat, and their columns."""


def match_row(played: Played, finished: str, number: int) -> dict[str, Any]:
    """Return the row of a match, all but its link of the chain."""
    return {
        "id": played.match,
        "game": played.game,
        "round": played.round,
        "block": played.block,
        "deal": played.deal,
        "ties": played.ties,
        "reason": played.reason,
        "decisions": played.decisions,
        "play": played.play,
        "replay": played.replay,
        "finished": finished,
        "digest": played.digest,
        "number": number,
    }


def seat_rows(played: Played) -> list[dict[str, Any]]:
    """Return the rows of a match's seats."""
    return [
        {
            "match_id": played.match,
            "seat": seat,
            "bot": bot,
            "rank": played.ranks[seat],
            "score": played.scores[seat],
            "fault": played.faults[seat],
            "used_ms": played.used_ms[seat],
        }
        for seat, bot in enumerate(played.bots)
    ]


def played_from(match: Values, seats: Sequence[Values]) -> Played:
    """Return the match of these rows; ValueError if no match has such rows."""
    told = dict(match)
    told["match"] = told.pop("id")
    for name, column in _BY_SEAT.items():
        told[name] = [seat[column] for seat in seats]
    return msgspec.convert(told, Played)
