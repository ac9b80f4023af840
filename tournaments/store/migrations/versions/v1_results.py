"""Version 1: a row for every match, a row for every seat of it, and notes about the store."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "notes",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "matches",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("block", sa.Text, nullable=False),
        sa.Column("deal", sa.Text, nullable=False),
        sa.Column("ties", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("decisions", sa.Integer, nullable=False),
        sa.Column("play", sa.Text, nullable=False),
        sa.Column("replay", sa.Text, nullable=False),
    )
    op.create_table(
        "seats",
        sa.Column("match_id", sa.Text, sa.ForeignKey("matches.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("score", sa.Integer, nullable=False),
        sa.Column("fault", sa.Text, nullable=False),
        sa.Column("used_ms", sa.Integer, nullable=False),
    )
