"""Sealed: Coins with nonces for cards, so that a leaked card can be found in any text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from referee.chance import Chance
from referee.errors import IllegalActionError
from referee.game import Event, Game, Outcome, State, View
from tests.toys.coins import CARDS, CoinsState
from tests.toys.coins import GAME as COINS

HOLD_CARDS = frozenset({"hand", "hands", "discard", "known", "order", "card", "cards"})
"""Fields of views and events that hold cards."""


class SealedState(State):
    """A position of Coins, and the nonce of every card."""

    def __init__(self, inner: CoinsState, nonces: Mapping[int, str]) -> None:
        self.inner, self.nonces = inner, nonces

    def _sealed(self, record: Mapping[str, Any]) -> View:
        return {name: self._cards(v) if name in HOLD_CARDS else v for name, v in record.items()}

    def _cards(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._cards(inner) for inner in value]
        if isinstance(value, dict):
            return {name: self._cards(inner) for name, inner in value.items()}
        return self.nonces.get(value, "")

    def seal_event(self, event: Event) -> Event:
        private = event.private and {seat: self._sealed(extra) for seat, extra in event.private.items()}
        return Event(self._sealed(event.public), private, event.news)

    def to_act(self) -> Sequence[int]:
        return self.inner.to_act()

    def legal(self, seat: int) -> list[str]:
        return [self._action(action) for action in self.inner.legal(seat)]

    def _action(self, action: str) -> str:
        verb, _, number = action.partition(" ")
        return f"show {self.nonces[int(number)]}" if verb == "show" else action

    def apply(self, seat: int, action: str) -> list[Event]:
        actions = {self._action(plain): plain for plain in self.inner.legal(seat)}
        if action not in actions:
            raise IllegalActionError(seat, action, "not one of the legal actions")
        return [self.seal_event(event) for event in self.inner.apply(seat, actions[action])]

    def view(self, seat: int | None) -> View:
        return self._sealed(self.inner.view(seat))

    def reveal(self) -> View:
        return self._sealed(self.inner.reveal())

    def outcome(self) -> Outcome | None:
        return self.inner.outcome()

    def withdraw(self, seat: int) -> list[Event] | None:
        events = self.inner.withdraw(seat)
        return None if events is None else [self.seal_event(event) for event in events]

    def clone(self) -> "SealedState":
        return SealedState(self.inner.clone(), self.nonces)


def _nonce(chance: Chance) -> str:
    return f"zq{chance.below('nonce', 2**32):08x}{chance.below('nonce', 2**32):08x}qz"


class Sealed(Game):
    """The rules of Sealed, as far as matches and replays need them."""

    info = replace(COINS.info, id="sealed", title="Sealed", summary="Coins, with nonces for cards.")

    def new(
        self, seats: int, chance: Chance, options: Mapping[str, str | int] | None = None
    ) -> tuple[SealedState, list[Event]]:
        nonces = {card: _nonce(chance) for card in CARDS}
        inner, events = COINS.new(seats, chance, options)
        state = SealedState(inner, nonces)
        return state, [state.seal_event(event) for event in events]

    def imagine(self, view: View, chance: Chance) -> State:
        raise NotImplementedError

    def follow(self, seat: int | None, events: Iterable[Mapping[str, Any]]) -> View:
        raise NotImplementedError

    def longest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        return COINS.longest(seats, options)

    def widest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        return COINS.widest(seats, options)

    def draw(self, view: View) -> str:
        return COINS.draw(view)

    def describe(self, event: Mapping[str, Any], names: Sequence[str]) -> str:
        return COINS.describe(event, names)


GAME = Sealed()
