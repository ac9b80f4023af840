"""Every message on one line, for logs and for people.

The form is stable: the type, then `field=value` in a fixed order, fields at their default left out. Lists are
joined by `|` and end in `+n` when n entries are left out; views, options and events show as the number of
their entries; keys of luck show their first digits; tokens and sessions show as `*`, because with
them another program could speak for the bot. A value that could be misread (blank, quote, separator, anything
unprintable) stands in double quotes, escaped, ASCII only.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from protocol.messages import (
    Act,
    Ask,
    Bye,
    End,
    Error,
    Hello,
    Message,
    Ping,
    Pong,
    Ready,
    Refuse,
    Start,
    Tell,
    Welcome,
)

TEXT_LENGTH = 80
"""Characters of one text, before it is cut."""

ENTRIES = 4
"""Entries of a list of texts that are shown."""

Fields = Iterable[tuple[str, object]]


def line(message: Message) -> str:
    """Return the message on one line of printable ASCII.

    >>> line(Act(match="m1", id=17, action="play R7 2"))
    'act match=m1 id=17 action="play R7 2"'
    """
    kind = type(message)
    shown = (f"{name}={value}" for name, value in _FIELDS[kind](message) if value is not None)
    return " ".join((kind.__name__.lower(), *shown))


def _text(text: str) -> str:
    """Return a text as it is, or quoted if it could be misread."""
    cut = text if len(text) <= TEXT_LENGTH else text[: TEXT_LENGTH - 3] + "..."
    plain = cut.isascii() and cut.isprintable() and not any(mark in cut for mark in ' "\\|=')
    if plain and cut not in {"", "-", "*", "null"} and cut[0] != "+":
        return cut
    return json.dumps(cut).replace("\x7f", "\\u007f")


def _list(texts: Sequence[str], most: int = ENTRIES) -> str:
    """Return the first texts of a list, and how many more there are; an empty text shows as `-`."""
    shown = [_text(text) if text else "-" for text in texts[:most]]
    return "|".join(shown + ([f"+{len(texts) - most}"] if len(texts) > most else [])) or "-"


def _numbers(numbers: Iterable[int]) -> str:
    return "|".join(map(str, numbers)) or "-"


def _hello(hello: Hello) -> Fields:
    yield "name", _text(hello.name)
    yield "protocol", _numbers(hello.protocol)
    yield "games", _list(hello.games, 8) if hello.games else None
    yield "wants", _list(hello.wants)
    yield "capacity", hello.capacity
    yield "token", hello.token and "*"
    yield "session", hello.session and "*"
    yield "kit", _text(hello.kit) if hello.kit else None
    yield "version", _text(hello.version) if hello.version else None
    yield "program", _text(hello.program) if hello.program else None


def _ready(ready: Ready) -> Fields:
    yield "match", _text(ready.match)


def _act(act: Act) -> Fields:
    yield "match", _text(act.match)
    yield "id", act.id
    yield "action", None if act.action is None else _text(act.action)
    yield "actions", None if act.actions is None else _list(act.actions)


def _welcome(welcome: Welcome) -> Fields:
    yield "protocol", welcome.protocol
    yield "session", "*"
    yield "message_bytes", welcome.limits.message_bytes
    yield "messages_per_decision", welcome.limits.messages_per_decision
    yield "plan", welcome.limits.plan
    yield "resumed", "yes" if welcome.resumed else None
    yield "site", _text(welcome.site) if welcome.site else None


def _refuse(refuse: Refuse) -> Fields:
    yield "code", _text(refuse.code)
    yield "why", _text(refuse.why)


def _start(start: Start) -> Fields:
    yield "match", _text(start.match)
    yield "game", _text(start.game)
    yield "seat", start.seat
    yield "seats", start.seats
    yield "names", _list(start.names, 8)
    yield "options", len(start.options)
    yield "ready_ms", start.clock.ready_ms
    yield "first_ms", start.clock.first_ms
    yield "move_ms", start.clock.move_ms
    yield "bank_ms", start.clock.bank_ms
    yield "grace_ms", start.clock.grace_ms
    yield "commit", _digits(start.commit)


def _ask(ask: Ask) -> Fields:
    yield "match", _text(ask.match)
    yield "id", ask.id
    yield "legal", None if ask.legal is None else _list(ask.legal)
    yield "move_ms", ask.clock.move_ms
    yield "bank_ms", ask.clock.bank_ms
    yield "grace_ms", ask.clock.grace_ms
    yield "events", len(ask.events) or None
    yield "view", None if ask.view is None else len(ask.view)


def _tell(tell: Tell) -> Fields:
    yield "match", _text(tell.match)
    yield "events", len(tell.events)


def _end(end: End) -> Fields:
    yield "match", _text(end.match)
    yield "ranks", _numbers(end.ranks)
    yield "scores", _numbers(end.scores)
    yield "reason", _text(end.reason)
    yield "ties", end.ties
    yield "faults", _list(end.faults, 8) if any(end.faults) else None
    yield "reveal", "null" if end.reveal is None else _digits(end.reveal)
    yield "events", len(end.events) or None
    yield "void", "yes" if end.void else None


def _ping(ping: Ping) -> Fields:
    yield "n", ping.n
    yield "notice", _text(ping.notice) if ping.notice else None


def _pong(pong: Pong) -> Fields:
    yield "n", pong.n


def _error(error: Error) -> Fields:
    yield "code", _text(error.code)
    yield "why", _text(error.why)
    yield "match", None if error.match is None else _text(error.match)
    yield "id", error.id


def _bye(bye: Bye) -> Fields:
    yield "why", _text(bye.why) if bye.why else None
    yield "back_ms", bye.back_ms


def _digits(key: str) -> str:
    """Return the first digits of a long hexadecimal number."""
    return _text(key if len(key) <= 8 else key[:8] + "...")


_FIELDS: dict[type, Callable[[Any], Fields]] = {
    Hello: _hello,
    Ready: _ready,
    Act: _act,
    Welcome: _welcome,
    Refuse: _refuse,
    Start: _start,
    Ask: _ask,
    Tell: _tell,
    End: _end,
    Ping: _ping,
    Pong: _pong,
    Error: _error,
    Bye: _bye,
}
