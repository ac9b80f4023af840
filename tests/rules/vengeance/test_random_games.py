"""What must hold in every game, whatever the options: conservation, bounds, events that suffice."""

from collections.abc import Iterator
from random import Random

import pytest

from referee.chance import KeyedChance
from referee.game import Event, Options
from referee.games.vengeance import GAME
from referee.games.vengeance.components import GANGS, HOODS, HQ
from referee.games.vengeance.contents import CONTENTS, FREE, NOBODY
from referee.games.vengeance.follow import Follower
from referee.games.vengeance.state import State

CHOICES = {option.name: option.choices for option in GAME.info.options if option.choices}


def games(seed: int) -> Iterator[tuple[int, Options, State, list[Event], Random]]:
    """Yield a game of random options for each number of seats; some are capped early."""
    for seats in (2, 3, 4):
        random = Random(seed * 10 + seats)
        options: Options = {
            name: random.choice(values) for name, values in CHOICES.items() if random.random() < 0.4
        }
        options |= {"lives": random.choice([0, 0, 1, 2]), "max_rounds": random.choice([5, 30, 60])}
        state, events = GAME.new(seats, KeyedChance(random.randbytes(32)), options)
        yield seats, options, state, events, random


def check_invariants(state: State) -> None:
    """Check what 1.4 says of every position."""
    hoods = [state.hq[gang] + state.pool[gang] for gang in range(len(GANGS))]
    bosses: dict[int, int] = {}
    free = [0] * (NOBODY + 1)
    for cell, code in enumerate(state.cells):
        what = CONTENTS[code]
        free[FREE[code]] |= 1 << cell
        if what is None:
            continue
        hoods[what.gang] += what.hoods
        if what.boss:
            bosses[what.gang] = cell
        if what.hostage is not None:
            assert what.hoods + what.boss == 1
            if what.hostage & 1:
                bosses[what.hostage >> 1] = cell
            else:
                hoods[what.hostage >> 1] += 1
    for gang in range(len(GANGS)):
        if state.rules.seat_of[gang] >= 0:
            assert hoods[gang] == HOODS
            on_circuit = 0 <= state.bosses[gang] < state.board.size
            assert bosses.get(gang) == (state.bosses[gang] if on_circuit else None)
            assert state.alive[gang] or not (on_circuit or state.bosses[gang] == HQ)
    assert state.hoods[:NOBODY] == free[:NOBODY]


@pytest.mark.parametrize("seed", range(10))
def test_figures_are_conserved_and_bounds_kept(seed: int) -> None:
    for seats, options, state, _, random in games(seed):
        longest, widest = GAME.longest(seats, options), GAME.widest(seats, options)
        actions = 0
        while state.to_act():
            (seat,) = state.to_act()
            legal = state.legal(seat)
            assert 0 < len(legal) == len(set(legal)) <= widest
            assert legal != ["stop"]
            assert len(legal) <= {"first": 26, "second": 9, "extra": 9}[state.phase] * len(state.due)
            actions += 1
            state.apply(seat, random.choice(legal))
            check_invariants(state)
        assert actions <= longest
        outcome = state.outcome()
        assert outcome is not None
        assert min(outcome.ranks) == 1


@pytest.mark.parametrize("seed", range(6))
def test_events_suffice_and_a_view_is_the_whole_state(seed: int) -> None:
    for seats, _, state, events, random in games(1000 + seed):
        followers = [Follower(seat) for seat in (*range(seats), None)]
        while True:
            for seat, follower in zip((*range(seats), None), followers, strict=True):
                for event in events:
                    follower.hear(event.seen_by(seat))
                assert follower.view() == state.view(seat)
            if not state.to_act():
                break
            imagined = GAME.imagine(state.view(None), KeyedChance(bytes(32)))
            assert imagined.legal(state.active) == state.legal(state.active)
            assert imagined.to_act() == state.to_act()
            if seats > 2 and random.random() < 0.01:
                events = state.withdraw(random.randrange(seats)) or []
            else:
                events = state.apply(state.active, random.choice(state.legal(state.active)))
            check_invariants(state)
        assert GAME.imagine(state.view(0), KeyedChance(bytes(32))).outcome() == state.outcome()


@pytest.mark.parametrize("seed", range(3))
def test_a_clone_lives_a_life_of_its_own_with_the_same_luck(seed: int) -> None:
    for _, _, state, _, random in games(2000 + seed):
        for _ in range(60):
            if not state.to_act():
                break
            twin, before = state.clone(), state.view(None)
            action = random.choice(state.legal(state.active))
            told = twin.apply(twin.active, action)
            assert state.view(None) == before
            assert state.apply(state.active, action) == told
            assert state.view(None) == twin.view(None)


def test_a_seat_that_is_not_on_turn_leaves_the_other_a_decision() -> None:
    for seed in range(8):
        for seats, _, state, _, random in games(3000 + seed):
            while state.to_act():
                copy = state.clone()
                leaving = random.choice([seat for seat in range(seats) if seat != copy.active])
                before = set(copy.legal(copy.active))
                if copy.withdraw(leaving) is not None and copy.outcome() is None:
                    assert copy.active == state.active
                    assert copy.legal(copy.active)
                    assert copy.rules.forced or before <= set(copy.legal(copy.active))
                state.apply(state.active, random.choice(state.legal(state.active)))


def test_names_of_phases_and_states_are_those_of_the_rules() -> None:
    phases: set[str] = set()
    states: set[str] = set()
    for seed in range(12):
        for _, _, state, _, random in games(4000 + seed):
            while state.to_act():
                view = state.view(None)
                phases.add(view["phase"])
                states |= {gang["state"] for gang in view["gangs"].values()}
                state.apply(state.active, random.choice(state.legal(state.active)))
            phases.add(state.view(None)["phase"])
    assert phases == {"first", "second", "extra", "over"}
    assert states == {"active", "stranded", "ruined", "out"}
