"""One person in one match: the other seats, the events so far, and their description."""

from textwrap import wrap

from protocol.messages import Ask, End, Seen, Start
from referee import registry
from referee.cli.human.hints import Adviser
from referee.cli.human.rulebook import Rulebook
from referee.wording import clean, plural

_WIDTH = 100

_WHAT_TO_TYPE = (
    "Your seat is marked (you). Take an action by its number; `rules` prints the rules, `hint` what a sample "
    "bot would do, `help` everything else you can type. An action cannot be undone."
)


class MatchContext:
    """What a person knows about a match."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.game = registry.game(start.game)
        self.seat = start.seat
        self.names = [clean(name) for name in start.names]
        self.rulebook = Rulebook(registry.rules(self.game))
        self.adviser = Adviser(start)
        self.decisions = 0
        self._events: list[Seen] = []
        self._told = 0

    @property
    def name(self) -> str:
        """The person's name in this match."""
        return self.names[self.seat]

    def see(self, events: list[Seen]) -> None:
        """Store new events, and pass them on to the adviser."""
        self._events += events
        self.adviser.see(events)

    def news(self) -> list[str]:
        """Describe the events since the last call."""
        told, self._told = self._told, len(self._events)
        return self.told(told)

    def told(self, since: int = 0) -> list[str]:
        """Describe all events from this one on."""
        return [self.game.describe(event, self.names) for event in self._events[since:]]

    def introduction(self) -> list[str]:
        """Return the introduction: the game, the seats, and what to type."""
        info = self.game.info
        others = [f"{name} is @{seat}" for seat, name in enumerate(self.names)]
        return [
            *wrap(f"{info.title}: {self.rulebook.introduction or info.summary}", _WIDTH),
            "",
            *wrap(
                f"{plural(self.start.seats, 'seat')}, by their marks on the board: {', '.join(others)}.",
                _WIDTH,
            ),
            *wrap(_WHAT_TO_TYPE, _WIDTH),
        ]

    def final_board(self) -> str:
        """Draw the end as the person saw it."""
        return self.game.draw(self.game.follow(self.seat, self._events))


def standing(end: End, names: list[str]) -> list[str]:
    """Describe how a match ended, the best seat first."""
    if end.void:
        return ["The match was abandoned and does not count."]
    lines = [f"The match is over: {end.reason}."]
    for seat in sorted(range(len(names)), key=lambda seat: end.ranks[seat]):
        fault = f", out by a fault: {end.faults[seat]}" if end.faults[seat] else ""
        lines.append(f"  {end.ranks[seat]}. {names[seat]} (@{seat}), {_points(end.scores[seat])}{fault}")
    return lines


def verdict(end: End, seat: int) -> str:
    """Describe the result of one person."""
    rank, sharing = end.ranks[seat], end.ranks.count(end.ranks[seat]) - 1
    if end.void:
        return ""
    if rank == 1:
        return "A draw." if sharing and end.ties == "draw" else "You win."
    return f"You are number {rank} of {len(end.ranks)}."


def _points(score: int) -> str:
    return plural(score, "point")


def time_left(ask: Ask) -> str:
    """Describe the time for a decision; '' if it is more than a day, as it is without --timed."""
    clock = ask.clock
    total_s = (clock.move_ms + clock.bank_ms) / 1_000
    if total_s > 86_400:
        return ""
    return f"You have {clock.move_ms / 1_000:g} s, and {clock.bank_ms / 1_000:g} s in the bank."
