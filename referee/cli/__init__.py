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
from referee.errors import ConfigError, RefereeError


class CommandEntry(NamedTuple):
    """Where a subcommand lives, and what it does in half a sentence."""

    module: str
    attribute: str
    summary: str


COMMANDS: Final = {
    "games": CommandEntry("referee.cli.commands.games", "games", "List the games, or the options of one."),
    "rules": CommandEntry("referee.cli.commands.games", "rules", "Print the rules of a game."),
    "new-bot": CommandEntry(
        "referee.cli.commands.new_bot", "new_bot", "Write a ready project for a bot of your own."
    ),
    "play": CommandEntry("referee.cli.commands.play", "play", "Play matches among bots of this host."),
    "serve": CommandEntry("referee.cli.commands.serve", "serve", "Let bots connect from elsewhere and play."),
    "join": CommandEntry("referee.cli.commands.join", "join", "Connect a bot of this host to a daemon."),
    "key": CommandEntry(
        "referee.cli.commands.key", "key", "Make keys for remote bots, and say whose may enter."
    ),
    "replay": CommandEntry("referee.cli.commands.replay", "replay", "Show replays, or verify them."),
    "why": CommandEntry("referee.cli.commands.why", "why", "Tell in plain words what went wrong in a match."),
    "tournament": CommandEntry(
        "referee.cli.commands.tournament", "tournament", "Play a whole tournament from one file."
    ),
    "sprt": CommandEntry(
        "referee.cli.commands.sprt", "sprt", "Find out whether a new bot is better than the old one."
    ),
    "at": CommandEntry("referee.cli.commands.at", "at", "Ask a bot again at a decision of a replay."),
    "positions": CommandEntry(
        "referee.cli.commands.positions", "positions", "Examine a bot with a file of positions."
    ),
    "check": CommandEntry(
        "referee.cli.commands.check", "check", "Examine whether a bot keeps to the protocol."
    ),
    "doctor": CommandEntry(
        "referee.cli.commands.doctor", "doctor", "Try out which attacks of a bot this host holds."
    ),
    "completion": CommandEntry(
        "referee.cli.commands.completion", "completion", "Print completion for your shell."
    ),
}

_OF_THE_DISK: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)
"""What is wrong with a disk, and not with us."""

EPILOGUE: Final = """\b
Examples:
  referee games
  referee rules chicago-poker
  referee replay show replays/m-1.jsonl

\b
Exit codes:
  0    fine
  1    something was found wrong: a replay that does not verify, a bot that failed
  2    bad input: nothing was started
  70   an error of the referee itself; REFEREE_DEBUG=1 shows where
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, loading none."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.entries.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; whatever it raises becomes one line and an exit code."""
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
            text = f"an error of the referee itself: {type(error).__name__}: {error}"
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
