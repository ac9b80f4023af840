"""One person in one match: the other seats, the events so far, and their description."""

from protocol.messages import Seen, Start
from referee import registry
from referee.game import View
from referee.people.hints import Adviser, Hint
from referee.people.rulebook import Rulebook
from referee.wording import clean


class MatchContext:
    """What a person knows about a match."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.game = registry.game(start.game)
        self.seat = start.seat
        self.names = [clean(name) for name in start.names]
        self.rulebook = Rulebook(registry.rules(self.game))
        self.decisions = 0
        self.events: list[Seen] = []
        """All events so far, as the person's seat saw them."""
        self._told = 0

    @property
    def name(self) -> str:
        """The person's name in this match."""
        return self.names[self.seat]

    def see(self, events: list[Seen]) -> None:
        """Store new events."""
        self.events += events

    def news(self) -> list[str]:
        """Describe the events since the last call."""
        told, self._told = self._told, len(self.events)
        return self.told(told)

    def told(self, since: int = 0) -> list[str]:
        """Describe all events from this one on."""
        return [self.game.describe(event, self.names) for event in self.events[since:]]

    def ending(self) -> str:
        """Describe the end of the game in the game's own words; '' if the game did not come to its end."""
        ended = [event for event in self.events[-1:] if event["event"] == "ended"]
        return self.game.describe(ended[0], self.names) if ended else ""

    def hint(self, view: View, legal: list[str]) -> Hint:
        """Return what a sample bot would do that was sent what the person was sent.

        It is asked anew each time, so that a hint depends on nothing but the messages to this seat.
        """
        adviser = Adviser(self.start)
        adviser.see(list(self.events))
        return adviser.hint(view, legal)

    def followed_view(self) -> View:
        """Return the view of the person's seat, rebuilt from the events it saw."""
        return self.game.follow(self.seat, self.events)
