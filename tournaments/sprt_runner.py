"""Plays a sequential test: blocks are played side by side and counted in order."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from referee.errors import RefereeError
from referee.game import Game, Options
from referee.hub.event_loop import collect_rarely
from referee.hub.fixture import Fixture
from referee.hub.hub import Hub
from referee.hub.match_run import MatchRun
from referee.hub.pairing import Finished, Pairing
from referee.hub.signals import Stop
from referee.match.faults import Profile
from referee.match.result import Result
from referee.process.spec import BotSpec
from tournaments.pairing.contest import Contest, blocks
from tournaments.rating.sprt import Sprt, SprtState, block_score


class SprtSetting(Struct, frozen=True):
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

    @property
    def contest(self) -> Contest:
        """The matches: the new bot and copies of the old one, in all rotations of every deal."""
        names = [self.new.name]
        number = 1
        while len(names) < self.seats:
            copy = self.old.name if number == 1 else f"{self.old.name}-{number}"
            number += 1
            if copy not in names:
                names.append(copy)
        return Contest(self.game.info.id, tuple(names), self.seats, self.seed, self.options)


class SprtVerdict(Struct, frozen=True):
    """The outcome of a test, as it is printed for programs."""

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


class SprtRunner:
    """A test while it runs.

    Blocks are counted in the order of their numbers, not of their ends: the answer of deterministic bots
    depends on the seed alone.
    """

    def __init__(
        self,
        setting: SprtSetting,
        *,
        progress: Callable[[SprtState], None] = lambda _: None,
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Prepare a test; `progress` gets its state after every block, `note` lines for the operator."""
        self._setting = setting
        self._test = setting.test
        self._progress = progress
        self._note = note
        self._contest = setting.contest
        self._blocks = blocks(self._contest)
        self._failure = ""
        self._interrupted = False
        self._faults: dict[str, Counter[str]] = {setting.new.name: Counter(), setting.old.name: Counter()}
        self._open: dict[str, int] = {}
        """By id of a match that is not over: the number of its block."""
        self._ended: dict[int, list[tuple[int, Result]]] = {}
        """By number of a block that is not counted: its results, each with the seat of the new bot."""

    def run(self, stop: Stop) -> None:
        """Play until there is an answer, or none is to be expected."""
        setting = self._setting
        with Hub(
            [setting.new, setting.old],
            jobs=setting.jobs,
            replays=setting.replays,
            profile=setting.profile,
            report=lambda finished: self._count(hub, finished),
        ) as hub:
            hub.preflight([setting.game.info.id])
            collect_rarely()
            # As many blocks as keep all jobs busy while the next in order is still played.
            for _ in range(setting.jobs // setting.seats + 2):
                self._submit(hub)
            with MatchRun(hub, self._note, stop=stop):
                try:
                    hub.run()
                except RefereeError as error:
                    self._failure = self._failure or str(error)
        self._interrupted = stop.asked and self._test.state.decided is None

    def verdict(self, took_s: float) -> SprtVerdict:
        """Return the outcome."""
        setting, test = self._setting, self._test
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
            faults={bot: dict(sorted(codes.items())) for bot, codes in self._faults.items()},
            took_s=round(took_s, 1),
            interrupted=self._interrupted,
            failure=self._failure,
        )

    def _submit(self, hub: Hub) -> None:
        """Put the next block into the queue, if there is one."""
        number = self._test.blocks + len(self._ended) + 1
        if hub.draining or number > self._setting.most_blocks:
            return
        block = next(self._blocks)
        self._ended[number] = []
        self._open.update((fixture.match, number) for fixture in block)
        hub.submit(map(self._pairing, block))

    def _pairing(self, fixture: Fixture) -> Pairing:
        new, old = self._setting.new.name, self._setting.old.name
        return self._contest.planner.pairing(
            fixture,
            self._setting.game,
            self._setting.profile,
            bots=tuple(new if name == new else old for name in fixture.bots),
            names=fixture.bots,
        )

    def _count(self, hub: Hub, finished: Finished) -> None:
        """Take a match that is over, and count the blocks that are complete by now."""
        result = finished.result
        number = self._open.pop(result.match)
        if result.void:
            if not hub.draining:
                self._failure = f"match {result.match} is void: {result.void_reason}"
                hub.drain()
            return
        for name, code in zip(finished.pairing.bots, result.faults, strict=True):
            if code:
                self._faults[name][code] += 1
        self._ended[number].append((finished.pairing.bots.index(self._setting.new.name), result))
        while len(self._ended.get(self._test.blocks + 1, ())) == self._setting.seats:
            decided = self._test.add(block_score(self._ended.pop(self._test.blocks + 1)))
            self._progress(self._test.state)
            if decided is not None:
                hub.drain()
                return
            self._submit(hub)
