"""Plays a sequential test: blocks are played in batches and counted in order."""

from collections import Counter
from collections.abc import Callable
from itertools import chain
from pathlib import Path

from msgspec import Struct

from referee.errors import RefereeError
from referee.game import Game, Options
from referee.hub.capacity import WorkDivision
from referee.hub.event_loop import collect_rarely
from referee.hub.fixture import Fixture
from referee.hub.hub import Hub
from referee.hub.match_run import MatchRun
from referee.hub.pairing import Finished, Pairing
from referee.hub.signals import Stop
from referee.match.faults import Profile
from referee.process.spec import BotSpec
from referee.worker.cluster_place import ClusterUse
from referee.worker.open_hub import open_hub
from tournaments.pairing.contest import Contest, blocks
from tournaments.pairing.play_order import DISTANCE, order_of_play
from tournaments.rating.basis import drawn_share
from tournaments.rating.block_scores import block_score, split_share
from tournaments.rating.memory import MemoryLine, memory
from tournaments.rating.sprt import Sprt, SprtState, Unit
from tournaments.results import Played, played


class SprtSetting(Struct, frozen=True):
    """Everything that was asked for, checked: nothing has been started yet."""

    game: Game
    new: BotSpec
    old: BotSpec
    seats: int
    options: Options
    profile: Profile
    seed: str
    work: WorkDivision
    most_blocks: int
    replays: Path | None
    test: Sprt
    cluster: ClusterUse | None = None
    """The cluster whose hosts play; None: this host."""

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

    def pairing(self, contest: Contest, fixture: Fixture) -> Pairing:
        """Return what the hub plays: all bots but the new one are copies of the old one."""
        new, old = self.new.name, self.old.name
        return contest.planner.pairing(
            fixture,
            self.game,
            self.profile,
            bots=tuple(new if name == new else old for name in fixture.bots),
            names=fixture.bots,
        )


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
    unit: Unit
    """The unit of elo0 and elo1: Elo, or normalised Elo."""
    scores: dict[str, int]
    """How many blocks ended with which half points of how many: with two seats the pentanomial counts."""
    split: float | None
    """The part of the blocks in which both had equally many points."""
    drawn: float | None
    """The part of the comparisons that were draws; with two seats, of the matches."""
    faults: dict[str, dict[str, int]]
    """By bot: matches it lost by a fault, by its code."""
    memory: tuple[MemoryLine, ...]
    """Whether the bots do better when a deal comes again, from the blocks that were counted."""
    replays: str
    """The folder of the replays; empty if they are not kept."""
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
        progress: Callable[[Sprt], None] = lambda _: None,
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Prepare a test; `progress` gets the test after every block, `note` lines for the operator."""
        self._setting = setting
        self._test = setting.test
        self._progress = progress
        self._note = note
        self._contest = setting.contest
        self._blocks = blocks(self._contest)
        self._failure = ""
        self._interrupted = False
        self._open: dict[str, tuple[int, Fixture]] = {}
        """By id of a match that is not over: the number of its block, and the match."""
        self._ended: dict[int, list[Played]] = {}
        """By number of a block that is not counted: its results."""
        self._counted: list[Played] = []
        """The results of the blocks that are counted."""
        self._order: list[str] = []
        """The ids of all matches in the order of play."""

    def run(self, stop: Stop) -> None:
        """Play until there is an answer, or none is to be expected."""
        setting = self._setting
        with open_hub(
            [setting.new, setting.old],
            work=setting.work,
            replays=setting.replays,
            profile=setting.profile,
            report=lambda finished: self._count(hub, finished),
            note=self._note,
            cluster=setting.cluster,
        ) as hub:
            hub.preflight([setting.game.info.id])
            collect_rarely()
            self._submit(hub)
            with MatchRun(hub, self._note, stop=stop):
                try:
                    hub.run()
                except RefereeError as error:
                    self._failure = self._failure or str(error)
        self._interrupted = stop.asked and self._test.decided is None

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
            unit=test.unit,
            scores={f"{block.halves}/{block.of}": n for block, n in sorted(test.counts.items())},
            split=split_share(test.counts),
            drawn=drawn_share(self._counted, setting.new.name),
            faults={bot: dict(sorted(codes.items())) for bot, codes in self._faults().items()},
            memory=memory(self._counted, self._order, (setting.new.name, setting.old.name)),
            replays=str(setting.replays or ""),
            took_s=round(took_s, 1),
            interrupted=self._interrupted,
            failure=self._failure,
        )

    def _faults(self) -> dict[str, Counter[str]]:
        """Return by bot the faults in the blocks that are counted; without an answer, in all matches."""
        setting = self._setting
        found: dict[str, Counter[str]] = {setting.new.name: Counter(), setting.old.name: Counter()}
        others = () if self._test.decided is not None else chain.from_iterable(self._ended.values())
        for row in chain(self._counted, others):
            for bot, code in zip(row.bots, row.result.faults, strict=True):
                if code:
                    found[bot][code] += 1
        return found

    def _submit(self, hub: Hub) -> None:
        """Put batches of blocks into the queue until there is work for all jobs, or no block is left."""
        while len(hub.queue) < self._setting.work.most and not hub.draining:
            first = self._test.blocks + len(self._ended) + 1
            numbers = range(first, min(first + DISTANCE, self._setting.most_blocks + 1))
            if not numbers:
                return
            batch = []
            for number, block in zip(numbers, self._blocks, strict=False):
                self._ended[number] = []
                self._open.update((fixture.match, (number, fixture)) for fixture in block)
                batch += block
            ordered = order_of_play(batch, self._setting.seed)
            self._order += [fixture.match for fixture in ordered]
            hub.submit(self._setting.pairing(self._contest, fixture) for fixture in ordered)

    def _count(self, hub: Hub, finished: Finished) -> None:
        """Take a match that is over, and count the blocks that are complete by now."""
        result = finished.result
        number, fixture = self._open.pop(result.match)
        if result.void:
            if not hub.draining:
                self._failure = f"match {result.match} is void: {result.void_reason}"
                hub.drain()
            return
        if self._test.decided is not None:
            # How many matches end after the answer depends on the host.
            return
        self._ended[number].append(played(finished, fixture.round, fixture.block))
        while len(self._ended.get(self._test.blocks + 1, ())) == self._setting.seats:
            block = self._ended.pop(self._test.blocks + 1)
            self._counted += block
            decided = self._test.add(
                block_score((row.bots.index(self._setting.new.name), row.result) for row in block)
            )
            self._progress(self._test)
            if decided is not None:
                hub.drain()
                return
        self._submit(hub)
