"""The inbox of one bot: each message it sends is decoded, limited and stamped with its time."""

from protocol import limits
from protocol.codec import Encoding, encoding_of
from protocol.errors import ProtocolError
from protocol.messages import Act, Bye, Error, Hello, Message, Ping, Pong, Ready
from protocol.untrusted import from_bot
from referee.gate.quoting import quote_of, quoted
from referee.gate.records import Answered, Complained, Greeted, Left, Misbehaved, Ponged, Readied, Up
from referee.match.faults import FaultCode

_REFILL_NS = 100_000_000
"""A bot's allowance of messages grows by one in this time."""

REFUSED_HELLO = "its hello must have the value of the environment variable REFEREE_TOKEN as `token`"


class Inbox:
    """Where one bot's messages are received, over any transport."""

    __slots__ = ("_allowance", "_asked", "_refilled_ns", "account", "bot", "encoding", "heard_ns", "near")

    def __init__(self, bot: int, now_ns: int) -> None:
        self.bot = bot
        self.account = ""
        """The account that the bot has proved; '' at a gate without keys."""
        self.near = False
        """Whether the bot connected from the host of the gate."""
        self.encoding = Encoding.JSON
        self.heard_ns = now_ns
        self._asked: dict[str, tuple[int, int]] = {}
        """By running match: the id of the last ask, and when it left."""
        self._allowance = limits.MESSAGES_PER_DECISION
        self._refilled_ns = now_ns

    def leaving(self, match: str, ask: int, now_ns: int) -> None:
        """Record that a message is sent; a new ask, or a new match, refills the allowance.

        A message that is sent again does not: otherwise a bot could ask for it without end.
        """
        asked = self._asked.get(match)
        if match and (asked is None or ask not in (0, asked[0])):
            self._asked[match] = (ask, now_ns)
            self._allowance = limits.MESSAGES_PER_DECISION * len(self._asked)

    def forget(self, match: str) -> None:
        """Forget a match that is over."""
        self._asked.pop(match, None)

    def take(self, data: bytes, now_ns: int) -> Up | Message | None:
        """Take a message; return a record for the hub, a message to send back, or neither."""
        self.heard_ns = now_ns
        self._allowance -= 1
        if self._allowance < 0 and not self._refill(now_ns):
            return self._flood()
        try:
            message = from_bot(data)
        except ProtocolError as error:
            quote = quote_of(data, error, is_text=self.encoding is Encoding.JSON)
            return Misbehaved(self.bot, FaultCode(error.code), self._explained(data, error), quote)
        if type(message) is Act:
            ask, sent_ns = self._asked.get(message.match, (0, 0))
            actions = message.actions or [message.action or ""]
            return Answered(
                self.bot, message.match, message.id, actions, sent_ns if ask == message.id else 0, now_ns
            )
        return self._other(message, data, now_ns)

    def _explained(self, data: bytes, error: ProtocolError) -> str:
        """Describe what is wrong with a message; of JSON text also what it was, for the author of the bot."""
        if self.encoding is not Encoding.JSON or error.code != "malformed":
            return str(error)
        what = (
            str(error) if data[:1] == b"{" else "no JSON object, which a message is (a log belongs on stderr)"
        )
        return what + quoted(data)

    def skip(self, now_ns: int) -> Misbehaved | None:
        """Ignore what is no message but counts as one: a blank line, a message in several frames.

        However much there was of it, after a pause the bot is heard again.
        """
        self._allowance = max(-1, self._allowance - 1)
        return self._flood() if self._allowance < 0 and not self._refill(now_ns) else None

    def _flood(self) -> Misbehaved:
        why = f"more than {limits.MESSAGES_PER_DECISION} messages for one decision"
        return Misbehaved(self.bot, FaultCode.FLOOD, why)

    def _refill(self, now_ns: int) -> bool:
        grown = (now_ns - self._refilled_ns) // _REFILL_NS
        self._refilled_ns += grown * _REFILL_NS
        most = limits.MESSAGES_PER_DECISION * max(1, len(self._asked))
        self._allowance = min(most, self._allowance + grown)
        return self._allowance >= 0

    def _other(self, message: Message, data: bytes, now_ns: int) -> Up | Message | None:
        match message:
            case Ready():
                return Readied(self.bot, message.match, now_ns)
            case Ping():
                return Pong(message.n)
            case Pong():
                return Ponged(self.bot, message.n, now_ns)
            case Bye():
                return Left(self.bot, message.why, said=True)
            case Error():
                return Complained(self.bot, message.code, message.why)
            case Hello():
                self.encoding = encoding_of(data)
                return self._greeted(message)
        return None

    def _greeted(self, hello: Hello) -> Greeted:
        return Greeted(
            self.bot,
            hello.protocol,
            hello.name,
            hello.games,
            list(hello.wants),
            hello.capacity,
            hello.session,
            hello.kit,
            self.encoding,
            self.account,
            self.near,
            hello.version,
            hello.program,
        )
