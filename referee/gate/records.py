"""The records between the hub and a gate: typed, and checked when they are decoded.

The hub never sees a byte that a bot wrote through a gate process: the records that come up are checked by the
gate. Those that go down carry finished messages, which the gate hands to its socket as they are.
"""

from typing import Annotated

import msgspec

from protocol import limits
from protocol.codec import Encoding
from protocol.messages import Int, Name, Reason, Token
from referee.match.faults import FaultCode

_Action = Annotated[str, msgspec.Meta(min_length=1, max_length=limits.ACTION_LENGTH)]

_Plan = Annotated[list[_Action], msgspec.Meta(min_length=1, max_length=limits.PLAN_LENGTH)]

QUOTE_LENGTH = 1_200
"""Characters of a bad message that are kept, with escapes."""


class Record(msgspec.Struct, array_like=True, tag=True, frozen=True, gc=False):
    """What all records share: `bot` is the gate's number for the bot it concerns.

    Those that come up have the bounds of the messages they report: a broken gate cannot make the hub send
    what no referee sends.
    """


class Opened(Record, frozen=True):
    """The gate listens; bots reach it at this address."""

    address: str
    pid: int


class Failed(Record, frozen=True):
    """The gate could not be opened."""

    why: str


class Greeted(Record, frozen=True):
    """A bot said hello."""

    bot: int
    protocol: list[Int]
    name: Name
    games: list[Name]
    wants: list[str]
    capacity: Annotated[int, msgspec.Meta(ge=1, le=limits.CAPACITY)]
    session: Token | None
    kit: str
    encoding: Encoding
    account: str = ""
    """The account that it has proved; '' at a gate without keys."""
    near: bool = False
    """Whether it connected from the host of the gate."""
    version: str = ""
    """The version that its author has given it."""
    program: str = ""
    """The hash of its program, if the sender of the hello knows it."""


class Readied(Record, frozen=True):
    """A bot said ready."""

    bot: int
    match: Token
    received_ns: int


class Answered(Record, frozen=True):
    """A bot answered an ask; `sent_ns` is when the ask left, 0 if no such ask is open."""

    bot: int
    match: Token
    id: Int
    actions: _Plan
    sent_ns: int
    received_ns: int


class Ponged(Record, frozen=True):
    """A bot answered the hub's ping."""

    bot: int
    n: Int
    received_ns: int


class Quote(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A part of a message that is none, as it came: printable text, what cannot be printed spelled out."""

    text: Annotated[str, msgspec.Meta(max_length=QUOTE_LENGTH)]
    mark: Annotated[int, msgspec.Meta(ge=-1, le=QUOTE_LENGTH)] = -1
    """The character of the text where it goes wrong; -1 if no single place is wrong."""
    bytes: Int = 0
    """The size of the whole message."""


class Misbehaved(Record, frozen=True):
    """A bot sent what it must not; which match it meant, if any, is not known."""

    bot: int
    code: FaultCode
    why: Reason
    quote: Quote | None = None
    """The message; None if there is none to show, or a secret may be in it."""


class Rejected(Record, frozen=True):
    """A message came in place of a hello, or a hello that may not enter.

    It may be another program's, which has found the socket of the gate: the bot may still say its own hello.
    """

    bot: int
    code: FaultCode
    why: Reason


class Complained(Record, frozen=True):
    """A bot reported an error of ours, or what it considers one."""

    bot: int
    code: Name
    why: Reason


class Left(Record, frozen=True):
    """A bot said bye, or its connection is gone."""

    bot: int
    why: Reason
    said: bool


class Expelled(Record, frozen=True):
    """The public gate has put a bot out, which cannot come back."""

    bot: int
    why: str


class Noted(Record, frozen=True):
    """Something happened at the public gate that the operator should know."""

    text: str


class Beat(Record, frozen=True):
    """The public gate works. It reports so several times a second."""


Up = (
    Opened
    | Failed
    | Greeted
    | Readied
    | Answered
    | Ponged
    | Misbehaved
    | Rejected
    | Complained
    | Left
    | Expelled
    | Noted
    | Beat
)


class Deliver(Record, frozen=True):
    """Send this message to a bot. `id` is that of an ask, whose time begins now, or 0."""

    bot: int
    match: str
    id: int
    data: bytes


class Forget(Record, frozen=True):
    """Forget a match of a bot, or, if `match` is '', the bot itself."""

    bot: int
    match: str


Down = Deliver | Forget
