"""A view rebuilt from events alone: shows that a bot that reads its events needs nothing else."""

from collections.abc import Iterable

from referee.game import View
from referee.gamelib.turns import OVER
from referee.gamelib.wording import Seen


class Follower:
    """What one seat (None: the public) knows from the events that it was sent.

    Each game has a method for each kind of event, `_on_started` for `started`; one that changes nothing is
    `no_change`. The keys that the views of all games have are kept here.
    """

    def __init__(self, seat: int | None) -> None:
        self._seat = seat
        self.view: View = {}

    def hear(self, event: Seen) -> None:
        """Take one event into account."""
        getattr(self, f"_on_{event['event']}")(event)

    def follow(self, events: Iterable[Seen]) -> View:
        """Return the view after these events, the first of which is `started`."""
        for event in events:
            self.hear(event)
        return self.view

    def _begin(self, event: Seen, phase: str, **own: object) -> None:
        """Set up the view from the event `started`: the common keys, then those of the game."""
        self.view = {
            "you": self._seat,
            "seats": event["seats"],
            "options": dict(event["options"]),
            "turn": 0,
            "phase": phase,
            "active": 0,
            "to_act": [],
            "ranking": None,
            "reason": None,
            **own,
        }

    def _ask(self, phase: str, *seats: int) -> None:
        """Note which seats are asked, and for what."""
        self.view |= {"phase": phase, "to_act": list(seats)}

    def _on_turn_began(self, event: Seen) -> None:
        self.view |= {"turn": event["turn"], "active": event["seat"], "to_act": [event["seat"]]}

    def _on_ended(self, event: Seen) -> None:
        self.view |= {"phase": OVER, "active": None, "to_act": []}
        self.view |= {"ranking": list(event["ranking"]), "reason": event["reason"]}

    def no_change(self, _event: Seen) -> None:
        """Change nothing: other events show it."""
