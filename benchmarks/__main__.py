"""`python -m benchmarks`: measure everything, or the parts that are named."""

import os
import platform
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module

import click
import msgspec
from rich.console import Console

from benchmarks import against
from benchmarks.sheet import FULL, QUICK, Part, Sheet, plain, show

MODULES = {
    "hub": "hubs",
    "rules": "rules",
    "tournament": "tournament",
    "replays": "replays",
    "starts": "starts",
    "memory": "memory",
    "codec": "codecs",
    "ratings": "ratings",
    "watchers": "watchers",
    "workers": "workers",
    "growth": "growth",
}


def part(name: str) -> Part:
    """Return what measures a part, imported late: a revision to compare with may lack what others need."""
    measure: Part = import_module(f"benchmarks.{MODULES[name]}").measure
    return measure


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(list(MODULES)))
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@click.option("--quick", is_flag=True, help="Measure less: a minute, and more noise.")
@click.option(
    "--repetitions", type=click.IntRange(min=1), help="How often each figure is taken; medians count."
)
@click.option(
    "--against",
    "revision",
    metavar="REV",
    help="Measure this revision too, in turns (A B A B), and print ratios: this tree over that one.",
)
@click.option("--long", is_flag=True, help="Watch the hub's memory over 10,000 matches.")
def main(
    names: tuple[str, ...],
    as_json: bool,
    quick: bool,
    repetitions: int | None,
    revision: str | None,
    long: bool,
) -> None:
    """Measure how fast the referee is, as ratios in one run.

    NAME is one of hub, rules, tournament, replays, starts, memory, codec, ratings, watchers, workers,
    growth; without one, all are measured.
    """
    size = QUICK if quick else FULL
    if long:
        size = msgspec.structs.replace(size, lifetime=10_000)
    if repetitions is not None:
        size = msgspec.structs.replace(size, repetitions=repetitions)
    console = Console(width=None if sys.stdout.isatty() else 120)
    sheets: list[Sheet] = []
    chosen = names or tuple(MODULES)
    words = [word for word, given in (("--quick", quick), ("--long", long)) if given]
    runs: list[Callable[[], Sequence[Sheet]]] = (
        [lambda: against.compare(revision, chosen, size, words)]
        if revision is not None
        else [partial(part(name), size) for name in chosen]
    )
    for run in runs:
        found = run()
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
