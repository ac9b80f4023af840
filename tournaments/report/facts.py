"""What was played, for all readers: terms, dates, versions, hosts, as the plan and the notes of its runs say.

Report, site and JSON have it from here.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

import msgspec
from msgspec import Struct

from referee import registry
from referee.errors import RefereeError
from referee.match.faults import Profile
from referee.wording import plural
from tournaments.config.plan import Plan
from tournaments.store import provenance
from tournaments.store.provenance import Provenance
from tournaments.store.store import Store
from tournaments.store.versions import versions_of

"""Hexadecimal digits of the hash of a program that is shown."""


class ReportFacts(Struct, frozen=True):
    """What was played."""

    terms: tuple[tuple[str, str], ...]
    """The terms of the event, each with its name."""
    hosts: tuple[str, ...] = ()
    """The hosts on which matches were played, with the versions of referee, protocol and Python."""
    first: str = ""
    """When the first match was committed (UTC), or ''."""
    last: str = ""
    """When the last match was committed (UTC), or ''."""
    authors: dict[str, tuple[str, ...]] = {}
    """By bot, if the file names them."""
    versions: dict[str, str] = {}
    """By bot the beginning of the hash of the program that plays now, if it is known."""


def facts_of(plan: Plan, store: Store | None = None) -> ReportFacts:
    """Return what is to be said of a tournament, with what its store has noted."""
    authors = {bot.name: bot.authors for bot in plan.bots if bot.authors}
    if store is None:
        return ReportFacts(terms_in_words(plan), authors=authors)
    runs = [msgspec.json.decode(text, type=Provenance) for text in store.noted(provenance.NOTE)]
    return ReportFacts(
        terms=terms_in_words(plan),
        hosts=hosts_in_words(runs),
        first=store.first_finished(),
        last=store.last_finished(),
        authors=authors,
        versions=versions_of(store).programs,
    )


_CONFINED: Final = {
    "trusted": "none: the organiser trusts them (level trusted)",
    "class": "a sandbox for each (level class)",
    "contest": "a complete sandbox for each (level contest)",
}
"""What the levels of trust mean for bots."""


def terms_in_words(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Return the terms of a tournament in words."""
    deals = "the same deals for all groups" if plan.common_deals else "other deals for each group"
    found = [
        ("Format", _format(plan)),
        ("Who meets", "as few groups as balance allows" if plan.groups == "few" else ""),
        ("Deals", f"{plan.blocks} for a group of bots, each played in all rotations of the seats; {deals}"),
        ("Names", _names(plan)),
        ("Time and faults", _in_words(plan.profile)),
        ("Confinement of bots", _CONFINED[plan.level]),
        ("Bots until", "" if plan.deadline is None else moment_in_words(plan.deadline)),
        ("Public table", freeze_in_words(plan)),
        ("Rules", rules_in_words(plan.game, plan.seats, plan.options)),
    ]
    return tuple((name, text) for name, text in found if text)


def _names(plan: Plan) -> str:
    if plan.aliases:
        return "bots do not learn the names of the others" + ("; pages show pseudonyms" * plan.pseudonyms)
    return "pseudonyms: bots and readers learn no other names" if plan.pseudonyms else ""


def freeze_in_words(plan: Plan) -> str:
    """Return from when on the public sees no new results; '' if it sees all."""
    if plan.freeze is None:
        return ""
    if isinstance(plan.freeze, float):
        return f"frozen after {100 * plan.freeze:g} % of the matches, until the organiser reveals all results"
    return f"frozen from {moment_in_words(plan.freeze)} on, until the organiser reveals all results"


def moment_text(moment: str) -> str:
    """Return a moment in UTC for people.

    >>> moment_text("2026-03-04T05:06:07+00:00")
    '2026-03-04 05:06 UTC'
    """
    try:
        return datetime.fromisoformat(moment).strftime("%Y-%m-%d %H:%M UTC")
    except ValueError:
        return moment


def moment_in_words(moment: datetime) -> str:
    """Return a moment in its own zone and in UTC.

    >>> moment_in_words(datetime.fromisoformat("2026-12-01T18:00:00+01:00"))
    '2026-12-01 18:00 (+01:00), 17:00 UTC'
    """
    there = moment.strftime("%Y-%m-%d %H:%M")
    utc = moment.astimezone(UTC)
    if there == utc.strftime("%Y-%m-%d %H:%M"):
        return f"{there} UTC"
    other = utc.strftime("%H:%M" if utc.date() == moment.date() else "%Y-%m-%d %H:%M")
    return f"{there} ({moment.isoformat()[-6:]}), {other} UTC"


def _format(plan: Plan) -> str:
    match plan.format:
        case "round-robin":
            if plan.pools > 1:
                return f"round robin in {plan.pools} pools: all bots of a pool meet"
            return "round robin: all bots meet"
        case "gauntlet":
            return f"gauntlet: {plan.shown(plan.hero or '')} against all others"
        case "swiss":
            return f"Swiss, {plural(plan.rounds, 'round')}: bots of about equal strength meet"
        case "knockout":
            third = "; the losers of the semifinals play for third place" if plan.third_place else ""
            return f"knockout: those that lose a round leave{third}"


def _in_words(profile: Profile) -> str:
    clock = profile.clock
    strikes = "the first fault loses" if profile.strikes == 1 else f"{profile.strikes} strikes lose"
    return (
        f"{clock.move_ms / 1000:g} s for a decision, {clock.first_ms / 1000:g} s for the first; "
        f"{clock.bank_ms / 1000:g} s in the bank, {clock.grace_ms} ms of grace; {strikes} ({profile.name})"
    )


def rules_in_words(game: str, seats: int, options: Mapping[str, str | int]) -> str:
    """Return which options of the game are not the usual ones for so many seats."""
    try:
        usual = registry.game(game).resolve(None, seats)
    except RefereeError:
        usual = {}
    changed = [f"{name} = {value}" for name, value in options.items() if usual.get(name) != value]
    return "the usual ones" + (f", but {', '.join(changed)}" if changed else "")


def hosts_in_words(runs: Iterable[Provenance]) -> tuple[str, ...]:
    """Return the hosts of all runs with the versions that played there, each once."""
    found = [
        f"{run.host.processor or run.host.machine}, {run.host.cores} cores; referee {run.referee}, "
        f"protocol {run.protocol}, Python {run.python}"
        for run in runs
    ]
    return tuple(dict.fromkeys(found))
