"""The special cards."""

from random import Random

import pytest

from referee.chance import KeyedChance, deal_key
from referee.errors import IllegalActionError
from referee.games.chicago_poker import GAME
from referee.games.chicago_poker.components import ENDLESS
from referee.games.chicago_poker.state import State
from tests.rules.acting import kinds_of, only, play, refusal
from tests.rules.chicago_poker.build import begin, cards, position

FIVE = "Y1 Y2 Y3 Y4 Y6"


def starting(state: State, verb: str, seat: int = 0) -> list[str]:
    return [action for action in state.legal(seat) if action.split(" ")[0] == verb]


@pytest.mark.case("N01")
@pytest.mark.case("N02")
@pytest.mark.case("N03")
def test_the_revolver_permits_two_more_actions_after_the_owed_ones_r5() -> None:
    state = position(hands=["RV"], left=3)
    play(state, "revolver")
    assert (state.must, state.may) == (2, 2)
    assert "pass" not in state.legal(0)
    play(state, "draw", "draw")
    assert (state.must, state.may) == (0, 2)
    assert "pass" in state.legal(0)
    play(state, "draw")
    assert state.active == 0
    play(state, "draw")
    assert state.active == 1


@pytest.mark.case("N04")
def test_the_revolver_adds_to_the_short_first_turn_r6() -> None:
    state = position(hands=["RV"])
    state.turn = 0
    begin(state)
    assert (state.must, state.may) == (1, 0)
    play(state, "revolver")
    assert (state.active, state.must, state.may) == (0, 0, 2)


@pytest.mark.case("N05")
def test_a_third_revolver_in_one_turn_is_refused_r23() -> None:
    state = position(hands=["RV"], deck="")
    events = play(state, "revolver", "draw", "revolver", "draw")
    assert kinds_of(events) == ["revolver_played", "reshuffled", "drawn"] * 2
    assert state.view(0)["revolvers"] == 2
    with pytest.raises(IllegalActionError, match="no more Revolvers"):
        state.apply(0, "revolver")
    assert state.legal(0) == ["pass"]


@pytest.mark.case("N05")
def test_without_a_limit_on_revolvers_a_turn_goes_on_and_on_r23() -> None:
    state = position(hands=["RV"], deck="", options={"revolvers": 0})
    for _ in range(ENDLESS - 1):
        play(state, "revolver", "draw")
    assert (state.active, state.turn) == (0, 10)
    play(state, "revolver", "draw")
    assert state.legal(0) == ["pass"]


@pytest.mark.case("P01")
def test_only_other_seats_with_cards_can_be_raided() -> None:
    state = position(3, rows={(1, 0): "R1", (1, 1): "R2"}, hands=["PR"])
    assert starting(state, "raid") == ["raid 1 @1"]


@pytest.mark.case("P02")
def test_a_raid_shows_the_face_down_cards_to_the_raider_alone() -> None:
    state = position(3, kinds="SD", rows={(1, 1): "R1 R2 R3"}, hands=["PR"])
    (event,) = play(state, "raid 1 @1")
    assert event.seen_by(0)["cards"] == {"1": "R1", "2": "R2"}
    assert event.news
    for seat in (1, 2, None):
        assert event.seen_by(seat) == {"event": "raided", "seat": 0, "slot": 1, "target": 1}
    assert state.view(None)["discard"] == ["PR"]
    assert state.view(0)["slots"][0]["rows"][1] == ["?", "?", "R3"]


@pytest.mark.case("P03")
def test_a_row_with_nothing_face_down_can_be_raided() -> None:
    state = position(kinds="DD", rows={(1, 1): "R1"}, hands=["PR"])
    assert starting(state, "raid") == ["raid 1 @1"]
    (event,) = play(state, "raid 1 @1")
    assert event.seen_by(0)["cards"] == {}
    assert not event.news


