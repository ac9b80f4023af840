"""Act in any game: take actions, look for events, be refused."""

from collections.abc import Sequence

import pytest

from referee.chance import KeyedChance
from referee.errors import IllegalActionError
from referee.game import Event, State

LUCK = KeyedChance(bytes(32))


def play(state: State, *actions: str) -> list[Event]:
    """Take actions, each of the first seat that is to act; return the events of all."""
    return [event for action in actions for event in state.apply(state.to_act()[0], action)]


def only(events: Sequence[Event], kind: str) -> Event:
    """Return the one event of a kind."""
    (event,) = [event for event in events if event.kind == kind]
    return event


def kinds_of(events: Sequence[Event]) -> list[str]:
    """Return the kinds of events, in order."""
    return [event.kind for event in events]


def refusal(state: State, action: str, seat: int | None = None) -> str:
    """Return why an action of a seat, by default the first to act, is refused; it changes nothing."""
    actor = state.to_act()[0] if seat is None else seat
    before = state.reveal(), state.legal(actor)[:]
    with pytest.raises(IllegalActionError) as refused:
        state.apply(actor, action)
    assert (state.reveal(), state.legal(actor)) == before
    return refused.value.reason
