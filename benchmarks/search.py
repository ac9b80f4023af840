"""`python -m benchmarks.search`: how often the sample `search` beats the sample of each game, with its error.

Deals are mirrored: `search` plays each of them from every seat, against the game's sample in all others. All
bots play in one process. The clock of an ask is that of the profile `strict`, counted in CPU time of the
process, so that a busy host does not make `search` weaker.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from statistics import mean, stdev
from typing import NamedTuple

import click
from rich.console import Console

from benchmarks.sheet import Cell, Sheet, show
from protocol.client import Bot, FunctionBot
from protocol.messages import AskClock, Start, TimeControl
from referee import registry
from referee.chance import KeyedChance, deal_key
from referee.game import Game
from referee.match.faults import PROFILES
from sample_bots.python import chicago, gangsters, vengeance
from sample_bots.python.poker import PokerBot
from sample_bots.python.search import SearchBot

SAMPLES: dict[str, Callable[[], Bot]] = {
    "chicago-poker": PokerBot,
    "gangsters": partial(FunctionBot, gangsters.choose),
    "vengeance": partial(FunctionBot, vengeance.choose),
    "chicago": partial(FunctionBot, chicago.choose),
}
MOST_SEATS = 4
TIME = PROFILES["strict"].clock


class Setting(NamedTuple):
    """What is measured: a game, its seats, and how much `search` may think."""

    game: str
    seats: int
    move_ms: int
    trials: int


class Thinking(SearchBot):
    """The sample `search` by CPU time."""

    timer = staticmethod(time.process_time)


def won_of(setting: Setting, deal: int) -> float:
    """Return what `search` wins of one deal, from 0 to 1: the mean over all seats."""
    game = registry.game(setting.game)
    return mean(_won_at(setting, game, deal, seat) for seat in range(setting.seats))


def _won_at(setting: Setting, game: Game, deal: int, hero: int) -> float:
    thinking = Thinking()
    thinking.trials = setting.trials
    bots = [thinking if seat == hero else SAMPLES[setting.game]() for seat in range(setting.seats)]
    name = f"{setting.game} {setting.seats} {deal}"
    for seat, bot in enumerate(bots):
        bot.clock = AskClock(setting.move_ms, 0, 0)
        bot.start(_start(name, setting, seat))
    state, events = game.new(setting.seats, KeyedChance(deal_key("search", name)))
    while (outcome := state.outcome()) is None:
        for seat, bot in enumerate(bots):
            bot.see([event.seen_by(seat) for event in events])
        seat = state.to_act()[0]
        chosen = bots[seat].choose(state.view(seat), state.legal(seat)[:])
        assert isinstance(chosen, str)
        events = state.apply(seat, chosen)
    return (outcome.ranks[hero] == 1) / outcome.ranks.count(1)


def _start(name: str, setting: Setting, seat: int) -> Start:
    clock = TimeControl(TIME.ready_ms, TIME.first_ms, setting.move_ms, TIME.bank_ms, TIME.grace_ms)
    return Start(name, setting.game, {}, seat, setting.seats, [""] * setting.seats, clock, "")


def measured(setting: Setting, won: Sequence[float]) -> tuple[Cell, ...]:
    """Return a row of the table."""
    error = stdev(won) / sqrt(len(won))
    fair = f"{1 / setting.seats:.0%}"
    return (setting.game, setting.seats, len(won), f"{mean(won):.1%}", f"{error:.1%}", fair)


@click.command()
@click.option("--game", "games", multiple=True, type=click.Choice(list(SAMPLES)), help="Default: all.")
@click.option(
    "--seats", "tables", multiple=True, type=click.IntRange(2, MOST_SEATS), help="Default: 2, 3, 4."
)
@click.option("--deals", default=200, show_default=True, type=click.IntRange(2), help="Mirrored deals.")
@click.option("--first", default=0, show_default=True, help="The number of the first deal.")
@click.option("--move-ms", default=TIME.move_ms, show_default=True, help="The time for a move.")
@click.option("--trials", default=SearchBot.trials, show_default=True, help="Trials for a decision, at most.")
@click.option("--jobs", default=1, show_default=True, help="Processes that play at once.")
def main(
    games: Sequence[str],
    tables: Sequence[int],
    deals: int,
    first: int,
    move_ms: int,
    trials: int,
    jobs: int,
) -> None:
    """Play `search` against the sample of each game, and print how often it wins, with the standard error."""
    rows: list[tuple[Cell, ...]] = []
    with ProcessPoolExecutor(jobs) as pool:
        for game in games or SAMPLES:
            for seats in tables or range(2, MOST_SEATS + 1):
                setting = Setting(game, seats, move_ms, trials)
                won = list(pool.map(partial(won_of, setting), range(first, first + deals)))
                rows.append(measured(setting, won))
    columns = ("game", "seats", "mirrored deals", "search wins", "standard error", "fair share")
    show(Sheet("search", "`search` against the samples of the games", columns, rows, []), Console(width=120))


if __name__ == "__main__":
    main()
