"""How simulated matches end: a function of the match and of its cards, so that two stores can be compared."""

from hashlib import sha256
from typing import Final

import msgspec
from msgspec.structs import replace

from referee.chance import commitment
from referee.hub.counters import DecisionTimes
from referee.match.result import Result, SeatResult
from referee.replay.format import FORMAT, Header
from referee.worker.orders import MatchOrder, MatchOver

_encode: Final = msgspec.json.Encoder().encode

LIES: Final = ("other cards", "another match", "no replay")


def length_of(order: MatchOrder) -> float:
    """Return how long a match is beside others: from a half to one and a half."""
    return 0.5 + _digest(order)[0] / 255


def over(order: MatchOrder) -> MatchOver:
    """Return what an honest host sends of a match."""
    found = _digest(order)
    scores = [found[1 + seat] // 8 for seat in range(len(order.bots))]
    ranks = [1 + sum(other > score for other in scores) for score in scores]
    names = order.names or order.bots
    seats = tuple(
        SeatResult(name, rank, score) for name, rank, score in zip(names, ranks, scores, strict=True)
    )
    result = Result(order.match, order.game, seats, "simulated", "draw", found[0])
    return MatchOver(order.match, result, found.hex(), (_header(order),), None, DecisionTimes())


def lie(order: MatchOrder, kind: str) -> MatchOver:
    """Return what a host sends that does not play what it was given."""
    truth = over(order)
    match kind:
        case "other cards":
            return replace(over(replace(order, key=bytes(32))), match=order.match)
        case "another match":
            return replace(truth, result=replace(truth.result, match=f"{order.match}-other"))
        case _:
            return replace(truth, replay=())


def _digest(order: MatchOrder) -> bytes:
    return sha256(b"truth:" + order.key + order.match.encode()).digest()


def _header(order: MatchOrder) -> bytes:
    return _encode(
        Header(
            format=FORMAT,
            match=order.match,
            game=order.game,
            options=order.options,
            names=order.names or order.bots,
            bots=(),
            profile=order.profile.name,
            strikes=order.profile.strikes,
            clock=order.profile.clock,
            grace_ms=(0,) * len(order.bots),
            commit=commitment(order.key, order.match),
            referee="",
            started="",
            seed="",
            deal=order.deal,
        )
    )
