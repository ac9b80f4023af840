"""Version 3: results in a chain of hashes, the hash of each replay's file, and hashes of the notes."""

from itertools import groupby
from typing import Any

import sqlalchemy as sa
from alembic import op

from referee.replay.hashchain import START
from tournaments.store.chain import link, note_hash

revision = "3"
down_revision = "2"


def upgrade() -> None:
    """Add the columns; chain older matches in the order in which they came. Nobody hashed their replays."""
    op.add_column("matches", sa.Column("digest", sa.Text, nullable=False, server_default=""))
    op.add_column("matches", sa.Column("number", sa.Integer, nullable=False, server_default="0"))
    op.add_column("matches", sa.Column("chain", sa.Text, nullable=False, server_default=""))
    op.add_column("notes", sa.Column("hash", sa.Text, nullable=False, server_default=""))
    _chain_matches(op.get_bind())
    _hash_notes(op.get_bind())
    op.create_index("matches_in_order", "matches", ["number"], unique=True)


def _chain_matches(connection: sa.Connection) -> None:
    rows = _rows(connection, "SELECT * FROM seats ORDER BY match_id, seat")
    seats = {match: list(group) for match, group in groupby(rows, key=lambda row: row["match_id"])}
    matches = _rows(connection, "SELECT * FROM matches ORDER BY rowid")
    before = START
    for number, match in enumerate(matches, 1):
        before = link(before, {**match, "number": number}, seats[match["id"]])
        change = "UPDATE matches SET number = ?, chain = ? WHERE id = ?"
        connection.exec_driver_sql(change, (number, before, match["id"]))


def _rows(connection: sa.Connection, query: str) -> list[dict[str, Any]]:
    return [row._asdict() for row in connection.exec_driver_sql(query)]


def _hash_notes(connection: sa.Connection) -> None:
    for name, value in connection.exec_driver_sql("SELECT name, value FROM notes").all():
        connection.exec_driver_sql("UPDATE notes SET hash = ? WHERE name = ?", (note_hash(name, value), name))
