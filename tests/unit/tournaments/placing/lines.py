"""Lines of a table to be placed."""

from msgspec import Struct


class Line(Struct, frozen=True):
    """What the orders of a table use of a bot."""

    name: str
    points: float = 0.0
    wins: int = 0
    elo: float | None = None
    percent: float = 0.0
