"""The rule about deals that come again: no process plays one it could know, and no match waits for ever."""

import heapq
from collections.abc import Sequence
from itertools import count

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.hub.deal_guard import DealGuard
from referee.hub.pairing import Pairing
from referee.process.spec import BotSpec, Program
from referee.registry import game

COINS = game("coins")


def bot(name: str, *, fresh: bool = True, file: str = "") -> BotSpec:
    return BotSpec(name, Program([file or f"/bots/{name}"], "/bots", {}), fresh=fresh)


def pairing(match: str, bots: Sequence[BotSpec], deal: int) -> Pairing:
    return Pairing(match, COINS, tuple(spec.name for spec in bots), deal.to_bytes(32, "big"))


def may_begin(guard: DealGuard, bots: Sequence[BotSpec], deal: int) -> bool:
    allowed, _ = guard.divide([(pairing("m", bots, deal), list(bots))])
    return bool(allowed)


def deal(guard: DealGuard, spec: BotSpec, process: str, number: int) -> None:
    """Start a process that plays a deal."""
    guard.started(spec, process)
    guard.dealt(spec, number.to_bytes(32, "big"))


ANN, BOB = bot("ann"), bot("bob")


def test_a_deal_waits_until_the_process_that_played_it_is_gone() -> None:
    guard = DealGuard()
    deal(guard, ANN, "first", 1)
    assert not may_begin(guard, [ANN, BOB], 1)
    assert may_begin(guard, [ANN, BOB], 2)
    guard.gone(ANN, "first")
    assert may_begin(guard, [ANN, BOB], 1)


def test_what_one_process_could_pass_on_to_the_next_is_known_to_it_too() -> None:
    guard = DealGuard()
    deal(guard, ANN, "first", 1)
    deal(guard, ANN, "second", 2)
    guard.gone(ANN, "first")
    deal(guard, ANN, "third", 3)
    guard.gone(ANN, "second")
    assert not may_begin(guard, [ANN, BOB], 1)
    guard.gone(ANN, "third")
    assert may_begin(guard, [ANN, BOB], 1)


def test_a_process_that_played_nothing_can_know_what_others_of_its_bot_know() -> None:
    guard = DealGuard()
    deal(guard, ANN, "first", 1)
    guard.started(ANN, "idle")
    guard.gone(ANN, "first")
    assert not may_begin(guard, [ANN, BOB], 1)


def test_one_program_under_two_names_is_one_bot() -> None:
    guard = DealGuard()
    deal(guard, ANN, "first", 1)
    assert not may_begin(guard, [bot("other", file="/bots/ann"), BOB], 1)
    assert may_begin(guard, [bot("other"), BOB], 1)


def test_one_program_in_two_folders_is_one_bot_and_two_programs_of_one_folder_are_two() -> None:
    def copied(folder: str, *argv: str) -> BotSpec:
        program = Program(["/usr/bin/python3", *argv], folder, {}, bundle="/bundles/ab12")
        return BotSpec(folder, program, fresh=True)

    guard = DealGuard()
    deal(guard, copied("/a", "/a/bot.py"), "first", 1)
    assert not may_begin(guard, [copied("/b", "/b/bot.py"), BOB], 1)
    assert may_begin(guard, [copied("/a", "/a/other.py"), BOB], 1)


def test_a_bot_that_may_remember_waits_for_nothing() -> None:
    guard = DealGuard()
    lasting = bot("ann", fresh=False)
    deal(guard, lasting, "first", 1)
    assert may_begin(guard, [lasting, BOB], 1)


def test_a_match_overtakes_no_other_that_waits_for_its_bot_and_bots_that_others_need_stay() -> None:
    guard = DealGuard()
    cleo = bot("cleo")
    deal(guard, ANN, "first", 1)
    ahead = [
        (pairing("before", [ANN, BOB], 2), [ANN, BOB]),
        (pairing("waits", [ANN, BOB], 1), [ANN, BOB]),
        (pairing("behind", [ANN, cleo], 3), [ANN, cleo]),
        (pairing("apart", [BOB, cleo], 1), [BOB, cleo]),
    ]
    allowed, leaving = guard.divide(ahead)
    assert [one.match for one in allowed] == ["before", "apart"]
    assert ANN not in leaving
    allowed, leaving = guard.divide(ahead[1:])
    assert [one.match for one in allowed] == ["apart"]
    assert ANN in leaving
    assert BOB not in leaving


class Plan(msgspec.Struct, frozen=True):
    """Matches to be played, and how long everything takes."""

    matches: list[tuple[tuple[int, ...], int]]
    """The bots of each match and its deal."""
    jobs: int
    lasts: list[int]
    """How long each match lasts, in turn."""
    lingers: list[int]
    """How long each process lives on after its match, in turn."""


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    bots = draw(st.integers(2, 5))
    seats = draw(st.integers(2, min(bots, 3)))
    groups = st.permutations(range(bots)).map(lambda order: tuple(order[:seats]))
    return Plan(
        draw(st.lists(st.tuples(groups, st.integers(0, 4)), min_size=1, max_size=25)),
        draw(st.integers(1, 4)),
        draw(st.lists(st.integers(1, 9), min_size=1, max_size=9)),
        draw(st.lists(st.integers(0, 30), min_size=1, max_size=9)),
    )


@given(plans())
def test_no_process_plays_a_deal_it_could_know_and_every_match_is_played(plan: Plan) -> None:
    specs = [bot(f"bot{number}") for number in range(5)]
    guard = DealGuard()
    waiting = [
        (pairing(str(n), [specs[b] for b in bots], number), [specs[b] for b in bots])
        for n, (bots, number) in enumerate(plan.matches)
    ]
    # What each living process could really know, by bot: what it played, and all that those beside it knew.
    alive: dict[str, dict[int, set[bytes]]] = {spec.name: {} for spec in specs}
    ends: list[tuple[int, int, str, int]] = []
    processes, events = count(), count()
    now, running = 0, 0
    while waiting or ends:
        allowed, _ = guard.divide(waiting)
        while allowed and running < plan.jobs:
            match = allowed[0]
            entry = next(one for one in waiting if one[0] is match)
            waiting.remove(entry)
            running += 1
            over = now + plan.lasts[next(events) % len(plan.lasts)]
            heapq.heappush(ends, (over, next(events), "", 0))
            for spec in entry[1]:
                process = next(processes)
                known = set().union(*alive[spec.name].values())
                assert match.key not in known, "it could know the deal"
                guard.started(spec, process)
                guard.dealt(spec, match.key)
                alive[spec.name][process] = known
                for beside in alive[spec.name].values():
                    beside |= known | {match.key}
                lingers = plan.lingers[process % len(plan.lingers)]
                heapq.heappush(ends, (over + lingers, next(events), spec.name, process))
            allowed, _ = guard.divide(waiting)
        assert ends, "matches wait, but nothing is left that could end"
        now, _, name, process = heapq.heappop(ends)
        if not name:
            running -= 1
            continue
        del alive[name][process]
        guard.gone(next(spec for spec in specs if spec.name == name), process)
    assert not waiting


@pytest.mark.parametrize("process", ["never started", "first"])
def test_the_end_of_a_process_may_be_reported_twice(process: str) -> None:
    guard = DealGuard()
    guard.started(ANN, "first")
    for _ in range(2):
        guard.gone(ANN, process)
    assert may_begin(guard, [ANN, BOB], 1)
