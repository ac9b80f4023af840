"""Where the events of a site come from: a tournament file, a ladder, a run, or a folder of replays."""

import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from referee import registry
from referee.errors import ConfigError
from referee.hub.fixture import Fixture
from referee.replay.files import SUFFIXES
from tournaments.config.entry_record import RECORD
from tournaments.config.plan import Plan, draft_of
from tournaments.config.store_address import whole_text
from tournaments.event_file import EventPlan, event_at
from tournaments.live.event_reading import replays_in
from tournaments.live.settings import EventSource
from tournaments.live.tokens import secret_of
from tournaments.site.slugs import slug
from tournaments.store import ladders
from tournaments.store.store import Store, is_there


def tournament_source(plan: Plan, *, make_secret: bool = True) -> EventSource:
    """Return the event of a tournament."""
    return EventSource(
        slug=slug(plan.part or plan.name),
        kind="tournament",
        path=str(plan.file.resolve()),
        store=whole_text(plan.store),
        record=str(plan.entries / RECORD) if plan.entries is not None else "",
        title=plan.name,
        part=plan.part,
        group=plan.event,
        freezes=plan.freeze.isoformat() if isinstance(plan.freeze, datetime) else "",
        secret=secret_of(plan.file.with_suffix("") if plan.part else plan.store_file, make=make_secret),
    )


def event_sources(event: EventPlan, *, make_secret: bool = True) -> list[EventSource]:
    """Return the events of a file: one for each of its tournaments, also of those that wait."""
    found = []
    for one in event.parts:
        # What a part is called and where its files are does not depend on its bots.
        plan = one.plan or draft_of(event.file, one.part)
        found.append(tournament_source(plan, make_secret=make_secret))
    return found


def ladder_source(store: Path, *, make_secret: bool = True) -> EventSource:
    """Return the event of a ladder, by its store."""
    folder = store.parent.resolve()
    return EventSource(
        slug=slug(folder.name),
        kind="ladder",
        path=str(folder),
        store=str(store.resolve()),
        title=folder.name,
        secret=secret_of(store, make=make_secret),
    )


def run_source(
    title: str, game: str, bots: Sequence[str], fixtures: Sequence[Fixture], replays: Path
) -> EventSource:
    """Return the event of a run without a store."""
    of_deal = max(Counter(fixture.deal for fixture in fixtures).values(), default=1)
    return EventSource(
        slug="run",
        kind="run",
        title=title,
        game=game,
        bots=tuple(bots),
        replays=str(replays.resolve()),
        planned=len(fixtures),
        of_deal=of_deal,
        secret=secrets.token_hex(32),
    )


def sources_at(path: Path) -> list[EventSource]:
    """Return the events at a path that an operator named. Raises ConfigError if there is none.

    A path is a tournament file, the folder of a ladder or its store, or a folder: of tournament files and
    ladders, or of replays.
    """
    if not path.is_dir():
        found = ladders.find(path)
        return [ladder_source(found, make_secret=False)] if found else _plan_sources(path)
    if ladders.store_path(path).exists():
        return [ladder_source(ladders.store_path(path), make_secret=False)]
    inside = [*_plans_in(path), *_ladders_in(path)]
    if inside:
        return inside
    games = _games_in(path)
    if not games:
        raise ConfigError(
            f"{path}: there is nothing to show: name a tournament file, the folder of a ladder, or a folder "
            "of replays"
        )
    return [_folder_source(path, game, several=len(games) > 1) for game in games]


def beside_each_other(sources: Iterable[EventSource]) -> tuple[EventSource, ...]:
    """Return the events of one site, each with an address of its own, and the way to the list of several."""
    found = _with_own_slugs(sources)
    return found if len(found) == 1 else tuple(replace(source, above="../../") for source in found)


def _with_own_slugs(sources: Iterable[EventSource]) -> tuple[EventSource, ...]:
    taken: Counter[str] = Counter()
    found = []
    for source in sources:
        taken[source.slug] += 1
        number = taken[source.slug]
        found.append(source if number == 1 else replace(source, slug=f"{source.slug}-{number}"))
    return tuple(found)


def check_readable(source: EventSource) -> None:
    """Raise RefereeError if the results of an event cannot be read; one that has not begun has none."""
    if source.store and is_there(source.store_address):
        Store(source.store_address, write=False).close()


def _plan_sources(path: Path) -> list[EventSource]:
    return event_sources(event_at(path), make_secret=False)


def _plans_in(folder: Path) -> list[EventSource]:
    """Return the tournaments of a folder that have results."""
    found = []
    for path in sorted(folder.glob("*.toml")):
        try:
            event = event_at(path)
        except ConfigError:
            # Another file with this ending; named by itself, it would be an error.
            continue
        if any(is_there(plan.store) for plan in event.plans):
            found += event_sources(event, make_secret=False)
    return found


def _ladders_in(folder: Path) -> list[EventSource]:
    stores = sorted(folder.glob(f"*/{ladders.STORE}"))
    return [ladder_source(store, make_secret=False) for store in stores]


def _games_in(folder: Path) -> list[str]:
    if not any(path.name.endswith(SUFFIXES) for path in folder.iterdir()):
        return []
    return sorted({replay.header.game for _, replay in replays_in(folder)})


def _folder_source(folder: Path, game: str, *, several: bool) -> EventSource:
    name = folder.resolve().name
    title = f"{name}: {registry.game(game).info.title}" if several else name
    return EventSource(
        slug=slug(f"{name}-{game}") if several else slug(name),
        kind="replays",
        path=str(folder.resolve()),
        title=title,
        game=game,
        replays=str(folder.resolve()),
    )
