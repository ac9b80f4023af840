"""Shootouts, reinforcements, captures, and how the game ends."""

import pytest

from referee.chance import Chance, ScriptedChance
from referee.game import Event, Options
from referee.games.chicago_poker.state import State
from tests.rules.acting import LUCK, kinds_of, only, play
from tests.rules.chicago_poker.build import begin, cards, position

HIGH = "R2 R4 R6 R8 G10"
PAIR = "R2 R4 R6 R8 G8"


@pytest.mark.case("X01")
def test_a_pair_of_two_cards_beats_five_unrelated_ones() -> None:
    state = position(kinds="SJ", rows={(1, 0): HIGH, (1, 1): "B1 Y1"}, pile="HD")
    events = begin(state)
    shootout = only(events, "shootout_held").public
    assert shootout["hands"] == [HIGH.split(), ["B1", "Y1"]]
    assert shootout["categories"] == ["high-card", "pair"]
    assert shootout["best"] == [1]
    assert only(events, "captured").public == {"event": "captured", "seat": 1, "slot": 1, "kind": "S"}
    assert only(events, "tile_opened").public == {"event": "tile_opened", "slot": 1, "kind": "H", "pile": 1}
    assert len(state.discard) == 7
    assert state.view(0)["slots"][0] == {"kind": "H", "rows": [[], []], "marks": []}
    assert (state.to_act(), state.must) == ((0,), 3)


@pytest.mark.case("X02")
def test_a_seat_that_is_alone_wins_with_anything() -> None:
    state = position(rows={(1, 0): HIGH})
    begin(state)
    assert state.won == [["D"], []]


@pytest.mark.case("X03")
def test_one_shootout_settles_both_markers_r9() -> None:
    state = position(rows={(1, 0): HIGH, (1, 1): "B1 B3 B5 B7 B9"})
    assert state.view(None)["slots"][0]["marks"] == [0, 1]
    events = begin(state)
    assert kinds_of(events).count("shootout_held") == 1
    assert state.marks == [0, 0]
    assert state.won == [[], ["D"]]


@pytest.mark.case("X04")
@pytest.mark.case("X05")
def test_of_two_due_shootouts_the_seat_chooses_the_first_r1() -> None:
    state = position(rows={(1, 0): HIGH, (2, 0): "B1 B3 B5 B7 B9"})
    events = begin(state)
    assert only(events, "order_asked").public == {"event": "order_asked", "seat": 0, "slots": [1, 2]}
    assert state.view(1)["phase"] == "order"
    assert state.legal(0) == ["shootout 1", "shootout 2"]
    assert state.legal(1) == []
    events = play(state, "shootout 2")
    assert [event.public["slot"] for event in events if event.kind == "shootout_held"] == [2, 1]
    assert (state.phase, state.must) == ("action", 3)


@pytest.mark.case("X06")
def test_a_goal_ends_the_game_at_once() -> None:
    state = position(rows={(1, 0): HIGH, (2, 0): "B1 B3 B5 B7 B9"}, won=["DD"])
    begin(state)
    events = play(state, "shootout 1")
    assert kinds_of(events) == ["shootout_held", "captured", "ended"]
    assert state.view(None)["slots"][1]["rows"][0] == ["B1", "B3", "B5", "B7", "B9"]
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.ranks, outcome.scores, outcome.reason) == ((1, 2), (3, 0), "goal")


TIED = {(1, 0): "R1 R2 R4 R5 G7", (1, 1): "B1 B2 B4 B5 Y7"}


def tie(
    *hands: str,
    deck: str | None = None,
    discard: str = "",
    chance: Chance = LUCK,
    options: Options | None = None,
) -> tuple[State, list[Event]]:
    state = position(rows=TIED, hands=hands, deck=deck, discard=discard, chance=chance, options=options)
    return state, begin(state)


@pytest.mark.case("T01")
def test_tied_seats_choose_among_their_gangsters_r15() -> None:
    state, events = tie("R15 R3", "B15 LQ")
    assert kinds_of(events) == ["turn_began", "shootout_held"]
    assert state.to_act() == (0, 1)
    assert state.legal(0) == ["send R3", "send R15"]
    assert state.legal(1) == ["send B15"]
    assert state.view(0)["fight"] == {"slot": 1, "tied": [0, 1], "round": 1}


@pytest.mark.case("T02")
def test_an_answer_is_held_and_shows_nowhere() -> None:
    state, _ = tie("R15 R3", "B15 LQ")
    before = [state.view(seat) for seat in (0, 1, None)]
    assert state.apply(1, "send B15") == []
    assert state.to_act() == (0,)
    assert state.legal(1) == []
    assert [state.view(seat) for seat in (0, 1, None)] == before


