"""Where the examined bot comes from: the kit starts it as often as it needs, or it connects by itself."""

import secrets
from collections.abc import Callable, Mapping
from typing import Literal, Protocol

import zmq
from msgspec.structs import replace

from protocol.codec import encode
from protocol.messages import Error
from referee.conformance.conversation import Conversation, KitTimeouts
from referee.conformance.findings import Finding, SkipError
from referee.conformance.transports import PipeTransport, SocketTransport
from referee.process.client import BotProcess
from referee.process.forkserver import Forkserver
from referee.process.spec import Program

Context = zmq.Context["zmq.Socket[bytes]"]


class Launcher(Protocol):
    """A way to get hold of the bot."""

    transport: Literal["zmq", "stdio"]
    local: bool
    """Whether the kit starts the bot, and so sees its process."""

    def fresh(self) -> Conversation:
        """Return the bot as it is before its hello has been heard."""

    def release(self, conversation: Conversation) -> None:
        """Be done with a bot."""


def _started(
    forkserver: Forkserver, program: Program, given: Mapping[str, str], pipes: tuple[int, int] | None = None
) -> BotProcess:
    """Start the bot with this in its environment, and a scratch folder that ends with the forkserver."""
    scratch = forkserver.folder / "scratch"
    scratch.mkdir(mode=0o700, exist_ok=True)
    env = program.env | {"TMPDIR": str(scratch)} | dict(given)
    return BotProcess(forkserver, replace(program, env=env), pipes)


class PipeLauncher:
    """Starts the bot to talk on stdin and stdout."""

    transport: Literal["zmq", "stdio"] = "stdio"
    local = True

    def __init__(self, forkserver: Forkserver, program: Program, patience: KitTimeouts) -> None:
        self._forkserver = forkserver
        self._program = program
        self._patience = patience

    def fresh(self) -> Conversation:
        """Start the bot."""
        token = secrets.token_hex(16)
        wire = PipeTransport()
        process = _started(self._forkserver, self._program, {"REFEREE_TOKEN": token}, wire.theirs)
        return Conversation(wire, process, self._patience, token)

    def release(self, conversation: Conversation) -> None:
        """End the bot."""
        conversation.close()


class SocketLauncher:
    """Starts the bot to talk over ZeroMQ."""

    transport: Literal["zmq", "stdio"] = "zmq"
    local = True

    def __init__(
        self, forkserver: Forkserver, program: Program, patience: KitTimeouts, context: Context
    ) -> None:
        self._forkserver = forkserver
        self._program = program
        self._patience = patience
        self._context = context

    def fresh(self) -> Conversation:
        """Start the bot with an address of its own."""
        return self.fresh_at(f"ipc://{self._forkserver.folder / secrets.token_hex(6)}")

    def fresh_at(self, address: str) -> Conversation:
        """Start the bot with this address."""
        token = secrets.token_hex(16)
        wire = SocketTransport(self._context, address)
        process = _started(
            self._forkserver, self._program, {"REFEREE_ADDRESS": wire.address, "REFEREE_TOKEN": token}
        )
        return Conversation(wire, process, self._patience, token)

    def release(self, conversation: Conversation) -> None:
        """End the bot."""
        conversation.close()


class RemoteLauncher:
    """Waits at an address for a bot that was started elsewhere."""

    transport: Literal["zmq", "stdio"] = "zmq"
    local = False

    def __init__(
        self, address: str, patience: KitTimeouts, context: Context, report: Callable[[str], None]
    ) -> None:
        self._wire = SocketTransport(context, address, linger_ms=1_000)
        self.address = self._wire.address
        self._patience = patience
        self._report = report
        self._comes = 0
        self._gone = False

    def fresh(self) -> Conversation:
        """Wait for the bot: the first time for as long as it takes, and not after it once did not come."""
        self._comes += 1
        conversation = Conversation(self._wire, None, self._patience)
        if self._comes == 1:
            where = self.address.replace("0.0.0.0", "<this host>")  # noqa: S104 - nothing is bound here
            self._report(f"waiting for a bot: start it with REFEREE_ADDRESS={where} (Ctrl-C: give up)")
            while not conversation.poll(1.0):
                pass
        elif not self._gone:
            self._report("the bot must come anew: waiting for its hello (start it again if it has ended)")
            self._gone = not conversation.poll(self._patience.hello_s)
        if self._gone:
            raise SkipError(Finding.NOT_REACHED, "the bot did not come again after a step that went wrong")
        return conversation

    def release(self, conversation: Conversation) -> None:
        """Forget the connection, and ask the bot to say hello again."""
        lost = Error("no-session", "a step went wrong, and the next begins anew: say hello")
        self._wire.send(encode(lost, conversation.encoding), 0)
        self._wire.route = b""
