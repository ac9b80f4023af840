"""Decisions of several seats at once: asked together, applied together, late together."""

import pytest

from referee.match.faults import Profile
from referee.match.result import Acted
from referee.match.seat import SeatConfig
from tests.toys.script import (
    CLASSROOM,
    FIRST_NS,
    HOUSE,
    LEGAL,
    MOVE_NS,
    MS,
    STRICT,
    ScriptRun,
    ScriptState,
    Step,
    actions,
    at_once,
    codes,
)


def test_all_seats_are_asked_at_once_and_nothing_is_published_before_all_have_chosen() -> None:
    run = ScriptRun(at_once(2, 3)).begin()
    assert codes(run.last) == [(0, "ask"), (1, "ask"), (2, "ask")]
    assert run.act(2, "a") == []
    assert run.act(0, "b") == []
    assert run.match.log == []
    assert codes(run.act(1, "c")) == [(0, "ask"), (1, "ask"), (2, "ask")]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_choices_are_applied_in_seat_order_for_every_order_of_arrival(order: tuple[int, ...]) -> None:
    run = ScriptRun(at_once(1, 3)).begin()
    for seat in order:
        run.act(seat, LEGAL[seat])
    assert run.state.history == ["0 a", "1 b", "2 c"]
    assert actions(run.match) == [(0, "a", "bot"), (1, "b", "bot"), (2, "c", "bot")]


def test_a_seat_chooses_once() -> None:
    run = ScriptRun(at_once(1, 2)).begin()
    run.act(0, "a")
    assert codes(run.act(0, "b", ask=1)) == [(0, "stale")]
    run.act(1, "a")
    assert run.state.history == ["0 a", "1 a"]


def test_an_illegal_choice_is_a_fault_at_once() -> None:
    run = ScriptRun(at_once(1, 2)).begin()
    run.act(0, "a")
    assert codes(run.act(1, "nonsense")) == [(1, "illegal"), (0, "end"), (1, "end")]
    assert run.result.ranks == (1, 2)


def test_an_illegal_choice_of_a_seat_without_a_list_is_a_fault_too() -> None:
    run = ScriptRun(at_once(1, 2), configs={1: SeatConfig("fast", frozenset())}).begin()
    assert run.act(1, "b") == []
    run = ScriptRun(at_once(1, 2), configs={1: SeatConfig("fast", frozenset())}).begin()
    assert codes(run.act(1, "nonsense"))[0] == (1, "illegal")


def test_seats_that_run_out_of_time_together_are_tied_and_unordered() -> None:
    run = ScriptRun(at_once(1, 2)).begin()
    assert codes(run.run_out()) == [(0, "late"), (1, "late"), (0, "end"), (1, "end")]
    assert (run.result.ranks, run.result.ties) == ((1, 1), "unordered")
    assert run.result.faults == ("late", "late")


def test_one_answers_and_one_is_late() -> None:
    run = ScriptRun(at_once(1, 2)).begin()
    assert run.act(1, "a", after_ns=FIRST_NS) == []
    assert codes(run.tick(1)) == [(0, "late"), (0, "end"), (1, "end")]
    assert (run.result.ranks, run.result.faults) == ((2, 1), ("late", ""))


def test_a_late_answer_gives_no_advantage_over_silence() -> None:
    run = ScriptRun(at_once(1, 2)).begin()
    assert run.act(0, "a", after_ns=FIRST_NS + 1) == []
    assert codes(run.tick()) == [(0, "late"), (1, "late"), (0, "end"), (1, "end")]
    assert run.result.ranks == (1, 1)


def test_a_late_answer_does_not_forestall_one_that_arrived_in_time() -> None:
    run = ScriptRun(at_once(1, 2)).begin()
    run.act(0, "a", after_ns=FIRST_NS + 1)
    run.match.act(1, 1, ["b"], 0, FIRST_NS)
    assert codes(run.tick())[0] == (0, "late")
    assert run.result.faults == ("late", "")


def test_the_earlier_deadline_is_ruled_upon_first_however_late_the_tick() -> None:
    run = ScriptRun(at_once(2, 2)).begin()
    run.act(0, "a", after_ns=511 * MS)
    run.act(1, "a")
    assert run.match.deadline_ns == run.now_ns + MOVE_NS - MS + 1
    run = ScriptRun(at_once(2, 2)).begin()
    run.act(1, "a", after_ns=500 * MS)
    run.act(0, "a", after_ns=11 * MS)
    assert codes(run.tick(10**12)) == [(0, "late"), (0, "end"), (1, "end")]
    assert run.result.ranks == (2, 1)


def test_the_choice_of_a_seat_that_fails_afterwards_stands() -> None:
    run = ScriptRun(at_once(2, 3)).begin()
    run.act(1, "b")
    run.fault(1)
    run.act(0, "a")
    run.act(2, "a")
    assert actions(run.match) == [(0, "a", "bot"), (1, "b", "bot"), (2, "a", "bot")]


def test_the_house_chooses_for_a_seat_that_fails_before_it_chose() -> None:
    run = ScriptRun(at_once(2, 3)).begin()
    run.act(0, "a")
    assert codes(run.fault(1)) == [(1, "crashed")]
    assert codes(run.act(2, "b")) == [(0, "ask"), (2, "ask")]
    assert actions(run.match) == [(0, "a", "bot"), (1, HOUSE, "house"), (2, "b", "bot")]
    run.act(2, "b")
    run.act(0, "a")
    assert actions(run.match)[3:] == [(0, "a", "bot"), (1, HOUSE, "house"), (2, "b", "bot")]


