"""A sequential test while it runs: blocks are played side by side and counted in order."""

import sys
import time
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click
import msgspec

from referee.cli.output.run_report import in_matches
from referee.cli.signals import Stop
from referee.errors import RefereeError
from referee.game import Game, Options
from referee.hub.event_loop import collect_rarely
from referee.hub.hub import Hub
from referee.hub.pairing import Finished, Pairing
from referee.match.faults import Profile
from referee.match.result import Result
from referee.process.spec import BotSpec
from referee.wording import plural
from tournaments.rating.sprt import Sprt, SprtState, Trial, block_score, trials

if TYPE_CHECKING:
    from rich.status import Status

_EVERY_S = 2.0
"""The least time between two lines in a log; the first comes with the first block."""


class SprtSetting(msgspec.Struct, frozen=True):
    """Everything that was asked for, checked: nothing has been started yet."""

    game: Game
    new: BotSpec
    old: BotSpec
    seats: int
    options: Options
    profile: Profile
    seed: str
    jobs: int
    most_blocks: int
    replays: Path | None
    test: Sprt


class SprtVerdict(msgspec.Struct, frozen=True):
    """What came of the test, for machines as it is."""

    new: str
    old: str
    game: str
    seats: int
    options: Options
    seed: str
    elo0: float
    elo1: float
    alpha: float
    beta: float
    state: SprtState
    expected: dict[str, int | None]
    """About how many blocks such a test takes, by what the true difference is."""
    scores: dict[str, int]
    """How many blocks ended with which half points of how many."""
    faults: dict[str, dict[str, int]]
    """By bot: matches it lost by a fault, by its code."""
    took_s: float
    interrupted: bool
    failure: str
    """Why the test could not go on, or ''."""


