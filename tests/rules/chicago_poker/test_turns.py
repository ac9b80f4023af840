"""Set-up, facing, hand limit, passing, dead positions, the cap."""

from collections.abc import Mapping

import pytest

from referee.chance import KeyedChance
from referee.errors import IllegalActionError
from referee.games.chicago_poker import GAME
from tests.rules.acting import LUCK, kinds_of, only, play
from tests.rules.chicago_poker.build import begin, cards, position

SEVEN = "R1 R2 R3 R4 R5 R6 R7"
EIGHT = SEVEN + " R8"
SIX = "R1 R2 R3 R4 R5 R6"


@pytest.mark.case("S01")
@pytest.mark.parametrize(
    ("seats", "slots", "pile", "deck"),
    [(2, 2, 18, 71), (3, 2, 18, 66), (4, 3, 17, 61), (5, 4, 16, 56), (6, 4, 16, 51)],
)
def test_the_table_is_set_for_the_number_of_seats(seats: int, slots: int, pile: int, deck: int) -> None:
    state, events = GAME.new(seats, LUCK.clone())
    view = state.view(None)
    assert len(view["slots"]) == slots
    assert view["pile"] == pile
    assert view["hands"] == [5] * seats
    assert view["deck"] == deck
    assert kinds_of(events) == ["started", "turn_began"]


@pytest.mark.case("S02")
def test_the_tactical_variant_has_six_cards_fewer() -> None:
    state, _ = GAME.new(3, LUCK.clone(), {"specials": "no"})
    assert state.view(None)["deck"] == 60


@pytest.mark.case("S03")
def test_the_first_two_turns_are_short_and_seats_follow_clockwise() -> None:
    state, _ = GAME.new(3, LUCK.clone(), {"first": "1"})
    turns = []
    for _ in range(1 + 2 + 3 + 3):
        turns.append((state.turn, state.active))
        state.apply(
            state.active, "draw" if "draw" in state.legal(state.active) else state.legal(state.active)[0]
        )
    assert turns == [(1, 1), (2, 2), (2, 2), (3, 0), (3, 0), (3, 0), (4, 1), (4, 1), (4, 1)]


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [("S", "DDUUU"), ("J", "UUUDD"), ("D", "UUUUU"), ("H", "UDUDU")],
    ids=["A-S", "A-J", "A-D", "A-H"],
)
def test_the_business_says_which_cards_lie_face_down(kind: str, pattern: str) -> None:
    state = position(kinds=kind * 2, hands=["R1 R2 R3 R4 R5"], left=7)
    events = play(state, *(f"play R{value} 1" for value in range(1, 6)))
    facing = "".join("U" if event.public["up"] else "D" for event in events if event.kind == "played")
    assert facing == pattern
    assert kinds_of(events)[-1] == "marked"
    shown = [f"R{place}" if face == "U" else "?" for place, face in enumerate(pattern, 1)]
    assert state.view(1)["slots"][0]["rows"][0] == shown
    assert state.view(1)["slots"][0]["marks"] == [0]


@pytest.mark.case("A05")
def test_a_face_down_card_is_known_to_its_owner_alone() -> None:
    state = position(kinds="SD", hands=["R9"])
    (event,) = play(state, "play R9 1")
    assert state.view(0)["slots"][0]["rows"][0] == ["(R9)"]
    assert state.view(1)["slots"][0]["rows"][0] == ["?"]
    assert state.view(None)["slots"][0]["rows"][0] == ["?"]
    assert event.seen_by(0)["card"] == "R9"
    assert event.seen_by(1)["card"] == "?"
    assert event.seen_by(None)["card"] == "?"


@pytest.mark.case("L01")
@pytest.mark.case("L02")
@pytest.mark.case("L03")
def test_a_draw_at_seven_cards_must_be_played_away() -> None:
    state = position(hands=[SEVEN], left=3)
    assert "draw" in state.legal(0)
    play(state, "draw")
    assert len(state.hands[0]) == 8
    assert "draw" not in state.legal(0)
    play(state, "play R1 1")
    assert (len(state.hands[0]), state.must) == (7, 1)
    assert "draw" not in state.legal(0)
    assert "pass" not in state.legal(0)
    assert any(action.startswith("play") for action in state.legal(0))


