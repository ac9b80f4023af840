"""Matches of any game, drawn by hypothesis: a deal, and numbers that drive every choice."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from hypothesis import Phase, settings
from hypothesis import strategies as st

from referee.chance import KeyedChance
from referee.errors import OptionError
from referee.game import Event, Game, Option, Options, State, View

WITHOUT_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""For checks that take so long that a smaller example is not worth the wait."""

ENOUGH_STEPS = 300
"""Games whose matches are longer than this on average get fewer of them."""

Watcher = int | None
"""A seat, or with None the public."""


class Deal(NamedTuple):
    """Everything a match begins with."""

    seats: int
    options: Options
    key: bytes
    start: View | None = None
    """A position to begin from, as some watcher sees it; then no watcher knows how it came about."""

    def new(self, game: Game) -> tuple[State, list[Event]]:
        """Set the match up."""
        if self.start is not None:
            return game.imagine(self.start, KeyedChance(self.key)), []
        return game.new(self.seats, KeyedChance(self.key), self.options)

    def watchers(self) -> list[Watcher]:
        """Return every seat, and the public."""
        return [*range(self.seats), None]


class Picks:
    """An endless row of choices out of a few drawn numbers."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = numbers
        self._used = 0

    def below(self, n: int) -> int:
        """Return the next choice among n."""
        lap, place = divmod(self._used, len(self._numbers))
        self._used += 1
        # Each lap reads the numbers differently; else a short row would repeat the same few choices.
        return (self._numbers[place] * (2 * lap + 1) + 7919 * lap * (place + 1)) // (1 + lap % 5) % n

    def of(self, items: Sequence[Any]) -> Any:
        """Return one of the items."""
        return items[self.below(len(items))]

    def action(self, legal: Sequence[str]) -> str:
        """Return an action: first its verb, then one of that verb, so that rare verbs are played too."""
        verbs: dict[str, list[str]] = {}
        for action in legal:
            verbs.setdefault(action.partition(" ")[0], []).append(action)
        return str(self.of(verbs[self.of(list(verbs))]))

    def looks(self, step: int) -> bool:
        """Say whether to look closely at this step of a match: ever more seldom, as long ones cost more."""
        return self.below(2 + step // 8) == 0

    def some(self, items: Sequence[Any], most: int) -> list[Any]:
        """Return at most this many of the items, spread evenly from a picked place."""
        stride = max(1, len(items) // most)
        return list(items[self.below(stride) :: stride][:most])


class Run:
    """A match in mid-play, with what all watchers were sent."""

    def __init__(self, game: Game, deal: Deal) -> None:
        self.game, self.deal = game, deal
        self.state, opening = deal.new(game)
        self.taken: list[tuple[int, str]] = []
        self.told: dict[Watcher, list[dict[str, Any]]] = {watcher: [] for watcher in deal.watchers()}
        self.events: list[list[Event]] = []
        self.held: dict[int, str] = {}
        """Choices of seats that choose at once, while others have not chosen yet."""
        self.hear(opening)

    def hear(self, events: Sequence[Event]) -> None:
        """Send all watchers what happened."""
        self.events.append(list(events))
        for watcher, seen in self.told.items():
            seen += [event.seen_by(watcher) for event in events]

    def act(self, seat: int, action: str) -> list[Event]:
        """Take an action, book it and return what happened."""
        several = len(self.state.to_act()) > 1
        events = self.state.apply(seat, action)
        self.held = {**self.held, seat: action} if several else {}
        self.taken.append((seat, action))
        self.hear(events)
        return events


def walk(game: Game, deal: Deal, picks: Picks) -> Iterator[Run]:
    """Play a match to its end; yield the run before every action, and once when it is over."""
    run = Run(game, deal)
    bound = game.longest(deal.seats, deal.options)
    while run.state.to_act():
        assert len(run.taken) < bound, f"longest: not over after the {bound} actions it promises"
        yield run
        seat = picks.of(run.state.to_act())
        run.act(seat, picks.action(run.state.legal(seat)))
    yield run


def _values(option: Option) -> list[str | int]:
    if option.choices:
        return list(option.choices)
    few = {option.low, option.low + 1, option.low + 2, option.default}
    return [value for value in sorted(few, key=int) if int(value) <= option.high]


def settled(game: Game, seats: int, options: Mapping[str, str | int]) -> Options:
    """Return as many of the options as go together."""
    chosen: Options = {}
    for name, value in options.items():
        try:
            game.resolve({**chosen, name: value}, seats)
        except OptionError:
            continue
        chosen[name] = value
    return chosen


@st.composite
def deals(draw: st.DrawFn, game: Game, whole: bool) -> Deal:
    """Draw seats, options and a key; unless a whole match is asked for, perhaps a position to begin from."""
    seats = draw(st.integers(game.info.least_seats, game.info.most_seats))
    drawn = draw(
        st.fixed_dictionaries(
            {}, optional={option.name: st.sampled_from(_values(option)) for option in game.info.options}
        )
    )
    options = settled(game, seats, drawn)
    key = draw(st.binary(min_size=32, max_size=32))
    if whole or not draw(st.booleans()):
        return Deal(seats, options, key)
    return draw(st.sampled_from(_starts(game, key) or [Deal(seats, options, key)]))


def _starts(game: Game, key: bytes) -> list[Deal]:
    """Return deals that begin at the positions which play by lot hardly ever reaches."""
    return [Deal(view["seats"], dict(view["options"]), key, view) for view in game.rare_views()]


picks = st.lists(st.integers(0, 2**16), min_size=1, max_size=30).map(Picks)


@cache
def brevity(game: Game) -> float:
    """Return the share of examples that a game needs: one long match shows as much as several short ones."""
    lengths = [sum(1 for _ in walk(game, deal, picks)) for deal, picks in fixed_matches(game, 3, whole=True)]
    return min(1.0, ENOUGH_STEPS * len(lengths) / sum(lengths))


def examples(game: Game, share: float) -> int:
    """Return how many matches of a game hypothesis draws for a check that is given this share."""
    return max(3, round(settings().max_examples * share * brevity(game)))


def fixed_matches(game: Game, count: int, whole: bool) -> Iterator[tuple[Deal, Picks]]:
    """Yield matches that are the same in every run."""
    seats = range(game.info.least_seats, game.info.most_seats + 1)
    for n in range(count):
        numbers = [(n * 7919 + k * 104729) % 65537 for k in range(23)]
        key = n.to_bytes(32, "big")
        for deal in [Deal(seats[n % len(seats)], {}, key), *(() if whole else _starts(game, key))]:
            yield deal, Picks(numbers)
