"""How a game ends, how the seats are ranked then, and what happens when a seat leaves."""

from hashlib import sha256
from itertools import count

import pytest

from referee.chance import KeyedChance
from referee.game import Event, Options, Outcome
from referee.games.vengeance import GAME
from referee.games.vengeance.state import State
from referee.games.vengeance.wheel import spin
from tests.rules.acting import LUCK, kinds_of, play
from tests.rules.vengeance.build import Queue, begin, begun, brief, occupied, position


def outcome_of(state: State) -> Outcome:
    outcome = state.outcome()
    assert outcome is not None
    assert state.to_act() == ()
    assert all(not state.legal(seat) for seat in range(state.seats))
    return outcome


def test_home_behind_the_winner_no_seat_is_ordered() -> None:
    state = begun({33: "O*O", 12: "Y*", 5: "G*"}, [3, 1])
    events = play(state, "boss O 3")
    assert kinds_of(events) == ["moved", "ended"]
    outcome = outcome_of(state)
    assert (outcome.ranks, outcome.reason, outcome.ties) == ((1, 2, 2, 2), "goal", "unordered")
    assert outcome.scores == (37, 4, 0, 15)
    assert state.view(None)["gangs"]["O"]["boss"] == "hq"
    assert state.view(None)["gangs"]["O"]["progress"] == 37


def test_home_with_losers_progress_the_others_are_ranked_and_equals_draw() -> None:
    state = begun({33: "O*O", 12: "Y*", 30: "G*"}, [3, 1], options={"losers": "progress"})
    play(state, "boss O 3")
    outcome = outcome_of(state)
    assert (outcome.ranks, outcome.ties) == ((1, 2, 4, 2), "draw")


def test_home_hoods_in_play_order_bosses_of_equal_progress() -> None:
    state = begun({33: "O*O", 12: "Y*", 30: "G*"}, [3, 1], pool={"Y": 2}, options={"losers": "progress"})
    play(state, "boss O 3")
    assert outcome_of(state).ranks == (1, 3, 4, 2)


def test_home_with_two_seats_one_of_two_bosses_is_enough() -> None:
    state = begun({8: "Y*Y"}, [1, 2], 2, seat=1)
    play(state, "boss Y 1")
    outcome = outcome_of(state)
    assert (outcome.ranks, outcome.scores) == ((2, 1), (0, 37))


def test_r24_and_r34_the_last_boss_alive_wins_at_once_in_the_middle_of_his_turn() -> None:
    state = begun({12: "O", 14: "O(Y*)"}, [2, 3], 2, options={"lives": 1})
    events = play(state, "hood O 12 2")
    assert "eliminated" in kinds_of(events)
    assert state.outcome() is None, "green is alive"
    green = begun({12: "O", 14: "O(Y*)"}, [2, 3], 3, options={"lives": 1})
    green.leave(2, "lives", [])
    events = play(green, "hood O 12 2")
    assert [brief(event) for event in events] == [
        "move O hood 12 14",
        "kill Y boss 14 gang",
        "out Y lives",
        "ended",
    ]
    outcome = outcome_of(green)
    assert (outcome.ranks, outcome.reason) == ((1, 2, 3), "last_seat")


def test_r34_a_spin_stops_when_its_first_victim_leaves_one_seat() -> None:
    # Orange has fallen for good with a hire pending; the first rifle takes yellow, and blue alone is left.
    cells = {3: "O*O", 5: "YY", 12: "O", 14: "Y*", 32: "B*"}
    state = begun(cells, [3, 2, 14], 3, options={"lives": 1})
    events = play(state, "hood O 12 3", "boss O 2")
    assert kinds_of(events)[-4:] == ["spun", "killed", "eliminated", "ended"]
    assert outcome_of(state).ranks == (3, 2, 1)
    assert occupied(state) == {32: "B*"}


def test_r34_on_a_danger_cell_who_would_have_died_next_survives_the_end() -> None:
    # Orange is out, but its marksmen shoot once more.
    state = position({13: "Y(B*)"}, [13], 3, options={"lives": 1})
    state.leave(0, "lives", [])
    events: list[Event] = []
    spin(state, 0, events)
    assert kinds_of(events) == ["spun", "killed", "eliminated", "ended"]
    assert occupied(state) == {13: "Y"}
    assert outcome_of(state).ranks == (3, 1, 2)


