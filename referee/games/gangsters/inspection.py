"""What the contract suite asks of the game: its pieces."""

from collections.abc import Iterator
from itertools import chain

from referee.game import View


def pieces(revealed: View) -> Iterator[str]:
    """Yield the tiles on the board, in reserves, in piles, in a hand, and out of the game."""
    yield from (code.rstrip("x") for code in revealed["board"] if code)
    for gang, reserve in zip(revealed["gangs"], revealed["reserves"], strict=True):
        yield from (f"{gang}{strength}" for strength in reserve)
    yield from chain(revealed["common"], revealed["removed"], *revealed["tiles"])
    yield from () if revealed["drawn"] is None else (revealed["drawn"],)
