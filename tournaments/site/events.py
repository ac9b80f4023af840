"""Makes a `SiteEvent` from the store of a tournament or a ladder, or from rows alone."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee import registry
from referee.errors import RefereeError
from referee.hub.fixture import Fixture
from referee.wording import plural
from tournaments.config.luck import origin_of
from tournaments.config.plan import Plan, load
from tournaments.event_file import EventPart
from tournaments.pairing.schedule import counted, expected, fixtures, is_over
from tournaments.rating.standings import stand
from tournaments.report.facts import hosts_in_words, rules_in_words, terms_in_words
from tournaments.report.results_so_far import check_readable, counted_results, ladder_results_of
from tournaments.report.version_history import version_history
from tournaments.results import Played
from tournaments.site.masks import Masks, masks_of
from tournaments.site.model import BotVersion, EventState, PublicNotes, SiteEvent, left_seconds, open_deals
from tournaments.site.notes import public_notes
from tournaments.store import ladders, provenance, schema
from tournaments.store.backend import writer
from tournaments.store.chain import Head
from tournaments.store.errors import NoResultsError
from tournaments.store.field import as_played
from tournaments.store.ladder_versions import LadderVersion, ladder_versions_of
from tournaments.store.provenance import Provenance
from tournaments.store.store import Store
from tournaments.store.versions import Versions, versions_of

NO_NOTES = PublicNotes()
"""Nothing is announced, and nothing hidden."""


class _Committed(Struct, frozen=True):
    """What a store has: rows in the order of their commits, and when each was committed."""

    rows: list[Played]
    finished: dict[str, str]
    head: Head
    runs: list[tuple[int, Provenance]]
    versions: Versions = Versions()


def event_of(file: Path) -> SiteEvent:
    """Return the event of a tournament file, of the folder of a ladder, or of its store, for the public."""
    ladder = ladders.find(file)
    if ladder is not None:
        with Store(ladder, write=False) as store:
            return ladder_event(store)
    return plan_event(load(file))


def plan_event(plan: Plan, *, whole: bool = False) -> SiteEvent:
    """Return the event of a plan for the public, or with `whole` for the organiser."""
    try:
        with Store(plan.store, write=False) as store:
            return tournament_event(plan, store, whole=whole)
    except NoResultsError:
        event = _event_of_plan(plan, _Committed([], {}, Head(), []), NO_NOTES, is_running=False)
        return event if whole else masked(event, masks_of(plan))


def tournament_event(
    plan: Plan, store: Store, notes: PublicNotes | None = None, *, whole: bool = False
) -> SiteEvent:
    """Return the event of a plan for the public, with the results that its store has.

    Without notes those of the organiser and of the file hold: a frozen table stays frozen. With `whole` it is
    as the organiser sees it: no result is hidden, and no name.
    """
    check_readable(plan, store)
    plan, found = as_played(plan, store), _committed(store)
    # After the results: those that come after a table is frozen are not among them.
    notes = public_notes(store, plan) if notes is None else notes
    if whole:
        notes = replace(notes, frozen_after=None)
    event = _event_of_plan(plan, found, notes, is_running=writer(store.address) is not None)
    return event if whole else masked(event, masks_of(plan))


def ladder_event(store: Store, notes: PublicNotes | None = None, *, whole: bool = False) -> SiteEvent:
    """Return the event of a ladder, with the results of the game that is played on it now.

    A frozen table stays frozen, but for the organiser, who sees the `whole`.
    """
    terms, found = ladders.terms_of(store), _committed(store)
    notes = public_notes(store) if notes is None else notes
    if whole:
        notes = replace(notes, frozen_after=None)
    shown = _shown(found.rows, notes)
    versions = [one for _, one in ladder_versions_of(store)]
    results = ladder_results_of(terms, shown, found.head, ladders.replays_of(store), versions)
    moments = [found.finished[one.match] for one in shown]
    return SiteEvent(
        name=terms.name,
        kind="ladder",
        game=terms.game,
        title=_title(terms.game),
        seats=terms.seats,
        played=results.played,
        standings=results.standings,
        head=results.head,
        replays=results.replays,
        state=EventState(
            running=writer(store.address) is not None,
            complete=False,
            left=0,
            void=results.void,
            first=min(moments, default=""),
            last=max(moments, default=""),
        ),
        facts=(
            ("Format", "ladder: bots connect, and play as long as they are connected"),
            ("Rules", rules_in_words(terms.game, terms.seats, terms.options)),
            *((("Rated", terms.hours),) if terms.hours else ()),
            *((("Not rated", plural(results.unrated, "match")),) if results.unrated else ()),
        ),
        finished=found.finished,
        ladder_versions=_by_version(versions),
        notes=notes,
        hidden=len(found.rows) - len(shown),
        made=_now(),
    )


def waiting_event(part: EventPart) -> SiteEvent:
    """Return a part of an event whose bots are not known yet."""
    game = part.part.file.game or ""
    name = part.part.file.name or part.part.name
    return SiteEvent(
        name=name,
        kind="tournament",
        game=game,
        title=_title(game),
        seats=part.part.file.seats or registry.game(game).info.least_seats,
        played=[],
        standings=stand(name, game, [], []),
        head=Head(),
        replays=None,
        state=EventState(running=False, complete=False, left=0, void=0, first="", last="", waits=part.waits),
        part=part.part.name,
        made=_now(),
    )


def _by_version(versions: Sequence[LadderVersion]) -> dict[str, tuple[LadderVersion, ...]]:
    """Return by version all versions of its account, as they came."""
    return {one.kept_as: tuple(other for other in versions if other.bot == one.bot) for one in versions}


def rows_event(
    name: str,
    game: str,
    rows: Sequence[Played],
    *,
    replays: Path | None = None,
    left: int = 0,
    still_open: Iterable[str] | None = None,
) -> SiteEvent:
    """Return the event of rows that no store has: matches of `referee play`.

    `left` matches are still to be played, of the deals `still_open`. Without these, as long as matches are
    left all deals count as open: the rows do not show which of them will come again.
    """
    played = [one for one in rows if not one.result.void]
    bots = list(dict.fromkeys(bot for one in rows for bot in one.bots))
    if still_open is None:
        still_open = [one.deal for one in played] if left else []
    return SiteEvent(
        name=name,
        kind="matches",
        game=game,
        title=_title(game),
        seats=max((len(one.bots) for one in rows), default=0),
        played=played,
        standings=stand(name, game, bots, played),
        head=Head(),
        replays=replays,
        state=EventState(
            running=left > 0,
            complete=left == 0,
            left=left,
            void=len(rows) - len(played),
            first="",
            last="",
        ),
        open_deals=frozenset(still_open),
        made=_now(),
    )


def _event_of_plan(plan: Plan, found: _Committed, notes: PublicNotes, *, is_running: bool) -> SiteEvent:
    in_order = _in_order(found.rows)
    planned = fixtures(plan, in_order)
    there = counted(planned, found.rows)
    # What is shown follows from what is shown: the pairings of a later round would disclose its results.
    stored = _in_order(_shown(found.rows, notes))
    results = counted_results(plan, stored, found.head)
    is_complete = is_over(planned, there)
    left = 0 if is_complete else max(expected(plan), len(planned)) - len(there)
    moments = [found.finished[one.match] for one in there]
    return SiteEvent(
        name=plan.name,
        kind="tournament",
        game=plan.game,
        title=_title(plan.game),
        seats=plan.seats,
        played=results.played,
        standings=results.standings,
        head=results.head,
        replays=plan.replays,
        state=EventState(
            running=is_running,
            complete=is_complete,
            left=left,
            void=0,
            first=min(moments, default=""),
            last=max(moments, default=""),
            left_s=left_seconds(sorted(moments), left) if is_running else None,
        ),
        part=plan.part,
        facts=terms_in_words(plan),
        authors={bot.name: bot.authors for bot in plan.bots if bot.authors},
        hosts=hosts_in_words(run for _, run in found.runs),
        luck=origin_of(plan),
        fixtures=tuple(fixtures(plan, stored)),
        open_deals=open_deals(
            # A bot that was left out may be mended, and then plays the rest of its deals.
            fixtures(replace(plan, left_out={}), in_order) if plan.left_out else planned,
            found.rows,
            more_of=_growing(plan, planned, is_complete),
        ),
        finished=found.finished,
        versions=_versions(found.versions, _shown(found.rows, notes), found.runs),
        notes=notes,
        hidden=len(there) - len(results.played),
        made=_now(),
    )


def masked(event: SiteEvent, masks: Masks) -> SiteEvent:
    """Return an event with pseudonyms, and without what could identify a program or its authors."""
    if not masks:
        return event
    table = masks.within(event.standings)
    return replace(
        event,
        played=list(map(masks.row, event.played)),
        # Neither the name of the event nor its game is that of a bot, even if they are the same word.
        standings=replace(table, name=event.standings.name, game=event.standings.game),
        facts=tuple((name, masks.text(text)) for name, text in event.facts),
        luck=event.luck and replace(event.luck, texts={}),
        fixtures=tuple(replace(one, bots=masks.names(one.bots)) for one in event.fixtures),
        authors={},
        versions={},
        masks=masks,
    )


def _growing(plan: Plan, planned: Iterable[Fixture], is_complete: bool) -> int:
    """Return the round in which groups may still get further deals that others have had; 0 if there is none.

    In a knockout a tie is broken by more deals, and with common deals those are the same in all groups.
    """
    if plan.format != "knockout" or not plan.common_deals or is_complete:
        return 0
    return max((fixture.round for fixture in planned), default=0)


def _committed(store: Store) -> _Committed:
    contents = store.contents()
    runs = [
        (results, msgspec.json.decode(text, type=Provenance))
        for results, text in store.noted_after(provenance.NOTE)
    ]
    return _Committed(
        rows=[schema.played_from(match) for match in contents.matches],
        finished={str(match.match["match"]): str(match.match["finished"]) for match in contents.matches},
        head=store.head(),
        runs=runs,
        versions=versions_of(store),
    )


def _shown(rows: list[Played], notes: PublicNotes) -> list[Played]:
    return rows if notes.frozen_after is None else rows[: notes.frozen_after]


def _in_order(rows: Iterable[Played]) -> list[Played]:
    """Return the rows that count in the order of `Store.played`."""
    return sorted(
        (one for one in rows if not one.result.void), key=lambda one: (one.round, one.block, one.match)
    )


def _title(game: str) -> str:
    try:
        return registry.game(game).info.title
    except RefereeError:
        # Results can be shown where their game is not installed.
        return game


def _versions(
    versions: Versions, rows: list[Played], runs: Sequence[tuple[int, Provenance]]
) -> dict[str, tuple[BotVersion, ...]]:
    """Return the versions of every bot, with the results of each."""
    found: dict[str, list[BotVersion]] = {}
    for line in version_history(versions, rows, versions.bots()):
        by = [run.referee for since, run in runs if since <= line.since]
        own = BotVersion(**msgspec.structs.asdict(line), referee=by[-1] if by else "")
        found.setdefault(line.bot, []).append(own)
    return {name: tuple(lines) for name, lines in found.items()}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
