"""The poker bot: it knows what rows are worth, does the sensible thing, and wins."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from referee.chance import KeyedChance, deal_key
from referee.games.chicago_poker import GAME
from referee.games.chicago_poker.components import CARDS, GANGSTERS
from referee.games.chicago_poker.hands import rank
from sample_bots.python.poker import PokerBot
from sample_bots.python.poker_position import Memory
from sample_bots.python.poker_value import chance, outlook, strength, tile_worth, wins_game
from sample_bots.python.random_bot import RandomBot
from tests.rules.chicago_poker.build import cards, position
from tests.unit.sample_bots.arena import HEROES, answer, match, seated

HERO = HEROES["poker"]
ROWS = st.sets(st.integers(0, GANGSTERS - 1), min_size=1, max_size=5).map(lambda row: tuple(sorted(row)))


# What rows and businesses are worth.


@given(ROWS, ROWS)
def test_strength_compares_as_the_hands_do(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    assert (strength(one) < strength(other)) == (rank(one) < rank(other))
    assert (strength(one) == strength(other)) == (rank(one) == rank(other))


@given(ROWS, st.integers(0, 5))
def test_the_odds_of_an_outlook_add_up_and_nothing_gets_worse(row: tuple[int, ...], unknown: int) -> None:
    found = outlook(row, unknown)
    assert sum(odds for odds, _ in found) == pytest.approx(1)
    assert min(then for _, then in found) >= strength(row)


def test_against_open_rows_the_chance_is_certain() -> None:
    pair, high = outlook(tuple(cards("R2 G2")), 0), outlook(tuple(cards("R15")), 0)
    assert (chance(pair, [high]), chance(high, [pair]), chance(pair, [pair])) == (1, 0, 0.5)


def test_every_hidden_card_lowers_the_chance() -> None:
    mine = outlook(tuple(cards("R9 G9")), 0)
    chances = [chance(mine, [outlook(tuple(cards("B4 Y4")), hidden)]) for hidden in range(4)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] == 1 > chances[3]


@pytest.mark.parametrize(
    ("won", "short", "wins"),
    [
        ("SS", False, True),
        ("JDH", False, True),
        ("JJDD", False, True),
        ("SJ", False, False),
        ("S", True, True),
    ],
)
def test_a_tile_that_meets_a_goal_is_known(won: str, short: bool, wins: bool) -> None:
    assert wins_game("S", won, short) is wins


def test_a_tile_is_worth_most_to_those_who_need_it() -> None:
    assert tile_worth("S", "SS", [""], False) > tile_worth("S", "SJ", [""], False)
    assert tile_worth("S", "", ["SS"], False) > tile_worth("S", "", ["JJ"], False)


# What it remembers.


def test_a_raid_is_remembered_until_the_business_is_won() -> None:
    memory = Memory()
    for card in ("?", "?", "R9"):
        memory.note({"event": "played", "seat": 1, "slot": 1, "up": card != "?", "card": card})
    memory.note({"event": "raided", "seat": 0, "slot": 1, "target": 1, "cards": {"1": "G9", "2": "B2"}})
    assert memory.complete(1, 1, ["?", "?", "R9"]) == cards("G9 B2 R9")
    memory.note({"event": "captured", "seat": 1, "slot": 1, "kind": "S"})
    memory.note({"event": "played", "seat": 1, "slot": 1, "up": False, "card": "?"})
    assert memory.complete(1, 1, ["?"]) == [None]


def test_cards_that_a_limousine_turns_over_are_remembered() -> None:
    memory = Memory()
    for card in ("R9", "G9", "B2"):
        memory.note({"event": "played", "seat": 1, "slot": 1, "up": True, "card": card})
    ride = {
        "event": "limo_played",
        "seat": 1,
        "from": 1,
        "to": 2,
        "take": [1, 2],
        "put": [["?", False], ["?", False]],
    }
    memory.note(ride)
    assert memory.complete(1, 1, ["B2"]) == cards("B2")
    known = memory.complete(2, 1, ["?", "?"])
    assert set(known) == set(cards("R9 G9"))
    memory.note({"event": "liquidated", "seat": 0, "slot": 2, "target": 1, "card": "R9"})
    assert memory.complete(2, 1, ["?"]) == cards("G9")


def test_who_rode_on_of_cards_in_unknown_order_is_not_known() -> None:
    memory = Memory()
    for card in ("Y9", "?"):
        memory.note({"event": "played", "seat": 1, "slot": 1, "up": card != "?", "card": card})
    there = {"from": 1, "to": 2, "take": [1, 2], "put": [["?", False], ["?", False]]}
    onward = {"from": 2, "to": 3, "take": [1], "put": [["?", False]]}
    memory.note({"event": "limo_played", "seat": 1, **there})
    assert set(memory.complete(2, 1, ["?", "?"])) == {*cards("Y9"), None}
    memory.note({"event": "limo_played", "seat": 1, **onward})
    assert memory.complete(2, 1, ["?"]) == [None]
    assert memory.complete(3, 1, ["?"]) == [None]


@given(st.integers(2, 6), st.integers(0, 10**6))
@example(6, 32306)
@example(6, 856)
def test_what_it_remembers_is_true(seats: int, deal: int) -> None:
    memory = Memory()
    bots = [seated(GAME, RandomBot, seat, seats, str(deal)) for seat in range(seats)]
    state, events = GAME.new(seats, KeyedChance(deal_key("memory", str(deal))))
    while state.outcome() is None:
        for event in events:
            memory.note(event.seen_by(0))
        for number, (slot, truth) in enumerate(
            zip(state.view(0)["slots"], state.reveal()["slots"], strict=True), 1
        ):
            for seat in range(1, seats):
                known = memory.complete(number, seat, slot["rows"][seat])
                cards = [CARDS[shown.strip("()")] for shown in truth["rows"][seat]]
                assert {card for card in known if card is not None} <= set(cards)
                assert len(known) == len(cards)
        seat = state.to_act()[0]
        action = bots[seat].choose(state.view(seat), state.legal(seat))
        assert isinstance(action, str)
        events = state.apply(seat, action)


# What it does.


def test_it_finishes_a_row_when_it_is_ahead() -> None:
    state = position(rows={(1, 0): "R9 G9 B9 Y1", (1, 1): "R2 G4"}, hands=["P3", "Y6 Y7 Y8"])
    assert answer(HERO, state) == "play P3 1"


def test_it_does_not_start_a_shootout_it_would_lose() -> None:
    rows = {(1, 0): "R2 G4 B7 Y1", (1, 1): "R9 G9 B9 Y9", (2, 0): "R14"}
    state = position(rows=rows, hands=["G5 B11 Y13 P6 R8 R12 P3", "Y6"], left=1)
    action = answer(HERO, state)
    assert action.startswith("play")
    assert action.endswith(" 2")


def test_it_contests_a_business_a_rival_is_about_to_win() -> None:
    rows = {(1, 1): "R3 G3 B7 Y8 P1"}
    state = position(rows=rows, hands=["R10 G10 Y2 B5", "Y6"])
    assert answer(HERO, state) in {"play R10 1", "play G10 1"}


def test_it_wastes_nothing_on_a_business_it_cannot_save() -> None:
    state = position(rows={(1, 1): "R3 G3 B3 Y3 P3"}, hands=["R10 G10 Y2 B5", "Y6"])
    assert not answer(HERO, state).endswith(" 1")


def test_it_draws_while_its_hand_is_poor() -> None:
    assert answer(HERO, position(hands=["R2 G5 B9", "Y6 Y7"])) == "draw"


def test_it_looks_at_hidden_cards_before_it_finishes_against_them() -> None:
    rows = {(1, 0): "R9 G9 B2 Y2", (1, 1): "R5 G4 B14"}
    state = position(kinds="SD", rows=rows, hands=["P3 PR", "Y6 Y7 Y8"])
    assert answer(HERO, state) == "raid 1 @1"


def test_it_does_not_finish_against_a_row_it_has_seen_to_be_better() -> None:
    rows = {(1, 0): "R9 G9 B2 Y2", (1, 1): "R14 G14 B14 Y7"}
    state = position(kinds="SD", rows=rows, hands=["P3", "Y6 B7 Y8"])
    raid = {"event": "raided", "seat": 0, "slot": 1, "target": 1, "cards": {"1": "R14", "2": "G14"}}
    plays = [
        {"event": "played", "seat": 1, "slot": 1, "up": card != "?", "card": card}
        for card in ("?", "?", "B14", "Y7")
    ]
    assert answer(HERO, state) == "play P3 1"
    assert answer(HERO, state, [*plays, raid]) == "draw"


def test_it_liquidates_the_card_that_decides() -> None:
    rows = {(1, 0): "R9 G9 B2 Y1 P5", (1, 1): "R14 G14", (2, 1): "B3"}
    state = position(rows=rows, hands=["LQ P3", ""])
    assert answer(HERO, state) == "liquidate 1 @1"


def test_it_sends_the_limousine_for_the_cards_that_complete_a_winning_row() -> None:
    rows = {(1, 0): "R9 G9 B9", (2, 0): "Y9 P4", (1, 1): "R14 G14"}
    state = position(rows=rows, hands=["LM", "Y6 Y7"])
    assert answer(HERO, state).startswith("limo 2>1 ")


def test_it_fetches_the_card_that_completes_its_best_row() -> None:
    rows = {(1, 0): "R9 R3 R2 R11", (1, 1): "B14 G14"}
    state = position(rows=rows, hands=["BR G1", "Y6 Y7"], discard="Y4 R5 P15")
    assert answer(HERO, state) == "bribe R5"


def test_it_takes_the_revolver_when_it_has_cards_to_lay_down() -> None:
    state = position(rows={(1, 0): "R9 G9"}, hands=["B9 Y9 P2 RV", "Y6"], left=2)
    assert answer(HERO, state) == "revolver"


def test_it_passes_when_every_card_would_do_harm() -> None:
    rows = {(1, 0): "R2 G4 B7 Y1", (1, 1): "R9 G9 B9 Y9", (2, 0): "R4 G7 B1 Y3", (2, 1): "R8 G8 B8 Y8"}
    hand = "G5 B11 Y13 P6 R14 R12 P3"
    state = position(rows=rows, hands=[hand, "Y6"], left=1, options={"actions": "upto"})
    assert answer(HERO, state) == "pass"


def test_the_shootout_that_may_win_the_game_comes_first() -> None:
    rows = {(1, 0): "R9 G9 B9 Y9 P9", (2, 0): "R2 G2 B2 Y2 P3"}
    state = position(kinds="JD", rows=rows, hands=["P15", "P1"], won=["DD"], active=0)
    state.phase = "order"
    assert answer(HERO, state) == "shootout 2"


@pytest.mark.parametrize(("rival", "sent"), [("B2 B3", "send G14"), ("", "send R2")])
def test_it_reinforces_with_its_best_unless_any_card_will_do(rival: str, sent: str) -> None:
    state = position(rows={(1, 0): "R9", (1, 1): "G9"}, hands=["R2 G14 B7", rival])
    state.phase, state.fight, state.round = "reinforce", 0, 1
    state.ask(0, 1)
    assert answer(HERO, state) == sent


# How it fares.


@pytest.mark.parametrize("seats", [2, 3, 6])
@pytest.mark.parametrize("preset", sorted(GAME.info.presets))
def test_among_its_like_it_comes_to_an_end(seats: int, preset: str) -> None:
    for deal in ("1", "2"):
        assert match(GAME, [PokerBot] * seats, deal, GAME.info.presets[preset]).outcome.reason in {
            "goal",
            "last_business",
        }