def test_lives_count_falls_and_the_last_one_is_final() -> None:
    state = begun({12: "O", 14: "O(Y*)"}, [2, 3], options={"lives": 2})
    state.falls[1] = 1
    events = play(state, "hood O 12 2")
    assert "reformed" not in kinds_of(events)
    view = state.view(None)
    assert view["out"] == [{"gang": "Y", "cause": "lives"}]
    assert view["gangs"]["Y"] == {
        "seat": 1,
        "boss": None,
        "progress": 0,
        "hq": 0,
        "pool": 8,
        "falls": 2,
        "locked": False,
        "state": "out",
    }
    play(state, "stop")
    assert state.active == 2


def test_a_seat_with_two_gangs_plays_on_with_one() -> None:
    state = begun({12: "O", 14: "O(B*)"}, [2, 3, 1, 2], 2, options={"lives": 1})
    play(state, "hood O 12 2", "stop", "sum Y hq")
    assert state.active == 0
    assert all(" O " in action for action in state.legal(0))


def test_with_pair_turn_gang_the_place_of_a_gang_that_is_out_is_skipped() -> None:
    options: Options = {"lives": 1, "pair_turn": "gang"}
    state = begun({12: "O", 14: "O(Y*)"}, [2, 3, 1, 2], 2, options=options)
    play(state, "hood O 12 2", "stop")
    assert state.view(0)["due"] == ["B"]


def test_r35_ruin_is_looked_for_before_a_turn_and_only_if_it_counts() -> None:
    nobody = {"Y": 0, "B": 0, "G": 0}
    ruined = position({12: "O"}, [2, 3], hq=nobody)
    assert kinds_of(begin(ruined)) == ["ended"]
    outcome = outcome_of(ruined)
    assert (outcome.ranks, outcome.reason, outcome.ties) == ((1, 2, 2, 2), "last_seat", "unordered")
    for name, value, standing in (("ruin", "ignored", "ruined"), ("hq_alone", "open", "active")):
        state = begun({12: "O"}, [2, 3], hq=nobody, options={name: value})
        assert state.outcome() is None
        assert state.view(0)["gangs"]["Y"]["state"] == standing


def test_r24_a_stranded_boss_is_not_dead() -> None:
    state = begun({12: "O", 20: "Y*"}, [2, 3], hq={"Y": 0, "B": 0, "G": 0})
    assert state.outcome() is None
    assert state.view(0)["gangs"]["Y"]["state"] == "stranded"


def test_with_two_seats_ruin_must_befall_both_gangs() -> None:
    one = begun({12: "O"}, [2, 3], 2, hq={"Y": 0})
    both = position({12: "O"}, [2, 3], 2, hq={"Y": 0, "G": 0})
    begin(both)
    assert one.outcome() is None
    assert outcome_of(both).ranks == (1, 2)


def test_deadlock_is_ranked_by_progress_and_equals_draw() -> None:
    cells = {12: "O*(Y)", 21: "Y*(O)", 3: "B*", 5: "G*"}
    state = position(cells, hq=dict.fromkeys("OYBG", 0))
    assert kinds_of(begin(state)) == ["ended"]
    outcome = outcome_of(state)
    assert (outcome.ranks, outcome.reason, outcome.ties) == ((3, 3, 1, 2), "stalemate", "draw")
    assert outcome.scores == (13, 13, 22, 15)


def test_a_boss_in_an_open_hq_is_no_deadlock() -> None:
    cells = {21: "Y*(O)", 3: "B*", 5: "G*"}
    state = position(cells, [2, 3], hq=dict.fromkeys("OYBG", 0), options={"hq_alone": "open"})
    begin(state)
    assert state.legal(0) == ["boss O 2", "boss O 3"]


def test_the_cap_is_ranked_by_progress_and_equals_draw() -> None:
    state = begun({}, [1, 2] * 4, options={"max_rounds": 2})
    for letter in "OYB":
        play(state, f"sum {letter} hq")
    events = play(state, "sum G hq")
    assert kinds_of(events) == ["moved", "ended"]
    outcome = outcome_of(state)
    assert (outcome.ranks, outcome.reason, outcome.ties) == ((1, 1, 1, 1), "cap", "draw")


def test_the_starter_of_a_round_is_counted_though_he_has_left() -> None:
    state = begun({}, [1, 2] * 9, options={"max_rounds": 3})
    state.withdraw(0)
    for letter in "YBGYB":
        assert state.outcome() is None
        play(state, f"sum {letter} hq")
    assert state.round == 3
    play(state, "sum G hq")
    assert outcome_of(state).reason == "cap"


def test_r29_leaders_who_tie_roll_again_and_no_others() -> None:
    _, events = GAME.new(3, Queue([6, 6, 1, 1, 6, 6, 2, 1, 1, 1, 5, 5]))
    totals = [event.public["totals"] for event in events if event.kind == "start_rolled"]
    assert totals == [{"0": 12, "1": 2, "2": 12}, {"0": 3, "2": 2}]
    assert events[-1].public == {"event": "rolled", "seat": 0, "dice": [5, 5]}


