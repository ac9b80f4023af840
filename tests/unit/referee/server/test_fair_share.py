"""The fair share of accounts, in fake time."""

from collections import Counter
from itertools import count

import pytest

from referee.server.fair_share import FairShare

S = 1_000_000_000
STEP_NS = S // 20


class FakeLadder:
    """Accounts at tables: each account keeps a match waiting for its own time, one after the other."""

    def __init__(
        self, tables: int, capacities: dict[str, int], own_s: dict[str, float], seats: int = 2
    ) -> None:
        self.share = FairShare(tables, seats)
        self.tables, self.seats = tables, seats
        self.here, self.own_s = capacities, own_s
        self.running: dict[str, dict[str, float]] = {}
        """By match: what each account still keeps it waiting."""
        self.held: Counter[str] = Counter()
        """By account: how many steps tables have waited for it."""
        self.ended: Counter[tuple[str, ...]] = Counter()
        self.now_ns = S
        self.most = 0
        """The most tables at which accounts sat that are slow."""
        self._ids = map(str, count())
        self._last: Counter[str] = Counter()

    def _begin(self) -> bool:
        if len(self.running) >= self.tables:
            return False
        sitting = Counter(name for left in self.running.values() for name in left)
        groups = [tuple(left) for left in self.running.values()]
        for names in self.share.candidates(self.here, groups, self.now_ns):
            # Slow accounts first, as a ladder does that has few of their matches.
            free = sorted(
                (name for name in names if sitting[name] < self.here[name]),
                key=lambda name: (-self.own_s[name], self._last[name], name),
            )
            if len(free) >= self.seats:
                match = next(self._ids)
                self.running[match] = {name: self.own_s[name] for name in free[: self.seats]}
                self._last.update(free[: self.seats])
                return True
        return False

    def step(self) -> None:
        while self._begin():
            pass
        slow = {name for name, own_s in self.own_s.items() if own_s > 1}
        self.most = max(self.most, sum(not slow.isdisjoint(left) for left in self.running.values()))
        waiting = []
        for match, left in list(self.running.items()):
            name = next((name for name in left if left[name] > 1e-9), None)
            if name is None:
                del self.running[match]
                self.share.ended(match, left)
                self.ended[tuple(sorted(left))] += 1
                continue
            waiting.append((match, name))
            self.held[name] += 1
            left[name] -= STEP_NS / S
        self.share.charge(waiting, STEP_NS)
        self.now_ns += STEP_NS

    @property
    def honest_matches(self) -> int:
        return sum(n for group, n in self.ended.items() if all(name.startswith("h") for name in group))

    def run(self, seconds: float) -> "FakeLadder":
        for _ in range(int(seconds * S / STEP_NS)):
            self.step()
        return self


def accounts(honest: int, slow: int, capacity: int = 1) -> dict[str, int]:
    return dict.fromkeys((f"h{n}" for n in range(honest)), capacity) | dict.fromkeys(
        (f"s{n}" for n in range(slow)), 256
    )


def paces(honest: int, slow: int, own_s: float) -> dict[str, float]:
    return dict.fromkeys((f"h{n}" for n in range(honest)), 0.1) | dict.fromkeys(
        (f"s{n}" for n in range(slow)), own_s
    )


@pytest.mark.parametrize("tables", [1, 3, 8])
@pytest.mark.parametrize(("honest", "slow", "own_s"), [(2, 1, 10.0), (6, 1, 3.0), (6, 3, 3.0), (4, 4, 10.0)])
def test_honest_accounts_keep_their_part_of_the_matches(
    tables: int, honest: int, slow: int, own_s: float
) -> None:
    ladder = FakeLadder(tables, accounts(honest, slow), paces(honest, slow, own_s)).run(300)
    alone = FakeLadder(tables, accounts(honest, 0), paces(honest, 0, own_s)).run(300)
    # A match that has begun is played to its end: this is a little of 300 seconds.
    assert ladder.honest_matches > 0.9 * honest / (honest + slow) * alone.honest_matches
    assert sum(ladder.ended.values()) > ladder.honest_matches, "slow accounts are not shut out"


