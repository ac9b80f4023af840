"""What must hold in every game, with any options: pawns, rings, tokens, money, bounds."""

from collections import Counter
from copy import deepcopy
from random import Random

import pytest

from referee.chance import KeyedChance
from referee.game import Options
from referee.games.chicago import GAME
from referee.games.chicago.bounds import most_steps
from referee.games.chicago.components import MOVE_DICE, NOBODY, PAWNS, gangs_at
from referee.games.chicago.follow import ChicagoFollower
from referee.games.chicago.position import OFF
from referee.games.chicago.state import State
from sample_bots.python.chicago import choose
from tests.rules.acting import play
from tests.rules.chicago.build import door, position
from tests.rules.random_games import games

NUMBERS: dict[str, list[str | int]] = {
    "move_die": ["1-12", "1-12", "11-22", "0,1,1,2,3,5,8,13,21,22,0,7"],
    "gate_cost": [1, 2],
    "tokens": [0, 2, 20],
    "rings": [0, 16, 40, 150],
    "casinos_needed": [2, 3, 4],
    "joint_attack": ["no"],  # it goes with variant I only; the second test has both
    "phases": [1, 4],
    "rounds": [2, 6],
}


def pick(random: Random, state: State) -> str:
    """Return an action: rather one that fights or takes a building, so that something happens."""
    legal = state.legal(state.to_act()[0])
    if state.phase == "move" and random.random() < 0.6:
        numbers = state.board.numbers
        eager = [a for a in legal if state.holder[numbers[a.split()[2]]] not in (NOBODY, state.gang)]
        eager += [
            a
            for a in legal
            if a.split()[2] in state.deeds and state.owner[numbers[a.split()[2]]] != state.gang
        ]
        legal = eager or legal
    return random.choice(legal)


def check(state: State) -> None:
    """Check what no rule may break."""
    rules, board = state.rules, state.board
    worn = sum(state.rings)
    assert state.bank + worn == rules.rings
    assert state.bank >= 0
    inside: Counter[int] = Counter()
    for gang, living in enumerate(state.members):
        laid = sum(o == gang and p != gang for o, p in zip(state.owner, state.printed, strict=True))
        assert state.tokens[gang] + laid == rules.tokens
        assert state.tokens[gang] >= 0
        assert living == sorted(living)
        assert all(state.rings[pawn] in range(1, 5) for pawn in living)
        assert len(living) + state.reserve[gang] <= PAWNS
        assert state.cash[gang] >= 0
        for pawn in living:
            node = state.place[pawn]
            if node == OFF:
                assert state.round == 0
            else:
                inside[node] += 1
                assert state.holder[node] == gang or pawn in state.attackers
    assert all(inside[node] > 0 for node, holder in enumerate(state.holder) if holder != NOBODY)
    for node, count in inside.items():
        if count > 1:
            assert rules.stack or node in board.homes
            assert node < board.buildings
    assert {
        name: None if o == NOBODY else "YRGB"[o] for name, o in zip(board.names, state.owner, strict=False)
    } == (state.deeds)


@pytest.mark.parametrize("seed", range(12))
def test_pawns_rings_tokens_and_money_are_as_they_should_be(seed: int) -> None:
    for state, dealt in games(GAME.new, GAME.info, seed, **NUMBERS):
        while state.to_act():
            check(state)
            play(state, pick(dealt.random, state))
        check(state)
        assert state.points == 0


@pytest.mark.parametrize("passing", ["no", "yes"])
def test_joint_attacks_and_passing_keep_everything_as_it_should_be(passing: str) -> None:
    # Only bots that seek duels meet often enough.
    options: dict[str, list[str | int]] = {"variant_stack": ["yes"], "joint_attack": ["yes"]}
    options |= {"pass_own": [passing], "move_die": ["11-22"], "phases": [2], "rounds": [6], "tokens": [20]}
    joined = 0
    for state, dealt in games(GAME.new, GAME.info, 1, **(NUMBERS | options)):
        while state.to_act():
            check(state)
            assert state.points or state.phase != "join"
            joined += len(state.attackers) > 1
            seat = state.to_act()[0]
            sensible = choose(state.view(seat), state.legal(seat))
            play(state, pick(dealt.random, state) if dealt.random.random() < 0.1 else sensible)
        check(state)
    assert joined, "some attack was a joint one"


def test_picks_are_reported_and_imagined() -> None:
    stack: Options = {"variant_stack": "yes"}
    pawns = f"Y1:4@{door('R1a')} Y2:1@k4 R2:1@R1a R3:3@R1a R4:2@R1a"
    for key in range(8):
        state = position(pawns, points=4, options=stack, chance=KeyedChance(bytes([key] * 32)))
        follower = ChicagoFollower(1, GAME.board)
        follower.view = deepcopy(state.view(1))
        for action in ("move Y1 R1a", "pick R3", "first", "first"):
            legal = state.legal(state.to_act()[0])
            events = play(state, legal[0] if action == "first" else action)
            for event in events:
                follower.hear(event.seen_by(1))
            assert follower.view == state.view(1)
            assert GAME.imagine(state.view(1), KeyedChance(bytes(32))).view(1) == state.view(1)
            check(state)


@pytest.mark.parametrize(
    ("seats", "die", "most"), [(4, "1-12", 1420), (4, "11-22", 2380), (2, "1-12", 1420), (3, "1-12", 1065)]
)
def test_the_longest_game_is_that_of_the_rules(seats: int, die: str, most: int) -> None:
    assert GAME.longest(seats, {"move_die": die}) == most
    stacked = GAME.longest(seats, {"move_die": die, "variant_stack": "yes"})
    assert stacked == most + 20 * gangs_at(seats)
    assert GAME.longest(seats, {"move_die": die, "phases": 1, "rounds": 1}) == gangs_at(seats) * (
        19 + 2 + 20 + max(MOVE_DICE[die])
    )


def test_the_widest_decisions_are_those_of_the_rules() -> None:
    assert most_steps(GAME.board) == 86
    assert GAME.widest(4) == 92
    assert GAME.widest(4, {"pass_own": "yes"}) == 20 * 86
    crossings = [name for name in GAME.board.names if len(GAME.board.near[GAME.board.numbers[name]]) == 4]
    apart: list[str] = []
    for name in crossings:
        near = {GAME.board.names[node] for node in GAME.board.near[GAME.board.numbers[name]]}
        if not near & set(apart):
            apart.append(name)
    spots = ["a11", "k1", "v11", *apart[:17]]
    state = position(" ".join(f"Y{number}:1@{at}" for number, at in enumerate(spots, 1)))
    assert len(spots) == 20
    assert len(state.legal(0)) == 86
