"""What arrival times tell a third seat: nothing beyond when the last answer was in.

Three bots choose at once. Seat 0 takes longer when its secret choice is high; seat 2 looks at the clock when
the round is over. First seat 1 is always the slowest, so that the end of the round depends on seat 0 in
nothing; then it is not, to show that the method sees a signal where there must be one: the maximum itself.
"""

import json
import sys
import tempfile
from pathlib import Path
from random import Random
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
    """How well the arrival times tell the two kinds of choices apart."""

    rounds: int
    auc: float
    """The chance that a round with a high choice took longer than one with a low choice: 0.5 is blind."""
    error: float
    """Its standard error, if the times tell nothing."""

    def __str__(self) -> str:
        return (
            f"AUC {self.auc:.3f} (0.5 tells nothing, standard error {self.error:.3f}), {self.rounds} rounds"
        )


def measure(matches: int, slowest_ms: int) -> Shown:
    """Play matches in which seat 1 always takes so long, and compare what seat 2 saw of the two choices."""
    with tempfile.TemporaryDirectory(prefix="timing-") as name:
        folder = Path(name)
        bots = [
            BotSpec(
                f"bot{seat}",
                program([sys.executable, str(BOT), str(seat), name, str(slowest_ms)], folder),
                "stdio",
            )
            for seat in range(3)
        ]
        game = registry.game("coins")
        options: Options = {"peek": "no", "rounds": ROUNDS, "hand": 2}
        names = ("bot0", "bot1", "bot2")
        with Hub(bots) as hub:
            hub.submit(
                Pairing(f"t{n}", game, names, deal_key("timing", str(n)), options=options)
                for n in range(matches)
            )
            hub.run()
        choices, waits = (_read(folder / f"{kind}.jsonl") for kind in ("choices", "waits"))
    classes: dict[bool, list[int]] = {False: [], True: []}
    for key, high in choices.items():
        if key in waits:
            classes[bool(high)].append(waits[key])
    return compare(classes[False], classes[True])


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
    return Shown(len(ranked), auc, error)


def main(matches: int) -> int:
    """Measure both, and print the figures."""
    sys.stdout.write(f"seat 1 is the slowest: what seat 2 learns of seat 0: {measure(matches, 12)}\n")
    sys.stdout.write(f"seat 0 is the slowest: the maximum itself shows, as it must: {measure(matches, 0)}\n")
    return 0
