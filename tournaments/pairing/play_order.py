"""The order of play: between two matches of one deal come matches of other deals. Pure.

A process that plays a deal is new and can know nothing of it by the rule of the hub. The order makes what a
bot would have to remember in spite of that larger and older: many deals, for the time of many matches.

Matches are played in batches of deals. In a batch every block first plays one rotation, then every block the
next one. If several groups play the same deals, one group plays a rotation of all deals of the batch, and
then the next group. Which rotation of a block comes first is a lot that follows from the seed: a bot that
does better in later rotations than in the first does not owe that to the seats.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from itertools import groupby, zip_longest
from json.encoder import encode_basestring_ascii

from referee.hub.fixture import Fixture

DISTANCE = 16
"""The number of deals that each bot of a batch plays at least, if the plan has as many."""

_Deal = list[list[Fixture]]
"""The blocks of one deal, each with its rotations in the order of play."""


def order_of_play(planned: Iterable[Fixture], seed: str) -> list[Fixture]:
    """Return the same matches in the order in which they are played, round by round."""
    return [
        fixture
        for _, of_round in groupby(planned, key=lambda fixture: fixture.round)
        for batch in _batches(_deals(of_round, seed))
        for fixture in _interleaved(batch)
    ]


def _deals(planned: Iterable[Fixture], seed: str) -> list[_Deal]:
    """Return the deals with their blocks, all in the order in which they are planned."""
    lot = _Lot(seed)
    deals: dict[str, dict[str, list[Fixture]]] = {}
    for fixture in planned:
        deals.setdefault(fixture.deal, {}).setdefault(fixture.block, []).append(fixture)
    return [[sorted(block, key=lot.of) for block in blocks.values()] for blocks in deals.values()]


def _batches(deals: Iterable[_Deal]) -> list[list[_Deal]]:
    """Return deals in batches, each as small as it can be with enough deals for each of its bots.

    The last one also gets the deals that are too few for a batch.
    """
    batches: list[list[_Deal]] = []
    rest: list[_Deal] = []
    lacking: dict[str, int] = {}
    # How many deals each bot of the batch lacks; and of how many bots that is more than none.
    short = 0
    for deal in deals:
        rest.append(deal)
        for bot in {bot for block in deal for fixture in block for bot in fixture.bots}:
            left = lacking.get(bot, DISTANCE)
            short += (left == DISTANCE) - (left == 1)
            lacking[bot] = left - 1
        if not short:
            batches.append(rest)
            rest, lacking = [], {}
    return [*batches[:-1], batches[-1] + rest] if batches else [rest]


def _interleaved(batch: list[_Deal]) -> Iterator[Fixture]:
    """Return the matches of a batch: rotation by rotation, in it group by group, in it deal by deal."""
    columns = zip_longest(*batch, fillvalue=[])
    for turn in zip_longest(*(zip_longest(*column) for column in columns), fillvalue=()):
        for of_group in turn:
            yield from (fixture for fixture in of_group if fixture is not None)


class _Lot:
    """What decides which rotation comes first: unpredictable without the seed, and always the same."""

    def __init__(self, seed: str) -> None:
        # The list `["order", seed, match]` as JSON: of large events only its last word is made anew.
        self._begun = hashlib.sha256(json.dumps(["order", seed])[:-1].encode())

    def of(self, fixture: Fixture) -> bytes:
        """Return the lot of a match."""
        lot = self._begun.copy()
        lot.update(f", {encode_basestring_ascii(fixture.match)}]".encode())
        return lot.digest()
