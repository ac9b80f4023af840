"""What must hold in every game, with any options: what lies where, rare positions, bounds."""

from copy import deepcopy
from itertools import combinations_with_replacement, product

import pytest

from referee.chance import KeyedChance
from referee.game import Event
from referee.games.chicago_poker import GAME
from referee.games.chicago_poker.components import FACE, SLOTS, Rules, all_cards
from referee.games.chicago_poker.follow import PokerFollower
from referee.games.chicago_poker.state import State
from tests.rules.chicago_poker.build import position
from tests.rules.random_games import by_verb, games

NUMBERS: dict[str, list[str | int]] = {
    "first": ["lot", "0", "1"],
    "max_turns": [60, 1000],
    "reinforce_cap": [1, 20],
    "revolvers": [0, 1, 2],
}


def every_card(state: State) -> list[int]:
    position = [entry & FACE for rows in state.rows for row in rows for entry in row]
    return sorted(position + state.deck + state.discard + [card for hand in state.hands for card in hand])


@pytest.mark.parametrize("seed", range(12))
def test_cards_hands_rows_and_tiles_are_as_they_should_be(seed: int) -> None:
    for state, dealt in games(GAME.new, GAME.info, seed, **NUMBERS):
        while state.to_act():
            seat = dealt.random.choice(state.to_act())
            legal = state.legal(seat)
            assert state.fallback(seat) == legal[0]
            state.apply(seat, by_verb(dealt.random, legal))
            assert every_card(state) == all_cards(state.rules)
            assert max(map(len, state.hands)) <= 9
            assert all(len(hand) <= 7 for other, hand in enumerate(state.hands) if other != state.active)
            assert all(len(row) <= 5 for rows in state.rows for row in rows)
        outcome = state.outcome()
        assert outcome is not None
        assert sum(outcome.scores) + len(state.pile) + sum(kind is not None for kind in state.kinds) == 20


TIE = {(1, 0): "R1 R2 R4 R5 G7", (1, 1): "B1 B2 B4 B5 Y7", (1, 2): "P3"}
RARE = {
    "tie": (position(3, kinds="SJ", rows=TIE, hands=["R15 R3", "B15 LQ", "G1"]), ["send R15", "send B15"]),
    "lot": (position(3, kinds="HJ", rows=TIE, hands=["PR", "LQ", "G1"]), ["send none", "send none", "draw"]),
    "two due": (
        position(rows={(1, 0): "R1 R3 R5 R7 R9", (2, 0): "G1 G3 G5 G7 G9"}, won=["H"], kinds="SJ"),
        ["shootout 2", "draw"],
    ),
    "goal": (position(rows={(1, 0): "R1 R3 R5 R7 R9"}, won=["SS"], kinds="SJ"), []),
    "no tile left": (position(rows={(1, 0): "R1 R3 R5 R7 R9"}, pile="", hands=["G1"]), ["play G1 2"]),
    "dead": (position(rows={(1, 0): "R9", (2, 1): "G9"}, hands=["", ""], deck=""), ["pass", "pass", "draw"]),
    "stalemate": (position(hands=["", ""], deck=""), ["pass", "pass"]),
    "limousine": (position(kinds="SJ", rows={(1, 0): "R1 R2 R3 R4"}, hands=["LM"]), ["limo 1>2 R3 R1 R4 R2"]),
    "blank": (
        position(hands=["LQ PR LM BR"], options={"blank": "yes"}),
        ["bribe -", "limo -", "raid -"],
    ),
}


@pytest.mark.parametrize("name", RARE)
def test_events_suffice_and_imagination_fits_in_rare_positions(name: str) -> None:
    """Random games hardly ever tie or die, so these begin shortly before it happens."""
    state, actions = RARE[name][0].clone(), RARE[name][1]
    watchers = [*range(state.seats), None]
    followers = [PokerFollower(seat) for seat in watchers]
    for follower, seat in zip(followers, watchers, strict=True):
        follower.view = deepcopy(state.view(seat))
    events: list[Event] = []
    state.begin_turn(events)
    for action in [*actions, ""]:
        for follower, seat in zip(followers, watchers, strict=True):
            for event in events:
                follower.hear(event.seen_by(seat))
            assert follower.view == state.view(seat)
            if name not in {"no tile left", "dead", "stalemate"}:  # there, most cards or tiles are missing
                imagined = GAME.imagine(state.view(seat), KeyedChance(bytes(32)))
                assert imagined.view(seat) == state.view(seat)
                if seat in state.to_act():
                    assert seat is not None
                    assert imagined.legal(seat) == state.legal(seat)
        if action:
            events = state.apply(state.to_act()[0], action)


