"""The contract between the referee and the rules of a game.

A game is pure: no clock, no files, no network, no luck but the Chance it is given. A game is one folder
below `referee/games`, or one entry point of another distribution, that offers a `GAME`. Nothing else names a
game: what the contract suite, the conformance kit, the hints for people, the search bot and the demo need to
know about it is in its `GameInfo` and in the methods of `Game`, with defaults that are right for most games.

Secrecy is additive: `Event` and `State.view` are built from what a seat may know, never by deleting from what
it may not. The seed is no part of a State. Nothing here holds a float.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from referee.chance import Chance
from referee.errors import ConfigError, OptionError, nearest

Options = dict[str, str | int]
Seen = Mapping[str, Any]
"""An event as one seat, or the public, is sent it."""
View = dict[str, Any]
"""What a seat may know of a position, as an object of JSON. The views of all games have these keys:

============  ==========================================================================================
`you`         the seat whose view it is; null for the public
`seats`       the number of seats
`options`     all options of the game with their values
`turn`        the number of the turn, from 1 on; 0 before the first
`phase`       the kind of decision at hand, a word of the game; `over` when the game is over
`active`      the seat whose turn it is; null if it is no seat's turn, and when the game is over
`to_act`      the seats that are asked for an action, in seat order; of several seats that choose at once all,
              until the last one has chosen; empty when the game is over
`ranking`     the rank of each seat, 1 is best; null while the game goes on
`reason`      why the game ended, in a word; null while the game goes on
============  ==========================================================================================

Events are named in the past tense, as what they report has happened. Every game has `started` (`seats`,
`options`), which is the first, and `ended` (`reason`, `ranking`, `scores`), which is the last. A game with
turns has `turn_began` (`seat`, `turn`).
"""


class Option(Struct, frozen=True):
    """A switch of a game: a word from `choices`, or a whole number from `low` to `high`."""

    name: str
    default: str | int
    meaning: str
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0

    def parse(self, value: str | int) -> str | int:
        """Return the value in its own type, or say which values there are."""
        if self.choices:
            if str(value) not in self.choices:
                hint = nearest(str(value), self.choices)
                raise OptionError(f"option {self.name} cannot be {value!r}: {hint}", option=self.name)
            return str(value)
        try:
            number = int(value)
        except ValueError:
            number = self.low - 1
        if not self.low <= number <= self.high:
            hint = f"it is a whole number from {self.low} to {self.high}"
            raise OptionError(f"option {self.name} cannot be {value!r}: {hint}", option=self.name)
        return number


class SampleBot(Struct, frozen=True):
    """A sample bot that a game brings: a module of Python that is run as a program."""

    name: str
    """What `--bot` and tournament files call it."""
    module: str
    """`python -m MODULE` runs it. For hints the module offers a class of `protocol.client.Bot`, or a function
    `choose`."""
    way: str = ""
    """How it thinks, in half a sentence: `it takes what adds most to its rows`."""


class GameInfo(Struct, frozen=True):
    """What there is to know about a game before it begins."""

    id: str
    title: str
    summary: str
    least_seats: int
    most_seats: int
    options: tuple[Option, ...] = ()
    presets: dict[str, Options] = {}
    """Named sets of options; the name `classic` stands for the defaults."""
    simultaneous: bool = False
    """Whether several seats may be to act at the same time. Then all bots of a match may think at once, and
    fewer matches run side by side."""
    hidden: Literal["luck", "pieces", "hands"] = "hands"
    """What is hidden: only the luck to come, or pieces that no seat sees, or what single seats know alone."""
    samples: tuple[SampleBot, ...] = ()
    """Sample bots that play the game. The first one gives hints to people, meets new bots and plays in the
    demo, beside `random` and `first`, which play every game."""
    guide: str = ""
    """`module:Class` of the guide by which the sample `search` plays this game; without one it plays at
    random in its trials."""
    crowded: str = "crowded"
    """The name of a deal, with all seats taken, in which lists of legal actions get long. The conformance kit
    plays it to show bots the longest lists."""

    def option(self, name: str) -> Option:
        """Return an option by its name; raises OptionError, which names the nearest."""
        known = {option.name: option for option in self.options}
        if name not in known:
            hint = nearest(name, known) if known else "it has none"
            raise OptionError(f"{self.id} has no option {name!r}: {hint}", option=name)
        return known[name]


class Event(Struct, frozen=True, gc=False):
    """Something that happened, and what each seat learns of it.

    `public` names the kind of event under the key `event`; every seat and every spectator sees it. `private`
    adds fields, or puts them in place of the public ones, for single seats. `news` says that the acting seat
    learns something it could not foresee from what it knew: luck, a secret, another seat's choice.
    """

    public: dict[str, Any]
    private: dict[int, dict[str, Any]] | None = None
    news: bool = False

    @property
    def kind(self) -> str:
        """The name of the kind of event."""
        return str(self.public["event"])

    def seen_by(self, seat: int | None) -> dict[str, Any]:
        """Return the event as this seat (or, with None, the public) sees it. Not to be changed."""
        if self.private is None or seat not in self.private:
            return self.public
        return self.public | self.private[seat]

    def seen_by_all(self) -> dict[str, Any]:
        """Return the event as the referee sees it: `secrets` holds what single seats learned."""
        if self.private is None:
            return self.public
        return self.public | {"secrets": {str(seat): extra for seat, extra in self.private.items()}}


class Outcome(Struct, frozen=True):
    """How a game ended. Ranks are by seat, 1 is best; equal ranks are tied."""

    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str
    ties: Literal["draw", "unordered"] = "draw"
    """Whether seats of equal rank did equally well, or the game merely does not order them."""


class State(ABC):
    """A position of a game, with all its secrets. Only the referee holds one; bots get views."""

    __slots__ = ()

    @abstractmethod
    def to_act(self) -> Sequence[int]:
        """Return the seats that owe an action, in seat order; several: they choose at once."""

    @abstractmethod
    def legal(self, seat: int) -> list[str]:
        """Return the actions this seat may take now, in canonical order; not to be changed.

        List and order depend on nothing that is hidden from the seat. Empty if it owes none.
        """

    @abstractmethod
    def apply(self, seat: int, action: str) -> list[Event]:
        """Take an action and return what happened, cause before consequence.

        Raises IllegalActionError, and then nothing has changed. The choice of a seat that is not the last of
        several to choose at once is held, and gives no event.
        """

    def fallback(self, seat: int) -> str:
        """Return what the house plays for a failed bot: a function of that seat's view."""
        return self.legal(seat)[0]

    @abstractmethod
    def view(self, seat: int | None) -> View:
        """Return what this seat (or, with None, the public) may know: a new object, not to be changed.

        Its parts may be shared with other views and positions, as long as none of them ever changes.
        """

    def reveal(self) -> View:
        """Return the public view with everything that is hidden: for replays only."""
        return self.view(None)

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while it goes on."""

    def withdraw(self, seat: int) -> list[Event] | None:
        """Take a seat out of the game by the game's own rule; None: the house plays it on."""
        del seat
        return None

    @abstractmethod
    def clone(self) -> "State":
        """Return an independent copy, luck included."""


