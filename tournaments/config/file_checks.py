"""Mistakes of a tournament file that need more than the kind of a value, each with its key and its cure."""

from typing import Final

from referee import registry
from referee.errors import nearest
from referee.game import Game
from referee.process.sandbox.levels import check_acceptable
from tournaments.config.bot_names import unfit_name
from tournaments.config.bots import check_sample
from tournaments.config.entry_record import EntryRecord
from tournaments.config.file_keys import TournamentFile
from tournaments.config.mistakes import Mistakes, Where
from tournaments.config.terms import check_preset, option_errors

MOST_BOTS: Final = 512
_NO_BOTS: Final = "is missing: it is a list of entries, each below a line of its own like [[bots]]"


def look_at_bots(file: TournamentFile, record: EntryRecord, mistakes: Mistakes) -> None:
    """Look at the bots beside those of submissions, and at the keys that name some of them."""
    taken = [one.bot for one in record.entered()]
    for index, bot in enumerate(file.bots):
        where: Where = ("bots", index)
        if why := unfit_name(bot.name, taken):
            mistakes.add((*where, "name"), why)
        taken.append(bot.name)
        if (bot.sample is None) == (bot.command is None):
            mistakes.add(where, f'{bot.name} needs either sample = "..." or command = "...", and not both')
        if bot.sample is not None:
            with mistakes.at((*where, "sample")):
                check_sample(bot.sample)
    if len(taken) > MOST_BOTS:
        mistakes.add(("bots",), f"a tournament has at most {MOST_BOTS} bots, not {len(taken)}")
    for key, name in (("hero", file.hero), ("anchor", file.anchor)):
        if name is not None and name not in taken and file.entries is None:
            mistakes.add((key,), f"no bot is called {name!r}: {nearest(name, taken)}")
    for name in file.accept_gaps:
        with mistakes.at(("accept_gaps",)):
            check_acceptable([name])


def look_at_luck(file: TournamentFile, mistakes: Mistakes) -> None:
    """Look at the beacon, and at the texts of entrants."""
    unprinted = "has a character that is not printed: leave it out"
    if file.beacon is not None and not file.beacon.isprintable():
        mistakes.add(("beacon",), unprinted)
    for index, bot in enumerate(file.bots):
        where: Where = ("bots", index, "luck")
        if bot.luck is not None and file.beacon is None:
            mistakes.add(where, 'belongs to a tournament with a beacon: add beacon = "...", or leave it out')
        elif bot.luck is not None and not bot.luck.isprintable():
            mistakes.add(where, unprinted)


_ORDERS: Final = {
    "swiss": "a swiss is ordered by its points, then by Buchholz, wins and rating",
    "knockout": "a knockout is ordered by the rounds that bots reach",
}
"""What decides the order of a format that has its own."""


def look_at_format(file: TournamentFile, mistakes: Mistakes) -> None:
    """Look at the keys that belong to some formats."""
    is_gauntlet = file.format == "gauntlet"
    if is_gauntlet and file.hero is None:
        mistakes.add(("hero",), "is missing: a gauntlet needs the name of the bot that meets all others")
    if not is_gauntlet and file.hero is not None:
        mistakes.add(("hero",), f'belongs to format = "gauntlet", not to {file.format}')
    if file.format != "swiss" and file.rounds is not None:
        hint = "; for more deals, raise blocks" if file.format == "round-robin" else ""
        mistakes.add(("rounds",), f'belongs to format = "swiss", not to {file.format}{hint}')
    if file.format not in ("round-robin", "gauntlet"):
        if file.groups != "all":
            mistakes.add(("groups",), f"belongs to round-robin and gauntlet, not to {file.format}")
        if file.order is not None:
            mistakes.add(("order",), f"belongs to round-robin and gauntlet: {_ORDERS[file.format]}")
    if file.format != "round-robin" and file.pools is not None:
        mistakes.add(("pools",), f'belongs to format = "round-robin", not to {file.format}')
    if file.format != "knockout" and file.third_place:
        mistakes.add(("third_place",), f'belongs to format = "knockout", not to {file.format}')


def look_at_game(file: TournamentFile, mistakes: Mistakes, bots: int) -> Game | None:
    """Return the game, after a look at everything that depends on it and on the number of bots alone."""
    game: Game | None = None
    with mistakes.at(("game",)):
        game = registry.game(file.game or "")
    if game is None:
        return None
    for error in option_errors(game, file.options):
        mistakes.add(("options", error.option), str(error))
    with mistakes.at(("preset",)):
        check_preset(game, file.preset)
    seats = game.info.least_seats if file.seats is None else file.seats
    with mistakes.at(("seats",)):
        game.check_seats(seats)
        if bots < seats:
            few = f"{seats} bots play in a match, but there are only {bots}"
            mistakes.add(("bots",), few if file.bots else _NO_BOTS)
        _look_at_places(file, bots, seats, mistakes)
    return game


def _look_at_places(file: TournamentFile, bots: int, seats: int, mistakes: Mistakes) -> None:
    """Look at the keys that depend on the numbers of bots and seats."""
    pools = file.pools or 1
    if file.format == "round-robin" and pools > 1 and bots // pools < seats:
        most = max(1, bots // seats)
        mistakes.add(
            ("pools",),
            f"{bots} bots in {pools} pools: some pool has fewer bots than the {seats} seats of a "
            f"match; take {most} at most",
        )
    if file.format == "knockout" and file.third_place and seats > 2:
        mistakes.add(
            ("third_place",), f"belongs to matches of 2 seats: with {seats} the final itself decides it"
        )
