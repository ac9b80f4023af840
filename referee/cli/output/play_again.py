"""The command that plays a recorded match again: the same deal, bots, terms, folder and level."""

import os
import shlex
from pathlib import Path

from referee.replay.dossier import SeatDossier
from referee.replay.explanation import MatchFiles, guilty_seats
from referee.replay.format import Header
from referee.wording import shell_line
from tournaments.config.bots import named, sample_called
from tournaments.config.play_words import terms_words
from tournaments.config.terms import LIMITS


def play_again(match: MatchFiles) -> str:
    """Return the command, in the folder of the bot that failed; '' if the replay lacks bots or seed."""
    replay = match.replay
    if replay is None or not (replay.header.bots and all(replay.header.bots) and replay.header.seed):
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
    words += [*confinement, *_luck(replay.header), *terms_words(replay.header)]
    prefix = f"{shell_line(['cd', folder])} && " if folder and folder != os.getcwd() else ""
    # The folder of a bot is no place for replays, and at level class it may not hold them.
    suffix = ' --replays "$(mktemp -d)"' if prefix or confinement else ""
    return prefix + shell_line(words) + suffix


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
    words = shlex.split(seat.command)
    if seat.folder and seat.folder != folder:
        words = [_from_anywhere(word, Path(seat.folder)) for word in words]
    if seat.level in ("", "trusted") and seat.env:
        # In a sandbox the folder of a bot is found by its command, so nothing may stand before it.
        words = ["env", *(f"{name}={value}" for name, value in seat.env.items()), *words]
    return shlex.join(words)


def left_out(match: MatchFiles) -> list[str]:
    """Return the variables of bots in sandboxes that the command does not set."""
    seats = match.dossier.seats if match.dossier is not None else ()
    confined = [
        seat for seat in seats if seat.level not in ("", "trusted") and not sample_called(seat.command)
    ]
    return sorted({name for seat in confined for name in seat.env})


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


def _luck(header: Header) -> list[str]:
    return ["--seed", header.deal_seed, *(["--deal", header.deal] if header.deal else [])]
