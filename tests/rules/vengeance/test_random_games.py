"""What must hold in every game, with any options: figures, lists, seats that leave."""

import pytest

from referee.games.vengeance import GAME
from referee.games.vengeance.components import GANGS, HOODS, HQ
from referee.games.vengeance.contents import CONTENTS, FREE, NOBODY
from referee.games.vengeance.state import State
from tests.rules.random_games import games

NUMBERS: dict[str, list[str | int]] = {"lives": [0, 0, 1, 2], "max_rounds": [5, 30, 60]}


def check_invariants(state: State) -> None:
    """Check that every cell holds what 1.4 says, and that no figure is lost."""
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
            excluded = state.rules.options["fallen_hoods"] == "out" and state.falls[gang] > 0
            assert hoods[gang] == (3 if excluded else HOODS)
            on_circuit = 0 <= state.bosses[gang] < state.board.size
            assert bosses.get(gang) == (state.bosses[gang] if on_circuit else None)
            assert state.alive[gang] or not (on_circuit or state.bosses[gang] == HQ)
    assert state.hoods[:NOBODY] == free[:NOBODY]


@pytest.mark.parametrize("seed", range(10))
def test_figures_and_lists_are_as_they_should_be(seed: int) -> None:
    for state, (seats, _, random) in games(GAME.new, GAME.info, seed, **NUMBERS):
        while state.to_act():
            (seat,) = state.to_act()
            legal = state.legal(seat)
            assert legal != ["stop"]
            assert len(legal) <= {"first": 26, "second": 9, "extra": 10}[state.phase] * len(state.due)
            if seats > 2 and random.random() < 0.01:
                state.withdraw(random.randrange(seats))
            else:
                state.apply(seat, random.choice(legal))
            check_invariants(state)


def test_a_seat_that_is_not_on_turn_leaves_the_other_a_decision() -> None:
    for seed in range(8):
        for state, (seats, _, random) in games(GAME.new, GAME.info, 3000 + seed, **NUMBERS):
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
        for state, (_, _, random) in games(GAME.new, GAME.info, 4000 + seed, **NUMBERS):
            while state.to_act():
                view = state.view(None)
                phases.add(view["phase"])
                states |= {gang["state"] for gang in view["gangs"].values()}
                state.apply(state.active, random.choice(state.legal(state.active)))
            phases.add(state.view(None)["phase"])
    assert phases == {"first", "second", "extra", "over"}
    assert states == {"active", "stranded", "ruined", "out"}