class Experiment:
    """The test while it runs.

    Blocks are counted in the order of their numbers, however they end: the answer of deterministic bots
    depends on the seed alone.
    """

    def __init__(self, setting: SprtSetting, *, quiet: bool) -> None:
        self.setting = setting
        self.test = setting.test
        self.failure = ""
        self.interrupted = False
        self.faults: dict[str, Counter[str]] = {setting.new.name: Counter(), setting.old.name: Counter()}
        self._watch = Watch(quiet=quiet)
        self._trials: dict[str, tuple[int, Trial]] = {}
        self._ended: dict[int, list[tuple[int, Result]]] = {}
        self._begun = 0
        self._hub: Hub | None = None

    def run(self) -> None:
        """Play until there is an answer, or no hope of one."""
        setting = self.setting
        hub = Hub(
            [setting.new, setting.old],
            jobs=setting.jobs,
            replays=setting.replays,
            profile=setting.profile,
            report=self._hear,
        )
        self._hub = hub
        with Stop() as stop, hub:
            hub.preflight([setting.game.info.id])
            collect_rarely()
            # As many blocks as keep all jobs busy while the next in order is still played.
            for _ in range(setting.jobs // setting.seats + 2):
                self._submit()
            with self._watch:
                stop.order(lambda: hub.loop.call(self._drain), lambda: hub.loop.call(self._abandon))
                try:
                    hub.run()
                except RefereeError as error:
                    self.failure = self.failure or str(error)
        self.interrupted = stop.asked and self.test.state.decided is None

    def verdict(self, took_s: float) -> SprtVerdict:
        """Return what came of it."""
        setting, test = self.setting, self.test
        return SprtVerdict(
            new=setting.new.name,
            old=setting.old.name,
            game=setting.game.info.id,
            seats=setting.seats,
            options=setting.options,
            seed=setting.seed,
            elo0=test.elo0,
            elo1=test.elo1,
            alpha=test.alpha,
            beta=test.beta,
            state=test.state,
            expected={f"{elo:g}": test.expected_blocks(elo) for elo in (test.elo0, test.elo1)},
            scores={f"{block.halves}/{block.of}": n for block, n in sorted(test.counts.items())},
            faults={bot: dict(sorted(codes.items())) for bot, codes in self.faults.items()},
            took_s=round(took_s, 1),
            interrupted=self.interrupted,
            failure=self.failure,
        )

    def _submit(self) -> None:
        """Put the next block into the queue, if there is one."""
        setting, hub = self.setting, self._hub
        if hub is None or hub.draining or self._begun >= setting.most_blocks:
            return
        self._begun += 1
        matches = trials(
            self._begun,
            game=setting.game.info.id,
            seats=setting.seats,
            seed=setting.seed,
            options=setting.options,
        )
        self._ended[self._begun] = []
        for trial in matches:
            self._trials[trial.match] = (self._begun, trial)
        hub.submit(self._pairing(trial) for trial in matches)

    def _pairing(self, trial: Trial) -> Pairing:
        setting = self.setting
        new, old = setting.new.name, setting.old.name
        others = range(setting.seats - 1)
        bots, names = [old for _ in others], [old if n == 0 else f"{old}-{n + 1}" for n in others]
        bots.insert(trial.seat, new)
        names.insert(trial.seat, new)
        return Pairing(
            match=trial.match,
            game=setting.game,
            bots=tuple(bots),
            key=trial.key,
            profile=setting.profile,
            options=setting.options,
            names=tuple(names),
            reveal=False,
            seed=setting.seed,
            deal=trial.deal,
        )

    def _hear(self, finished: Finished) -> None:
        """Take a match that is over, and count whatever blocks are complete by now."""
        assert self._hub is not None
        number, trial = self._trials.pop(finished.result.match)
        if finished.result.void:
            if not self._hub.draining:
                self.failure = f"match {finished.result.match} is void: {finished.result.reason}"
                self._hub.drain()
            return
        for name, code in zip(finished.pairing.bots, finished.result.faults, strict=True):
            if code:
                self.faults[name][code] += 1
        self._ended[number].append((trial.seat, finished.result))
        while len(self._ended.get(self.test.blocks + 1, ())) == self.setting.seats:
            decided = self.test.add(block_score(self._ended.pop(self.test.blocks + 1)))
            self._watch.tell(self.test.state)
            if decided is not None:
                self._hub.drain()
                return
            self._submit()

    def _drain(self) -> None:
        assert self._hub is not None
        self._hub.drain()
        running = len(self._hub.running)
        self._watch.note(f"finishing {in_matches(running)}; Ctrl-C again abandons what runs")

    def _abandon(self) -> None:
        assert self._hub is not None
        self._watch.note("abandoning the running matches")
        self._hub.abandon("interrupted by the operator")


class Watch:
    """Tells how the test stands while it runs: a live line for people, one now and then for a log."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._told = 0.0
        self._status: Status | None = None

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            # Imported late: a pipe does not need it.
            from rich.console import Console

            self._status = Console(stderr=True).status("the first block")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def note(self, text: str) -> None:
        """Say something beside the live line."""
        if self._status is not None:
            self._status.console.print(text, markup=False, highlight=False)
        else:
            click.echo(text, err=True)

    def tell(self, state: SprtState) -> None:
        """Tell how the test stands, if it is time."""
        if self._status is not None:
            self._status.update(standing(state).replace("[", r"\["))
            return
        now = time.monotonic()
        if not self._quiet and (not self._told or now - self._told >= _EVERY_S):
            self._told = now
            click.echo(standing(state), err=True)


def standing(state: SprtState) -> str:
    """Return how the test stands in one line."""
    parts = [
        plural(state.blocks, "block"),
        f"log likelihood ratio {state.llr:+.2f} in [{state.lower:.2f}, {state.upper:.2f}]",
    ]
    if state.score is not None:
        parts.append(f"score {100 * state.score:.1f} %")
    if state.elo is not None:
        parts.append(f"Elo {state.elo:+.1f}" + (f" ± {1.96 * state.se:.1f}" if state.se is not None else ""))
    if state.left is not None:
        parts.append(f"about {state.left} more")
    return ", ".join(parts)
