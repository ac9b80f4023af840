"""The database tables of a store, and rows as they stand in them.

A column has the name of the field it keeps, so a field is named here once.
"""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from tournaments.results import Played

VERSION: Final = 2
"""The version of the schema; the first note of a store names it."""

tables = sa.MetaData()
matches = sa.Table(
    "matches",
    tables,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("match", sa.Text, nullable=False, unique=True),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("block", sa.Text, nullable=False),
    sa.Column("deal", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("ties", sa.Text, nullable=False),
    sa.Column("decisions", sa.Integer, nullable=False),
    sa.Column("void", sa.Boolean, nullable=False),
    sa.Column("play", sa.Text, nullable=False),
    sa.Column("replay", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("finished", sa.Text, nullable=False),
    sa.Column("chain", sa.Text, nullable=False),
)
seats = sa.Table(
    "seats",
    tables,
    sa.Column("number", sa.Integer, sa.ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("bot", sa.Text, nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("rank", sa.Integer, nullable=False),
    sa.Column("score", sa.Integer, nullable=False),
    sa.Column("fault", sa.Text, nullable=False),
    sa.Column("charged_ms", sa.Integer, nullable=False),
    sa.Column("took_us", sa.Integer, nullable=False),
    sa.Column("median_us", sa.Integer, nullable=False),
    sa.Column("slowest_us", sa.Integer, nullable=False),
)
notes = sa.Table(
    "notes",
    tables,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("results", sa.Integer, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("chain", sa.Text, nullable=False),
)

Values = dict[str, Any]
"""A row by the names of its columns, as the database gives it: of any type, if the file was changed."""


class MatchRows(msgspec.Struct, frozen=True):
    """A match as it stands in the database."""

    match: Values
    seats: list[Values]


def match_rows(played: Played, number: int, finished: str) -> MatchRows:
    """Return the rows of a match, all but its link in the chain."""
    row = msgspec.structs.asdict(played)
    result = msgspec.structs.asdict(row.pop("result"))
    bots, seats = row.pop("bots"), result.pop("seats")
    return MatchRows(
        {"number": number, **result, **row, "finished": finished},
        [
            {"number": number, "seat": seat, "bot": bot, **msgspec.structs.asdict(result_of_seat)}
            for seat, (bot, result_of_seat) in enumerate(zip(bots, seats, strict=True))
        ],
    )


def played_from(rows: MatchRows) -> Played:
    """Return the match of these rows; ValueError if no match has such rows."""
    # Columns that are no field are ignored.
    result = rows.match | {"seats": rows.seats}
    bots = [seat["bot"] for seat in rows.seats]
    return msgspec.convert(rows.match | {"result": result, "bots": bots}, Played)
