"""The database tables of a store, and rows as they stand in them.

A column has the name of the field it keeps, so a field is named here once.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import GenericAlias
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from referee.match.result import Result, SeatResult
from tournaments.results import Played

VERSION: Final = 3
"""The version of the schema; the first note of a store names it."""

_INTEGER: Final = sa.Integer().with_variant(sa.BigInteger(), "postgresql")
"""SQLite's integers have 64 bits by themselves."""
_TEXT: Final = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""Ordered by code points, as SQLite does, and not by the language of the database."""

tables = sa.MetaData()
matches = sa.Table(
    "matches",
    tables,
    sa.Column("number", _INTEGER, primary_key=True, autoincrement=False),
    sa.Column("match", _TEXT, nullable=False, unique=True),
    sa.Column("game", _TEXT, nullable=False),
    sa.Column("round", _INTEGER, nullable=False),
    sa.Column("block", _TEXT, nullable=False),
    sa.Column("deal", _TEXT, nullable=False),
    sa.Column("reason", _TEXT, nullable=False),
    sa.Column("ties", _TEXT, nullable=False),
    sa.Column("decisions", _INTEGER, nullable=False),
    sa.Column("void", sa.Boolean, nullable=False),
    sa.Column("play", _TEXT, nullable=False),
    sa.Column("replay", _TEXT, nullable=False),
    sa.Column("digest", _TEXT, nullable=False),
    sa.Column("host", _TEXT, nullable=False),
    sa.Column("speed", sa.Double, nullable=False),
    sa.Column("finished", _TEXT, nullable=False),
    sa.Column("chain", _TEXT, nullable=False),
)
seats = sa.Table(
    "seats",
    tables,
    sa.Column("number", _INTEGER, sa.ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    sa.Column("seat", _INTEGER, primary_key=True, autoincrement=False),
    sa.Column("bot", _TEXT, nullable=False, index=True),
    sa.Column("name", _TEXT, nullable=False),
    sa.Column("rank", _INTEGER, nullable=False),
    sa.Column("score", _INTEGER, nullable=False),
    sa.Column("fault", _TEXT, nullable=False),
    sa.Column("charged_ms", _INTEGER, nullable=False),
    sa.Column("took_us", _INTEGER, nullable=False),
    sa.Column("median_us", _INTEGER, nullable=False),
    sa.Column("slowest_us", _INTEGER, nullable=False),
)
notes = sa.Table(
    "notes",
    tables,
    sa.Column("number", _INTEGER, primary_key=True, autoincrement=False),
    sa.Column("results", _INTEGER, nullable=False),
    sa.Column("name", _TEXT, nullable=False),
    sa.Column("value", _TEXT, nullable=False),
    sa.Column("chain", _TEXT, nullable=False),
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


def _types(struct: type[msgspec.Struct], *but: str) -> dict[str, Any]:
    return {field.name: field.type for field in msgspec.structs.fields(struct) if field.name not in but}


_OF_RESULT: Final = _types(Result, "seats")
_OF_MATCH: Final = {"number": int} | _OF_RESULT | _types(Played, "bots", "result")
_OF_SEAT: Final = {"number": int, "bot": str} | _types(SeatResult)

MATCH_COLUMNS: Final = tuple(matches.c[name] for name in _OF_MATCH)
SEAT_COLUMNS: Final = tuple(seats.c[name] for name in _OF_SEAT)

_RESULT_ENDS: Final = len(_OF_RESULT)
_SEATS_AT: Final = Result.__struct_fields__.index("seats")
_BOTS_AT: Final = Played.__struct_fields__.index("bots")
_RESULT_AT: Final = Played.__struct_fields__.index("result")
"""Where the columns of one struct end, and where in a struct that belongs which is in no column."""


NO_SEATS: Final = slice(0)
"""Where the seats are of a match that has none."""


def all_played_from(
    rows: Iterable[Sequence[object]], seats_of_rows: Iterable[Sequence[object]]
) -> list[Played]:
    """Return the matches of rows with MATCH_COLUMNS; ValueError if no match has such rows.

    The rows of their seats have SEAT_COLUMNS, in the order of matches and seats. It is what `played_from`
    returns, column by column in a fifth of its time.
    """
    numbers, *of_match = _columns(rows, _OF_MATCH)
    owners, bots, *of_seat = _columns(seats_of_rows, _OF_SEAT)
    seats = tuple(map(SeatResult, *of_seat))
    places = spans(owners)
    own = [places.get(number, NO_SEATS) for number in numbers]
    of_result, of_played = of_match[:_RESULT_ENDS], of_match[_RESULT_ENDS:]
    of_result.insert(_SEATS_AT, [seats[span] for span in own])
    of_played.insert(_BOTS_AT, [bots[span] for span in own])
    of_played.insert(_RESULT_AT, map(Result, *of_result))
    return list(map(Played, *of_played))


def spans(owners: Sequence[Any]) -> dict[Any, slice]:
    """Return where the seats of each match are among all seats, given the number of the match of each.

    >>> spans([7, 7, 9])
    {7: slice(0, 2, None), 9: slice(2, 3, None)}
    """
    count = len(owners)
    begins = dict(zip(reversed(owners), range(count - 1, -1, -1), strict=True))
    ends = dict(zip(owners, range(1, count + 1), strict=True))
    return {owner: slice(begins[owner], end) for owner, end in ends.items()}


def _columns(rows: Iterable[Sequence[object]], types: Mapping[str, Any]) -> list[Any]:
    """Return the columns of rows with values of these types; raises ValueError if there is another one."""
    found = list(zip(*rows, strict=True)) or [()] * len(types)
    return [
        # SQLite has no truth values.
        msgspec.convert(column, GenericAlias(tuple, (wanted, ...)), strict=wanted is not bool)
        for column, wanted in zip(found, types.values(), strict=True)
    ]
