"""What Alembic runs: the steps, inside the transaction the store has begun."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
