"""Standings: ratings, points and meetings that follow from the results. Pure: equal results, equal bytes.

The order of the results does not matter. Measured times are apart (`times`), for they do not repeat.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate, chain, pairwise, zip_longest

import msgspec
import numpy as np
from msgspec.structs import replace

from referee.hub.fixture import Fixture
from tournaments.config.plan import Plan, later_versions
from tournaments.pairing.play_order import order_of_play
from tournaments.pairing.rounds import Round
from tournaments.pairing.schedule import is_over, rounds_of
from tournaments.placing.official import official_order
from tournaments.placing.places import OfficialOrder
from tournaments.placing.table_order import Margin, by_rating
from tournaments.rating.clustered import Estimate
from tournaments.rating.columns import Columns, columns, total
from tournaments.rating.equilibrium import EquilibriumLine, equilibrium
from tournaments.rating.head_to_head import HeadToHead, head_to_head, likelihoods
from tournaments.rating.memory import LEVEL, MemoryLine, memory
from tournaments.rating.mirroring import Mirrored
from tournaments.rating.misfit import NO_MISFIT, Misfit, misfit, misfit_notes
from tournaments.rating.ratings import RatingRow, Ratings, course, rate_columns
from tournaments.rating.seats import SeatWorth, draw_ratio, seat_notes, seat_worth
from tournaments.rating.tally import SeatCount, Standing, Tally
from tournaments.rating.trends import NO_HOSTS, DriftLine, HostLine, drift, host_effects
from tournaments.results import Played


class StandingLine(SeatCount, frozen=True):
    """The standing of one bot, with its place and its rating."""

    elo: float | None
    """None if it was never compared with another bot."""
    se: float | None
    interval: tuple[float, float] | None
    """What covers the true rating in 95 of 100 tournaments; None if there are too few blocks."""
    blocks: int
    """In which it was compared with another bot; blocks of the same deal are one."""
    # The fields of a `Place`, which explains them. A struct cannot have two bases.
    place: int = 0
    place_to: int = 0
    pool: str = ""
    swiss_points: int | None = None
    buchholz: int | None = None
    head_to_head: int | None = None
    rests: int = 0
    out_in: int | None = None
    by_lot: bool = False


class Meeting(msgspec.Struct, frozen=True):
    """How one bot did against another, over all comparisons of the two."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def compared(self) -> int:
        """How often the two were compared."""
        return self.wins + self.draws + self.losses

    @property
    def percent(self) -> float:
        """Of 100 comparisons, how many it won; a draw is half."""
        return 50 * (2 * self.wins + self.draws) / self.compared


class NeighbourGap(msgspec.Struct, frozen=True):
    """How much one bot is ahead of the next in the standings."""

    name: str
    other: str
    elo: float
    se: float | None
    superior: float | None
    """The likelihood that it is the better one, from 0 to 1; None if there are too few blocks."""


