"""Makes a `SiteEvent` from the store of a tournament or a ladder, or from rows alone."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee import registry
from referee.errors import RefereeError
from referee.hub.fixture import Fixture
from referee.match.faults import Profile
from referee.wording import plural
from tournaments.config.luck import origin_of
from tournaments.config.plan import Plan, load
from tournaments.pairing.schedule import counted, expected, fixtures
from tournaments.rating.standings import stand
from tournaments.report.results_so_far import check_readable, counted_results, ladder_results_of
from tournaments.results import Played
from tournaments.site.model import BotVersion, EventState, PublicNotes, SiteEvent, left_seconds, open_deals
from tournaments.site.notes import public_notes
from tournaments.store import ladders, provenance, schema
from tournaments.store.chain import Head
from tournaments.store.errors import NoResultsError
from tournaments.store.hosts import hosts_of
from tournaments.store.provenance import BotProvenance, Provenance
from tournaments.store.store import Store
from tournaments.store.writer_lock import writer

NO_NOTES = PublicNotes()
"""Nothing is announced, and nothing hidden."""

_VERSION_DIGITS = 12
"""Hexadecimal digits of the hash of a program that pages show."""


class _Committed(Struct, frozen=True):
    """What a store has: rows in the order of their commits, and when each was committed."""

    rows: list[Played]
    finished: dict[str, str]
    head: Head
    runs: list[tuple[int, Provenance]]
    hosts: dict[str, str]


def event_of(file: Path) -> SiteEvent:
    """Return the event of a tournament file, of the folder of a ladder, or of its store, for the public."""
    ladder = ladders.find(file)
    if ladder is not None:
        with Store(ladder, write=False) as store:
            return ladder_event(store)
    plan = load(file)
    try:
        with Store(plan.store, write=False) as store:
            return tournament_event(plan, store)
    except NoResultsError:
        return _event_of_plan(plan, _Committed([], {}, Head(), [], {}), NO_NOTES, is_running=False)


def tournament_event(plan: Plan, store: Store, notes: PublicNotes | None = None) -> SiteEvent:
    """Return the event of a plan, with the results that its store has.

    Without notes those of the organiser hold: a frozen table stays frozen.
    """
    check_readable(plan, store)
    found = _committed(store)
    # After the results: those that come after a table is frozen are not among them.
    notes = public_notes(store) if notes is None else notes
    return _event_of_plan(plan, found, notes, is_running=writer(store.path) is not None)


def ladder_event(store: Store, notes: PublicNotes | None = None) -> SiteEvent:
    """Return the event of a ladder, with the results of the game that is played on it now.

    Without notes those of the organiser hold: a frozen table stays frozen.
    """
    terms, found = ladders.terms_of(store), _committed(store)
    notes = public_notes(store) if notes is None else notes
    shown = _shown(found.rows, notes)
    results = ladder_results_of(terms, shown, found.head, store.path.parent)
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
            running=writer(store.path) is not None,
            complete=False,
            left=0,
            void=results.void,
            first=min(moments, default=""),
            last=max(moments, default=""),
        ),
        facts=(
            ("Format", "ladder: bots connect, and play as long as they are connected"),
            ("Rules", _rules(terms.game, terms.seats, terms.options)),
        ),
        finished=found.finished,
        notes=notes,
        hidden=len(found.rows) - len(shown),
        made=_now(),
    )


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
    planned = fixtures(plan, _in_order(found.rows))
    there = counted(planned, found.rows)
    # What is shown follows from what is shown: the pairings of a later round would disclose its results.
    stored = _in_order(_shown(found.rows, notes))
    results = counted_results(plan, stored, found.head, found.hosts)
    is_complete = plan.is_drawn and len(planned) == len(there)
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
        facts=_facts(plan),
        hosts=_hosts(found.runs),
        luck=origin_of(plan),
        fixtures=tuple(fixtures(plan, stored)),
        open_deals=open_deals(planned, found.rows, more_of=_growing(plan, planned, is_complete)),
        finished=found.finished,
        versions=_versions(found.runs),
        notes=notes,
        hidden=len(there) - len(results.played),
        made=_now(),
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
        hosts=hosts_of(store),
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


_CONFINED: Final = {
    "trusted": "none: the organiser trusts them (level trusted)",
    "class": "a sandbox for each (level class)",
    "contest": "a complete sandbox for each (level contest)",
}
"""What the levels of trust mean for bots."""


def _facts(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Return the terms of a tournament in words."""
    deals = "the same deals for all groups" if plan.common_deals else "other deals for each group"
    found = [
        ("Format", _format(plan)),
        ("Who meets", "as few groups as balance allows" if plan.groups == "few" else ""),
        ("Deals", f"{plan.blocks} for a group of bots, each played in all rotations of the seats; {deals}"),
        ("Names", "bots do not learn the names of the others" if plan.aliases else ""),
        ("Time and faults", _in_words(plan.profile)),
        ("Confinement of bots", _CONFINED[plan.level]),
        ("Rules", _rules(plan.game, plan.seats, plan.options)),
    ]
    return tuple((name, text) for name, text in found if text)


def _format(plan: Plan) -> str:
    match plan.format:
        case "round-robin":
            return "round robin: all bots meet"
        case "gauntlet":
            return f"gauntlet: {plan.hero} against all others"
        case "swiss":
            return f"Swiss, {plural(plan.rounds, 'round')}: bots of about equal strength meet"
        case "knockout":
            return "knockout: those that lose a round leave"


def _in_words(profile: Profile) -> str:
    clock = profile.clock
    strikes = "the first fault loses" if profile.strikes == 1 else f"{profile.strikes} strikes lose"
    return (
        f"{clock.move_ms / 1000:g} s for a decision, {clock.first_ms / 1000:g} s for the first; "
        f"{clock.bank_ms / 1000:g} s in the bank, {clock.grace_ms} ms of grace; {strikes} ({profile.name})"
    )


def _rules(game: str, seats: int, options: Mapping[str, str | int]) -> str:
    """Return which options of the game are not the usual ones for so many seats."""
    try:
        usual = registry.game(game).resolve(None, seats)
    except RefereeError:
        usual = {}
    changed = [f"{name} = {value}" for name, value in options.items() if usual.get(name) != value]
    return "the usual ones" + (f", but {', '.join(changed)}" if changed else "")


def _hosts(runs: Iterable[tuple[int, Provenance]]) -> tuple[str, ...]:
    found = [
        f"{run.host.processor or run.host.machine}, {run.host.cores} cores; referee {run.referee}, "
        f"Python {run.python}"
        for _, run in runs
    ]
    return tuple(dict.fromkeys(found))


def _versions(runs: Iterable[tuple[int, Provenance]]) -> dict[str, tuple[BotVersion, ...]]:
    """Return the programs of every bot, one for each change."""
    found: dict[str, list[BotVersion]] = {}
    for since, run in runs:
        for bot in run.bots:
            digest = _digest(bot)
            known = found.setdefault(bot.name, [])
            if digest and (not known or known[-1].digest != digest):
                known.append(BotVersion(since, digest, run.referee))
    return {name: tuple(versions) for name, versions in found.items() if versions}


def _digest(bot: BotProvenance) -> str:
    """Return the beginning of a hash of a bot's program, without its paths and its command; '' if unknown."""
    parts = [bot.program] if bot.program else sorted(filter(None, bot.files.values()))
    return sha256("\n".join(parts).encode()).hexdigest()[:_VERSION_DIGITS] if any(parts) else ""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
