"""`referee join`: a bot of this host plays at a daemon elsewhere."""

import click

from protocol.limits import NAME_LENGTH
from referee.cli import examples
from referee.cli.bots import read_program
from referee.cli.output import clean
from referee.cli.stop import Stop
from referee.cli.terms import limit_option
from referee.errors import AddressError, ConfigError
from referee.join import Bridge, Companion, Direct, is_reachable
from referee.launch import Limits
from referee.serve import check_address


@click.command(
    epilog=examples(
        "referee join 127.0.0.1:7878 -- random",
        "referee join tcp://games.example.org:7878 --name alice -- python mybot.py --fast",
        "referee join 7878 --direct -- ./my-zeromq-bot",
    )
)
@click.argument("address")
@click.argument("command", nargs=-1, required=True)
@click.option("--direct", is_flag=True, help="Give the bot REFEREE_ADDRESS and let it speak ZeroMQ itself.")
@click.option("--name", help="What the bot is called there; default: what it calls itself.")
@limit_option()
@click.pass_context
def join(
    ctx: click.Context,
    /,
    address: str,
    command: tuple[str, ...],
    direct: bool,
    name: str | None,
    limits: Limits,
) -> None:
    """Let a bot of this host, started by COMMAND, play at the daemon at ADDRESS.

    The bot speaks JSON lines on stdin and stdout, and needs to know nothing of the network; COMMAND may be a
    sample's name. What it writes to stderr is shown. Ctrl-C ends it, as does the daemon's goodbye.

    Exits with 0 after a goodbye, 1 if the bot ended by itself or was refused, 2 if nobody listens.
    """
    where = check_address(address)
    program = read_program(command, limits)
    _check_name(name, direct)
    if not is_reachable(where):
        raise AddressError(f"nobody listens at {where}: is `referee serve` running there?")
    with Stop() as stop:
        companion: Companion = (
            Direct(where, program, _note) if direct else Bridge(where, program, _note, name)
        )
        try:
            stop.order(companion.stop, companion.stop)
            in_order = companion.run()
        finally:
            companion.close()
    if not in_order:
        click.echo(f"referee: {clean(program.command_line())}: {clean(companion.exit)}", err=True)
    ctx.exit(0 if in_order else 1)


def _check_name(name: str | None, direct: bool) -> None:
    if name is None:
        return
    if direct:
        raise ConfigError("--name cannot be given with --direct: there the bot speaks for itself")
    if not (1 <= len(name) <= NAME_LENGTH and name.isprintable()):
        raise ConfigError(f"--name is a text of 1 to {NAME_LENGTH} printable characters")


def _note(text: str) -> None:
    click.echo(clean(text), err=True)
