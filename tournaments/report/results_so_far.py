"""The results of a tournament or a ladder so far, read from its store."""

from pathlib import Path

import msgspec

from referee.errors import ConfigError
from referee.wording import plural
from tournaments.config.luck import LuckOrigin, origin_of
from tournaments.config.luck_files import lost_files
from tournaments.config.plan import Plan, load
from tournaments.pairing.schedule import counted, fixtures
from tournaments.rating.standings import Standings, stand, standings
from tournaments.results import Played
from tournaments.store import ladders, terms
from tournaments.store.chain import Head
from tournaments.store.errors import NoResultsError, StoreError
from tournaments.store.hosts import hosts_of
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
    luck: LuckOrigin | None = None
    """Where the luck of a tournament comes from; a ladder has none to state."""


def results_of(file: Path) -> ResultsSoFar:
    """Return the results that the store of a tournament or a ladder has."""
    ladder = ladders.find(file)
    if ladder is not None:
        with Store(ladder, write=False) as store:
            return ladder_results(store)
    plan = load(file)
    try:
        with Store(plan.store, write=False) as store:
            return tournament_results(plan, store)
    except NoResultsError:
        return counted_results(plan, [], Head(), {})


def tournament_results(plan: Plan, store: Store) -> ResultsSoFar:
    """Return the results that count for the plan, and the standings."""
    check_readable(plan, store)
    return counted_results(plan, store.played(), store.head(), hosts_of(store))


def counted_results(plan: Plan, stored: list[Played], head: Head, hosts: dict[str, str]) -> ResultsSoFar:
    """Return the results that count for the plan among those that are stored, and the standings."""
    planned = fixtures(plan, stored)
    played = counted(planned, stored)
    found = standings(plan, played, planned, hosts)
    return ResultsSoFar(played, found, head, plan.replays, luck=origin_of(plan))


def ladder_results(store: Store) -> ResultsSoFar:
    """Return the results of a ladder: those of the game that is played on it now."""
    return ladder_results_of(ladders.terms_of(store), store.all_played(), store.head(), store.path.parent)


def ladder_results_of(played_on: LadderTerms, rows: list[Played], head: Head, replays: Path) -> ResultsSoFar:
    """Return the results of a ladder among these rows, which are in the order of their commits."""
    played = [one for one in rows if one.result.game == played_on.game and not one.result.void]
    bots = list(dict.fromkeys(bot for one in played for bot in one.bots))
    void = sum(one.result.void for one in rows)
    return ResultsSoFar(played, stand(played_on.name, played_on.game, bots, played), head, replays, void)


def stored_results(plan: Plan) -> tuple[list[Played], str, Head]:
    """Return the results in the store, the time of the last one, and the head of the chain."""
    try:
        with Store(plan.store, write=False) as store:
            check_readable(plan, store)
            return store.played(), store.last_finished(), store.head()
    except NoResultsError:
        return [], "", Head()


def check_readable(plan: Plan, store: Store) -> None:
    """Refuse results that the table would leave out.

    These are results of an earlier version that planned other matches, and all results if the luck is not
    known by which they were played.
    """
    if not plan.is_drawn and (results := store.head().results):
        lost = " and ".join(path.name for path in lost_files(plan))
        raise ConfigError(
            f"{store.path}: has {plural(results, 'result')}, but the luck is not drawn: restore {lost}, or "
            f"name another store in {plan.file.name}"
        )
    noted = store.noted(terms.NOTE)
    if noted and (other := terms.outdated(plan, noted[-1])):
        raise StoreError(
            f"{store.path}: was begun by an earlier version, with another {' and another '.join(other)}; "
            "read it with that version"
        )
