"""Plays a tournament: the matches of the schedule that the store does not have.

A match counts when its replay is on disk and its row is committed, in this order; only then is it reported.
So the end of the process at any moment costs the matches that ran, and nothing else: the same command plays
them again, with the same ids and the same luck. A match that comes to no verdict through no fault of a bot is
void; it is played again a few times, and then left out.

Bots are never shown the key of a deal: rotations of the deal run at the same time, and a bot that joins the
tournament later may get the same deal. The replays have all keys.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from referee import registry
from referee.errors import LaunchError
from referee.hub.fixture import Fixture
from referee.hub.hub import Hub
from referee.hub.match_run import MatchRun
from referee.hub.pairing import Finished, Pairing
from referee.hub.signals import Stop
from referee.process import bundle
from referee.process.sandbox import bubblewrap
from referee.process.sandbox.levels import insist
from referee.process.spec import BotSpec
from referee.replay import files
from referee.replay.dossier import DOSSIER_SUFFIX
from tournaments.config.plan import Entrant, Plan
from tournaments.pairing.play_order import order_of_play
from tournaments.pairing.schedule import counted, expected, fixtures, planner_of
from tournaments.results import Played, played
from tournaments.store import provenance, terms
from tournaments.store.errors import StoreError, StorePlaceError
from tournaments.store.recorder import Recorder
from tournaments.store.store import Store

AGAIN = 3
"""How often a void match is played again."""


class Listener(Protocol):
    """Gets the progress of a tournament. Called from the thread that plays."""

    def begins(self, kept: Sequence[Played], total: int) -> None:
        """Take the matches that are there already and the number there will be: all bots are ready."""

    def expects(self, total: int) -> None:
        """Take the number of matches there will be, as it is known before each round."""

    def finished(self, played: Played) -> None:
        """Take a match that is committed."""

    def void(self, match: str, why: str, *, again: bool) -> None:
        """Take a match that came to no verdict, and whether it will be played again."""

    def note(self, text: str) -> None:
        """Take a line for the operator."""


class Ran(msgspec.Struct, frozen=True):
    """What came of a run."""

    played: int
    left: int
    """Matches that are still to be played."""
    void: dict[str, str]
    """Matches that were given up, and why."""
    changed: tuple[str, ...] = ()
    """Bots that have changed since their results, if no match was left to play: all results are old ones."""


class TournamentRunner:
    """Plays what is missing of a tournament."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        listener: Listener,
        jobs: int | None = None,
        watch: Callable[[Hub], None] = lambda _: None,
        stop: Stop | None = None,
    ) -> None:
        """Prepare to play; `watch` gets the hub before any bot is started, `stop` ends the run early."""
        self._plan = plan
        self._watch = watch
        self._stop = stop
        self._store = store
        self._listener = listener
        self._jobs = jobs or plan.jobs
        self._game = registry.game(plan.game)
        self._specs = [_spec(entrant) for entrant in plan.bots]
        plan.check_folders(self._specs)
        self._planner = planner_of(plan)
        self._fixtures: dict[str, Fixture] = {}
        """All matches that are known, by id, in the order of play. They are planned once in every round."""
        self._tries: Counter[str] = Counter()
        self._void: dict[str, str] = {}
        self._open: dict[str, set[str]] = {}
        """By deal: the matches that have no result, in the queue of the hub or not."""
        self._recorder = Recorder(store, self._row)
        self._played = 0
        self._run: MatchRun | None = None

    def run(self) -> Ran:
        """Play until no match is missing, or until the run is stopped.

        Raises LaunchError for a bot that does not start, and ConfigError for a level that this host cannot
        keep, before any match is begun; the store is then as it was, and no folder is left.
        """
        self._check_experiment()
        stored = self._store.played()
        missing = self._missing(stored)
        kept = counted(self._fixtures.values(), stored)
        if not missing:
            changed = self._changed(provenance.lock(self._plan.file, self._specs))
            self._listener.begins(kept, self._total())
            return self._ran(kept, missing, changed)
        insist(self._plan.level, self._plan.accept_gaps)
        made = [folder for folder in (self._plan.replays, self._plan.bundles) if not folder.exists()]
        try:
            return self._run_missing(kept, missing)
        except BaseException:
            if self._run is None:
                for folder in made:
                    shutil.rmtree(folder, ignore_errors=True)
            raise

    def _run_missing(self, kept: Sequence[Played], missing: list[Fixture]) -> Ran:
        self._make_room()
        self._specs = [self._take_in(spec) for spec in self._specs]
        now = provenance.lock(self._plan.file, self._specs)
        with Hub(
            self._specs,
            jobs=self._jobs,
            replays=self._plan.replays,
            profile=self._plan.profile,
            keep=self._recorder.keep,
            report=self._report,
        ) as hub:
            self._watch(hub)
            hub.preflight([self._plan.game])
            self._note_terms()
            self._note_lock(now)
            self._listener.begins(kept, self._total())
            with MatchRun(hub, self._listener.note, stop=self._stop) as self._run:
                missing = self._play(hub, missing)
        return self._ran(kept, missing)

    def is_open(self, deal: str, *, but: str) -> bool:
        """Return whether a match of this deal, but for the one with this id, is still to be played.

        It may be played by a later run: after this one is stopped, or after the match was void too often.
        """
        return bool(self._open.get(deal, set()) - {but})

    def _play(self, hub: Hub, missing: list[Fixture]) -> list[Fixture]:
        """Play what is missing, and then what follows from it: the next round, or void matches again.

        Return what is still missing at the end.
        """
        while missing and not hub.draining:
            self._listener.expects(self._total())
            hub.submit(map(self._pairing, missing))
            hub.run()
            missing = self._missing(self._store.played())
        return missing

    def _missing(self, stored: Sequence[Played]) -> list[Fixture]:
        """Plan the matches that follow from these results; return those without one."""
        there = {one.match for one in stored}
        planned = order_of_play(fixtures(self._plan, stored), self._plan.seed)
        self._fixtures = {fixture.match: fixture for fixture in planned}
        self._open = {}
        for fixture in planned:
            if fixture.match not in there:
                self._open.setdefault(fixture.deal, set()).add(fixture.match)
        return [
            one for one in self._fixtures.values() if one.match not in there and one.match not in self._void
        ]

    def _total(self) -> int:
        """Return how many matches there will be, as far as it is known."""
        return max(expected(self._plan), len(self._fixtures))

    def _pairing(self, fixture: Fixture) -> Pairing:
        names = aliases(len(fixture.bots)) if self._plan.aliases else ()
        return self._planner.pairing(fixture, self._game, self._plan.profile, names=names)

    def _report(self, finished: Finished) -> None:
        """Report a match that is committed, or void."""
        assert self._run is not None
        result = finished.result
        if self._run.over or (result.void and self._run.abandoned):
            return
        if (why := result.void_reason) is not None:
            self._report_void(result.match, why)
            return
        self._played += 1
        row = self._recorder.take(result.match)
        self._open.get(row.deal, set()).discard(row.match)
        self._listener.finished(row)

    def _row(self, finished: Finished) -> Played | None:
        # A void match is played again under the same id, so the store has no row of it.
        if finished.result.void:
            return None
        fixture = self._fixtures[finished.result.match]
        return played(finished, fixture.round, fixture.block)

    def _report_void(self, match: str, why: str) -> None:
        self._tries[match] += 1
        again = self._tries[match] <= AGAIN
        if not again:
            self._void[match] = why
        self._listener.void(match, why, again=again)

    def _ran(self, kept: Sequence[Played], missing: Sequence[Fixture], changed: Sequence[str] = ()) -> Ran:
        there = len(kept) + self._played + len(self._void)
        left = self._total() - there if missing else 0
        return Ran(self._played, left, dict(self._void), tuple(changed))

    def _take_in(self, spec: BotSpec) -> BotSpec:
        """Return a bot that runs from a copy of its folder, if it is for a sandbox."""
        if spec.program.level == "trusted":
            return spec
        # This process alone writes to the store, so no other one copies there now.
        bundle.remove_unfinished(self._plan.bundles)
        try:
            return msgspec.structs.replace(spec, program=bubblewrap.take_in(spec.program, self._plan.bundles))
        except LaunchError as error:
            raise LaunchError(f"bot {spec.name}: {error}") from error

    def _check_experiment(self) -> None:
        """Refuse a store that was filled under other terms: the results would not compare."""
        noted = self._store.noted(terms.NOTE)
        other = terms.differences(self._plan, noted[-1]) if noted else ()
        if other:
            raise StoreError(
                f"{self._store.path}: belongs to a tournament with another {' and another '.join(other)}; "
                "name another store in the tournament file, or remove this one"
            )

    def _note_terms(self) -> None:
        """Bind a store to this tournament, before its first match."""
        if not self._store.noted(terms.NOTE):
            self._store.note(terms.NOTE, terms.text_of(self._plan))

    def _runs(self) -> list[provenance.Provenance]:
        """Return the provenance of all runs so far."""
        noted = self._store.noted(provenance.NOTE)
        return [msgspec.json.decode(text, type=provenance.Provenance) for text in noted]

    def _changed(self, now: provenance.Provenance) -> list[str]:
        """Return the names of bots that are other programs than in the last run."""
        runs = self._runs()
        return provenance.changed(runs[-1], now) if runs else []

    def _note_lock(self, now: provenance.Provenance) -> None:
        """Keep the provenance of this run, in the store and beside it; report bots that have changed."""
        for name in self._changed(now):
            self._listener.note(
                f"bot {name} is not what it was in the last run: its results are now those of two programs "
                "(a new name would keep them apart)"
            )
        runs = self._runs()
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
            files.make_private(folder)
            for path in folder.glob(".*.json*.*"):
                if _match_of(path) in self._fixtures:
                    path.unlink(missing_ok=True)
        except OSError as error:
            raise StorePlaceError(f"{folder}: replays cannot be kept there: {error.strerror}") from error


def aliases(seats: int) -> tuple[str, ...]:
    """Return the names that bots see when names are hidden.

    >>> aliases(3)
    ('seat-0', 'seat-1', 'seat-2')
    """
    return tuple(f"seat-{seat}" for seat in range(seats))


def lock_path(store: Path) -> Path:
    """Return the path of the file in which people can read the locks of the runs."""
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
