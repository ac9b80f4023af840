"""`--attach NAME`: a bot of a match that its author starts, in a debugger or another terminal."""

from collections.abc import Sequence

import click
from msgspec.structs import replace

from referee import names
from referee.errors import ConfigError
from referee.hub.awaited_bot import AwaitedBot
from referee.hub.hub import Hub
from referee.process.spec import BotSpec, Program
from referee.server.addresses import check_address, is_local
from referee.wording import clean, shell_line
from tournaments.config.bots import is_person

ATTACH_ADDRESS = "127.0.0.1:7900"
"""Where the referee waits: the same each time, so that the settings of a debugger stay as they are."""


class Attachment(AwaitedBot):
    """The bot that is waited for, and what its author reads meanwhile."""

    def __init__(self, name: str, address: str, command: Sequence[str]) -> None:
        super().__init__(name, address, _say)
        self._where = address
        self._command = shell_line(command) if command else "YOUR-COMMAND"

    def attach(self, hub: Hub) -> None:
        """Open the gate, take the seat, and print how the bot is started."""
        super().attach(hub)
        _say(f"Waiting for {self.name}: start it in a debugger or another terminal. Its clock is off.")
        if not is_local(self._where):
            _say("Other hosts can reach this address: any program that connects there is taken for the bot.")
        _say(f"  REFEREE_ADDRESS={self._where} {self._command}")
        _say("A bot that speaks on stdin and stdout only:")
        _say(f"  referee join {self._where} -- {self._command}")


def attached(name: str | None, address: str, specs: list[BotSpec]) -> tuple[Attachment | None, list[BotSpec]]:
    """Return the bot of this name as one that is waited for, and all bots of the run.

    It takes the place of the bot that is called so, or the first seat.
    """
    where = check_address(address)
    if name is None:
        return None, specs
    if not name or flaw(name, specs):
        raise ConfigError(f"--attach {clean(name)!r}: {flaw(name, specs) or 'give the name of a bot'}")
    at = next((number for number, spec in enumerate(specs) if spec.name == name), None)
    if at is None:
        return Attachment(name, where, ()), [_awaited(name, Program([], "", {})), *specs]
    if is_person(specs[at]):
        raise ConfigError(f"--attach {name}: that is a person, not a bot")
    program = specs[at].program
    others = [*specs[:at], _awaited(name, replace(program, level="trusted")), *specs[at + 1 :]]
    return Attachment(name, where, program.argv), others


def flaw(name: str, specs: Sequence[BotSpec]) -> str:
    """Return why no bot can have this name, or ''."""
    taken = [spec.name for spec in specs if spec.name != name]
    alike = names.look_alike(name, taken)
    return names.flaw(name) or (f"it looks like {alike}, the name of another bot" if alike else "")


def _awaited(name: str, program: Program) -> BotSpec:
    return BotSpec(name, program, "zmq", single=True, awaited=True)


def _say(text: str) -> None:
    click.echo(clean(text), err=True)
