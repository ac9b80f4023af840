"""`referee serve`: the daemon. Bots connect from elsewhere, are matched and play until it is told to stop."""

import time
from pathlib import Path
from typing import Any

import click
import msgspec

from referee.cli import examples
from referee.cli.output import clean
from referee.cli.params import game_argument
from referee.cli.report import in_matches
from referee.cli.stop import Stop
from referee.cli.table import show_standings
from referee.cli.terms import cores, options_of, profile_of, terms_options
from referee.faults import MEANING, FaultCode
from referee.game import Game, Options
from referee.loop import collect_rarely
from referee.serve import Daemon, check_address, is_local
from referee.table import Finished
from tournaments.tally import Tally

_TABLE_EVERY_S = 30.0
"""The least time between two tables."""

POSITIVE = click.IntRange(min=1)


class _Voice:
    """Tells what happens: sentences for people, one JSON object a line for machines."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._told = time.monotonic()

    def open(self, address: str, earlier: int, tally: Tally) -> None:
        if self._as_json:
            self._say("open", address=address)
            self._say("table", table=tally.table())
            return
        if earlier:
            click.echo(f"So far, in {in_matches(earlier)}:")
            show_standings(tally.table())
        click.echo(f"Listening at {address}")
        click.echo(f"To let a bot play here: referee join {address} -- COMMAND")
        click.echo(f"or start a bot that speaks ZeroMQ with REFEREE_ADDRESS={address}")

    def note(self, text: str) -> None:
        if self._as_json:
            self._say("note", text=text)
        else:
            click.echo(f"* {clean(text)}")

    def result(self, finished: Finished, tally: Tally) -> None:
        result = finished.result
        if self._as_json:
            self._say("result", result=result, play=finished.play, void=finished.void)
        else:
            click.echo(clean(f"{result.match}: {_told(finished)}"))
        if time.monotonic() - self._told >= _TABLE_EVERY_S:
            self.table(tally)

    def table(self, tally: Tally) -> None:
        self._told = time.monotonic()
        if self._as_json:
            self._say("table", table=tally.table())
        else:
            show_standings(tally.table())

    def _say(self, kind: str, **fields: Any) -> None:
        click.echo(msgspec.json.encode({"type": kind, **fields}))


@click.command(
    epilog=examples(
        "referee serve chicago-poker",
        "referee serve chicago-poker --bind 7900 --seats 4 --folder evening",
        "referee serve chicago-poker --bind 0.0.0.0:7878 --profile classroom --json",
    )
)
@game_argument()
@click.option(
    "--bind",
    metavar="ADDRESS",
    default="127.0.0.1:7878",
    show_default=True,
    help="Where to listen: a port, host:port, or tcp://host:port.",
)
@click.option("--seats", type=POSITIVE, help="Bots at a table; default: the fewest the game has.")
@terms_options
@click.option("--jobs", type=POSITIVE, help="Matches at once; default: two for each processor.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("serve"),
    show_default=True,
    help="Where results and replays are kept.",
)
@click.option("--matches", type=POSITIVE, help="Stop after so many matches.")
@click.option("--seed", help="What all luck is made from, with the id of each match; default: a new one.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def serve(
    game: Game,
    bind: str,
    seats: int | None,
    settings: Options,
    preset: str | None,
    profile_name: str,
    clock: dict[str, int],
    jobs: int | None,
    folder: Path,
    matches: int | None,
    seed: str | None,
    as_json: bool,
) -> None:
    """Listen for bots, bring them together, and let them play a GAME until told to stop.

    Those who have met least play next. Results are kept in FOLDER/results.jsonl beside the replays; the
    table goes on from what is there.

    Ctrl-C or SIGTERM: running matches may end, within 30 seconds; a second one abandons them. The exit code
    is then 0.
    """
    address = check_address(bind)
    size = game.info.least_seats if seats is None else seats
    options = options_of(game, preset, settings, size)
    voice = _Voice(as_json=as_json)
    if not is_local(address):
        click.echo("Warning: what is sent over the network can be read and changed on its way.", err=True)
    tally = Tally()

    def hear(finished: Finished) -> None:
        tally.add(finished.result)
        voice.result(finished, tally)

    collect_rarely()
    with Stop() as stop:
        daemon = Daemon(
            address,
            game,
            size,
            options,
            folder=folder,
            jobs=jobs or 2 * cores(),
            profile=profile_of(profile_name, clock),
            seed=seed,
            report=hear,
            note=voice.note,
        )
        try:
            for row in daemon.earlier:
                if row.result.game == game.info.id:
                    tally.add(row.result)
            # Whoever reads that we listen may already send a signal.
            stop.order(daemon.drain, daemon.abandon)
            voice.open(daemon.address, tally.counted, tally)
            daemon.run(matches)
        finally:
            daemon.close()
    voice.table(tally)


def _told(finished: Finished) -> str:
    """Tell a result in one line."""
    result = finished.result
    if finished.void is not None:
        return f"void: {finished.void}"
    order = sorted(range(len(result.names)), key=lambda seat: result.ranks[seat])
    told = ", ".join(f"{result.ranks[s]}. {result.names[s]} {result.scores[s]}" for s in order)
    faults = "".join(
        f"; {result.names[seat]} {MEANING[FaultCode(code)]}"
        for seat, code in enumerate(result.faults)
        if code
    )
    return f"{told} ({result.reason}){faults}"
