"""`referee join`: connects a bot on this host to a daemon elsewhere."""

from pathlib import Path

import click

from protocol.limits import NAME_LENGTH
from referee.cli import examples
from referee.cli.options.terms import limit_option
from referee.errors import AddressError, ConfigError, LaunchError
from referee.gate.keystore import bot_key, check_key
from referee.gate.probe import probe
from referee.hub.signals import Stop
from referee.process.program_files import program_digest
from referee.process.spec import Program, ResourceLimits
from referee.server.addresses import check_address
from referee.server.bridge import Bridge, Manner
from referee.server.direct_bot import Direct, is_reachable
from referee.server.playing_process import Companion, Credentials
from referee.wording import clean
from tournaments.config.bots import read_program


@click.command(
    epilog=examples(
        "referee join 127.0.0.1:7878 -- random",
        "referee join tcp://games.example.org:7878 --name alice -- python mybot.py --fast",
        "referee join 7878 --direct -- ./my-zeromq-bot",
        "referee join games.example.org:7878 --key mybot.key --server-key KEY -- python mybot.py",
        "referee join 7878 --version 1.4 -- python mybot.py",
    )
)
@click.argument("address")
@click.argument("command", nargs=-1, required=True)
@click.option("--direct", is_flag=True, help="Give the bot REFEREE_ADDRESS and let it speak ZeroMQ itself.")
@click.option("--name", help="The bot's name on the ladder; default: the name in its hello.")
@click.option(
    "--key",
    "key_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The bot's key file, for a daemon that requires keys; see `referee key new`.",
)
@click.option("--server-key", metavar="KEY", help="The daemon's public key; ask its organiser.")
@click.option(
    "--version",
    "bot_version",
    metavar="TEXT",
    help="The version of the bot, such as 1.4: every version has a rating of its own.",
)
@click.option("--once", is_flag=True, help="End when the connection is lost or the daemon is restarted.")
@limit_option()
@click.pass_context
def join(
    ctx: click.Context,
    /,
    address: str,
    command: tuple[str, ...],
    direct: bool,
    name: str | None,
    key_file: Path | None,
    server_key: str | None,
    bot_version: str | None,
    once: bool,
    limits: ResourceLimits,
) -> None:
    """Start a bot on this host and let it play at the daemon at ADDRESS.

    COMMAND is a command line or the name of a sample bot. The bot speaks JSON lines on stdin and stdout, as
    in a local match. Its stderr is printed, and so are its results, its rating and what the organiser
    announces. It is ended by Ctrl-C, or by a goodbye of the daemon that does not say when to come back.

    If the daemon is restarted, or the connection is lost, the bot stays and is connected again, until Ctrl-C
    (not with --once). The daemon is sent a hash of the program's files, so that it notices another program;
    with --direct it cannot.

    Exits with 0 after a goodbye, 1 if the bot ended by itself or was refused, 2 if no daemon listens or the
    daemon refuses the key.
    """
    where = check_address(address)
    program = read_program(command, limits)
    credentials = _credentials(key_file, server_key)
    _check_name(name, direct, credentials)
    _check_version(bot_version, direct)
    if not is_reachable(where):
        raise AddressError(f"no daemon listens at {where}: is `referee serve` running there?")
    _check_welcome(where, credentials)
    with Stop() as stop:
        companion: Companion = (
            Direct(where, program, _note, credentials, rejoins=not once)
            if direct
            else Bridge(where, program, _note, _manner(program, name, bot_version, once), credentials)
        )
        try:
            stop.then(companion.stop, companion.stop)
            in_order = companion.run()
        finally:
            companion.close()
    if not in_order and companion.end is not None:
        end = clean(companion.end.in_words())
        click.echo(f"referee: {clean(program.command_line())}: {end}", err=True)
    ctx.exit(0 if in_order else 1)


def _manner(program: Program, name: str | None, version: str | None, once: bool) -> Manner:
    try:
        digest = program_digest(program)
    except LaunchError as error:
        # It plays all the same; the daemon then cannot notice another program.
        _note(f"the daemon is sent no hash of the program: {error}")
        digest = ""
    return Manner(name, version or "", digest, rejoins=not once)


def _check_version(version: str | None, direct: bool) -> None:
    if version is None:
        return
    if direct:
        raise ConfigError("--version cannot be given with --direct: the bot sends its own `version`")
    if not (1 <= len(version) <= NAME_LENGTH and version.isprintable()):
        raise ConfigError(f"--version is a text of 1 to {NAME_LENGTH} printable characters")


def _credentials(key_file: Path | None, server_key: str | None) -> Credentials | None:
    if key_file is None and server_key is None:
        return None
    if key_file is None or server_key is None:
        raise ConfigError(
            "give --key and --server-key together: the bot's key file, and the daemon's public key"
        )
    return Credentials(key_file, bot_key(key_file), check_key(server_key))


def _check_welcome(address: str, credentials: Credentials | None) -> None:
    """Check that the daemon accepts the key, before the bot is started."""
    pair, server = (credentials.pair, credentials.server) if credentials is not None else (None, None)
    answer = probe(address, pair, server)
    if answer == "refused" and pair is not None:
        raise AddressError(
            f"the daemon at {address} refuses this key: its organiser allows it with "
            f"`referee key allow NAME {pair.public}`, unless it has too many connections already "
            "or is suspended for a while"
        )
    if answer == "other":
        hint = (
            "it wants a key: give --key and --server-key"
            if credentials is None
            else "either it takes no keys, or --server-key is not its public key"
        )
        raise AddressError(f"the daemon at {address} does not understand us: {hint}")


def _check_name(name: str | None, direct: bool, credentials: Credentials | None) -> None:
    if name is None:
        return
    if credentials is not None:
        raise ConfigError("--name cannot be given with --key: the bot has the name of its account")
    if direct:
        raise ConfigError("--name cannot be given with --direct: the bot sends its own name")
    if not (1 <= len(name) <= NAME_LENGTH and name.isprintable()):
        raise ConfigError(f"--name is a text of 1 to {NAME_LENGTH} printable characters")


def _note(text: str) -> None:
    click.echo(clean(text), err=True)
