"""A game that is made of the parts in this library: its class only names them."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from referee.chance import Chance
from referee.game import Event, Game, View
from referee.gamelib.follower import Follower
from referee.gamelib.rules import OptionRules
from referee.gamelib.turns import TurnState
from referee.gamelib.wording import Sentences

R = TypeVar("R", bound=OptionRules)
S = TypeVar("S", bound=TurnState[Any])


class TurnGame(Game, Generic[R, S]):
    """A game whose options are `OptionRules` and whose positions are `TurnState`s.

    A game names its `rules`, `follower` and `sentences`, and writes `position`, `deal`, `fill`,
    `longest_under`, `widest_under` and `draw`. A function of another module becomes a method with
    `staticmethod`.
    """

    rules: type[R]
    follower: type[Follower]
    sentences: Sentences

    @abstractmethod
    def position(self, rules: R, chance: Chance) -> S:
        """Return a position in which nothing has been dealt yet."""

    @abstractmethod
    def deal(self, state: S, events: list[Event]) -> None:
        """Set up a new game as far as its first decision, and add what happens to `events`."""

    @abstractmethod
    def fill(self, state: S, view: View) -> None:
        """Take over what a view shows beside the common keys; draw what it hides from `state.chance`."""

    @abstractmethod
    def longest_under(self, rules: R) -> int:
        """Return a bound on the number of actions of one game."""

    @abstractmethod
    def widest_under(self, rules: R) -> int:
        """Return a bound on the number of legal actions at one decision."""

    def new(
        self, seats: int, chance: Chance, options: Mapping[str, str | int] | None = None
    ) -> tuple[S, list[Event]]:
        """Set up a game and return it with its opening events."""
        state, events = self.position(self._rules(seats, options), chance), list[Event]()
        self.deal(state, events)
        return state, events

    def imagine(self, view: View, chance: Chance) -> S:
        """Return a whole state that fits the view: hidden things are drawn from `chance`."""
        state = self.position(self.rules.of(dict(view["options"]), view["seats"]), chance)
        state.resume(view)
        self.fill(state, view)
        return state

    def follow(self, seat: int | None, events: Iterable[Mapping[str, Any]]) -> View:
        """Return the view of a seat (None: the public) rebuilt from the events it saw, and nothing else."""
        return self.follower(seat).follow(events)

    def longest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        """Return a bound on the number of actions of one game."""
        return self.longest_under(self._rules(seats, options))

    def widest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        """Return a bound on the number of legal actions at one decision."""
        return self.widest_under(self._rules(seats, options))

    def describe(self, event: Mapping[str, Any], names: Sequence[str]) -> str:
        """Return a sentence for an event as a seat saw it; `names` are the names of the seats."""
        return self.sentences(event, names)

    def _rules(self, seats: int, options: Mapping[str, str | int] | None) -> R:
        return self.rules.of(self.resolve(options, seats), seats)