class Standings(msgspec.Struct, frozen=True):
    """Everything the results say."""

    name: str
    game: str
    anchor: str | None
    """The bot whose rating is fixed; None: the mean is."""
    matches: int
    blocks: int
    table: tuple[StandingLine, ...]
    """In the official order of the format; pool by pool if there are pools."""
    forfeited: int
    """Matches that a bot lost by a fault."""
    without_forfeits: tuple[StandingLine, ...]
    """The standings as if those had not been played; empty if there were none. Those of a Swiss tournament
    and of a knockout are ordered by rating: without these matches the rounds would have been others."""
    cross: dict[str, dict[str, Meeting]]
    gaps: tuple[NeighbourGap, ...]
    """Of each bot to the next, where the two can be compared."""
    groups: tuple[tuple[str, ...], ...]
    """Bots that results connect; ratings of different groups cannot be compared."""
    notes: tuple[str, ...]
    """What a reader of the ratings must know."""
    prior: str
    memory: tuple[MemoryLine, ...] = ()
    """Whether bots do better when a deal comes again; of the bots that played a deal in all rotations."""
    memory_level: float = LEVEL
    """The chance that any honest bot is named there, at most."""
    misfit: Misfit = NO_MISFIT
    """Whether the ratings predict the results, and cycles of bots that beat each other."""
    equilibrium: tuple[EquilibriumLine, ...] = ()
    """Nash averaging and alpha-rank, by name; of the largest group that results connect, if that has at most
    100 bots."""
    likelihoods: dict[str, dict[str, float]] = {}
    """How likely the bot of the row is better than that of the column; of at most 100 bots."""
    pairs: tuple[HeadToHead, ...] = ()
    """Every pair by its own matches; of at most 100 bots."""
    seats: tuple[SeatWorth, ...] = ()
    draws: Estimate | None = None
    """Of 100 comparisons, how many are drawn."""
    mirroring: Estimate | None = None
    """By how many percent the variance is smaller than if every match had its own deal; None if no block
    was played in all rotations."""
    drift: tuple[DriftLine, ...] = ()
    """Whether bots grow stronger over the life of a ladder."""
    hosts: tuple[HostLine, ...] = ()
    """Whether bots do better on one host; empty if there was one."""
    format: str = ""
    """That of the tournament; '' for a ladder, and for matches without a plan."""
    ordered_by: tuple[str, ...] = ()
    """What decides the places, the first before the second and so on."""
    order: str = ""
    """By what the table is ordered, in a sentence."""
    rounds: tuple[Round, ...] = ()
    """The rounds of a Swiss tournament or a knockout, with the next one if it is known."""
    left_out: dict[str, str] = {}
    """By name why bots do not play, in words for all; those with results are in the table too."""
    forfeits: dict[str, str] = {}
    """By name why bots lose their matches without a start, in words for all."""
    versions: dict[str, int] = {}
    """The versions of bots whose programs were changed; the results are those of these versions alone."""
    earlier: tuple[str, ...] = ()
    """Versions of bots that have newer ones, on a ladder. They are at the end of the table, and not shown."""

    @property
    def pools(self) -> dict[str, list[StandingLine]]:
        """The table of each pool, by its name; one without a name if the field is not divided."""
        found: dict[str, list[StandingLine]] = {}
        for line in self.shown:
            found.setdefault(line.pool, []).append(line)
        return found

    @property
    def leaders(self) -> tuple[str, ...]:
        """The bots in the first place, of each pool if there are pools; none before the first match.

        Of a knockout that is not over: the bots that are still in.
        """
        return tuple(line.name for line in self.table if line.place == 1) if self.matches else ()

    @property
    def shown(self) -> tuple[StandingLine, ...]:
        """The table without earlier versions of bots."""
        return self.table[: len(self.table) - len(self.earlier)]


def qualified(standings: Standings, take: int) -> list[str]:
    """Return the best bots, so many of each pool, in the order of the seeds of a next stage.

    A bot that was left out before its first match is none of them; one whose opponents were, is.
    """
    pools = [
        [line.name for line in lines if line.matches or line.name not in standings.left_out]
        for lines in standings.pools.values()
    ]
    return best_of_pools(pools, take)


def best_of_pools(pools: Iterable[Sequence[str]], take: int) -> list[str]:
    """Return so many of each pool: first the winners of all pools, then the seconds, and so on."""
    best = [names[:take] for names in pools]
    return [name for row in zip_longest(*best) for name in row if name is not None]


class RatingStep(msgspec.Struct, frozen=True):
    """Ratings after a part of the matches."""

    blocks: int
    """How many have been played."""
    elo: dict[str, float]
    """Of the bots that had been compared by then."""


class Time(msgspec.Struct, frozen=True):
    """What a bot used; measured, and so no part of what must repeat."""

    name: str
    matches: int
    charged_ms: int
    """What was charged to its clocks: nothing for answers within the grace."""
    took_us: int
    """What its answers really took, all together."""
    median_us: int
    """An answer: of the medians of its matches, the one in the middle."""
    slowest_us: int

    @property
    def per_match_us(self) -> float:
        """What its answers took in an average match."""
        return self.took_us / self.matches if self.matches else 0.0


