"""The gate of a bot on stdin/stdout, inside the hub's loop: lines and buffers are bounded."""

import contextlib
import os
import re
from collections.abc import Callable

from protocol import limits
from protocol.codec import Encoding, encode
from protocol.errors import ProtocolError
from protocol.messages import Bye, Hello, Message, Refuse
from protocol.untrusted import from_bot
from referee.gate.inbox import REFUSED_HELLO, Inbox
from referee.gate.quoting import beginning, quoted
from referee.gate.records import Answered, Misbehaved, Up
from referee.match.faults import FORGIVABLE, FaultCode

_PENDING_BYTES = 8 << 20
"""What may wait for a bot that does not read."""

_HELLO = re.compile(rb'"type"\s*:\s*"hello"')
"""What shows that a line is meant as a hello, also if it is no JSON text."""


class PipeGate:
    """The gate of a bot on stdin/stdout: JSON, a line each. Lives in the hub's loop and never blocks.

    With `guess` the bot may also turn out to speak ZeroMQ: until a line is a hello, lines count as stderr,
    and `stderr` is called with them.
    """

    def __init__(
        self,
        inbox: Inbox,
        stdin: int,
        stdout: int,
        stderr: Callable[[bytes], None],
        *,
        guess: bool = False,
        token: str | None = None,
    ) -> None:
        """Begin to read and write; a hello must have the `token`, if there is one."""
        os.set_blocking(stdin, False)
        os.set_blocking(stdout, False)
        self.inbox = inbox
        self.stdin = stdin
        self.stdout = stdout
        self.chatting = guess
        """Whether what comes counts as stderr, not as messages."""
        self.deaf = False
        """Whether its hello came by another way, so that no line here can be one."""
        self.overheard = 0
        """Bytes of that so far."""
        self.ended = False
        self._stderr = stderr
        self._token = token
        self._partial = b""
        self._outbox: list[bytes] = []
        self._waiting = bytearray()

    @property
    def blocked(self) -> bool:
        """Whether something is waiting to be written."""
        return bool(self._waiting or self._outbox)

    def send(self, data: bytes, match: str, ask: int, now_ns: int) -> None:
        """Put a message for the bot into the next `flush`."""
        self.inbox.leaving(match, ask, now_ns)
        self._outbox.append(data)

    def flush(self) -> bool:
        """Write what is waiting, as far as the pipe takes it; return False if the bot does not read."""
        if self._outbox:
            self._outbox.append(b"")
            self._waiting += b"\n".join(self._outbox)
            self._outbox.clear()
        try:
            while self._waiting:
                written = os.write(self.stdin, self._waiting)
                del self._waiting[:written]
        except BlockingIOError:
            return len(self._waiting) <= _PENDING_BYTES
        except OSError:
            # It closed its stdin: the supervisor reports its end, or the end of its stdout shows it.
            self._waiting.clear()
        return True

    def receive(self, now_ns: int) -> list[Up]:
        """Return the records of all whole lines that have come in; `ended` is set at the end."""
        try:
            chunk = os.read(self.stdout, limits.MESSAGE_BYTES)
        except BlockingIOError:
            return []
        except OSError:
            chunk = b""
        if not chunk:
            self.ended = True
            return []
        if self.chatting:
            return self._overhear(chunk, now_ns)
        lines = (self._partial + chunk).split(b"\n")
        self._partial = lines.pop()
        records = self._take_all(lines, now_ns)
        if len(self._partial) > limits.MESSAGE_BYTES:
            quote = beginning(self._partial)
            self._partial = b""
            why = f"a line of more than {limits.MESSAGE_BYTES} bytes"
            records.append(Misbehaved(self.inbox.bot, FaultCode.TOO_LARGE, why, quote))
        return records

    def _take_all(self, lines: list[bytes], now_ns: int) -> list[Up]:
        records: list[Up] = []
        for line in lines:
            record = self._take(line.removesuffix(b"\r"), now_ns)
            if record is not None:
                records.append(record)
                if type(record) is Misbehaved and record.code not in FORGIVABLE:
                    # No message counts after this, and there may be many.
                    break
        return records

    def _take(self, line: bytes, now_ns: int) -> Up | None:
        taken = self.inbox.take(line, now_ns) if line else self.inbox.skip(now_ns)
        # An answer is what comes most, and to see that it is no message to send back takes ten times as long.
        if type(taken) is not Answered and isinstance(taken, Message):
            self._outbox.append(encode(taken, Encoding.JSON))
            return None
        return taken

    def _overhear(self, chunk: bytes, now_ns: int) -> list[Up]:
        """Look for a hello among lines that may not be messages."""
        self.overheard += len(chunk)
        if self.deaf:
            self._stderr(chunk)
            return []
        lines = (self._partial + chunk).split(b"\n")
        self._partial = lines.pop()[-limits.MESSAGE_BYTES :]
        for n, line in enumerate(lines):
            if line.startswith(b"{") and _HELLO.search(line):
                return self._take_hello(lines[n:], now_ns)
            self._stderr(line + b"\n")
        return []

    def _take_hello(self, lines: list[bytes], now_ns: int) -> list[Up]:
        """Take a line that is meant as a hello, well or badly made, and what comes after it."""
        bot = self.inbox.bot
        try:
            hello = from_bot(lines[0])
        except ProtocolError as error:
            why = f"in place of its hello: {error}{quoted(lines[0])}"
            return [Misbehaved(bot, FaultCode(error.code), why)]
        self.chatting = False
        if isinstance(hello, Hello) and hello.token != self._token:
            refusal = (Refuse("token", REFUSED_HELLO), Bye(REFUSED_HELLO))
            self._outbox += [encode(message, Encoding.JSON) for message in refusal]
            return [Misbehaved(bot, FaultCode.NO_HELLO, REFUSED_HELLO)]
        return self._take_all(lines, now_ns)

    def close(self) -> None:
        """Close both pipes."""
        for end in (self.stdin, self.stdout):
            with contextlib.suppress(OSError):
                os.close(end)
