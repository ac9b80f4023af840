"""Version 2: when each match was committed, and a quick way to the matches of one bot."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """Add the column, which nobody knows for older matches, and the index."""
    op.add_column("matches", sa.Column("finished", sa.Text, nullable=False, server_default=""))
    op.create_index("seats_of_bot", "seats", ["bot"])
