"""Games with one leak each, wrapped around any game: what the contract must catch."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from msgspec.structs import replace

from referee.chance import Chance
from referee.errors import IllegalActionError
from referee.game import Event, Game, Outcome, Seen, State, View
from tests.contract.checks import encoded

HINT = "hint"
"""An action no game has; where it is offered, it stands for the first one."""


class LeakyState(State):
    """A state that shows something it should not."""

    def __init__(self, inner: State, leak: "Leak", chance: Chance) -> None:
        self.inner, self.leak, self.chance = inner, leak, chance
        self.refused = 0

    def secret(self) -> int:
        """Return a number that depends on everything hidden, the luck to come included."""
        return crc32(encoded([self.inner.reveal(), self.chance.clone().below("leak", 2**30)]))

    def to_act(self) -> Sequence[int]:
        return self.inner.to_act()

    def legal(self, seat: int) -> list[str]:
        legal = self.inner.legal(seat)
        return self.leak.legal(self, seat, legal) if self.leak.legal and legal else legal

    def apply(self, seat: int, action: str) -> list[Event]:
        before = self.clone()
        hinted = action == HINT and HINT in self.legal(seat)
        try:
            events = self.inner.apply(seat, self.inner.legal(seat)[0] if hinted else action)
        except IllegalActionError as error:
            self.refused += 1
            reason = self.leak.reason(self, seat) if self.leak.reason else error.reason
            raise IllegalActionError(seat, action, reason) from error
        return self.leak.events(before, seat, events) if self.leak.events else events

    def fallback(self, seat: int) -> str:
        return self.leak.fallback(self, seat) if self.leak.fallback else self.inner.fallback(seat)

    def view(self, seat: int | None) -> View:
        view = self.inner.view(seat)
        return self.leak.view(self, seat, view) if self.leak.view else view

    def reveal(self) -> View:
        return self.inner.reveal()

    def outcome(self) -> Outcome | None:
        return self.inner.outcome()

    def withdraw(self, seat: int) -> list[Event] | None:
        return self.inner.withdraw(seat)

    def clone(self) -> "LeakyState":
        copy = LeakyState(self.inner.clone(), self.leak, self.chance.clone())
        copy.refused = self.refused
        return copy


@dataclass
class Leak:
    """What a leaky state does differently; each hook is given the state and the honest answer."""

    view: Callable[[LeakyState, int | None, View], View] | None = None
    legal: Callable[[LeakyState, int, list[str]], list[str]] | None = None
    events: Callable[[LeakyState, int, list[Event]], list[Event]] | None = None
    reason: Callable[[LeakyState, int], str] | None = None
    fallback: Callable[[LeakyState, int], str] | None = None


class LeakyGame(Game):
    """A game whose states leak; everything else is the honest game's."""

    def __init__(self, inner: Game, leak: Leak) -> None:
        self.inner, self.leak, self.info = inner, leak, inner.info

    def new(
        self, seats: int, chance: Chance, options: Mapping[str, str | int] | None = None
    ) -> tuple[State, list[Event]]:
        copy = chance.clone()
        state, events = self.inner.new(seats, chance, options)
        return LeakyState(state, self.leak, copy), events

    def imagine(self, view: View, chance: Chance) -> State:
        copy = chance.clone()
        return LeakyState(self.inner.imagine(view, chance), self.leak, copy)

    def follow(self, seat: int | None, events: Iterable[Mapping[str, Any]]) -> View:
        return self.inner.follow(seat, events)

    def longest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        return self.inner.longest(seats, options)

    def widest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        return self.inner.widest(seats, options) + 1

    def draw(self, view: View) -> str:
        return self.inner.draw(view)

    def describe(self, event: Mapping[str, Any], names: Sequence[str]) -> str:
        return self.inner.describe(event, names)

    def pieces(self, revealed: View) -> Iterable[str]:
        return self.inner.pieces(revealed)

    def lasting(self, event: Seen, seat: int | None) -> Seen | None:
        return self.inner.lasting(event, seat)

    def rare_views(self) -> Sequence[View]:
        return self.inner.rare_views()


def adding(name: str, value: Callable[[LeakyState, int | None], Any]) -> Leak:
    """Return a leak that adds a field to every view."""
    return Leak(view=lambda state, seat, view: view | {name: value(state, seat)})


def retold(change: Callable[[LeakyState, int, Event], Event]) -> Leak:
    """Return a leak that changes every event."""
    return Leak(events=lambda state, seat, events: [change(state, seat, event) for event in events])


def misdirected(state: LeakyState, seat: int, event: Event) -> Event:
    """Give what one seat alone should learn to another as well."""
    private = event.private or {}
    return replace(event, private={1 - other % 2: extra for other, extra in private.items()} | private)


def published(state: LeakyState, seat: int, event: Event) -> Event:
    """Give what one seat alone should learn to all."""
    extra: dict[str, Any] = {}
    for fields in (event.private or {}).values():
        extra |= fields
    return replace(event, public=event.public | extra)


def foretold(state: LeakyState, seat: int, event: Event) -> Event:
    """Add something hidden to what a seat rightly learns."""
    private = event.private or {}
    return replace(event, private={s: extra | {"next": state.secret()} for s, extra in private.items()})


def chosen_aloud(state: LeakyState, seat: int, events: list[Event]) -> list[Event]:
    """Report at once that a seat has made its choice."""
    return events or [Event({"event": "chosen", "seat": seat})]


def doubled(state: LeakyState, seat: int, events: list[Event]) -> list[Event]:
    """Report everything twice if something hidden is odd."""
    return events * (1 + state.secret() % 2)


def turned(state: LeakyState, seat: int, events: list[Event]) -> list[Event]:
    """Report in reverse if something hidden is odd."""
    return events[::-1] if state.secret() % 2 else events


def rotated(state: LeakyState, seat: int, legal: list[str]) -> list[str]:
    """Begin the list of legal actions at a hidden place."""
    start = state.secret() % len(legal)
    return legal[start:] + legal[:start]


def extended(state: LeakyState, seat: int, legal: list[str]) -> list[str]:
    """Offer one action more if something hidden is odd."""
    return legal + [HINT] * (state.secret() % 2)


def overstated(state: LeakyState, seat: int, legal: list[str]) -> list[str]:
    """Offer an action that does not apply."""
    return [*legal, "nothing of the kind"]


def shortened(state: LeakyState, seat: int, legal: list[str]) -> list[str]:
    """Offer one action less if something hidden is odd."""
    return legal[state.secret() % 2 :] or legal


def reordered(state: LeakyState, seat: int | None, view: View) -> View:
    """Turn the order of a view's fields if something hidden is odd."""
    return dict(reversed(view.items())) if state.secret() % 2 else view


def shown_to_the_public(state: LeakyState, seat: int | None, view: View) -> View:
    """Show the whole position to the public, but to no seat."""
    return view | ({"all": state.reveal()} if seat is None else {})


def in_options(state: LeakyState, seat: int | None, view: View) -> View:
    """Hide a secret among the options."""
    return view | {"options": view["options"] | {"version": state.secret() % 5}}
