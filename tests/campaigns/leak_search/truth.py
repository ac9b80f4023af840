"""What each reader may know, and when: from the positions of a match alone, not from messages."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from referee.replay import playback
from referee.replay.format import Replay

Seen = frozenset[str]


class Known(NamedTuple):
    """What each seat, and the public, may know after so many events."""

    events: int
    seats: tuple[Seen, ...]
    public: Seen


class Truth(NamedTuple):
    """All about one match."""

    match: str
    bots: tuple[str, ...]
    key: bytes
    reveal: bool
    nonces: Seen
    """Every card there is."""
    course: list[Known]
    """After the deal, and after every step."""

    def known_by(self, seat: int, events: int) -> Seen:
        """Return what a seat may know after so many events."""
        if not events:
            return frozenset()
        return next(known.seats[seat] for known in self.course if known.events >= events)

    def at_the_end(self, bot: str) -> Seen:
        """Return what a bot knows in the end."""
        return self.course[-1].seats[self.bots.index(bot)]

    @property
    def public(self) -> Seen:
        """What is public at the end."""
        return self.course[-1].public


def truth_of(replay: Replay, bots: tuple[str, ...], *, reveal: bool) -> Truth:
    """Play a match again and note who comes to hold, see or lay open which card."""
    course: list[Known] = []
    seats = len(replay.header.names)
    own: list[set[str]] = [set() for _ in range(seats)]
    public: set[str] = set()
    nonces: Seen = frozenset()
    events = 0
    for step in playback.replay_events(replay):
        state: Any = step.state
        events += len(step.events)
        nonces = frozenset(state.nonces.values())
        public |= _named(state, state.inner.discard)
        for seat in range(seats):
            own[seat] |= _named(state, state.inner.hands[seat])
            own[seat] |= _named(state, (c for cards in state.inner.known[seat].values() for c in cards))
        course.append(Known(events, tuple(frozenset(held | public) for held in own), frozenset(public)))
    return Truth(replay.header.match, bots, replay.key, reveal, nonces, course)


def _named(state: Any, cards: Iterable[int]) -> set[str]:
    return {state.nonces[card] for card in cards}


def disguises(secret: bytes) -> Iterator[bytes]:
    """Yield the forms in which bytes may travel: plain, in hex, turned round, as a number, in base64."""
    text = secret.hex().encode()
    yield from (secret, secret[::-1], text, text.upper(), text[::-1])
    yield str(int.from_bytes(secret, "big")).encode()
    yield b64encode(secret).rstrip(b"=")
