"""What a bot says: bytes to messages, after every check.

What a bot sends is trusted in nothing: size first, then plain values under every limit, then `type`, then
one typed record. A message gets the same verdict in either encoding. Every mistake becomes a ProtocolError
whose text is short, printable, and names the place; no other exception leaves `from_bot`.
"""

import json
from collections import Counter
from collections.abc import Callable
from json.scanner import make_scanner
from typing import Any, Final, NamedTuple, cast, get_args

import msgpack  # type: ignore[import-untyped]
import msgspec

from protocol import limits
from protocol.codec import clean, to_json, to_msgpack, told
from protocol.errors import MalformedError, TooLargeError
from protocol.flaws import Flaw
from protocol.messages import Act, Bye, Error, FromBot, Hello, Ping, Pong, Ready

if not msgpack.Unpacker.__module__.endswith("_cmsgpack"):
    # The pure Python fallback takes seconds for what the compiled one refuses in a millisecond.
    raise ImportError("msgpack is installed without its compiled extension, which the referee needs")

_STEP_LENGTH = 40
_JOINER = "\u200d"
# Looked up in every message: globals of this module are found a little faster.
_STRING_BYTES: Final = limits.STRING_BYTES
_INTEGER: Final = limits.INTEGER
_ENTRIES: Final = limits.ENTRIES
_FIELDS: Final = frozenset({"type"}).union(*(record.__struct_fields__ for record in get_args(FromBot)))


def from_bot(data: bytes) -> FromBot:
    """Return a message of a bot, after every check.

    Raises MalformedError or TooLargeError, and nothing else.
    """
    if len(data) > limits.MESSAGE_BYTES:
        raise TooLargeError(f"{len(data)} bytes, more than {limits.MESSAGE_BYTES}")
    try:
        act = _plain_act(data)
        if act is not None:
            return act
        plain = _parse_json(data) if data[:1] == b"{" else _parse_msgpack(data)
        return _record(plain)
    except MalformedError:
        raise
    except UnicodeError:
        raise MalformedError("$: text that is not UTF-8", Flaw.TEXT) from None
    except (RecursionError, msgpack.StackError):
        raise MalformedError(f"$: nested deeper than {limits.DEPTH}", Flaw.LIMIT) from None
    except (ValueError, TypeError, OverflowError, msgpack.UnpackException) as error:
        raise MalformedError(told(error)) from error


_act_json = msgspec.json.Decoder(Act).decode
_act_msgpack = msgspec.msgpack.Decoder(Act).decode


def _plain_act(data: bytes) -> Act | None:
    """Return an answer that is spelled just as we would spell it, in a quarter of the time; else None.

    If it reads as an Act and that Act writes as the same bytes, there is nothing else in it: no key twice, no
    unknown field, no number or text in another form. All other messages take the long way.
    """
    try:
        if data.startswith(b'{"type":"act",'):
            act = _act_json(data)
            same = to_json(act) == data
        elif data.startswith((b"\x84\xa4type\xa3act", b"\x85\xa4type\xa3act")):
            act = _act_msgpack(data)
            same = to_msgpack(act) == data
        else:
            return None
    except ValueError:
        return None
    if not same:
        return None
    _check_act(act)
    return act


# Plain values.


class _Found(NamedTuple):
    """A flaw of a value: its path below the message, what is wrong there, and of which kind it is."""

    what: str
    kind: Flaw
    path: str = ""

    def below(self, step: str) -> "_Found":
        """Return the same flaw as seen from one level up."""
        return self._replace(path=step + self.path)

    def error(self) -> MalformedError:
        """Return the error for it."""
        return MalformedError(clean(f"${self.path}: {self.what}"), self.kind)


_CROWDED: Final = _Found(f"more than {limits.ENTRIES} entries in all", Flaw.LIMIT)

Pairs = list[tuple[Any, Any]]


