"""What arrival times tell a third seat: nothing beyond when the last answer was in.

Three bots choose at once. Seat 0 takes longer when its secret choice is high; seat 2 looks at the clock when
the round is over. First seat 1 is always the slowest, so that the end of the round depends on seat 0 in
nothing. Then seat 0 is: the maximum of all times shows, as it must, and nothing beyond it.
"""

import json
import sys
import tempfile
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

from referee import registry
from referee.chance import deal_key
from referee.game import Options
from referee.hub import Hub
from referee.launch import BotSpec, program
from referee.table import Pairing

BOT = Path(__file__).parent / "thinker.py"
ROUNDS = 6


class Shown(NamedTuple):
    """How well times tell the two kinds of choices apart."""

    rounds: int
    auc: float
    """The chance that a round with a high choice took longer than one with a low choice: 0.5 is blind."""
    error: float
    """Its standard error, if the times tell nothing."""
    apart_us: float
    """By how much the medians differ."""

    def __str__(self) -> str:
        return (
            f"AUC {self.auc:.3f} (0.5 tells nothing; standard error {self.error:.3f}), "
            f"medians {self.apart_us:+,.0f} us apart, {self.rounds:,} rounds"
        )


class Measured(NamedTuple):
    """What seat 2 can make of when a round ends."""

    since_own: Shown
    """Counted from its own answer."""
    since_last: Shown
    """Counted from the last answer of all."""


def measure(matches: int, slowest_ms: int) -> Measured:
    """Play matches in which seat 1 always takes so long, and compare what seat 2 saw of the two choices."""
    with tempfile.TemporaryDirectory(prefix="timing-") as name:
        folder = Path(name)
        game = registry.game("coins")
        options: Options = {"peek": "no", "rounds": ROUNDS, "hand": 2}
        names = ("bot0", "bot1", "bot2")
        with Hub([_spec(seat, folder, slowest_ms) for seat in range(3)]) as hub:
            hub.submit(
                Pairing(f"t{n}", game, names, deal_key("timing", str(n)), options=options)
                for n in range(matches)
            )
            hub.run()
        choices, heard = _read(folder / "choices.jsonl"), _read(folder / "heard.jsonl")
        answered = [_read(folder / f"answered{seat}.jsonl") for seat in range(3)]
    own: dict[int, list[int]] = {0: [], 1: []}
    last: dict[int, list[int]] = {0: [], 1: []}
    for at, high in choices.items():
        own[high].append(heard[at] - answered[2][at])
        last[high].append(heard[at] - max(times[at] for times in answered))
    return Measured(compare(own[0], own[1]), compare(last[0], last[1]))


def _spec(seat: int, folder: Path, slowest_ms: int) -> BotSpec:
    command = [sys.executable, str(BOT), str(seat), str(folder), str(slowest_ms)]
    return BotSpec(f"bot{seat}", program(command, folder), "stdio")


def _read(path: Path) -> dict[tuple[str, int], int]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return {(match, ask): value for match, ask, value in lines}


def compare(low: list[int], high: list[int]) -> Shown:
    """Return how often a time of `high` is the longer one, over all pairs."""
    luck = Random(1)  # Ties are broken by lot.
    ranked = sorted(
        (value, luck.random(), kind) for kind, values in ((0, low), (1, high)) for value in values
    )
    ranks = sum(at for at, (_, _, kind) in enumerate(ranked, 1) if kind)
    pairs = len(low) * len(high)
    auc = (ranks - len(high) * (len(high) + 1) / 2) / pairs
    error = ((len(low) + len(high) + 1) / (12 * pairs)) ** 0.5
    return Shown(len(ranked), auc, error, (median(high) - median(low)) / 1_000)


def main(matches: int) -> int:
    """Measure both, and print the figures."""
    for told, slowest_ms in (("seat 1 is always the slowest", 12), ("seat 0 is the slowest", 0)):
        measured = measure(matches, slowest_ms)
        sys.stdout.write(f"{told}: since seat 2's own answer: {measured.since_own}\n")
        sys.stdout.write(f"{told}: since the last answer: {measured.since_last}\n")
    return 0
