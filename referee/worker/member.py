"""What an organiser needs of a worker, wherever it is; and a match that a worker has been given."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec.structs import replace

from referee.game import Seen
from referee.hub.event_loop import EventLoop
from referee.hub.feed_messages import MOST_EVENTS, LiveMoment
from referee.hub.pairing import Pairing
from referee.worker.orders import FromWorker, ToWorker


class AwayMatch:
    """A match that a worker has been given. What is known of its course is what the worker shows."""

    __slots__ = ("_events", "_latest", "began_ns", "pairing")

    def __init__(self, pairing: Pairing) -> None:
        self.pairing = pairing
        self.began_ns = 0
        """When it began; 0 while it waits at the worker."""
        self._latest: LiveMoment | None = None
        self._events: deque[tuple[int, Seen]] = deque(maxlen=MOST_EVENTS)
        """The last events, each with its number."""

    def take(self, moment: LiveMoment) -> None:
        """Take what the worker shows."""
        self._latest = moment
        self._events.extend(enumerate(moment.events, moment.step - len(moment.events)))

    @property
    def step(self) -> int:
        """How many events it has, as far as that is known: only of a match that is watched."""
        return self._latest.step if self._latest is not None else 0

    @property
    def is_starting(self) -> bool:
        """Whether nothing can be shown yet."""
        return self._latest is None

    @property
    def is_over(self) -> bool:
        """Whether it has a result."""
        return self._latest is not None and self._latest.result is not None

    @property
    def present(self) -> Sequence[str]:
        """The bots that play it."""
        return self.pairing.bots

    def moment(self, sent: int) -> LiveMoment:
        """Return the present as the public knows it, with the events after the first `sent` ones."""
        assert self._latest is not None
        return replace(self._latest, events=tuple(event for at, event in self._events if at >= sent))


class CrewMember(Protocol):
    """One worker, as its organiser knows it. It never blocks, but when it is ended."""

    host: str
    """The host that it plays on; '' if that is this one."""
    speed: float
    """How fast that host is; 0 if it is not known here."""
    is_lost: bool
    """Whether it ended because its host or the way to it did, which says nothing about what it played."""
    matches: dict[str, AwayMatch]
    """What it has been given and is not over; the organiser writes it."""

    @property
    def most(self) -> int:
        """How many matches it may have been given, so that it never waits for us; 0 if none for now."""

    def send(self, record: ToWorker) -> None:
        """Send it a record, soon."""

    def refuse(self, why: str) -> None:
        """Let it end, and take nothing more of what it sends, which is wrong."""

    def let_go(self) -> None:
        """Let it end, with all it has started."""

    def kill(self) -> None:
        """End it at once, also if it hangs."""

    def end(self) -> str:
        """Wait until it has ended, and say how."""


Take = Callable[["CrewMember", FromWorker], None]
"""Takes a record that a worker sends."""

Gone = Callable[["CrewMember"], None]
"""Takes note that a worker has ended by itself."""


class StartMember(Protocol):
    """Starts a worker that may have been given so many matches."""

    def __call__(self, loop: EventLoop, most: int, take: Take, gone: Gone) -> CrewMember:
        """Return the worker, which may still be starting."""