@pytest.mark.case("P04")
def test_a_marker_does_not_protect_from_a_raid() -> None:
    state = position(rows={(1, 1): FIVE}, hands=["PR"])
    assert starting(state, "raid") == ["raid 1 @1"]


@pytest.mark.case("P05")
def test_a_special_needs_something_to_act_on_r12() -> None:
    state = position(rows={(1, 0): "R1"}, hands=["PR LQ BR"])
    assert state.legal(0) == ["draw"]


@pytest.mark.case("P06")
def test_a_special_without_target_can_be_thrown_away_with_blank_r12() -> None:
    state = position(hands=["PR LQ LM BR"], left=4, options={"blank": "yes"})
    assert state.legal(0) == ["draw", "liquidate -", "raid -", "limo -", "bribe -"]
    deck = state.deck[:]
    events = play(state, "bribe -", "limo -", "raid -", "liquidate -")
    assert [event.public for event in events[:4]] == [
        {"event": "bribed", "seat": 0, "card": None, "deck": len(deck)},
        {"event": "limo_played", "seat": 0, "from": None, "to": None, "take": [], "put": []},
        {"event": "raided", "seat": 0, "slot": None, "target": None},
        {"event": "liquidated", "seat": 0, "slot": None, "target": None, "card": None},
    ]
    assert state.deck == deck
    assert state.view(None)["discard"] == ["LQ", "PR", "LM", "BR"]


def test_a_special_with_a_target_is_not_thrown_away_but_the_limousine_may_move_no_card_r12_r14() -> None:
    rows = {(1, 0): "R1", (1, 1): "R2"}
    state = position(rows=rows, hands=["PR LQ LM BR"], discard="G1", options={"blank": "yes"})
    assert state.legal(0) == ["draw", "liquidate 1 @1", "raid 1 @1", "limo 1>2 R1", "limo -", "bribe G1"]
    strict = position(rows=rows, hands=["LM"])
    assert starting(strict, "limo") == ["limo 1>2 R1"]


@pytest.mark.case("P07")
def test_bribery_is_not_thrown_away_because_the_hand_is_full_r12() -> None:
    eight = "R1 R2 R3 R4 R5 R6 R7 BR"
    state = position(hands=[eight], discard="G1", left=1, options={"blank": "yes"})
    assert starting(state, "bribe") == []
    assert "only with blank=yes" in refusal(state, "bribe -")
    empty = position(hands=[eight], left=1, options={"blank": "yes"})
    assert starting(empty, "bribe") == ["bribe -"]


@pytest.mark.case("P07")
def test_the_game_in_which_bribery_was_thrown_away_with_a_discard_r12() -> None:
    state, _ = GAME.new(2, KeyedChance(deal_key("repro", "712")), {"first": "0", "blank": "yes"})
    play(state, "draw", "revolver", "draw", "pass", "draw", "draw")
    assert (state.active, len(state.hands[0]), state.view(None)["discard"]) == (0, 8, ["RV"])
    assert starting(state, "bribe") == []
    assert starting(state, "play")


@pytest.mark.case("P08")
def test_the_revolver_cannot_be_thrown_away_r12_r23() -> None:
    state = position(hands=["RV"], options={"blank": "yes"})
    state.revolvers = 2
    assert state.legal(0) == ["draw"]


@pytest.mark.parametrize("seed", range(6))
def test_a_dash_is_offered_exactly_if_the_card_has_nothing_to_act_on_r12_r14(seed: int) -> None:
    """Read from the view alone what every special could act on, in games with many specials in hand."""
    random, thrown = Random(seed), 0
    state, _ = GAME.new(2 + seed % 5, KeyedChance(random.randbytes(32)), {"blank": "yes"})
    while state.to_act():
        seat = random.choice(state.to_act())
        legal = state.legal(seat)
        if state.phase == "action":
            view = state.view(seat)
            rivals = [
                (slot, other)
                for slot in view["slots"]
                for other, row in enumerate(slot["rows"])
                if row and other != seat
            ]
            idle = {
                "LQ": all(other in slot["marks"] for slot, other in rivals),
                "PR": not rivals,
                "LM": True,
                "BR": not view["discard"],
            }
            if len(view["hand"]) <= 8:
                expected = {card for card, nothing in idle.items() if nothing and card in view["hand"]}
                verbs = {"liquidate -": "LQ", "raid -": "PR", "limo -": "LM", "bribe -": "BR"}
                assert {verbs[action] for action in legal if action.endswith(" -")} == expected
                thrown += len(expected)
        calm = [action for action in legal if action == "draw" or action.startswith(("play", "pass"))]
        state.apply(seat, random.choice(calm if calm and random.random() < 0.8 else legal))
    assert thrown


