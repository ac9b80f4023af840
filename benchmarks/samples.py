"""Real messages and real matches, played by hand without any process."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from statistics import mean

from msgspec import Struct

from protocol.codec import Encoding, encode
from protocol.messages import Act, Ask
from referee import registry
from referee.chance import deal_key
from referee.match.faults import PROFILES
from referee.match.match import Match, Sends
from referee.match.seat import SeatConfig

GAME = "chicago-poker"
SEATS = 2


class Exchange(Struct, frozen=True):
    """An ask and what the benchmark's bot answers."""

    ask: Ask
    act: Act


class Traffic(Struct, frozen=True):
    """The messages of typical matches."""

    exchanges: tuple[Exchange, ...]
    request_bytes: dict[Encoding, int]
    """The mean length of an ask."""
    answer_bytes: dict[Encoding, int]
    """The mean length of an act."""


def played(number: int) -> tuple[Match, list[Exchange]]:
    """Return a match that is over, and what was said in it."""
    key = deal_key("benchmarks", str(number))
    seats = [SeatConfig(f"bot{seat}") for seat in range(SEATS)]
    match = Match(f"bench{number}", registry.game(GAME), seats, key, PROFILES["strict"])
    match.begin(0)
    sends: Sends = list(chain.from_iterable(match.ready(seat, 0) for seat in range(SEATS)))
    exchanges: list[Exchange] = []
    while match.result is None:
        ((seat, ask),) = sends
        assert isinstance(ask, Ask)
        assert ask.legal
        exchanges.append(Exchange(ask, Act(ask.match, ask.id, ask.legal[0])))
        sends = match.act(seat, ask.id, ask.legal[:1], 0, 0)
    return match, exchanges


def matches(decisions: int) -> Iterator[Match]:
    """Play matches until there are this many decisions."""
    number = 0
    while decisions > 0:
        match, _ = played(number)
        assert match.result is not None
        decisions -= match.result.decisions
        number += 1
        yield match


@cache
def traffic() -> Traffic:
    """Return the messages of a few typical matches."""
    exchanges = tuple(chain.from_iterable(played(number)[1] for number in range(10)))
    return Traffic(
        exchanges,
        {encoding: _mean_bytes((e.ask for e in exchanges), encoding) for encoding in Encoding},
        {encoding: _mean_bytes((e.act for e in exchanges), encoding) for encoding in Encoding},
    )


def _mean_bytes(messages: Iterable[Ask | Act], encoding: Encoding) -> int:
    return round(mean(len(encode(message, encoding)) for message in messages))
