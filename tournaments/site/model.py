"""An event as its pages show it: results, standings, state, terms, and what must not be shown yet.

The same struct serves the static site and the live site. Nothing in it is secret but the folder of replays;
the pages never show that. `tournaments.site.events` makes it from a store, or from rows alone.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from referee.hub.fixture import Fixture
from tournaments.config.luck import LuckOrigin
from tournaments.rating.standings import RatingStep, Standings, Time, history, times
from tournaments.report.version_history import VersionLine
from tournaments.results import Played
from tournaments.site.masks import NO_MASKS, Masks
from tournaments.site.slugs import slugs
from tournaments.store.chain import Head
from tournaments.store.ladder_versions import LadderVersion, accounts_of

_PACE: Final = 200
"""Matches from which the pace is measured."""

EventKind = Literal["tournament", "ladder", "matches"]


class EventState(Struct, frozen=True):
    """How far an event is."""

    running: bool
    """Whether a process plays it now."""
    complete: bool
    """Whether nothing is left; a ladder is never complete."""
    left: int
    """Matches that are still to be played, as far as it is known."""
    void: int
    """Matches that came to no verdict."""
    first: str
    """When the first match was committed (UTC), or ''."""
    last: str
    """When the last match was committed (UTC), or ''."""
    left_s: int | None = None
    """Seconds to the expected end, by the pace of the last matches; None if it is not known."""
    waits: str = ""
    """What must be over before its bots are known, in words; '' if they are."""


class BotVersion(VersionLine, frozen=True):
    """A program that played under the name of a bot."""

    referee: str
    """The version of the referee that ran it first; '' if it ran by itself."""


class PublicNotes(Struct, frozen=True):
    """What the organiser of an event lets its pages say and hide."""

    announcement: str = ""
    frozen_after: int | None = None
    """With a number the table is that of so many results, until it is revealed. Later results are hidden."""


class SiteEvent(Struct, frozen=True, dict=True):
    """Everything that the pages of an event show."""

    name: str
    kind: EventKind
    game: str
    title: str
    """The name of the game for people."""
    seats: int
    played: list[Played]
    """The results that count, in the order of the schedule."""
    standings: Standings
    head: Head
    replays: Path | None
    """The folder of replays; never shown."""
    state: EventState
    facts: tuple[tuple[str, str], ...] = ()
    """The terms of the event, each with its name."""
    hosts: tuple[str, ...] = ()
    """The hosts on which matches were played."""
    luck: LuckOrigin | None = None
    fixtures: tuple[Fixture, ...] = ()
    """All matches that are planned so far; none of a ladder."""
    open_deals: frozenset[str] = frozenset()
    """Names of deals that some match is still to play. Nothing of them may be shown but results."""
    finished: dict[str, str] = {}
    """By id of a match when it was committed (UTC), in the order of the commits."""
    authors: dict[str, tuple[str, ...]] = {}
    """By bot the people who wrote it, if the file names them."""
    versions: dict[str, tuple[BotVersion, ...]] = {}
    """By bot the programs that played under its name, if the store knows them."""
    ladder_versions: dict[str, tuple[LadderVersion, ...]] = {}
    """By bot of a ladder all versions of its account, if the store knows them."""
    notes: PublicNotes = PublicNotes()
    hidden: int = 0
    """Results that are not shown because the table is frozen."""
    made: str = ""
    """When this was read (UTC)."""
    above: str = ""
    """Where the list of all events is, from the event's own folder; '' for an event that stands alone."""
    part: str = ""
    """Its name as a part of an event of several tournaments; '' if it stands alone."""
    masks: Masks = NO_MASKS
    """The pseudonyms that were put in place of names; none if names are public."""

    @cached_property
    def names(self) -> list[str]:
        """The bots in the order of the standings."""
        return [line.name for line in self.standings.table]

    @cached_property
    def owners(self) -> list[str]:
        """The names for which authors have links: the accounts of a ladder, or the bots."""
        return list(dict.fromkeys(owner for name in self.names if (owner := self._owners.get(name, name))))

    @cached_property
    def _owners(self) -> dict[str, str]:
        return accounts_of(self.played) if self.kind == "ladder" else {}

    def seats_of(self, match: Played, owner: str) -> list[int]:
        """Return the seats of an author's bot in a match, with all versions that it has."""
        return [seat for seat, bot in enumerate(match.bots) if self._owners.get(bot, bot) == owner]

    @cached_property
    def slugs(self) -> dict[str, str]:
        """The file name of every bot."""
        return slugs(self.names)

    @cached_property
    def by_id(self) -> dict[str, Played]:
        """All results by the id of their match."""
        return {one.match: one for one in self.played}

    @cached_property
    def history(self) -> list[RatingStep]:
        """The ratings over time."""
        return history(self.played, self.names, self.standings.anchor)

    @cached_property
    def times(self) -> dict[str, Time]:
        """What every bot used of its clocks."""
        return {time.name: time for time in times(self.played, self.names)}

    @cached_property
    def newest(self) -> list[Played]:
        """The results, the last one that was committed first."""
        order = {match: number for number, match in enumerate(self.finished)}
        return sorted(self.played, key=lambda one: order.get(one.match, 0))[::-1]

    @cached_property
    def with_faults(self) -> list[Played]:
        """The matches that a bot lost by a fault."""
        return [one for one in self.played if any(one.result.faults)]

    @cached_property
    def by_block(self) -> dict[str, list[Played]]:
        """The results of every block: one deal and the same bots, in rotated seats."""
        found: dict[str, list[Played]] = {}
        for one in self.played:
            found.setdefault(one.block, []).append(one)
        return found

    @cached_property
    def by_bot(self) -> dict[str, list[Played]]:
        """The results of every bot, the last one first."""
        found: dict[str, list[Played]] = {name: [] for name in self.names}
        for one in self.newest:
            for bot in dict.fromkeys(one.bots):
                found[bot].append(one)
        return found

    def is_withheld(self, match: Played) -> bool:
        """Return whether only the result of a match may be shown: its deal is still to be played."""
        return match.deal in self.open_deals

    def has_replay(self, match: Played) -> bool:
        """Return whether the replay of a match can be shown, as far as it is known without reading it."""
        return bool(match.replay) and self.replays is not None and not self.is_withheld(match)


def open_deals(fixtures: Iterable[Fixture], stored: Iterable[Played], *, more_of: int = 0) -> frozenset[str]:
    """Return the deals that some match of the schedule is still to play.

    What a finished match shows of such a deal would help the bots that get it next: in another rotation, or,
    with common deals, in another group. `more_of` is a round in which further matches may still be planned,
    so that all its deals are open; 0 if there is none.
    """
    there = {one.match for one in stored}
    return frozenset(one.deal for one in fixtures if one.match not in there or one.round == more_of)


def left_seconds(finished: Sequence[str], left: int) -> int | None:
    """Return how long so many matches will take, by the pace of the last ones; None if it is not known.

    `finished` are the moments of commits in ISO format, in order.
    """
    recent = finished[-_PACE:]
    if len(recent) < 3 or not left:
        return None
    span = datetime.fromisoformat(recent[-1]) - datetime.fromisoformat(recent[0])
    return round(span.total_seconds() / (len(recent) - 1) * left)