def test_two_police_raids_are_one_action() -> None:
    state = position(rows={(1, 1): "R2"}, hands=["PR PR"])
    assert starting(state, "raid") == ["raid 1 @1"]
    play(state, "raid 1 @1")
    assert state.view(0)["hand"] == ["PR"]


@pytest.mark.case("K01")
@pytest.mark.case("K02")
@pytest.mark.case("K03")
def test_liquidation_takes_the_last_card_of_an_unmarked_row_r7() -> None:
    state = position(3, kinds="SD", rows={(1, 1): FIVE, (1, 2): "G1 G2"}, hands=["LQ"])
    assert starting(state, "liquidate") == ["liquidate 1 @2"]
    (event,) = play(state, "liquidate 1 @2")
    assert state.view(2)["slots"][0]["rows"][2] == ["(G1)"]
    assert state.view(None)["discard"] == ["G2", "LQ"]
    for seat in (0, 1, 2, None):
        assert event.seen_by(seat)["card"] == "G2"
    assert event.news


@pytest.mark.case("K04")
def test_a_liquidated_place_is_filled_again_as_before() -> None:
    state = position(kinds="SD", rows={(1, 1): "G1 G2"}, hands=["LQ", "B9"], left=1)
    play(state, "liquidate 1 @1", "play B9 1")
    assert state.view(1)["slots"][0]["rows"][1] == ["(G1)", "(B9)"]
    assert state.view(0)["slots"][0]["rows"][1] == ["?", "?"]


def test_liquidating_a_card_that_lies_open_is_no_news() -> None:
    state = position(rows={(1, 1): "G1"}, hands=["LQ"])
    (event,) = play(state, "liquidate 1 @1")
    assert not event.news


ROW = "R1 R2 R3 R4"


@pytest.mark.case("V01")
def test_four_cards_can_ride_in_64_ways_r14() -> None:
    state = position(kinds="SJ", rows={(1, 0): ROW}, hands=["LM"])
    rides = starting(state, "limo")
    assert len(rides) == len(set(rides)) == 4 + 12 + 24 + 24
    assert rides[0] == "limo 1>2 R1"


@pytest.mark.case("V02")
@pytest.mark.case("V03")
@pytest.mark.case("V04")
def test_moved_cards_take_the_facing_of_their_new_places_r8() -> None:
    state = position(kinds="SJ", rows={(1, 0): ROW}, hands=["LM"])
    (event,) = play(state, "limo 1>2 R3 R1 R4 R2")
    assert state.view(0)["slots"][1]["rows"][0] == ["R3", "R1", "R4", "(R2)"]
    assert state.view(1)["slots"][1]["rows"][0] == ["R3", "R1", "R4", "?"]
    assert state.view(1)["slots"][0]["rows"][0] == []
    put = [["R3", True], ["R1", True], ["R4", True]]
    assert event.seen_by(1) == {
        "event": "limo_played",
        "seat": 0,
        "from": 1,
        "to": 2,
        "take": [1, 2, 3, 4],
        "put": [*put, ["?", False]],
    }
    assert event.seen_by(0)["put"] == [*put, ["R2", False]]


