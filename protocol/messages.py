"""Every message of the protocol as a typed record. Reads like SPEC.md, which is the normative text.

A message travels as a map whose `type` is the record's name in lower case. Fields with a default may be left
out; unknown fields are ignored. Times are whole milliseconds; there are no floats anywhere.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from protocol import limits

Int = Annotated[int, Meta(ge=0, le=limits.INTEGER)]
# The codec checks the characters, because a `pattern` of msgspec's takes three times as long as all the rest.
Action = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=limits.ACTION_LENGTH,
        extra_json_schema={"pattern": r"^[\x20-\x7e]+$"},
    ),
]
Name = Annotated[str, Meta(min_length=1, max_length=limits.NAME_LENGTH)]
Token = Annotated[str, Meta(min_length=1, max_length=128)]
Reason = Annotated[str, Meta(max_length=limits.REASON_LENGTH)]
Want = Literal["view", "legal", "events", "stream"]

Seen = dict[str, Any]
"""One event as one seat sees it: a map whose `event` names its kind."""

View = dict[str, Any]
"""What one seat may know of the position; each game describes its own in its RULES.md."""


class Message(Struct, tag_field="type", tag=str.lower, omit_defaults=True, frozen=True, gc=False):
    """What all messages share: the field `type`."""


# From the bot.


class Hello(Message, frozen=True):
    """The first message of a bot: who it is, what it plays, and what it wants to be sent."""

    protocol: Annotated[list[Int], Meta(min_length=1, max_length=16)]
    name: Name
    games: Annotated[list[Name], Meta(max_length=64)] = []
    """Ids of the games it plays; empty: all."""
    wants: Annotated[list[Name], Meta(max_length=8)] = field(
        default_factory=lambda: ["view", "legal", "events"]
    )
    """What it wants to be sent; words that are no `Want` are ignored."""
    capacity: Annotated[int, Meta(ge=1, le=limits.CAPACITY)] = 1
    """Matches it can play at once."""
    token: Token | None = None
    """The one-time token of its environment (local bots)."""
    session: Token | None = None
    """The session to resume after a lost connection."""
    kit: Annotated[str, Meta(max_length=128)] = ""
    """Name and version of the library it is written with, for the records."""
    version: Annotated[str, Meta(max_length=limits.NAME_LENGTH)] = ""
    """The version of the bot, which its author counts."""
    program: Annotated[str, Meta(max_length=128)] = ""
    """The hash of the files of its program, where the sender knows it."""


class Ready(Message, frozen=True):
    """The bot is ready to play this match."""

    match: Token


class Act(Message, frozen=True):
    """An answer to an ask: one action, or a plan of several."""

    match: Token
    id: Int
    action: Action | None = None
    actions: Annotated[list[Action], Meta(min_length=1, max_length=limits.PLAN_LENGTH)] | None = None


# From the referee.


class Limits(Struct, frozen=True):
    """What a bot may send at most."""

    message_bytes: Int = limits.MESSAGE_BYTES
    messages_per_decision: Int = limits.MESSAGES_PER_DECISION
    plan: Int = limits.PLAN_LENGTH


class Welcome(Message, frozen=True):
    """The bot is admitted; `session` lets it come back after a lost connection."""

    protocol: Int
    session: Token
    limits: Limits
    resumed: bool = False
    site: Reason = ""
    """The address of the web site of the event, for the author of the bot."""


class Refuse(Message, frozen=True):
    """The bot is not admitted; a `bye` follows."""

    code: Name
    why: Reason


class TimeControl(Struct, frozen=True):
    """The time limits of a match, in milliseconds."""

    ready_ms: Int
    """From `start` to `ready`."""
    first_ms: Int
    """For the first decision, in place of `move_ms`."""
    move_ms: Int
    """For each decision."""
    bank_ms: Int
    """For the whole match, beyond `move_ms`."""
    grace_ms: Int
    """Taken off every measured time."""


class Start(Message, frozen=True):
    """A match begins. The bot prepares and answers `ready`."""

    match: Token
    game: Name
    options: dict[str, str | int]
    seat: Int
    seats: Int
    names: list[str]
    clock: TimeControl
    commit: str
    """Binds the referee to the match's luck: see `reveal` in `end`."""


class AskClock(Struct, frozen=True, gc=False):
    """The time for one decision, in milliseconds: late after grace + move + bank."""

    move_ms: Int
    bank_ms: Int
    grace_ms: Int


class Ask(Message, frozen=True):
    """A decision is due. `events` are those since the last message of this match to this seat."""

    match: Token
    id: Int
    clock: AskClock
    events: list[Seen] = []
    view: View | None = None
    legal: list[str] | None = None


class Tell(Message, frozen=True):
    """Events as they happen, for bots that want `stream`."""

    match: Token
    events: list[Seen]


class End(Message, frozen=True):
    """The match is over. Nothing about it follows."""

    match: Token
    ranks: list[int]
    """By seat, 1 is best; equal ranks are tied."""
    scores: list[int]
    reason: str
    """Why the game ended, in a word; '' if the match is void."""
    ties: Literal["draw", "unordered"]
    """Whether equal ranks mean an equal result or only that the game does not order these seats."""
    faults: list[str]
    """By seat: the fault code that lost the seat its match, or ''."""
    reveal: str | None
    """The key of the match's luck in hex; null while the same deal is still to be played again."""
    events: list[Seen] = []
    void: bool = False
    """Whether the match does not count, through no fault of a bot."""


# Either way.


class Ping(Message, frozen=True):
    """Answer with a `pong` of the same `n`."""

    n: Int = 0
    notice: Reason = ""
    """A text for the author of the bot."""


class Pong(Message, frozen=True):
    """The answer to a `ping`."""

    n: Int = 0


class Error(Message, frozen=True):
    """Something was wrong with a message of the other side."""

    code: Name
    why: Reason
    match: Token | None = None
    id: Int | None = None


class Bye(Message, frozen=True):
    """The sender is about to close."""

    why: Reason = ""
    back_ms: Int | None = None
    """After how long the referee listens again; null if it does not say."""


FromBot = Hello | Ready | Act | Ping | Pong | Error | Bye
FromReferee = Welcome | Refuse | Start | Ask | Tell | End | Ping | Pong | Error | Bye
