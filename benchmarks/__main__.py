"""`python -m benchmarks`: measure everything, or the parts that are named."""

import os
import platform
import sys

import click
import msgspec
from rich.console import Console

from benchmarks import codecs, hubs, memory, ratings, replays, rules, starts, watchers
from benchmarks.sheet import FULL, QUICK, Part, Sheet, plain, show

PARTS: dict[str, Part] = {
    "hub": hubs.measure,
    "rules": rules.measure,
    "replays": replays.measure,
    "starts": starts.measure,
    "memory": memory.measure,
    "codec": codecs.measure,
    "ratings": ratings.measure,
    "watchers": watchers.measure,
}


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(list(PARTS)))
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@click.option("--quick", is_flag=True, help="Measure less: a minute, and more noise.")
@click.option("--long", is_flag=True, help="Watch the hub's memory over 10,000 matches.")
def main(names: tuple[str, ...], as_json: bool, quick: bool, long: bool) -> None:
    """Measure how fast the referee is, as ratios in one run.

    NAME is one of hub, rules, replays, starts, memory, codec, ratings, watchers; without one, all are
    measured.
    """
    size = QUICK if quick else FULL
    if long:
        size = msgspec.structs.replace(size, lifetime=10_000)
    console = Console(width=None if sys.stdout.isatty() else 120)
    sheets: list[Sheet] = []
    for name in names or PARTS:
        found = PARTS[name](size)
        sheets += found
        for sheet in found if not as_json else ():
            show(sheet, console)
    about = {"python": platform.python_version(), "cores": os.cpu_count(), "load": os.getloadavg()[0]}
    if as_json:
        print(msgspec.json.encode({"about": about, "sheets": [plain(sheet) for sheet in sheets]}).decode())
    else:
        console.print(
            f"Python {about['python']}, {about['cores']} cores, load {about['load']:.1f} at the end"
        )


if __name__ == "__main__":
    main()