@pytest.mark.case("V05")
def test_the_french_limousine_takes_the_last_cards() -> None:
    state = position(kinds="SJ", rows={(1, 0): ROW}, hands=["LM"], options={"limousine": "last"})
    rides = starting(state, "limo")
    assert len(rides) == 1 + 2 + 6 + 24
    assert "limo 1>2 R4" in rides
    assert "limo 1>2 R1" not in rides


@pytest.mark.case("V06")
def test_no_more_cards_ride_than_there_is_room_for() -> None:
    state = position(rows={(1, 0): ROW, (2, 0): "G1 G2 G3"}, hands=["LM"])
    rides = [ride.split(" ") for ride in starting(state, "limo") if ride.startswith("limo 1>2")]
    assert max(len(words) - 2 for words in rides) == 2


@pytest.mark.case("V07")
@pytest.mark.case("V08")
def test_the_source_row_closes_up_and_keeps_its_facing_r10_r13() -> None:
    state = position(kinds="SD", rows={(1, 0): ROW, (2, 0): "G1 G2 G3"}, hands=["LM B9"])
    events = play(state, "limo 1>2 R1 R2")
    assert only(events, "marked").public == {"event": "marked", "seat": 0, "slot": 2}
    assert state.view(1)["slots"][0]["rows"][0] == ["R3", "R4"]
    play(state, "play B9 1")
    assert state.view(1)["slots"][0]["rows"][0] == ["R3", "R4", "B9"]


def test_a_card_that_stays_face_down_keeps_that_in_a_new_place_r13() -> None:
    state = position(kinds="JD", rows={(1, 0): ROW}, hands=["LM"])
    play(state, "limo 1>2 R1")
    assert state.view(1)["slots"][0]["rows"][0] == ["R2", "R3", "?"]


@pytest.mark.case("V09")
def test_a_marked_row_does_not_ride() -> None:
    state = position(rows={(1, 0): FIVE}, hands=["LM"])
    assert starting(state, "limo") == []


@pytest.mark.case("V10")
def test_cards_may_leave_a_business_another_seat_has_marked() -> None:
    state = position(rows={(1, 0): "R1", (1, 1): FIVE}, hands=["LM"])
    assert starting(state, "limo") == ["limo 1>2 R1"]


@pytest.mark.case("V11")
def test_the_order_of_cards_turned_face_down_is_their_owners_secret_r8() -> None:
    state = position(kinds="DS", rows={(1, 0): "R7 B3"}, hands=["LM"])
    (event,) = play(state, "limo 1>2 B3 R7")
    assert event.seen_by(1)["put"] == [["?", False], ["?", False]]
    assert event.seen_by(1)["take"] == [1, 2]
    assert state.view(1)["slots"][1]["rows"][0] == ["?", "?"]
    assert state.view(0)["slots"][1]["rows"][0] == ["(B3)", "(R7)"]


def test_nothing_rides_to_an_empty_slot() -> None:
    state = position(4, kinds="DD-", rows={(1, 0): "R1"}, hands=["LM"])
    assert starting(state, "limo") == ["limo 1>2 R1"]


@pytest.mark.case("B01")
@pytest.mark.case("B02")
@pytest.mark.case("B03")
def test_bribery_takes_any_discarded_card_in_secret_r11() -> None:
    state = position(hands=["BR"], discard="R1 LQ PR PR")
    size = len(state.deck)
    assert starting(state, "bribe") == ["bribe R1", "bribe LQ", "bribe PR"]
    (event,) = play(state, "bribe LQ")
    assert state.view(0)["hand"] == ["LQ"]
    assert state.view(0)["discard"] == ["BR"]
    assert len(state.deck) == size + 3
    for card in cards("R1 PR"):
        assert card in state.deck
    assert event.seen_by(0)["card"] == "LQ"
    assert event.seen_by(1) == {"event": "bribed", "seat": 0, "card": "?", "deck": size + 3}
    assert not event.news


@pytest.mark.case("B04")
def test_bribery_needs_a_discard_r12() -> None:
    assert starting(position(hands=["BR"]), "bribe") == []
