"""What arrival times reveal to a third seat: when the last answer arrived, and nothing else.

Three bots choose at once; seat 2 looks at the clock when the round is over, and tries to distinguish two
kinds of rounds: those in which seat 0 chose a high card from those in which it chose a low one, those in
which it took its time, and whether it was seat 0 or seat 1 that did. The module `thinker` has the ways in
which they take their time. Kinds are drawn by lot, so that where times reveal nothing about a kind the chance
is one half, with a known error.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import mean, median, stdev
from typing import NamedTuple

from referee import registry
from referee.chance import deal_key
from referee.game import Event, Game, Options
from referee.hub.hub import Hub
from referee.hub.pairing import Pairing
from referee.process.spec import BotSpec, program
from tests.contract.leaks import Leak, LeakyGame, LeakyState
from tests.end_to_end.hubs import UNHURRIED

BOT = Path(__file__).parent / "thinker.py"
ROUNDS = 6
HUBS = 10

_LONG_S = 0.006
_PLANTED_S = 0.03


class Shown(NamedTuple):
    """How well times distinguish two kinds of rounds."""

    rounds: int
    auc: float
    """The chance that a round of the second kind took longer than one of the first: 0.5 is blind."""
    error: float
    """Its standard error if times reveal nothing; of several runs, that of their differences if larger."""
    apart_us: float
    """By how much the medians differ."""

    def __str__(self) -> str:
        return (
            f"AUC {self.auc:.3f} (0.5 is no information; standard error {self.error:.3f}), "
            f"medians {self.apart_us:+,.0f} us apart, {self.rounds:,} rounds"
        )

    @property
    def is_blind(self) -> bool:
        """Whether the chance is one half, as far as so many rounds can show.

        Not to the last digit: a process that works keeps a host awake, with or without a referee (`waking`).
        """
        return abs(self.auc - 0.5) < 0.02 + 5 * self.error


PATIENT = UNHURRIED.timed({"goodbye_ms": 60_000})
"""The bots write down what they saw, and a disk may stand still."""


class Measured(NamedTuple):
    """What seat 2 can make of when a round ends."""

    since_own: Shown
    """Counted from its own answer."""
    since_last: Shown
    """Counted from the last answer of all."""


def measure(matches: int, way: str, game: Game | None = None, first: int = 0) -> dict[str, Measured]:
    """Play matches; compare what seat 2 saw of rounds by seat 0's card (`high`), and by who was `slow`.

    Lots are drawn by the numbers of the matches, from `first` on.
    """
    with tempfile.TemporaryDirectory(prefix="timing-") as name:
        folder = Path(name)
        played = game or registry.game("coins")
        options: Options = {"peek": "no", "rounds": ROUNDS, "hand": 2}
        names = ("bot0", "bot1", "bot2")
        with Hub([_spec(seat, folder, way) for seat in range(3)], profile=PATIENT) as hub:
            hub.submit(
                Pairing(f"t{n}", played, names, deal_key("timing", str(n)), PATIENT, options)
                for n in range(first, first + matches)
            )
            hub.run()
        heard = _read(folder / "heard.jsonl")
        answered = [_read(folder / f"answered{seat}.jsonl") for seat in range(3)]
        kinds = {kind: _read(folder / f"{kind}0.jsonl") for kind in ("high", "slow")}
    own = {at: heard[at] - answered[2][at] for at in heard}
    last = {at: heard[at] - max(times[at] for times in answered) for at in heard}
    return {kind: Measured(_split(own, of), _split(last, of)) for kind, of in kinds.items()}


def measure_again(matches: int, way: str) -> dict[str, Measured]:
    """Measure with several hubs one after the other, for as many matches in all.

    Processes mostly stay where they are: who shares a processor with whom is a lot that is drawn once a hub.
    """
    each = max(1, matches // HUBS)
    runs = [measure(each, way, first=number * each) for number in range(HUBS)]
    return {
        kind: Measured(*map(together, zip(*(run[kind] for run in runs), strict=True))) for kind in runs[0]
    }


def together(runs: Sequence[Shown]) -> Shown:
    """Return the mean of some runs, with its error."""
    aucs = [shown.auc for shown in runs]
    within = sum(shown.error**2 for shown in runs) ** 0.5 / len(runs)
    error = max(within, stdev(aucs) / len(runs) ** 0.5)
    return Shown(sum(shown.rounds for shown in runs), mean(aucs), error, mean(s.apart_us for s in runs))


def _spec(seat: int, folder: Path, way: str) -> BotSpec:
    command = [sys.executable, str(BOT), str(seat), str(folder), way]
    return BotSpec(f"bot{seat}", program(command, folder), "stdio")


_At = tuple[str, int]


def _read(path: Path) -> dict[_At, int]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return {(match, ask): value for match, ask, value in lines}


def _split(times: Mapping[_At, int], kinds: Mapping[_At, int]) -> Shown:
    return compare(*([times[at] for at in times if kinds[at] == kind] for kind in (0, 1)))


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


def waking(rounds: int) -> Shown:
    """Measure without a referee: how long a word through a pipe takes after a pause, and after none."""
    forth, back = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        while os.read(forth[0], 1) != b"e":
            os.write(back[1], time.monotonic_ns().to_bytes(8))
        os._exit(0)
    luck = Random(2)
    taken: dict[bool, list[int]] = {False: [], True: []}
    for _ in range(rounds):
        os.write(forth[1], b"a")
        os.read(back[0], 8)
        paused = luck.random() < 0.5
        time.sleep(_LONG_S if paused else 0)
        said_ns = time.monotonic_ns()
        os.write(forth[1], b"b")
        taken[paused].append(int.from_bytes(os.read(back[0], 8)) - said_ns)
    os.write(forth[1], b"e")
    os.waitpid(child, 0)
    for end in (*forth, *back):
        os.close(end)
    return compare(taken[False], taken[True])


class Telling(LeakyGame):
    """Coins whose rules take longer when seat 0 plays its high card: a leak that must be found."""

    def __init__(self) -> None:
        super().__init__(registry.game("coins"), Leak(events=_dawdle))


def _dawdle(before: LeakyState, _seat: int, events: list[Event]) -> list[Event]:
    hand = before.inner.reveal()["hands"][0]
    time.sleep(_PLANTED_S if events and events[0].public["cards"][0] == max(hand) else 0)
    return events


BLIND = (("hidden", "high"), ("apart", "high"), ("either", "slow"))
"""Ways, and the kinds of rounds that a third seat must not distinguish in them."""

_TOLD = {
    ("hidden", "high"): "card of seat 0, which sets its time; seat 1 is always slower",
    ("shown", "high"): "card of seat 0, which sets its time; nobody is slower",
    ("apart", "high"): "card of seat 0, whose time is set by lot",
    ("apart", "slow"): "time of seat 0, set by lot",
    ("either", "slow"): "which of two seats is the slow one, by lot",
    ("beside", "slow"): "what seat 0 does later, unheard; seat 1 is always slower",
}


def main(matches: int) -> int:
    """Measure everything and print the figures; return 1 if something shows that must not."""
    leaks = 0
    for way in dict.fromkeys(way for way, _ in _TOLD):
        for kind, measured in measure_again(matches, way).items():
            if (way, kind) not in _TOLD:
                continue
            for since, shown in zip(("own", "last"), measured, strict=True):
                leak = (way, kind) in BLIND and not shown.is_blind
                leaks += leak
                sys.stdout.write(
                    f"{'LEAK ' if leak else ''}{_TOLD[way, kind]}; since the {since} answer: {shown}\n"
                )
    awake = waking(matches * ROUNDS)
    sys.stdout.write(f"no referee: a word after a pause of 6 ms, against one after none: {awake}\n")
    planted = measure(max(1, matches // 4), "hidden", Telling())["high"].since_last
    sys.stdout.write(f"planted: rules that take 30 ms longer for a high card: {planted}\n")
    return 1 if leaks or planted.is_blind else 0
