"""The `referee` command: finds its subcommands, and turns errors into one line and an exit code.

`commands` has a module for each subcommand, loaded when it is used, so that `referee --help` needs none of
them; `options` reads what several share, `output` prints, `human` lets a person play. To add a subcommand:
a module in `commands` with a click command, and a line in COMMANDS. The only place that may import every
other package.
"""

import errno
import fcntl
import gc
import os
import select
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, Final, NamedTuple

import click

import referee
from referee.errors import ConfigError, RefereeError, nearest


class CommandEntry(NamedTuple):
    """Where a subcommand is, and its summary for `--help`."""

    module: str
    """Its name in `referee.cli.commands`."""
    attribute: str
    summary: str


COMMANDS: Final = {
    "games": CommandEntry("games", "games", "List the games, or show the options of one."),
    "rules": CommandEntry("games", "rules", "Print the rules of a game."),
    "new-bot": CommandEntry("new_bot", "new_bot", "Write a project for a bot of your own."),
    "play": CommandEntry("play", "play", "Play matches between bots on this host."),
    "serve": CommandEntry("serve", "serve", "Run a ladder that bots join over the network."),
    "site": CommandEntry("site", "site", "Show events and replays in browsers."),
    "join": CommandEntry("join", "join", "Connect a bot on this host to a ladder."),
    "key": CommandEntry("key", "key", "Make and manage keys for bots from other hosts."),
    "replay": CommandEntry("replay", "replay", "Show replays, or verify them."),
    "why": CommandEntry("why", "why", "Explain why a bot lost a match by a fault."),
    "feedback": CommandEntry("feedback", "feedback", "Write what authors of bots get back from an event."),
    "tournament": CommandEntry("tournament", "tournament", "Play a whole tournament from one file."),
    "store": CommandEntry("store", "store", "Copy results from a file to a database, or back."),
    "worker": CommandEntry("worker", "worker", "Let this host play for a cluster."),
    "entries": CommandEntry("entries", "entries", "Take in the submissions of a class or contest."),
    "sprt": CommandEntry("sprt", "sprt", "Decide whether a new bot is better than an old one."),
    "grade": CommandEntry("grade", "grade", "Grade a bot by its matches against staff bots."),
    "repeat": CommandEntry("repeat", "repeat", "Repeat a recorded match with the bot of one seat."),
    "at": CommandEntry("at", "at", "Ask a bot again at a recorded decision."),
    "positions": CommandEntry("positions", "positions", "Check a bot's answers at a file of positions."),
    "check": CommandEntry("check", "check", "Check whether a bot follows the protocol."),
    "doctor": CommandEntry("doctor", "doctor", "Attack this host from inside the sandbox."),
    "completion": CommandEntry("completion", "completion", "Print a completion script for your shell."),
}

UNREAD: Final = 141
"""The exit code when the reader of the output is gone: that of a process which the signal SIGPIPE ended."""

_OF_THE_DISK: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG)
_OF_A_FILE: Final = (
    *(errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENOTDIR, errno.EISDIR),
    *(errno.ELOOP, errno.ENAMETOOLONG, errno.EMFILE, errno.ENFILE, errno.ETXTBSY),
)
"""Errors of a file that was named. Every other OSError is an error of the referee."""

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
  141  the output was not read to its end, as by `head`
"""


def examples(*commands: str) -> str:
    """Return the epilogue of a command's help."""
    return "\n  ".join(["\b\nExamples:", *commands])


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
        command = getattr(import_module(f"referee.cli.commands.{entry.module}"), entry.attribute)
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

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the words of a command; `--help` prints here."""
        with _past_click():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an interrupt becomes one line, where click would print an empty one."""
        try:
            with _past_click():
                return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise click.exceptions.Exit(_failed("interrupted", 130)) from error

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and exit; an exception becomes one line on stderr and an exit code."""
        run = partial(super().main, args, prog_name, complete_var, standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        # Results of large events are many objects that are in no cycle: to search them for cycles as often as
        # Python does by default takes a fifth of the time.
        gc.set_threshold(50_000, 20, 100)
        # The matrices have a row for each bot: threads of numpy would wait longer than they work.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        code = _ending(run)
        # What is still to be written can fail too, and then the exit code must show it.
        sys.exit(_ending(sys.stdout.flush) or code)


class _BrokenPipe(Exception):  # noqa: N818 - carries the error past click, and is not one itself
    def __init__(self, error: BrokenPipeError) -> None:
        super().__init__(str(error))
        self.error = error


@contextmanager
def _past_click() -> Iterator[None]:
    """Hide the error of a pipe without a reader from click, which would exit with 1."""
    try:
        yield
    except BrokenPipeError as error:
        raise _BrokenPipe(error) from error


def _ending(run: Callable[[], object]) -> int:
    """Run something; return the exit code, and print the reason if it failed."""
    try:
        code = run()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except RefereeError as error:
        return _failed(str(error), 2 if isinstance(error, ConfigError) else 1)
    except (KeyboardInterrupt, click.Abort):
        return _failed("interrupted", 130)
    except _BrokenPipe as broken:
        return _failed_by_system(broken.error)
    except OSError as error:
        return _failed_by_system(error)
    except Exception as error:  # noqa: BLE001 - the last resort of the program
        return _our_error(error)
    return code if isinstance(code, int) else 0


def _failed(text: str, exit_code: int) -> int:
    from referee.wording import clean_lines

    # The text may have words of a bot in it, such as its stderr.
    click.echo("\n".join(clean_lines(f"referee: {text}")), err=True)
    return exit_code


def _failed_by_system(error: OSError) -> int:
    """Report what the system refused: the output, the working folder, or a file."""
    if error.filename is None and _is_of_output(error):
        # The interpreter writes the rest of the output at its end, and would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if error.errno == errno.EPIPE:
            return UNREAD
        why = "stdout is closed" if error.errno == errno.EBADF else error.strerror
        return _failed(f"cannot write the output: {why}", 1)
    if not _has_folder():
        return _failed("the working folder was deleted: change to another folder, and try again", 2)
    if error.errno in _OF_THE_DISK + _OF_A_FILE and error.filename is not None:
        name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else error.filename
        return _failed(f"cannot use {name!r}: {error.strerror}", 1)
    return _our_error(error)


def _is_of_output(error: OSError) -> bool:
    if error.errno == errno.EPIPE:
        # Pipes of bots can break as well; the poll reports an error for a pipe without a reader.
        poll = select.poll()
        poll.register(1, 0)
        return bool(poll.poll(0))
    if error.errno == errno.EBADF:
        return fcntl.fcntl(1, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
    return error.errno in _OF_THE_DISK


def _has_folder() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _our_error(error: Exception) -> int:
    if os.environ.get("REFEREE_DEBUG"):
        raise error
    text = f"an error of the referee itself: {type(error).__name__}: {error}"
    return _failed(f"{text} (REFEREE_DEBUG=1 prints the traceback)", 70)


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
@click.option(
    "--die-with-parent",
    is_flag=True,
    help="End, with everything that was started, as soon as the process that started this command ends.",
)
def main(*, die_with_parent: bool) -> None:
    """Referee of bot tournaments: rules, hidden information, clocks, replays."""
    if die_with_parent:
        # Imported here: few commands are started so.
        from referee.process import parent

        parent.die_with_parent()
