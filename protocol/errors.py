"""What can be wrong with a message.

::

    ProtocolError          .code goes on the wire
    +-- MalformedError     not the promised bytes: encoding, limits, fields and their types
    +-- TooLargeError      more bytes than a message may have
"""

from protocol.flaws import Flaw


class ProtocolError(ValueError):
    """A message that breaks the protocol; `code` is the fault code, the text says where and why."""

    code = "malformed"


class MalformedError(ProtocolError):
    """Bytes that are no message: wrong encoding, over a limit, or a field that is wrong."""

    def __init__(self, text: str, flaw: Flaw = Flaw.FIELD, at: int | None = None) -> None:
        super().__init__(text)
        self.flaw = flaw
        self.at = at
        """The character of JSON text where it goes wrong; None if the path in the text says where."""


class TooLargeError(ProtocolError):
    """A message of more bytes than `limits.MESSAGE_BYTES`."""

    code = "too-large"