def _without_duplicates(pairs: Pairs) -> dict[Any, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise MalformedError(clean(f"$: key {_step(twice)} twice"), Flaw.TEXT)
    return record


def _counting() -> Callable[[Pairs], dict[Any, Any]]:
    """Return a hook that also stops at too many maps.

    For long messages: the hook is all that makes a map dearer than a byte, and short ones hold few maps.
    """
    left = limits.ENTRIES

    def hook(pairs: Pairs) -> dict[Any, Any]:
        nonlocal left
        left -= 1
        if left < 0:
            raise _CROWDED.error()
        return _without_duplicates(pairs)

    return hook


def _scanner(hook: Callable[[Pairs], dict[Any, Any]]) -> Callable[[str, int], tuple[Any, int]]:
    # The scanner itself, because `decode` costs half as much again; trailing blanks are all it leaves to do.
    return make_scanner(cast(Any, json.JSONDecoder(object_pairs_hook=hook)))


_scan_short_json: Final = _scanner(_without_duplicates)


def _parse_json(data: bytes) -> object:
    text = data.decode()
    scan = _scan_short_json if len(data) <= _ENTRIES else _scanner(_counting())
    try:
        plain, end = scan(text, 0)
    except json.JSONDecodeError as error:
        raise MalformedError(f"$: JSON text wrong at character {error.pos}", at=error.pos) from error
    except StopIteration as error:
        raise MalformedError(f"$: JSON text wrong at character {error.value}", at=error.value) from error
    if end != len(text) and text[end:].strip(" \t\r\n"):
        raise MalformedError(f"$: something after the message, at character {end}", Flaw.TEXT, end)
    return plain


def _parse_msgpack(data: bytes) -> object:
    return msgpack.unpackb(
        data,
        raw=False,
        strict_map_key=True,
        object_pairs_hook=_without_duplicates if len(data) <= _ENTRIES else _counting(),
        max_str_len=limits.STRING_BYTES,
        max_array_len=limits.LIST_LENGTH,
        max_map_len=limits.MAP_LENGTH,
    )


def _flaw(value: Any, depth: int, room: list[int]) -> _Found | None:
    """Return None for a value within the limits, otherwise its first flaw.

    `room` holds the number of entries that the message may still have.
    """
    kind = type(value)
    if kind is str:
        return _flaw_of_text(value)
    if kind is int:
        return None if -_INTEGER <= value <= _INTEGER else _Found("integer beyond 2^53 - 1", Flaw.VALUE)
    if kind is dict or kind is list:
        if depth > limits.DEPTH:
            return _Found(f"nested deeper than {limits.DEPTH}", Flaw.LIMIT)
        room[0] -= len(value)
        if room[0] < 0:
            return _CROWDED
        return _flaw_of_map(value, depth, room) if kind is dict else _flaw_of_list(value, depth, room)
    if value is None or kind is bool:
        return None
    what = "expected an integer, got a float" if kind is float else "bin and ext types do not travel"
    return _Found(what, Flaw.VALUE)


def _flaw_of_text(text: str) -> _Found | None:
    if text.isascii():
        size = len(text)
    else:
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            return _Found("lone surrogate in a text", Flaw.TEXT)
    return None if size <= _STRING_BYTES else _Found(f"text of more than {_STRING_BYTES} bytes", Flaw.LIMIT)


def _flaw_of_key(key: object) -> _Found | None:
    if type(key) is not str:
        return _Found("key that is not a text", Flaw.VALUE)
    flaw = _flaw_of_text(key)
    return flaw and flaw._replace(what=f"{flaw.what}, as a key")


def _flaw_of_map(record: dict[Any, Any], depth: int, room: list[int]) -> _Found | None:
    if len(record) > limits.MAP_LENGTH:
        return _Found(f"map of more than {limits.MAP_LENGTH} entries", Flaw.LIMIT)
    for key, value in record.items():
        if key not in _FIELDS and (flaw := _flaw_of_key(key)):
            return flaw
        kind = type(value)
        # Nearly all values are short ASCII texts or small numbers: decided here, without a call.
        if kind is str and len(value) <= _STRING_BYTES and value.isascii():
            continue
        if kind is int and 0 <= value <= _INTEGER:
            continue
        if flaw := _flaw(value, depth + 1, room):
            return flaw.below(_step(key))
    return None


def _flaw_of_list(items: list[Any], depth: int, room: list[int]) -> _Found | None:
    if len(items) > limits.LIST_LENGTH:
        return _Found(f"list of more than {limits.LIST_LENGTH} entries", Flaw.LIMIT)
    for index, item in enumerate(items):
        if flaw := _flaw(item, depth + 1, room):
            return flaw.below(f"[{index}]")
    return None


# Records.


def _check_hello(hello: Hello) -> None:
    _check_printable("name", hello.name)
    for field, text in (("kit", hello.kit), ("version", hello.version), ("program", hello.program)):
        _check_printable(field, text)
    for field, words in (("games", hello.games), ("wants", hello.wants)):
        for word in words:
            _check_printable(field, word)
    for field, token in (("token", hello.token), ("session", hello.session)):
        if token is not None:
            _check_token(field, token)


def _check_ready(ready: Ready) -> None:
    _check_token("match", ready.match)


def _check_act(act: Act) -> None:
    if (act.action is None) is (act.actions is None):
        raise MalformedError("$.action: expected exactly one of action and actions")
    _check_token("match", act.match)
    if act.action is not None:
        _check_token("action", act.action)
    for number, action in enumerate(act.actions or ()):
        _check_token(f"actions[{number}]", action)


def _check_error(error: Error) -> None:
    _check_printable("code", error.code)
    if error.match is not None:
        _check_token("match", error.match)


def _check_printable(field: str, text: str) -> None:
    if not text.isprintable():
        wrong = next(character for character in text if not character.isprintable())
        joined = ", of which joined emoji are made" if wrong == _JOINER else ""
        raise MalformedError(f"$.{field}: expected printable characters only, got U+{ord(wrong):04X}{joined}")


def _check_token(field: str, text: str) -> None:
    if not (text.isascii() and text.isprintable()):
        raise MalformedError(f"$.{field}: expected printable ASCII characters only")


def _check_nothing(message: object) -> None:
    del message


_KINDS: dict[str, tuple[type[FromBot], Callable[[Any], None]]] = {
    "act": (Act, _check_act),
    "ready": (Ready, _check_ready),
    "hello": (Hello, _check_hello),
    "ping": (Ping, _check_nothing),
    "pong": (Pong, _check_nothing),
    "error": (Error, _check_error),
    "bye": (Bye, _check_nothing),
}


def _record(plain: object) -> FromBot:
    """Check plain values against the limits and return the typed record they make."""
    if type(plain) is not dict:
        raise MalformedError("$: expected a map")
    if flaw := _flaw_of_map(plain, 1, [_ENTRIES - len(plain)]):
        raise flaw.error()
    kind = plain.get("type")
    if type(kind) is not str:
        raise MalformedError("$.type: missing" if kind is None else "$.type: expected a text")
    entry = _KINDS.get(kind)
    if entry is None:
        raise MalformedError(f"$.type: expected one of {', '.join(_KINDS)}")
    record, check = entry
    message = msgspec.convert(plain, record)
    check(message)
    return message


def _step(key: object) -> str:
    """Return a key as a step of a path, escaped and abbreviated."""
    if isinstance(key, str) and key.isascii() and key.isidentifier() and len(key) <= _STEP_LENGTH:
        return f".{key}"
    return f"[{ascii(key)[:_STEP_LENGTH]}]"
