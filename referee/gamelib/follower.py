"""A view rebuilt from events alone: shows that a bot that reads its events needs nothing else."""

from collections.abc import Iterable

from referee.game import View
from referee.gamelib.wording import Seen


class Observer:
    """An observer at one seat (None: a spectator) who writes down what it is told.

    Each game has a method for each kind of event, `_on_start` for `start`; what needs no note is `_nothing`.
    """

    def __init__(self, seat: int | None) -> None:
        self._seat = seat
        self.view: View = {}

    def hear(self, event: Seen) -> None:
        """Take note of one event."""
        getattr(self, f"_on_{event['event']}")(event)

    def follow(self, events: Iterable[Seen]) -> View:
        """Return the view after these events, the first of which is `start`."""
        for event in events:
            self.hear(event)
        return self.view

    def _nothing(self, _event: Seen) -> None:
        """Note nothing: other events say it all."""
