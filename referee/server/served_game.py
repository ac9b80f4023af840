"""A game of a daemon: its terms, its tables, its hours, and which bots play next.

Each game has tables of its own, and an account its fair share of them. So a game with many bots takes nothing
from one with few.
"""

import itertools
import secrets
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from weakref import WeakKeyDictionary

from referee.game import Game, Options
from referee.gate.records import Greeted
from referee.hub.fixture import Planner, deal_name, unrated_name
from referee.hub.pairing import Pairing
from referee.hub.running_match import RunningMatch
from referee.hub.session import Session
from referee.match.faults import PROFILES, Profile
from referee.server.fair_share import FairShare
from referee.server.hours import Hours, Mode

Choose = Callable[[Sequence[str], Sequence[tuple[str, ...]]], Sequence[str] | None]
"""Returns which of the free bots play next, by seat, given the bots of each running match; None: no match."""

Identify = Callable[[str, Greeted], str]
"""Returns under which name the matches of an account are kept, given its hello: versions have their own."""


class ServedGame:
    """One game of a daemon."""

    def __init__(
        self,
        game: Game,
        seats: int,
        options: Options,
        *,
        folder: Path,
        choose: Choose,
        identify: Identify = lambda name, _: name,
        jobs: int = 4,
        profile: Profile = PROFILES["strict"],
        seed: str | None = None,
        hours: Hours | None = None,
    ) -> None:
        """Take the terms; replays go to the folder, and `jobs` matches are played at once."""
        self.game = game
        self.seats = seats
        self.options = game.resolve(options, seats)
        self.folder = folder
        self.jobs = jobs
        self.profile = profile
        self.hours = hours
        self.mode: Mode = "rated"
        self._choose = choose
        self._identify = identify
        self._planner = Planner(
            game.info.id,
            seed or secrets.token_hex(16),
            self.options,
            run=secrets.token_hex(8),
            writes_seed=False,
        )
        self._numbers = itertools.count(1)
        self._fair_share = FairShare(jobs, seats)
        self._waiting: list[tuple[str, str]] = []
        """Which matches waited for which accounts at the last look."""
        self._kept_as: WeakKeyDictionary[Session, str] = WeakKeyDictionary()

    @property
    def id(self) -> str:
        """The id of the game."""
        return self.game.info.id

    def greet(self, session: Session, hello: Greeted) -> None:
        """Learn which version of an account a session is of."""
        self._kept_as[session] = self._identify(session.name, hello)

    def kept_as(self, session: Session) -> str:
        """Return under which name the matches of a session are kept."""
        return self._kept_as.get(session, session.name)

    def follow_hours(self, now: datetime) -> bool:
        """Follow the hours; return whether another mode has begun."""
        before = self.mode
        self.mode = self.hours.mode(now) if self.hours is not None else "rated"
        return self.mode != before

    def next_players(
        self, able: Iterable[Session], running: Sequence[RunningMatch], now_ns: int
    ) -> list[Session] | None:
        """Return the bots of the next match, by seat; None if there is none now.

        `able` could play, now or when another of their matches is over; `running` are this game's matches.
        """
        here = {session.name: session for session in able}
        # With no more free bots than seats there is nothing to choose: bots of a match that has just ended
        # would meet again and again, and never the others. One more has to be free.
        if sum(session.is_free for session in here.values()) <= self.seats < len(here):
            return None
        sitting = [[session.name for session in one.seats if session is not None] for one in running]
        capacities = {name: session.admission.capacity for name, session in here.items()}
        playing = [one.pairing.bots for one in running]
        for candidates in self._fair_share.candidates(capacities, sitting, now_ns):
            free = {self.kept_as(here[name]): here[name] for name in candidates if here[name].is_free}
            chosen = self._choose(sorted(free), playing)
            if chosen is not None:
                return [free[name] for name in chosen]
        return None

    def pairing(self, players: Sequence[Session]) -> Pairing:
        """Return the next match, among these bots."""
        name = deal_name(next(self._numbers))
        [fixture] = self._planner.block(
            tuple(map(self.kept_as, players)),
            name if self.mode == "rated" else unrated_name(name),
            rotations=[0],
            shared=False,
        )
        names = tuple(session.name for session in players)
        return self._planner.pairing(
            fixture,
            self.game,
            self.profile,
            names=names if names != fixture.bots else (),
            replays=self.folder,
        )

    def look(self, running: Sequence[RunningMatch], elapsed_ns: int) -> None:
        """Charge accounts for the time since the last look, and see which matches wait for which now."""
        self._fair_share.charge(self._waiting, elapsed_ns)
        self._waiting = [
            (one.match.id, session.name)
            for one in running
            for seat, session in enumerate(one.seats)
            if session is not None and one.match.owes(seat)
        ]

    def ended(self, match: str, players: Iterable[Session]) -> None:
        """Take note that a match is over."""
        self._fair_share.ended(match, [session.name for session in players])
