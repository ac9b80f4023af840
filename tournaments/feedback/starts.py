"""What is fed back about a bot that was left out, or that did not start and lost its matches."""

from typing import Final

from referee.wording import shell_line
from tournaments.config.play_words import confinement_words
from tournaments.failed_starts import failed_starts
from tournaments.feedback.events import PlayedPart
from tournaments.feedback.model import StartNote
from tournaments.feedback.repeating import own_command

TRYING: Final = (
    "This tries its start on your machine, and then the rest of the protocol; BOT is the folder of your "
    "bot's sources, for example BOT=~/mybot:"
)


def start_note(part: PlayedPart, bot: str) -> StartNote | None:
    """Return why a bot does not play in a tournament, or did not start; None if it plays."""
    event = part.event
    left_out = event.standings.left_out.get(part.public_name(bot), "")
    # Of a ladder and of single matches nothing is kept: their bots start themselves.
    failed = failed_starts(event.replays).get(bot) if part.plan is not None else None
    if failed is None:
        return StartNote(event.name, event.game, event.title, left_out) if left_out else None
    return StartNote(
        event=event.name,
        game=event.game,
        title=event.title,
        left_out=left_out,
        fault=failed.fault,
        why=failed.why,
        exit=failed.exit if failed.exit != failed.why else "",
        stderr=failed.stderr,
        advice=failed.advice,
        command=try_start(part, bot),
    )


def try_start(part: PlayedPart, bot: str) -> str:
    """Return the command that tries the start of a bot as the event did, and then all the rest."""
    entrant = part.entrant(bot)
    confinement = confinement_words(entrant.level, entrant.limits) if entrant is not None else []
    words = ["--game", part.event.game, *confinement, "--", *own_command(entrant)]
    return f'cd "$BOT" && referee check {shell_line(words)}'


def fate(note: StartNote) -> str:
    """Return what became of the bot, in a sentence."""
    if note.left_out:
        return f"Left out of the event: {note.left_out}."
    return "It did not start, so it lost its matches."
