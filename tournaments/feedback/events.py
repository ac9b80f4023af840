"""The tournaments of an event file, or a ladder, each as the public may see it, with its bots' programs."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from referee.errors import ConfigError, nearest
from tournaments.config.entrants import Entrant
from tournaments.config.plan import Plan
from tournaments.event_file import event_at, plans_of, results_of_event
from tournaments.site.events import ladder_event, plan_event
from tournaments.site.model import SiteEvent
from tournaments.site.public_results import results_shown
from tournaments.store import ladders
from tournaments.store.ladder_versions import accounts_of
from tournaments.store.store import Store

NO_WHOLE: Final[Mapping[str, str]] = MappingProxyType({})
"""Of an event that is one tournament, or of a ladder."""


class PlayedPart(Struct, frozen=True):
    """One tournament of an event, or a ladder."""

    event: SiteEvent
    """For the public: with pseudonyms, and without results that are hidden."""
    plan: Plan | None
    """None for a ladder, whose bots the organiser has not started."""

    @property
    def bots(self) -> list[str]:
        """The bots in the order of their places, then those that were left out, by their own names."""
        masks = self.event.masks.by_name
        own = {masks[name]: name for name in masks}
        return [own.get(name, name) for name in (*self.event.names, *self.event.standings.left_out)]

    def public_name(self, bot: str) -> str:
        """Return what a bot is called in public."""
        return self.event.masks.name(bot)

    def entrant(self, bot: str) -> Entrant | None:
        """Return what the organiser starts as this bot; None where bots start themselves."""
        entrants = self.plan.bots if self.plan is not None else ()
        return next((entrant for entrant in entrants if entrant.name == bot), None)


def parts_of(file: Path) -> list[PlayedPart]:
    """Return the parts of an event that have results. Raises ConfigError if none has."""
    ladder = ladders.find(file)
    if ladder is not None:
        with Store(ladder, write=False) as store:
            event = ladder_event(store)
        if not event.played:
            raise ConfigError(f"{file}: no rated match has been played yet: feedback is about rated ones")
        return [PlayedPart(event, None)]
    parts = [PlayedPart(plan_event(plan), plan) for plan in plans_of(file)]
    played = [part for part in parts if part.event.played]
    if not played:
        raise ConfigError(f"{file}: no match has been played yet: `referee tournament run {file}` plays them")
    return played


def whole_of(file: Path, parts: list[PlayedPart]) -> Mapping[str, str]:
    """Return in words what bots came to in an event of several tournaments, by their public names."""
    if ladders.find(file) is not None or (event := event_at(file)).is_single:
        return NO_WHOLE
    read = {part.plan.part: part.event for part in parts if part.plan is not None}
    results = results_of_event(
        event, lambda plan: results_shown(read.get(plan.part) or plan_event(plan)), public=True
    )
    known = [read.get(one.part.name) for one in event.parts]
    so_far = (
        "" if all(one is not None and one.state.complete and not one.hidden for one in known) else " so far"
    )
    found = {}
    for name, place in results.whole.items():
        points = "" if place.points is None else f", {place.points:g} points"
        rating = "" if place.rating is None else f", mean rating {place.rating:.0f}"
        found[name] = (
            f"In the whole event: place {place.rank} of {len(results.whole)}{so_far}{points}{rating}."
        )
    return found


def replay_folders(file: Path) -> list[Path]:
    """Return the folders in which the replays of an event, of a ladder, or of all ladders of a daemon are."""
    if not (file / ladders.STORE).exists() and (below := ladders.folders_below(file)):
        return below
    ladder = ladders.find(file)
    return [ladder.parent] if ladder is not None else [plan.replays for plan in plans_of(file)]


def bots_of(parts: list[PlayedPart], asked: tuple[str, ...] = ()) -> list[str]:
    """Return the bots of an event in the order of their places, or those that are asked for.

    An account of a ladder stands for its newest version. Raises ConfigError for a bot that the event does
    not have.
    """
    names = list(dict.fromkeys(name for part in parts for name in part.bots))
    newest = _newest_versions(parts, names)
    wanted = [name if name in names else newest.get(name, name) for name in asked]
    for name in wanted:
        if name not in names:
            raise ConfigError(f"{parts[0].event.name} has no bot {name!r}: {nearest(name, names)}")
    return list(dict.fromkeys(wanted)) or names


def _newest_versions(parts: list[PlayedPart], names: list[str]) -> dict[str, str]:
    """Return by account of a ladder its newest version: earlier ones come last among the names."""
    newest: dict[str, str] = {}
    for part in parts:
        if part.plan is None:
            accounts = accounts_of(part.event.played)
            for name in names:
                newest.setdefault(accounts.get(name, name), name)
    return newest
