"""The `referee` command: finds its subcommands, and turns errors into one line and an exit code.

`commands` has a module for each subcommand, loaded when it is used, so that `referee --help` needs none of
them; `options` reads what several share, `output` prints, `human` lets a person play. To add a subcommand:
a module in `commands` with a click command, and a line in COMMANDS. The only place that may import every
other package.
"""

import errno
import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar, Final, NamedTuple

import click

import referee
from referee.errors import ConfigError, RefereeError, nearest


class CommandEntry(NamedTuple):
    """The module of a subcommand, and its summary for `--help`."""

    module: str
    attribute: str
    summary: str


COMMANDS: Final = {
    "games": CommandEntry(
        "referee.cli.commands.games", "games", "List the games, or show the options of one."
    ),
    "rules": CommandEntry("referee.cli.commands.games", "rules", "Print the rules of a game."),
    "new-bot": CommandEntry(
        "referee.cli.commands.new_bot", "new_bot", "Write a project for a bot of your own."
    ),
    "play": CommandEntry("referee.cli.commands.play", "play", "Play matches between bots on this host."),
    "serve": CommandEntry(
        "referee.cli.commands.serve", "serve", "Run a ladder that bots join over the network."
    ),
    "join": CommandEntry("referee.cli.commands.join", "join", "Connect a bot on this host to a ladder."),
    "key": CommandEntry("referee.cli.commands.key", "key", "Make and manage keys for bots from other hosts."),
    "replay": CommandEntry("referee.cli.commands.replay", "replay", "Show replays, or verify them."),
    "why": CommandEntry("referee.cli.commands.why", "why", "Explain why a bot lost a match by a fault."),
    "tournament": CommandEntry(
        "referee.cli.commands.tournament", "tournament", "Play a whole tournament from one file."
    ),
    "sprt": CommandEntry(
        "referee.cli.commands.sprt", "sprt", "Decide whether a new bot is better than an old one."
    ),
    "at": CommandEntry("referee.cli.commands.at", "at", "Ask a bot again at a recorded decision."),
    "positions": CommandEntry(
        "referee.cli.commands.positions", "positions", "Check a bot's answers at a file of positions."
    ),
    "check": CommandEntry("referee.cli.commands.check", "check", "Check whether a bot follows the protocol."),
    "doctor": CommandEntry(
        "referee.cli.commands.doctor", "doctor", "Attack this host from inside the sandbox."
    ),
    "completion": CommandEntry(
        "referee.cli.commands.completion", "completion", "Print a completion script for your shell."
    ),
}

_OF_THE_DISK: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)
"""Errors of a disk; every other OSError is an error of the referee."""

EPILOGUE: Final = """\b
Examples:
  referee games
  referee play chicago-poker --bot random --bot first
  referee play chicago-poker --bot human --bot poker
  referee new-bot python mybot

\b
Exit codes:
  0    success
  1    a check failed, or a match was void
  2    bad input; nothing was started
  70   an error of the referee itself; REFEREE_DEBUG=1 prints the traceback
  130  interrupted
"""


def examples(*commands: str) -> str:
    """Return the epilogue of a command's help."""
    return "\n  ".join(["\b\nExamples:", *commands])


def _failed(text: str, exit_code: int) -> click.exceptions.Exit:
    click.echo(f"referee: {text}", err=True)
    return click.exceptions.Exit(exit_code)


class LazyGroup(click.Group):
    """A group whose commands are loaded when they are used."""

    entries: ClassVar[Mapping[str, CommandEntry]] = COMMANDS

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, loading none."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        command = getattr(import_module(entry.module), entry.attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; refuse an unknown one with the names that are nearest."""
        if args and not args[0].startswith("-") and args[0] not in self.entries:
            raise ConfigError(f"there is no command {args[0]!r}: {nearest(args[0], self.entries)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, loading none."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.entries.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an exception becomes one line and an exit code."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, BrokenPipeError):
            raise
        except ConfigError as error:
            raise _failed(str(error), 2) from error
        except RefereeError as error:
            raise _failed(str(error), 1) from error
        except (KeyboardInterrupt, click.Abort) as error:
            raise _failed("interrupted", 130) from error
        except Exception as error:
            if os.environ.get("REFEREE_DEBUG"):
                raise
            if isinstance(error, OSError) and error.errno in _OF_THE_DISK:
                what = error.filename or "the output"
                raise _failed(f"cannot write {what}: {error.strerror}", 1) from error
            text = (
                f"an error of the referee itself: {type(error).__name__}: {error} "
                "(REFEREE_DEBUG=1 prints the traceback)"
            )
            raise _failed(text, 70) from error


def _print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    click.echo(f"referee {referee.version()}")
    ctx.exit()


@click.group(cls=LazyGroup, epilog=EPILOGUE, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
def main() -> None:
    """Referee of bot tournaments: rules, hidden information, clocks, replays."""
