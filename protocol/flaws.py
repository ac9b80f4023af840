"""What a malformed message has broken: the kinds of rules, each a paragraph of SPEC.md."""

from enum import Enum


class Flaw(Enum):
    """Which rules of the protocol a malformed message breaks."""

    FIELD = "field"
    """Those of its fields: missing, of another type, out of bounds; or it is no map at all."""
    VALUE = "value"
    """Those of values: a float, a binary type, an integer that is too large."""
    TEXT = "text"
    """Those of texts and keys: not UTF-8, a lone surrogate, a key twice, something after the message."""
    LIMIT = "limit"
    """A limit: nested too deep, too many entries, a text that is too long."""