def test_a_seat_that_leaves_frees_its_hostages_and_is_skipped() -> None:
    state = begun({12: "Y(O)", 14: "G(Y)", 21: "Y*Y"}, [2, 3, 1, 2])
    events = state.withdraw(1)
    assert events is not None
    assert [brief(event) for event in events] == ["free O hood 12", "out Y withdrawn"]
    assert occupied(state) == {12: "O", 14: "G"}
    assert state.active == 0
    assert "hood O 12 2" in state.legal(0), "the freed hood may move at once"
    play(state, "sum O hq")
    assert state.active == 2


def test_when_the_seat_on_turn_leaves_its_hires_lapse_and_the_next_seat_rolls() -> None:
    state = begun({12: "O", 18: "O"}, [3, 3, 1, 2])
    play(state, "hood O 12 3")
    assert state.view(None)["hires"] == ["O"]
    events = state.withdraw(0)
    assert events is not None
    assert kinds_of(events) == ["eliminated", "turn_began", "rolled"]
    assert (state.active, state.view(None)["hires"]) == (1, [])


def test_when_the_seat_on_turn_leaves_turns_without_a_move_go_by() -> None:
    state = begun({12: "Y*"}, [1, 2, 1, 2, 1, 2], hq={"Y": 0})
    events = state.withdraw(0)
    assert events is not None
    assert kinds_of(events) == ["eliminated", "turn_began", "rolled", "lapsed", "turn_began", "rolled"]
    assert state.active == 2


@pytest.mark.parametrize("phase", ["first", "second", "extra"])
def test_a_seat_may_leave_in_every_phase(phase: str) -> None:
    for leaving in range(4):
        state = begun({12: "O", 14: "YYY", 30: "O"}, [2, 2, 5])
        play(state, *{"first": [], "second": ["hood O 30 2"], "extra": ["hood O 30 2", "stop"]}[phase])
        assert state.phase == phase
        assert state.withdraw(leaving) is not None
        assert state.active == (1 if leaving == 0 else 0)
        assert state.legal(state.active)
        if leaving == 1 and phase == "first":
            assert "hood O 12 2" in state.legal(0), "the full cell is empty now"


def test_the_last_seat_wins_and_who_left_earlier_is_ranked_behind() -> None:
    state = begun({}, [1, 2])
    for seat in (3, 1):
        events = state.withdraw(seat)
        assert events is not None
        assert kinds_of(events) == ["eliminated"]
    assert state.withdraw(3) is None
    events = state.withdraw(0)
    assert events is not None
    assert kinds_of(events) == ["eliminated", "ended"]
    outcome = outcome_of(state)
    assert (outcome.ranks, outcome.reason) == ((2, 3, 1, 4), "last_seat")
    assert state.withdraw(2) is None


def test_with_two_seats_the_other_wins_and_the_second_gang_needs_no_farewell() -> None:
    state, _ = GAME.new(2, LUCK.clone())
    events = state.withdraw(0)
    assert events is not None
    assert kinds_of(events) == ["eliminated", "eliminated", "ended"]
    assert outcome_of(state).ranks == (2, 1)


def test_who_left_ranks_behind_who_lost_the_last_boss_however_late() -> None:
    state = begun({33: "O*O"}, [3, 1], options={"lives": 1})
    state.leave(1, "lives", [])
    assert state.withdraw(1) is None, "the seat is out already"
    state.withdraw(2)
    play(state, "boss O 3")
    assert outcome_of(state).ranks == (1, 3, 4, 2)


@pytest.mark.parametrize("number", [15, 42, 66, 260])
def test_a_round_that_no_turn_began_is_not_counted(number: int) -> None:
    """In these games the last seat is alone when the next round would begin."""
    key = sha256(str(number).encode()).digest()
    state, events = GAME.new(3, KeyedChance(key))
    luck = int.from_bytes(key[:8], "big")
    leaves, seat = 1 + luck % 400, luck % 3
    for step in count(1):
        if state.outcome() is not None:
            break
        luck = (luck * 6364136223846793005 + 1442695040888963407) % 2**64
        [active] = state.to_act()
        legal = state.legal(active)
        events += state.apply(active, legal[(luck >> 33) % len(legal)])
        if step == leaves and state.outcome() is None:
            events += state.withdraw(seat) or []
    assert events[-1].public["reason"] == "last_seat"
    assert GAME.follow(None, [event.seen_by(None) for event in events]) == state.view(None)