@pytest.mark.parametrize(("honest", "slow", "most"), [(8, 1, 1), (8, 3, 1), (8, 8, 2)])
def test_slow_accounts_never_sit_at_all_tables_that_others_could_fill(
    honest: int, slow: int, most: int
) -> None:
    ladder = FakeLadder(4, accounts(honest, slow), paces(honest, slow, 0.1)).run(10)
    ladder.own_s = paces(honest, slow, 20.0)
    # They were quick until now, and may have begun more matches in that time.
    ladder.run(60)
    ladder.most = 0
    ladder.run(200)
    assert ladder.most == most


def test_accounts_that_are_alike_use_all_tables() -> None:
    for capacity, own_s in ((1, 0.1), (256, 0.1), (256, 5.0)):
        ladder = FakeLadder(3, accounts(7, 0, capacity), dict.fromkeys(accounts(7, 0), own_s)).run(200)
        steps = 200 * S / STEP_NS * 3
        # One step of each match is its end.
        assert sum(ladder.held.values()) + sum(ladder.ended.values()) > 0.95 * steps
        assert max(ladder.held.values()) < 1.3 * min(ladder.held.values())


def test_tables_that_others_cannot_fill_are_left_to_the_two_that_can() -> None:
    here = {"a": 256, "b": 256, "c": 1}
    ladder = FakeLadder(4, here, {"a": 5.0, "b": 5.0, "c": 0.1}).run(300)
    assert sum(ladder.held.values()) + sum(ladder.ended.values()) > 0.9 * 4 * 300 * S / STEP_NS


def test_a_match_that_needs_every_account_is_not_delayed_by_debts() -> None:
    ladder = FakeLadder(1, {"h": 1, "s": 256}, {"h": 0.1, "s": 20.0}).run(205)
    assert ladder.ended["h", "s"] == 10


def test_a_new_account_gets_no_more_than_the_others_have_now() -> None:
    ladder = FakeLadder(2, accounts(4, 0), paces(4, 0, 5.0)).run(100)
    ladder.here, ladder.own_s = accounts(4, 1), paces(4, 1, 10.0)
    ladder.held.clear()
    ladder.run(100)
    assert ladder.held["s0"] * STEP_NS / S <= 2 * 100 / 5 + 10


@pytest.mark.parametrize("tables", [2, 3, 4])
def test_tables_that_debtors_leave_free_go_to_quick_accounts_first(tables: int) -> None:
    here = accounts(6, 1)
    unequal = paces(6, 1, 5.0) | {"h3": 0.2, "h4": 0.3, "h5": 0.4}
    ladder = FakeLadder(tables, here, unequal).run(300)
    alone = FakeLadder(tables, accounts(6, 0), unequal).run(300)
    assert ladder.honest_matches > 0.9 * 6 / 7 * alone.honest_matches
    assert ladder.held["s0"] < 1.2 * tables / 7 * 300 * S / STEP_NS


@pytest.mark.parametrize(("tables", "own_s"), [(2, 2.0), (4, 10.0), (8, 30.0)])
def test_one_slow_account_that_offers_twenty_matches_at_once_costs_the_others_no_more_than_its_share(
    tables: int, own_s: float
) -> None:
    honest = 9
    here = accounts(honest, 0) | {"s0": 20}
    ladder = FakeLadder(tables, here, paces(honest, 1, own_s)).run(400)
    alone = FakeLadder(tables, accounts(honest, 0), paces(honest, 0, own_s)).run(400)
    # Its share is a tenth. A match that has begun is played to its end, so the bound is 15 %, not 10 %.
    assert ladder.honest_matches > 0.85 * alone.honest_matches
    assert sum(ladder.ended.values()) > ladder.honest_matches, "and it is not shut out"