def standings(
    plan: Plan,
    played: Sequence[Played],
    planned: Iterable[Fixture],
    hosts: Mapping[str, str] = NO_HOSTS,
) -> Standings:
    """Return what the results of a tournament say.

    `planned` are its matches, as the schedule lists them; `hosts` has by id of a match where it was played.
    """
    matches = list(planned)
    order = [fixture.match for fixture in order_of_play(matches, plan.seed)]
    rounds = rounds_of(plan, played)
    is_complete = is_over(matches, played)

    def place(lines: Sequence[StandingLine], margin: Margin) -> OfficialOrder:
        return official_order(plan, rounds, lines, margin, is_complete=is_complete)

    found = stand(plan.name, plan.game, plan.names, played, plan.anchor, order, hosts, place)
    return replace(
        found,
        format=plan.format,
        rounds=rounds,
        left_out=plan.left_out,
        forfeits=plan.forfeits,
        versions=later_versions(plan),
    )


Placing = Callable[[Sequence[StandingLine], Margin], OfficialOrder]
"""What gives bots their places."""


def _by_rating(lines: Sequence[StandingLine], _: Margin) -> OfficialOrder:
    return by_rating(lines)


def stand(
    name: str,
    game: str,
    bots: Sequence[str],
    played: Sequence[Played],
    anchor: str | None = None,
    order: Iterable[str] = (),
    hosts: Mapping[str, str] = NO_HOSTS,
    place: Placing = _by_rating,
) -> Standings:
    """Return what results say of these bots; those that have not played are in them too.

    `order` has the ids of the matches in the order of play; empty if no deal comes again. `hosts` has by id
    of a match where it was played; empty if all were on one host. `place` gives the places.
    """
    compared = columns(played, bots)
    ratings = rate_columns(compared, anchor)
    elo = ratings.elo
    fit, mirrored = misfit(compared, ratings), Mirrored(compared)
    table, official = _table(ratings, bots, played, place, compared)
    fair = [match for match in played if not any(match.result.faults)]
    forfeited = len(played) - len(fair)
    return Standings(
        name=name,
        game=game,
        anchor=anchor,
        matches=len(played),
        blocks=len({match.block for match in played}),
        table=table,
        forfeited=forfeited,
        without_forfeits=_fair_table(bots, fair, anchor, official, place) if forfeited else (),
        cross=cross(compared, [line.name for line in table]),
        gaps=tuple(_gaps(ratings, table)),
        groups=ratings.groups,
        notes=(*ratings.notes, *misfit_notes(fit), *seat_notes(compared)),
        prior=ratings.prior,
        memory=memory(played, order, [line.name for line in table]),
        misfit=fit,
        equilibrium=equilibrium(compared, ratings),
        likelihoods=likelihoods(ratings),
        pairs=head_to_head(compared, mirrored),
        seats=seat_worth(compared, elo),
        draws=draw_ratio(compared),
        mirroring=mirrored.saved(),
        drift=drift(compared, elo),
        hosts=host_effects(compared, elo, hosts),
        ordered_by=official.ordered_by,
        order=official.sentence,
    )


def _table(
    ratings: Ratings, bots: Sequence[str], played: Sequence[Played], place: Placing, compared: Columns
) -> tuple[tuple[StandingLine, ...], OfficialOrder]:
    """Return the table in the order of its places, and that order."""
    tally = Tally(bots)
    for match in played:
        tally.count(match)
    rated = {row.bot: row for row in ratings.rows}
    lines = {count.name: _line(count, rated[count.name]) for count in tally.table()}
    official = place(list(lines.values()), _margin(compared, bots))
    table = [
        msgspec.structs.replace(lines[name], **msgspec.structs.asdict(own))
        for name, own in official.places.items()
    ]
    return tuple(table), official


def _fair_table(
    bots: Sequence[str], fair: Sequence[Played], anchor: str | None, official: OfficialOrder, place: Placing
) -> tuple[StandingLine, ...]:
    """Return the table without forfeits; where rounds decide the places, it is ordered by rating."""
    compared = columns(fair, bots)
    own = _by_rating if official.follows_rounds else place
    table, _ = _table(rate_columns(compared, anchor), bots, fair, own, compared)
    return table


def _margin(compared: Columns, bots: Sequence[str]) -> Margin:
    """Return what compares two bots by their own meetings."""

    @cache
    def meetings() -> dict[str, dict[str, Meeting]]:
        return cross(compared, bots)

    def margin(one: str, other: str) -> int:
        met = meetings()[one].get(other)
        return 0 if met is None else met.wins - met.losses

    return margin


