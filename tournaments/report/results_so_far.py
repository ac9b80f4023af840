"""The results of a tournament or a ladder so far, read from its store."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from referee.errors import ConfigError
from referee.hub.fixture import Fixture, is_rated
from referee.wording import plural
from tournaments.config.luck import LuckOrigin, origin_of
from tournaments.config.luck_files import lost_files
from tournaments.config.plan import Plan, load
from tournaments.pairing.rounds import Round, only_round
from tournaments.pairing.schedule import by_match, counted, fixtures, is_over
from tournaments.rating.earlier_versions import with_earlier
from tournaments.rating.standings import Standings, stand, standings
from tournaments.report.facts import ReportFacts, facts_of
from tournaments.results import Played, hosts_of
from tournaments.store import ladders, terms
from tournaments.store.chain import Head
from tournaments.store.errors import NoResultsError, StoreError
from tournaments.store.field import as_played
from tournaments.store.ladder_versions import LadderVersion, earlier_versions, ladder_versions_of
from tournaments.store.ladders import LadderTerms
from tournaments.store.store import Store


class ResultsSoFar(msgspec.Struct, frozen=True):
    """The results of a tournament or a ladder so far."""

    played: list[Played]
    standings: Standings
    head: Head
    """Of all results in the store, those that do not count included."""
    replays: Path
    void: int = 0
    """Matches in the store that came to no verdict."""
    planned: Sequence[Fixture] = ()
    """The matches of a tournament, as its schedule lists them; a ladder has none."""
    unrated: int = 0
    """Matches of a ladder that were played outside of its hours."""
    is_ladder: bool = False
    luck: LuckOrigin | None = None
    """Where the luck of a tournament comes from; a ladder has none to state."""
    facts: ReportFacts | None = None
    """What was played; a ladder has its own page."""
    has_pseudonyms: bool = False
    """Whether pseudonyms are in the place of names."""

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds of a tournament; those of a round robin or a gauntlet are one. A ladder has none."""
        if self.standings.rounds or not self.planned:
            return self.standings.rounds
        return (only_round(self.planned, by_match(self.played)),)


def results_of(file: Path) -> ResultsSoFar:
    """Return the results that the store of a tournament or a ladder has."""
    ladder = ladders.find(file)
    if ladder is not None:
        with Store(ladder, write=False) as store:
            return ladder_results(store)
    return plan_results(load(file))


def plan_results(plan: Plan) -> ResultsSoFar:
    """Return the results that the store of a tournament has; without a store there are none."""
    try:
        with Store(plan.store, write=False) as store:
            return tournament_results(plan, store)
    except NoResultsError:
        return counted_results(plan, [], Head())


def is_complete(plan: Plan) -> bool:
    """Return whether no match of a tournament is left to play, without the bots that were left out."""
    stored = stored_results(plan)
    planned = fixtures(stored.plan, stored.rows)
    return is_over(planned, counted(planned, stored.rows))


def tournament_results(plan: Plan, store: Store, planned: Sequence[Fixture] | None = None) -> ResultsSoFar:
    """Return the results that count for the plan, and the standings.

    `planned` are its matches, as the schedule lists them, if they are known already.
    """
    check_readable(plan, store)
    found = counted_results(as_played(plan, store), store.played(), store.head(), planned)
    return msgspec.structs.replace(found, facts=facts_of(plan, store))


def counted_results(
    plan: Plan, stored: list[Played], head: Head, planned: Sequence[Fixture] | None = None
) -> ResultsSoFar:
    """Return the results that count for the plan, as it is played, among those that are stored."""
    planned = fixtures(plan, stored) if planned is None else planned
    played = counted(planned, stored)
    found = standings(plan, played, planned, hosts_of(played))
    return ResultsSoFar(
        played, found, head, plan.replays, planned=planned, luck=origin_of(plan), facts=facts_of(plan)
    )


def ladder_results(store: Store) -> ResultsSoFar:
    """Return the results of a ladder: those of the game that is played on it now."""
    terms, versions = ladders.terms_of(store), [one for _, one in ladder_versions_of(store)]
    return ladder_results_of(terms, store.all_played(), store.head(), ladders.replays_of(store), versions)


def ladder_results_of(
    played_on: LadderTerms,
    rows: list[Played],
    head: Head,
    replays: Path,
    versions: Iterable[LadderVersion] = (),
) -> ResultsSoFar:
    """Return the results of a ladder among these rows, which are in the order of their commits."""
    counted = [one for one in rows if one.result.game == played_on.game and not one.result.void]
    played = [one for one in counted if is_rated(one.deal)]
    bots = list(dict.fromkeys(bot for one in played for bot in one.bots))
    found = stand(played_on.name, played_on.game, bots, played)
    return ResultsSoFar(
        played,
        with_earlier(found, earlier_versions(played, versions)),
        head,
        replays,
        void=sum(one.result.void for one in rows),
        unrated=len(counted) - len(played),
        is_ladder=True,
    )


class StoredResults(msgspec.Struct, frozen=True):
    """What the store of a tournament has."""

    plan: Plan
    """As it is played: the store knows the field and the versions."""
    rows: list[Played] = []
    last_finished: str = ""
    """When the last match was committed; '' if none was."""
    head: Head = Head()


def stored_results(plan: Plan) -> StoredResults:
    """Return what the store of a tournament has; nothing if there is none."""
    try:
        with Store(plan.store, write=False) as store:
            check_readable(plan, store)
            return StoredResults(as_played(plan, store), store.played(), store.last_finished(), store.head())
    except NoResultsError:
        return StoredResults(plan)


def check_readable(plan: Plan, store: Store) -> None:
    """Refuse results that the table would leave out.

    These are results of an earlier version that planned other matches, and all results if the luck is not
    known by which they were played.
    """
    if not plan.is_drawn and (results := store.head().results):
        lost = " and ".join(path.name for path in lost_files(plan))
        raise ConfigError(
            f"{store.address}: has {plural(results, 'result')}, but the luck is not drawn: restore {lost}, "
            f"or name another store in {plan.file.name}"
        )
    noted = store.noted(terms.NOTE)
    if noted and (other := terms.outdated(plan, noted[-1])):
        raise StoreError(
            f"{store.address}: was begun by an earlier version, with another {' and another '.join(other)}; "
            "read it with that version"
        )
