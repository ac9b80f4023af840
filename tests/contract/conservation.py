"""What may neither be lost nor made: for each game, all pieces that its `reveal` shows.

A game that is added needs an entry here: the one thing the contract cannot find out by itself.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from referee.game import View


def _coins(table: View) -> Iterator[str]:
    yield from map(str, chain(table["order"], table["discard"], *table["hands"]))


PIECES: dict[str, Callable[[View], Iterator[Any]]] = {"coins": _coins}