@pytest.mark.parametrize(
    ("hand", "left", "legal"),
    [(SEVEN, 1, False), (SIX, 1, True), (SEVEN, 2, True)],
    ids=["L04", "L05", "L06"],
)
def test_the_hand_limit_counts_at_the_end_of_the_turn_r3(hand: str, left: int, legal: bool) -> None:
    assert ("draw" in position(hands=[hand], left=left).legal(0)) is legal


@pytest.mark.parametrize(("hand", "legal"), [(SEVEN + " BR", False), (SIX + " BR", True)], ids=["L07", "L08"])
def test_bribery_does_not_shrink_the_hand(hand: str, legal: bool) -> None:
    state = position(hands=[hand], discard="G1", left=1)
    assert ("bribe G1" in state.legal(0)) is legal


@pytest.mark.case("L09")
def test_a_seat_that_can_do_nothing_passes_r4() -> None:
    state = position(kinds="D-", rows={(1, 0): "G1 G2 G3 G4 G6"}, hands=[SEVEN], left=1)
    assert state.legal(0) == ["pass"]


@pytest.mark.parametrize(
    ("row", "legal"), [("G1 G2 G3 G4", True), ("G1 G2 G3 G4 G6", False)], ids=["L10", "L11"]
)
def test_a_draw_at_seven_needs_room_on_the_table_r3(row: str, legal: bool) -> None:
    state = position(kinds="D-", rows={(1, 0): row}, hands=[SEVEN], left=3)
    assert ("draw" in state.legal(0)) is legal


@pytest.mark.case("L12")
@pytest.mark.case("L13")
def test_without_deck_and_discard_no_seat_draws() -> None:
    assert position(hands=["R1"], deck="").legal(0) == ["play R1 1", "play R1 2"]
    assert position(hands=[""], deck="").legal(0) == ["pass"]


@pytest.mark.case("L14")
def test_a_dead_position_without_cards_on_the_table_is_a_stalemate_r21() -> None:
    state = position(hands=["", ""], deck="")
    events = play(state, "pass", "pass")
    assert only(events, "ended").public == {
        "event": "ended",
        "reason": "stalemate",
        "ranking": [1, 1],
        "scores": [0, 0],
    }
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.ranks, outcome.reason, outcome.ties) == ((1, 1), "stalemate", "draw")
    assert state.to_act() == ()


@pytest.mark.case("L15")
def test_an_empty_deck_is_made_anew_of_the_discard() -> None:
    state = position(hands=[""], deck="", discard="R1 LQ")
    events = play(state, "draw")
    assert kinds_of(events) == ["reshuffled", "drawn"]
    assert sorted(state.hands[0] + state.deck) == sorted(cards("R1 LQ"))
    assert (len(state.hands[0]), len(state.deck), state.discard) == (1, 1, [])


@pytest.mark.case("L16")
def test_the_discard_lies_until_a_card_is_needed_r2() -> None:
    state = position(hands=[""], deck="R1", discard="G1 G2")
    play(state, "draw")
    assert state.view(0)["deck"] == 0
    assert state.view(0)["discard"] == ["G1", "G2"]
    play(state, "draw")
    assert state.view(0)["deck"] == 1
    assert state.view(0)["discard"] == []


@pytest.mark.parametrize(("hand", "legal"), [("R1", True), (EIGHT, False)], ids=["L17", "L18"])
def test_a_seat_that_need_not_act_may_pass_with_seven_cards_at_most(hand: str, legal: bool) -> None:
    state = position(hands=[hand], left=2, options={"actions": "upto"})
    assert ("pass" in state.legal(0)) is legal


DEAD: Mapping[tuple[int, int], str] = {(1, 0): "R9 G9", (2, 1): "B5"}


@pytest.mark.case("L19")
def test_a_dead_position_brings_a_shootout_at_the_fullest_business_r21() -> None:
    state = position(rows=DEAD, hands=["", ""], deck="")
    events = play(state, "pass", "pass")
    assert kinds_of(events) == [
        "passed",
        "turn_began",
        "passed",
        "turn_began",
        "deadlocked",
        "shootout_held",
        "captured",
        "tile_opened",
    ]
    assert only(events, "deadlocked").public["slot"] == 1
    assert state.won == [["D"], []]
    assert state.view(None)["discard"] == ["R9", "G9"]
    assert state.to_act() == (0,)
    assert "draw" in state.legal(0)
    assert state.view(None)["idle"] == 0