@pytest.mark.case("T03")
def test_the_higher_value_wins_and_both_get_a_card_back() -> None:
    state, _ = tie("R15 R3", "B15 LQ")
    events = play(state, "send R3", "send B15")
    assert kinds_of(events) == ["reinforced", "drawn", "drawn", "captured", "tile_opened"]
    assert only(events, "reinforced").public["sent"] == {"0": "R3", "1": "B15"}
    assert state.won == [[], ["D"]]
    assert state.view(None)["hands"] == [2, 2]
    assert [event.public["cause"] for event in events if event.kind == "drawn"] == ["replace", "replace"]
    assert (state.must, state.may) == (3, 0)


@pytest.mark.case("T04")
def test_equal_values_go_to_another_round() -> None:
    state, _ = tie("R15 R3", "B15 LQ")
    events = play(state, "send R15", "send B15")
    assert kinds_of(events) == ["reinforced", "drawn", "drawn"]
    assert state.view(None)["fight"] == {"slot": 1, "tied": [0, 1], "round": 2}
    assert state.to_act() == (0, 1)
    assert state.view(None)["hands"] == [2, 2]


@pytest.mark.case("T05")
@pytest.mark.case("T06")
@pytest.mark.case("T07")
def test_french_reinforcements_are_a_choice_and_not_replaced() -> None:
    state, _ = tie("R15 R3", "B15 LQ", options={"edition": "fr"})
    assert state.legal(0) == ["send R3", "send R15", "send none"]
    events = play(state, "send R15", "send B15")
    assert kinds_of(events) == ["reinforced"]
    assert state.view(None)["hands"] == [1, 1]
    assert state.legal(1) == ["send none"]
    events = play(state, "send R3", "send none")
    assert only(events, "reinforced").public["sent"] == {"0": "R3", "1": None}
    assert state.won == [["D"], []]


@pytest.mark.case("T08")
@pytest.mark.case("T09")
def test_a_seat_without_gangsters_is_asked_and_loses_r16() -> None:
    state, _ = tie("LQ", "Y1 B3")
    assert state.to_act() == (0, 1)
    assert state.legal(0) == ["send none"]
    play(state, "send none", "send Y1")
    assert state.won == [[], ["D"]]
    assert state.view(0)["hand"] == ["LQ"]


@pytest.mark.case("T10")
@pytest.mark.parametrize("winner", [0, 1])
def test_a_lot_decides_when_no_seat_sends_a_card_r18(winner: int) -> None:
    state, _ = tie("LQ", "PR", chance=ScriptedChance(LUCK.clone(), lots=[winner]))
    events = play(state, "send none", "send none")
    assert kinds_of(events) == ["reinforced", "lot_drawn", "captured", "tile_opened"]
    assert only(events, "lot_drawn").public == {
        "event": "lot_drawn",
        "slot": 1,
        "among": [0, 1],
        "seat": winner,
    }
    assert state.won[winner] == ["D"]


def test_a_lot_decides_after_the_last_round_r18() -> None:
    state, _ = tie("R15", "B15", options={"reinforce_cap": 1})
    events = play(state, "send R15", "send B15")
    assert kinds_of(events) == ["reinforced", "drawn", "drawn", "lot_drawn", "captured", "tile_opened"]


@pytest.mark.case("T11")
def test_only_the_best_of_a_round_fight_on_r17() -> None:
    rows = {(1, 0): "R3 R5", (1, 1): "G3 G5", (1, 2): "B3 B5"}
    state = position(3, rows=rows, hands=["R15", "G15", "B14"])
    state.marks[0] = 1
    begin(state)
    assert state.to_act() == (0, 1, 2)
    events = play(state, "send R15", "send G15", "send B14")
    assert only(events, "reinforced").public["best"] == [0, 1]
    assert state.view(None)["fight"] == {"slot": 1, "tied": [0, 1], "round": 2}
    assert state.to_act() == (0, 1)


@pytest.mark.case("T12")
def test_the_order_in_which_answers_arrive_changes_nothing() -> None:
    state, _ = tie("R15 R3", "B14 LQ", deck="", discard="G1 G2")
    other = state.clone()
    state.apply(0, "send R3")
    state.apply(1, "send B14")
    other.apply(1, "send B14")
    other.apply(0, "send R3")
    assert other.hands == state.hands
    assert other.deck == state.deck
    assert other.discard == state.discard


