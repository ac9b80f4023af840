"""Plays the matches of a graded bot against the staff bots, until all are played or the time is over."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Final

from referee import registry
from referee.errors import ConfigError
from referee.hub.event_loop import collect_rarely
from referee.hub.fixture import Fixture
from referee.hub.hub import Hub
from referee.hub.match_run import MatchRun
from referee.hub.pairing import Finished
from referee.hub.session import Session
from referee.hub.signals import Stop
from referee.hub.start_trial import try_bots
from referee.match.clock import MS
from referee.match.result import Result
from referee.process.spec import BotSpec
from tournaments.config.host_share import division_of
from tournaments.config.plan import Plan
from tournaments.grading.facts import StaffMeeting
from tournaments.grading.staff import STUDENT, meeting_fixtures, planner_of
from tournaments.names_in_match import aliases
from tournaments.rating.block_scores import block_score

_OUT_OF_TIME: Final = "the time for the grade is over"


class Meetings:
    """The matches of one game. `play` them, then look at what came of it."""

    def __init__(
        self,
        plan: Plan,
        specs: list[BotSpec],
        until: float,
        replays: Path | None,
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Prepare to play the bot among these, and staff bots, until a moment of the monotonic clock."""
        self.stderr = ""
        """The end of what the graded bot wrote before it ended by itself."""
        self._plan = plan
        self._specs = specs
        self._until_ns = int(until * 1_000) * MS
        self._replays = replays
        self._note = note
        self._planned = meeting_fixtures(plan)
        self._results: dict[str, Result] = {}
        self._is_late = False
        self._run: MatchRun | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every match came to an end, be it a verdict or none."""
        return len(self._results) == len(self._planned)

    def play(self, stop: Stop) -> None:
        """Play; raises ConfigError for a staff bot that does not start or does not play the game."""
        if time.monotonic_ns() >= self._until_ns or stop.asked:
            return
        plan = self._plan
        with Hub(
            self._specs,
            jobs=division_of(plan).jobs,
            replays=self._replays,
            profile=plan.profile,
            report=self._take,
            on_gone=self._gone,
        ) as hub:
            self._start(hub)
            game, planner = registry.game(plan.game), planner_of(plan)
            self._note(f"playing {len(self._planned)} matches of {game.info.title}")
            collect_rarely()
            hub.submit(
                planner.pairing(one.fixture, game, plan.profile, bots=one.programs, names=aliases(plan.seats))
                for one in self._planned
            )
            with MatchRun(hub, self._note, stop=stop, drains=False) as self._run:
                hub.loop.at(self._until_ns, lambda: self._expire(hub))
                hub.run()

    def _start(self, hub: Hub) -> None:
        """Start all bots once. A start of the graded bot that fails is charged to its first match."""
        failures = try_bots(hub, list(hub.roster.specs), [self._plan.game])
        staff = [failure.message for name, failure in failures.items() if name != STUDENT]
        if staff:
            raise ConfigError(f"{self._plan.file}: staff bots cannot play:\n" + "\n".join(staff))

    def _expire(self, hub: Hub) -> None:
        self._is_late = True
        hub.abandon(_OUT_OF_TIME)

    def _take(self, finished: Finished) -> None:
        is_abandoned = self._is_late or (self._run is not None and self._run.abandoned)
        if not (finished.result.void and is_abandoned):
            self._results[finished.result.match] = finished.result

    def _gone(self, session: Session, _why: str) -> None:
        if session.name == STUDENT and not session.dismissed and (text := session.stderr.since(0)):
            self.stderr = text

    def meeting(self, staff_bot: str) -> StaffMeeting:
        """Return what came of the matches against one staff bot."""
        planned = [one.fixture for one in self._planned if one.against == staff_bot]
        over = [(one, self._results[one.match]) for one in planned if one.match in self._results]
        faults: Counter[str] = Counter()
        staff_faults: Counter[str] = Counter()
        blocks: defaultdict[str, list[tuple[int, Result]]] = defaultdict(list)
        for fixture, result in over:
            if result.void:
                continue
            seat = _seat(fixture)
            blocks[fixture.block].append((seat, result))
            faults.update(filter(None, [result.faults[seat]]))
            staff_faults.update(code for at, code in enumerate(result.faults) if code and at != seat)
        return StaffMeeting(
            game=self._plan.game,
            against=staff_bot,
            blocks=tuple(block_score(block) for block in blocks.values() if len(block) == self._plan.seats),
            planned=len(planned),
            played=sum(not result.void for _, result in over),
            faults=dict(sorted(faults.items())),
            staff_faults=dict(sorted(staff_faults.items())),
            void=tuple(result.void_reason or "" for _, result in over if result.void),
        )


def _seat(fixture: Fixture) -> int:
    return fixture.bots.index(STUDENT)