@pytest.mark.case("L20")
def test_a_dead_position_can_be_a_draw_r21() -> None:
    state = position(rows=DEAD, hands=["", ""], deck="", options={"dead": "draw"})
    events = play(state, "pass", "pass")
    assert only(events, "ended").public["ranking"] == [1, 1]
    assert only(events, "ended").public["reason"] == "stalemate"


def test_a_dead_position_can_end_in_a_tie_that_needs_reinforcements_r21() -> None:
    state = position(rows={(1, 0): "R9", (1, 1): "G9"}, hands=["", ""], deck="")
    events = play(state, "pass", "pass")
    assert state.phase == "reinforce"
    assert state.to_act() == (0, 1)
    events += play(state, "send none", "send none")
    assert kinds_of(events)[-4:] == ["reinforced", "lot_drawn", "captured", "tile_opened"]


def test_a_pass_after_an_action_or_a_choice_is_no_sign_of_death_r21() -> None:
    state = position(hands=["R1", ""], deck="")
    events = play(state, "play R1 1", "pass", "pass")
    assert [event.public["idle"] for event in events if event.kind == "passed"] == [0, 1]
    willing = position(hands=["R1", ""], deck="", options={"actions": "upto"})
    events = play(willing, "pass", "pass")
    assert [event.public["idle"] for event in events if event.kind == "passed"] == [0, 1]


def test_what_a_hand_holds_does_not_show_in_the_count_of_idle_turns_r21() -> None:
    """With specials in play a voluntary pass does not show whether the seat could have acted."""
    counts = []
    for hand in ("LQ", "R1"):
        state = position(hands=[hand, ""], deck="", options={"actions": "upto"})
        (event,) = [event for event in play(state, "pass") if event.kind == "passed"]
        counts.append(event.public["idle"])
    assert counts == [0, 0]


@pytest.mark.case("M01")
def test_a_row_has_five_cards_at_most() -> None:
    state = position(rows={(1, 0): "G1 G2 G3 G4 G6"}, hands=["R9"])
    assert "play R9 1" not in state.legal(0)
    assert "play R9 2" in state.legal(0)
    with pytest.raises(IllegalActionError, match="already has 5 cards"):
        state.apply(0, "play R9 1")


@pytest.mark.case("M02")
def test_a_business_marked_by_another_seat_stays_open() -> None:
    state = position(rows={(1, 1): "G1 G2 G3 G4 G6"}, hands=["R9"])
    assert "play R9 1" in state.legal(0)


def test_the_limousine_and_the_fifth_card_take_a_marker_alike_r10() -> None:
    state = position(rows={(1, 0): "G1", (2, 0): "B1 B2 B3 B4"}, hands=["LM R9"])
    other = state.clone()
    for one, action in ((state, "limo 1>2 G1"), (other, "play R9 2")):
        assert only(play(one, action), "marked").public == {"event": "marked", "seat": 0, "slot": 2}


@pytest.mark.case("D01")
def test_the_same_luck_and_choices_give_the_same_events() -> None:
    logs = []
    for _ in range(2):
        state, events = GAME.new(4, KeyedChance(bytes([7] * 32)))
        while state.to_act():
            seat = state.to_act()[-1]
            legal = state.legal(seat)
            events += state.apply(seat, legal[len(events) * 7 % len(legal)])
        logs.append([event.seen_by_all() for event in events])
    assert logs[0] == logs[1]


@pytest.mark.case("D02")
def test_the_cap_is_a_draw_r22() -> None:
    state, events = GAME.new(2, LUCK.clone(), {"actions": "upto", "max_turns": 50})
    while state.to_act():
        events += play(state, "pass")
    assert state.turn == 50
    assert only(events, "ended").public["reason"] == "cap"
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.ranks, outcome.ties) == ((1, 1), "draw")


def test_due_shootouts_come_before_the_actions_and_cost_none() -> None:
    state = position(rows={(1, 0): "G1 G2 G3 G4 G6"})
    events = begin(state)
    assert kinds_of(events) == ["turn_began", "shootout_held", "captured", "tile_opened"]
    assert (state.must, state.may, state.to_act()) == (3, 0, (0,))
