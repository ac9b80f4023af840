"""`referee key`: makes keys for bots from other hosts, and manages the list of allowed keys."""

from pathlib import Path

import click
import msgspec

from referee.cli import examples
from referee.cli.options.common import Command, json_option
from referee.cli.output.printer import show_table
from referee.gate.keystore import KeyStore, new_bot_key
from referee.wording import plural


@click.group(
    epilog=examples(
        "referee key new mybot.key",
        "referee key allow alice PUBLICKEY",
        "referee key list",
        "referee key revoke alice",
    )
)
def key() -> None:
    """Make keys for bots from other hosts, and manage the list of allowed keys.

    The author of a bot makes a key pair with `new`, keeps the file, and sends the public key to the
    organiser. The organiser allows it with `allow`, and sends back the daemon's public key.
    """


def _keys_option(command: Command) -> Command:
    return click.option(
        "--keys",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path("keys"),
        show_default=True,
        help="The folder of the keys, as in `referee serve --keys`.",
    )(command)


@key.command(epilog=examples("referee key new mybot.key"))
@click.argument("file", type=click.Path(path_type=Path))
def new(file: Path) -> None:
    """Make a bot's key pair in FILE, with mode 0600, and print its public key."""
    pair = new_bot_key(file)
    click.echo(pair.public)
    click.echo(f"{file} proves who your bot is: keep it secret.", err=True)
    click.echo("Send the key above to the organiser, who sends you the daemon's key. Then:", err=True)
    click.echo(f"  referee join ADDRESS --key {file} --server-key KEY -- COMMAND", err=True)


@key.command(epilog=examples("referee key allow alice PUBLICKEY --keys evening"))
@click.argument("account")
@click.argument("public_key", metavar="PUBLICKEY")
@_keys_option
def allow(account: str, public_key: str, keys: Path) -> None:
    """Allow the bot with PUBLICKEY to play as ACCOUNT, and print the daemon's public key.

    ACCOUNT is the bot's name in all tables. The first `allow` makes the daemon's own key pair. A running
    daemon reads the new list within a second.
    """
    folder = KeyStore(keys)
    folder.allow(account, public_key)
    click.echo(folder.server().public)
    click.echo(f"{account} may play. The key above is the daemon's: send it to the bot's author.", err=True)


@key.command(epilog=examples("referee key revoke alice"))
@click.argument("account")
@_keys_option
def revoke(account: str, keys: Path) -> None:
    """Remove ACCOUNT from the list. A running daemon ends its connection, and it loses its matches."""
    KeyStore(keys).revoke(account)
    click.echo(f"{account} may no longer play.", err=True)


@key.command("list", epilog=examples("referee key list", "referee key list --json"))
@_keys_option
@json_option
def list_keys(keys: Path, as_json: bool) -> None:
    """List the allowed accounts and their public keys, and the daemon's own public key."""
    folder = KeyStore(keys)
    server = folder.server().public
    accounts = folder.accounts()
    if as_json:
        click.echo(msgspec.json.encode({"server": server, "accounts": accounts}))
        return
    show_table(["account", "public key"], accounts.items())
    click.echo(f"{plural(len(accounts), 'account')}; the daemon's own public key is {server}", err=True)
