"""The rounds of an event: which groups meet, how far they are, and what came of it."""

from collections.abc import Sequence

from msgspec import Struct

from referee.hub.fixture import Fixture
from tournaments.rating.tally import Standing, Tally
from tournaments.results import Played
from tournaments.site.model import SiteEvent


class GroupCourse(Struct, frozen=True):
    """Bots that meet in a round."""

    bots: tuple[str, ...]
    """By name."""
    planned: int
    played: int
    deals: int
    deals_done: int
    """Deals that were played in all rotations."""
    standings: list[Standing]
    """By points in this group."""


class RoundCourse(Struct, frozen=True):
    """A round: its groups, and the bots that rest."""

    number: int
    planned: int
    played: int
    groups: list[GroupCourse]
    resting: list[str]


def rounds_of(event: SiteEvent) -> list[RoundCourse]:
    """Return the rounds of a tournament, the last one first. A ladder has none."""
    planned: dict[int, dict[tuple[str, ...], list[Fixture]]] = {}
    for fixture in event.fixtures:
        groups = planned.setdefault(fixture.round, {})
        groups.setdefault(tuple(sorted(fixture.bots)), []).append(fixture)
    return [_round(event, number, planned[number]) for number in sorted(planned, reverse=True)]


def _round(event: SiteEvent, number: int, planned: dict[tuple[str, ...], list[Fixture]]) -> RoundCourse:
    groups = [_group(event, bots, fixtures) for bots, fixtures in planned.items()]
    busy = {bot for bots in planned for bot in bots}
    return RoundCourse(
        number=number,
        planned=sum(group.planned for group in groups),
        played=sum(group.played for group in groups),
        groups=sorted(groups, key=lambda group: group.bots),
        resting=_resting(event, number, busy),
    )


def _resting(event: SiteEvent, number: int, busy: set[str]) -> list[str]:
    """Return the bots without a group in a round; those that are out of a knockout are not listed later."""
    before = [one for one in event.fixtures if one.round == number - 1]
    known = {bot for one in before for bot in one.bots} if before else set(event.names)
    is_knockout = any(name == "Format" and text == "knockout" for name, text in event.facts)
    return [] if is_knockout and number > 1 else sorted(known - busy)


def _group(event: SiteEvent, bots: tuple[str, ...], fixtures: Sequence[Fixture]) -> GroupCourse:
    played = [event.by_id[one.match] for one in fixtures if one.match in event.by_id]
    open_blocks = {one.block for one in fixtures if one.match not in event.by_id}
    blocks = {one.block for one in fixtures}
    return GroupCourse(
        bots=bots,
        planned=len(fixtures),
        played=len(played),
        deals=len(blocks),
        deals_done=len(blocks - open_blocks),
        standings=_standings(bots, played),
    )


def _standings(bots: Sequence[str], played: Sequence[Played]) -> list[Standing]:
    tally = Tally(bots)
    for one in played:
        tally.count(one)
    return sorted(tally.table(), key=lambda line: (-line.points, line.name))
