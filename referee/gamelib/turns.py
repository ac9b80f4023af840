"""What positions of all games have in common: whose turn it is, who is asked for what, and how it ended."""

from abc import abstractmethod
from dataclasses import field
from re import Match
from typing import Any, ClassVar, Generic, Self, TypeVar

from referee.chance import Chance
from referee.errors import IllegalActionError
from referee.game import Event, Outcome, State, View
from referee.gamelib.cloning import Shared, cloneable, set_first_values
from referee.gamelib.grammar import Grammar
from referee.gamelib.rules import OptionRules

R = TypeVar("R", bound=OptionRules)

_HEAD = ("you", "seats", "options", "turn", "phase", "active", "to_act", "ranking", "reason")
"""The keys that the views of all games begin with."""

OVER = "over"
"""The phase of a game that has ended."""


@cloneable
class TurnState(State, Generic[R]):
    """A position of a game that is played in turns.

    A game declares its own fields in a subclass, with their first values where these are always the same,
    marks it `cloneable`, and writes `choices`, `take` and `why_not`. The public methods of the contract are
    here.

    `turn` is the number of the turn, `active` the seat whose turn it is, `phase` names the kind of decision.
    `asked` are the seats that are asked for an action, `acting` those of them that have not answered yet.
    `lists` remembers the legal actions of seats until the next action. `form` is a view that is not filled
    in: every view begins as a copy of it, which takes a fraction of the time of a dict that grows.
    """

    rules: Shared[R]
    form: Shared[View]
    seats: int
    chance: Chance
    turn: int = 0
    phase: str = ""
    active: int = 0
    asked: tuple[int, ...] = ()
    acting: tuple[int, ...] = ()
    lists: dict[int, Shared[list[str]]] = field(default_factory=dict)
    ended: Outcome | None = None

    grammar: ClassVar[Grammar]
    """How actions are spelt."""
    keys: ClassVar[tuple[str, ...]] = ()
    """The keys that only the views of this game have, in their order."""

    def __init__(self, rules: R, chance: Chance, phase: str) -> None:
        set_first_values(self)
        self.rules = rules
        self.form = dict.fromkeys((*_HEAD, *self.keys)) | {"seats": rules.seats, "options": rules.options}
        self.seats = rules.seats
        self.chance = chance
        self.phase = phase

    @abstractmethod
    def choices(self, seat: int) -> list[str]:
        """Return the legal actions of a seat that is to act, in canonical order."""

    @abstractmethod
    def take(self, seat: int, action: str, events: list[Event]) -> None:
        """Take a legal action, and add what happens to `events`."""

    @abstractmethod
    def why_not(self, seat: int, match: Match[str]) -> str:
        """Return why an action that is spelt correctly is not legal for a seat that is to act."""

    def to_act(self) -> tuple[int, ...]:
        """Return the seats that owe an action, in seat order."""
        return self.acting

    def legal(self, seat: int) -> list[str]:
        """Return the actions this seat may take now, in canonical order; not to be changed."""
        found = self.lists.get(seat)
        if found is None:
            if seat not in self.acting:
                return []
            found = self.lists[seat] = self.choices(seat)
        return found

    def apply(self, seat: int, action: str) -> list[Event]:
        """Take an action and return what happened; an illegal one changes nothing."""
        found = self.lists.get(seat)
        if action not in (self.legal(seat) if found is None else found):
            raise IllegalActionError(seat, action, self._refusal(seat, action))
        self.lists = {}
        events: list[Event] = []
        self.take(seat, action, events)
        return events

    def _refusal(self, seat: int, action: str) -> str:
        if seat in self.asked and seat not in self.acting:
            return "you have already answered"
        match = self.grammar.explain(action, self.ended is not None, seat in self.acting)
        return match if isinstance(match, str) else self.why_not(seat, match)

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while it goes on."""
        return self.ended

    def clone(self) -> Self:
        """Return an independent copy, luck included; `cloneable` writes it for every class."""
        raise NotImplementedError

    def ask(self, *seats: int) -> None:
        """Leave the next decision to these seats; several of them choose at once."""
        self.asked = self.acting = seats
        self.lists = {}

    def offer(self, seat: int, found: list[str]) -> bool:
        """Leave the next decision to a seat if it has any of these legal actions; return whether it has."""
        if not found:
            self.lists = {}
            return False
        self.asked = self.acting = (seat,)
        self.lists = {seat: found}
        return True

    def hold(self, seat: int) -> bool:
        """Note that a seat has answered; return whether it was the last one that was asked."""
        self.acting = tuple(other for other in self.acting if other != seat)
        return not self.acting

    def start(
        self, events: list[Event], dealt: dict[int, View] | None = None, news: bool = False, **own: Any
    ) -> None:
        """Report the start: `own` are the fields that only this game has, `dealt` those of single seats."""
        public = {"event": "started", "seats": self.seats, "options": dict(self.rules.options), **own}
        events.append(Event(public, dealt, news))

    def settle(self, outcome: Outcome) -> None:
        """End the game: no seat is asked for anything any more."""
        self.ended = outcome
        self.phase = OVER
        self.asked = self.acting = ()
        self.lists = {}

    def end(self, outcome: Outcome, events: list[Event], **more: Any) -> None:
        """End the game and report it; `more` are the fields that only this game has in its last event."""
        self.settle(outcome)
        result = {"reason": outcome.reason, "ranking": list(outcome.ranks), "scores": list(outcome.scores)}
        events.append(Event({"event": "ended", **result, **more}))

    def head(self, seat: int | None) -> View:
        """Return a view with all keys, in which those that all games have are filled in."""
        view = self.form.copy()
        view["you"] = seat
        view["turn"] = self.turn
        view["phase"] = self.phase
        view["to_act"] = [*self.asked]
        if self.ended is None:
            view["active"] = self.active
        else:
            view["ranking"] = list(self.ended.ranks)
            view["reason"] = self.ended.reason
        return view

    def resume(self, view: View) -> None:
        """Take over the keys that `head` gave to a view; a game that is over still has to be ended."""
        self.turn, self.phase = view["turn"], view["phase"]
        if view["active"] is not None:
            self.active = view["active"]
        self.asked = self.acting = tuple(view["to_act"])
