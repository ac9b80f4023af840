"""The seat of a person in the browser, without I/O: lines of the protocol in, the state of the page out.

A session is a bot like any other: it greets, says that it is ready, and answers. What the page gets is a
function of the lines that the hub sent to this seat, of when they came, and of what people call themselves.
"""

from collections.abc import Mapping
from typing import Any

from protocol import limits
from protocol.codec import Encoding, encode, from_referee
from protocol.messages import Act, Ask, Bye, End, Error, Hello, Message, Ping, Pong, Ready, Start, Tell
from referee.errors import RefereeError
from referee.match.faults import MEANING
from referee.wording import clean
from tournaments.live.seat_match import SeatMatch

VERSION = 1
"""The version of the state; a page of another version asks to be loaded again."""


class NotNowError(RefereeError):
    """What a person asked for does not fit the moment; the text says why."""


class SeatSession:
    """The seat of one person, from match to match."""

    def __init__(self, name: str, *, timed: bool) -> None:
        """Begin without a match. `timed`: the person plays by a real clock, and says when to begin."""
        self.name = clean(name)
        self.timed = timed
        self.connected = False
        """Whether the hub has this bot now."""
        self._now: SeatMatch | None = None
        self._last: SeatMatch | None = None

    # The side of the hub.

    def greet(self) -> bytes:
        """Begin to talk to the hub, which has started this bot, and return the first line."""
        self.connected = True
        wants: Any = ["view", "legal", "events", "stream"]
        return _line(Hello([limits.VERSION], self.name, wants=wants, kit="browser"))

    def hear(self, line: bytes, now_ms: int) -> bytes:
        """Take a line of the hub, and return what is to be answered at once."""
        message = from_referee(line)
        match message:
            case Start():
                self._now = SeatMatch(message, waits=self.timed)
                return b"" if self.timed else _line(Ready(message.match))
            case Ping():
                return _line(Pong(message.n))
            case Tell() | Ask() | End() | Error():
                self._follow(message, now_ms)
            case _:
                # Welcome needs no answer; after bye the pipe ends.
                pass
        return b""

    def _follow(self, message: Tell | Ask | End | Error, now_ms: int) -> None:
        """Take a message about the match that is played."""
        now = self._now
        if now is None or message.match not in (now.context.start.match, None):
            return
        match message:
            case Tell():
                now.see(message.events)
            case Ask():
                now.decide(message, now_ms)
            case Error() if message.code in MEANING:
                now.told_fault(message)
            case End():
                now.ended(message)
                self._last, self._now = now, None
            case _:
                pass

    def leave(self) -> None:
        """Take note that the hub has closed this bot: after the last match, or when the person resigned."""
        self.connected = False
        if self._now is not None:
            self._last, self._now = self._now, None

    @property
    def is_playing(self) -> bool:
        """Whether a match runs for this seat."""
        return self._now is not None

    @property
    def names_seen(self) -> list[str]:
        """The names in the match that runs."""
        return [] if self._now is None else self._now.context.names

    # The side of the person.

    def begin(self, match: str) -> bytes:
        """Return the line that lets a match begin by a real clock."""
        now = self._playing(match)
        if now.phase != "ready":
            raise NotNowError("the match has begun already")
        now.phase = "others"
        return _line(Ready(match))

    def act(self, match: str, ask: int, action: str) -> bytes:
        """Return the line of a decision.

        Raises NotNowError if this question is answered already, as by another tab, or if its time is over.
        """
        now = self._playing(match)
        if now.phase != "decide" or now.ask is None or now.ask.id != ask:
            raise NotNowError("this decision has been made already, or its time is over")
        if action not in (now.ask.legal or ()):
            raise NotNowError(f"{clean(action)!r} is not a legal action now")
        now.acted()
        return _line(Act(match, ask, action))

    def hint(self, match: str, ask: int) -> dict[str, str]:
        """Return what a sample bot would do; takes as long as the sample does."""
        now = self._playing(match)
        if now.phase != "decide" or now.ask is None or now.ask.id != ask:
            raise NotNowError("there is nothing to decide now")
        try:
            hint = now.context.hint(now.ask.view or {}, list(now.ask.legal or ()))
        except Exception as error:
            raise NotNowError(f"the sample bot has no hint here ({type(error).__name__})") from error
        return {"action": hint.action, "by": clean(hint.by), "why": clean(hint.why)}

    def resign(self, match: str) -> bytes:
        """Return the line by which the person gives up the match."""
        now = self._playing(match)
        now.resigned()
        return _line(Bye("resigned"))

    def _playing(self, match: str) -> SeatMatch:
        if self._now is None or self._now.context.start.match != match or self._now.phase == "over":
            raise NotNowError("this match is over")
        return self._now

    # What the page shows.

    def state(self, called: Mapping[str, str], now_ms: int) -> dict[str, Any]:
        """Return everything that the page shows; `called` are the people by name of their bot."""
        return {
            "version": VERSION,
            "bot": self.name,
            "name": called.get(self.name, self.name),
            "timed": self.timed,
            "connected": self.connected,
            "now": self._now and self._now.document(called, now_ms),
            "last": self._last and self._last.document(called, now_ms),
        }

    def log(self, match: str, called: Mapping[str, str]) -> list[str]:
        """Describe everything that this seat saw of a match that it plays or played last."""
        for each in (self._now, self._last):
            if each is not None and each.context.start.match == match:
                return each.sentences(called)
        raise NotNowError("this match is not known here any more")


def _line(message: Message) -> bytes:
    return encode(message, Encoding.JSON) + b"\n"
