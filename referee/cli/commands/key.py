"""`referee key`: keys of remote bots, and the list of those who may enter."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from referee.cli import examples
from referee.cli.output.printer import show_table
from referee.gate.keystore import KeyStore, new_bot_key
from referee.wording import plural

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group(
    epilog=examples(
        "referee key new mybot.key",
        "referee key allow alice PUBLICKEY",
        "referee key list",
        "referee key revoke alice",
    )
)
def key() -> None:
    """Make keys for bots that play at a daemon elsewhere, and say whose may enter.

    The author of a bot makes a pair with `new`, keeps the file, and sends the public key to the organiser,
    who lets it in with `allow` and answers with the daemon's public key.
    """


def _keys_option() -> Callable[[Command], Command]:
    return click.option(
        "--keys",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path("keys"),
        show_default=True,
        help="The folder that `referee serve --keys` is given.",
    )


@key.command(epilog=examples("referee key new mybot.key"))
@click.argument("file", type=click.Path(path_type=Path))
def new(file: Path) -> None:
    """Make a bot's key pair in FILE, with mode 0600, and print its public key."""
    pair = new_bot_key(file)
    click.echo(pair.public)
    click.echo(f"{file} proves who your bot is: keep it to yourself.", err=True)
    click.echo("The key above is for the organiser, who answers with the daemon's key. Then:", err=True)
    click.echo(f"  referee join ADDRESS --key {file} --server-key KEY -- COMMAND", err=True)


@key.command(epilog=examples("referee key allow alice PUBLICKEY --keys evening"))
@click.argument("account")
@click.argument("public_key", metavar="PUBLICKEY")
@_keys_option()
def allow(account: str, public_key: str, keys: Path) -> None:
    """Let the bot with PUBLICKEY play as ACCOUNT, and print the daemon's public key.

    ACCOUNT is the bot's name in all tables. The daemon's own pair is made if there is none yet. A daemon that
    runs notices.
    """
    folder = KeyStore(keys)
    folder.allow(account, public_key)
    click.echo(folder.server().public)
    click.echo(f"{account} may enter. The key above is the daemon's, for the bot's author.", err=True)


@key.command(epilog=examples("referee key revoke alice"))
@click.argument("account")
@_keys_option()
def revoke(account: str, keys: Path) -> None:
    """Let ACCOUNT enter no more; a daemon that runs ends its connection, and its matches are lost."""
    KeyStore(keys).revoke(account)
    click.echo(f"{account} may enter no more.", err=True)


@key.command("list", epilog=examples("referee key list", "referee key list --json"))
@_keys_option()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def list_keys(keys: Path, as_json: bool) -> None:
    """Show who may enter, with public keys, and the daemon's own."""
    folder = KeyStore(keys)
    server = folder.server().public
    accounts = folder.accounts()
    if as_json:
        click.echo(msgspec.json.encode({"server": server, "accounts": accounts}))
        return
    show_table(["Account", "Public key"], accounts.items())
    click.echo(f"{plural(len(accounts), 'account')}; the daemon's own public key is {server}", err=True)
