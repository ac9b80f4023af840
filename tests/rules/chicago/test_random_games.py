"""What must hold in every game, whatever the options: conservation, bounds, events that suffice."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from referee.chance import KeyedChance
from referee.game import Event, Options
from referee.games.chicago import GAME
from referee.games.chicago.bounds import most_steps
from referee.games.chicago.components import MOVE_DICE, NOBODY, PAWNS, gangs_at
from referee.games.chicago.follow import Follower
from referee.games.chicago.position import OFF
from referee.games.chicago.state import State
from tests.rules.chicago.build import door, play, table

CHOICES: dict[str, tuple[str | int, ...]] = {
    option.name: option.choices or (option.default, option.low, option.high) for option in GAME.info.options
}


def options_from(random: Random) -> Options:
    options: Options = {
        name: random.choice(values) for name, values in CHOICES.items() if random.random() < 0.4
    }
    if random.random() < 0.2:
        options["move_die"] = ",".join(str(random.randrange(23)) for _ in range(12))
    return options


def games(seed: int, count: int = 2) -> Iterator[tuple[int, State, list[Event], Random]]:
    """Yield new games with random options, with their opening events."""
    random = Random(seed)
    for _ in range(count):
        seats = random.randint(2, 4)
        state, events = GAME.new(seats, KeyedChance(random.randbytes(32)), options_from(random))
        yield seats, state, events, random


def pick(random: Random, state: State) -> str:
    """Return an action: rather one that fights or takes a building, so that something happens."""
    legal = state.legal(state.to_act()[0])
    if state.stage == "move" and random.random() < 0.6:
        numbers = state.board.numbers
        eager = [a for a in legal if state.holder[numbers[a.split()[2]]] not in (NOBODY, state.active)]
        eager += [
            a
            for a in legal
            if a.split()[2] in state.deeds and state.owner[numbers[a.split()[2]]] != state.active
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
                assert state.holder[node] == gang or pawn == state.attacker
    assert all(inside[node] > 0 for node, holder in enumerate(state.holder) if holder != NOBODY)
    for node, count in inside.items():
        if count > 1:
            assert rules.stack or node in board.homes
            assert node < board.buildings
    assert {
        name: None if o == NOBODY else "YRGB"[o] for name, o in zip(board.names, state.owner, strict=False)
    } == (state.deeds)


@pytest.mark.parametrize("seed", range(20))
def test_invariants_and_bounds_hold_in_games_with_any_options(seed: int) -> None:
    for seats, state, _, random in games(seed):
        longest = GAME.longest(seats, state.rules.options)
        widest = GAME.widest(seats, state.rules.options)
        actions = 0
        while state.to_act():
            check(state)
            legal = state.legal(state.to_act()[0])
            assert 0 < len(legal) <= widest
            play(state, pick(random, state))
            actions += 1
        check(state)
        assert actions <= longest
        assert state.points == 0


@pytest.mark.parametrize("seed", range(4))
def test_events_suffice_to_rebuild_every_view(seed: int) -> None:
    for seats, state, events, random in games(100 + seed):
        watchers = [*range(seats), None]
        followers = [Follower(GAME.board, seat) for seat in watchers]
        told = events
        while True:
            for follower, seat in zip(followers, watchers, strict=True):
                for event in told:
                    follower.hear(event.seen_by(seat))
            assert followers[-1].view == state.view(None)
            if not state.to_act():
                break
            told = play(state, pick(random, state))
        for follower, seat in zip(followers, watchers, strict=True):
            assert follower.view == state.view(seat)


@pytest.mark.parametrize("seed", range(4))
def test_an_imagined_state_is_the_same_but_for_its_luck(seed: int) -> None:
    for seats, state, _, random in games(200 + seed):
        while state.to_act():
            if random.random() < 0.2:
                seat = random.choice([*range(seats), None])
                imagined = GAME.imagine(state.view(seat), state.chance.clone())
                twin = state.clone()
                assert imagined.legal(state.to_act()[0]) == state.legal(state.to_act()[0])
                for _ in range(4):
                    if twin.to_act():
                        action = pick(random, twin)
                        assert play(imagined, action) == play(twin, action)
                        assert imagined.view(seat) == twin.view(seat)
            play(state, pick(random, state))
        imagined = GAME.imagine(state.view(None), KeyedChance(bytes(32)))
        assert imagined.outcome() == state.outcome()
        assert imagined.view(None) == state.view(None)


def test_picks_are_told_and_imagined() -> None:
    stack: Options = {"variant_stack": "yes"}
    pawns = f"Y1:4@{door('R1a')} Y2:1@k4 R2:1@R1a R3:3@R1a R4:2@R1a"
    for key in range(8):
        state = table(pawns, points=4, options=stack, chance=KeyedChance(bytes([key] * 32)))
        follower = Follower(GAME.board, 1)
        follower.view = state.view(1)
        for action in ("move Y1 R1a", "pick R3", "first", "first"):
            legal = state.legal(state.to_act()[0])
            events = play(state, legal[0] if action == "first" else action)
            for event in events:
                follower.hear(event.seen_by(1))
            assert follower.view == state.view(1)
            assert GAME.imagine(state.view(1), KeyedChance(bytes(32))).view(1) == state.view(1)
            check(state)


def test_a_clone_shares_nothing_with_its_original() -> None:
    for _, state, _, random in games(300):
        for _ in range(150):
            if not state.to_act():
                break
            copy = state.clone()
            before = state.view(None)
            action = pick(random, state)
            copied = play(copy, action)
            assert state.view(None) == before
            assert play(state, action) == copied
            assert copy.view(None) == state.view(None)


@pytest.mark.parametrize(
    ("seats", "die", "most"), [(4, "1-12", 1404), (4, "11-22", 2364), (2, "1-12", 1404), (3, "1-12", 1053)]
)
def test_the_longest_game_is_that_of_the_rules(seats: int, die: str, most: int) -> None:
    assert GAME.longest(seats, {"move_die": die}) == most
    stacked = GAME.longest(seats, {"move_die": die, "variant_stack": "yes"})
    assert stacked == most + 20 * gangs_at(seats)
    assert GAME.longest(seats, {"move_die": die, "phases": 1, "rounds": 1}) == gangs_at(seats) * (
        19 + 1 + 20 + max(MOVE_DICE[die])
    )


def test_the_widest_decisions_are_those_of_the_rules() -> None:
    assert most_steps(GAME.board) == 86
    assert GAME.widest(4) == 92
    crossings = [name for name in GAME.board.names if len(GAME.board.near[GAME.board.numbers[name]]) == 4]
    apart: list[str] = []
    for name in crossings:
        near = {GAME.board.names[node] for node in GAME.board.near[GAME.board.numbers[name]]}
        if not near & set(apart):
            apart.append(name)
    spots = ["a11", "k1", "v11", *apart[:17]]
    state = table(" ".join(f"Y{number}:1@{at}" for number, at in enumerate(spots, 1)))
    assert len(spots) == 20
    assert len(state.legal(0)) == 86