def test_the_deadline_is_that_of_the_seats_that_still_owe() -> None:
    run = ScriptRun(at_once(2, 2)).begin()
    run.act(1, "a", after_ns=510 * MS)
    run.act(0, "a", after_ns=100 * MS)
    asked_ns = run.now_ns
    assert run.match.deadline_ns == asked_ns + MOVE_NS - 100 * MS + 1
    run.act(0, "a")
    assert run.match.deadline_ns == asked_ns + MOVE_NS + 1


def test_a_decision_of_which_all_seats_failed_is_played_by_the_house() -> None:
    run = ScriptRun(ScriptState([Step((0, 1)), Step((2, 3))], 4)).begin()
    run.act(0, "a")
    run.fault(0)
    assert codes(run.fault(1)) == [(1, "crashed"), (2, "ask"), (3, "ask")]
    assert actions(run.match) == [(0, "a", "bot"), (1, HOUSE, "house")]


def test_what_the_house_chooses_for_a_late_seat_is_held_while_others_have_time() -> None:
    run = ScriptRun(at_once(2, 2), CLASSROOM).begin()
    run.act(1, "a")
    run.act(0, "a", after_ns=FIRST_NS)
    assert codes(run.run_out()) == [(0, "late")]
    assert actions(run.match) == [(0, "a", "bot"), (1, "a", "bot")]
    run.act(1, "b")
    assert actions(run.match)[2:] == [(0, HOUSE, "house"), (1, "b", "bot")]


# Choices that stay hidden for a while after the last.


def hidden(rounds: int = 2, profile: Profile = STRICT) -> ScriptRun:
    """Return a match of three seats that have all chosen, with hidden choices; the last took 50 ms."""
    run = ScriptRun(at_once(rounds, 3), profile, hides=True).begin()
    run.act(2, "a")
    run.act(0, "b")
    assert run.act(1, "c", after_ns=50 * MS) == []
    assert run.match.hidden
    return run


def test_hidden_choices_are_applied_when_they_are_shown_and_asked_on_from_then() -> None:
    run = hidden()
    assert run.match.log == []
    assert codes(run.show(4 * MS)) == [(0, "ask"), (1, "ask"), (2, "ask")]
    assert run.state.history == ["0 b", "1 c", "2 a"]
    assert run.match.deadline_ns == 54 * MS + MOVE_NS + 1
    assert [entry.us for entry in run.match.log if isinstance(entry, Acted)] == [0, 40_000, 0]
    assert run.show() == []


def test_while_choices_are_hidden_no_seat_is_late_and_no_time_is_lost_or_won() -> None:
    run = hidden()
    assert run.match.deadline_ns is None
    assert run.tick(3 * FIRST_NS) == []
    run.match.stalled(45 * MS)
    run.match.excuse(1, 45 * MS)
    run.show()
    assert [entry.us for entry in run.match.log if isinstance(entry, Acted)] == [0, 40_000, 0]
    assert run.match.deadline_ns == run.now_ns + MOVE_NS + 1


def test_who_has_chosen_owes_nothing_while_choices_are_hidden_and_cannot_learn_that_they_are() -> None:
    before = ScriptRun(at_once(2, 3), hides=True).begin()
    before.act(2, "a")
    after = hidden()
    assert not any(after.match.owes(seat) for seat in range(3))
    assert after.match.open_messages(2) == []
    # An answer of one that has chosen is answered in the same way whether all have chosen or not.
    assert after.act(2, "b", ask=1) == before.act(2, "b", ask=1) != []
    assert after.act(2, "b", ask=2) == before.act(2, "b", ask=2) != []
    assert after.match.hidden


@pytest.mark.parametrize("seat", [0, 1])
def test_a_fault_while_choices_are_hidden_comes_after_them(seat: int) -> None:
    plain = ScriptRun(at_once(2, 3)).begin()
    for chooser, action in ((2, "a"), (0, "b"), (1, "c")):
        plain.act(chooser, action)
    plain.fault(seat)
    run = hidden()
    assert [kind for _, kind in codes(run.fault(seat))] == ["ask", "ask", "ask", "crashed"]
    assert actions(run.match) == actions(plain.match) == [(0, "b", "bot"), (1, "c", "bot"), (2, "a", "bot")]
    assert not run.match.hidden


def test_a_fault_while_choices_are_hidden_that_end_the_game_is_none() -> None:
    run = hidden(rounds=1)
    assert [kind for _, kind in codes(run.fault(0))] == ["end", "end", "end"]
    assert run.result.faults == ("", "", "")


def test_an_illegal_choice_is_ruled_upon_at_once_although_choices_are_hidden() -> None:
    run = ScriptRun(at_once(2, 3), CLASSROOM, hides=True).begin()
    run.act(2, "a")
    run.act(0, "b")
    assert codes(run.act(1, "nonsense")) == [(1, "illegal"), (1, "ask")]
    assert not run.match.hidden


def test_choices_are_hidden_too_if_the_last_seat_ran_out_of_time() -> None:
    run = ScriptRun(at_once(2, 3), CLASSROOM, hides=True).begin()
    run.act(2, "a")
    run.act(0, "b")
    assert codes(run.run_out()) == [(1, "late")]
    assert run.match.hidden
    run.show()
    assert actions(run.match) == [(0, "b", "bot"), (1, HOUSE, "house"), (2, "a", "bot")]


def test_a_match_that_is_abandoned_shows_nothing() -> None:
    run = hidden()
    assert [kind for _, kind in codes(run.took(run.match.abandon("enough")))] == ["end", "end", "end"]
    assert run.show() == []
    assert actions(run.match) == []