def test_replacements_are_drawn_clockwise_from_the_active_seat() -> None:
    state = position(rows=TIED, hands=["R15", "B14"], deck="G1 G2 G3", active=1)
    begin(state)
    events = play(state, "send R15", "send B14")
    assert [event.public["seat"] for event in events if event.kind == "drawn"] == [1, 0]
    assert state.hands == [cards("G2"), cards("G1")]


def test_a_replacement_from_an_empty_deck_reshuffles_the_cards_just_sent() -> None:
    state, _ = tie("R15", "B14", deck="")
    events = play(state, "send R15", "send B14")
    assert kinds_of(events) == ["reinforced", "reshuffled", "drawn", "drawn", "captured", "tile_opened"]
    assert sorted(state.hands[0] + state.hands[1]) == cards("R15 B14")


def ending(won: str, kind: str, options: Options | None = None) -> str | None:
    state = position(kinds=kind + "D", rows={(1, 0): HIGH}, won=[won], options=options)
    begin(state)
    outcome = state.outcome()
    if outcome is None:
        return None
    assert outcome.ranks == (1, 2)
    return outcome.reason


@pytest.mark.parametrize(
    ("won", "kind", "reason"),
    [("SS", "S", "goal"), ("SJD", "H", "goal"), ("SSJJ", "D", "goal"), ("SSJ", "J", None), ("SS", "J", None)],
    ids=["W01", "W02", "W03", "W04", "W05"],
)
def test_three_of_a_kind_or_all_kinds_or_any_five_win(won: str, kind: str, reason: str | None) -> None:
    assert ending(won, kind) == reason


@pytest.mark.parametrize(
    ("won", "kind", "reason"),
    [("S", "S", "goal"), ("SJ", "D", "goal"), ("S", "J", None)],
    ids=["W06", "W07", "W08"],
)
def test_the_short_game_asks_for_two_of_a_kind_or_any_three(won: str, kind: str, reason: str | None) -> None:
    assert ending(won, kind, options={"goal": "short"}) == reason


@pytest.mark.case("W09")
def test_without_tiles_the_slot_stays_empty() -> None:
    state = position(rows={(1, 0): HIGH}, hands=["B1"], pile="")
    events = begin(state)
    assert "tile_opened" not in kinds_of(events)
    assert state.view(0)["slots"][0]["kind"] is None
    assert [action for action in state.legal(0) if action.startswith("play")] == ["play B1 2"]


@pytest.mark.case("W10")
def test_the_seat_that_takes_the_last_business_wins() -> None:
    rows = {(2, 0): HIGH, (2, 3): "B1 Y1"}
    state = position(5, kinds="-J--", rows=rows, won=["", "SSJJ", "", "S", ""], pile="")
    begin(state)
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.reason == "last_business"
    assert outcome.ranks == (2, 2, 2, 1, 2)
    assert outcome.scores == (0, 4, 0, 2, 0)
    assert outcome.ties == "unordered"


def test_losers_can_be_ranked_by_their_tiles() -> None:
    rows = {(2, 0): HIGH, (2, 3): "B1 Y1"}
    state = position(
        5, kinds="-J--", rows=rows, won=["J", "SSJJ", "", "S", "D"], pile="", options={"losers": "tiles"}
    )
    begin(state)
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.ranks == (3, 2, 5, 1, 3)
    assert outcome.ties == "draw"


@pytest.mark.case("Q01")
@pytest.mark.case("Q02")
@pytest.mark.parametrize(("markers", "marks"), [("first", [1]), ("each", [0, 1])])
def test_a_second_row_of_five_is_marked_or_not_r9(markers: str, marks: list[int]) -> None:
    state = position(
        rows={(1, 0): "R1 R2 R4 R6", (1, 1): "B1 B2 B4 B6 B8"}, hands=["R9 LM"], options={"markers": markers}
    )
    events = play(state, "play R9 1")
    assert state.view(None)["slots"][0]["marks"] == marks
    assert ("marked" in kinds_of(events)) is (markers == "each")
    # An unmarked row of five is neither frozen nor immune.
    assert ("limo 1>2 R1" in state.legal(0)) is (markers == "first")


def test_five_seats_can_tie_and_all_are_asked() -> None:
    rows = {(1, seat): f"{colour}9" for seat, colour in enumerate("RGBYP")}
    state = position(5, rows=rows, hands=["R1", "LQ", "", "G1", "B1"])
    state.marks[0] = 1
    begin(state)
    assert state.to_act() == (0, 1, 2, 3, 4)
    play(state, "send R1", "send none", "send none", "send G1", "send B1")
    assert state.to_act() == (0, 3, 4)
