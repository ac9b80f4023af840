"""What the organiser decides about bots: approve one that waits, leave one out, take it in again."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from referee.errors import ConfigError, nearest
from tournaments.config.bot_names import fit_name
from tournaments.config.entry_record import EntryRecord, Invitation, change_record
from tournaments.config.plan import Plan
from tournaments.entries.lateness import closed_to


def approve(plans: Sequence[Plan], bot: str) -> str:
    """Enter the newest submission of a bot that waits, or a bot that was left out; return what was done.

    Raises ConfigError if there is nothing to approve, or the event takes the bot no more.
    """
    done = ""

    def change(record: EntryRecord) -> EntryRecord:
        nonlocal done
        _check_known(plans, record, bot)
        waiting = [one for one in record.of_bot(bot) if one.state == "waiting"]
        was_out = bot in record.left_out
        if not waiting and not was_out:
            raise ConfigError(f"{bot} is not waiting, and it is not left out: there is nothing to approve")
        if closed := closed_to(plans, bot):
            raise ConfigError(f"{bot} cannot be entered: {closed}")
        record = replace(record, left_out=tuple(name for name in record.left_out if name != bot))
        done = f"{bot} takes part again" if was_out else f"{bot} is entered"
        if waiting:
            record = record.with_submission(replace(waiting[-1], state="entered", why=""))
        return record

    change_record(_folder(plans), change)
    return done


def invite(plans: Sequence[Plan], new: Sequence[Invitation]) -> list[str]:
    """Reserve a name for the bot of each author or team that will upload one; return the names.

    One that has a bot already keeps its name. Raises ConfigError for a name that no bot may have.
    """
    names: list[str] = []

    def change(record: EntryRecord) -> EntryRecord:
        for one in new:
            bot = record.bot_of(one.owner)
            if not bot:
                taken = {*plans[0].names, *record.names()}
                bot = fit_name(one.bot, taken)
                record = replace(record, invited=(*record.invited, replace(one, bot=bot)))
            names.append(bot)
        return record

    change_record(_folder(plans), change)
    return names


def leave_out(plans: Sequence[Plan], bot: str) -> str:
    """Leave a bot out of an event, of a submission or of the tournament file; return what was done."""

    def change(record: EntryRecord) -> EntryRecord:
        _check_known(plans, record, bot)
        if bot in record.left_out:
            raise ConfigError(f"{bot} is left out already")
        return replace(record, left_out=(*record.left_out, bot))

    change_record(_folder(plans), change)
    return f"{bot} is left out"


def _check_known(plans: Sequence[Plan], record: EntryRecord, bot: str) -> None:
    known = {*plans[0].names, *record.names()}
    if bot not in known:
        hint = nearest(bot, known) if known else "there are no bots yet"
        raise ConfigError(f"{plans[0].file}: no bot is called {bot!r}: {hint}")


def _folder(plans: Sequence[Plan]) -> Path:
    folder = plans[0].entries
    if folder is None:
        raise ConfigError(f"{plans[0].file}: it has no key `entries`")
    return folder
