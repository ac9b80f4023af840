"""Plays a tournament: the matches of the schedule that the store does not have.

A match counts when its replay is on disk and its row is committed, in this order; only then is it reported.
So the end of the process at any moment costs the matches that ran, and nothing else: the same command plays
them again, with the same ids and the same luck. A match that comes to no verdict through no fault of a bot is
void; it is played again a few times, and then left out.

Before the first match all bots are tried. A bot that does not start stops nothing, unless the plan says so:
it is left out, or loses its matches. A bot whose program has changed is another version, and plays its
matches anew. When no match is left, the plan is read again: a bot that has come or has changed meanwhile
plays too.

Bots are never shown the key of a deal: rotations of the deal run at the same time, and a bot that joins the
tournament later may get the same deal. The replays have all keys.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec.structs import replace

from referee import registry
from referee.errors import RefereeError
from referee.hub.fixture import Fixture
from referee.hub.hub import Hub
from referee.hub.match_run import MatchRun
from referee.hub.pairing import Finished, Pairing
from referee.hub.signals import Stop
from referee.hub.start_trial import dismiss, replace_bots, try_bots
from referee.process import bundle
from referee.process.sandbox.levels import insist
from referee.replay import files
from referee.replay.dossier import DOSSIER_SUFFIX
from referee.worker.cluster_place import ClusterPlace, use_of
from referee.worker.open_hub import open_hub
from tournaments.bot_trial import BotLook, Failures, look_at, stand_in
from tournaments.config.file_keys import Broken
from tournaments.config.host_share import division_of
from tournaments.config.late import takes_late, too_late
from tournaments.config.plan import Plan
from tournaments.failed_starts import FILE as FAILED_STARTS
from tournaments.failed_starts import failed_start, failed_starts, write_failed_starts
from tournaments.field_choice import check_removed, choose_field, choose_versions, divide, version_lines
from tournaments.names_in_match import names_in_match
from tournaments.pairing.blocks import planner_of
from tournaments.pairing.play_order import order_of_play
from tournaments.pairing.schedule import counted, expected, fixtures
from tournaments.results import Played, played
from tournaments.store import provenance, terms
from tournaments.store.errors import StoreError, StorePlaceError
from tournaments.store.field import as_played, fixed_bots, noted_field, with_fixed_bots
from tournaments.store.recorder import Recorder
from tournaments.store.store import Store

AGAIN = 3
"""How often a void match is played again."""


class Listener(Protocol):
    """Gets the progress of a tournament. Called from the thread that plays, but for notes about the store."""

    def begins(self, kept: Sequence[Played], total: int) -> None:
        """Take the matches that are there already and the number there will be: all bots are ready."""

    def expects(self, total: int) -> None:
        """Take the number of matches there will be, as it is known before each round."""

    def finished(self, played: Played) -> None:
        """Take a match that is committed."""

    def void(self, match: str, why: str, *, again: bool) -> None:
        """Take a match that came to no verdict, and whether it will be played again."""

    def note(self, text: str) -> None:
        """Take a line for the operator, from any thread."""


class Ran(msgspec.Struct, frozen=True):
    """What came of a run."""

    played: int
    left: int
    """Matches that are still to be played."""
    void: dict[str, str]
    """Matches that were given up, and why."""
    left_out: dict[str, str] = {}
    """Bots that do not take part, and why, in words for all."""


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
        read_again: Callable[[], Plan] | None = None,
        workers: int | None = None,
        cluster: ClusterPlace | None = None,
    ) -> None:
        """Prepare to play; `watch` gets the hub before any bot is started, `stop` ends the run early.

        `read_again` returns the plan as it is then, for bots that come or change during the run.
        """
        self.asked = plan
        """The plan as it was read last."""
        self._plan = as_played(plan, store)
        """The plan as it is played: its field and its versions are those of the store's notes."""
        self._watch = watch
        self._stop = stop
        self._read_again = read_again
        self._store = store
        store.patience.report = listener.note
        self._listener = listener
        self._division = division_of(plan, jobs, workers)
        self._game = registry.game(plan.game)
        kept_here = (plan.file, plan.store, plan.bundles)
        self._cluster = use_of(cluster or plan.cluster, self._game.info, plan.seats, jobs, kept_here)
        plan.check_entrants()
        self._looked = BotLook({}, {})
        """The bots as they were seen last."""
        self._failures: Failures = {}
        """Why bots do not start, as it is known."""
        self._late: set[str] = set()
        """What was said about the plan that was read again, to say it once."""
        self._fixtures: dict[str, Fixture] = {}
        """All matches that are known, by id; as long as one is missing, in the order of play.

        They are planned once in every round.
        """
        self._tries: Counter[str] = Counter()
        self._void: dict[str, str] = {}
        self._open: dict[str, set[str]] = {}
        """By deal: the matches that have no result, in the queue of the hub or not."""
        self._recorder = Recorder(store, self._row)
        self.planned: list[Fixture] | None = None
        """All matches as the schedule lists them, if the run began with none missing."""
        self._counted: list[Played] = []
        """The results that count, as of the last planning."""
        self._played = 0
        self._run: MatchRun | None = None

    def run(self) -> Ran:
        """Play until no match is missing, or until the run is stopped.

        Raises LaunchError if bots do not start and nothing can be played without them, and ConfigError for a
        level that this host cannot keep, before any match is begun; the store is then as it was, and no
        folder is left.
        """
        planner_of(self._plan)
        check_removed(self.asked, self._store)
        self._check_experiment(self._plan)
        if not self._missing() and not self._has_news():
            self.planned = list(self._fixtures.values())
            self._listener.begins(self._counted, self._total())
            self._report_late(self.asked)
            return self._ran([])
        insist(self._plan.level, self._plan.accept_gaps)
        made = [folder for folder in (self._plan.replays, self._plan.bundles) if not folder.exists()]
        try:
            return self._run_missing()
        except BaseException:
            if self._run is None:
                for folder in made:
                    shutil.rmtree(folder, ignore_errors=True)
            raise

    def _has_news(self) -> bool:
        """Return whether a bot may have to play though no match is missing: it was mended, or has changed."""
        if not takes_late(self._plan.format):
            return False
        look = look_at(self.asked)
        if self._plan.left_out.keys() & look.able.keys():
            return True
        return bool(choose_versions(self._plan, self._store, look.able).changed)

    def _run_missing(self) -> Ran:
        self._make_room()
        contenders = with_fixed_bots(self.asked, self._store)
        look = self._look(contenders)
        with open_hub(
            [candidate.spec for candidate in look.able.values()],
            work=self._division,
            replays=self._plan.replays,
            profile=self._plan.profile,
            keep=self._recorder.keep,
            report=self._report,
            note=self._listener.note,
            cluster=self._cluster,
        ) as hub:
            self._watch(hub)
            self._failures = look.failures | try_bots(hub, list(look.able), [self._plan.game])
            self._settle(hub, contenders, self.asked.broken)
            self._report_late(self.asked)
            return self._ran(self._play_missing(hub))

    def _play_missing(self, hub: Hub) -> list[Fixture]:
        """Play until no match is missing, or until the run is stopped; return what is still missing."""
        missing = self._missing()
        self._listener.begins(self._counted, self._total())
        self._run = MatchRun(hub, self._listener.note, stop=self._stop, give_up=self._store.patience.give_up)
        with self._run:
            return self._play(hub, missing, len(self._counted))

    def _look(self, contenders: Plan) -> BotLook:
        """Look at all bots, and copy those of sandboxes."""
        # This process alone writes to the store, so no other one copies there now.
        bundle.remove_unfinished(self._plan.bundles)
        self._looked = look_at(contenders, self._plan.bundles)
        return self._looked

    def _settle(self, hub: Hub, contenders: Plan, broken: Broken) -> None:
        """Decide who takes part in which version, note it, and let the hub know."""
        look, failures = self._looked, self._failures
        in_order = {name: failures[name] for name in contenders.names if name in failures}
        division = divide(contenders, self._store, in_order, broken)
        playing = {name: one for name, one in look.able.items() if name not in failures}
        lost = {} if division.is_fixed else division.forfeits
        programs = playing | {name: look.able[name] for name in lost if name in look.able}
        versions = choose_versions(contenders, self._store, programs, lost.keys() - look.able.keys())
        for line in (*division.report(len(contenders.bots)), *version_lines(contenders, versions)):
            self._listener.note(line)
        if contenders.anchor in division.left_out:
            self._listener.note(f"the anchor {contenders.anchor} is left out: the mean of the bots is 1500")
        field = replace(
            contenders, bots=tuple(bot for bot in contenders.bots if bot.name not in division.left_out)
        )
        run = provenance.lock(self._plan.file, [one.program for one in playing.values()])
        self._keep_failures(contenders, in_order)
        self._store.note_all(
            [
                *self._terms_note(field),
                *self._provenance_note(run),
                *versions.notes,
                *choose_field(contenders, self._store, division),
            ]
        )
        self._write_lock()
        self._plan = as_played(self.asked, self._store)
        dismiss(hub, failures)
        for name, failure in division.forfeits.items():
            if name not in look.able:
                hub.roster.add([stand_in(bot) for bot in contenders.bots if bot.name == name])
            hub.roster.give_up(name, failure)

    def _keep_failures(self, contenders: Plan, failures: Failures) -> None:
        """Keep for their authors why bots do not start. Of bots that were not tried the last reasons stay."""
        still_out = noted_field(self._store).left_out.keys() - set(contenders.names)
        kept = [one for name, one in failed_starts(self._plan.replays).items() if name in still_out]
        # Bots that the organiser has taken out have no program.
        folders = {bot.name: str(bot.folder) for bot in contenders.bots if bot.has_program}
        used = {name: one.spec.program.folder for name, one in self._looked.able.items()}
        found = [
            failed_start(name, failure, contenders.file.parent, folders[name], used.get(name, ""))
            for name, failure in failures.items()
            if name in folders
        ]
        write_failed_starts(self._plan.replays, [*kept, *found])

    def _report_late(self, asked: Plan) -> None:
        """Report the bots that came after the first match of a tournament that takes them no more."""
        fixed = fixed_bots(asked, self._store)
        for name in asked.names:
            # A bot that did not start in this run has been reported with its reason.
            if fixed is not None and name not in fixed and name not in self._failures:
                self._say_once(f"bot {name} does not play: {too_late(asked)}")

    def _say_once(self, text: str) -> None:
        if text not in self._late:
            self._late.add(text)
            self._listener.note(text)

    def is_open(self, deal: str, *, but: str) -> bool:
        """Return whether another match of this deal is still to be played, by this run or a later one."""
        return bool(self._open.get(deal, set()) - {but})

    def _play(self, hub: Hub, missing: list[Fixture], kept: int) -> list[Fixture]:
        """Play what is missing, and then what follows from it: the next round, void matches, late bots.

        `kept` results were there before; the total includes those that count no more. Return what is missing.
        """
        while not hub.draining:
            if not missing or not takes_late(self._plan.format):
                self._take_late(hub)
                missing = self._missing()
            if not missing:
                break
            self._listener.expects(kept + self._played + self._total() - len(self._counted))
            hub.submit(map(self._pairing, missing))
            hub.run()
            missing = self._missing()
        return missing

    def _take_late(self, hub: Hub) -> None:
        """Read the plan again, and take in the bots that have come, were mended or have changed."""
        if self._read_again is None:
            return
        try:
            asked = self._read_again()
            self._check_experiment(as_played(asked, self._store))
            if takes_late(asked.format):
                self._take_new(hub, asked)
            else:
                check_removed(asked, self._store)
                self._report_late(asked)
        except RefereeError as error:
            self._say_once(f"{self._plan.file} was read again, and is not played as it is now: {error}")

    def _take_new(self, hub: Hub, asked: Plan) -> None:
        """Try the bots that have come, were mended or have changed, and go on with those that start."""
        before = self._looked.signs()
        look = self._look(asked)
        if asked == self.asked and look.signs() == before:
            return
        new = {name: one.spec for name, one in look.able.items() if before.get(name) != one.identity}
        replace_bots(hub, new.values())
        tried = try_bots(hub, list(new), [self._plan.game])
        known = {name: failure for name, failure in self._failures.items() if name in look.able.keys() - new}
        self._failures = look.failures | known | tried
        self.asked = asked
        # An order to stop is for the start: what plays is not stopped by a bot that comes later.
        self._settle(hub, asked, "leave out" if asked.broken == "stop" else asked.broken)

    def _missing(self) -> list[Fixture]:
        """Plan the matches that follow from the results; return those without one."""
        stored = self._store.played()
        there = {one.match for one in stored}
        planned = fixtures(self._plan, stored)
        if any(fixture.match not in there for fixture in planned):
            planned = order_of_play(planned, self._plan.seed)
        self._fixtures = {fixture.match: fixture for fixture in planned}
        self._counted = counted(planned, stored)
        self._open = {}
        # A bot that was left out may be mended, and then plays the rest of its deals.
        for fixture in fixtures(replace(self._plan, left_out={}), stored) if self._plan.left_out else planned:
            if fixture.match not in there:
                self._open.setdefault(fixture.deal, set()).add(fixture.match)
        return [
            one for one in self._fixtures.values() if one.match not in there and one.match not in self._void
        ]

    def _total(self) -> int:
        """Return how many matches there will be, as far as it is known."""
        return max(expected(self._plan), len(self._fixtures))

    def _pairing(self, fixture: Fixture) -> Pairing:
        hides = self._plan.aliases or self._plan.pseudonyms
        names = names_in_match(self._plan, fixture.bots) if hides else ()
        return planner_of(self._plan).pairing(fixture, self._game, self._plan.profile, names=names)

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

    def _ran(self, missing: Sequence[Fixture]) -> Ran:
        left = self._total() - len(self._counted) - len(self._void) if missing else 0
        return Ran(self._played, left, dict(self._void), self._plan.left_out)

    def _check_experiment(self, plan: Plan) -> None:
        """Refuse a store that was filled under other terms: the results would not compare."""
        noted = self._store.noted(terms.NOTE)
        other = terms.differences(plan, noted[-1]) if noted else ()
        if other:
            raise StoreError(
                f"{self._store.address}: belongs to a tournament with another {' and another '.join(other)}; "
                "name another store in the tournament file, or remove this one"
            )

    def _terms_note(self, field: Plan) -> list[tuple[str, str]]:
        """Return the note that binds a store to this tournament, before its first match."""
        return [] if self._store.noted(terms.NOTE) else [(terms.NOTE, terms.text_of(field))]

    def _runs(self) -> list[provenance.Provenance]:
        """Return the provenance of all runs so far."""
        noted = self._store.noted(provenance.NOTE)
        return [msgspec.json.decode(text, type=provenance.Provenance) for text in noted]

    def _provenance_note(self, now: provenance.Provenance) -> list[tuple[str, str]]:
        """Return the note of the provenance of this run, if it is news."""
        is_news = provenance.is_news(self._runs(), now)
        return [(provenance.NOTE, msgspec.json.encode(now).decode())] if is_news else []

    def _write_lock(self) -> None:
        """Write the provenance of all runs beside the store, for people."""
        path = lock_path(self._plan.store_file)
        try:
            path.write_bytes(msgspec.json.format(msgspec.json.encode(self._runs())) + b"\n")
        except OSError as error:
            raise StoreError(f"{path}: cannot be written: {error.strerror}") from error

    def _make_room(self) -> None:
        """Make the folder of replays, and remove what a killed run left half written in it."""
        folder = self._plan.replays
        try:
            files.make_private(folder)
            for path in folder.glob(".*.json*.*"):
                if _match_of(path) in self._fixtures or path.name.startswith(f".{FAILED_STARTS}."):
                    path.unlink(missing_ok=True)
        except OSError as error:
            raise StorePlaceError(f"{folder}: replays cannot be kept there: {error.strerror}") from error


def lock_path(store: Path) -> Path:
    """Return the path of the file in which people can read the locks of the runs."""
    return store.with_suffix(".lock.json")


def _match_of(path: Path) -> str:
    """Return the match whose file was being written under this name."""
    name = path.name[1:].rpartition(".")[0]
    for suffix in (*files.SUFFIXES, DOSSIER_SUFFIX):
        name = name.removesuffix(suffix)
    return name
