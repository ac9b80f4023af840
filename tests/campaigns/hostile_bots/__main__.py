"""`python -m tests.campaigns.hostile_bots`: all kinds, many times, beside honest matches.

Every round plays honest matches beside hostile bots, beside honest ones that are started as often, and alone:
so noise of the host hits all alike, and what starting bots costs is not taken for what attacks cost. Those
hostile bots that do nothing but wait play by themselves: they would flatter the figures of the others.

As many matches run at once as there are processors, which is what the referee allows by itself: one of them
is honest. With more matches bots wait for processors, hostile or not (`--crowded`).
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
import msgspec
from msgspec.structs import replace
from rich.console import Console

from benchmarks.sheet import Cell, Goal, Sheet, plain, show
from referee.hub.capacity import cores
from tests.campaigns.hostile_bots.arena import CROWDED, Entry, Load, Round, each, fight
from tests.campaigns.hostile_bots.kinds import AT_THE_GATE, KINDS, STARTED, Kind
from tests.campaigns.hostile_bots.siege import Siege, besiege
from tests.end_to_end.boxes import NO_BOX

QUIET_MATCHES = 200
WITHIN = 2.0
"""How much slower the slowest honest decisions may become."""

ALONE, NEWCOMERS = "alone", "beside newcomers"
BUSY, ALL = "beside hostile bots that are busy", "beside all hostile bots"

(HONEST,) = (kind for kind in KINDS if kind.name == "honest")


class Figures:
    """What all rounds brought."""

    def __init__(self, load: Load = CROWDED) -> None:
        self.load = load
        self.quiet: list[Round] = []
        self.newcomers: list[Round] = []
        self.busy: list[Round] = []
        self.waiting: list[Round] = []
        self.sieges: list[Siege] = []

    def play(self, entries: Sequence[Entry], gate: Sequence[Kind]) -> None:
        """Play one round."""
        with tempfile.TemporaryDirectory(prefix="referee-hostile-") as name:
            folder, load = Path(name), self.load
            busy = [entry for entry in entries if not _waits(entry[0])]
            waiting = [entry for entry in entries if _waits(entry[0])]
            if waiting:
                self.waiting.append(fight(waiting, folder / "waiting", load))
            if busy:
                self.busy.append(fight(busy, folder / "busy", load))
                self.newcomers.append(fight(_in_their_place(busy), folder / "newcomers", load))
            if entries:
                self.quiet.append(fight([], folder / "quiet", load, least=QUIET_MATCHES))
            if gate:
                self.sieges += besiege(gate, folder / "gate")

    @property
    def hostile(self) -> list[Round]:
        """All rounds with hostile bots."""
        return [*self.busy, *self.waiting]

    def wrong(self) -> list[str]:
        """Return all that was not as it should be."""
        rounds = [*self.quiet, *self.newcomers, *self.hostile]
        found = [f"{name}: {words}" for one in rounds for name, words in one.wrong().items()]
        return found + [f"{siege.kind.name}: {words}" for siege in self.sieges if (words := siege.wrong())]


def _waits(kind: Kind) -> bool:
    return kind.hasty or kind.fault in ("no-hello", "not-ready")


def _in_their_place(entries: Iterable[Entry]) -> list[Entry]:
    return [
        (replace(HONEST, name=f"newcomer-{kind.name}", level=kind.level), transport)
        for kind, transport in entries
    ]


def verdicts(figures: Figures) -> Sheet:
    """Return how each kind fared."""
    played: Counter[tuple[Kind, str]] = Counter()
    right: Counter[tuple[Kind, str]] = Counter()
    for bout in (bout for one in figures.hostile for bout in one.bouts):
        played[bout.kind, bout.transport] += 1
        right[bout.kind, bout.transport] += not bout.wrong()
    for siege in figures.sieges:
        way = "CURVE" if siege.kind.keyed else "tcp"
        played[siege.kind, way] += 1
        right[siege.kind, way] += not siege.wrong()
    rows: list[tuple[Cell, ...]] = [
        (
            kind.number,
            kind.name,
            kind.does,
            kind.level,
            way,
            kind.fault or "harmless",
            count,
            right[kind, way],
        )
        for (kind, way), count in sorted(
            played.items(), key=lambda item: (item[0][0].number or 99, item[0][1])
        )
    ]
    columns = ("no.", "kind", "what it does", "level", "over", "expected", "played", "as expected")
    return Sheet("kinds", "Hostile kinds", columns, rows)


def latencies(figures: Figures) -> Sheet:
    """Return how fast honest bots were served."""
    rows: list[tuple[Cell, ...]] = []
    slowest: dict[str, float] = {}
    for title, rounds in (
        (ALONE, figures.quiet),
        (NEWCOMERS, figures.newcomers),
        (BUSY, figures.busy),
        ("beside hostile bots that wait", figures.waiting),
        (ALL, figures.hostile),
    ):
        taken = sorted(us for one in rounds for us in one.latencies_us)
        honest = [finished for one in rounds for finished in one.honest]
        failed = sum(any(finished.result.faults) or finished.result.void for finished in honest)
        if taken:
            slowest[title] = percentile(taken, 99)
            rows.append((title, len(honest), failed, len(taken), percentile(taken, 50), slowest[title]))
    columns = ("honest matches", "matches", "failed", "decisions", "p50 µs", "p99 µs")
    goals = [
        Goal(f"p99 {one} / {other}", slowest[one] / slowest[other], "at most", WITHIN)
        for one, other in ((ALL, ALONE), (BUSY, NEWCOMERS))
        if one in slowest and other in slowest
    ]
    gone = max(one.gone_ms for one in figures.hostile)
    left = sum(len(one.left) for one in figures.hostile)
    remarks = [
        f"at once: {figures.load.hostile} hostile and {figures.load.honest} honest on {cores()} processors",
        f"left behind: {left}; the last process of a hostile bot was gone within {gone} ms",
    ]
    return Sheet("latency", "Decisions of honest bots", columns, rows, goals, remarks)


def percentile(taken: Sequence[int], share: int) -> float:
    """Return the value that so many of a hundred do not exceed; `taken` is in order."""
    return float(taken[min(len(taken) - 1, len(taken) * share // 100)])


@click.command()
@click.argument("names", metavar="[KIND]...", nargs=-1, type=click.Choice(sorted({k.name for k in KINDS})))
@click.option("--times", type=click.IntRange(1), default=10, show_default=True, help="Rounds to play.")
@click.option("--crowded", is_flag=True, help="Play more matches at once than a small host can bear.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def main(names: tuple[str, ...], times: int, crowded: bool, as_json: bool) -> None:
    """Let all hostile kinds loose, or those that are named, beside honest matches.

    The exit code is 1 if a verdict was not as expected, an honest bot failed, or anything was left behind.
    """
    chosen = [kind for kind in STARTED if not names or kind.name in names]
    if NO_BOX:
        click.echo(f"left out, since there can be no box here: all at level contest. {NO_BOX}", err=True)
        chosen = [kind for kind in chosen if kind.level == "trusted"]
    gate = [kind for kind in AT_THE_GATE if not names or kind.name in names]
    load = CROWDED if crowded else Load(max(1, cores() - 1), 1)
    figures = Figures(load)
    for number in range(times):
        click.echo(f"round {number + 1} of {times}", err=True)
        figures.play(each(chosen), gate)
    sheets = [verdicts(figures), *([latencies(figures)] if figures.hostile else [])]
    wrong = figures.wrong()
    if as_json:
        click.echo(msgspec.json.encode({"wrong": wrong, "sheets": list(map(plain, sheets))}))
    else:
        console = Console(width=None if sys.stdout.isatty() else 160)
        for sheet in sheets:
            show(sheet, console)
        for words in wrong:
            click.echo(f"WRONG {words}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
