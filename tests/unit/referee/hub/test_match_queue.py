"""The queue of matches knows how many of each deal wait, after every change."""

from collections import Counter

from referee.hub.deal_guard import DealGuard
from referee.hub.match_queue import MatchQueue
from referee.hub.pairing import Pairing
from referee.hub.roster import Roster
from referee.process.spec import BotSpec, program
from referee.registry import game

BOTS = [BotSpec(name, program(["true"])) for name in ("ann", "bob")]


def match(name: str, deal: bytes) -> Pairing:
    return Pairing(name, game("chicago-poker"), ("ann", "bob"), deal)


def test_a_queue_counts_its_deals_and_its_changes() -> None:
    queue = MatchQueue(Roster(BOTS), DealGuard())
    one, two, three = match("1", b"x"), match("2", b"x"), match("3", b"y")
    stamps = [queue.stamp]

    def check(*waiting: Pairing) -> None:
        assert list(queue) == list(waiting)
        deals = Counter(pairing.key for pairing in waiting)
        assert [queue.of_deal(key) for key in (b"x", b"y")] == [deals[b"x"], deals[b"y"]]
        assert queue.stamp not in stamps
        stamps.append(queue.stamp)

    for pairing in (one, two, three):
        queue.add(pairing)
    check(one, two, three)
    queue.remove([two])
    check(one, three)
    queue.put_back([two])
    check(two, one, three)
    queue.clear()
    check()
