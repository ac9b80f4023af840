"""Errors of ours, and the operator's wish: a match without a verdict."""

from collections.abc import Sequence

import pytest

from protocol.messages import End
from referee.errors import IllegalActionError
from referee.game import Event, Outcome, View
from tests.toys.script import ScriptRun, ScriptState, Step, codes, faults, turns


@pytest.mark.parametrize("ready", [0, 1, 2])
def test_an_abandoned_match_is_void_and_has_no_faults(ready: int) -> None:
    run = ScriptRun(turns(0, 1))
    run.match.begin(0)
    for seat in range(ready):
        run.ready(seat)
    assert codes(run.took(run.match.abandon("the power failed"))) == [(0, "end"), (1, "end")]
    assert (run.result.void, run.result.ranks) == (True, (1, 1))
    assert (run.result.ties, run.result.faults) == ("unordered", ("", ""))
    assert run.match.void_reason == run.result.void_reason == "the power failed"
    assert run.match.deadline_ns is None
    assert not any(run.match.owes(seat) for seat in (0, 1))
    assert run.tick(10**12) == []


def test_a_void_match_has_no_faults_for_what_happened_before() -> None:
    run = ScriptRun(turns(0, 1, 2, of=3)).begin()
    run.fault(1)
    run.match.abandon("the power failed")
    assert (run.result.ranks, run.result.faults) == ((1, 1, 1), ("", "", ""))
    assert faults(run.match) == [(1, "crashed", 0, True)]


def test_a_void_match_keeps_its_key_because_it_may_be_played_again() -> None:
    run = ScriptRun(turns(0, 1)).begin()
    run.took(run.match.abandon("the power failed"))
    assert [end.reveal for end in run.to(0, End)] == [None]


def test_the_end_of_a_void_match_says_so_in_a_flag_and_gives_no_reason() -> None:
    run = ScriptRun(turns(0, 1)).begin()
    run.took(run.match.abandon("the card R7 was lost"))
    for seat in (0, 1):
        assert [(end.void, end.reason, end.events) for end in run.to(seat, End)] == [(True, "", [])]


def test_the_end_of_a_match_that_counts_is_not_void() -> None:
    run = ScriptRun(turns(0)).begin()
    run.took(run.act(0, "a"))
    assert {(end.void, bool(end.reason)) for seat in (0, 1) for end in run.to(seat, End)} == {(False, True)}


class Faulty(ScriptState):
    """A script with a bug: one of its methods, or what it returns, is broken."""

    bug = ""

    def apply(self, seat: int, action: str) -> list[Event]:
        bug, self.bug = self.bug, ""
        done = super().apply(seat, action)
        self.bug = bug
        if bug == "apply":
            raise ZeroDivisionError
        # 7 is nothing that could be added to an event: no seat can be shown it.
        return [Event({"event": "odd"}, dict.fromkeys(range(3), 7))] if bug == "event" else done  # type: ignore[arg-type]

    def legal(self, seat: int) -> list[str]:
        if self.bug == "legal":
            raise ZeroDivisionError
        return super().legal(seat)

    def view(self, seat: int | None) -> View:
        if self.bug == "view":
            raise ZeroDivisionError
        return super().view(seat)

    def to_act(self) -> Sequence[int]:
        return () if self.bug == "to_act" else super().to_act()

    def outcome(self) -> Outcome | None:
        if self.bug == "outcome":
            raise ZeroDivisionError
        return Outcome((1,), (0,), "short") if self.bug == "ranks" else super().outcome()

    def fallback(self, seat: int) -> str:
        return "nonsense" if self.bug == "fallback" else super().fallback(seat)

    def withdraw(self, seat: int) -> list[Event] | None:
        if self.bug == "withdraw":
            raise ZeroDivisionError
        return super().withdraw(seat)


BUGS: list[tuple[str, type[Exception]]] = [
    ("apply", ZeroDivisionError),
    ("event", TypeError),
    ("legal", ZeroDivisionError),
    ("view", ZeroDivisionError),
    ("to_act", AssertionError),
    ("outcome", ZeroDivisionError),
    ("ranks", IndexError),
]


def stands(run: ScriptRun) -> None:
    """Check that the match can be abandoned, and has then ended for all."""
    assert run.match.result is None
    seats = range(run.state.seats)
    assert codes(run.match.abandon("a bug of ours")) == [(seat, "end") for seat in seats]
    assert run.result.void
    assert run.match.deadline_ns is None
    assert not any(run.match.owes(seat) for seat in seats)


@pytest.mark.parametrize(("bug", "error"), BUGS)
def test_a_match_can_be_abandoned_after_an_error_of_the_game(bug: str, error: type[Exception]) -> None:
    state = Faulty([Step((0,)), Step((1,)), Step((0,))], 3)
    run = ScriptRun(state).begin()
    state.bug = bug
    with pytest.raises(error):
        run.act(0, "a")
    stands(run)


@pytest.mark.parametrize(("bug", "error"), BUGS)
def test_a_match_can_be_abandoned_with_choices_held(bug: str, error: type[Exception]) -> None:
    state = Faulty([Step((0, 1, 2))] * 2, 3)
    run = ScriptRun(state).begin()
    run.act(0, "a")
    run.act(2, "a")
    state.bug = bug
    with pytest.raises(error):
        run.act(1, "a")
    stands(run)


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize(
    ("bug", "error"), [("fallback", IllegalActionError), ("withdraw", ZeroDivisionError)]
)
def test_a_match_can_be_abandoned_when_a_failed_seat_cannot_be_played_on(
    at_once: bool, bug: str, error: type[Exception]
) -> None:
    state = Faulty([Step((0, 1, 2) if at_once else (1,)), Step((2,))], 3)
    run = ScriptRun(state).begin()
    if at_once:
        run.act(0, "a")
        run.act(2, "a")
    state.bug = bug
    with pytest.raises(error):
        run.fault(1)
    stands(run)


def test_a_match_whose_end_goes_wrong_can_still_be_abandoned() -> None:
    state = Faulty([Step((0,))], 2)
    run = ScriptRun(state).begin()
    state.bug = "event"
    with pytest.raises(TypeError):
        run.act(0, "a")
    stands(run)


def test_an_action_that_is_not_listed_yet_applies_is_our_error_and_not_the_bots() -> None:
    class Generous(ScriptState):
        def legal(self, seat: int) -> list[str]:
            return super().legal(seat)[:1]

    run = ScriptRun(Generous([Step((0, 1))], 2)).begin()
    with pytest.raises(AssertionError, match="'b' is not listed, yet it applies"):
        run.act(0, "b")
    stands(run)
