"""Plays a tournament: what the schedule wants and the store does not have.

A match counts when its replay is on disk and its row is committed, in this order; only then is it reported.
So the end of the process at any moment costs the matches that ran, and nothing else: the same command plays
them again, with the same ids and the same luck. A match that comes to no verdict through no fault of a bot is
void; it is played again a few times, and then left out.

Bots are never shown the key of a deal: rotations of the deal run at the same time, and a bot that joins the
tournament later may be dealt it again. The replays have all keys.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from referee import registry
from referee.chance import deal_key
from referee.errors import LaunchError
from referee.hub.hub import Hub
from referee.hub.pairing import Finished, Pairing
from referee.process.sandbox.levels import insist
from referee.process.spec import BotSpec
from referee.replay import files
from referee.replay.dossier import DOSSIER_SUFFIX
from tournaments.config.plan import Entrant, Plan
from tournaments.pairing.schedule import Fixture, expected, fixtures
from tournaments.results import Played, played
from tournaments.store import provenance, terms
from tournaments.store.recorder import Recorder
from tournaments.store.store import Store, StoreError

AGAIN = 3
"""How often a void match is played again."""

_INTERRUPTED = "interrupted by the operator"


class Listener(Protocol):
    """Who wants to know how a tournament is going. Called from the thread that plays."""

    def begins(self, kept: Sequence[Played], total: int) -> None:
        """Hear that all bots are ready, which matches are there already, and how many there will be."""

    def expects(self, total: int) -> None:
        """Hear how many matches there will be, as is known before each round."""

    def finished(self, played: Played) -> None:
        """Hear of a match that is committed."""

    def void(self, match: str, why: str, *, again: bool) -> None:
        """Hear of a match that came to no verdict, and whether it will be played again."""

    def note(self, text: str) -> None:
        """Hear what the operator should know."""


class Ran(msgspec.Struct, frozen=True):
    """What came of a run."""

    kept: int
    """Matches that were there already."""
    played: int
    left: int
    """Matches that are still to be played."""
    void: dict[str, str]
    """Matches that were given up, and why."""


class Runner:
    """Plays what is missing of a tournament."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        listener: Listener,
        jobs: int | None = None,
        watch: Callable[[Hub], None] = lambda _: None,
    ) -> None:
        """Get ready; `watch` is shown the hub before any bot is started."""
        self._plan = plan
        self._watch = watch
        self._store = store
        self._listener = listener
        self._jobs = jobs or plan.jobs
        self._game = registry.game(plan.game)
        self._specs = [_spec(entrant) for entrant in plan.bots]
        plan.check_folders(self._specs)
        self._fixtures: dict[str, Fixture] = {}
        self._tries: Counter[str] = Counter()
        self._void: dict[str, str] = {}
        self._recorder = Recorder(store, self._row)
        self._played = 0
        self._abandoned = False
        self._hub: Hub | None = None
        self._over = False

    def run(self) -> Ran:
        """Play until nothing is missing, or until somebody says stop.

        Raises LaunchError for a bot that does not start, and ConfigError for a level that this host cannot
        keep, before any match is begun.
        """
        self._check_experiment()
        missing = self._missing()
        kept = counted(self._plan, self._store.played())
        if not missing:
            self._listener.begins(kept, self._total())
            return self._ran(kept)
        insist(self._plan.level, self._plan.accept_gaps)
        self._note_lock()
        self._make_room()
        with Hub(
            self._specs,
            jobs=self._jobs,
            replays=self._plan.replays,
            profile=self._plan.profile,
            keep=self._recorder.keep,
            report=self._hear,
        ) as hub:
            self._watch(hub)
            hub.preflight([self._plan.game])
            self._listener.begins(kept, self._total())
            self._hub = hub
            try:
                self._play(hub)
            finally:
                self._over = True
        return self._ran(kept)

    def drain(self) -> None:
        """Begin no more matches; those that run are played to their end.

        Made for a signal handler: before the first match it is a KeyboardInterrupt, as there is nothing to
        finish.
        """
        self._order(self._drain)

    def abandon(self) -> None:
        """End the running matches without a verdict. Made for a signal handler, like `drain`."""
        self._order(self._abandon)

    def _order(self, obey: Callable[[Hub], None]) -> None:
        hub = self._hub
        if hub is None:
            raise KeyboardInterrupt
        if not self._over:
            hub.loop.call(lambda: obey(hub))

    def _drain(self, hub: Hub) -> None:
        hub.drain()
        count = len(hub.running)
        those, them = ("the match that runs", "it") if count == 1 else (f"{count} matches that run", "them")
        self._listener.note(f"finishing {those}; Ctrl-C again abandons {them}")

    def _abandon(self, hub: Hub) -> None:
        self._abandoned = True
        self._listener.note("abandoning the running matches")
        hub.abandon(_INTERRUPTED)

    def _play(self, hub: Hub) -> None:
        """Play what is missing, and then what follows from that: the next round, or void matches again."""
        while not hub.draining and (missing := self._missing()):
            self._listener.expects(self._total())
            hub.submit(map(self._pairing, missing))
            hub.run()

    def _missing(self) -> list[Fixture]:
        played = self._store.played()
        there = {one.match for one in played}
        wanted = fixtures(self._plan, played)
        self._fixtures = {fixture.match: fixture for fixture in wanted}
        return [one for one in wanted if one.match not in there and one.match not in self._void]

    def _total(self) -> int:
        """Return how many matches there will be, as far as it is known."""
        return max(expected(self._plan), len(self._fixtures))

    def _pairing(self, fixture: Fixture) -> Pairing:
        plan = self._plan
        return Pairing(
            match=fixture.match,
            game=self._game,
            bots=fixture.bots,
            key=deal_key(plan.seed, fixture.deal),
            profile=plan.profile,
            options=dict(plan.options),
            names=aliases(len(fixture.bots)) if plan.aliases else (),
            reveal=False,
            seed=plan.seed,
            deal=fixture.deal,
        )

    def _hear(self, finished: Finished) -> None:
        """Report a match that is committed, or void."""
        result = finished.result
        if self._over or (result.void and self._abandoned):
            return
        if result.void:
            self._hear_void(result.match, result.reason)
            return
        self._played += 1
        self._listener.finished(self._recorder.take(result.match))

    def _row(self, finished: Finished) -> Played | None:
        # A void match is played again under the same id, so the store has no row of it.
        if finished.result.void:
            return None
        fixture = self._fixtures[finished.result.match]
        return played(finished, fixture.round, fixture.block)

    def _hear_void(self, match: str, why: str) -> None:
        self._tries[match] += 1
        again = self._tries[match] <= AGAIN
        if not again:
            self._void[match] = why
        self._listener.void(match, why, again=again)

    def _ran(self, kept: Sequence[Played]) -> Ran:
        there = len(kept) + self._played + len(self._void)
        left = self._total() - there if self._missing() else 0
        return Ran(len(kept), self._played, left, dict(self._void))

    def _check_experiment(self) -> None:
        """Refuse a store that was filled under other terms: results of the two do not mix."""
        noted = self._store.noted(terms.NOTE)
        if not noted:
            self._store.note(terms.NOTE, terms.text_of(self._plan))
            return
        other = terms.differences(self._plan, noted[-1])
        if other:
            raise StoreError(
                f"{self._store.path}: belongs to a tournament with another {' and another '.join(other)}; "
                "name another store in the tournament file, or remove this one"
            )

    def _note_lock(self) -> None:
        """Keep the provenance of this run, in the store and beside it; report bots that have changed."""
        noted = self._store.noted(provenance.NOTE)
        runs = [msgspec.json.decode(text, type=provenance.Provenance) for text in noted]
        now = provenance.lock(self._plan.file, self._specs)
        for name in provenance.changed(runs[-1], now) if runs else ():
            self._listener.note(
                f"bot {name} is not what it was in the last run: its results are now those of two programs "
                "(a new name would keep them apart)"
            )
        if provenance.is_news(runs, now):
            self._store.note(provenance.NOTE, msgspec.json.encode(now).decode())
            runs.append(now)
        path = lock_path(self._store.path)
        try:
            path.write_bytes(msgspec.json.format(msgspec.json.encode(runs)) + b"\n")
        except OSError as error:
            raise StoreError(f"{path}: cannot be written: {error.strerror}") from error

    def _make_room(self) -> None:
        """Make the folder of replays, and remove what a killed run left half written in it."""
        folder = self._plan.replays
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for path in folder.glob(".*.json*.*"):
                if _match_of(path) in self._fixtures:
                    path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{folder}: replays cannot be kept there: {error.strerror}") from error


def counted(plan: Plan, played: Iterable[Played]) -> list[Played]:
    """Return the results that belong to the plan as it is now: bots may have been taken out of it."""
    rows = list(played)
    wanted = {fixture.match: fixture for fixture in fixtures(plan, rows)}
    return [row for row in rows if row.match in wanted and row.bots == wanted[row.match].bots]


def aliases(seats: int) -> tuple[str, ...]:
    """Return what bots are told the others are called when names are hidden.

    >>> aliases(3)
    ('seat-0', 'seat-1', 'seat-2')
    """
    return tuple(f"seat-{seat}" for seat in range(seats))


def lock_path(store: Path) -> Path:
    """Return where the locks of the runs are written for people."""
    return store.with_suffix(".lock.json")


def _spec(entrant: Entrant) -> BotSpec:
    try:
        return entrant.spec()
    except LaunchError as error:
        raise LaunchError(f"bot {entrant.name}: {error}") from error


def _match_of(path: Path) -> str:
    """Return the match whose file was being written under this name."""
    name = path.name[1:].rpartition(".")[0]
    for suffix in (*files.SUFFIXES, DOSSIER_SUFFIX):
        name = name.removesuffix(suffix)
    return name
