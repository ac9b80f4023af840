"""Bytes to messages and back: msgpack, or JSON text (first byte `{`).

Here is what both sides need, and what a bot hears. What a bot says is checked in `protocol.untrusted`, which
bots do not import: the check has a parser of its own for either encoding.
"""

from collections.abc import Callable
from enum import StrEnum

import msgspec

from protocol.errors import MalformedError
from protocol.messages import FromReferee, Message
from protocol.msgspec_errors import split_validation_error

TEXT_LENGTH = 200
"""Characters of the text of an error, at most."""


class Encoding(StrEnum):
    """How the messages of a connection are written."""

    MSGPACK = "msgpack"
    JSON = "json"


to_msgpack = msgspec.msgpack.Encoder().encode
to_json = msgspec.json.Encoder().encode
_referee_msgpack: Callable[[bytes], FromReferee] = msgspec.msgpack.Decoder(FromReferee).decode
_referee_json: Callable[[bytes], FromReferee] = msgspec.json.Decoder(FromReferee).decode


def encoding_of(data: bytes) -> Encoding:
    """Return the encoding of a message, by its first byte."""
    return Encoding.JSON if data[:1] == b"{" else Encoding.MSGPACK


def encode(message: Message, encoding: Encoding) -> bytes:
    """Return the bytes of a message; JSON text comes on one line, without the line feed."""
    return to_json(message) if encoding == "json" else to_msgpack(message)


def from_referee(data: bytes) -> FromReferee:
    """Return a message of the referee, which is trusted to keep the limits.

    Raises MalformedError.
    """
    try:
        return _referee_json(data) if data[:1] == b"{" else _referee_msgpack(data)
    except (ValueError, RecursionError) as error:
        raise MalformedError(told(error)) from error


# Texts of errors.


def told(error: Exception) -> str:
    """Return what an error of a library says, as `path: what`, without what the bot wrote."""
    if not isinstance(error, msgspec.ValidationError):
        return clean(f"$: {str(error) or 'neither msgpack nor JSON text'}")
    what, path = split_validation_error(error)
    path = path or "$"
    what = what[:1].lower() + what[1:].replace("`", "")
    if what.startswith("object missing required field "):
        return f"{path}.{what.rpartition(' ')[2]}: missing"
    if what.startswith("invalid enum value"):
        what = "not one of the words allowed here"
    return clean(f"{path}: {what}")


def clean(text: str) -> str:
    """Return a text that can be printed, and is not too long."""
    shown = "".join(character if character.isprintable() else "?" for character in text)
    return shown if len(shown) <= TEXT_LENGTH else shown[: TEXT_LENGTH - 3] + "..."
