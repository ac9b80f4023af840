"""One bot over the life of an event, and two bots against each other: for tournaments and ladders alike."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from referee.errors import ConfigError, nearest
from tournaments.rating.head_to_head import HeadToHead
from tournaments.rating.standings import RatingStep, StandingLine, history
from tournaments.report.results_so_far import ResultsSoFar
from tournaments.results import Played
from tournaments.store import ladders
from tournaments.store.ladder_versions import LadderVersion, accounts_of, ladder_versions_of
from tournaments.store.store import Store


class BotMatch(Struct, frozen=True):
    """A match as one of its bots sees it."""

    match: str
    bot: str
    opponents: tuple[str, ...]
    rank: int
    seats: int
    score: int
    scores: tuple[int, ...]
    """Of the opponents."""
    fault: str
    replay: str


class BotHistory(Struct, frozen=True):
    """One bot of an event, with all its versions."""

    bot: str
    lines: tuple[StandingLine, ...]
    """Its standings: of a ladder those of each version, the newest first."""
    versions: tuple[LadderVersion, ...]
    """What is known of its programs; only a ladder notes that."""
    ratings: tuple[RatingStep, ...]
    matches: tuple[BotMatch, ...]


class PairHistory(Struct, frozen=True):
    """Two bots against each other."""

    name: str
    other: str
    together: HeadToHead | None
    """By their own matches; None if they never met, or there are too many bots."""
    superior: float | None
    """How likely the first is better, by all results; None if it is not known."""
    matches: tuple[BotMatch, ...]
    """As the first of the two sees them."""


def ladder_versions(file: Path) -> list[LadderVersion]:
    """Return the versions that a ladder has noted; none for a tournament."""
    path = ladders.find(file)
    if path is None:
        return []
    with Store(path, write=False) as store:
        return [one for _, one in ladder_versions_of(store)]


def bot_history(results: ResultsSoFar, bot: str, versions: Sequence[LadderVersion] = ()) -> BotHistory:
    """Return the history of a bot, or of all versions of an account. Raises ConfigError if there is none."""
    names = names_of(results, bot)
    known = [line.name for line in results.standings.table]
    steps = history(results.played, known, results.standings.anchor)
    return BotHistory(
        bot,
        tuple(line for line in results.standings.table if line.name in names),
        tuple(one for one in versions if one.bot == bot or one.kept_as in names),
        tuple(
            RatingStep(step.blocks, {name: elo for name, elo in step.elo.items() if name in names})
            for step in steps
        ),
        matches_of(results.played, names),
    )


def pair_history(results: ResultsSoFar, one: str, other: str) -> PairHistory:
    """Return how two bots did against each other, of accounts the newest versions.

    Raises ConfigError for a bot that is not there.
    """
    one, other = _newest(results, one), _newest(results, other)
    if one == other:
        raise ConfigError(f"{one!r} has not played against itself: name two bots")
    met = [pair for pair in results.standings.pairs if {pair.name, pair.other} == {one, other}]
    # A pair is noted as the first of the two by name sees it.
    name, behind = (met[0].name, met[0].other) if met else (one, other)
    both = [match for match in results.played if {one, other} <= set(match.bots)]
    return PairHistory(
        name,
        behind,
        met[0] if met else None,
        results.standings.likelihoods.get(name, {}).get(behind),
        matches_of(both, {name}),
    )


def _newest(results: ResultsSoFar, bot: str) -> str:
    """Return a bot that has results, or the newest version of an account that has."""
    names = names_of(results, bot)
    return bot if bot in names else min(names, key=lambda name: (name in results.standings.earlier, name))


def names_of(results: ResultsSoFar, bot: str) -> set[str]:
    """Return the names under which a bot has results: of the account of a ladder those of all versions.

    In a tournament names in results may be aliases of other bots, so there only the bot's own name counts.
    """
    known = {line.name for line in results.standings.table}
    versions = accounts_of(results.played) if results.is_ladder else {}
    names = known & {bot, *(version for version, name in versions.items() if name == bot)}
    if not names:
        raise ConfigError(f"no bot {bot!r} has played here: {nearest(bot, known)}")
    return names


def matches_of(played: Sequence[Played], names: set[str]) -> tuple[BotMatch, ...]:
    """Return the matches of a bot, in the order of the rows."""
    return tuple(
        BotMatch(
            match.match,
            bot,
            tuple(name for number, name in enumerate(match.bots) if number != seat),
            own.rank,
            len(match.bots),
            own.score,
            tuple(other.score for number, other in enumerate(match.result.seats) if number != seat),
            own.fault,
            match.replay,
        )
        for match in played
        for seat, (bot, own) in enumerate(match.seats())
        if bot in names
    )