class Game(ABC):
    """The rules of one game."""

    info: GameInfo

    @abstractmethod
    def new(
        self, seats: int, chance: Chance, options: Mapping[str, str | int] | None = None
    ) -> tuple[State, list[Event]]:
        """Set up a game and return it with its opening events (a deal is the first secret).

        Raises ConfigError or OptionError for seats or options the game does not have.
        """

    @abstractmethod
    def imagine(self, view: View, chance: Chance) -> State:
        """Return a whole state that fits the view: hidden things are drawn from `chance`.

        For the secrecy tests, and for bots that search.
        """

    @abstractmethod
    def follow(self, seat: int | None, events: Iterable[Mapping[str, Any]]) -> View:
        """Return the view of a seat (None: the public) rebuilt from the events it saw, and nothing else.

        Shows that events suffice: a bot that drops `view` loses nothing.
        """

    @abstractmethod
    def longest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        """Return a bound on the number of actions of one game."""

    @abstractmethod
    def widest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        """Return a bound on the number of legal actions at one decision."""

    @abstractmethod
    def draw(self, view: View) -> str:
        """Draw the position of a view in characters, several lines, for people."""

    @abstractmethod
    def describe(self, event: Mapping[str, Any], names: Sequence[str]) -> str:
        """Return a sentence for an event as a seat saw it; `names` are the names of the seats."""

    def pieces(self, revealed: View) -> Iterable[str]:
        """Return all pieces that `State.reveal` shows: the contract suite checks that none is lost or made.

        Where the number of hidden pieces is all that is shown of them, they count as any text, so many times.
        """
        del revealed
        return ()

    def lasting(self, event: Seen, seat: int | None) -> Seen | None:
        """Return an event without what the seat is rightly shown but its view does not keep; None: all of it.

        Bots may remember it. The secrecy tests compare what is left with views.
        """
        del seat
        return event

    def scores_so_far(self, view: View) -> Sequence[int] | None:
        """Return the score of every seat as this view shows it; None if the game shows none before its end.

        When the game is over they are the scores of its outcome. For feedback to authors of bots.
        """
        del view
        return None

    def rare_views(self) -> Sequence[View]:
        """Return views of positions that play at random hardly ever reaches, for the contract suite."""
        return ()

    def check_seats(self, seats: int) -> None:
        """Refuse a number of seats the game is not made for."""
        least, most = self.info.least_seats, self.info.most_seats
        if not least <= seats <= most:
            raise ConfigError(f"{self.info.id} has {least} to {most} seats, not {seats}")

    def resolve(self, options: Mapping[str, str | int] | None, seats: int) -> Options:
        """Return all options of the game with their values, in the order the game lists them.

        An option that is not given has its default; some games let one option set the defaults of others,
        or refuse combinations, by extending this method.
        """
        self.check_seats(seats)
        given = dict(options or {})
        for name in given:
            self.info.option(name)
        return {
            option.name: option.parse(given.get(option.name, option.default)) for option in self.info.options
        }
