"""`referee why`: explains the faults of a match, with the evidence, or how a bot did in an event."""

from pathlib import Path

import click

from referee.cli import examples
from referee.cli.options.event_bots import complete_event_bot
from referee.cli.output.play_again import left_out, play_again
from referee.errors import ConfigError
from referee.replay.explanation import explain, read_match
from referee.wording import clean, shell_line


@click.command(
    epilog=examples(
        "referee why m-1",
        "referee why m-1 event.toml",
        "referee why m-1 --replays demo",
        "referee why demo/m-1.jsonl",
        "referee why --bot alice event.toml",
    )
)
@click.argument("words", metavar="[MATCH] [EVENT]", nargs=-1, type=click.Path())
@click.option(
    "--replays",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of replays and dossiers; default: EVENT's, or the working folder and those below it.",
)
@click.option(
    "--bot",
    metavar="NAME",
    shell_complete=complete_event_bot,
    help="Print what `referee feedback` writes about this bot of an EVENT.",
)
def why(words: tuple[str, ...], folder: Path | None, bot: str | None) -> None:
    """Explain the faults of the bots in a MATCH, with clocks, last messages and stderr.

    MATCH is the id of a match, or the path of its replay or dossier. EVENT is the tournament file that it
    belongs to, or the folder of a ladder: its replays are searched. With --bot and an EVENT alone, print the
    result, the faults, the thinking time and the matches worth a look of one bot.
    """
    if bot is not None:
        _explain_bot(bot, words)
        return
    if not 1 <= len(words) <= 2:
        raise ConfigError("name a match, and the event it belongs to: referee why MATCH [EVENT]")
    match, *event = words
    if event and folder is not None:
        raise ConfigError("--replays and an event exclude each other: both say where the replays are")
    found = read_match(match, [folder] if folder is not None else _folders(event))
    for line in explain(found):
        click.echo(line)
    if command := play_again(found):
        click.echo("\nTo try again:")
        click.echo(f"  {command}")
        if names := left_out(found):
            click.echo(f"Variables of the tournament file are not in it: {clean(', '.join(names))}")


def _folders(event: list[str]) -> list[Path] | None:
    """Return the folders of an event's replays; None if no event is named."""
    if not event:
        return None
    # Imported here: an event needs much that a match does not.
    from tournaments.feedback.events import replay_folders

    return replay_folders(Path(event[0]))


def _explain_bot(bot: str, words: tuple[str, ...]) -> None:
    from tournaments.feedback.events import bots_of, parts_of, whole_of
    from tournaments.feedback.gathering import gather
    from tournaments.feedback.text import text_of

    if len(words) != 1:
        raise ConfigError("--bot needs the event of the bot alone: referee why --bot NAME event.toml")
    file = Path(words[0])
    parts = parts_of(file)
    (bot,) = bots_of(parts, (bot,))
    for line in text_of(gather(parts, bot, whole=whole_of(file, parts)).feedback, files=False):
        click.echo(line)
    command = shell_line(["referee", "feedback", words[0], "--bot", bot, "--out", "DIR"])
    click.echo(f"\nThe page with its replays: {command}")