def test_who_has_answered_is_not_known_to_an_imagined_state() -> None:
    state = position(3, rows=TIE, hands=["R15 R3", "B15 LQ", "G1"])
    state.begin_turn([])
    state.apply(1, "send B15")
    for seat in (0, 2, None):
        imagined = GAME.imagine(state.view(seat), KeyedChance(bytes(32)))
        assert imagined.to_act() == (0, 1)
        assert imagined.view(seat) == state.view(seat)
        for other in imagined.to_act():
            imagined.apply(other, imagined.legal(other)[0])


@pytest.mark.parametrize("seats", [5, 6])
def test_seats_that_avoid_every_fifth_card_are_brought_to_shoot(seats: int) -> None:
    """Without specials they lay all gangsters in rows of four: the position dies, and R21 revives it."""
    state, events = GAME.new(seats, KeyedChance(bytes([seats] * 32)), {"specials": "no"})
    while state.to_act():
        seat = state.to_act()[0]
        rows = [rows[seat] for rows in state.rows]
        avoided = {str(slot) for slot, row in enumerate(rows, 1) if len(row) == 4}
        legal = state.legal(seat)
        quiet = [action for action in legal if not (action.startswith("play") and action[-1] in avoided)]
        events += state.apply(seat, (quiet or legal)[0])
    assert any(event.kind == "deadlocked" for event in events)
    for watcher in (0, None):
        assert GAME.follow(watcher, [event.seen_by(watcher) for event in events]) == state.view(watcher)
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.reason in {"goal", "last_business"}


def rides(rows: tuple[int, ...], last: bool) -> int:
    """Count the Limousine's actions for rows of these lengths."""
    total = 0
    for source, target in product(range(len(rows)), repeat=2):
        if source != target:
            for count in range(1, min(4, rows[source], 5 - rows[target]) + 1):
                ways = 1
                for step in range(count):
                    ways *= (count if last else rows[source]) - step
                total += ways
    return total


def others(seats: int, rows: tuple[int, ...], specials: frozenset[str], held: int) -> int:
    """Count the most a hand can do besides riding, with an empty deck and everything else in the discard."""
    gangsters = held - len(specials)
    targets = (seats - 1) * len(rows)
    count = gangsters * sum(length < 5 for length in rows)
    count += targets * (("LQ" in specials) + ("PR" in specials)) + ("RV" in specials)
    if "BR" in specials:
        # Each rival row is a card that cannot be bribed for; the second Raid can be, in any case.
        count += 75 - gangsters - sum(rows) - targets + 5 - len(specials - {"PR"})
    # With eight cards the Revolver alone permits a draw, and nothing permits a pass.
    return count + (2 if held < 8 else "RV" in specials)


@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("limousine", ["any", "last"])
@pytest.mark.parametrize("markers", ["each", "first", "supply"])
@pytest.mark.parametrize("blank", ["no", "yes"])
def test_no_hand_offers_more_than_the_widest_list(
    seats: int, limousine: str, markers: str, blank: str
) -> None:
    longest_row = 4 if markers == "each" else 5
    codes = ("LQ", "PR", "RV", "BR", "LM")
    subsets = [
        frozenset(c for c, bit in zip(codes, bits, strict=True) if bit) for bits in product((0, 1), repeat=5)
    ]
    most = 0
    for rows in combinations_with_replacement(range(longest_row + 1), SLOTS[seats]):
        riding = rides(rows, limousine == "last")
        for specials in subsets:
            for held in range(len(specials), 9):
                count = others(seats, rows, specials, held)
                count += (riding + (blank == "yes")) * ("LM" in specials)
                most = max(most, count)
    assert most <= GAME.widest(seats, {"limousine": limousine, "markers": markers, "blank": blank})


@pytest.mark.parametrize("seats", range(2, 7))
def test_longer_games_have_larger_bounds(seats: int) -> None:
    capped = GAME.longest(seats, {"max_turns": 10})
    assert 10 * 7 < capped < GAME.longest(seats)
    assert (
        GAME.longest(seats, {"specials": "no"}) < GAME.longest(seats) < GAME.longest(seats, {"revolvers": 0})
    )
    assert GAME.widest(seats, {"specials": "no"}) == 8 * SLOTS[seats]


def test_resolved_options_are_read_as_rules() -> None:
    rules = Rules.of(GAME.resolve({"edition": "fr", "replace": "yes"}, 2), 2)
    assert (rules.exact, rules.last, rules.stay, rules.replace, rules.each) == (
        False,
        True,
        True,
        True,
        False,
    )