def _line(count: Standing, row: RatingRow) -> StandingLine:
    shared = {field: getattr(count, field) for field in SeatCount.__struct_fields__}
    return StandingLine(
        **shared,
        elo=_rounded(row.elo) if row.blocks else None,
        se=None if row.se is None else _rounded(row.se),
        interval=None if row.interval is None else (_rounded(row.interval[0]), _rounded(row.interval[1])),
        blocks=row.blocks,
    )


def _rounded(elo: float) -> float:
    """Return the digits of a rating that mean something; never minus zero, which would be other bytes."""
    return round(elo, 1) + 0.0


def cross(compared: Columns, bots: Sequence[str]) -> dict[str, dict[str, Meeting]]:
    """Return how every bot did against every other; pairs that were never compared are not there."""
    rows = compared.where(compared.compared)
    size = len(rows.names)
    # In the order of a meeting: wins, draws, losses.
    wins, draws, losses = (
        total(rows.pair(), (rows.points == points).astype(np.float64), size**2).reshape(size, size)
        for points in (1.0, 0.5, 0.0)
    )
    counts = np.stack([wins + losses.T, draws + draws.T, losses + wins.T], axis=-1).astype(np.int64)
    number = {name: n for n, name in enumerate(rows.names)}
    place = [number[name] for name in bots]
    ordered = counts[np.ix_(place, place)]
    return {
        one: {
            bots[other]: Meeting(*ordered[n, other].tolist())
            for other in np.flatnonzero(ordered[n].any(axis=1)).tolist()
        }
        for n, one in enumerate(bots)
    }


def _gaps(ratings: Ratings, table: Sequence[StandingLine]) -> Iterable[NeighbourGap]:
    group = {name: number for number, names in enumerate(ratings.groups) for name in names}
    for ahead, behind in pairwise(table):
        if ahead.elo is None or behind.elo is None or group[ahead.name] != group[behind.name]:
            continue
        gap = ratings.difference(ahead.name, behind.name)
        yield NeighbourGap(
            name=ahead.name,
            other=behind.name,
            elo=_rounded(gap.elo),
            se=None if gap.se is None else _rounded(gap.se),
            superior=None if gap.los is None else round(gap.los, 4),
        )


def times(played: Iterable[Played], bots: Iterable[str]) -> tuple[Time, ...]:
    """Return what every bot used, in the order of the bots."""
    tally = Tally(bots)
    for match in played:
        tally.count(match)
    used = {standing.name: standing for standing in tally.table()}
    return tuple(
        Time(**{field: getattr(used[name], field) for field in Time.__struct_fields__}) for name in bots
    )


def history(
    played: Sequence[Played], bots: Sequence[str], anchor: str | None = None, most: int = 40
) -> list[RatingStep]:
    """Return how the ratings came about: at most so many steps, the last with all results.

    The order in which matches ended that ran at the same time does not repeat, so the steps are those of the
    schedule: the rounds, and within a round the first block of every group of bots, then the second.
    """
    in_order = _in_order(played)
    ends = sorted({round(n * len(in_order) / most) for n in range(1, most + 1)} - {0})
    parts = [list(chain.from_iterable(in_order[since:end])) for since, end in pairwise([0, *ends])]
    blocks = accumulate(len({match.block for match in part}) for part in parts)
    return [
        RatingStep(done, {name: _rounded(elo) for name, elo in elos.items()})
        for done, elos in zip(blocks, course(parts, bots, anchor), strict=True)
    ]


def _in_order(played: Iterable[Played]) -> list[list[Played]]:
    """Return the matches in the steps of the schedule."""
    groups: dict[tuple[int, tuple[str, ...]], dict[str, list[Played]]] = {}
    for match in played:
        blocks = groups.setdefault((match.round, tuple(sorted(match.bots))), {})
        blocks.setdefault(match.block, []).append(match)
    steps: dict[tuple[int, int], list[Played]] = {}
    for (of_round, _), blocks in groups.items():
        for number, block in enumerate(sorted(blocks, key=_natural)):
            steps.setdefault((of_round, number), []).extend(blocks[block])
    return [steps[key] for key in sorted(steps)]


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts numbers in names by their value."""
    return [
        (int(part), "") if part.isdecimal() and part.isascii() else (-1, part)
        for part in re.split(r"([0-9]+)", name)
    ]
