"""The command that plays a recorded match again: the same deal, bots, terms, folder and level."""

import os
import shlex
from pathlib import Path

from referee.cli.options.terms import LIMITS
from referee.errors import RefereeError
from referee.match.faults import PROFILES
from referee.replay.dossier import SeatDossier
from referee.replay.explanation import MatchFiles, guilty_seats
from referee.replay.format import Header, Replay
from referee.replay.playback import game_of
from referee.wording import clean
from tournaments.config.bots import named, sample_called


def play_again(match: MatchFiles) -> str:
    """Return the command, in the folder of the bot that failed; '' if the replay lacks bots or seed."""
    replay = match.replay
    if replay is None or not (replay.header.bots and replay.header.seed):
        return ""
    seats = match.dossier.seats if match.dossier is not None else ()
    folder = _folder(match, seats)
    words = ["referee", "play", replay.header.game]
    for seat, name in enumerate(replay.header.names):
        bot = (
            _bot(seats[seat], folder)
            if seat < len(seats) and seats[seat].command
            else replay.header.bots[seat]
        )
        words += ["--bot", named(name, bot)]
    confinement = _confinement(seats)
    words += [*confinement, *_luck_and_time(replay.header), *_options(replay)]
    prefix = f"cd {shlex.quote(folder)} && " if folder and folder != os.getcwd() else ""
    # The folder of a bot is no place for replays, and at level class it may not hold them.
    suffix = ' --replays "$(mktemp -d)"' if prefix or confinement else ""
    return clean(prefix + shlex.join(words) + suffix)


def _folder(match: MatchFiles, seats: tuple[SeatDossier, ...]) -> str:
    """Return the folder of the first bot that failed and is no sample, or that of any other such bot."""
    first = sorted(guilty_seats(match))
    order = [*first, *(seat for seat in range(len(seats)) if seat not in first)]
    known = [seats[seat] for seat in order if seat < len(seats)]
    return next((one.folder for one in known if one.folder and not sample_called(one.command)), "")


def _bot(seat: SeatDossier, folder: str) -> str:
    """Return what to write for a bot: a sample, or a command that can be started in this folder."""
    if sample := sample_called(seat.command):
        return sample
    if not seat.folder or seat.folder == folder:
        return seat.command
    words = [_from_anywhere(word, Path(seat.folder)) for word in shlex.split(seat.command)]
    return shlex.join(words)


def _from_anywhere(word: str, folder: Path) -> str:
    path = folder / word
    return os.path.normpath(path) if not word.startswith("-") and os.path.exists(path) else word


def _confinement(seats: tuple[SeatDossier, ...]) -> list[str]:
    """Return the level and the limits, which `play` has for all bots together."""
    levels = [one.level for one in seats if one.level not in ("", "trusted")]
    limits = {
        name: one.limits[field] for one in seats for name, field in LIMITS.items() if field in one.limits
    }
    changes = ",".join(f"{name}={value}" for name, value in limits.items())
    return [*(["--level", levels[0]] if levels else []), *(["--limit", changes] if changes else [])]


def _luck_and_time(header: Header) -> list[str]:
    words = [
        "--seed",
        header.deal_seed,
        *(["--deal", header.deal] if header.deal else []),
        "--profile",
        header.profile,
    ]
    profile = PROFILES.get(header.profile)
    for field in header.clock.__struct_fields__:
        value = getattr(header.clock, field)
        if profile is None or getattr(profile.clock, field) != value:
            words += ["--clock", f"{field.removesuffix('_ms')}={value}"]
    return words


def _options(replay: Replay) -> list[str]:
    try:
        defaults = game_of(replay).resolve(None, len(replay.header.names))
    except RefereeError:
        # The game may no longer be installed; the rest of the report does not need it.
        defaults = {}
    changed = {name: value for name, value in replay.header.options.items() if defaults.get(name) != value}
    return [word for name, value in changed.items() for word in ("--set", f"{name}={value}")]
